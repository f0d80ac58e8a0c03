"""The tensors of many graphs laid end to end, where nothing about the graphs asks for more care than that.

PyG's own collation goes through every attribute of every graph and asks it how it is to be joined; for a ``Data`` with
the usual tensors that is known, and a few concatenations do.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Any, overload

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph.graphs.checking import INDEX_TYPES as INDEX_TYPES
from protograph.graphs.checking import OF_EDGES as OF_EDGES
from protograph.graphs.checking import OF_NODES as OF_NODES
from protograph.graphs.checking import held_by

# By these, too, PyG tells how many nodes a graph has.
OTHERS_OF_NODES = frozenset({"feat", "batch", "node_type", "n_id", "tf"})
# Where a graph has what it holds.
_HELD = attrgetter("_store._mapping")
# Numbers from which on torch, with several threads, joins tensors by an operation each (at::internal::GRAIN_SIZE).
_IN_ONE_GO = 2**15


class _UnusualError(Exception):
    """Graphs that are not joined here."""


@dataclass(frozen=True, eq=False)
class JoinedGraphs:
    """Graphs laid end to end.

    Attributes:
        sizes: Number of nodes of each graph.
        counts: Number of edges of each graph.
        tensors: ``edge_index``, with the nodes of each graph numbered from 0, and those of the tensors of nodes and of
            edges that all graphs have; the others none has.
        own: Tensors that nobody else has: whoever is given the graphs, once, may write into them.
    """

    sizes: Ints
    counts: Ints
    tensors: Mapping[str, Tensor]
    own: frozenset[str] = frozenset()

    @property
    def edges(self) -> Ints:
        """Both ends of each edge, ``[2, num_edges]``, with the nodes of each graph numbered from 0."""
        ends: Ints = self.tensors["edge_index"].detach().cpu().numpy().astype(np.int64, copy=False)
        return ends

    @property
    def offsets(self) -> Ints:
        """Number of nodes before each graph."""
        return self._starts[0][:-1]

    @cached_property
    def _starts(self) -> tuple[Ints, Ints]:
        """Where nodes and edges of each graph begin, and where those of the last one end."""
        nodes, edges = (np.concatenate([[0], own.cumsum()]) for own in (self.sizes, self.counts))
        return nodes, edges

    @property
    def num_bytes(self) -> int:
        """How much memory the tensors take."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self.tensors.values())

    def only(self, keys: Sequence[str]) -> "JoinedGraphs":
        """The same graphs with no other tensors than these and ``edge_index``."""
        kept = {key: tensor for key, tensor in self.tensors.items() if key == "edge_index" or key in keys}
        return JoinedGraphs(self.sizes, self.counts, kept, self.own)

    def part(self, first: int, last: int) -> "JoinedGraphs":
        """Graphs from ``first`` up to ``last``; the tensors are views."""
        nodes, edges = (slice(int(starts[first]), int(starts[last])) for starts in self._starts)
        tensors = {
            key: value[:, edges] if key == "edge_index" else value[edges if key in OF_EDGES else nodes]
            for key, value in self.tensors.items()
        }
        return JoinedGraphs(self.sizes[first:last], self.counts[first:last], tensors, self.own)

    def graph(self, index: int) -> Data:
        """One of the graphs, with tensors of its own."""
        own = self.part(index, index + 1)
        tensors = {key: tensor.clone() for key, tensor in own.tensors.items()}
        return Data(**tensors, **({} if "x" in tensors else {"num_nodes": int(own.sizes[0])}))

    def of_edges(self, values: Ints) -> Ints:
        """A value of each graph, repeated for each of its edges."""
        return np.repeat(values, self.counts)


def end_to_end(parts: Sequence[JoinedGraphs]) -> JoinedGraphs | None:
    """Graphs that lie end to end in parts, as one; ``None`` where the parts' tensors are not alike.

    Args:
        parts: The parts, at least one.

    >>> one = joined([Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))])
    >>> end_to_end([one, one]).sizes
    array([2, 2])
    >>> end_to_end([one, one.only([])]) is None
    True
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0].tensors
    if any(_looks(part.tensors) != _looks(first) for part in parts[1:]):
        return None
    tensors = {key: torch.cat([part.tensors[key] for part in parts], dim=int(key == "edge_index")) for key in first}
    sizes, counts = (np.concatenate(own) for own in zip(*((part.sizes, part.counts) for part in parts), strict=True))
    return JoinedGraphs(sizes, counts, tensors, frozenset(tensors))


def _looks(tensors: Mapping[str, Tensor]) -> dict[str, tuple[torch.dtype, torch.Size]]:
    """Type and width of each tensor."""
    return {
        key: (value.dtype, value.shape[:1] if key == "edge_index" else value.shape[1:])
        for key, value in tensors.items()
    }


class GraphChunk(Sequence[Data]):
    """Graphs whose tensors are laid end to end already, for whoever needs them so next.

    Args:
        graphs: The graphs, which need not be made before somebody looks at them.
        together: The graphs laid end to end.
        labels: The class that each graph was given, where that is known without a look at it.
    """

    def __init__(self, graphs: Sequence[Data], together: JoinedGraphs, labels: Ints | None = None) -> None:
        self._graphs, self.together, self.labels = graphs, together, labels

    def __len__(self) -> int:
        return len(self.together.sizes)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Data]: ...
    def __getitem__(self, index: int | slice) -> Data | Sequence[Data]:
        if not isinstance(index, slice):
            return self._graphs[index]
        first, last, step = index.indices(len(self))
        return self.part(first, last) if step == 1 and first < last else list(self._graphs[index])

    def __iter__(self) -> Iterator[Data]:
        return iter(self._graphs)

    def to_keep(self) -> "GraphChunk":
        """The same graphs, to be looked at again: nobody may write into their tensors."""
        return GraphChunk(self._graphs, replace(self.together, own=frozenset()), self.labels)

    def part(self, first: int, last: int) -> "GraphChunk":
        """Graphs from ``first`` up to ``last``."""
        labels = None if self.labels is None else self.labels[first:last]
        return GraphChunk(self._graphs[first:last], self.together.part(first, last), labels)


class LaidOut(Sequence[Data]):
    """Graphs laid end to end, each of which is made where somebody looks at it."""

    def __init__(self, together: JoinedGraphs) -> None:
        self._together = together

    def __len__(self) -> int:
        return len(self._together.sizes)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Data]: ...
    def __getitem__(self, index: int | slice) -> Data | Sequence[Data]:
        places = range(len(self))[index]
        if isinstance(places, int):
            return self._together.graph(places)
        if places.step != 1 or not places:
            return [self._together.graph(place) for place in places]
        return LaidOut(self._together.part(places.start, places.stop))


def joined(graphs: Sequence[Any], keys: Sequence[str] = (*OF_NODES, *OF_EDGES)) -> JoinedGraphs | None:
    """Lay graphs end to end; ``None`` where one is not a plain ``Data`` whose tensors are like those of the others.

    Args:
        graphs: The graphs, at least one.
        keys: Which tensors to join beside ``edge_index``.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> joined([graph, graph]).tensors["edge_index"]
    tensor([[0, 1, 0, 1],
            [1, 0, 1, 0]])
    >>> joined([graph, Data(x=torch.ones(2, 1))]) is None
    True
    """
    if isinstance(graphs, GraphChunk):
        return graphs.together.only(keys)
    contents = _contents(graphs)
    return None if contents is None else _joined(contents, keys)


def as_chunk(graphs: Sequence[Any]) -> GraphChunk | None:
    """Graphs laid end to end with their labels, by one look at each; ``None`` where :func:`joined` gives none.

    To look at a graph once more costs as much again: of many graphs, what it holds is all over the memory.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))
    >>> chunk = as_chunk([graph, graph])
    >>> chunk.together.sizes, chunk.labels
    (array([2, 2]), array([1, 1]))
    """
    if isinstance(graphs, GraphChunk):
        return graphs
    contents = _contents(graphs)
    together = None if contents is None else _joined(contents, (*OF_NODES, *OF_EDGES))
    return None if contents is None or together is None else GraphChunk(graphs, together, _labels(contents))


def plain_labels(graphs: Sequence[Data]) -> Ints | None:
    """The class that each graph was given, where all are tensors of one whole number; ``None`` otherwise.

    One tensor of all of them is read much quicker than many of one.

    >>> plain_labels([Data(y=torch.tensor([1])), Data(y=torch.tensor([0]))]), plain_labels([Data(y=0)])
    (array([1, 0]), None)
    """
    return _labels(list(map(held_by, graphs)))


def _contents(graphs: Sequence[Any]) -> list[dict[str, Any]] | None:
    """What each graph holds, if all are plain ones."""
    if set(map(type, graphs)) != {Data}:
        return None
    try:  # as held_by has it, of all graphs without a step of Python a graph
        contents = list(map(_HELD, graphs))
    except AttributeError:
        contents = []
    return contents if set(map(type, contents)) == {dict} else list(map(held_by, graphs))


def _labels(contents: list[dict[str, Any]]) -> Ints | None:
    try:
        given = _column("y", contents)
    except KeyError:
        return None
    if set(map(type, given)) != {Tensor} or set(map(Tensor.numel, given)) != {1}:
        return None
    try:
        together = torch.cat(given).cpu()
    except RuntimeError:  # some have no dimension, another number of them, or no numbers
        return None
    is_plain = together.layout is torch.strided and together.dtype is torch.int64 and together.dim() == 1
    return together.numpy() if is_plain else None


def _joined(contents: list[dict[str, Any]], keys: Sequence[str]) -> JoinedGraphs | None:
    try:
        return _checked_and_joined(contents, keys)
    except (_UnusualError, RuntimeError):  # torch refuses to join tensors of other widths, or on other devices
        return None


def _checked_and_joined(contents: list[dict[str, Any]], keys: Sequence[str]) -> JoinedGraphs:
    common, all_keys = _common_keys(contents)
    needed = {"edge_index", *OF_NODES, *keys} & all_keys
    if not needed <= common or "edge_index" not in needed or all_keys & OTHERS_OF_NODES:
        raise _UnusualError
    edges, counts = _laid_out(_column("edge_index", contents), dim=1)
    if edges.dim() != 2 or edges.size(0) != 2 or edges.dtype not in INDEX_TYPES:
        raise _UnusualError
    laid_out = {key: _laid_out(_column(key, contents)) for key in needed - {"edge_index"}}
    lengths = {key: own for key, (_, own) in laid_out.items()}
    if "num_nodes" in all_keys:
        lengths["num_nodes"] = _node_counts(contents)
    sizes = lengths.get("x", lengths.get("num_nodes"))
    if sizes is None or any(
        not np.array_equal(length, counts if key in OF_EDGES else sizes) for key, length in lengths.items()
    ):
        raise _UnusualError
    tensors = {key: tensor for key, (tensor, _) in laid_out.items() if key in keys}
    return JoinedGraphs(sizes, counts, {"edge_index": edges, **tensors})


def _column(key: str, contents: list[dict[str, Any]]) -> list[Any]:
    return list(map(itemgetter(key), contents))


def _node_counts(contents: list[dict[str, Any]]) -> Ints:
    numbers: list[Any] = [content.get("num_nodes") for content in contents]
    if set(map(type, numbers)) != {int} or not all(0 <= number < 2**63 for number in numbers):
        raise _UnusualError
    return np.array(numbers, dtype=np.int64)


def _common_keys(contents: list[dict[str, Any]]) -> tuple[frozenset[str], frozenset[str]]:
    """Attributes that all graphs have, and those that some have."""
    keys = contents[0].keys()
    if all(map(keys.__eq__, map(dict.keys, contents))):  # which is quicker told than what differs
        return frozenset(keys), frozenset(keys)
    different = {tuple(content) for content in contents}
    return frozenset.intersection(*map(frozenset, different)), frozenset().union(*different)


def _laid_out(column: list[Any], dim: int = 0) -> tuple[Tensor, Ints]:
    """Tensors end to end, and how long each is, if they are plain, of one type and with as many dimensions."""
    if set(map(type, column)) != {Tensor} or column[0].layout is not torch.strided or column[0].dim() <= dim:
        raise _UnusualError
    if len(set(map(attrgetter("dtype"), column))) > 1:
        raise _UnusualError
    numbers: Ints = np.fromiter(map(Tensor.numel, column), np.int64, len(column))
    with torch.enable_grad():  # so that what is made of them tells whether one of them has a gradient
        together = _concatenated(column, dim, int(numbers.sum()))
    if together.requires_grad:  # what is worked out of them would keep the graph of gradients
        raise _UnusualError
    if numbers.all():  # torch has seen that they are of one width, and shapes take longer to look at
        return together, numbers // (together.numel() // together.size(dim))
    if len(set(map(Tensor.dim, column))) > 1:  # an empty tensor of one dimension can be joined to any
        raise _UnusualError
    return together, np.array([tensor.size(dim) for tensor in column], dtype=np.int64)


def _concatenated(column: list[Tensor], dim: int, total: int) -> Tensor:
    """Tensors in one, of so many numbers; some at a time where torch takes more than twice as long for all at once."""
    step = _IN_ONE_GO * len(column) // max(1, 2 * total)
    if not 1 < step < len(column) or not column[0].is_floating_point() or torch.get_num_threads() == 1:
        return torch.cat(column, dim=dim)
    parts = [torch.cat(column[first : first + step], dim=dim) for first in range(0, len(column), step)]
    return torch.cat(parts, dim=dim)
