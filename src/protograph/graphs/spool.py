"""Keeps what can be read only once: a generator's graphs, in memory up to a size and beyond it in temporary files."""

import pickle
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.collated import CollatedGraphs, UnusualGraphError, collated
from protograph.graphs.shards import SHARD_GRAPHS, CollatedShards, shard_path

# Bytes of graphs, laid end to end, that stay in memory; what comes after them is in files.
BYTES_IN_MEMORY = 2**26


class Spool(CollatedShards):
    """Graphs of an iterator, pulled shard by shard as they are asked for, and never twice.

    The iterator's own graphs are let go of as soon as their shard is laid end to end.

    Args:
        graphs: The iterator.
        max_bytes: How much stays in memory.
        size: Graphs of a shard.
    """

    def __init__(self, graphs: Iterator[Data], max_bytes: int | None = None, size: int | None = None) -> None:
        super().__init__([0])
        self._left: Iterator[Data] | None = graphs
        self._max_bytes = BYTES_IN_MEMORY if max_bytes is None else max_bytes
        self._size = size or SHARD_GRAPHS
        self._memory: list[CollatedGraphs | list[Data]] = []
        self._num_bytes = 0
        self._folder: Path | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all graphs have come."""
        return self._left is None

    @property
    def has_files(self) -> bool:
        """Whether some of them are in files."""
        return len(self._memory) < self.num_shards

    @property
    def num_pulled(self) -> int:
        """How many graphs have come so far."""
        return self._starts[-1]

    @property
    def num_shards(self) -> int:
        """In how many shards they are."""
        return len(self._starts) - 1

    def __len__(self) -> int:
        while self.pull():
            pass
        return self.num_pulled

    def pull(self) -> bool:
        """Take in the next shard; whether there was one."""
        if self._left is None:
            return False
        graphs = list(islice(self._left, self._size))
        if len(graphs) < self._size:
            self._left = None
        if not graphs:
            return False
        self._keep(graphs)
        return True

    def reach(self, last: int) -> int:
        """Pull until there are so many graphs; how many of these there are."""
        while self.num_pulled < last and self.pull():
            pass
        return min(last, self.num_pulled)

    def __getitem__(self, index: int | slice) -> Data | list[Data]:
        if isinstance(index, int) and index >= 0:
            self.reach(index + 1)
            if index < self.num_pulled:
                # Without a look at how many there are in all: that would pull the rest.
                return self._at(index)
        return super().__getitem__(index)

    def _keep(self, graphs: list[Data]) -> None:
        number, shard = len(self._starts) - 1, laid_out(graphs)
        self._num_bytes += shard.num_bytes if isinstance(shard, CollatedGraphs) else sum(map(_num_bytes, shard))
        self._starts.append(self.num_pulled + len(graphs))
        if self._num_bytes <= self._max_bytes and len(self._memory) == number:
            self._memory.append(shard)
        elif isinstance(shard, CollatedGraphs):
            shard.save(shard_path(self.folder, number))
            self._recent[number] = shard
        else:
            # Our own file in our own private folder, gone with this object: the one place where pickle is safe.
            self._pickled(number).write_bytes(pickle.dumps(shard))

    def _read(self, number: int) -> CollatedGraphs | list[Data]:
        if number < len(self._memory):
            return self._memory[number]
        path = shard_path(self.folder, number)
        if path.exists():
            return CollatedGraphs.load(path)
        return list(pickle.loads(self._pickled(number).read_bytes()))  # noqa: S301

    @property
    def folder(self) -> Path:
        """Private folder of the files, made when it is needed and gone with this object."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="protograph-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _pickled(self, number: int) -> Path:
        return self.folder / f"{number}.pickle"


def laid_out(graphs: list[Data]) -> CollatedGraphs | list[Data]:
    """Graphs laid end to end, or where they cannot be, as they are."""
    try:
        return collated(graphs)
    except UnusualGraphError:
        return graphs


def _num_bytes(graph: object) -> int:
    if not isinstance(graph, Data):
        return 0
    return sum(v.numel() * v.element_size() for v in graph.to_dict().values() if isinstance(v, Tensor))
