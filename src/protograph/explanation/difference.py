"""Two models' explanations of the same classes beside each other: what came, what went, what changed, in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.options import check_number
from protograph._utils.words import class_label, count_of, one_line
from protograph.explanation.explanation import Explanation
from protograph.explanation.explanations import Explanations
from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Evidence, Prototype
from protograph.explanation.rule import Fidelity, Reason, Support
from protograph.explanation.tables import description_of, reasons_by_graph
from protograph.graphs.conditions import NodeRule, as_node_rule
from protograph.patterns.subgraph_isomorphism import same_graph

T = TypeVar("T")
Side = Mapping[int, Explanation]

CAME, WENT, CHANGED, SAME = "came", "went", "changed", "same"
# In this order they are told.
STATUSES = (CAME, WENT, CHANGED, SAME)
# Share of the graphs in which one of two reasons holds in which both must, for one to play the other's part.
LEAST_OVERLAP = 0.5
# Kinds of changes of graphs that a terminal lists, and graphs that are named for each.
NUM_SHOWN, FEW_GRAPHS = 10, 3
NO_REASON = "no reason"


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a reason or a prototype stands in one of the two explanations.

    Attributes:
        number: Its number in its class, from 1.
        share: In which share of the graphs predicted as the class it is; ``None`` where that is not known.
        share_elsewhere: The same of the graphs predicted otherwise.
    """

    number: int
    share: float | None
    share_elsewhere: float | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """What became of a reason or a prototype.

    Attributes:
        what: ``"reason"`` or ``"prototype"``.
        status: ``"came"``, ``"went"``, ``"changed"`` (its share did) or ``"same"``.
        words: What it is.
        before: Where it stood before; ``None`` where it came.
        after: Where it stands now; ``None`` where it went.
        nearest: Of a reason that came or went, the reason of the other explanation that holds in most of the same
            graphs, in words; empty where none holds in half of them.
        overlap: The share of the graphs in which one of the two holds in which both do; 0 without a nearest.
    """

    what: str
    status: str
    words: str
    before: Standing | None
    after: Standing | None
    nearest: str = ""
    overlap: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ClassDifference:
    """What changed in one class.

    Attributes:
        target: The class.
        changes: What became of each reason and each prototype.
        num_predicted: How many graphs were predicted as it before and are after; ``None`` where it was not explained.
        fidelity: How far the rule agreed with the model before and does after; ``None`` where that is not known.
    """

    target: int
    changes: tuple[Change, ...]
    num_predicted: tuple[int | None, int | None]
    fidelity: tuple[Fidelity | None, Fidelity | None]


@dataclass(frozen=True, kw_only=True)
class GraphChange:
    """A graph with another prediction, or the same one for another reason.

    Attributes:
        label: What the graph is called.
        predictions: The class that was predicted before and is after.
        reasons: The first reason of that class's rule that held before and does after, in words; empty where none does.
    """

    label: str
    predictions: tuple[int, int]
    reasons: tuple[str, str]

    @property
    def is_predicted_otherwise(self) -> bool:
        """Whether the model predicts another class."""
        return self.predictions[0] != self.predictions[1]


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What :func:`diff` gives.

    Attributes:
        class_names: Names of all classes.
        classes: What changed in each class.
        graphs: The graphs with another prediction first, then those with another reason.
        num_common: How many graphs both explanations are of.
        num_graphs: How many graphs each is of.
        notes: Why something could not be compared.
        explained: Both explanations, by class, from which a report draws what changed; empty where they are not kept.
    """

    class_names: tuple[str, ...]
    classes: tuple[ClassDifference, ...]
    graphs: tuple[GraphChange, ...]
    num_common: int
    num_graphs: tuple[int, int]
    notes: tuple[str, ...] = ()
    explained: tuple[Mapping[int, Explanation], ...] = ()

    def changes(self, *statuses: str) -> list[Change]:
        """The changes of these kinds in all classes."""
        return [change for one in self.classes for change in one.changes if change.status in statuses]

    @property
    def is_empty(self) -> bool:
        """Whether nothing came, went or changed, and no graph has another prediction or reason."""
        return not self.graphs and not self.changes(CAME, WENT, CHANGED)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.changes(status))} {status}" for status in STATUSES)
        return f"Difference({counts}; {count_of(len(self.graphs), 'graph')} changed)"

    def summary(self) -> str:
        """Say class by class what came, went and changed, and then which graphs did."""
        return difference_text(self)

    def report(self, path: str | PathLike[str], *, names: tuple[str, str] = ("before", "after")) -> None:
        """Write one self-contained HTML file.

        Args:
            path: The file; an existing one is replaced.
            names: What the two explanations are called in it.
        """
        from protograph.report.difference_page import write_difference

        write_difference(self, path, names)

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.difference_page import difference_html

        return difference_html(self)


def diff(a: Explanation | Explanations, b: Explanation | Explanations, *, least_change: float = 0.05) -> Difference:
    """Compare the explanations of two models of the same classes, such as two checkpoints, on the same graphs.

    Reasons and prototypes are the same where they are the same patterns; their shares are of the graphs that each
    explanation is of. Graphs are the same where they came from the same place and have the same name and SMILES.

    Args:
        a: The explanation before.
        b: The one after.
        least_change: A share that differs by less, in the class and elsewhere, counts as the same. Shares of some
            hundred graphs differ by a few hundredths from one training to the next.

    Raises:
        ValueError: If they are not of the same classes, or their graphs have other features.
    """
    check_number("least_change", least_change)
    before, after = (_by_class(one) for one in (a, b))
    _check_same(before, after)
    names = next((one.class_names for one in (*before.values(), *after.values())), ())
    common = _common(before, after)
    _check_graphs(before, after, common)
    classes = tuple(
        _class_difference(target, before.get(target), after.get(target), common, least_change)
        for target in sorted({*before, *after})
    )
    return Difference(
        class_names=names,
        classes=classes,
        graphs=tuple(sorted(_graph_changes(before, after, common), key=lambda one: not one.is_predicted_otherwise)),
        num_common=len(common),
        num_graphs=(_num_graphs(before), _num_graphs(after)),
        notes=tuple(_notes(before, after, common)),
        explained=(before, after),
    )


def _by_class(one: Explanation | Explanations) -> Side:
    return {one.target: one} if isinstance(one, Explanation) else dict(one)


def _check_same(before: Side, after: Side) -> None:
    for key, what in (("class_names", "classes"), ("feature_names", "features"), ("edge_names", "attributes of edges")):
        known = [next((getattr(one, key) for one in side.values()), None) for side in (before, after)]
        if None not in known and known[0] != known[1]:
            shown = " and ".join(one_line(", ".join(names or ()))[:60] or "none" for names in known)
            raise ValueError(f"a and b must be of the same {what}, got {shown}; explain both models on the same data")


def _num_graphs(side: Side) -> int:
    return next((one.num_graphs for one in side.values()), 0)


def _common(before: Side, after: Side) -> dict[int, int]:
    """The index after of each graph that both sides have, by its index before."""
    first, second = (next(iter(side.values()), None) for side in (before, after))
    if first is None or second is None:
        return {}
    places = {second.origin(index): index for index in range(second.num_graphs)}
    found = {index: places.get(first.origin(index)) for index in range(first.num_graphs)}
    return {ours: theirs for ours, theirs in found.items() if theirs is not None}


def _check_graphs(before: Side, after: Side, common: Mapping[int, int]) -> None:
    """Refuse other graphs at the same places, as of a data set that was generated with another seed."""
    if not common:
        return
    first, second = (next(iter(side.values())) for side in (before, after))
    ours, theirs = first.survey, second.survey
    for index, other in common.items():
        sizes = [one.graphs[place].num_nodes for one, place in ((ours, index), (theirs, other)) if place in one.graphs]
        has_other_label = bool(ours.labels and theirs.labels) and ours.labels[index] != theirs.labels[other]
        if has_other_label or len(set(sizes)) > 1:
            what = "label" if has_other_label else "number of nodes"
            raise ValueError(
                f"a and b must be of the same graphs, got {first.graph_label(index)} with another {what}; explain both "
                f"models on the same data (a data set that is generated differs from seed to seed)"
            )


@dataclass(frozen=True)
class _Item:
    """A reason or a prototype of one side: what it is, where it stands, and in which of the common graphs it holds."""

    item: Any
    words: str
    standing: Standing
    holds_in: frozenset[int] = frozenset()


def _class_difference(
    target: int, before: Explanation | None, after: Explanation | None, common: Mapping[int, int], least_change: float
) -> ClassDifference:
    """One class in both explanations; in one of them it may be missing."""
    ours, theirs = _reasons(before, common), _reasons(after, {index: index for index in common.values()})
    changes = [
        *_changes("reason", ours, theirs, same_reason, least_change),
        *_changes("prototype", _prototypes(before), _prototypes(after), same_prototype, least_change),
    ]
    return ClassDifference(
        target=target,
        changes=tuple(sorted(changes, key=lambda one: STATUSES.index(one.status))),
        num_predicted=(before.num_predicted if before else None, after.num_predicted if after else None),
        fidelity=(before.fidelity if before else None, after.fidelity if after else None),
    )


def _reasons(one: Explanation | None, common: Mapping[int, int]) -> list[_Item]:
    return [
        _Item(
            reason,
            reason.describe(colors=one.feature_colors),
            _standing(number, reason.support),
            frozenset(common[index] for index in reason.holds_in_indices if index in common),
        )
        for number, reason in enumerate(one.reasons if one else (), start=1)
        if one is not None
    ]


def _prototypes(one: Explanation | None) -> list[_Item]:
    return [
        _Item(prototype, description_of(prototype, one.feature_colors), _standing(number, prototype.evidence))
        for number, prototype in enumerate(one.prototypes if one else (), start=1)
        if one is not None
    ]


def _standing(number: int, counts: Support | Evidence | None) -> Standing:
    """Where something stands by its counts; shares of no graphs are not known."""
    if counts is None:
        return Standing(number=number, share=None, share_elsewhere=None)
    return Standing(
        number=number,
        share=counts.num_in_class / counts.num_class if counts.num_class else None,
        share_elsewhere=counts.num_elsewhere / counts.num_others if counts.num_others else None,
    )


def _changes(
    what: str, ours: list[_Item], theirs: list[_Item], are_same: Callable[[Any, Any], bool], least_change: float
) -> Iterator[Change]:
    pairs = paired([one.item for one in ours], [one.item for one in theirs], are_same)
    for place, one in enumerate(ours):
        if place in pairs:
            now = theirs[pairs[place]].standing
            status = _status(one.standing, now, least_change)
            yield Change(what=what, status=status, words=one.words, before=one.standing, after=now)
        else:
            near = _nearest(one, theirs)
            yield Change(what=what, status=WENT, words=one.words, before=one.standing, after=None, **near)
    for place, one in enumerate(theirs):
        if place not in pairs.values():
            near = _nearest(one, ours)
            yield Change(what=what, status=CAME, words=one.words, before=None, after=one.standing, **near)


def _status(before: Standing, after: Standing, least_change: float) -> str:
    pairs = ((before.share, after.share), (before.share_elsewhere, after.share_elsewhere))
    gaps = [abs(first - second) for first, second in pairs if first is not None and second is not None]
    return CHANGED if max(gaps, default=0.0) >= least_change else SAME


def _nearest(one: _Item, others: list[_Item]) -> dict[str, Any]:
    """What of the other side holds in most of the same graphs; nothing where nothing holds in half of them."""
    overlaps = [len(one.holds_in & other.holds_in) / max(1, len(one.holds_in | other.holds_in)) for other in others]
    best = max(overlaps, default=0.0)
    return {"nearest": others[overlaps.index(best)].words, "overlap": best} if best >= LEAST_OVERLAP else {}


def _graph_changes(before: Side, after: Side, common: Mapping[int, int]) -> Iterator[GraphChange]:
    ours, theirs = _FirstReasons(before), _FirstReasons(after)
    pairs = {
        target: paired(before[target].reasons, after[target].reasons, same_reason) for target in {*before} & {*after}
    }
    for index, other in common.items():
        first, second = ours.predictions[index], theirs.predictions[other]
        reason, reason_after = ours.reason(index), theirs.reason(other)
        if first == second:
            matched = reason if reason is None else pairs.get(first, {}).get(reason)
            is_same = matched == reason_after and (matched is None) == (reason is None)
            if is_same or first not in ours.holding or second not in theirs.holding:
                continue
        yield GraphChange(
            label=ours.label(index),
            predictions=(first, second),
            reasons=(ours.words(first, reason), theirs.words(second, reason_after)),
        )


class _FirstReasons:
    """What one side predicts for each graph, and by which reason: the first of the predicted class that holds."""

    def __init__(self, side: Side) -> None:
        first = next(iter(side.values()), None)
        self.predictions: Sequence[int] = () if first is None else first.survey.predictions
        self.label = str if first is None else first.graph_label
        self.holding = {target: reasons_by_graph(one) for target, one in side.items() if one.rule is not None}
        self._words = {
            target: [reason.describe(colors=one.feature_colors) for reason in one.reasons]
            for target, one in side.items()
        }

    def reason(self, index: int) -> int | None:
        """Its place in the rule; ``None`` where none holds."""
        held = self.holding.get(self.predictions[index], {}).get(index)
        return held[0] - 1 if held else None

    def words(self, target: int, place: int | None) -> str:
        """A reason in words; nothing where none holds."""
        return "" if place is None else self._words[target][place]


def _notes(before: Side, after: Side, common: Mapping[int, int]) -> Iterator[str]:
    numbers = _num_graphs(before), _num_graphs(after)
    if len(common) < max(numbers):
        yield (
            f"only {count_of(len(common), 'graph')} are in both explanations, which are of {numbers[0]:,} and "
            f"{numbers[1]:,}; shares are of each one's own"
        )
    if any(one.rule is None for one in (*before.values(), *after.values())):
        yield "reasons were not looked for in one of the explanations; prototypes and predictions are compared"


def same_prototype(first: Prototype, second: Prototype) -> bool:
    """Whether two prototypes are counted in the same graphs, since they are the same graph counted in the same way."""
    ways = [(_compared_by(one), one.edge_rule, one.num_nodes, len(one.edges)) for one in (first, second)]
    match_features = first.match_features if isinstance(first.graph.x, Tensor) else False
    return ways[0] == ways[1] and same_graph(
        first.graph, second.graph, match_features=match_features, match_edges=first.edge_rule
    )


def _compared_by(one: Prototype | Pattern) -> NodeRule | None:
    """How nodes are compared; what a rule was taken from, and what it is called, makes no difference."""
    rule = as_node_rule(one.match_features)
    if rule is None:
        return None
    groups = tuple(replace(group, names=()) for group in rule.groups)
    return NodeRule(cuts=rule.cuts, ignored=rule.ignored, groups=groups)


def same_pattern(first: Pattern, second: Pattern) -> bool:
    """Whether two patterns hold in the same graphs, since they are the same and lie in the same way.

    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(2,)))
    True
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(1,)))
    False
    """
    ways = [_way(one) for one in (first, second)]
    return ways[0] == ways[1] and same_graph(_marked(first), _marked(second), match_edges=first.edge_rule)


def _way(pattern: Pattern) -> tuple[object, ...]:
    shape = pattern.num_nodes, len(pattern.edges), len(pattern.closed)
    return (*shape, pattern.kind, pattern.at_least, _compared_by(pattern), pattern.edge_rule)


def _marked(pattern: Pattern) -> Data:
    """The pattern with its features as they are compared, and one more: whether a node is closed."""
    closed = torch.zeros(pattern.num_nodes, 1, dtype=torch.float64)
    closed[list(pattern.closed)] = 1.0
    x = []
    if isinstance(pattern.graph.x, Tensor):
        rows = pattern.graph.x.detach().cpu().double().reshape(pattern.num_nodes, -1).numpy()
        x = [torch.from_numpy(pattern.node_rule.compared(rows))]
    graph = Data(x=torch.cat([*x, closed], dim=1), edge_index=pattern.graph.edge_index)
    if graph.edge_index is None:
        graph.edge_index = torch.zeros(2, 0, dtype=torch.long)
    if isinstance(pattern.graph.edge_attr, Tensor):
        graph.edge_attr = pattern.graph.edge_attr
    return graph


def same_reason(first: Reason, second: Reason) -> bool:
    """Whether two reasons ask for the same patterns; what is left of two rules counts as the same.

    What is left, "none of what marks the others", names the reasons of all other classes. It plays the same part
    before and after, though it changes with each of them.
    """
    if first.is_rest or second.is_rest:
        return first.is_rest and second.is_rest
    return all(
        len(ours) == len(theirs) == len(paired(ours, theirs, same_pattern))
        for ours, theirs in ((first.has, second.has), (first.lacks, second.lacks))
    )


def paired(first: Sequence[T], second: Sequence[T], are_same: Callable[[T, T], bool]) -> dict[int, int]:
    """Which items of two lists are the same, by place; each has at most one counterpart, the first that is left.

    >>> paired("abca", "cadd", lambda ours, theirs: ours == theirs)
    {0: 1, 2: 0}
    """
    left, pairs = dict(enumerate(second)), {}
    for place, ours in enumerate(first):
        found = next((other for other, theirs in left.items() if are_same(ours, theirs)), None)
        if found is not None:
            pairs[place] = found
            del left[found]
    return pairs


def difference_text(difference: Difference, most: int = NUM_SHOWN) -> str:
    """Class by class what came, went and changed, and then the graphs that did, at most so many of each kind."""
    parts = ["\n".join(_class(one, difference.class_names)) for one in difference.classes]
    parts.append("\n".join(_graphs(difference, most)))
    return "\n\n".join([*parts, *(f"Note: {one_line(note)}." for note in difference.notes)])


def _class(one: ClassDifference, names: Sequence[str]) -> Iterator[str]:
    yield f"{class_label(one.target, names).capitalize()}: {class_facts(one)}"
    for change in one.changes:
        if change.status != SAME:
            yield f"  {change.status:<8} {change_words(change)}"
    same = [change for change in one.changes if change.status == SAME]
    counts = {what: sum(change.what == what for change in same) for what in ("reason", "prototype")}
    kept = [count_of(number, what) for what, number in counts.items() if number]
    yield f"  {SAME:<8} {', '.join(kept) or 'nothing'}"


def class_facts(one: ClassDifference) -> str:
    """How many graphs are predicted as the class, and the fidelity of its rule, before and after."""
    graphs = " -> ".join("not explained" if number is None else f"{number:,}" for number in one.num_predicted)
    fidelities = " -> ".join(_fidelity(fidelity) for fidelity in one.fidelity)
    return f"{graphs} graphs predicted as it" + ("" if fidelities == "- -> -" else f"; fidelity {fidelities}")


def _fidelity(fidelity: Fidelity | None) -> str:
    return "-" if fidelity is None else f"{fidelity:.3f} [{fidelity.low:.3f}, {fidelity.high:.3f}]"


def change_words(change: Change) -> str:
    """A change in one line: what it is of, in which share of the class and elsewhere, and what is nearest to it."""
    number = _number(change)
    return f"{change.what} {number}: {change.words}; {shares(change)}{nearest(change)}"


def _number(change: Change) -> str:
    numbers = [one.number for one in (change.after, change.before) if one is not None]
    return str(numbers[0]) if len(set(numbers)) == 1 else f"{numbers[0]} (was {numbers[1]})"


def shares(change: Change) -> str:
    """In which share of the class and elsewhere it is, before and after."""
    both = [one for one in (change.before, change.after) if one is not None]
    inside = " -> ".join(percent(one.share) for one in both)
    elsewhere = " -> ".join(percent(one.share_elsewhere) for one in both)
    return f"{inside} of the class, {elsewhere} elsewhere"


def nearest(change: Change) -> str:
    """What plays its part in the other explanation, if anything does."""
    if not change.nearest:
        return ""
    when = {CAME: "before", WENT: "now"}[change.status]
    return f"; {when}, in {percent(change.overlap)} of the same graphs: {change.nearest}"


def percent(share: float | None) -> str:
    """A share in percent, a dash where it is not known.

    >>> percent(0.125), percent(None), percent(0.9999)
    ('12.5%', '-', '100%')
    """
    return "-" if share is None else f"{100 * share:.3g}%"


def alike(graphs: Sequence[GraphChange]) -> list[list[GraphChange]]:
    """Graphs that changed in the same way together; another prediction goes first, then the most graphs do."""
    together: dict[object, list[GraphChange]] = {}
    for one in graphs:
        together.setdefault((one.predictions, one.reasons), []).append(one)
    return sorted(together.values(), key=lambda some: (not some[0].is_predicted_otherwise, -len(some)))


def _graphs(difference: Difference, most: int) -> Iterator[str]:
    total = count_of(difference.num_common, "graph")
    otherwise = [one for one in difference.graphs if one.is_predicted_otherwise]
    others = [one for one in difference.graphs if not one.is_predicted_otherwise]
    if not difference.graphs:
        yield f"Every one of the {total} has the same prediction and the same reason."
    for some, what in ((otherwise, "another prediction"), (others, "the same prediction for another reason")):
        if some:
            yield f"{len(some):,} of the {total} {'has' if len(some) == 1 else 'have'} {what}:"
            several = alike(some)
            yield from (f"  {graph_words(these, difference.class_names)}" for these in several[:most])
            if left := sum(map(len, several[most:])):
                yield f"  and {left:,} more"


def graph_words(alike: Sequence[GraphChange], names: Sequence[str]) -> str:
    """Graphs that changed in the same way: how many, their prediction and reason, before and after, and a few names."""
    one, labels = alike[0], [change.label for change in alike[:FEW_GRAPHS]]
    first, second = (class_label(target, names) for target in one.predictions)
    classes = f"{first} -> {second}" if one.is_predicted_otherwise else first
    reasons = " -> ".join(reason or NO_REASON for reason in one.reasons)
    return f"{len(alike):,}  {classes}: {reasons}; {', '.join(labels)}{', ...' if len(alike) > len(labels) else ''}"
