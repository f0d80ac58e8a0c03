"""Graphs as whole numbers, as the compiled searches read them: kinds of nodes, neighbours, kinds of edges."""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Ints, Kinds
from protograph._base.growing import ROWS_AT_ONCE, ROWS_GATHERED, GrowingArray, give_back
from protograph.graphs.cleaning import node_count
from protograph.graphs.edge_rule import MatchEdges, as_rule
from protograph.graphs.joining import JoinedGraphs, joined
from protograph.graphs.node_rule import MatchNodes, as_node_rule
from protograph.graphs.row_kinds import NameOf, RowKinds

# Most nodes that the search of one graph for a pattern places; see :mod:`protograph.patterns`.
MAX_CALLS = 1_000_000
# Graphs whose tensors are joined at a time: enough to be quick, few enough for wide features to fit in memory.
_CHUNK = 2048
# So few graphs are read one by one.
_FEW = 4
_LARGEST = np.iinfo(np.int64).max


class EncodedGraph(NamedTuple):
    """One graph: undirected, without self-loops and repeated edges.

    Attributes:
        node_kinds: Kind of each node; equal kinds mean equal rows of ``x``.
        starts: The neighbours of node ``i`` are ``neighbours[starts[i]:starts[i + 1]]``; ``[num_nodes + 1]``.
        neighbours: Ascending for each node.
        edge_kinds: Kind of the edge to each neighbour; all 0 where edges are not compared.
    """

    node_kinds: Kinds
    starts: Ints
    neighbours: Kinds
    edge_kinds: Kinds

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self.node_kinds.size)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return int(self.starts[-1] - self.starts[0]) // 2


class EncodedGraphs:
    """A data set encoded once, to be searched for many patterns.

    Nodes are of one kind where their rows of ``x`` are equal as numbers, or agree by a rule; without ``x`` all are.
    Kinds are numbered by content, so that neither the order of the graphs nor that of their nodes matters. Edges are
    undirected, whichever direction is there; of repeated ones with the same direction the first counts; self-loops are
    ignored. The kind of an edge that holds other attributes there than back is told by both, whichever is which.

    Args:
        graphs: The graphs, gone through once; some may be laid end to end already, as such.
        match_features: Whether nodes have kinds, or a rule for that; without, all are of one.
        match_edges: Whether edges have kinds too: equal rows of ``edge_attr``, or rows that agree by a rule.
        names: What messages call the graphs, where they are not a data set.

    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> encoded = EncodedGraphs([path, path])
    >>> len(encoded), encoded[1].neighbours.tolist()
    (2, [1, 0, 2, 1])
    """

    def __init__(
        self,
        graphs: Iterable[Data | JoinedGraphs],
        *,
        match_features: MatchNodes = True,
        match_edges: MatchEdges = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self.node_rule, self.edge_rule = as_node_rule(match_features), as_rule(match_edges)
        self.match_features = self.node_rule is not None
        self._names = names
        self._nodes, self._edges = RowKinds("x", self.node_rule), RowKinds("edge_attr", self.edge_rule)
        nodes, starts = GrowingArray(np.int64), GrowingArray(np.int64)
        kinds, neighbours, edge_kinds = GrowingArray(np.int32), GrowingArray(np.int32), GrowingArray(np.int32)
        nodes.append([0])
        starts.append([0])
        for chunk in _chunks(graphs):
            sizes, degrees, *rows = self._encoded(chunk, len(nodes) - 1, is_pattern=False)
            nodes.append(len(kinds) + sizes.cumsum())
            starts.append(len(neighbours) + degrees.cumsum())
            for column, part in zip((kinds, neighbours, edge_kinds), rows, strict=True):
                column.append(part)
        self.nodes: Ints = nodes.finished()
        self.starts: Ints = starts.finished()
        self.neighbours: Kinds = neighbours.finished()
        self.node_kinds: Kinds = self._nodes.by_content(kinds.finished())
        self.edge_kinds: Kinds = self._edges.by_content(edge_kinds.finished())

    def __len__(self) -> int:
        return self.nodes.size - 1

    def __getitem__(self, index: int) -> EncodedGraph:
        """One graph; its arrays are views, with ``starts`` counted from its own first neighbour."""
        if not 0 <= index < len(self):
            raise IndexError(f"index must lie in [0, {len(self)}), got {index}")
        return _part(self.nodes, self.node_kinds, self.starts, self.neighbours, self.edge_kinds, index)

    @cached_property
    def kind_counts(self) -> Ints:
        """How many nodes there are of each kind."""
        counts = np.zeros(len(self._nodes), np.int64)
        for first in range(0, self.node_kinds.size, ROWS_AT_ONCE):
            counts += np.bincount(self.node_kinds[first : first + ROWS_AT_ONCE], minlength=counts.size)
            give_back(self.node_kinds)
        return counts

    def part(self, indices: Ints) -> "EncodedGraphs":
        """Some of the graphs, numbered from 0 in their order, with the same kinds; in memory."""
        some, parts = copy(self), [self._taken(indices[:0])]
        for first in range(0, indices.size, ROWS_GATHERED):
            parts.append(self._taken(indices[first : first + ROWS_GATHERED]))
            give_back(self.nodes, self.starts, self.node_kinds, self.neighbours, self.edge_kinds)
        sizes, degrees, *rows = map(np.concatenate, zip(*parts, strict=True))
        some.nodes, some.starts = (np.append(0, part.cumsum()) for part in (sizes, degrees))
        some.node_kinds, some.neighbours, some.edge_kinds = rows
        some.__dict__["kind_counts"] = self.kind_counts  # of all graphs: by these the engine goes
        return some

    def _taken(self, indices: Ints) -> tuple[Ints, Ints, Kinds, Kinds, Kinds]:
        """Nodes of some graphs, degrees and kinds of these, their neighbours and the kinds of the edges."""
        sizes = self.nodes[indices + 1] - self.nodes[indices]
        old = ranges(self.nodes[indices], sizes)
        degrees = self.starts[old + 1] - self.starts[old]
        entries = ranges(self.starts[old], degrees)
        return sizes, degrees, self.node_kinds[old], self.neighbours[entries], self.edge_kinds[entries]

    def encode(self, pattern: Data) -> EncodedGraph:
        """A pattern with the same kinds; those that no graph has are below 0."""
        return self.encode_all([pattern])[0]

    def encode_all(self, patterns: Sequence[Data]) -> list[EncodedGraph]:
        """Patterns, at least one, as :meth:`encode` gives them."""
        sizes, degrees, kinds, neighbours, edge_kinds = self._encoded(patterns, 0, is_pattern=True)
        nodes, starts = (np.concatenate([np.zeros(1, np.int64), part.cumsum()]) for part in (sizes, degrees))
        return [_part(nodes, kinds, starts, neighbours, edge_kinds, index) for index in range(len(patterns))]

    def _encoded(
        self, graphs: Sequence[Data] | JoinedGraphs, first: int, *, is_pattern: bool
    ) -> tuple[Ints, Ints, Kinds, Kinds, Kinds]:
        def name_of(place: int) -> str:
            if is_pattern:
                return "the prototype"
            return self._names[first + place] if self._names else f"graph {first + place}"

        flat = self._flat(graphs, name_of)
        _check_ends(flat, name_of)
        edges = flat.edges + np.repeat(flat.sizes.cumsum() - flat.sizes, flat.counts)
        kinds, edge_kinds = np.zeros(int(flat.sizes.sum()), np.int32), np.zeros(int(flat.counts.sum()), np.int32)
        if flat.x is not None:
            kinds = self._nodes.kinds(flat.x, is_pattern=is_pattern)
        if flat.edge_attr is not None:
            edge_kinds = self._edges.kinds(flat.edge_attr, is_pattern=is_pattern, both_ways=_both_ways(edges))
        return flat.sizes, *_compressed(kinds, edges, edge_kinds, flat.sizes)

    def _flat(self, graphs: Sequence[Data] | JoinedGraphs, name_of: NameOf) -> "_Flat":
        """The graphs end to end, with the rows that tell kinds."""
        has_kinds, has_edge_kinds = self.match_features, self.edge_rule.is_matched
        keys = ("x",) * has_kinds + ("edge_attr",) * has_edge_kinds
        if isinstance(graphs, JoinedGraphs):
            together = graphs
        else:
            several = joined(graphs, keys) if len(graphs) > _FEW else None
            if several is None:
                return self._flat_one_by_one(graphs, name_of)
            together = several
        sizes, counts, tensors = together.sizes, together.counts, together.tensors
        x = self._nodes.whole(tensors.get("x"), sizes, name_of) if has_kinds else None
        edge_attr = self._edges.whole(tensors.get("edge_attr"), counts, name_of) if has_edge_kinds else None
        return _Flat(sizes, counts, together.edges, x, edge_attr)

    def _flat_one_by_one(self, graphs: Sequence[Data], name_of: NameOf) -> "_Flat":
        for place, graph in enumerate(graphs):
            if not isinstance(graph, Data):
                raise TypeError(
                    f"{name_of(place)} must be a torch_geometric.data.Data, got {type(graph).__name__}; "
                    f"of a prototype, pass its graph"
                )
        sizes = np.array([node_count(graph) for graph in graphs], dtype=np.int64)
        pairs = [_edges(graph) for graph in graphs]
        counts = np.array([pair.shape[1] for pair in pairs], dtype=np.int64)
        x = self._nodes.joined([g.x for g in graphs], sizes, name_of) if self.match_features else None
        is_matched = self.edge_rule.is_matched
        edge_attr = self._edges.joined([g.edge_attr for g in graphs], counts, name_of) if is_matched else None
        return _Flat(sizes, counts, np.concatenate(pairs, axis=1), x, edge_attr)


def _part(nodes: Ints, kinds: Kinds, starts: Ints, neighbours: Kinds, edge_kinds: Kinds, index: int) -> EncodedGraph:
    """One of the graphs that lie end to end."""
    first, last = nodes[index], nodes[index + 1]
    own = starts[first : last + 1]
    inside = slice(own[0], own[-1])
    return EncodedGraph(kinds[first:last], own - own[0], neighbours[inside], edge_kinds[inside])


def ranges(first: Ints, sizes: Ints) -> Ints:
    """The numbers from each first one on, so many each, end to end."""
    return np.arange(int(sizes.sum())) + np.repeat(first - (sizes.cumsum() - sizes), sizes)


class _Flat(NamedTuple):
    """Graphs end to end: how many nodes and edges each has, its edges from its own node 0 on, rows that tell kinds."""

    sizes: Ints
    counts: Ints
    edges: Ints
    x: NDArray[Any] | None = None
    edge_attr: NDArray[Any] | None = None


def _chunks(graphs: Iterable[Data | JoinedGraphs]) -> Iterator[list[Data] | JoinedGraphs]:
    """Graphs in chunks to be laid end to end, and those that are already."""
    chunk: list[Data] = []
    for item in graphs:
        if isinstance(item, JoinedGraphs):
            if chunk:
                yield chunk
            chunk = []
            yield item
        else:
            chunk.append(item)
            if len(chunk) == _CHUNK:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


def _edges(graph: Data) -> Ints:
    edge_index = torch.empty(2, 0) if graph.edge_index is None else graph.edge_index.detach().cpu()
    edges: Ints = edge_index.numpy().astype(np.int64, copy=False).reshape(2, -1)
    return edges


def _check_ends(flat: _Flat, name_of: NameOf) -> None:
    sizes = np.repeat(flat.sizes, flat.counts)
    outside = (flat.edges < 0) | (flat.edges >= sizes)
    if outside.any():
        at = int(np.argmax(outside.any(axis=0)))
        graph = int(np.searchsorted(flat.counts.cumsum(), at, side="right"))
        raise ValueError(
            f"edge_index of {name_of(graph)} has the edge {flat.edges[0, at]} -> {flat.edges[1, at]}, "
            f"but it has {sizes[at]} nodes"
        )


def _both_ways(edges: Ints) -> tuple[Ints, Ints]:
    """For each edge the first with its two ends in the same direction, and the first back; itself where there is none.

    Nodes are numbered over all graphs.
    """
    size = int(edges.max(initial=0)) + 1
    codes, reverses = edges[0] * size + edges[1], edges[1] * size + edges[0]
    order, back_order = np.argsort(codes), np.argsort(reverses)
    ascending = codes[order]
    if (ascending[1:] > ascending[:-1]).all() and np.array_equal(ascending, reverses[back_order]):
        back = np.empty_like(order)
        back[order] = back_order
        return np.arange(codes.size), back
    distinct, first = np.unique(codes, return_index=True)
    there = first[np.searchsorted(distinct, codes)]
    place = np.searchsorted(distinct, reverses).clip(max=max(distinct.size - 1, 0))
    return there, np.where(distinct[place] == reverses, first[place], there)


def _compressed(kinds: Kinds, edges: Ints, edge_kinds: Kinds, sizes: Ints) -> tuple[Ints, Kinds, Kinds, Kinds]:
    """Degree and kind of each node, its neighbours and the edges' kinds, ascending; nodes are numbered by graph.

    All edges between two nodes are of one kind.
    """
    offsets, total = sizes.cumsum() - sizes, max(int(sizes.sum()), 1)
    is_edge = edges[0] != edges[1]
    if not is_edge.all():
        edges, edge_kinds = edges[:, is_edge], edge_kinds[is_edge]
    keys = np.concatenate([edges[0] * total + edges[1], edges[1] * total + edges[0]])
    lowest = int(edge_kinds.min(initial=0))
    num_kinds = int(edge_kinds.max(initial=0)) - lowest + 1
    if num_kinds > 1 and total * total > _LARGEST // num_kinds:
        keys, first = np.unique(keys, return_index=True)
        found = np.concatenate([edge_kinds, edge_kinds])[first]
    else:  # a key with the kind in it: sorting numbers is much quicker than finding the order of them
        keys = _ascending(keys * num_kinds + np.concatenate([edge_kinds, edge_kinds]) - lowest)
        found = (keys % num_kinds + lowest).astype(np.int32) if num_kinds > 1 else np.full(keys.size, lowest, np.int32)
        keys //= num_kinds
    source = keys // total
    target = keys - source * total
    return (
        np.bincount(source, minlength=kinds.size),
        kinds,
        (target - np.repeat(offsets, sizes)[target]).astype(np.int32),
        found,
    )


def _ascending(keys: Ints) -> Ints:
    """The different numbers."""
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])] if keys.size else keys
