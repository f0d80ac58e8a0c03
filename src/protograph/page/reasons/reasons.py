"""From a fitted model to the reasons of all its classes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools, Ints
from protograph._base.progress import timed
from protograph._base.words import counted
from protograph.explanation import Pattern, Reason, Rule, Support
from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED
from protograph.graphs.conditions import EdgeRule, NodeRule
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.molecules.functional_groups import NamedPart, PartNamer
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.page.reasons.confirming import in_order
from protograph.page.reasons.drafts import Draft
from protograph.page.reasons.examples import example_of
from protograph.page.reasons.joint_rules import JointRules, joined
from protograph.page.reasons.options import ReasonOptions
from protograph.page.reasons.parts import Parts, divided
from protograph.page.reasons.scope import Scope, typical
from protograph.page.reasons.searching import RuleSearch
from protograph.patterns.subgraph_isomorphism import contains

# Reasons of the others that the rest can name as what it lacks: as many patterns as a reason may have.
_MOST_NAMED = 4
# Graphs without a reason that are named.
_NUM_TYPICAL = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedGraphs:
    """A fitted model and its graphs, as the search of reasons reads them.

    Attributes:
        judge: The model.
        embedded: What it makes of all graphs.
        readings: The graphs as the counting reads them, with kinds of nodes and without; one where both are the same.
        graph: Gives a graph by its index.
        edge_rule: Which edges count as the same.
        names: Names of the columns of features and attributes, which patterns are built with.
        max_reasons: Most reasons of a class.
        namer: Finds what parts of molecules are called; ``None`` for no names.
        options: How to search.
    """

    judge: Judge
    embedded: EmbeddedGraphs
    readings: Mapping[bool, EncodedGraphs]
    graph: Callable[[int], Data]
    edge_rule: EdgeRule
    names: Mapping[str, Any]
    max_reasons: int
    namer: PartNamer | None = None
    options: ReasonOptions = field(default_factory=ReasonOptions)

    def lead_alone(self, condition: Condition, target: int) -> float:
        """How far a class is ahead of the others for the pattern of a condition by itself."""
        part = condition.pattern.cut_out(self.graph(condition.source))
        return float(self.judge([part], target).leads[0])


@dataclass(frozen=True, kw_only=True, eq=False)
class FoundReasons:
    """The reasons of all classes.

    Attributes:
        of_class: The reasons of each class, in the order of how many graphs each adds.
        typical_uncovered: For each class the most typical of its graphs in which no reason holds.
        parts: What each graph served for.
        predictions: Class of each graph.
        notes: What was not done, a sentence each.
        seconds: How long it took.
    """

    of_class: Mapping[int, tuple[Reason, ...]]
    typical_uncovered: Mapping[int, tuple[int, ...]]
    parts: Parts
    predictions: Ints
    notes: tuple[str, ...]
    seconds: Mapping[str, float]

    @cached_property
    def _part_of_each(self) -> tuple[int, ...]:
        """Part of each graph, the same for all classes."""
        return () if self.parts.note else tuple(self.parts.of_graph.tolist())

    def rule(self, target: int, colors: tuple[str, ...]) -> Rule:
        """The rule of a class; ``colors`` are those of kinds of nodes."""
        return Rule(
            reasons=self.of_class[target],
            parts=self._part_of_each,
            typical_uncovered=self.typical_uncovered[target],
            fidelity_note=self.parts.note,
            colors=colors,
        )

    def shown(self, target: int) -> set[int]:
        """The graphs that examples of a class were cut from, and the most typical of those without a reason."""
        examples = (reason.example for reason in self.of_class[target])
        return {one.source for one in examples if one is not None} | set(self.typical_uncovered[target])


def find_reasons(fitted: FittedGraphs) -> FoundReasons:
    """Search, confirm and join the rules of all classes, and count where each reason holds."""
    seconds: dict[str, float] = {}
    with timed(seconds, "reasons"):
        predictions, options = fitted.embedded.predictions, fitted.options
        graphs = next(iter(fitted.readings.values()))
        parts = divided(graphs, predictions, options)
        is_small = np.diff(graphs.nodes) <= options.max_graph_nodes
        searched = np.flatnonzero((parts.of_graph == SEARCHED) & is_small)
        confirming = np.flatnonzero((parts.of_graph == CONFIRMING) & is_small)
        is_sampled = len(graphs) * options.searched_share > options.max_searched
        known = np.sort(np.concatenate([searched, confirming])) if is_sampled else np.arange(len(graphs))
        rules = _rules(_scope(fitted, known, searched, confirming))
        assembled = _Assembly(fitted, rules, parts).reasons()
    uncovered = {target: _typical_uncovered(target, reasons, fitted) for target, reasons in assembled.items()}
    notes = _too_large(int((~is_small).sum()), options)
    if is_sampled:
        notes += (
            f"rules were searched in {searched.size:,} of the {len(graphs):,} graphs and confirmed by "
            f"{confirming.size:,}; all others were kept apart to measure with",
        )
    return FoundReasons(
        of_class=assembled,
        typical_uncovered=uncovered,
        parts=parts,
        predictions=predictions,
        notes=notes,
        seconds=seconds,
    )


def _scope(fitted: FittedGraphs, known: Ints, searched: Ints, confirming: Ints) -> "_Numbered":
    """What rules are searched in: the known graphs and no others, numbered among themselves."""
    is_all = known.size == len(fitted.embedded.predictions)
    readings = fitted.readings if is_all else {key: one.part(known) for key, one in fitted.readings.items()}
    scope = Scope(
        reader=ConditionReader(readings, fitted.options.max_calls),
        searched=np.searchsorted(known, searched),
        confirming=np.searchsorted(known, confirming),
        predictions=fitted.embedded.predictions if is_all else fitted.embedded.predictions[known],
        embeddings=fitted.embedded.graph_embeddings if is_all else fitted.embedded.graph_embeddings[known],
        options=fitted.options,
        alone=lambda condition, target: fitted.lead_alone(_moved(condition, known), target),
        max_reasons=fitted.max_reasons,
    )
    return _Numbered(scope, known)


class _Numbered(NamedTuple):
    """A scope, and the number among all graphs of each of its own."""

    scope: Scope
    known: Ints


def _moved(condition: Condition, known: Ints) -> Condition:
    """A condition with its source numbered among all graphs."""
    return replace(condition, source=int(known[condition.source]))


def _too_large(number: int, options: ReasonOptions) -> tuple[str, ...]:
    if not number:
        return ()
    return (
        f"{counted(number, 'graph')} with more than {options.max_graph_nodes:,} nodes served neither to search reasons "
        f"nor to confirm them; whether a reason holds there was counted",
    )


def _rules(numbered: _Numbered) -> JointRules:
    scope, known = numbered
    predicted = np.unique(scope.predictions).tolist()
    if len(np.unique(scope.predictions[scope.searched])) < 2:
        return JointRules({target: [] for target in predicted})
    search = RuleSearch(scope)
    drafts = {target: search.confirmed_rule(target) for target in predicted}
    rules = joined(drafts, scope)
    ordered = {target: in_order(list(own), target, scope) for target, own in rules.drafts.items()}
    moved = {
        target: [
            Draft(*(tuple(_moved(condition, known) for condition in side) for side in (draft.has, draft.lacks)))
            for draft in own
        ]
        for target, own in ordered.items()
    }
    return JointRules(moved, rules.rest)


def _typical_uncovered(target: int, reasons: Sequence[Reason], fitted: FittedGraphs) -> tuple[int, ...]:
    """Graphs of the class in which no reason holds, those first whose embeddings are nearest their mean."""
    is_open = fitted.embedded.predictions == target
    for reason in reasons:
        is_open[list(reason.holds_in_indices)] = False
    left = np.flatnonzero(is_open)
    return tuple(typical(left, fitted.embedded.graph_embeddings.__getitem__, _NUM_TYPICAL).tolist())


class _Assembly:
    """Makes reasons of drafts."""

    def __init__(self, fitted: FittedGraphs, rules: JointRules, parts: Parts) -> None:
        self._fitted, self._rules, self._parts = fitted, rules, parts
        # As many nodes are placed as when users ask.
        self._reader = ConditionReader(fitted.readings, MAX_CALLS)
        self._patterns: dict[Condition, Pattern] = {}
        self._all = np.arange(len(fitted.embedded.predictions))
        self._numbers = self._all.tolist()  # shared by all reasons: of many graphs, numbers of Python take the most

    def reasons(self) -> dict[int, tuple[Reason, ...]]:
        """The reasons of each class."""
        made = {
            target: [self._reason(draft, target) for draft in drafts] for target, drafts in self._rules.drafts.items()
        }
        if (rest := self._rules.rest) is not None:
            made[rest].append(self._rest(rest, [one for t, own in made.items() if t != rest for one in own]))
        return {target: tuple(own) for target, own in made.items()}

    def _reason(self, draft: Draft, target: int) -> Reason:
        holds = draft.holds(self._reader, self._all)
        sources = self._sources(holds, target)
        example = example_of(draft, self._lacks(draft), sources, self._fitted.judge, target, self._reader)
        return Reason(
            has=tuple(map(self._pattern, draft.has)),
            lacks=tuple(map(self._pattern, draft.lacks)),
            example=example,
            **self._supports(holds, target),
        )

    def _rest(self, target: int, others: Sequence[Reason]) -> Reason:
        holds = np.ones(self._all.size, np.bool_)
        for reason in others:
            holds[list(reason.holds_in_indices)] = False
        bare = tuple(replace(reason, example=None) for reason in others)
        is_named = len(others) <= _MOST_NAMED and all(len(one.has) == 1 and not one.lacks for one in others)
        lacks = tuple(one.has[0] for one in others) if is_named else ()

        def lacks_all(part: Data) -> bool:
            return not any(bool(reason.holds([part])[0]) for reason in others)

        sources = self._sources(holds, target)
        example = example_of(Draft(), lacks_all, sources[:1], self._fitted.judge, target, self._reader)
        return Reason(lacks=lacks, unless=bare, example=example, **self._supports(holds, target))

    def _sources(self, holds: Bools, target: int) -> list[tuple[int, Data]]:
        """The most typical graphs of the class in which a reason holds."""
        own = np.flatnonzero(holds & (self._fitted.embedded.predictions == target))
        chosen = typical(own, self._fitted.embedded.graph_embeddings.__getitem__, self._fitted.options.num_examples)
        return [(index, self._fitted.graph(index)) for index in chosen.tolist()]

    def _lacks(self, draft: Draft) -> Callable[[Data], bool]:
        """Whether a part lacks what a draft says it must."""

        def lacks(part: Data) -> bool:
            for condition in draft.lacks:
                there = contains(
                    self._fitted.readings[condition.has_kinds].encode(part),
                    self._reader.encoded(condition),
                    induced=condition.is_induced,
                    closed=condition.closed_places,
                    at_least=condition.at_least,
                )
                if there > 0:
                    return False
            return True

        return lacks

    def _supports(self, holds: Bools, target: int) -> dict[str, Any]:
        is_class = self._fitted.embedded.predictions == target
        by_part = {}
        for name, part in (("searched", SEARCHED), ("confirming", CONFIRMING), ("kept_apart", KEPT_APART)):
            own = self._parts.indices(part)
            by_part[name] = Support.of(holds[own], is_class[own]) if own.size or part != KEPT_APART else None
        return {**by_part, "holds_in_indices": tuple(compress(self._numbers, holds.tolist()))}

    def _pattern(self, condition: Condition) -> Pattern:
        if condition not in self._patterns:
            self._patterns[condition] = self._made(condition)
        return self._patterns[condition]

    def _made(self, condition: Condition) -> Pattern:
        part = condition.pattern.cut_out(self._fitted.graph(condition.source))
        graph = Data(edge_index=part.edge_index, num_nodes=len(condition.pattern))
        node_rule = self._fitted.readings[True].node_rule if condition.has_kinds else None
        if node_rule is not None and part.x is not None:
            graph.x = part.x
        if self._fitted.edge_rule.is_matched:
            graph.edge_attr = part.edge_attr
        return Pattern(
            graph=graph,
            kind="induced" if condition.is_induced else "part",
            closed=tuple(sorted(condition.closed_places)),
            at_least=condition.at_least,
            edge_rule=self._fitted.edge_rule,
            node_rule=node_rule or NodeRule(),
            named_parts=self._named_parts(condition),
            **self._fitted.names,
        )

    def _named_parts(self, condition: Condition) -> tuple[NamedPart, ...]:
        """What parts of a pattern are called in every molecule that it is counted in."""
        namer = self._fitted.namer
        if namer is None or not condition.has_kinds:
            return ()
        return namer.names(
            self._reader.encoded(condition),
            self._fitted.readings[True],
            np.flatnonzero(self._reader.holds(condition, self._all)).tolist(),
            induced=condition.is_induced,
            closed=condition.closed_places,
        )
