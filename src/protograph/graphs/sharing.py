"""Graphs for processes that do not see this one's memory: by the files that they are in, or handed to them once."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from torch_geometric.data import Data

from protograph.engines.engine import Engine, Shared
from protograph.graphs.collated import CollatedGraphs
from protograph.graphs.containers import read_each
from protograph.graphs.shards import SHARD_GRAPHS, CollatedShards, ShardFolder
from protograph.graphs.spool import Spool, laid_out
from protograph.graphs.store import GraphStore

Handed: TypeAlias = Shared[CollatedGraphs | list[Data]]


class HandedShards(CollatedShards):
    """Shards that were handed over, each fetched when its graphs are asked for.

    Args:
        starts: Number of the first graph of each, and at the end of the one after the last; the first need not be 0.
        shards: The shards.
    """

    def __init__(self, starts: list[int], shards: Sequence[Handed]) -> None:
        super().__init__(starts)
        self._shards = shards

    def _read(self, number: int) -> CollatedGraphs | list[Data]:
        return self._shards[number].get()


@dataclass(frozen=True, eq=False)
class GraphRun:
    """Neighbouring graphs that are worked on together.

    Attributes:
        first: The first.
        last: The one after the last.
        handed: Where they are; ``None`` where they are in files that everybody reads.
    """

    first: int
    last: int
    handed: HandedShards | None = None


class SharedGraphs:
    """The graphs of a store, shared with the workers of an engine.

    Those of a folder of shards are in files that every worker reads. All others are laid end to end here, a shard at a
    time, and handed over once, when they are first asked for.

    Args:
        store: The store.
        engine: Hands them over.
    """

    def __init__(self, store: GraphStore, engine: Engine) -> None:
        self._store, self._engine = store, engine
        self._starts, self._shards = [0], list[Handed]()

    @property
    def files(self) -> ShardFolder | None:
        """The folder of shards, where they are in one."""
        source = self._store.source
        return source if isinstance(source, ShardFolder) else None

    def runs(self, size: int) -> Iterator[GraphRun]:
        """All graphs, so many at a time; what can be read only once is read as far as runs are asked for."""
        first = 0
        while (last := self._reach(first + size)) > first:
            yield self._run(first, last)
            first = last

    def num_runs(self, size: int) -> int | None:
        """How many runs there are; ``None`` where that is not known yet."""
        length = self._store.known_length
        return None if length is None else -(-length // size)

    def store(self) -> GraphStore:
        """All graphs, for other processes to be read by index."""
        if self.files is not None:
            return self._store.read_from(self.files)
        self._hand_over(len(self._store))
        return self._store.read_from(HandedShards(self._starts, self._shards))

    def _reach(self, last: int) -> int:
        source: Any = self._store.source
        return source.reach(last) if isinstance(source, Spool) else min(last, len(self._store))

    def _run(self, first: int, last: int) -> GraphRun:
        if self.files is not None:
            return GraphRun(first, last)
        self._hand_over(last)
        low, high = bisect_right(self._starts, first) - 1, bisect_left(self._starts, last)
        return GraphRun(first, last, HandedShards(self._starts[low : high + 1], self._shards[low:high]))

    def _hand_over(self, last: int) -> None:
        """Hand over all shards up to that with the graph before ``last``."""
        while self._starts[-1] < last:
            shard = self._shard(self._starts[-1])
            self._shards.append(self._engine.share(shard, "the graphs"))
            self._starts.append(self._starts[-1] + len(shard))

    def _shard(self, first: int) -> CollatedGraphs | list[Data]:
        source: Any = self._store.source
        if isinstance(source, Spool):
            return source.shard(len(self._shards))
        return laid_out(read_each(source, range(first, min(first + SHARD_GRAPHS, len(self._store)))))
