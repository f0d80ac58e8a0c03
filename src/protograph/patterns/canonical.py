"""The canonical order of a graph's nodes: the same graph, however its nodes are numbered, is read in the same order.

Colour refinement tells nodes apart by what is around them. Those that it cannot tell apart are tried one after the
other as the first of their colour, and the order in which the graph reads lowest is taken; nodes that a symmetry of the
graph exchanges read the same, and one of them is enough (McKay's individualisation and refinement).
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Ints, Kinds
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.subgraph import reordered, roles_of
from protograph.graphs.validate import NUMBERS, node_count
from protograph.patterns.subgraph_isomorphism import are_twins, neighbours_of

# Nodes and edges that refinement may go through for one graph, over all its rounds; molecules need some thousands.
MAX_WORK = 2_000_000
# Choices between nodes one inside the other, which nothing but symmetry after symmetry asks for.
MAX_DEPTH = 200


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """A graph's nodes in canonical order.

    Attributes:
        nodes: The nodes, the first of the order first.
        is_canonical: Whether any numbering of the nodes gives the same; false where the search was given up.
    """

    nodes: Ints
    is_canonical: bool


def canonical_order(graph: EncodedGraph, max_work: int = MAX_WORK) -> CanonicalOrder:
    """Put a graph's nodes into canonical order; kinds must be numbered by content."""
    search = _Search(graph, max_work)
    kinds = graph.node_kinds
    best = search.lowest(search.refined(np.searchsorted(np.sort(kinds), kinds).astype(np.int64)))
    return CanonicalOrder(np.argsort(best), search.work >= 0)


class _Search:
    """The search of one graph's canonical order."""

    def __init__(self, graph: EncodedGraph, max_work: int) -> None:
        self._graph, self.work, self._edges = graph, max_work, neighbours_of(graph)
        self._owners = np.repeat(np.arange(graph.num_nodes), np.diff(graph.starts))

    def refined(self, colors: Ints) -> Ints:
        """Colours told apart by the colours around each node, until nothing changes or the work is used up."""
        graph, num_colors = self._graph, np.unique(colors).size
        while self.work >= 0 and num_colors < colors.size:
            self.work -= colors.size + graph.neighbours.size
            # The sum of scattered numbers tells multisets of neighbours apart; it may wrap around.
            mixed = _scattered(_scattered(colors)[graph.neighbours] + graph.edge_kinds.astype(np.uint64))
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])[graph.starts]
            around = sums[1:] - sums[:-1]
            order = np.lexsort((around, colors))
            differs = (np.diff(colors[order]) != 0) | (around[order][1:] != around[order][:-1])
            firsts = np.concatenate([[0], np.flatnonzero(differs) + 1])
            colors = np.empty_like(colors)
            colors[order] = firsts[np.concatenate([[0], np.cumsum(differs)])]
            if num_colors == (num_colors := 1 + int(differs.sum())):
                break
        return colors

    def text(self, colors: Ints) -> Ints:
        """The graph as it reads in an order: each edge once. The kinds of its nodes are in the same order in all."""
        ends = np.stack([colors[self._owners], colors[self._graph.neighbours], self._graph.edge_kinds])
        ends = ends[:, ends[0] > ends[1]]
        return ends[:, np.lexsort(ends[::-1])].T.reshape(-1)

    def lowest(self, colors: Ints, depth: int = 0) -> Ints:
        """The order, as colours, in which the graph reads lowest among those that keep to the given colours."""
        if depth > MAX_DEPTH:
            self.work = -1
        colors = self._without_twins(colors)
        cell = self._cell(colors)
        if cell is None:
            return colors
        branches = [self._before_others(colors, cell, node) for node in cell]
        best = self.lowest(branches[0], depth + 1)
        own, lowest = self.text(self._first_path(branches[0])), self.text(best).tolist()
        for branch in branches[1:]:
            if np.array_equal(self.text(self._first_path(branch)), own):
                continue  # a symmetry takes the first one here
            rival = self.lowest(branch, depth + 1)
            text = self.text(rival).tolist()
            if text < lowest:
                best, lowest = rival, text
        return best

    def _first_path(self, colors: Ints) -> Ints:
        """An order that keeps to the colours, taking the first node of each colour first."""
        colors = self._without_twins(colors)
        while (cell := self._cell(colors)) is not None:
            colors = self._without_twins(self._before_others(colors, cell, cell[0]))
        return colors

    def _without_twins(self, colors: Ints) -> Ints:
        """The colours with nodes that can be swapped, as the leaves of a star, in any order: it tells nothing else.

        Where the search is given up, all nodes of a colour are.
        """
        colors = colors.copy()
        counts = np.bincount(colors, minlength=colors.size)
        for color in np.flatnonzero(counts > 1).tolist():
            cell = np.flatnonzero(colors == color)
            if self.work < 0 or self._are_twins(cell[0], cell[1:]):
                colors[cell] = color + np.arange(cell.size)
        return colors

    @staticmethod
    def _cell(colors: Ints) -> Ints | None:
        """The nodes of the rarest colour that several have, the first of such colours."""
        counts = np.bincount(colors, minlength=colors.size)
        several = np.flatnonzero(counts > 1)
        return np.flatnonzero(colors == several[counts[several].argmin()]) if several.size else None

    def _before_others(self, colors: Ints, cell: Ints, node: int) -> Ints:
        """A node of a colour before its others, and what follows from that."""
        fresh = colors.copy()
        fresh[cell] += 1
        fresh[node] -= 1
        return self.refined(fresh)

    def _are_twins(self, first: int, others: Ints) -> bool:
        return all(are_twins(self._graph.node_kinds, self._edges, int(first), int(other)) for other in others)


def _scattered(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Each number's place in a fixed shuffle of all 64-bit numbers (SplitMix64), so that sums tell multisets apart."""
    mixed = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = mixed ^ (mixed >> np.uint64(31))
    return result


@dataclass(frozen=True, eq=False)
class CanonicalGraph:
    """A graph as the searches see it: its nodes and edges in canonical order.

    Attributes:
        graph: The graph in that order.
        nodes: Which node of the graph as it came each of its nodes is.
        key: The same for the same graph, whatever the numbers of its nodes: a fingerprint of all its tensors.
        order: Orders graphs by what they are, and copies of one graph by how their nodes came numbered.
        is_canonical: Whether any numbering of the nodes gives the same.
    """

    graph: Data
    nodes: Ints
    key: bytes
    order: bytes
    is_canonical: bool


def canonical_graph(graph: Data, max_work: int = MAX_WORK) -> CanonicalGraph:
    """Put a graph's nodes into canonical order by all that it knows of nodes and edges, and its edges after them.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 0, 2], [1, 0, 2, 0]]), num_nodes=3)
    >>> again = Data(edge_index=torch.tensor([[1, 2, 0, 2], [2, 1, 2, 0]]), num_nodes=3)
    >>> canonical_graph(path).key == canonical_graph(again).key
    True
    """
    order = canonical_order(_encoded(graph), max_work)
    part = reordered(graph, order.nodes)
    key = fingerprint(part)
    return CanonicalGraph(part, order.nodes, key, key + fingerprint(graph), order.is_canonical)


def _encoded(graph: Data) -> EncodedGraph:
    """The graph by all that it knows: of a node also its loops, of an edge all that it holds in both directions."""
    size, ends = node_count(graph), graph.edge_index.cpu().long()
    x, edge_attr = _joined(graph, "nodes", size), _joined(graph, "edges", ends.size(1))
    encoded = EncodedGraphs([Data(x=x, edge_index=ends, num_nodes=size)])[0]
    rows = [b""] * ends.size(1) if edge_attr is None else [(row + 0.0).tobytes() for row in edge_attr.numpy()]
    held: dict[tuple[int, int], tuple[bytes, ...]] = {}  # nothing at all where there is no edge, two of a repeated one
    for (u, v), row in zip(ends.T.tolist(), rows, strict=True):
        held[u, v] = (*held.get((u, v), ()), row)
    owners = np.repeat(np.arange(size), np.diff(encoded.starts)).tolist()
    pairs = zip(owners, encoded.neighbours.tolist(), strict=True)
    return encoded._replace(
        node_kinds=_numbered([(kind, held.get((u, u), ())) for u, kind in enumerate(encoded.node_kinds.tolist())]),
        edge_kinds=_numbered([(held.get((u, v), ()), held.get((v, u), ())) for u, v in pairs]),
    )


def _numbered(kinds: list[Any]) -> Kinds:
    """The place of each kind in the order of all of them."""
    number = {kind: place for place, kind in enumerate(sorted(set(kinds)))}
    return np.array([number[kind] for kind in kinds], dtype=np.int32)


def _joined(graph: Data, role: str, count: int) -> Tensor | None:
    """Tensors with a row a node or an edge, side by side."""
    if not count:  # the width of nothing is not known
        return None
    tensors = {key: graph[key].detach().cpu() for key, own in roles_of(graph).items() if own == role}
    rows = [value.movedim(graph.__cat_dim__(key, value), 0).reshape(count, -1) for key, value in tensors.items()]
    rows = [torch.view_as_real(row).flatten(1) if row.is_complex() else row for row in rows]
    return torch.cat([row.double() for row in rows], dim=1) if rows else None


def fingerprint(graph: Data) -> bytes:
    """What tells graphs apart by all their tensors, their names, types and shapes, wherever they stand in a data set.

    >>> one, same, other = Data(x=torch.ones(2, 1)), Data(x=torch.ones(2, 1)), Data(x=torch.ones(1, 2))
    >>> fingerprint(one) == fingerprint(same), fingerprint(one) == fingerprint(other)
    (True, False)
    """
    digest = hashlib.sha256()
    for key, value in sorted(graph.to_dict().items()):
        if not isinstance(value, Tensor):
            continue
        digest.update(f"{key} {value.dtype} {tuple(value.shape)}".encode())
        if value.is_meta:
            continue  # there is nothing in it
        plain = value.detach()
        plain = (plain if plain.layout == torch.strided else plain.to_dense()).cpu().contiguous()
        if plain.dtype in NUMBERS and plain.is_floating_point():
            plain = plain + 0.0  # so that -0.0 has the bytes of 0.0
        digest.update(plain.reshape(-1).view(torch.uint8).numpy().data)
    return digest.digest()
