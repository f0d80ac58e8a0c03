"""Graphs that can be read again by index, whatever they came in."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch_geometric.data import Data, OnDiskDataset

from protograph.graphs.cleaning import Findings, clean
from protograph.graphs.collated import CollatedGraphs
from protograph.graphs.containers import check_container, is_in_memory, is_sequence, read_each, single_graphs
from protograph.graphs.in_memory import InMemoryGraphs, is_laid_out
from protograph.graphs.joining import GraphChunk, JoinedGraphs
from protograph.graphs.origins import NAME_KEYS, Origin, Origins, origins_of
from protograph.graphs.shards import SHARD_GRAPHS, CollatedShards, TorchShards, opened_folder
from protograph.graphs.spool import Spool

# Of graphs laid end to end that are kept until they are encoded; what is more is laid out once again.
_BYTES_LAID_OUT = 2**27
# What is encoded of graphs.
_ENCODED = ("x", "edge_attr")
# Graphs of an OnDiskDataset that are fetched at a time.
_FETCHED = 256
# Sources that keep their graphs laid end to end.
_CHUNKED = (CollatedShards, InMemoryGraphs)
# Graphs of a chunk from which on chunks are checked by several threads: smaller ones wait for Python's lock.
_WORTH_A_THREAD = 2**13


class GraphStore:
    """Checked graphs, a chunk at a time or one by one.

    A list or data set is read in place. A generator can be read only once, so what it gives is kept: in memory up
    to ``max_bytes``, beyond that in temporary files that go away with the store. It is read as far as somebody asks for
    its graphs; only ``len`` reads it to its end. An ``OnDiskDataset`` and a folder of ``.pt`` files are read
    like that too, since to read them again takes longer than the model.

    Args:
        graphs: A sequence, PyG data set, folder of shards, or any iterable of graphs (or of batches of them).
        max_bytes: How much of a generator's output to keep in memory.

    Attributes:
        findings: What was changed in the graphs of the latest :meth:`chunks`.
        seconds: How long reading and checking of chunks has taken so far.
    """

    def __init__(
        self, graphs: Iterable[Data] | Sequence[Data] | str | PathLike[str], max_bytes: int | None = None
    ) -> None:
        given: Any = opened_folder(Path(graphs)) if isinstance(graphs, str | PathLike) else graphs
        check_container(given)
        is_read_once = not is_sequence(given) or isinstance(given, OnDiskDataset)
        length: int | None = len(given) if is_sequence(given) else None
        if is_read_once:
            self._source: Any = Spool(single_graphs(_fetched(given)), max_bytes)
        else:
            inner = getattr(given, "graphs", None)  # of a data set that has names beside its graphs
            whole = inner if isinstance(inner, CollatedShards) else given
            self._source = InMemoryGraphs(whole) if is_laid_out(whole) else whole
        if length == 0 or (is_read_once and not self._source.pull()):
            raise ValueError("graphs is empty; pass at least one graph")
        self._origin = partial(_origin, _origins(given, length), self._source)
        self.findings = self._findings()
        self.seconds = 0.0
        self._laid_out: dict[int, JoinedGraphs] = {}  # by the first graph of a chunk
        self._checked: dict[int, GraphChunk] = {}  # the same, of chunks that are to come
        self._length = length
        self._reference: Data | None = None
        self._reference = self[0]

    @property
    def known_length(self) -> int | None:
        """How many graphs there are, ``None`` as long as that is not known."""
        source = self._source
        return source.num_pulled if isinstance(source, Spool) and source.is_whole else self._length

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> Data:
        return self.take([index])[0]

    def take(self, indices: Sequence[int]) -> list[Data]:
        """The graphs at these indices, checked."""
        return list(self.take_chunk(indices))

    def take_chunk(self, indices: Sequence[int]) -> Sequence[Data]:
        """The same as they were laid end to end for the checks, where they could be."""
        # In their order: those that are in one file are read together.
        ordered = sorted(set(indices))
        found = dict(zip(ordered, read_each(self._source, ordered), strict=True))
        return clean([found[index] for index in indices], indices, self._reference, self._findings())

    def first(self, count: int) -> Sequence[Data]:
        """The first graphs, checked: so many, or all; a generator is read no further."""
        source = self._source
        return self.chunk(0, source.reach(count) if isinstance(source, Spool) else min(count, len(self)))

    def origin(self, index: int) -> Origin:
        """Where a graph came from."""
        return self._origin(index)

    def label(self, index: int) -> str:
        """What messages call a graph, by where it came from."""
        return self.origin(index).label

    @property
    def has_plain_origins(self) -> bool:
        """Whether nothing is known of where graphs came from but their places."""
        spool = self._source
        if not isinstance(spool, Spool) or self._origin.args[0].files:
            return False
        shards = (spool.shard(number) for number in range(spool.num_shards))
        named = {*NAME_KEYS, "smiles"}
        return all(isinstance(shard, CollatedGraphs) and not shard.by_key.keys() & named for shard in shards)

    @property
    def gives_views(self) -> bool:
        """Whether chunks of graphs are views of tensors that are in memory anyway."""
        return isinstance(self._source, InMemoryGraphs)

    @property
    def source(self) -> Any:
        """What graphs are read from: what was given, or what keeps it."""
        return self._source

    @property
    def reference(self) -> Data:
        """The first graph, which all others must be alike."""
        assert self._reference is not None
        return self._reference

    def read_from(self, source: CollatedShards) -> "GraphStore":
        """The same graphs, for another process: read from a source that it can read."""
        other = copy(self)
        other._source, other._length = source, len(source)
        other._origin = partial(_origin, self._origin.args[0], source)
        other.findings, other._laid_out, other._checked = other._findings(), {}, {}
        return other

    def _findings(self) -> Findings:
        # Without a reference to this object, which would keep its temporary files.
        return Findings(partial(_label, self._origin))

    def unchecked(self) -> Iterator[Data]:
        """All graphs in order as they came, for those who take any edges and need no checks."""
        return (self._source[index] for index in range(len(self)))

    def to_encode(self) -> Iterator[Data | JoinedGraphs]:
        """As :meth:`unchecked`; what is laid end to end comes as such.

        That is what the latest :meth:`chunks` laid so, the first time, and what its source keeps so, every time.
        """
        return self._end_to_end(self._laid_out.pop)

    def laid_out(self) -> Iterator[Data | JoinedGraphs]:
        """As :meth:`to_encode`, and nothing is used up."""
        return self._end_to_end(self._laid_out.get)

    def _end_to_end(self, known: Callable[[int, None], JoinedGraphs | None]) -> Iterator[Data | JoinedGraphs]:
        index, is_chunked = 0, isinstance(self._source, _CHUNKED)
        while index < len(self):
            last = min(index + SHARD_GRAPHS, len(self)) if is_chunked else index + 1
            some = self._source.chunk(index, last) if is_chunked else ()
            together = some.together.only(_ENCODED) if isinstance(some, GraphChunk) else known(index, None)
            if together is not None:
                yield together
                index += len(together.sizes)
            else:
                yield from some or [self._source[index]]
                index = last

    def check(self, size: int) -> None:
        """Check all graphs before any is used, where they are in memory; others are checked as they are read.

        Args:
            size: Of the chunks that will be asked for: what was laid end to end for the checks is kept for these.

        Raises:
            TypeError: If one is no graph.
            ValueError: If one cannot be used.
        """
        self._checked, num_bytes = {}, 0
        if not self._is_in_memory:
            return
        started = time.perf_counter()
        # Of a data set in memory these are views; others take memory of their own.
        are_views = self.gives_views
        in_threads = are_views and size >= _WORTH_A_THREAD
        for start, graphs in self._cleaned(range(0, len(self), size), size, in_threads=in_threads):
            if isinstance(graphs, GraphChunk):
                num_bytes += 0 if are_views else graphs.together.num_bytes
                if num_bytes <= _BYTES_LAID_OUT:
                    self._checked[start] = graphs
        self.seconds += time.perf_counter() - started

    def _cleaned(self, starts: range, size: int, *, in_threads: bool) -> Iterator[tuple[int, Sequence[Data]]]:
        """Chunks that begin at these places, checked, in as many threads as PyTorch uses where that is quicker."""

        def cleaned(start: int) -> Sequence[Data]:
            indices = range(start, min(start + size, len(self)))
            return clean(self._chunk(indices), indices, self._reference, self._findings())

        threads = min(torch.get_num_threads(), len(starts)) if in_threads else 1
        if threads == 1:
            yield from ((start, cleaned(start)) for start in starts)
            return
        with ThreadPoolExecutor(threads, thread_name_prefix="protograph-check") as pool:
            yield from zip(starts, pool.map(cleaned, starts), strict=True)

    @property
    def _is_in_memory(self) -> bool:
        """Whether all graphs are there, and reading them once more costs next to nothing."""
        source = self._source
        if isinstance(source, Spool):
            return source.is_whole and not source.has_files
        return isinstance(source, InMemoryGraphs) or is_in_memory(source)

    def chunks(self, size: int) -> Iterator[Sequence[Data]]:
        """Yield all graphs in order, ``size`` at a time, checked; what was changed is on ``findings``.

        To be shown to a model once, which may write into the tensors that are a chunk's own.
        """
        self.findings = self._findings()
        self._laid_out, num_bytes, start = {}, 0, 0
        while True:
            started = time.perf_counter()
            last = self._source.reach(start + size) if isinstance(self._source, Spool) else min(start + size, len(self))
            if last <= start:
                return
            indices, known = range(start, last), self._checked.pop(start, None)
            graphs: Sequence[Data]
            if known is not None and len(known) == len(indices):
                graphs = known
            else:
                graphs = clean(self._chunk(indices), indices, self._reference, self.findings)
            if isinstance(graphs, GraphChunk) and not isinstance(self._source, _CHUNKED):
                together = graphs.together.only(_ENCODED)
                num_bytes += together.num_bytes
                if num_bytes <= _BYTES_LAID_OUT and not together.tensors["edge_index"].is_cuda:
                    self._laid_out[start] = together
            self.seconds += time.perf_counter() - started
            yield graphs
            start = last

    def chunk(self, first: int, last: int) -> Sequence[Data]:
        """Graphs from ``first`` up to ``last``, checked, to be shown as often as one likes; there must be so many."""
        indices = range(first, last)
        graphs = clean(self._chunk(indices), indices, self._reference, self._findings())
        return graphs.to_keep() if isinstance(graphs, GraphChunk) else graphs

    def _chunk(self, indices: range) -> Sequence[Any]:
        source = self._source
        if isinstance(source, _CHUNKED):
            return source.chunk(indices.start, indices.stop)
        return read_each(source, indices)


def _origin(origins: Origins, graphs: Sequence[Data], index: int) -> Origin:
    return origins.of(index, graphs[index])


def _label(origin: Callable[[int], Origin], index: int) -> str:
    return origin(index).label


def _origins(given: Any, length: int | None) -> Origins:
    if length is not None:
        return origins_of(given, length)
    # How many there are is not known yet, nor, of a folder, where all of its files begin.
    positions: Any = range(sys.maxsize)
    if isinstance(given, TorchShards):
        return Origins(positions=positions, files=given.files, starts=given.starts)
    return Origins(positions=positions)


def _fetched(graphs: Any) -> Iterable[Any]:
    """The graphs of an iterable; of a data base some at a time, which is quicker."""
    if not isinstance(graphs, OnDiskDataset) or graphs.transform is not None:
        some: Iterable[Any] = graphs
        return some
    places = list(graphs.indices())
    return (
        graph
        for first in range(0, len(places), _FETCHED)
        for graph in graphs.multi_get(places[first : first + _FETCHED])
    )
