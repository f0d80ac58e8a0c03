"""The conditions that rules are made of: small patterns of the searched graphs, and how often they are there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraphs, ranges
from protograph.page.counting import spread
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.page.reasons.learning import Table
from protograph.page.reasons.options import ReasonOptions
from protograph.patterns.enumerate import Fragment, fragments_by_reading

# Nodes of shapes that are counted as often as it takes: nodes, edges, triangles and paths of three; of patterns with
# kinds, single nodes are.
_COUNTED_SHAPES = 3


@dataclass(frozen=True, eq=False)
class Pool:
    """Conditions, no two of which hold in the same searched graphs, and where each holds.

    Attributes:
        conditions: The conditions.
        table: 1 where a condition (row) holds in a searched graph (column).
    """

    conditions: list[Condition]
    table: Table


class PoolBuilder:
    """Collects conditions; of those that hold in the same graphs the simplest is kept.

    Args:
        searched: The searched graphs, ascending.
        min_graphs: Fewest of them in which a condition must hold, and in which it must not.
    """

    def __init__(self, searched: Ints, min_graphs: int) -> None:
        self.searched, self._min_graphs = searched, min_graphs
        self._rows: dict[bytes, tuple[Condition, Bools]] = {}

    def add(self, condition: Condition, holds: Bools) -> None:
        """Add a condition that holds in these of the searched graphs."""
        number = int(holds.sum())
        if not self._min_graphs <= number <= holds.size - self._min_graphs:
            return
        key = np.packbits(holds).tobytes()
        known = self._rows.get(key)
        if known is None or condition.complexity < known[0].complexity:
            self._rows[key] = condition, holds

    def pool(self) -> Pool:
        """What has been collected."""
        rows = list(self._rows.values())
        table = np.array([holds for _, holds in rows], dtype=np.float32).reshape(len(rows), self.searched.size)
        return Pool([condition for condition, _ in rows], table)


class SmallPatterns:
    """All small patterns of the searched graphs as conditions, and where they hold; larger ones only once asked for.

    Args:
        reader: Tells in which graphs conditions hold.
        searched: The searched graphs, ascending.
        classes: Class of each of them.
        min_graphs: Fewest of them in which a pattern must lie.
        options: How far to go.
    """

    def __init__(
        self, reader: ConditionReader, searched: Ints, classes: Ints, min_graphs: int, options: ReasonOptions
    ) -> None:
        self._reader, self._searched, self._classes = reader, searched, classes
        self._min_graphs, self._options = min_graphs, options
        self._largest = 0  # nodes up to which all patterns have been gone through

    @property
    def are_all(self) -> bool:
        """Whether patterns of as many nodes as wanted have been gone through in all graphs."""
        return self._largest >= self._options.max_nodes

    def exhaustive(self, max_sets: int) -> Iterator[tuple[Condition, Bools]]:
        """The patterns that have not been gone through before, as far as there are not too many sets of nodes."""
        every = self._fragments(self._searched, self._min_graphs, max_sets)
        for has_kinds, own in zip(self._reader.readings, every, strict=True):
            for fragment in own:
                yield from _often_enough(fragment, has_kinds, self._searched, self._options)
        sizes = (len(fragment.pattern) for own in every for fragment in own if not fragment.is_ring)
        self._largest = max(sizes, default=self._largest)

    def sampled(self) -> Iterator[tuple[Condition, Bools]]:
        """Patterns of more nodes, looked for in some graphs; the most telling of them are counted in all."""
        few = _affordable(next(iter(self._reader.readings.values())), self._searched, self._options)
        least = max(2, self._min_graphs * few.size // self._searched.size)
        classes = self._classes[np.searchsorted(self._searched, few)]
        some = self._fragments(few, least, self._options.max_sets)
        for has_kinds, own in zip(self._reader.readings, some, strict=True):
            larger = [one for one in own if len(one.pattern) <= self._options.max_nodes]
            for fragment in _most_telling(larger, few, classes, self._options.num_sampled):
                condition = Condition(fragment.source, fragment.pattern, has_kinds, fragment.is_induced)
                yield condition, self._reader.holds(condition, self._searched)

    def _fragments(self, chosen: Ints, min_graphs: int, max_sets: int) -> list[list[Fragment]]:
        return fragments_by_reading(
            list(self._reader.readings.values()),
            chosen,
            max_nodes=self._options.max_nodes,
            max_ring=self._options.max_ring,
            max_sets=max_sets,
            min_graphs=min_graphs,
            min_nodes=self._largest + 1,
        )


def _affordable(graphs: EncodedGraphs, searched: Ints, options: ReasonOptions) -> Ints:
    """So many of the graphs, evenly spaced, that all their sets of nodes can be gone through."""
    sizes = graphs.nodes[searched + 1] - graphs.nodes[searched]
    nodes = ranges(graphs.nodes[searched], sizes)
    degrees = (graphs.starts[nodes + 1] - graphs.starts[nodes]).astype(np.float64)
    # Sets of so many nodes around a node are at most about the power of its degree, paths and stars alike.
    around = np.add.reduceat(np.append(degrees ** (options.max_nodes - 1), 0.0), sizes.cumsum() - sizes)
    sets = around.cumsum()
    return spread(searched, int(max(20, searched.size * min(1.0, options.max_sets / max(sets[-1], 1.0)))))


def _most_telling(found: list[Fragment], graphs: Ints, classes: Ints, number: int) -> list[Fragment]:
    """For each class the fragments that tell it from the others best."""
    chosen: dict[int, Fragment] = {}
    holds = np.array([np.isin(graphs, fragment.graphs) for fragment in found]).reshape(len(found), graphs.size)
    for target in np.unique(classes):
        inside, outside = holds[:, classes == target], holds[:, classes != target]
        leads = inside.mean(axis=1) - (outside.mean(axis=1) if outside.size else 0.0)
        chosen |= {place: found[place] for place in np.argsort(-leads, kind="stable")[:number].tolist()}
    return [chosen[place] for place in sorted(chosen)]


def _often_enough(
    fragment: Fragment, has_kinds: bool, searched: Ints, options: ReasonOptions
) -> Iterator[tuple[Condition, Bools]]:
    """A fragment that is there at all, or often: single nodes as often as it takes, larger ones a few times."""
    places = np.zeros(searched.size, np.int64)
    places[np.searchsorted(searched, fragment.graphs)] = fragment.places
    plain = Condition(fragment.source, fragment.pattern, has_kinds, fragment.is_induced, fragment.closed)
    is_counted = len(fragment.pattern) <= (1 if has_kinds else _COUNTED_SHAPES)
    for number in _thresholds(fragment.places, is_counted, options):
        yield replace(plain, at_least=number), places >= number


def _thresholds(places: Ints, is_counted: bool, options: ReasonOptions) -> Iterable[int]:
    different = np.unique(places)
    if not is_counted:
        return [1, *(number for number in range(2, options.max_places + 1) if number <= different[-1])]
    if different.size > options.num_thresholds:
        different = np.unique(np.quantile(places, np.linspace(0, 1, options.num_thresholds)).astype(np.int64))
    return sorted({1, *different.tolist()})
