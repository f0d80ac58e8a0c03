"""The graphs that relaxed samples stand for: of each the largest connected part, as far as the data's rules allow."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.compiling import compiled
from protograph.graphs.joining import GraphChunk
from protograph.peers.generating import Vocabulary, both_ways, laid_out
from protograph.peers.relaxation import mixed


@dataclass(frozen=True, eq=False)
class Parts:
    """What is left of each sample; pairs of candidates are in the order of :func:`numpy.triu_indices`.

    Attributes:
        kinds: Type of each candidate, ``[num_samples, num_candidates]``.
        is_node: Which candidates are nodes of the largest part, ``[num_samples, num_candidates]``.
        is_edge: Which pairs are its edges, ``[num_samples, num_pairs]``.
        is_kept: Which pairs a relaxed sample may keep: all inside but those against the rules and negligible ones.
    """

    kinds: Ints
    is_node: Bools
    is_edge: Bools
    is_kept: Bools

    def graph(self, sample: int) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """The graph behind a sample: type of each node, and edges between nodes numbered from 0."""
        place = self.is_node[sample].cumsum() - 1
        ends = place[_pairs(self.kinds.shape[1])[:, self.is_edge[sample]]]
        return tuple(self.kinds[sample, self.is_node[sample]].tolist()), tuple(map(tuple, ends.T.tolist()))


def largest_parts(weights: Floats, kinds: Ints, vocabulary: Vocabulary, max_edges: int, negligible: float) -> Parts:
    """The largest connected part of each sample, the most probable edges first, as far as the rules of the data allow.

    Args:
        weights: Probability of each pair of candidates, ``[num_samples, num_pairs]``.
        kinds: Type of each candidate, ``[num_samples, num_candidates]``.
        vocabulary: No node gets more neighbours than its type has in the data, and only of types it is joined with.
        max_edges: No more edges than this.
        negligible: A relaxed sample does not keep pairs less probable than this.

    >>> from torch_geometric.data import Data
    >>> from protograph.peers.generating import learn
    >>> path = Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    >>> kinds = np.zeros((1, 3), dtype=int)
    >>> parts = largest_parts(np.array([[0.9, 0.8, 0.7]]), kinds, learn([path]), max_edges=2, negligible=0.01)
    >>> parts.graph(0), parts.is_kept.tolist()
    (((0, 0, 0), ((0, 1), (0, 2))), [[True, True, False]])
    """
    pairs = _pairs(kinds.shape[1])
    is_allowed = vocabulary.joined[kinds[:, pairs[0]], kinds[:, pairs[1]]] > 0
    is_edge, part_of = np.zeros_like(is_allowed), np.empty(kinds.shape, np.int64)
    order = np.argsort(-weights, axis=1, kind="stable")
    _choose(order, (weights > 0.5) & is_allowed, pairs, vocabulary.max_degree[kinds], max_edges, is_edge, part_of)
    # Parts are known by their first nodes; of those of one size the first is taken.
    sizes = (part_of[:, :, None] == part_of[:, None, :]).sum(axis=2)
    is_node = part_of == part_of[np.arange(len(kinds)), sizes.argmax(axis=1)][:, None]
    is_inside = is_node[:, pairs[0]] & is_node[:, pairs[1]]
    is_refused = (weights > 0.5) & ~is_edge
    is_kept = is_inside & is_allowed & ~is_refused & (weights > negligible)
    return Parts(kinds, is_node, is_edge & is_inside, is_kept)


@cache
def _pairs(num_candidates: int) -> Ints:
    return np.stack(np.triu_indices(num_candidates, 1))


@compiled
def _choose(order: Any, is_likely: Any, pairs: Any, room: Any, max_edges: int, is_edge: Any, part_of: Any) -> None:
    """Add the likely pairs of each sample in order, while both ends have room; a part is known by its first node."""
    for sample in range(len(order)):
        left = max_edges
        for node in range(part_of.shape[1]):
            part_of[sample, node] = node
        for pair in order[sample]:
            u, v = pairs[0, pair], pairs[1, pair]
            if left == 0 or not is_likely[sample, pair] or room[sample, u] == 0 or room[sample, v] == 0:
                continue
            room[sample, u] -= 1
            room[sample, v] -= 1
            left -= 1
            is_edge[sample, pair] = True
            one, other = part_of[sample, u], part_of[sample, v]
            for node in range(part_of.shape[1]):
                if part_of[sample, node] == max(one, other):
                    part_of[sample, node] = min(one, other)


def relaxed_graphs(
    weights: Tensor, types: Tensor, parts: Parts, vocabulary: Vocabulary, *, is_passed: bool
) -> tuple[GraphChunk, Tensor]:
    """Samples as graphs with soft features, laid end to end, and the weights of all their edges, both directions.

    Args:
        weights: Of each pair of candidates, ``[num_samples, num_pairs]``, of the precision of the model.
        types: Shares that each candidate has in the types, ``[num_samples, num_candidates, num_types]``.
        parts: What is left of them.
        vocabulary: Features of types, attributes of edges.
        is_passed: Whether graphs get the weights as ``edge_weight`` too.
    """
    sample_of_edge, pair = (torch.from_numpy(places) for places in parts.is_kept.nonzero())
    place = torch.from_numpy(parts.is_node.cumsum(axis=1) - 1)
    ends = place[sample_of_edge, torch.from_numpy(_pairs(parts.kinds.shape[1]))[:, pair]]
    shares = types[torch.from_numpy(parts.is_node)]
    sizes = parts.is_node.sum(axis=1)
    first = torch.from_numpy(sizes.cumsum() - sizes)
    strengths = weights[sample_of_edge, pair].repeat_interleave(2)
    x, edge_attr = vocabulary.x, vocabulary.edge_attr
    tensors = {
        "edge_index": both_ways(ends),
        "x": None if x is None else mixed(x, shares),
        "edge_attr": None if edge_attr is None else mixed(edge_attr, *shares[both_ways(first[sample_of_edge] + ends)]),
        "edge_weight": strengths if is_passed else None,
    }
    return laid_out(sizes, parts.is_kept.sum(axis=1), tensors), strengths
