"""Graphs that can be read again by index, whatever they came in."""

import pickle
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.cleaning import Findings, clean
from protograph.graphs.containers import check_container, is_in_memory, is_sequence, read_each, single_graphs
from protograph.graphs.joining import GraphChunk, JoinedGraphs
from protograph.graphs.origins import Origin, Origins, origins_of
from protograph.graphs.reading import Shards

_BYTES_IN_MEMORY = 2**30
# Of graphs laid end to end that are kept until they are encoded; what is more is laid out once again.
_BYTES_LAID_OUT = 2**27
# What is encoded of graphs.
_ENCODED = ("x", "edge_attr")


class GraphStore:
    """Checked graphs, a chunk at a time or one by one.

    A list or data set is read in place. A generator can be read only once, so what it gives is kept: in memory up
    to ``max_bytes``, beyond that in temporary files that go away with the store.

    Args:
        graphs: A sequence, PyG data set, or any iterable of graphs (or of batches of them).
        max_bytes: How much of a generator's output to keep in memory.

    Attributes:
        findings: What was changed in the graphs of the latest :meth:`chunks`.
        seconds: How long reading and checking of chunks has taken so far.
    """

    def __init__(self, graphs: Iterable[Data] | Sequence[Data], max_bytes: int = _BYTES_IN_MEMORY) -> None:
        check_container(graphs)
        self._source: Any = graphs if is_sequence(graphs) else _Spool(single_graphs(graphs), max_bytes)
        if len(self) == 0:
            raise ValueError("graphs is empty; pass at least one graph")
        source: Any = self._source
        self._origin = partial(_origin, origins_of(graphs, len(self)), source)
        self.findings = self._findings()
        self.seconds = 0.0
        self._laid_out: dict[int, JoinedGraphs] = {}  # by the first graph of a chunk
        self._checked: dict[int, JoinedGraphs] = {}  # the same, of chunks that are to come
        self._reference: Data | None = None
        self._reference = self[0]

    def __len__(self) -> int:
        return len(self._source)

    def __getitem__(self, index: int) -> Data:
        return self.take([index])[0]

    def take(self, indices: Sequence[int]) -> list[Data]:
        """The graphs at these indices, checked."""
        return list(clean(self._read(indices), indices, self._reference, self._findings()))

    def origin(self, index: int) -> Origin:
        """Where a graph came from."""
        return self._origin(index)

    def label(self, index: int) -> str:
        """What messages call a graph, by where it came from."""
        return self.origin(index).label

    def _findings(self) -> Findings:
        # Without a reference to this object, which would keep its temporary files.
        origin = self._origin
        return Findings(lambda index: origin(index).label)

    def unchecked(self) -> Iterator[Data]:
        """All graphs in order as they came, for those who take any edges and need no checks."""
        return (self._source[index] for index in range(len(self)))

    def to_encode(self) -> Iterator[Data | JoinedGraphs]:
        """As :meth:`unchecked`; what the latest :meth:`chunks` laid end to end comes as such, the first time."""
        index = 0
        while index < len(self):
            together = self._laid_out.pop(index, None)
            yield self._source[index] if together is None else together
            index += 1 if together is None else len(together.sizes)

    def check(self, size: int) -> None:
        """Check all graphs before any is used, where they are in memory; others are checked as they are read.

        Args:
            size: Of the chunks that will be asked for: what was laid end to end for the checks is kept for these.

        Raises:
            TypeError: If one is no graph.
            ValueError: If one cannot be used.
        """
        self._checked, num_bytes = {}, 0
        if not (is_in_memory(self._source) or (isinstance(self._source, _Spool) and self._source.is_in_memory)):
            return
        started = time.perf_counter()
        for indices in self._parts(size):
            graphs = clean(self._read(indices), indices, self._reference, self._findings())
            if (
                isinstance(graphs, GraphChunk)
                and (num_bytes := num_bytes + graphs.together.num_bytes) <= _BYTES_LAID_OUT
            ):
                self._checked[indices[0]] = graphs.together
        self.seconds += time.perf_counter() - started

    def laid_out(self) -> Iterator[Data | JoinedGraphs]:
        """As :meth:`to_encode`, and nothing is used up."""
        index = 0
        while index < len(self):
            together = self._laid_out.get(index)
            yield self._source[index] if together is None else together
            index += 1 if together is None else len(together.sizes)

    def chunks(self, size: int) -> Iterator[list[Data]]:
        """Yield all graphs in order, ``size`` at a time, checked; what was changed is on ``findings``."""
        self.findings = self._findings()
        self._laid_out, num_bytes = {}, 0
        for indices in self._parts(size):
            start, started = indices[0], time.perf_counter()
            known, given = self._checked.pop(start, None), self._read(indices)
            if known is None or len(known.sizes) != len(indices):
                graphs = clean(given, indices, self._reference, self.findings)
            else:
                graphs = GraphChunk(given, known)
            if isinstance(graphs, GraphChunk):
                together = graphs.together.only(_ENCODED)
                num_bytes += together.num_bytes
                if num_bytes <= _BYTES_LAID_OUT and not together.tensors["edge_index"].is_cuda:
                    self._laid_out[start] = together
            self.seconds += time.perf_counter() - started
            yield graphs

    def _parts(self, size: int) -> Iterator[range]:
        """All indices in order, ``size`` at a time."""
        return (range(start, min(start + size, len(self))) for start in range(0, len(self), size))

    def _read(self, indices: Sequence[int]) -> list[Any]:
        return read_each(self._source, indices)


def _origin(origins: Origins, graphs: Sequence[Data], index: int) -> Origin:
    return origins.of(index, graphs[index])


class _Spool(Shards):
    """Keeps what an iterator gives, in shards of at most so many bytes (or one graph); all but the first are files."""

    def __init__(self, graphs: Iterable[Data], max_bytes: int) -> None:
        super().__init__([0])
        self._folder: Path | None = None
        self._memory: list[Data] = []
        shard: list[Data] = []
        num_bytes = 0
        for graph in graphs:
            num_bytes += _num_bytes(graph)
            if shard and num_bytes > max_bytes:
                self._keep(shard)
                shard, num_bytes = [], _num_bytes(graph)
            shard.append(graph)
        self._keep(shard)

    @property
    def is_in_memory(self) -> bool:
        """Whether there are no files."""
        return self._folder is None

    def _keep(self, graphs: list[Data]) -> None:
        number = len(self._starts) - 1
        if number == 0:
            self._memory = graphs
        else:
            # Our own file in our own private folder, gone with this object: the one place where pickle is safe.
            self._file(number).write_bytes(pickle.dumps(graphs))
        self._starts.append(len(self) + len(graphs))

    def _read(self, number: int) -> list[Data]:
        return self._memory if number == 0 else list(pickle.loads(self._file(number).read_bytes()))  # noqa: S301

    def _file(self, number: int) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="protograph-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder / f"{number}.pickle"


def _num_bytes(graph: Any) -> int:
    if not isinstance(graph, Data):
        return 0
    return sum(v.numel() * v.element_size() for v in graph.to_dict().values() if isinstance(v, Tensor))
