"""Graphs laid end to end with all that they hold, in the fewest bytes that give back the same graphs.

A ``Data`` of twenty nodes takes several thousand bytes of Python objects around a few hundred of numbers. Laid end to
end, and with whole numbers in as few bytes as they need, a shard of them takes a twentieth, is joined into batches by
slicing, and is written to a file as it is.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.tensor_files import is_storable, read_tensors, write_tensors
from protograph.graphs.joining import INDEX_TYPES, OF_EDGES, OF_NODES, OTHERS_OF_NODES, JoinedGraphs

FORMAT = "protograph graphs 1"
# How an attribute is laid out: rows of a tensor, tensors without dimensions, numbers of Python, texts.
_ROWS, _SCALARS, _NUMBERS, _TEXTS = "rows", "scalars", "numbers", "texts"
_NUMBER_TYPES = {"bool": bool, "int": int, "float": float}
_WHOLE = (torch.uint8, torch.int8, torch.int16, torch.int32)


class UnusualGraphError(ValueError):
    """Graphs that cannot be laid end to end so that the same ones come back; the text says why."""


@dataclass(frozen=True)
class Entry:
    """One attribute: its name, how it is laid out, along which dimension, and of which type it was."""

    key: str
    layout: str
    dim: int
    dtype: str


@dataclass(frozen=True, eq=False)
class CollatedGraphs:
    """Some graphs, laid end to end.

    Attributes:
        entries: The attributes, in the order in which graphs have them.
        tensors: The values of each attribute but texts; of those with several rows a graph, also where the rows of each
            graph begin, as ``key/starts``.
        texts: The values of attributes that are texts.
        size: How many graphs there are.
    """

    entries: tuple[Entry, ...]
    tensors: dict[str, Tensor]
    texts: dict[str, list[str]]
    size: int

    def __len__(self) -> int:
        return self.size

    @property
    def num_bytes(self) -> int:
        """How much memory they take, but for texts."""
        return sum(tensor.numel() * tensor.element_size() for tensor in self.tensors.values())

    @cached_property
    def by_key(self) -> dict[str, Entry]:
        """The attributes by name."""
        return {entry.key: entry for entry in self.entries}

    def graph(self, index: int) -> Data:
        """One of the graphs; it shares nothing with the others."""
        graph = Data()
        for entry in self.entries:
            graph[entry.key] = self._value(entry, index)
        return graph

    def _value(self, entry: Entry, index: int) -> Any:
        if entry.layout == _TEXTS:
            return self.texts[entry.key][index]
        if entry.layout == _ROWS:
            return self._rows(entry, index, index + 1).clone()
        value = self.tensors[entry.key][index]
        if entry.layout == _NUMBERS:
            return _NUMBER_TYPES[entry.dtype](value.item())
        return value.to(getattr(torch, entry.dtype)).clone()

    def _starts(self, key: str, first: int, last: int) -> Ints:
        starts: Ints = self.tensors[f"{key}/starts"][first : last + 1].numpy()
        return starts

    def _rows(self, entry: Entry, first: int, last: int) -> Tensor:
        """The rows of graphs from ``first`` up to ``last``, of the type that they had."""
        starts = self.tensors[f"{entry.key}/starts"]
        begin, end = int(starts[first]), int(starts[last])
        rows = self.tensors[entry.key].narrow(entry.dim, begin, end - begin)
        return rows.to(getattr(torch, entry.dtype))

    def together(self, first: int, last: int) -> JoinedGraphs | None:
        """Graphs from ``first`` up to ``last`` end to end; ``None`` where they are not what models and checks expect.

        That is as :func:`~protograph.graphs.joining.joined` has it.
        """
        entries = self.by_key
        used = [key for key in (*OF_NODES, *OF_EDGES, "edge_index") if key in entries]
        if "edge_index" not in used or entries.keys() & OTHERS_OF_NODES:
            return None
        edges = self.tensors["edge_index"]
        if any(entries[key].layout != _ROWS or entries[key].dim != (key == "edge_index") for key in used):
            return None
        if edges.shape[0] != 2 or getattr(torch, entries["edge_index"].dtype) not in INDEX_TYPES:
            return None
        lengths = {key: np.diff(self._starts(key, first, last)) for key in used}
        counts = lengths.pop("edge_index")
        if "num_nodes" in entries:
            if entries["num_nodes"].layout != _NUMBERS:
                return None
            lengths["num_nodes"] = self.tensors["num_nodes"][first:last].numpy().astype(np.int64)
        sizes = lengths.get("x", lengths.get("num_nodes"))
        if sizes is None:
            return None
        if any(not np.array_equal(own, counts if key in OF_EDGES else sizes) for key, own in lengths.items()):
            return None
        # What was narrowed is made anew for whoever asks.
        own = frozenset(key for key in used if self.tensors[key].dtype is not getattr(torch, entries[key].dtype))
        return JoinedGraphs(sizes, counts, {key: self._rows(entries[key], first, last) for key in used}, own)

    def labels(self, first: int, last: int) -> Ints | None:
        """Labels of graphs from ``first`` up to ``last``; ``None`` where they are not whole numbers, one a graph."""
        entry = self.by_key.get("y")
        if entry is None or entry.layout == _TEXTS or entry.dtype.startswith(("float", "bfloat", "bool", "uint64")):
            return None
        if entry.layout == _ROWS and (
            self.tensors["y"].dim() != 1 or (np.diff(self._starts("y", first, last)) != 1).any()
        ):
            return None
        begin = int(self._starts("y", first, last)[0]) if entry.layout == _ROWS else first
        labels: Ints = self.tensors["y"][begin : begin + last - first].numpy().astype(np.int64)
        return labels

    def save(self, path: Path) -> None:
        """Write them to a file that holds nothing but numbers and texts."""
        described = [[entry.key, entry.layout, entry.dim, entry.dtype] for entry in self.entries]
        texts = {"format": FORMAT, "size": str(self.size), "entries": json.dumps(described)}
        write_tensors(path, self.tensors, texts | {"texts": json.dumps(self.texts)})

    @classmethod
    def load(cls, path: Path) -> "CollatedGraphs":
        """Read them back.

        Raises:
            ValueError: If the file is damaged, or something else; the message names it.
        """
        tensors, texts = read_tensors(path)
        if texts.get("format") != FORMAT:
            raise ValueError(f"{path} holds no graphs of this version; write them again by protograph.write_shards")
        try:
            entries = tuple(Entry(*entry) for entry in json.loads(texts["entries"]))
            made = cls(entries, tensors, json.loads(texts["texts"]), int(texts["size"]))
            made._check()
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
            raise ValueError(f"{path} is damaged: {error or type(error).__name__}") from None
        return made

    def _check(self) -> None:
        """Check that every attribute has a value for each graph."""
        for entry in self.entries:
            dtypes = _NUMBER_TYPES if entry.layout == _NUMBERS else {"": str} if entry.layout == _TEXTS else vars(torch)
            if entry.layout not in (_ROWS, _SCALARS, _NUMBERS, _TEXTS) or entry.dtype not in dtypes:
                raise ValueError(f"{entry.key} is of an unknown type")
            values = self.texts[entry.key] if entry.layout == _TEXTS else self.tensors[entry.key]
            if entry.layout != _ROWS:
                is_whole = len(values) == self.size
            else:
                starts, length = self.tensors[f"{entry.key}/starts"].numpy(), self.tensors[entry.key].shape[entry.dim]
                is_whole = starts.shape == (self.size + 1,) and starts[0] == 0 and starts[-1] == length
                is_whole = is_whole and bool((np.diff(starts) >= 0).all())
            if not is_whole:
                raise ValueError(f"{entry.key} has not a value for each of {self.size} graphs")


def collated(graphs: Sequence[Any]) -> CollatedGraphs:
    """Lay graphs end to end.

    Raises:
        UnusualGraphError: If one is no plain ``Data``, or they do not have the same attributes of the same types.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=1)
    >>> shard = collated([graph, graph])
    >>> shard.graph(1), shard.together(0, 2).sizes
    (Data(x=[2, 1], edge_index=[2, 2], y=1), array([2, 2]))
    """
    if set(map(type, graphs)) != {Data}:
        kind = next(type(graph) for graph in graphs if type(graph) is not Data)
        raise UnusualGraphError(f"a graph must be a torch_geometric.data.Data itself, got {kind.__name__}")
    contents = [graph.to_dict() for graph in graphs]
    keys = tuple(contents[0])
    if any(tuple(content) != keys for content in contents):
        other = next(content for content in contents if tuple(content) != keys)
        raise UnusualGraphError(f"graphs must have the same attributes, got {', '.join(keys)} and {', '.join(other)}")
    entries, tensors, texts = [], dict[str, Tensor](), dict[str, list[str]]()
    for key in keys:
        column = [content[key] for content in contents]
        kinds = set(map(type, column))
        kind = kinds.pop()
        if kinds or kind not in (Tensor, bool, int, float, str):
            raise UnusualGraphError(f"{key} must be a tensor, a number or a text in all graphs, got {kind.__name__}")
        if kind is str:
            entries.append(Entry(key, _TEXTS, 0, ""))
            texts[key] = column
        elif kind is Tensor:
            entries.append(_add_tensors(key, column, tensors))
        else:
            entries.append(Entry(key, _NUMBERS, 0, kind.__name__))
            tensors[key] = _as_tensor(key, column)
    return CollatedGraphs(tuple(entries), tensors, texts, len(contents))


def _as_tensor(key: str, column: list[Any]) -> Tensor:
    try:
        return torch.tensor(column, dtype=torch.float64 if type(column[0]) is float else None)
    except (RuntimeError, OverflowError, ValueError, TypeError):
        raise UnusualGraphError(f"{key} must be of at most 64 bits, got a larger number") from None


def _add_tensors(key: str, column: list[Tensor], tensors: dict[str, Tensor]) -> Entry:
    first = column[0]
    looks = {(one.dtype, one.dim()) for one in column}
    if len(looks) > 1 or not all(map(is_storable, column)):
        raise UnusualGraphError(f"{key} must be plain tensors of one type and number of dimensions in all graphs")
    name = str(first.dtype).removeprefix("torch.")
    plain = [one.detach().cpu() for one in column] if first.is_cuda or first.requires_grad else column
    if first.dim() == 0:
        tensors[key] = torch.stack(plain)
        return Entry(key, _SCALARS, 0, name)
    dim = 1 if first.dim() == 2 and Data().__cat_dim__(key, first) == -1 else 0
    try:
        values = torch.cat([one.detach() for one in plain], dim=dim)
    except RuntimeError:
        raise UnusualGraphError(f"{key} must have as many columns in all graphs") from None
    tensors[key] = _narrowed(values)
    lengths = [one.shape[dim] for one in plain]
    tensors[f"{key}/starts"] = torch.tensor([0, *lengths]).cumsum(0)
    return Entry(key, _ROWS, dim, name)


def _narrowed(values: Tensor) -> Tensor:
    """The same numbers in fewer bytes where they are whole; a negative zero is not."""
    if not values.numel() or values.dtype in (torch.bool, torch.uint8, torch.int8):
        return values
    if values.is_floating_point():
        # Most features that are no bytes show it at the first look.
        if not _are_bytes(values.reshape(-1)[:64]) or not _are_bytes(values):
            return values
        return values.to(torch.uint8)
    low, high = (int(end) for end in torch.aminmax(values))
    for dtype in _WHOLE:
        limits = torch.iinfo(dtype)
        if limits.min <= low and high <= limits.max and dtype.itemsize < values.element_size():
            return values.to(dtype)
    return values


def _are_bytes(values: Tensor) -> bool:
    low, high = torch.aminmax(values)
    if not (low >= 0 and high <= 255) or bool(torch.signbit(values).any()):
        return False
    return bool((values.to(torch.uint8) == values).all())
