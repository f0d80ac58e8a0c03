"""The canonical order of a graph's nodes: the same graph, however its nodes are numbered, is read in the same order.

Colour refinement tells nodes apart by what is around them. Those that it cannot tell apart are tried one after the
other as the first of their colour, and the order in which the graph reads lowest is taken; nodes that a symmetry of the
graph exchanges read the same, and one of them is enough (McKay's individualisation and refinement).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints, Kinds
from protograph.graphs.cleaning import edge_keys, node_count, node_keys
from protograph.graphs.cutting import reordered
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.fingerprint import fingerprint
from protograph.patterns.hashing import scattered
from protograph.patterns.subgraph_isomorphism import are_twins, neighbours_of

# Nodes and edges that refinement may go through for one graph, over all its rounds; molecules need some thousands.
MAX_WORK = 2_000_000
# Choices between nodes one inside the other, which nothing but symmetry after symmetry asks for.
MAX_DEPTH = 200
# What belongs to a graph but not to what it is.
_NOT_CONTENT = frozenset({"y", "num_nodes", "edge_index"})


@dataclass(frozen=True, eq=False)
class CanonicalOrder:
    """A graph's nodes in canonical order.

    Attributes:
        nodes: The nodes, the first of the order first.
        text: The graph as it reads in this order.
        is_canonical: Whether any numbering of the nodes gives the same; false where the search was given up.
    """

    nodes: Ints
    text: Ints
    is_canonical: bool


def canonical_order(graph: EncodedGraph, max_work: int = MAX_WORK) -> CanonicalOrder:
    """Put a graph's nodes into canonical order; kinds must be numbered by content."""
    return canonical_orders([graph], max_work)[0]


def canonical_orders(graphs: Sequence[EncodedGraph], max_work: int = MAX_WORK) -> list[CanonicalOrder]:
    """The canonical order of each graph; their colours are refined together, which takes as many steps as for one."""
    refined = _refined_together(graphs) if all(_worst(graph) <= max_work for graph in graphs) else None
    orders = []
    for number, graph in enumerate(graphs):
        if refined is None:
            search = _Search(graph, max_work)
            colors = search.refined(np.searchsorted(np.sort(graph.node_kinds), graph.node_kinds).astype(np.int64))
        else:
            colors, num_rounds = refined[number]
            search = _Search(graph, max_work - num_rounds * (graph.num_nodes + graph.neighbours.size))
        best = search.lowest(colors)
        orders.append(CanonicalOrder(np.argsort(best), search.text(best), search.work >= 0))
    return orders


def _worst(graph: EncodedGraph) -> int:
    """The most that refining its colours may take."""
    return int(graph.num_nodes * (graph.num_nodes + graph.neighbours.size))


def _refined_together(graphs: Sequence[EncodedGraph]) -> list[tuple[Ints, int]]:
    """What :meth:`_Search.refined` makes of the kinds of each graph, and in how many rounds.

    Further rounds change no colours that are stable, so all graphs have as many as the last of them needs.
    """
    sizes = np.array([graph.num_nodes for graph in graphs])
    offsets = sizes.cumsum() - sizes
    owners, before = np.repeat(np.arange(len(graphs)), sizes), np.repeat(offsets, sizes)
    neighbours = np.concatenate([graph.neighbours + first for graph, first in zip(graphs, offsets, strict=True)])
    edge_kinds = np.concatenate([graph.edge_kinds for graph in graphs]).astype(np.uint64)
    starts = np.concatenate([[0], *(np.diff(graph.starts) for graph in graphs)]).cumsum()
    # Colours are places in the order of all nodes; within a graph, those less the number of nodes before it.
    colors, numbers = _ranked(owners, np.concatenate([graph.node_kinds for graph in graphs]), offsets)
    is_open, num_rounds = numbers < sizes, np.zeros(len(graphs), np.int64)
    while is_open.any():
        num_rounds += is_open
        mixed = scattered(scattered(colors - before)[neighbours] + edge_kinds)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])[starts]
        colors, fresh = _ranked(colors, sums[1:] - sums[:-1], offsets)
        is_open &= (fresh != numbers) & (fresh < sizes)
        numbers = fresh
    own = np.split(colors - before, offsets[1:])
    return list(zip(own, num_rounds.tolist(), strict=True))


def _ranked(colors: Ints, told_by: NDArray[Any], offsets: Ints) -> tuple[Ints, Ints]:
    """Colours told further apart: of each the first place in the order of all; and how many each graph has."""
    order = np.lexsort((told_by, colors))
    own, told = colors[order], told_by[order]
    is_first = np.append(True, (own[1:] != own[:-1]) | (told[1:] != told[:-1]))
    firsts = np.flatnonzero(is_first)
    ranked = np.empty(order.size, np.int64)
    ranked[order] = firsts[is_first.cumsum() - 1]
    return ranked, np.add.reduceat(is_first.astype(np.int64), offsets)


class _Search:
    """The search of one graph's canonical order."""

    def __init__(self, graph: EncodedGraph, max_work: int) -> None:
        self._graph, self.work = graph, max_work
        self._owners = np.repeat(np.arange(graph.num_nodes), np.diff(graph.starts))

    @cached_property
    def _edges(self) -> list[dict[int, int]]:
        return neighbours_of(self._graph)

    def refined(self, colors: Ints) -> Ints:
        """Colours told apart by the colours around each node, until nothing changes or the work is used up."""
        graph, num_colors = self._graph, np.unique(colors).size
        while self.work >= 0 and num_colors < colors.size:
            self.work -= colors.size + graph.neighbours.size
            # The sum of scattered numbers tells multisets of neighbours apart; it may wrap around.
            mixed = scattered(scattered(colors)[graph.neighbours] + graph.edge_kinds.astype(np.uint64))
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
        """The graph as it reads in an order: the kinds of its nodes, then each edge once."""
        ends = np.stack([colors[self._owners], colors[self._graph.neighbours], self._graph.edge_kinds])
        ends = ends[:, ends[0] > ends[1]]
        kinds = self._graph.node_kinds[np.argsort(colors)]
        return np.concatenate([kinds, ends[:, np.lexsort(ends[::-1])].T.reshape(-1)])

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
    return canonical_graphs([graph], max_work)[0]


def canonical_graphs(graphs: Sequence[Data], max_work: int = MAX_WORK) -> list[CanonicalGraph]:
    """As :func:`canonical_graph` of each of the graphs, and much quicker."""
    orders = canonical_orders([_encoded(graph) for graph in graphs], max_work)
    parts = [reordered(graph, order.nodes) for graph, order in zip(graphs, orders, strict=True)]
    contents = map(fingerprint, parts)
    return [
        CanonicalGraph(part, order.nodes, content, content + fingerprint(graph), order.is_canonical)
        for graph, order, part, content in zip(graphs, orders, parts, contents, strict=True)
    ]


class CanonicalGraphs:
    """The graphs of a data set in canonical order, by their indices; each is made once.

    Args:
        graphs: Gives graphs by their indices.
    """

    def __init__(self, graphs: Callable[[Sequence[int]], list[Data]]) -> None:
        self._graphs = graphs
        self._made: dict[int, CanonicalGraph] = {}

    def take(self, indices: Sequence[int]) -> list[CanonicalGraph]:
        """The graphs at these indices."""
        fresh = [index for index in dict.fromkeys(indices) if index not in self._made]
        if fresh:
            self._made.update(zip(fresh, canonical_graphs(self._graphs(fresh)), strict=True))
        return [self._made[index] for index in indices]


def _encoded(graph: Data) -> EncodedGraph:
    """The graph by all that it knows: of a node also its loop, of an edge what it holds in both directions."""
    of_nodes = [key for key in node_keys(graph) if key not in _NOT_CONTENT]
    of_edges = [key for key in edge_keys(graph) if key not in _NOT_CONTENT]
    edge_index, size = graph.edge_index.cpu().long(), node_count(graph)
    x, edge_attr = _joined(graph, of_nodes, size), _joined(graph, of_edges, edge_index.size(1))
    loops = edge_index[0] == edge_index[1]
    if bool(loops.any()):
        held = torch.ones(int(loops.sum()), 1) if edge_attr is None else edge_attr[loops]
        own = torch.zeros(size, 1 + held.size(1), dtype=torch.double)
        own[edge_index[0, loops]] = torch.cat([torch.ones(held.size(0), 1), held], dim=1).double()
        x = own if x is None else torch.cat([x, own], dim=1)
    rows = [None if held is None else held.numpy() for held in (x, edge_attr)]
    if (simple := _undirected(rows[0], edge_index.numpy(), rows[1], size)) is not None:
        return simple
    content = Data(x=x, edge_index=edge_index, edge_attr=edge_attr, num_nodes=size)
    encoded = EncodedGraphs([content], match_edges=edge_attr is not None)[0]
    return _by_direction(encoded, edge_index.numpy(), None if edge_attr is None else edge_attr.numpy())


def _undirected(x: Floats | None, edges: Ints, held: Floats | None, size: int) -> EncodedGraph | None:
    """The graph if its edges go both ways, each once, and hold the same there and back, which is quick to encode."""
    order = np.argsort(edges[0] * size + edges[1])
    sources, targets = edges[:, order]
    back = np.lexsort((sources, targets))
    if not np.array_equal(sources[back], targets) or not np.array_equal(targets[back], sources):
        return None
    if (sources == targets).any() or ((np.diff(sources) == 0) & (np.diff(targets) == 0)).any():
        return None
    edge_kinds = _kinds(None if held is None else held[order], targets.size)
    if not np.array_equal(edge_kinds, edge_kinds[back]):
        return None
    starts = np.searchsorted(sources, np.arange(size + 1)).astype(np.int64)
    return EncodedGraph(_kinds(x, size), starts, targets.astype(np.int32), edge_kinds)


def _kinds(rows: Floats | None, count: int) -> Kinds:
    """Number of each row among the different ones, by content."""
    if rows is None:
        return np.zeros(count, np.int32)
    content, width = (rows + 0.0).tobytes(), rows.shape[1] * rows.itemsize  # -0.0 has the bytes of 0.0
    keys = [content[at : at + width] for at in range(0, count * width, width)] if width else [b""] * count
    number = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int32)


def _by_direction(graph: EncodedGraph, edges: Ints, rows: Floats | None) -> EncodedGraph:
    """The graph as it is if its edges hold the same there and back; else their kinds are told by both directions."""
    keys, reverses = edges[0] * graph.num_nodes + edges[1], edges[1] * graph.num_nodes + edges[0]
    order = np.argsort(keys)
    back = order[np.searchsorted(keys, reverses, sorter=order).clip(max=keys.size - 1)]
    if np.array_equal(keys[back], reverses) and (rows is None or np.array_equal(rows, rows[back])):
        return graph
    held = [b""] * keys.size if rows is None else [(row + 0.0).tobytes() for row in rows]
    known = dict(zip(keys.tolist(), held, strict=True))
    owners = np.repeat(np.arange(graph.num_nodes), np.diff(graph.starts))
    ends = owners, graph.neighbours.astype(np.int64)
    ways = zip(ends[0] * graph.num_nodes + ends[1], ends[1] * graph.num_nodes + ends[0], strict=True)
    # Nothing at all where an edge goes one way only.
    both = [tuple((known[way],) if way in known else () for way in pair) for pair in ways]
    number = {kind: n for n, kind in enumerate(sorted(set(both)))}
    return graph._replace(edge_kinds=np.array([number[kind] for kind in both], dtype=np.int32))


def _joined(graph: Data, keys: list[str], count: int) -> Tensor | None:
    """Tensors with a row a node or an edge, side by side."""
    if not count:  # the width of nothing is not known
        return None
    rows = [graph[key].detach().cpu().reshape(count, -1) for key in keys]
    rows = [torch.view_as_real(row).flatten(1) if row.is_complex() else row for row in rows]
    return torch.cat([row.double() for row in rows], dim=1) if rows else None
