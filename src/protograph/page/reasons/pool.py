"""The conditions that rules are made of, and the rules that are learned from a table of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Bools, Floats, Ints
from protograph.graphs.encoding import EncodedGraphs, ranges
from protograph.page.counting import spread
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.page.reasons.scope import ReasonOptions
from protograph.patterns.enumerate import Fragment, fragments_by_reading

Table = NDArray[np.float32]


@dataclass(frozen=True)
class Term:
    """A conjunction: rows of the table that hold, and rows that do not; both ascending."""

    has: tuple[int, ...] = ()
    lacks: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.has) + len(self.lacks)

    def holds(self, table: Table) -> Bools:
        """In which columns of a table it holds."""
        result = np.ones(table.shape[1], np.bool_)
        for row in self.has:
            result &= table[row] > 0
        for row in self.lacks:
            result &= table[row] == 0
        return result

    def joined(self, row: int, num_rows: int) -> "Term":
        """With another row, or, from the number of rows on, with the lack of one."""
        if row < num_rows:
            return Term(tuple(sorted({*self.has, row})), self.lacks)
        return Term(self.has, tuple(sorted({*self.lacks, row - num_rows})))


@dataclass(frozen=True, kw_only=True, eq=False)
class Learner:
    """Learns the rule of a class.

    Attributes:
        table: 1 where a condition (row) holds in a graph (column).
        is_class: Which graphs are of the class.
        costs: What each condition costs where it must hold, in balanced accuracy.
        lack_costs: What it costs where it must not.
        max_conditions: Most conditions of a conjunction.
        width: How many conjunctions go on at a time, for each view of what is promising.
        num_firsts: How many single conditions a rule of such is begun with in turn.
        num_rounds: How often each is looked for again.
    """

    table: Table
    is_class: Bools
    costs: Floats
    lack_costs: Floats
    max_conditions: int = 4
    width: int = 7
    num_firsts: int = 10
    num_rounds: int = 2
    # What has been found; terms are looked for again where the others have not changed.
    _best: dict[tuple[bytes, float], tuple[Term | None, float]] = field(init=False, default_factory=dict)

    # A conjunction that is to be narrowed may take in more of the others, or fewer, than its final worth allows.
    _views = (0.3, 1.0, 3.0)
    # How much more than it weighs a graph of another class counts while the first terms are chosen.
    _cautions = (1.0, 4.0, 20.0)

    def learn(self, max_terms: int) -> list[Term]:
        """The conjunctions of the rule, each worth more than it costs.

        What is good to begin with depends on what follows: a broad term that errs may be worth the most by itself where
        several that hardly err are worth more together. So it is begun more and less cautiously, and the best is taken.
        """
        is_single = self.max_conditions == 1
        rules = [self._begun(max_terms, caution, []) for caution in self._cautions[: None if is_single else 2]]
        if is_single:
            # Also with each of the conditions that are worth the most and hardly err.
            inside, outside = self._weights()
            gains = self.table @ self.is_class.astype(np.float32) * inside
            losses = self.table @ (~self.is_class).astype(np.float32) * outside
            firsts = np.argsort(-(gains - 4 * losses), kind="stable")[: self.num_firsts].tolist()
            rules += [self._begun(max_terms, self._cautions[-1], [Term((row,))]) for row in firsts]
        return max(rules, key=self.total_worth)

    def _begun(self, max_terms: int, caution: float, terms: list[Term]) -> list[Term]:
        while len(terms) < max_terms:
            term, worth = self.best_term(self._covered(terms), caution)
            if term is None or worth <= 0:
                break
            terms.append(term)
        for _ in range(self.num_rounds):
            improved = self._improved(terms)
            if improved == terms:
                break
            terms = improved
        return terms

    def total_worth(self, terms: Sequence[Term]) -> float:
        """What a rule gains less what it costs."""
        return self._gained(self._covered(terms)) - sum(map(self.cost, terms))

    def _improved(self, terms: list[Term]) -> list[Term]:
        """Each term looked for again, given the others; those that are worth nothing any more are gone."""
        terms = list(terms)
        for place in range(len(terms)):
            covered = self._covered([*terms[:place], *terms[place + 1 :]])
            term, worth = self.best_term(covered)
            if term is not None and worth > self.worth(terms[place], covered) + 1e-9:
                terms[place] = term
        kept: list[Term] = []
        for place, term in enumerate(terms):
            if self.worth(term, self._covered([*kept, *terms[place + 1 :]])) > 0:
                kept.append(term)
        return kept

    def _covered(self, terms: Sequence[Term]) -> Bools:
        covered = np.zeros(self.table.shape[1], np.bool_)
        for term in terms:
            covered |= term.holds(self.table)
        return covered

    def cost(self, term: Term) -> float:
        """What the conditions of a term cost."""
        return float(self.costs[list(term.has)].sum() + self.lack_costs[list(term.lacks)].sum())

    def worth(self, term: Term, covered: Bools) -> float:
        """What a term gains where the other terms do not hold, less what it costs."""
        return self._gained(term.holds(self.table) & ~covered) - self.cost(term)

    def _gained(self, holds: Bools) -> float:
        inside, outside = self._weights()
        return float((holds & self.is_class).sum() * inside - (holds & ~self.is_class).sum() * outside)

    def _weights(self) -> tuple[float, float]:
        """What a graph of the class weighs, and one of another."""
        inside = int(self.is_class.sum())
        return 0.5 / max(inside, 1), 0.5 / max(self.is_class.size - inside, 1)

    def best_term(self, covered: Bools, caution: float = 1.0) -> tuple[Term | None, float]:
        """The conjunction that is worth the most where the rule does not hold yet."""
        key = np.packbits(covered).tobytes(), caution
        if key not in self._best:
            is_single = self.max_conditions == 1 and not self._has_lacks
            self._best[key] = self._best_single(covered, caution) if is_single else self._beamed(covered, caution)
        return self._best[key]

    def _beamed(self, covered: Bools, caution: float) -> tuple[Term | None, float]:
        """The best that the most promising conjunctions grow to, a condition at a time."""
        inside, outside = self._weights()
        # Only graphs in which the rule does not hold yet count: those of the class become few.
        tables = self.table[:, self.is_class & ~covered], self.table[:, ~self.is_class & ~covered]
        weights, sizes = (inside, caution * outside), [table.shape[1] for table in tables]
        row_costs = np.concatenate([self.costs, self.lack_costs]) if self._has_lacks else self.costs
        beam = [(Term(), tuple(np.ones(size, np.float32) for size in sizes))]
        best, most, seen = None, 0.0, set[Term]()
        for _ in range(self.max_conditions):
            # Whole numbers first, which are exact: the order of the graphs never matters.
            gains, losses = (
                self._with_each(table, np.stack([holds[side] for _, holds in beam])) * weights[side]
                for side, table in enumerate(tables)
            )
            costs = row_costs[:, None] + [self.cost(term) for term, _ in beam]
            grown, kinds = [], set[bytes]()
            for term, row, at in self._promising(gains, losses, costs, [term for term, _ in beam], seen):
                worth = float(gains[row, at] - losses[row, at] - costs[row, at])
                if worth > most + 1e-9:
                    best, most = term, worth
                holds = tuple(own * _row(table, row) for own, table in zip(beam[at][1], tables, strict=True))
                if (key := b"".join(own.tobytes() for own in holds)) not in kinds:
                    kinds.add(key)
                    grown.append((term, holds))
            if not grown:
                break
            beam = grown
        return best, most

    def _best_single(self, covered: Bools, caution: float) -> tuple[Term | None, float]:
        inside, outside = self._weights()
        sides = np.stack([self.is_class & ~covered, ~self.is_class & ~covered]).astype(np.float32)
        gains, losses = (self.table @ sides.T).astype(np.float64).T
        worths = gains * inside - losses * caution * outside - self.costs
        row = int(np.argmax(worths)) if worths.size else -1
        return (Term((row,)), float(worths[row])) if row >= 0 and worths[row] > 0 else (None, 0.0)

    @cached_property
    def _has_lacks(self) -> bool:
        return bool(np.isfinite(self.lack_costs).any())

    def _with_each(self, table: Table, holding: Table) -> Floats:
        """In how many columns each row of a table holds as well, and then in how many it does not."""
        there = (table @ holding.T).astype(np.float64)
        return np.concatenate([there, holding.sum(axis=1)[None] - there]) if self._has_lacks else there

    def _promising(
        self, gains: Floats, losses: Floats, costs: Floats, terms: Sequence[Term], seen: set[Term]
    ) -> list[tuple[Term, int, int]]:
        """The terms to go on with, each with the row that was added and the term it was added to."""
        chosen = []
        for view in self._views:
            values = (gains - view * losses - costs).ravel()
            count = min(4 * self.width, values.size)
            top = np.sort(np.argpartition(-values, count - 1)[:count])
            left = self.width
            for place in top[np.argsort(-values[top], kind="stable")].tolist():
                row, at = divmod(place, len(terms))
                term = terms[at].joined(row, len(self.table))
                if len(term) > len(terms[at]) and term not in seen:
                    seen.add(term)
                    chosen.append((term, row, at))
                    left -= 1
                if not left:
                    break
        return chosen


def _row(table: Table, row: int) -> Table:
    """Where a row holds or, from the number of rows on, where one does not."""
    own: Table = table[row] if row < len(table) else 1 - table[row - len(table)]
    return own


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
        for level, own in zip(self._reader.readings, every, strict=True):
            for fragment in own:
                yield from _often_enough(fragment, level, self._searched, self._options)
        sizes = (len(fragment.pattern) for own in every for fragment in own if not fragment.is_ring)
        self._largest = max(sizes, default=self._largest)

    def sampled(self) -> Iterator[tuple[Condition, Bools]]:
        """Patterns of more nodes, looked for in some graphs; the most telling of them are counted in all."""
        few = _affordable(next(iter(self._reader.readings.values())), self._searched, self._options)
        least = max(2, self._min_graphs * few.size // self._searched.size)
        classes = self._classes[np.searchsorted(self._searched, few)]
        some = self._fragments(few, least, self._options.max_sets)
        for level, own in zip(self._reader.readings, some, strict=True):
            larger = [one for one in own if len(one.pattern) <= self._options.max_nodes]
            for fragment in _most_telling(larger, few, classes, self._options.num_sampled):
                condition = Condition(fragment.source, fragment.pattern, level, fragment.is_induced)
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
    fragment: Fragment, level: int, searched: Ints, options: ReasonOptions
) -> Iterator[tuple[Condition, Bools]]:
    """A fragment that is there at all, or often: single nodes as often as it takes, larger ones a few times."""
    places = np.zeros(searched.size, np.int64)
    places[np.searchsorted(searched, fragment.graphs)] = fragment.places
    plain = Condition(fragment.source, fragment.pattern, level, fragment.is_induced, fragment.closed)
    different = np.unique(fragment.places)
    if len(fragment.pattern) > (1 if level else _COUNTED_SHAPES):
        different = np.arange(1, min(options.max_places, different[-1]) + 1)
    elif different.size > options.num_thresholds:
        shares = np.linspace(0, 1, options.num_thresholds)
        different = np.quantile(fragment.places, shares).astype(np.int64)
    for number in sorted({1, *different.tolist()}):
        yield replace(plain, at_least=number), places >= number
