"""From a fitted model to the reasons of all its classes, with examples."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, islice
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph._utils.progress import timed
from protograph._utils.words import counted
from protograph.explanation import Example, Pattern, Reason, Rule, Support
from protograph.explanation.pattern import SearchedGraphs
from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED, fidelity_of_all, held_by
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.molecules.functional_groups import PartNamer
from protograph.page.conditions import pattern_of, relaxed
from protograph.page.reasons.conditions import SHAPE, Condition, ConditionReader, Draft, any_holds
from protograph.page.reasons.scope import Parts, ReasonOptions, Scope, divided, typical
from protograph.page.reasons.searching import RuleSearch, in_order
from protograph.patterns.pattern import edge


@dataclass(frozen=True, eq=False)
class JointRules:
    """The rule of each class.

    Attributes:
        drafts: The reasons of each class.
        rest: The class that is also meant where no rule of the others holds; ``None`` where there is none.
    """

    drafts: Mapping[int, Sequence[Draft]]
    rest: int | None = None

    def holds(self, reader: ConditionReader, indices: Ints, num_classes: int) -> Bools:
        """For each graph and class whether the rule of the class holds."""
        holds = np.zeros((indices.size, num_classes), np.bool_)
        for target, drafts in self.drafts.items():
            holds[:, target] = any_holds(drafts, reader, indices)
        if self.rest is not None:
            others = [target for target in range(num_classes) if target != self.rest]
            holds[:, self.rest] |= ~holds[:, others].any(axis=1)
        return holds

    def agreement(self, scope: Scope) -> float:
        """How far the rules agree with the model on the graphs that they may be judged by."""
        num_classes = int(scope.predictions.max()) + 1
        holds = self.holds(scope.reader, scope.known, num_classes)
        return float(fidelity_of_all(holds, scope.predictions[scope.known]))


def joined(drafts: Mapping[int, Sequence[Draft]], scope: Scope) -> JointRules:
    """The rules of all classes as they agree best with the model; simpler ones where it makes no difference."""
    best = JointRules(drafts)
    most = best.agreement(scope)
    for target in drafts:
        if not any(own for other, own in drafts.items() if other != target):
            continue  # nothing marks the others, so nothing can be missing
        own = drafts[target][: scope.max_reasons - 1]  # the rest is a reason too
        rules = _without_harm(JointRules({**drafts, target: own}, target), target, scope)
        if (agreement := rules.agreement(scope)) > most + scope.options.least_rest:
            best, most = rules, agreement
    return best


def _without_harm(rules: JointRules, target: int, scope: Scope) -> JointRules:
    """The rules without those reasons of a class that hold where another class's rule is right."""
    agreement = rules.agreement(scope)
    for draft in reversed(list(rules.drafts[target])):
        left = [one for one in rules.drafts[target] if one is not draft]
        fewer = JointRules({**rules.drafts, target: left}, rules.rest)
        if (without := fewer.agreement(scope)) > agreement:
            rules, agreement = fewer, without
    return rules


# Tells of sets of nodes of a graph whether the parts that they induce will do.
WillDo = Callable[[Sequence[frozenset[int]]], Bools]
# Nodes to place before a graph is no source: the places are known to be there.
_PLACE_CALLS = 200_000


def example_of(
    draft: Draft,
    lacks_rest: Callable[[Data], bool],
    sources: Sequence[tuple[int, Data]],
    judge: Judge,
    target: int,
    reader: ConditionReader,
) -> Example | None:
    """The smallest example that some source graphs give; ``None`` where no place of a pattern could be found.

    Args:
        draft: The reason.
        lacks_rest: Whether a part lacks all that it must.
        sources: Graphs in which it holds and that the model predicts as the class, each with its index.
        judge: The model.
        target: The class.
        reader: Reads the patterns.
    """
    examples = []
    for index, graph in sources:
        places = _places(draft, index, reader)
        if places is None:
            continue

        def will_do(sets: Sequence[frozenset[int]], graph: Data = graph) -> Bools:
            parts = [induced_subgraph(graph, sorted(nodes)) for nodes in sets]
            predicted = judge(parts, target).predictions == target
            return np.array([bool(ok) and lacks_rest(part) for ok, part in zip(predicted, parts, strict=True)])

        marked = frozenset(node for place in places for node in place)
        nodes = sorted(smallest(marked, frozenset(range(node_count(graph))), _distances(graph, marked), will_do))
        number = {node: place for place, node in enumerate(nodes)}
        part = induced_subgraph(graph, nodes)
        examples.append(
            Example(
                source=index,
                nodes=tuple(nodes),
                graph=part,
                marked=tuple(tuple(number[node] for node in place) for place in places),
                probability=float(judge([part], target).probabilities[0]),
                is_whole=len(nodes) == node_count(graph),
            )
        )
    return min(examples, key=lambda one: (len(one.nodes), -one.probability), default=None)


def _places(draft: Draft, index: int, reader: ConditionReader) -> list[tuple[int, ...]] | None:
    """Nodes of the graph for each place in which a pattern must be there."""
    places: list[tuple[int, ...]] = []
    for condition in draft.has:
        own = list(islice(reader.places(condition, index, _PLACE_CALLS), condition.at_least))
        if len(own) < condition.at_least:
            return None
        places += own
    return places


def _distances(graph: Data, marked: frozenset[int]) -> dict[int, int]:
    """How far each node is from those that are marked."""
    near: dict[int, set[int]] = {node: set() for node in range(node_count(graph))}
    for u, v in graph.edge_index.T.tolist():
        near[u].add(v)
        near[v].add(u)
    distances, frontier, steps = dict.fromkeys(marked, 0), set(marked), 0
    while frontier:
        steps += 1
        frontier = {other for node in frontier for other in near[node]} - distances.keys()
        distances |= dict.fromkeys(frontier, steps)
    return {node: distances.get(node, steps) for node in near}


def smallest(
    marked: frozenset[int], every: frozenset[int], distances: dict[int, int], will_do: WillDo
) -> frozenset[int]:
    """A set of nodes with those that are marked that will do, and from which none of the others can be left out.

    All nodes do, so the set is looked for in ever larger surroundings of what is marked; then as many nodes as possible
    go at a time, the farthest first.
    """
    steps = sorted(set(distances.values()))
    surroundings = [marked | {node for node in every if distances[node] <= step} for step in steps]
    candidates = [one for one in dict.fromkeys([marked, *surroundings]) if one]
    nodes = next(compress(candidates, will_do(candidates).tolist()), every)
    size = max(1, len(nodes - marked) // 2)
    while nodes - marked:
        spare = sorted(nodes - marked, key=lambda node: (-distances[node], node))
        fewer = [nodes - frozenset(spare[at : at + size]) for at in range(0, len(spare), size)]
        fewer = [one for one in fewer if one]
        best = next(compress(fewer, will_do(fewer).tolist() if fewer else ()), None)
        if best is not None:
            nodes = best
        elif size == 1:
            break
        else:
            size = max(1, size // 2)
    return nodes


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
        readings: The graphs as the counting reads them, by levels; only those that differ.
        graph: Gives a graph by its index.
        max_reasons: Most reasons of a class.
        namer: Finds what parts of molecules are called; ``None`` for no names.
        options: How to search.
    """

    judge: Judge
    embedded: EmbeddedGraphs
    readings: Mapping[int, EncodedGraphs]
    graph: Callable[[int], Data]
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
        part_of_each: What each graph served for, the same for all classes; empty where none is kept apart.
        fidelity_note: Why none is; empty where some are.
        notes: What was not done, a sentence each.
        seconds: How long it took.
    """

    of_class: Mapping[int, tuple[Reason, ...]]
    typical_uncovered: Mapping[int, tuple[int, ...]]
    part_of_each: tuple[int, ...]
    fidelity_note: str
    notes: tuple[str, ...]
    seconds: Mapping[str, float]

    def rule(self, target: int) -> Rule:
        """The rule of a class."""
        return Rule(
            reasons=self.of_class[target],
            parts=self.part_of_each,
            typical_uncovered=self.typical_uncovered[target],
            fidelity_note=self.fidelity_note,
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
        is_read = is_small & parts.is_read
        searched = np.flatnonzero((parts.of_graph == SEARCHED) & is_read)
        confirming = np.flatnonzero((parts.of_graph == CONFIRMING) & is_read)
        is_sampled = len(graphs) * options.searched_share > options.max_searched
        known = np.sort(np.concatenate([searched, confirming])) if is_sampled else np.arange(len(graphs))
        rules = _rules(fitted, known, searched, confirming, confirming[parts.is_first[confirming]])
        assembled = _Assembly(fitted, rules, parts).reasons()
    uncovered = {}  # graphs of the class in which no reason holds, those first whose embeddings are nearest their mean
    for target, reasons in assembled.items():
        left = np.flatnonzero((predictions == target) & ~held_by(reasons, len(graphs)))
        uncovered[target] = tuple(typical(left, fitted.embedded.graph_embeddings, _NUM_TYPICAL).tolist())
    notes = []
    if num_large := int((~is_small).sum()):
        notes.append(
            f"{counted(num_large, 'graph')} with more than {options.max_graph_nodes:,} nodes served neither to search "
            f"reasons nor to confirm them; whether a reason holds there was counted"
        )
    if is_sampled:
        notes.append(
            f"rules were searched in {searched.size:,} of the {len(graphs):,} graphs and confirmed by "
            f"{confirming.size:,}; graphs that look like none of these were kept apart to measure with"
        )
    return FoundReasons(
        of_class=assembled,
        typical_uncovered=uncovered,
        part_of_each=() if parts.note else tuple(parts.of_graph.tolist()),
        fidelity_note=parts.note,
        notes=tuple(notes),
        seconds=seconds,
    )


def _rules(fitted: FittedGraphs, known: Ints, searched: Ints, confirming: Ints, count: Ints) -> JointRules:
    """The rules, searched in the known graphs and no others, which are numbered among themselves for that."""
    is_all, embedded = known.size == len(fitted.embedded.predictions), fitted.embedded

    def moved(condition: Condition) -> Condition:
        """The condition with its source numbered among all graphs."""
        return replace(condition, source=int(known[condition.source]))

    readings = fitted.readings if is_all else {key: one.part(known) for key, one in fitted.readings.items()}
    scope = Scope(
        reader=ConditionReader(readings, fitted.options.max_calls),
        searched=np.searchsorted(known, searched),
        confirming=np.searchsorted(known, confirming),
        counted=np.searchsorted(known, count),
        predictions=embedded.predictions if is_all else embedded.predictions[known],
        embeddings=embedded.graph_embeddings if is_all else embedded.graph_embeddings[known],
        options=fitted.options,
        alone=lambda condition, target: fitted.lead_alone(moved(condition), target),
        max_reasons=fitted.max_reasons,
    )
    predicted = np.unique(scope.predictions).tolist()
    if len(np.unique(scope.predictions[scope.searched])) < 2:
        return JointRules({target: [] for target in predicted})
    search = RuleSearch(scope)
    rules = joined({target: search.confirmed_rule(target) for target in predicted}, scope)
    drafts = {
        target: [
            Draft(tuple(map(moved, draft.has)), tuple(map(moved, draft.lacks)))
            for draft in in_order(list(own), target, scope)
        ]
        for target, own in rules.drafts.items()
    }
    return JointRules(drafts, rules.rest)


class _Assembly:
    """Makes reasons of drafts."""

    def __init__(self, fitted: FittedGraphs, rules: JointRules, parts: Parts) -> None:
        self._fitted, self._rules, self._parts = fitted, rules, parts
        # As many nodes are placed as when users ask.
        self._reader = ConditionReader(fitted.readings, MAX_CALLS)
        self._all = np.arange(len(fitted.embedded.predictions))
        self._patterns: dict[Condition, Pattern] = {}
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

        def lacks_all(part: Data) -> bool:
            own = alone(part)
            return not any(self._pattern(condition).holds_in(own)[0] for condition in draft.lacks)

        return Reason(
            has=tuple(map(self._pattern, draft.has)),
            lacks=tuple(map(self._pattern, draft.lacks)),
            example=example_of(draft, lacks_all, sources, self._fitted.judge, target, self._reader),
            **self._supports(holds, target),
        )

    def _rest(self, target: int, others: Sequence[Reason]) -> Reason:
        holds = ~held_by(others, self._all.size)
        bare = tuple(replace(reason, example=None) for reason in others)
        is_named = len(others) <= _MOST_NAMED and all(len(one.has) == 1 and not one.lacks for one in others)
        lacks = tuple(one.has[0] for one in others) if is_named else ()

        def lacks_all(part: Data) -> bool:
            own = alone(part)
            return not any(reason.holds(own)[0] for reason in others)

        sources = self._sources(holds, target)
        example = example_of(Draft(), lacks_all, sources[:1], self._fitted.judge, target, self._reader)
        return Reason(lacks=lacks, unless=bare, example=example, **self._supports(holds, target))

    def _sources(self, holds: Bools, target: int) -> list[tuple[int, Data]]:
        """The most typical graphs of the class in which a reason holds."""
        own = np.flatnonzero(holds & (self._fitted.embedded.predictions == target))
        chosen = typical(own, self._fitted.embedded.graph_embeddings, self._fitted.options.num_examples)
        return [(index, self._fitted.graph(index)) for index in chosen.tolist()]

    def _supports(self, holds: Bools, target: int) -> dict[str, Any]:
        is_class = self._fitted.embedded.predictions == target
        by_part = {}
        for name, part in (("searched", SEARCHED), ("confirming", CONFIRMING), ("kept_apart", KEPT_APART)):
            own = self._parts.indices(part)
            by_part[name] = Support.of(holds[own], is_class[own]) if own.size or part != KEPT_APART else None
        return {**by_part, "holds_in_indices": tuple(compress(self._numbers, holds.tolist()))}

    def _pattern(self, condition: Condition) -> Pattern:
        """What a condition asks, no more than it takes to hold in the same graphs."""
        if condition not in self._patterns:
            graphs, full = self._fitted.readings[condition.level], next(iter(self._fitted.readings.values()))
            pattern = pattern_of(
                condition.pattern.cut_out(self._fitted.graph(condition.source)),
                self._reader.encoded(condition),
                graphs,
                full,
                kind="induced" if condition.is_induced else "part",
                closed=tuple(sorted(condition.closed_places)),
                at_least=condition.at_least,
            )
            pattern = opened(pattern, condition)
            holds = self._reader.holds(condition, self._all)
            pattern = relaxed(pattern, full, holds, self._fitted.options.max_calls)
            namer = self._fitted.namer
            if namer is not None and condition.level != SHAPE:  # what it is called in every molecule that has it
                holders = np.flatnonzero(holds).tolist()
                parts = namer.names(
                    pattern.asked(full), full, holders, induced=pattern.is_induced, closed=pattern.closed
                )
                pattern = replace(pattern, named_parts=parts)
            self._patterns[condition] = pattern
        return self._patterns[condition]


def opened(pattern: Pattern, condition: Condition) -> Pattern:
    """A pattern without what may be anything by a condition."""
    order = sorted(condition.pattern.nodes)
    nodes = tuple(
        tuple(one for one in own if (node, one.variable) not in condition.open)
        for node, own in zip(order, pattern.of_nodes, strict=True)
    )
    edges = tuple(
        tuple(one for one in pattern.of_edges[u, v] if (edge(order[u], order[v]), one.variable) not in condition.open)
        for u, v in pattern.edges
    )
    return replace(pattern, node_conditions=nodes, edge_conditions=edges)


def alone(part: Data) -> SearchedGraphs:
    """A part of a graph, to be asked for patterns."""
    return SearchedGraphs([part], are_validated=True)
