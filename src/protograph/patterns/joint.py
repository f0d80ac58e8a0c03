"""k graphs laid out together for the compiled searches, and which of their nodes may stand for each other."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints, Kinds
from protograph.graphs.conditions import MatchEdges, MatchNodes, NodeRule, as_rule
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs

MatchFeatures = bool | float | Callable[[Tensor, Tensor], bool] | NodeRule


def are_matched_by_kind(match_features: MatchFeatures) -> bool:
    """Whether kinds of nodes tell which may stand for each other, as in counting: by features, or any nodes.

    >>> are_matched_by_kind(True), are_matched_by_kind(False), are_matched_by_kind(0.5)
    (True, True, False)
    """
    return counted_kinds(match_features) is not False or match_features is False


def counted_kinds(match_features: MatchFeatures) -> MatchNodes:
    """How counting tells nodes apart: by equal features (also for a tolerance of 0) or by a rule, else not at all.

    >>> counted_kinds(True), counted_kinds(0.0), counted_kinds(False), counted_kinds(0.5)
    (True, True, False, False)
    """
    if isinstance(match_features, NodeRule):
        return match_features
    is_number = isinstance(match_features, int | float) and not isinstance(match_features, bool)
    return match_features is True or (is_number and match_features == 0)


class JointGraphs:
    """k graphs in one place.

    Args:
        graphs: The k graphs, undirected and simple.
        match_features: Which nodes may stand for each other. ``True``: those with equal rows of ``x``. ``False``: all.
            A number: those no entry of which differs by more. A function of two rows of ``x``: it decides. A rule:
            those whose rows fall into the same bins and kinds. Without ``x`` all may.
        match_edges: Whether edges with different ``edge_attr`` are of different kinds, or a rule for that.

    Attributes:
        offsets: Node ``i`` of graph ``q`` has the joint number ``offsets[q] + i``; length k + 1.
        starts: The neighbours of joint node ``v`` are ``neighbours[starts[v]:starts[v + 1]]``.
        neighbours: Numbers of neighbours within their own graph, ascending, without the node itself.
        edge_kinds: Kind of each of those edges; only edges of one kind may stand for each other.
        kinds: Of each graph the kinds of its nodes; all the same unless features must be equal.
        encoded: The graphs, with these kinds.
    """

    def __init__(
        self, graphs: Sequence[Data], match_features: MatchFeatures = True, *, match_edges: MatchEdges = False
    ) -> None:
        if as_rule(match_edges).is_matched and any(graph.edge_attr is None for graph in graphs):
            raise ValueError("match_edges=True needs edge_attr on every graph; the graphs have none")
        encoded = EncodedGraphs(graphs, match_features=counted_kinds(match_features), match_edges=match_edges)
        self._lay_out([encoded[q] for q in range(len(graphs))])
        if isinstance(match_features, NodeRule) or are_matched_by_kind(match_features):
            return
        if graphs[0].x is not None:
            features = [_as_matrix(graph.x) for graph in graphs]
            for q, r in combinations(range(self.k), 2):
                self._pairs[q, r] = _pairwise(features[q], features[r], match_features)

    @classmethod
    def of_encoded(cls, graphs: Sequence[EncodedGraph]) -> "JointGraphs":
        """Graphs that are encoded by the same object: nodes and edges of one kind may stand for each other."""
        joint = cls.__new__(cls)
        # Numbered without gaps: of all kinds of a data set these graphs may have a few.
        node_kinds = _without_gaps([graph.node_kinds for graph in graphs])
        edge_kinds = _without_gaps([graph.edge_kinds for graph in graphs])
        kinds = zip(graphs, node_kinds, edge_kinds, strict=True)
        joint._lay_out([graph._replace(node_kinds=nodes, edge_kinds=edges) for graph, nodes, edges in kinds])
        return joint

    def _lay_out(self, graphs: Sequence[EncodedGraph]) -> None:
        self.encoded, self.k, self.sizes = graphs, len(graphs), tuple(graph.num_nodes for graph in graphs)
        self.offsets: Ints = np.cumsum([0, *self.sizes])
        degrees = [np.diff(graph.starts) for graph in graphs]
        self.starts: Ints = np.concatenate([np.zeros(1, np.int64), *degrees]).cumsum()
        self.neighbours, self.edge_kinds = (
            np.concatenate(parts).astype(np.int64)
            for parts in zip(*((graph.neighbours, graph.edge_kinds) for graph in graphs), strict=True)
        )
        self.kinds: list[Ints] = [graph.node_kinds.astype(np.int64) for graph in graphs]
        self._pairs: dict[tuple[int, int], Bools] = {}

    def mask(self, rows: Sequence[Ints]) -> Bools:
        """Boolean block over the Cartesian product of ``rows``: which tuples agree, every two of their nodes."""
        mask: Bools = np.ones((1,) * self.k, dtype=np.bool_)
        kinds = [kind[r] for kind, r in zip(self.kinds, rows, strict=True)]
        for r in range(1, self.k):
            mask = mask & _along(kinds[0][:, None] == kinds[r][None, :], 0, r, self.k)
        for (q, r), pair in self._pairs.items():
            mask = mask & _along(pair[np.ix_(rows[q], rows[r])], q, r, self.k)
        return mask

    def agree(self, q: int, r: int) -> Bools:
        """Which nodes of graph ``q`` agree with which of graph ``r``, ``[num_nodes_q, num_nodes_r]``."""
        agrees: Bools = self.kinds[q][:, None] == self.kinds[r][None, :]
        if (min(q, r), max(q, r)) in self._pairs:
            pair = self._pairs[min(q, r), max(q, r)]
            agrees = agrees & (pair if q < r else pair.T)
        return agrees

    def fits(self, choices: Ints, axis: int, among: Iterable[int] | None = None) -> Bools:
        """Which nodes of graph ``axis`` agree with each tuple's nodes of the other graphs, or of those ``among``.

        Args:
            choices: ``[num_tuples, k]``; the nodes of one tuple agree with each other.
            axis: The graph.
            among: Graphs that count; all but ``axis`` by default.

        Returns:
            ``[num_tuples, num_nodes]``.
        """
        others = [q for q in (range(self.k) if among is None else among) if q != axis]
        fits: Bools = np.ones((len(choices), self.sizes[axis]), dtype=np.bool_)
        if others:
            fits = self.kinds[others[0]][choices[:, others[0]], None] == self.kinds[axis][None, :]
        for q in others:
            pair = self._pairs.get((min(q, axis), max(q, axis)))
            if pair is not None:
                fits = fits & (pair if q < axis else pair.T)[choices[:, q]]
        return fits

    def agrees(self, choices: Ints) -> Bools:
        """Which tuples agree, every two of their nodes; ``choices`` is ``[num_tuples, k]``."""
        kinds = np.stack([kind[nodes] for kind, nodes in zip(self.kinds, choices.T, strict=True)], axis=1)
        agrees: Bools = (kinds == kinds[:, :1]).all(axis=1)
        for (q, r), pair in self._pairs.items():
            agrees = agrees & pair[choices[:, q], choices[:, r]]
        return agrees

    def split(self, rows: Sequence[Ints]) -> list[list[Ints]]:
        """Cut a block into smaller ones outside of which no tuple agrees."""
        shared = set(self.kinds[0][rows[0]].tolist())
        for kind, r in zip(self.kinds[1:], rows[1:], strict=True):
            shared &= set(kind[r].tolist())
        return [[r[k[r] == value] for k, r in zip(self.kinds, rows, strict=True)] for value in sorted(shared)]

    def around(self, q: int, node: int) -> tuple[Ints, Ints]:
        """Neighbours of a node of graph ``q``, and the kinds of the edges to them."""
        number = self.offsets[q] + node
        window = slice(self.starts[number], self.starts[number + 1])
        return self.neighbours[window], self.edge_kinds[window]

    def step_kinds(self) -> Ints:
        """The kind of each edge told further apart by the kind of the node that it leads to."""
        kinds = np.concatenate(self.kinds)
        targets = self.neighbours + np.repeat(self.offsets[:-1], np.diff(self.starts[self.offsets]))
        steps: Ints = self.edge_kinds * (kinds.max() + 1) + kinds[targets]
        return steps

    def edges(self, q: int) -> tuple[Ints, Ints, Ints]:
        """Both ends, the lower first, and the kind of each edge of graph ``q``."""
        first, last = self.offsets[q], self.offsets[q + 1]
        window = slice(self.starts[first], self.starts[last])
        source = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        target = self.neighbours[window]
        once = source < target
        return source[once], target[once], self.edge_kinds[window][once]


def _without_gaps(kinds: Sequence[Kinds]) -> list[Kinds]:
    """The kinds of each graph as numbers from 0 on, in the same order."""
    joined = np.concatenate(kinds)
    lowest, highest = joined.min(initial=0), joined.max(initial=0)
    if lowest < 0 or highest >= joined.size:
        joined = np.unique(joined, return_inverse=True)[1].astype(np.int32)
    return np.split(joined, np.cumsum([part.size for part in kinds])[:-1])


def _as_matrix(x: Tensor) -> NDArray[Any]:
    plain = x.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1)


def _pairwise(a: NDArray[Any], b: NDArray[Any], rule: float | Callable[[Tensor, Tensor], bool]) -> Bools:
    if callable(rule):
        left, right = torch.from_numpy(a), torch.from_numpy(b)
        return np.array([[bool(rule(row, other)) for other in right] for row in left])
    a, b = a.astype(np.float64), b.astype(np.float64)  # whole numbers without a sign would wrap around
    largest = np.zeros((a.shape[0], b.shape[0]))
    for column in range(a.shape[1]):
        np.maximum(largest, np.abs(a[:, None, column] - b[None, :, column]), out=largest)
    return largest <= rule


def _along(pair: Bools, q: int, r: int, k: int) -> Bools:
    shape = [1] * k
    shape[q], shape[r] = pair.shape
    return pair.reshape(shape)
