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

from protograph._utils.arrays import Floats, Ints, Kinds
from protograph.graphs.conditions import Match, Reading, as_reading
from protograph.graphs.dataset import BLOCK, CollatedGraphs, GraphStore, Rows, check_ends, collate
from protograph.graphs.variables import DIRECTION

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

    Nodes are of one kind where their rows of ``x`` are equal as numbers, or their codes by a reading; without ``x`` all
    are. Kinds are numbered by content, so that neither the order of the graphs nor that of their nodes matters. Edges
    are undirected, whichever direction is there; of repeated ones with the same direction the first counts; self-loops
    are ignored. The kind of an edge that holds other attributes there than back is told by both, whichever is which.
    Where a reading has the direction, an edge is of another kind as seen from its other end.

    Args:
        graphs: The graphs, gone through once.
        match_features: Whether nodes have kinds, or a reading for that; without, all are of one.
        match_edges: Whether edges have kinds too: equal rows of ``edge_attr``, or codes that are equal by a reading.
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
        match_features: Match = True,
        match_edges: Match = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self.node_rule, self.edge_rule = as_reading(match_features, "x"), as_reading(match_edges, "edge_attr")
        self._nodes, self._edges = RowKinds(self.node_rule), RowKinds(self.edge_rule)
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

    @property
    def num_kinds(self) -> int:
        """How many kinds of nodes there are."""
        return len(self._nodes)

    @property
    def num_edge_kinds(self) -> int:
        """How many kinds of edges there are."""
        return len(self._edges)

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

    def read_by(self, reading: Reading) -> "EncodedGraphs":
        """The same graphs with kinds of nodes that fewer variables tell apart."""
        other = copy(self)
        other.node_rule, other._nodes = reading, RowKinds(reading)
        names = [variable.name for variable in self.node_rule.variables]
        codes = self.node_table[:, [names.index(variable.name) for variable in reading.variables]]
        kinds = other._nodes.kinds(codes, is_pattern=False) if codes.size else np.zeros(len(codes), np.int32)
        other.node_kinds = other._nodes.by_content(kinds)[self.node_kinds] if len(kinds) else self.node_kinds
        other.__dict__.pop("kind_counts", None)
        other.__dict__.pop("node_table", None)
        return other

    @cached_property
    def node_table(self) -> Floats:
        """What each kind of node is: its codes, ``[num_kinds, num_variables]``."""
        return np.array([rows[0] for rows in self._nodes.told()])

    @cached_property
    def edge_table(self) -> list[Floats]:
        """What each kind of edge is: its codes, in two rows where they differ there and back."""
        return self._edges.told()

    @cached_property
    def reversed_edges(self) -> Kinds:
        """The kind of each kind of edge as seen from its other end."""
        return self._edges.reversed()

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
        codes = self._nodes.codes(block, sizes, name_of)
        kinds = (
            np.zeros(int(sizes.sum()), np.int32) if codes is None else self._nodes.kinds(codes, is_pattern=is_pattern)
        )
        entries = _entries(edges, sizes)
        edge_kinds = np.zeros(entries.there.size, np.int32)
        if not self.edge_rule.is_empty:
            codes = self._edges.codes(block, counts, name_of)
            edge_kinds = self._edges.kinds_of_edges(codes, entries, is_pattern=is_pattern)
        return _Encoded(sizes, entries.degrees, kinds, entries.neighbours, edge_kinds)


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


class _Entries(NamedTuple):
    """The neighbours of all nodes, ascending for each.

    Attributes:
        degrees: How many neighbours each node has.
        neighbours: Their numbers in their own graph.
        there: For each neighbour the first edge to it, or where there is none the first from it.
        back: The first edge from it, or where there is none the first to it.
        ways: 1 where edges only go to it, -1 where they only come from it, 0 where both.
    """

    degrees: Ints
    neighbours: Kinds
    there: Ints
    back: Ints
    ways: Kinds


def _entries(edges: Ints, sizes: Ints) -> _Entries:
    """What is next to each node; nodes are numbered over all graphs."""
    offsets, total = sizes.cumsum() - sizes, max(int(sizes.sum()), 1)
    places = np.flatnonzero(edges[0] != edges[1])
    source, target = edges[:, places]
    forth, back = source * total + target, target * total + source
    keys, first = np.unique(np.concatenate([forth, back]), return_index=True)
    from_node, to_node = keys // total, keys % total
    # Of all that joins two nodes what goes there comes first; what only comes back is there from the other side.
    is_there = first < forth.size
    there = np.where(is_there, places[first % max(forth.size, 1)], -1)
    opposite = np.searchsorted(keys, to_node * total + from_node)
    behind = there[opposite] if keys.size else there
    return _Entries(
        np.bincount(from_node, minlength=int(sizes.sum())),
        (to_node - np.repeat(offsets, sizes)[to_node]).astype(np.int32),
        np.where(there >= 0, there, behind),
        np.where(behind >= 0, behind, there),
        (there >= 0).astype(np.int32) - (behind >= 0),
    )


class RowKinds:
    """Numbers what nodes or edges are by a reading: as they come, then in the order of their content."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._first: dict[str, tuple[str, int]] = {}  # the first graph with rows, and how many columns; -1 for none
        # What a kind is: the codes of a node, or the one or two different ones of an edge; then the way it goes.
        self._number_of: dict[tuple[bytes, ...], int] = {}
        self._has_ways = any(variable.kind == DIRECTION for variable in reading.variables)

    def __len__(self) -> int:
        return max(len(self._number_of), 1)

    def codes(self, graphs: CollatedGraphs, counts: Ints, name_of: NameOf) -> Floats | None:
        """What the rows of graphs are told apart by; ``None`` where there are none.

        Raises:
            ValueError: If a graph has other rows than its nodes or edges are, or rows of another width than others.
        """
        keys = self._reading.keys
        found = {key: rows for key in keys if (rows := self._rows(key, graphs, counts, name_of)) is not None}
        if len(found) < len(keys) and (found or not self._reading.rows) and counts.any():
            raise ValueError(
                f"graphs must have {next(key for key in keys if key not in found)}, which patterns ask for, got none"
            )
        for variable in self._reading.variables:
            if variable.key in found and max(variable.places) >= (width := found[variable.key].shape[1]):
                raise ValueError(
                    f"{variable.key} must have {variable.name}, which patterns ask for, in column "
                    f"{max(variable.places)}, got {_columns(width)}"
                )
        return self._reading.codes(found) if found else None

    def _rows(self, key: str, graphs: CollatedGraphs, counts: Ints, name_of: NameOf) -> Floats | None:
        """The rows of an attribute."""
        some = np.flatnonzero(counts).tolist()
        column = graphs.columns.get(key)
        is_whole = isinstance(column, Rows) and column.dim == 0 and np.array_equal(np.diff(column.starts), counts)
        if is_whole:
            some = some[:1]
        matrices = []
        for place in some:
            matrix = _matrix(graphs.tensor(key) if is_whole else graphs.value(key, place))
            width = -1 if matrix is None else matrix.shape[1]
            first, expected = self._first.setdefault(key, (name_of(place), width))
            if width != expected:
                raise ValueError(
                    f"{key} must be alike in all graphs; {first} has {_columns(expected)}, "
                    f"{name_of(place)} has {_columns(width)}"
                )
            if matrix is not None:
                matrices.append(matrix)
                if not is_whole and len(matrix) != counts[place]:
                    raise ValueError(f"{key} of {name_of(place)} must have {counts[place]} rows, got {len(matrix)}")
        return np.concatenate(matrices).astype(np.float64) if matrices else None

    def kinds(self, codes: Floats, *, is_pattern: bool) -> Kinds:
        """Number of each row; new rows of a pattern get numbers below 0."""
        distinct, place = _distinct(codes)
        return self._numbered([(one,) for one in distinct], is_pattern=is_pattern)[place]

    def kinds_of_edges(self, codes: Floats | None, entries: _Entries, *, is_pattern: bool) -> Kinds:
        """Number of what each neighbour is joined by."""
        distinct, place = [b""], np.zeros(max(int(entries.there.max(initial=0)), 0) + 1, np.int64)
        if codes is not None:
            distinct, place = _distinct(codes)
        there, back = place[entries.there], place[entries.back]
        ways = entries.ways if self._has_ways else np.zeros_like(entries.ways)
        keys = (np.minimum(there, back) * len(distinct) + np.maximum(there, back)) * 3 + ways + 1
        keys, at = np.unique(keys, return_inverse=True)
        kinds = []
        for key in keys.tolist():
            both = {distinct[rank] for rank in divmod(key // 3, len(distinct))}
            kinds.append((*sorted(both), *((np.float64(key % 3 - 1).tobytes(),) if self._has_ways else ())))
        return self._numbered(kinds, is_pattern=is_pattern)[at]

    def _numbered(self, kinds: Sequence[tuple[bytes, ...]], *, is_pattern: bool) -> Kinds:
        if not is_pattern:
            for kind in kinds:
                self._number_of.setdefault(kind, len(self._number_of))
        new = {kind: -1 - number for number, kind in enumerate(sorted(set(kinds) - self._number_of.keys()))}
        number_of = self._number_of | new
        return np.array([number_of[kind] for kind in kinds], dtype=np.int32)

    def by_content(self, kinds: Kinds) -> Kinds:
        """Kinds that were numbered as they came, numbered in the order of what they are."""
        old, self._number_of = self._number_of, {key: number for number, key in enumerate(sorted(self._number_of))}
        return np.array([self._number_of[key] for key in old], np.int32)[kinds] if old else kinds

    def told(self) -> list[Floats]:
        """The codes of each kind, in as many rows as it is told by."""
        tables = []
        if not self._number_of:  # there are none, and what is none meets no condition
            return [np.full((1, len(self._reading.variables)), np.nan)]
        for kind in self._number_of:
            rows = kind[:-1] if self._has_ways else kind
            own = np.array([np.frombuffer(row) for row in rows])
            if self._has_ways:
                place = next(at for at, one in enumerate(self._reading.variables) if one.kind == DIRECTION)
                own = np.insert(own, place, np.frombuffer(kind[-1])[0], axis=1)
            tables.append(own)
        return tables

    def reversed(self) -> Kinds:
        """The kind of each kind as seen from the other end."""
        if not self._has_ways:
            return np.arange(len(self), dtype=np.int32)
        turned = [(*kind[:-1], (0.0 - np.frombuffer(kind[-1])).tobytes()) for kind in self._number_of]
        return np.array([self._number_of[kind] for kind in turned], np.int32)


def _distinct(codes: Floats) -> tuple[list[bytes], Ints]:
    """The different rows as bytes, and which of them each row is."""
    values = np.ascontiguousarray(codes)
    width = values.shape[1] * values.itemsize
    keys: list[Any] = values.view(np.dtype((np.void, width))).ravel().tolist() if width else [b""] * len(values)
    ranks: dict[bytes, int] = {}
    place = np.array([ranks.setdefault(key, len(ranks)) for key in keys], np.int64)
    return list(ranks), place


def _matrix(values: Any) -> NDArray[Any] | None:
    if not isinstance(values, Tensor):
        return None
    plain = values.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1) if array.size else np.empty((array.shape[0] if array.ndim else 0, 0))


def _columns(width: int) -> str:
    return "none" if width < 0 else f"{width} columns"
