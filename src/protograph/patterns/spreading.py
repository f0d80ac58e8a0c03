"""Patterns counted in very many graphs by the workers of an engine, each in its shard of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Ints, Kinds
from protograph.engines.engine import Engine, Shared
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.containment import searched

if TYPE_CHECKING:
    from protograph.patterns.containment_kernels import Plan

# Graphs of a shard, at least: a pattern is counted in them in some milliseconds, which is more than to ask takes.
LEAST_GRAPHS = 4096
# Shards a worker, so that all of them are busy to the end.
_SHARDS_A_WORKER = 4
# Graphs end to end, as the compiled search takes them.
_Columns: TypeAlias = tuple[Ints, Kinds, Ints, Kinds, Kinds]


@dataclass(frozen=True, eq=False)
class Count:
    """A pattern to be counted in some graphs of a shard.

    Attributes:
        graphs: The shard.
        plan: How to look for the pattern.
        indices: The graphs to look at, numbered within the shard.
        max_calls: How long to look.
    """

    graphs: Shared[_Columns]
    plan: "Plan"
    indices: Ints
    max_calls: int


def counted(count: Count) -> NDArray[np.int8]:
    """The answers of the search."""
    from protograph.patterns.containment_kernels import Graphs

    # What was handed over can only be read, and for such arrays the search would have to be compiled once more.
    own: Any = (column if column.flags.writeable else column.copy() for column in count.graphs.get())
    return searched(Graphs(*own), count.plan, count.indices.copy(), count.max_calls)


class SpreadCounts:
    """Counts patterns in graphs, which are handed to the workers once, on first use.

    Args:
        engine: The engine.
        graphs: The graphs.
    """

    def __init__(self, engine: Engine, graphs: EncodedGraphs) -> None:
        self._engine, self._graphs = engine, graphs
        self._size = 0
        self._shards: list[Shared[_Columns]] = []

    def __call__(self, plan: "Plan", indices: Ints, max_calls: int) -> NDArray[np.int8]:
        """The answers of the search, for graphs in the order that is asked for."""
        if not self._shards:
            self._hand_over()
        answers, shards = np.empty(indices.size, np.int8), indices // self._size
        places = [np.flatnonzero(shards == number) for number in range(len(self._shards))]
        asked = [(number, own) for number, own in enumerate(places) if own.size]
        counts = [
            Count(self._shards[number], plan, indices[own] - number * self._size, max_calls) for number, own in asked
        ]
        found = self._engine.begin(counted, counts, name_of=lambda _: "counting a pattern")
        for (_, own), answer in zip(asked, found, strict=True):
            answers[own] = answer
        return answers

    def _hand_over(self) -> None:
        number = max(1, self._engine.num_workers) * _SHARDS_A_WORKER
        self._size = max(LEAST_GRAPHS, -(-len(self._graphs) // number))
        for first in range(0, len(self._graphs), self._size):
            columns = shard_of(self._graphs, first, min(first + self._size, len(self._graphs)))
            self._shards.append(self._engine.share(columns, "the encoded graphs"))


def shard_of(graphs: EncodedGraphs, first: int, last: int) -> _Columns:
    """Graphs from ``first`` up to ``last``, end to end and numbered from 0."""
    nodes = graphs.nodes[first : last + 1]
    starts = graphs.starts[nodes[0] : nodes[-1] + 1]
    inside, entries = slice(nodes[0], nodes[-1]), slice(starts[0], starts[-1])
    return (
        nodes - nodes[0],
        graphs.node_kinds[inside],
        starts - starts[0],
        graphs.neighbours[entries],
        graphs.edge_kinds[entries],
    )
