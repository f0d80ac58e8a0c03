"""The graphs of a fit: read and checked once, and laid end to end; all that comes later are views.

A :class:`GraphStore` takes whatever a user has: a list, a PyG data set, a generator of graphs or of batches, a folder
of ``.pt`` files. Each graph is validated when it is read, and never again; all are kept as :class:`CollatedGraphs`,
whose tensors hold them end to end. They are read in blocks, so that a generator's graphs are never all there twice.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data

from protograph._utils.arrays import Ints
from protograph._utils.words import listed
from protograph.graphs.files import graphs_of_folder
from protograph.graphs.origins import NAME_KEYS, Origin, named, origin_at, origins_of
from protograph.graphs.validate import (
    FEATURES,
    NUMBERS,
    check_alike,
    check_container,
    is_dense,
    is_sequence,
    layout_of,
    node_count,
    validate,
)

# So many graphs are worked on at a time, wherever it takes much more room on the way than in the end.
BLOCK = 4096
MOST_PARTS = 32
# What a batch has beside the graphs' own tensors.
_MADE = frozenset({"edge_index", "batch", "ptr", "num_graphs"})
_USUAL = _MADE.union(FEATURES)


class Rows(NamedTuple):
    """A tensor of each graph, laid end to end.

    Attributes:
        values: The rows of all graphs, one after the other.
        starts: Where those of each graph begin, and where those of the last one end.
        dim: Along which dimension they lie end to end.
    """

    values: Tensor
    starts: Ints
    dim: int = 0

    def part(self, first: int, last: int) -> "Rows":
        """The rows of graphs from ``first`` up to ``last``, a view."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        return self._replace(
            values=self.values.narrow(self.dim, begin, end - begin), starts=self.starts[first : last + 1] - begin
        )

    def of(self, index: int) -> Tensor:
        """The rows of one graph, a view."""
        begin, end = int(self.starts[index]), int(self.starts[index + 1])
        return self.values.narrow(self.dim, begin, end - begin)


# What graphs have under one name: tensors end to end, or where these cannot be, a value a graph; ``None`` for none.
Column: TypeAlias = Rows | list[Any]


@dataclass(frozen=True, eq=False)
class CollatedGraphs(Sequence[Data]):
    """Graphs laid end to end. An index makes a ``Data`` with tensors of its own, a slice gives views.

    Attributes:
        sizes: Number of nodes of each graph.
        columns: What the graphs hold, by name. The nodes in ``edge_index`` are numbered from 0 in each graph.
        blank: An empty graph of their class, which may be a user's own.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=1)
    >>> graphs = collate([graph, graph])
    >>> graphs.sizes, graphs.tensor("edge_index"), graphs[1]
    (array([2, 2]), tensor([[0, 1, 0, 1],
            [1, 0, 1, 0]]), Data(x=[2, 1], edge_index=[2, 2], y=1))
    """

    sizes: Ints
    columns: Mapping[str, Column]
    blank: Data

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> "CollatedGraphs": ...
    def __getitem__(self, index: int | slice) -> "Data | CollatedGraphs":
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step != 1:
                raise ValueError(f"a slice must have a step of 1, got {step}; take the graphs one by one")
            last = max(first, last)
            columns = {
                key: column.part(first, last) if isinstance(column, Rows) else column[first:last]
                for key, column in self.columns.items()
            }
            return CollatedGraphs(self.sizes[first:last], columns, self.blank)
        place = range(len(self))[index]
        graph = copy(self.blank)
        for key, column in self.columns.items():
            # A view would take all graphs along wherever this one is kept or pickled.
            value = column.of(place).clone() if isinstance(column, Rows) else column[place]
            if value is not None:
                graph[key] = value
        return graph

    def value(self, key: str, index: int) -> Any:
        """What one graph has under a name, ``None`` where it has nothing; a tensor is a view."""
        column = self.columns.get(key)
        if isinstance(column, Rows):
            return column.of(index)
        return None if column is None else column[index]

    def values(self, key: str) -> Iterator[Any]:
        """The same of each graph."""
        return (self.value(key, index) for index in range(len(self)))

    @property
    def counts(self) -> Ints:
        """Number of edges of each graph."""
        edges = self.columns["edge_index"]
        assert isinstance(edges, Rows)
        return np.diff(edges.starts)

    @property
    def edges(self) -> Ints:
        """Both ends of each edge, ``[2, num_edges]``, with the nodes of each graph numbered from 0."""
        ends: Ints = self.columns["edge_index"].values.numpy().astype(np.int64, copy=False)  # type: ignore[union-attr]
        return ends

    def tensor(self, key: str) -> Tensor | None:
        """The rows of all graphs under a name; ``None`` where not all have some that can be laid end to end."""
        column = self.columns.get(key)
        return column.values if isinstance(column, Rows) else None

    @property
    def differing(self) -> list[str]:
        """Names of attributes that some graphs have and others have not, which no batch can have."""
        return [
            key
            for key, column in self.columns.items()
            if isinstance(column, list) and any(value is None for value in column)
        ]

    def batch(self, wanted: frozenset[str] | None = None) -> Batch:
        """The graphs as one batch for a model, with tensors of its own, as PyG's collation makes it.

        Args:
            wanted: The attributes that the model reads, ``None`` for all that can be joined; ``x`` and ``edge_index``
                are there in any case.

        >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))
        >>> collate([graph, graph]).batch(frozenset({"x", "batch"}))
        DataBatch(x=[4, 1], edge_index=[2, 4], batch=[4], ptr=[3])
        """
        edges, others = self.columns["edge_index"], [self.columns.get(key) for key in FEATURES]
        is_usual = wanted is not None and wanted <= _USUAL and type(self.blank) is Data
        if not is_usual or not isinstance(edges, Rows) or any(isinstance(one, list) for one in others):
            return self._batch_by_pyg(wanted)
        used = [key for key in FEATURES if key == "x" or key in (wanted or ())]
        tensors = {key: rows.clone() for key in used if (rows := self.tensor(key)) is not None}
        sizes = torch.from_numpy(self.sizes)
        ptr = torch.nn.functional.pad(sizes.cumsum(0), (1, 0))
        shift = ptr[:-1].repeat_interleave(torch.from_numpy(self.counts))
        return Batch(
            **tensors,
            edge_index=edges.values + shift.to(edges.values),
            **({} if "x" in tensors else {"num_nodes": int(ptr[-1])}),
            batch=torch.arange(len(self)).repeat_interleave(sizes),
            ptr=ptr,
        )

    def _batch_by_pyg(self, wanted: frozenset[str] | None) -> Batch:
        """What PyG's collation gives, without what it cannot join: a model that never reads it can do without."""
        left_out = set() if wanted is None else self.columns.keys() - wanted - {"edge_index", "x", "num_nodes"}
        # What a batch has of its own is made anew, whatever graphs have of that name.
        left_out |= {*self.differing, *(_MADE - {"edge_index"})}
        others = self.columns.keys() - {*_USUAL, "num_nodes"} - left_out
        left_out |= {key for key in others if not self._can_be_joined(key)}
        return Batch.from_data_list(list(self), exclude_keys=sorted(left_out))

    def _can_be_joined(self, key: str) -> bool:
        joined = self.tensor(key)
        if (joined is not None and joined.dtype in NUMBERS) or all(
            isinstance(value, str | float) for value in self.values(key)
        ):
            return True
        try:
            batch = Batch.from_data_list([Data(num_nodes=1, **{key: value}) for value in self.values(key)])
        except Exception:  # whatever an attribute of any type raises
            return False
        return not getattr(batch[key], "is_meta", False)


def collate(graphs: Sequence[Data]) -> CollatedGraphs:
    """Lay graphs end to end; each attribute in one tensor where its values can be joined.

    Args:
        graphs: The graphs, at least one, which need not be alike.
    """
    if isinstance(graphs, CollatedGraphs):
        return graphs
    contents = [graph.to_dict() for graph in graphs]
    columns = {}
    for key in dict.fromkeys(key for content in contents for key in content):
        columns[key] = _column(key, [content.get(key) for content in contents], graphs[0])
    if not isinstance(columns.get("edge_index"), Rows):
        no_edges = torch.empty(2, 0, dtype=torch.long)
        ends = [content.get("edge_index", no_edges).detach().long().cpu() for content in contents]
        columns["edge_index"] = _column("edge_index", ends, graphs[0])
    x = columns.get("x")
    sizes = np.diff(x.starts) if isinstance(x, Rows) else np.array([node_count(graph) for graph in graphs], np.int64)
    blank = copy(graphs[0])
    for key in list(blank.keys()):
        del blank[key]
    return CollatedGraphs(sizes, columns, blank)


def _column(key: str, values: list[Any], graph: Data) -> Column:
    """Values of one attribute end to end, if all are plain tensors of one type and number of dimensions."""
    if not all(isinstance(value, Tensor) and not value.is_meta for value in values):
        return values
    if set(map(type, values)) != {Tensor} or not all(value.is_cpu for value in values):
        values = [value.as_subclass(Tensor).cpu() for value in values]
    dim = graph.__cat_dim__(key, values[0])
    are_alike = len({(value.dim(), value.dtype) for value in values}) == 1
    if not are_alike or not values[0].dim() or not isinstance(dim, int):
        return values
    try:
        joined = torch.cat(values, dim)
    except RuntimeError:  # of other widths, or sparse
        return values
    if not is_dense(joined):
        return values
    starts = np.array([0, *accumulate(value.size(dim) for value in values)], np.int64)
    return Rows(joined, starts, dim % joined.dim())


class GraphStore(Sequence[Data]):
    """The graphs of a fit, checked, in memory, with the edges that they were given with.

    ``store[index]`` makes one of them anew, ``store[first:last]`` gives views.

    Args:
        graphs: A sequence, a PyG data set, a folder of ``.pt`` files, or any iterable of graphs or of batches of them,
            which is gone through once.

    Attributes:
        seconds: How long reading and checking took.

    Raises:
        TypeError: If graphs are no graphs, or hold something else where tensors are read.
        ValueError: If one cannot be used; the message names it.

    >>> store = GraphStore(Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]])) for _ in range(3))
    >>> len(store), store[2].edge_index.tolist(), store.label(2)
    (3, [[0], [1]], 'graph 2')
    """

    def __init__(self, graphs: Iterable[Data] | str | PathLike[str]) -> None:
        started = time.perf_counter()
        origins: list[Origin] = []  # of a folder, as it is read
        given: Any = graphs_of_folder(Path(graphs), origins) if isinstance(graphs, str | PathLike) else graphs
        check_container(given)

        def label(graph: Any, place: int) -> str:
            return named(origins[place] if origins else origin_at(given, place), graph).label

        parts: list[CollatedGraphs] = []
        begin, rest = 0, each_graph(given)
        self._irregular: set[int] = set()
        while own := list(islice(rest, BLOCK)):
            labels = [partial(label, graph, begin + place) for place, graph in enumerate(own)]
            part = _checked(own, labels, parts[0][0] if parts else None)
            self._irregular.update(begin + place for place in _irregular(part))
            # Joined early: many small tensors that are freed late leave holes that no large one fits into.
            parts = [_joined(parts), part] if len(parts) == MOST_PARTS else [*parts, part]
            begin += len(own)
        if not parts:
            raise ValueError("graphs is empty; pass at least one graph")
        self._graphs = _joined(parts)
        self._origins = origins or origins_of(given, len(self._graphs))
        self.seconds = time.perf_counter() - started

    def __len__(self) -> int:
        return len(self._graphs)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> CollatedGraphs: ...
    def __getitem__(self, index: int | slice) -> Data | CollatedGraphs:
        return self._graphs[index]

    def take(self, indices: Iterable[int]) -> list[Data]:
        """The graphs at these indices."""
        return [self[int(index)] for index in indices]

    def blocks(self, size: int) -> Iterator[CollatedGraphs]:
        """All graphs in order, ``size`` at a time."""
        return (self[first : first + size] for first in range(0, len(self), size))

    def values(self, key: str) -> Iterator[Any]:
        """What each graph has under a name, ``None`` where it has nothing."""
        return self._graphs.values(key)

    def origin(self, index: int) -> Origin:
        """Where a graph came from."""
        return named(self._origins[index], {key: self._graphs.value(key, index) for key in (*NAME_KEYS, "smiles")})

    def label(self, index: int) -> str:
        """What messages call a graph, by where it came from."""
        return self.origin(index).label

    @property
    def notes(self) -> list[str]:
        """What is made otherwise of the graphs than might be expected, a sentence each."""
        sentences = []
        if self._irregular:
            first, number = self.label(min(self._irregular)), len(self._irregular)
            which = f"{first} has" if number == 1 else f"{number} graphs (the first is {first}) have"
            sentences.append(
                f"{which} edges that go one way only or are repeated; the model is given them as they are, patterns "
                f"take each edge once, and ask for its direction only where decisions depend on that"
            )
        if some := self._graphs.differing:
            sentences.append(f"only some graphs have {listed(some)}, so the model is given none")
        return sentences


def _checked(graphs: list[Any], labels: Sequence[Callable[[], str]], first: Data | None) -> CollatedGraphs:
    """Graphs checked and laid end to end.

    Args:
        graphs: The graphs.
        labels: Each gives what messages call a graph.
        first: A graph that came before, which these must be like.
    """
    for graph, label in zip(graphs, labels, strict=True):
        validate(graph, label)
    whole = collate(graphs)
    wanted = layout_of(graphs[0] if first is None else first)
    # Those whose features lie end to end are alike.
    is_uneven = any(isinstance(whole.columns.get(key), list) for key in FEATURES)
    for graph, label in list(zip(graphs, labels, strict=True))[: None if is_uneven else 1]:
        check_alike(graph, wanted, label)
    _check_numbers(whole, lambda place: labels[place]())
    return _without_gradients(whole)


def _joined(parts: list[CollatedGraphs]) -> CollatedGraphs:
    """Graphs that are laid end to end in parts, all in one; ``parts`` is emptied, so that little is kept twice."""
    if len(parts) == 1:
        return parts[0]
    columns: dict[str, Column] = {}
    contents = [dict(part.columns) for part in parts]
    sizes, blank, lengths = np.concatenate([part.sizes for part in parts]), parts[0].blank, [len(one) for one in parts]
    parts.clear()
    for key in dict.fromkeys(key for content in contents for key in content):
        columns[key] = _joined_column([content.pop(key, None) for content in contents], lengths)
    return CollatedGraphs(sizes, columns, blank)


def _joined_column(parts: list[Column | None], lengths: list[int]) -> Column:
    """One attribute of graphs that are laid end to end in parts."""
    rows = [part for part in parts if isinstance(part, Rows)]
    if len(rows) == len(parts) and len({(one.dim, one.values.dim(), one.values.dtype) for one in rows}) == 1:
        with suppress(RuntimeError):  # of other widths
            counts = np.concatenate([np.diff(one.starts) for one in rows])
            joined = torch.cat([one.values for one in rows], rows[0].dim)
            return Rows(joined, np.concatenate([[0], counts.cumsum()]), rows[0].dim)
    values: list[Any] = []
    for part, length in zip(parts, lengths, strict=True):
        one_by_one = [part.of(place) for place in range(length)] if isinstance(part, Rows) else part
        values += one_by_one or [None] * length
    return values


def _without_gradients(graphs: CollatedGraphs) -> CollatedGraphs:
    columns: dict[str, Column] = {
        key: column._replace(values=column.values.detach())
        if isinstance(column, Rows)
        else [value.detach() if isinstance(value, Tensor) else value for value in column]
        for key, column in graphs.columns.items()
    }
    return CollatedGraphs(graphs.sizes, columns, graphs.blank)


def each_graph(graphs: Any) -> Iterator[Any]:
    """The graphs one by one, those of an iterable's batches too; an error of the user's source names the place."""
    is_indexed, place = is_sequence(graphs), 0
    items = (graphs[index] for index in range(len(graphs))) if is_indexed else graphs
    try:
        for item in items:
            yield from item.to_data_list() if isinstance(item, Batch) and not is_indexed else [item]
            place += 1
    except Exception as error:
        error.add_note(f"this happened while item {place} of graphs was read, counted from 0")
        raise


def _check_numbers(graphs: CollatedGraphs, label: Callable[[int], str]) -> None:
    """Raise unless features are finite and edges join nodes of their graph."""
    for key in FEATURES:
        rows = graphs.columns.get(key)
        # A sum is quicker, and not finite where one of them is not; of huge numbers it may not be finite either.
        if not isinstance(rows, Rows) or bool(rows.values.sum().isfinite()):
            continue
        if not bool((is_finite := rows.values.isfinite()).all()):
            row = int((~is_finite).nonzero()[0, 0])
            place = int(np.searchsorted(rows.starts, row, side="right")) - 1
            raise ValueError(f"{key} of {label(place)} has NaN or infinite values; replace them or leave the graph out")
    check_ends(graphs, label)


def check_ends(graphs: CollatedGraphs, label: Callable[[int], str]) -> None:
    """Raise unless edges join nodes of their graph."""
    edges, sizes = graphs.edges, np.repeat(graphs.sizes, graphs.counts)
    is_outside = ((edges < 0) | (edges >= sizes)).any(axis=0)
    if is_outside.any():
        first = int(is_outside.argmax())
        place = int(np.searchsorted(graphs.counts.cumsum(), first, side="right"))
        raise ValueError(
            f"edge_index of {label(place)} has the edge {edges[0, first]} -> {edges[1, first]}, "
            f"but its nodes are numbered 0 to {sizes[first] - 1}"
        )


def _irregular(graphs: CollatedGraphs) -> set[int]:
    """Graphs that have an edge twice, or lack the reverse of one."""
    owner = np.repeat(np.arange(len(graphs)), graphs.counts)
    source, target = graphs.edges + (graphs.sizes.cumsum() - graphs.sizes)[owner]
    total = int(graphs.sizes.sum())
    forth, back = source * total + target, target * total + source
    distinct, counts = np.unique(forth, return_counts=True)
    return set(owner[np.isin(forth, distinct[counts > 1]) | ~np.isin(back, distinct)].tolist())
