"""Graphs as whole numbers, as the compiled searches read them: kinds of nodes, neighbours, kinds of edges."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Ints, Kinds
from protograph.graphs.conditions import EdgeRule, MatchEdges, MatchNodes, NodeRule, as_node_rule, as_rule
from protograph.graphs.dataset import BLOCK, CollatedGraphs, GraphStore, Rows, check_ends, collate

# Most nodes that the search of one graph for a pattern places; see :mod:`protograph.patterns`.
MAX_CALLS = 1_000_000
# What messages call a graph, by its place.
NameOf = Callable[[int], str]


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
        graphs: The graphs, gone through once.
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
        graphs: Iterable[Data] | GraphStore,
        *,
        match_features: MatchNodes = True,
        match_edges: MatchEdges = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self.node_rule, self.edge_rule = as_node_rule(match_features), as_rule(match_edges)
        self.match_features = self.node_rule is not None
        self._nodes, self._edges = RowKinds("x", self.node_rule), RowKinds("edge_attr", self.edge_rule)
        own = graphs[:] if isinstance(graphs, GraphStore) else list(graphs)
        name_of = "graph {}".format if names is None else names.__getitem__
        self._fill(self._encoded(own, name_of))

    def _fill(self, encoded: "_Encoded") -> None:
        sizes, degrees, self.node_kinds, self.neighbours, self.edge_kinds = encoded
        self.nodes: Ints = np.append(0, sizes.cumsum())
        self.starts: Ints = np.append(0, degrees.cumsum())

    def __len__(self) -> int:
        return self.nodes.size - 1

    def __getitem__(self, index: int) -> EncodedGraph:
        """One graph; its arrays are views, with ``starts`` counted from its own first neighbour."""
        if not 0 <= index < len(self):
            raise IndexError(f"index must lie in [0, {len(self)}), got {index}")
        first, last = self.nodes[index], self.nodes[index + 1]
        own = self.starts[first : last + 1]
        inside = slice(own[0], own[-1])
        return EncodedGraph(self.node_kinds[first:last], own - own[0], self.neighbours[inside], self.edge_kinds[inside])

    @cached_property
    def kind_counts(self) -> Ints:
        """How many nodes there are of each kind."""
        return np.bincount(self.node_kinds, minlength=len(self._nodes))

    def part(self, indices: Ints) -> "EncodedGraphs":
        """Some of the graphs, numbered from 0 in their order, with the same kinds."""
        some = copy(self)
        sizes = self.nodes[indices + 1] - self.nodes[indices]
        old = ranges(self.nodes[indices], sizes)
        degrees = self.starts[old + 1] - self.starts[old]
        entries = ranges(self.starts[old], degrees)
        some._fill(_Encoded(sizes, degrees, self.node_kinds[old], self.neighbours[entries], self.edge_kinds[entries]))
        some.__dict__["kind_counts"] = self.kind_counts  # of all graphs: by these the engine goes
        return some

    def encode(self, pattern: Data) -> EncodedGraph:
        """A pattern with the same kinds; those that no graph has are below 0."""
        alone = copy(self)
        alone._fill(self._block([pattern], lambda place: "the prototype", is_pattern=True))
        return alone[0]

    def without_kinds(self) -> "EncodedGraphs":
        """The same graphs with all nodes of one kind."""
        plain = copy(self)
        plain.node_rule, plain.match_features, plain._nodes = None, False, RowKinds("x")
        plain.node_kinds = np.zeros_like(self.node_kinds)
        plain.__dict__.pop("kind_counts", None)
        return plain

    def _encoded(self, graphs: Sequence[Data], name_of: NameOf) -> "_Encoded":
        """Graphs to be searched: block by block, since it takes much room on the way, then numbered by content."""
        parts = []
        for first in range(0, len(graphs), BLOCK):
            names = [name_of(place) for place in range(first, min(first + BLOCK, len(graphs)))]
            parts.append(self._block(graphs[first : first + BLOCK], names.__getitem__))
        joined = _Encoded(*map(np.concatenate, zip(_NOTHING, *parts, strict=True)))
        return joined._replace(
            node_kinds=self._nodes.by_content(joined.node_kinds), edge_kinds=self._edges.by_content(joined.edge_kinds)
        )

    def _block(self, graphs: Sequence[Data], name_of: NameOf, *, is_pattern: bool = False) -> "_Encoded":
        for place, graph in enumerate(() if isinstance(graphs, CollatedGraphs) else graphs):
            if not isinstance(graph, Data):
                raise TypeError(
                    f"{name_of(place)} must be a torch_geometric.data.Data, got {type(graph).__name__}; "
                    f"of a prototype, pass its graph"
                )
        block = collate(graphs)
        check_ends(block, name_of)
        sizes, counts = block.sizes, block.counts
        edges = block.edges + np.repeat(sizes.cumsum() - sizes, counts)
        kinds, edge_kinds = np.zeros(int(sizes.sum()), np.int32), np.zeros(int(counts.sum()), np.int32)
        if self.match_features and (x := self._nodes.rows(block, sizes, name_of)) is not None:
            kinds = self._nodes.kinds(x, is_pattern=is_pattern)
        if self.edge_rule.is_matched and (edge_attr := self._edges.rows(block, counts, name_of)) is not None:
            edge_kinds = self._edges.kinds(edge_attr, is_pattern=is_pattern, both_ways=_both_ways(edges))
        return _Encoded(sizes, *_compressed(kinds, edges, edge_kinds, sizes))


class _Encoded(NamedTuple):
    """Graphs end to end: sizes of the graphs, degree and kind of each node, its neighbours and their edges' kinds."""

    sizes: Ints
    degrees: Ints
    node_kinds: Kinds
    neighbours: Kinds
    edge_kinds: Kinds


_NO_INTS, _NO_KINDS = np.zeros(0, np.int64), np.zeros(0, np.int32)
_NOTHING = _Encoded(_NO_INTS, _NO_INTS, _NO_KINDS, _NO_KINDS, _NO_KINDS)


def ranges(first: Ints, sizes: Ints) -> Ints:
    """The numbers from each first one on, so many each, end to end."""
    return np.arange(int(sizes.sum())) + np.repeat(first - (sizes.cumsum() - sizes), sizes)


def _both_ways(edges: Ints) -> tuple[Ints, Ints]:
    """For each edge the first with its two ends in the same direction, and the first back; itself where there is none.

    Nodes are numbered over all graphs.
    """
    size = int(edges.max(initial=0)) + 1
    codes, reverses = edges[0] * size + edges[1], edges[1] * size + edges[0]
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
    keys, first = np.unique(keys, return_index=True)
    source, target = keys // total, keys % total
    return (
        np.bincount(source, minlength=kinds.size),
        kinds,
        (target - np.repeat(offsets, sizes)[target]).astype(np.int32),
        np.concatenate([edge_kinds, edge_kinds])[first],
    )


class RowKinds:
    """Numbers the distinct rows of ``x`` or ``edge_attr``: as they come, then in the order of their content."""

    def __init__(self, key: str, rule: EdgeRule | NodeRule | None = None) -> None:
        self._key, self._rule = key, rule or EdgeRule()
        self._first = ("", 0)  # name of the first graph with rows, and how many columns it has; -1 for none
        self._number_of: dict[bytes, int] = {}

    def __len__(self) -> int:
        return max(len(self._number_of), 1)

    def rows(self, graphs: CollatedGraphs, counts: Ints, name_of: NameOf) -> NDArray[Any] | None:
        """The rows of graphs; ``None`` where there are none.

        Raises:
            ValueError: If a graph has other rows than its nodes or edges are, or rows of another width than others.
        """
        some = np.flatnonzero(counts).tolist()
        column = graphs.columns.get(self._key)
        is_whole = isinstance(column, Rows) and column.dim == 0 and np.array_equal(np.diff(column.starts), counts)
        if is_whole:
            some = some[:1]
        matrices = []
        for place in some:
            matrix = _matrix(graphs.tensor(self._key) if is_whole else graphs.value(self._key, place))
            width = -1 if matrix is None else matrix.shape[1]
            self._first = self._first if self._first[0] else (name_of(place), width)
            if width != self._first[1]:
                raise ValueError(
                    f"{self._key} must be alike in all graphs; {self._first[0]} has {_columns(self._first[1])}, "
                    f"{name_of(place)} has {_columns(width)}"
                )
            if matrix is not None:
                matrices.append(matrix)
                if not is_whole and len(matrix) != counts[place]:
                    raise ValueError(
                        f"{self._key} of {name_of(place)} must have {counts[place]} rows, got {len(matrix)}"
                    )
        return np.concatenate(matrices) if matrices else None

    def kinds(self, rows: NDArray[Any], *, is_pattern: bool, both_ways: tuple[Ints, Ints] | None = None) -> Kinds:
        """Number of each row, or of the two at ``both_ways``; new rows of a pattern get numbers below 0."""
        # -0.0 plus 0.0 has the bytes of 0.0.
        values = np.ascontiguousarray(self._rule.compared(rows.astype(np.float64)) + 0.0)
        width = values.shape[1] * values.itemsize
        keys: list[Any] = values.view(np.dtype((np.void, width))).ravel().tolist() if width else [b""] * len(values)
        ranks: dict[bytes, int] = {}
        place = np.array([ranks.setdefault(key, len(ranks)) for key in keys], np.int64)
        distinct = list(ranks)
        if both_ways is not None:
            there, back = place[both_ways[0]], place[both_ways[1]]
            pairs, place = np.unique(
                np.minimum(there, back) * len(distinct) + np.maximum(there, back), return_inverse=True
            )
            # Of one key twice that key, of two the lower before the higher.
            ends = [divmod(pair, len(distinct)) for pair in pairs.tolist()]
            distinct = [b"".join(sorted({distinct[rank] for rank in both})) for both in ends]
        if not is_pattern:
            for key in distinct:
                self._number_of.setdefault(key, len(self._number_of))
        new = {key: -1 - number for number, key in enumerate(sorted(set(distinct) - self._number_of.keys()))}
        number_of = self._number_of | new
        return np.array([number_of[key] for key in distinct], dtype=np.int32)[place]

    def by_content(self, kinds: Kinds) -> Kinds:
        """Kinds that were numbered as they came, numbered in the order of what they are."""
        old, self._number_of = self._number_of, {key: number for number, key in enumerate(sorted(self._number_of))}
        return np.array([self._number_of[key] for key in old], np.int32)[kinds] if old else kinds


def _matrix(values: Any) -> NDArray[Any] | None:
    if not isinstance(values, Tensor):
        return None
    plain = values.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1) if array.size else np.empty((array.shape[0] if array.ndim else 0, 0))


def _columns(width: int) -> str:
    return "none" if width < 0 else f"{width} columns"
