"""The search of a class's rule: from the simplest form to what each of its patterns grows to, and its confirmation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc

from protograph._utils.arrays import Bools, Ints
from protograph.page.counting import spread
from protograph.page.reasons.conditions import FULL, Condition, Draft, any_holds, balanced, simplified
from protograph.page.reasons.growing import Grower, shared_by
from protograph.page.reasons.pool import Learner, Pool, PoolBuilder, SmallPatterns, Term
from protograph.page.reasons.scope import Scope, typical


def confirmed(drafts: Sequence[Draft], target: int, scope: Scope, chance: float) -> list[Draft]:
    """The drafts in the order of how many graphs each adds, without those that other graphs do not confirm.

    A draft must tell the class: among the confirming graphs in which it holds, those of the class are so many that
    chance would rarely have it so. The more drafts there are the more rarely, by the rule of Benjamini and Hochberg:
    of all that are confirmed, ``chance`` is the share that may be so by luck. Graphs that look the same are one graph.
    """
    ordered = in_order(drafts, target, scope)
    is_class = scope.predictions[scope.counted] == target
    share = float(is_class.mean()) if is_class.size else 0.0
    holds = (draft.holds(scope.reader, scope.counted) for draft in ordered)
    chances = [chance_of(int((one & is_class).sum()), int(one.sum()), share) for one in holds]
    by_chance = sorted(chances)
    limits = [chance * (rank + 1) / len(chances) for rank in range(len(chances))]
    most = max((own for own, limit in zip(by_chance, limits, strict=True) if own <= limit), default=-1.0)
    return [draft for draft, own in zip(ordered, chances, strict=True) if own <= most]


def in_order(drafts: Sequence[Draft], target: int, scope: Scope) -> list[Draft]:
    """Drafts in the order of how many graphs of the class each adds to those before it."""
    is_class = scope.predictions[scope.known] == target
    left = {number: draft.holds(scope.reader, scope.known) & is_class for number, draft in enumerate(drafts)}
    covered: Bools = np.zeros(is_class.size, np.bool_)
    order = []
    while left:
        number = max(left, key=lambda one: (int((left[one] & ~covered).sum()), -one))
        covered |= left.pop(number)
        order.append(drafts[number])
    return order


def chance_of(at_least: int, number: int, share: float) -> float:
    """Probability of at least so many of a number where each is one with the given share.

    >>> round(chance_of(2, 2, 0.5), 3), chance_of(0, 5, 0.3)
    (0.25, 1.0)
    """
    return float(bdtrc(at_least - 1, number, share))


class RuleSearch:
    """Searches rules, class by class; what conditions are about is found once for all.

    Args:
        scope: What to search in.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope, self._grower = scope, Grower(scope.reader, scope.options)
        self._builder = PoolBuilder(scope.searched, scope.min_graphs)
        sides = scope.predictions[scope.searched]
        self._patterns = SmallPatterns(scope.reader, scope.searched, sides, scope.min_graphs, scope.options)
        self._looked_further = set[str]()  # in which ways
        self._add(self._patterns.exhaustive(scope.options.max_sets))
        self._forms: dict[int, _Form] = {}  # what the rule of each class was learned as

    def confirmed_rule(self, target: int) -> list[Draft]:
        """The reasons of a class that other graphs confirm.

        Where the rule does not come near the model, others are looked for in the place of those that are not confirmed.
        """
        scope, tried, options = self._scope, self.rule(target), self._scope.options
        if self._accuracy(tried, target) >= options.near:
            return confirmed(tried, target, scope, options.chance)
        kept = confirmed(tried, target, scope, options.far_chance)
        for _ in range(scope.max_reasons):
            # The best draft where none that was tried holds, if one is worth what it costs.
            form, covered = self._forms[target], any_holds(tried, scope.reader, scope.searched)
            term = form.learner.best_term(covered)[0] if len(kept) < scope.max_reasons else None
            if term is None:
                break
            tried = [*tried, self._grown(_draft(term, form.pool), target)]
            kept = confirmed(tried, target, scope, options.far_chance)
        return kept[: scope.max_reasons]

    def _add(self, conditions: Iterator[tuple[Condition, Bools]]) -> None:
        for condition, holds in conditions:
            self._builder.add(condition, holds)

    def _look_further(self, way: str, patterns: Iterator[tuple[Condition, Bools]]) -> bool:
        """Go through larger patterns in a way, where there were too many; whether that had not been done before."""
        if way in self._looked_further or self._patterns.are_all:
            return False
        self._add(patterns)
        self._looked_further.add(way)
        return True

    def rule(self, target: int) -> list[Draft]:
        """The reasons of a class."""
        plain = self._plain(target)
        form = self._forms[target] = self._simplest(target, plain)
        drafts = form.drafts
        is_near = self._accuracy(drafts, target) >= self._scope.options.near
        if is_near:
            drafts = simplified(drafts, lambda some: self._accuracy(some, target), self._scope.options.needless)
        least = self._accuracy(drafts, target) - self._scope.options.least_worse
        for place, draft in enumerate(drafts):
            changed = [*drafts]
            changed[place] = self._grown(draft, target, is_near=is_near)
            if self._accuracy(changed, target) >= least:
                drafts = changed
        return self._told_apart(drafts, target)

    def _plain(self, target: int) -> "_Form":
        """The rule of single patterns; ever larger ones are looked for as long as they are needed."""
        options, plain = self._scope.options, self._learned(target, 1, with_lacks=False)
        if self._accuracy(plain.drafts, target) < options.near and self._look_further(
            "all", self._patterns.exhaustive(options.far_max_sets)
        ):
            plain = self._learned(target, 1, with_lacks=False)
        if self._accuracy(plain.drafts, target) < 1 and self._look_further("some", self._patterns.sampled()):
            plain = self._learned(target, 1, with_lacks=False)
        if self._accuracy(plain.drafts, target) < options.enough and self._loosen(target):
            plain = self._learned(target, 1, with_lacks=False)
        if self._accuracy(plain.drafts, target) < options.enough and self._narrow(target, plain.drafts):
            plain = self._learned(target, 1, with_lacks=False)
        return plain

    def _told_apart(self, drafts: list[Draft], target: int) -> list[Draft]:
        """Drafts without those that are only what several others share."""
        result = list(drafts)
        for draft in drafts:
            room = self._scope.max_reasons - len(result) + 1
            if len(draft) == 1 and draft.has and room > 1:
                parts = shared_by(draft.has[0], target, self._scope, self._grower, room)
                if parts:
                    place = result.index(draft)
                    result[place : place + 1] = [Draft((part,)) for part in parts]
        return result

    def _simplest(self, target: int, plain: "_Form") -> "_Form":
        """Of rules that are worth nearly as much as the best the one of the simplest form.

        Args:
            target: The class.
            plain: The rule of single patterns.
        """
        scope, slack = self._scope, self._scope.options.simpler
        is_class = scope.predictions[scope.searched] == target
        enough = self._worth(plain.drafts, target) + slack
        if min(is_class.sum(), (~is_class).sum()) < scope.options.several_from or enough >= 1:
            return plain
        # What may lack patterns is worth the most. Where even that does not come near the model, what its rule is made
        # of is less clear anyway: agreement counts for more, and a rule without lacks is not looked for.
        lacking = self._learned(target, scope.options.max_conditions, with_lacks=True)
        most = self._worth(lacking.drafts, target)
        if most < scope.options.near:
            return plain if enough - slack / 2 >= most else lacking
        several = self._learned(target, scope.options.max_conditions, with_lacks=False)
        forms = [(form, self._worth(form.drafts, target)) for form in (plain, several, lacking)]
        most = max(worth for _, worth in forms)
        return next(form for form, worth in forms if worth >= most - slack)

    def _worth(self, drafts: list[Draft], target: int) -> float:
        options = self._scope.options
        has = sum(condition.complexity for draft in drafts for condition in draft.has)
        lacks = sum(condition.complexity for draft in drafts for condition in draft.lacks)
        return self._accuracy(drafts, target) - options.cost * (has + options.lack_cost * lacks)

    def _learned(self, target: int, max_conditions: int, *, with_lacks: bool) -> "_Form":
        scope, options, pool = self._scope, self._scope.options, self._builder.pool()
        costs = options.cost * np.array([condition.complexity for condition in pool.conditions])
        learner = Learner(
            table=pool.table,
            is_class=scope.predictions[scope.searched] == target,
            costs=costs,
            lack_costs=options.lack_cost * costs if with_lacks else np.full(costs.size, np.inf),
            max_conditions=max_conditions,
        )
        return _Form([_draft(term, pool) for term in learner.learn(scope.max_reasons)], learner, pool)

    def _accuracy(self, drafts: list[Draft], target: int) -> float:
        scope = self._scope
        return balanced(any_holds(drafts, scope.reader, scope.known), scope.predictions[scope.known] == target)

    def _narrow(self, target: int, drafts: list[Draft]) -> bool:
        """Add what the most telling patterns narrow to, in graphs of the class and in those without a reason yet."""
        scope, is_larger = self._scope, False
        is_class = scope.predictions[scope.searched] == target
        elsewhere = scope.searched[~is_class]
        uncovered = is_class & ~any_holds(drafts, scope.reader, scope.searched)
        sides = [is_class] if np.array_equal(is_class, uncovered) else [is_class, uncovered]
        for inside in (scope.searched[side] for side in sides if side.sum() >= scope.min_graphs):
            for condition in self._telling(inside, elsewhere):
                has = inside[scope.reader.holds(condition, inside)]
                narrowed = self._grower.narrowed(condition, spread(has, scope.options.num_sources), inside, elsewhere)
                if narrowed.pattern != condition.pattern:
                    self._builder.add(narrowed, scope.reader.holds(narrowed, scope.searched))
                    is_larger = True
        return is_larger

    def _loosen(self, target: int) -> bool:
        """Add what the most telling patterns of several variables loosen to; whether there are any."""
        scope, options = self._scope, self._scope.options
        pool, is_class = self._builder.pool(), scope.predictions[scope.searched] == target
        if FULL not in scope.reader.readings:
            return False
        there, elsewhere = scope.searched[is_class], scope.searched[~is_class]
        leads = pool.table[:, is_class].mean(axis=1) - pool.table[:, ~is_class].mean(axis=1)
        found = set[Condition]()
        for row in np.argsort(-np.abs(leads), kind="stable").tolist():
            condition = pool.conditions[row]
            if condition.level != FULL or not condition.is_plain or len(condition.pattern) > 3:
                continue
            sides = (there, elsewhere) if leads[row] > 0 else (elsewhere, there)
            found.add(self._grower.loosened(condition, *sides))
            if len(found) == options.num_loosened:
                break
        for condition in sorted(
            found, key=lambda one: (one.source, sorted(one.pattern.nodes), sorted(map(str, one.open)))
        ):
            self._builder.add(condition, scope.reader.holds(condition, scope.searched))
        return bool(found)

    def _telling(self, there: Ints, elsewhere: Ints) -> Iterator[Condition]:
        """The patterns that tell two sides apart best, no two of which hold in nearly the same graphs."""
        pool, searched = self._builder.pool(), self._scope.searched
        inside, outside = np.isin(searched, there), np.isin(searched, elsewhere)
        leads = pool.table[:, inside].mean(axis=1) - pool.table[:, outside].mean(axis=1)
        taken: list[int] = []
        for row in np.argsort(-leads, kind="stable").tolist():
            condition = pool.conditions[row]
            if condition.at_least > 1 or condition.closed or len(condition.pattern) < 3:
                continue
            alike = (np.abs(pool.table[row] - pool.table[other]).mean() for other in taken)
            if min(alike, default=1.0) > 0.02:
                taken.append(row)
                yield condition
            if len(taken) == self._scope.options.num_narrowed:
                return

    def _grown(self, draft: Draft, target: int, *, is_near: bool = False) -> Draft:
        """A draft whose conditions are all that belongs to them.

        In a rule near the model one larger pattern goes before several places of a smaller one.
        """
        scope = self._scope
        is_class = scope.predictions[scope.searched] == target
        for condition in (*draft.has, *draft.lacks):
            open_ones = draft.without(condition).holds(scope.reader, scope.searched)
            holds = open_ones & scope.reader.holds(condition, scope.searched)
            own = is_class if condition in draft.has else ~is_class
            there, elsewhere = scope.searched[holds & own], scope.searched[open_ones & ~own]
            if there.size:
                sources = typical(there, scope.embeddings, scope.options.num_sources)
                begun = condition
                if is_near and condition.at_least > 1:
                    begun = self._grower.one_for_many(condition, sources, there, elsewhere) or condition
                draft = draft.replaced(condition, self._grower.grown(begun, sources, there, elsewhere))
        return draft


@dataclass(frozen=True, eq=False)
class _Form:
    """A rule of some form, with what learned it and from what."""

    drafts: list[Draft]
    learner: Learner
    pool: Pool


def _draft(term: Term, pool: Pool) -> Draft:
    return Draft(tuple(pool.conditions[row] for row in term.has), tuple(pool.conditions[row] for row in term.lacks))
