"""The conditions that rules are made of: small patterns of the searched graphs, and how often they are there."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.options import ReasonOptions
from protograph.page.reasons.conditions import Condition
from protograph.page.reasons.learning import Table
from protograph.patterns.fragments import Fragment, fragments


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


def small_patterns(
    readings: Mapping[bool, EncodedGraphs], searched: Ints, min_graphs: int, options: ReasonOptions
) -> Iterator[tuple[Condition, Bools]]:
    """All small patterns of the searched graphs as conditions, and where they hold."""
    for has_kinds, graphs in readings.items():
        for fragment in fragments(
            graphs,
            searched,
            max_nodes=options.max_nodes,
            max_ring=options.max_ring,
            max_sets=options.max_sets,
            min_graphs=min_graphs,
        ):
            yield from _often_enough(fragment, has_kinds, searched, options)


def _often_enough(
    fragment: Fragment, has_kinds: bool, searched: Ints, options: ReasonOptions
) -> Iterator[tuple[Condition, Bools]]:
    """A fragment that is there at all, or often: single nodes as often as it takes, larger ones a few times."""
    places = np.zeros(searched.size, np.int64)
    places[np.searchsorted(searched, fragment.graphs)] = fragment.places
    plain = Condition(fragment.source, fragment.pattern, has_kinds, fragment.is_induced, fragment.closed)
    for number in _thresholds(fragment.places, len(fragment.pattern) == 1, options):
        yield replace(plain, at_least=number), places >= number


def _thresholds(places: Ints, is_single: bool, options: ReasonOptions) -> Iterable[int]:
    different = np.unique(places)
    if not is_single:
        return [1, *(number for number in range(2, options.max_places + 1) if number <= different[-1])]
    if different.size > options.num_thresholds:
        different = np.unique(np.quantile(places, np.linspace(0, 1, options.num_thresholds)).astype(np.int64))
    return sorted({1, *different.tolist()})
