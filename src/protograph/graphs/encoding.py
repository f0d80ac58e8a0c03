"""Graphs as whole numbers, as the compiled searches read them: kinds of nodes, neighbours, kinds of edges."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints, Kinds
from protograph.graphs.cleaning import node_count
from protograph.graphs.edge_rule import EdgeRule, MatchEdges, as_rule

# Most nodes that the search of one graph for a pattern places; see :mod:`protograph.patterns`.
MAX_CALLS = 1_000_000
# Graphs whose tensors are joined at a time: enough to be quick, few enough for wide features to fit in memory.
_CHUNK = 2048


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

    Nodes are of one kind where their rows of ``x`` are equal as numbers; without ``x`` all are. Kinds are numbered by
    content, so that neither the order of the graphs nor that of their nodes matters. Edges are undirected, whichever
    direction is there; of repeated ones with the same direction the first counts; self-loops are ignored. The kind of
    an edge that holds other attributes there than back is told by both, whichever is which.

    Args:
        graphs: The graphs, gone through once.
        match_features: Whether nodes have kinds; without, all are of one.
        match_edges: Whether edges have kinds too: equal rows of ``edge_attr``, or rows that agree by a rule.
        names: What messages call the graphs, where they are not a data set.

    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> encoded = EncodedGraphs([path, path])
    >>> len(encoded), encoded[1].neighbours.tolist()
    (2, [1, 0, 2, 1])
    """

    def __init__(
        self,
        graphs: Iterable[Data],
        *,
        match_features: bool = True,
        match_edges: MatchEdges = False,
        names: Sequence[str] | None = None,
    ) -> None:
        self.match_features, self.edge_rule = match_features, as_rule(match_edges)
        self._names = names
        self._nodes, self._edges = _Kinds("x"), _Kinds("edge_attr", self.edge_rule)
        zero, empty = np.zeros(1, np.int64), np.zeros(0, np.int32)
        rows = [(zero, zero, empty, empty, empty)]
        remaining = iter(graphs)
        while chunk := list(islice(remaining, _CHUNK)):
            rows.append(self._encoded(chunk, (len(rows) - 1) * _CHUNK, is_pattern=False))
        sizes, degrees, kinds, self.neighbours, edge_kinds = map(np.concatenate, zip(*rows, strict=True))
        self.nodes: Ints = sizes.cumsum()
        self.starts: Ints = degrees.cumsum()
        self.node_kinds: Kinds = self._nodes.by_content(kinds)
        self.edge_kinds: Kinds = self._edges.by_content(edge_kinds)

    def __len__(self) -> int:
        return self.nodes.size - 1

    def __getitem__(self, index: int) -> EncodedGraph:
        """One graph; its arrays are views, with ``starts`` counted from its own first neighbour."""
        if not 0 <= index < len(self):
            raise IndexError(f"index must lie in [0, {len(self)}), got {index}")
        first, last = self.nodes[index], self.nodes[index + 1]
        starts = self.starts[first : last + 1]
        inside = slice(starts[0], starts[-1])
        return EncodedGraph(
            self.node_kinds[first:last], starts - starts[0], self.neighbours[inside], self.edge_kinds[inside]
        )

    @cached_property
    def kind_counts(self) -> Ints:
        """How many nodes there are of each kind."""
        return np.bincount(self.node_kinds, minlength=len(self._nodes))

    def encode(self, pattern: Data) -> EncodedGraph:
        """A pattern with the same kinds; those that no graph has are below 0."""
        _, degrees, kinds, neighbours, edge_kinds = self._encoded([pattern], 0, is_pattern=True)
        return EncodedGraph(kinds, np.concatenate([np.zeros(1, np.int64), degrees.cumsum()]), neighbours, edge_kinds)

    def _encoded(
        self, graphs: Sequence[Data], first: int, *, is_pattern: bool
    ) -> tuple[Ints, Ints, Kinds, Kinds, Kinds]:
        numbers = range(first, first + len(graphs))
        names = ["the prototype"] if is_pattern else [self._names[i] if self._names else f"graph {i}" for i in numbers]
        for graph, name in zip(graphs, names, strict=True):
            if not isinstance(graph, Data):
                raise TypeError(
                    f"{name} must be a torch_geometric.data.Data, got {type(graph).__name__}; "
                    f"of a prototype, pass its graph"
                )
        sizes = np.array([node_count(graph) for graph in graphs], dtype=np.int64)
        kinds = np.zeros(int(sizes.sum()), np.int32)
        if self.match_features:
            kinds = self._nodes.kinds([g.x for g in graphs], sizes, names, is_pattern)
        pairs = [_edges(graph) for graph in graphs]
        counts = np.array([pair.shape[1] for pair in pairs], dtype=np.int64)
        edges = np.concatenate(pairs, axis=1)
        owner = np.repeat(np.arange(sizes.size), counts)
        _check_ends(edges, sizes, owner, names)
        edge_kinds = np.zeros(int(counts.sum()), np.int32)
        edges = edges + (sizes.cumsum() - sizes)[owner]
        if self.edge_rule.is_matched:
            edge_kinds = self._edges.kinds([g.edge_attr for g in graphs], counts, names, is_pattern, _both_ways(edges))
        return sizes, *_compressed(kinds, edges, edge_kinds, sizes)


class _Kinds:
    """Numbers the distinct rows of tensors."""

    def __init__(self, key: str, rule: EdgeRule | None = None) -> None:
        self._key, self._rule = key, rule or EdgeRule()
        self._width: int | None = None  # of the first tensor; -1: there is none
        self._first = ""
        self._number_of: dict[bytes, int] = {}

    def __len__(self) -> int:
        return max(len(self._number_of), 1)

    def kinds(
        self,
        rows: Sequence[Any],
        counts: Ints,
        names: Sequence[str],
        is_pattern: bool,
        both_ways: tuple[Ints, Ints] | None = None,
    ) -> Kinds:
        """Number of each row, or of the two at ``both_ways``; new rows of a pattern get numbers below 0."""
        rows = [_matrix(row) for row in rows]
        for row, count, name in zip(rows, counts.tolist(), names, strict=True):
            self._check(row, count, name)
        present = [row for row in rows if row is not None and row.shape[0]]
        if not present:
            return np.zeros(int(counts.sum()), np.int32)
        joined = self._rule.compared(np.concatenate(present).astype(np.float64))
        joined = joined + 0.0  # so that -0.0 has the bytes of 0.0
        data, width = joined.tobytes(), joined.shape[1] * joined.itemsize
        keys = (data[at : at + width] for at in range(0, len(data), width)) if width else (b"" for _ in joined)
        if both_ways is not None:
            single = list(keys)
            pairs = zip(*(ways.tolist() for ways in both_ways), strict=True)
            keys = (_joint_key(single[there], single[back]) for there, back in pairs)
        number_of = self._number_of
        if not is_pattern:
            return np.array([number_of.setdefault(key, len(number_of)) for key in keys], dtype=np.int32)
        own = list(keys)
        new = {key: -1 - number for number, key in enumerate(sorted(set(own) - number_of.keys()))}
        return np.array([number_of[key] if key in number_of else new[key] for key in own], dtype=np.int32)

    def by_content(self, kinds: Kinds) -> Kinds:
        """Number the rows by what they hold instead of where they came first; what was numbered before follows."""
        ordered = sorted(self._number_of)
        rank = np.zeros(len(self), np.int32)
        rank[[self._number_of[key] for key in ordered]] = np.arange(len(ordered))
        self._number_of = {key: number for number, key in enumerate(ordered)}
        return rank[kinds]

    def _check(self, row: NDArray[Any] | None, count: int, name: str) -> None:
        if count == 0:  # nothing to compare
            return
        if row is not None and row.shape[0] != count:
            raise ValueError(f"{self._key} of {name} must have {count} rows, got {row.shape[0]}")
        width = -1 if row is None else row.shape[1]
        if self._width is None:
            self._width, self._first = width, name
        if width != self._width:
            raise ValueError(
                f"{self._key} must be alike in all graphs; {self._first} has {_columns(self._width)}, "
                f"{name} has {_columns(width)}"
            )


def _columns(width: int) -> str:
    return "none" if width < 0 else f"{width} columns"


def _matrix(values: Any) -> NDArray[Any] | None:
    if not isinstance(values, Tensor):
        return None
    plain = values.detach().cpu()
    array: NDArray[Any] = (plain.float() if plain.dtype is torch.bfloat16 else plain).numpy()
    return array.reshape(array.shape[0], -1) if array.size else np.empty((array.shape[0] if array.ndim else 0, 0))


def _edges(graph: Data) -> Ints:
    edge_index = torch.empty(2, 0) if graph.edge_index is None else graph.edge_index.detach().cpu()
    edges: Ints = edge_index.numpy().astype(np.int64, copy=False).reshape(2, -1)
    return edges


def _check_ends(edges: Ints, sizes: Ints, owner: Ints, names: Sequence[str]) -> None:
    outside = ((edges < 0) | (edges >= sizes[owner])).any(axis=0)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(
            f"edge_index of {names[owner[at]]} has the edge {edges[0, at]} -> {edges[1, at]}, "
            f"but it has {sizes[owner[at]]} nodes"
        )


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


def _joint_key(there: bytes, back: bytes) -> bytes:
    return there if there == back else min(there, back) + max(there, back)


def _compressed(kinds: Kinds, edges: Ints, edge_kinds: Kinds, sizes: Ints) -> tuple[Ints, Kinds, Kinds, Kinds]:
    """Degree and kind of each node, its neighbours and the edges' kinds, ascending; nodes are numbered by graph."""
    offsets, total = sizes.cumsum() - sizes, int(sizes.sum())
    low, high = edges.min(axis=0), edges.max(axis=0)
    is_edge = low < high
    keys, first = np.unique(low[is_edge] * total + high[is_edge], return_index=True)
    low, high, edge_kinds = keys // max(total, 1), keys % max(total, 1), edge_kinds[is_edge][first]
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.argsort(source * total + target)
    source, target = source[order], target[order]
    return (
        np.bincount(source, minlength=total).astype(np.int64),
        kinds,
        (target - np.repeat(offsets, sizes)[target]).astype(np.int32),
        np.concatenate([edge_kinds, edge_kinds])[order],
    )
