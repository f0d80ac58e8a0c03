"""Two models' explanations of the same classes beside each other: what came, what went, what changed, in words."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import torch
from torch_geometric.data import Data

from protograph._utils.options import check_number
from protograph._utils.words import class_label, count_of, one_line
from protograph.explanation.explanation import Explanation
from protograph.explanation.explanations import Explanations
from protograph.explanation.pattern import Pattern, formal
from protograph.explanation.prototype import Prototype
from protograph.explanation.rule import Fidelity, Reason, Support
from protograph.explanation.tables import description_of, reasons_by_graph
from protograph.graphs.conditions import Reading
from protograph.graphs.variables import DIRECTION, EDGE, Variable
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

    @property
    def standings(self) -> list[Standing]:
        """Where it stood before and stands now; where it came or went, one of the two."""
        return [one for one in (self.before, self.after) if one is not None]


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
        explained: Both explanations, by class, from which a report draws what changed.
    """

    class_names: tuple[str, ...]
    classes: tuple[ClassDifference, ...]
    graphs: tuple[GraphChange, ...]
    num_common: int
    num_graphs: tuple[int, int]
    notes: tuple[str, ...]
    explained: tuple[Side, Side]

    def changes(self, *statuses: str) -> list[Change]:
        """The changes of these kinds in all classes."""
        return [change for one in self.classes for change in one.changes if change.status in statuses]

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.changes(status))} {status}" for status in STATUSES)
        return f"Difference({counts}; {count_of(len(self.graphs), 'graph')} changed)"

    def summary(self) -> str:
        """Say class by class what came, went and changed, and then which graphs did."""
        parts = ["\n".join(_class_lines(one, self.class_names)) for one in self.classes]
        notes = [f"Note: {one_line(note)}." for note in self.notes]
        return "\n\n".join([*parts, "\n".join(_graph_lines(self)), *notes])

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
    before, after = ({one.target: one} if isinstance(one, Explanation) else dict(one) for one in (a, b))
    if not (before and after):
        raise ValueError("a and b must explain a class each, got one of no class; explain both models on the same data")
    first, second = next(iter(before.values())), next(iter(after.values()))
    for what, ours, theirs in (
        ("classes", first.class_names, second.class_names),
        ("features", first.feature_names, second.feature_names),
        ("attributes of edges", first.edge_names, second.edge_names),
    ):
        if ours != theirs:
            shown = " and ".join(one_line(", ".join(names))[:60] or "none" for names in (ours, theirs))
            raise ValueError(f"a and b must be of the same {what}, got {shown}; explain both models on the same data")
    common, notes = _common(first, second), list[str]()
    if len(common) < max(first.num_graphs, second.num_graphs):
        notes.append(
            f"only {count_of(len(common), 'graph')} are in both explanations, which are of {first.num_graphs:,} and "
            f"{second.num_graphs:,}; shares are of each one's own"
        )
    if any(one.rule is None for one in (*before.values(), *after.values())):
        notes.append("reasons were not looked for in one of the explanations; prototypes and predictions are compared")
    targets = sorted({*before, *after})
    return Difference(
        class_names=first.class_names,
        classes=tuple(
            _class_difference(target, before.get(target), after.get(target), common, least_change) for target in targets
        ),
        graphs=tuple(sorted(_graph_changes(before, after, common), key=lambda one: not one.is_predicted_otherwise)),
        num_common=len(common),
        num_graphs=(first.num_graphs, second.num_graphs),
        notes=tuple(notes),
        explained=(before, after),
    )


def _common(first: Explanation, second: Explanation) -> dict[int, int]:
    """The index in the second explanation of each graph that both have, by its index in the first.

    Other graphs at the same places, as of a data set that was generated with another seed, are refused.
    """
    places = {second.origin(index): index for index in range(second.num_graphs)}
    common = {index: places[first.origin(index)] for index in range(first.num_graphs) if first.origin(index) in places}
    for pair in common.items():
        sides = [*zip((first.survey, second.survey), pair, strict=True)]
        labels = {survey.labels[index] for survey, index in sides if survey.labels}
        sizes = {survey.graphs[index].num_nodes for survey, index in sides if index in survey.graphs}
        if len(labels) > 1 or len(sizes) > 1:
            what = "label" if len(labels) > 1 else "number of nodes"
            raise ValueError(
                f"a and b must be of the same graphs, got {first.graph_label(pair[0])} with another {what}; explain "
                f"both models on the same data (a data set that is generated differs from seed to seed)"
            )
    return common


@dataclass(frozen=True)
class _Item:
    """A reason or a prototype of one side: what it is, where it stands, and in which of the common graphs it holds."""

    item: Reason | Prototype
    words: str
    standing: Standing
    holds_in: frozenset[int] = frozenset()


def _class_difference(
    target: int, before: Explanation | None, after: Explanation | None, common: Mapping[int, int], least_change: float
) -> ClassDifference:
    """One class in both explanations; in one of them it may be missing."""
    ours, theirs = _reasons(before, common), _reasons(after, dict(zip(common.values(), common.values(), strict=True)))
    changes = [
        *_changes("reason", ours, theirs, same_reason, least_change),
        *_changes("prototype", _prototypes(before), _prototypes(after), same_pattern, least_change),
    ]
    return ClassDifference(
        target=target,
        changes=tuple(sorted(changes, key=lambda one: STATUSES.index(one.status))),
        num_predicted=(before.num_predicted if before else None, after.num_predicted if after else None),
        fidelity=(before.fidelity if before else None, after.fidelity if after else None),
    )


def _reasons(one: Explanation | None, indices: Mapping[int, int]) -> list[_Item]:
    if one is None:
        return []
    return [
        _Item(
            reason,
            reason.describe(),
            _standing(number, reason.support),
            frozenset(indices[index] for index in reason.holds_in_indices if index in indices),
        )
        for number, reason in enumerate(one.reasons, start=1)
    ]


def _prototypes(one: Explanation | None) -> list[_Item]:
    if one is None:
        return []
    return [
        _Item(prototype, description_of(prototype), _standing(number, prototype.evidence))
        for number, prototype in enumerate(one.prototypes, start=1)
    ]


def _standing(number: int, counts: Support | None) -> Standing:
    """Where something stands by its counts; shares of no graphs are not known."""
    return Standing(
        number=number,
        share=counts.share if counts and counts.num_class else None,
        share_elsewhere=counts.share_elsewhere if counts and counts.num_others else None,
    )


def _changes(
    what: str, ours: list[_Item], theirs: list[_Item], are_same: Callable[[Any, Any], bool], least_change: float
) -> Iterator[Change]:
    pairs = paired([one.item for one in ours], [one.item for one in theirs], are_same)

    def alone(one: _Item, others: list[_Item], status: str) -> Change:
        """What came or went, and what of the other side holds in most of the same graphs, if in half of them."""
        overlaps = [len(one.holds_in & other.holds_in) / max(1, len(one.holds_in | other.holds_in)) for other in others]
        best = max(overlaps, default=0.0)
        near, overlap = (others[overlaps.index(best)].words, best) if best >= LEAST_OVERLAP else ("", 0.0)
        was, now = (one.standing, None) if status == WENT else (None, one.standing)
        return Change(what=what, status=status, words=one.words, before=was, after=now, nearest=near, overlap=overlap)

    for place, one in enumerate(ours):
        if place not in pairs:
            yield alone(one, theirs, WENT)
            continue
        was, now = one.standing, theirs[pairs[place]].standing
        shares = ((was.share, now.share), (was.share_elsewhere, now.share_elsewhere))
        gaps = [abs(old - new) for old, new in shares if old is not None and new is not None]
        status = CHANGED if max(gaps, default=0.0) >= least_change else SAME
        yield Change(what=what, status=status, words=one.words, before=was, after=now)
    for place, one in enumerate(theirs):
        if place not in pairs.values():
            yield alone(one, ours, CAME)


def _graph_changes(before: Side, after: Side, common: Mapping[int, int]) -> Iterator[GraphChange]:
    first, second = next(iter(before.values())), next(iter(after.values()))
    ours, theirs = _first_reasons(before), _first_reasons(after)
    pairs = {
        target: paired(before[target].reasons, after[target].reasons, same_reason) for target in {*before} & {*after}
    }
    for index, other in common.items():
        was, now = first.survey.predictions[index], second.survey.predictions[other]
        reason, words = ours.get(index, (None, ""))
        reason_now, words_now = theirs.get(other, (None, ""))
        if was == now:
            counterpart = None if reason is None else pairs.get(was, {}).get(reason, -1)
            has_rules = all(was in side and side[was].rule is not None for side in (before, after))
            if reason_now == counterpart or not has_rules:
                continue
        yield GraphChange(label=first.graph_label(index), predictions=(was, now), reasons=(words, words_now))


def _first_reasons(side: Side) -> dict[int, tuple[int, str]]:
    """The first reason of its predicted class that holds in each graph, by its place in the rule and in words."""
    found = {}
    for target, one in side.items():
        words = [reason.describe() for reason in one.reasons]
        for index, numbers in reasons_by_graph(one).items():
            if one.survey.predictions[index] == target:
                found[index] = (numbers[0] - 1, words[numbers[0] - 1])
    return found


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


def same_pattern(first: Pattern | Prototype, second: Pattern | Prototype) -> bool:
    """Whether two patterns, or two prototypes, are in the same graphs: they are the same and are counted the same way.

    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(2,)))
    True
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(1,)))
    False
    """
    ours, theirs = (one if isinstance(one, Pattern) else one.pattern for one in (first, second))
    if ours is None or theirs is None:
        if ours is not theirs:
            return False
        assert isinstance(first, Prototype)
        assert isinstance(second, Prototype)
        nodes, edges = first.node_rule, first.edge_rule
        is_alike = (nodes, edges) == (second.node_rule, second.edge_rule)
        return is_alike and same_graph(first.graph, second.graph, match_features=nodes, match_edges=edges)
    told = [_told(one) for one in (ours, theirs)]
    if (ours.kind, ours.at_least, set(told[0].values())) != (theirs.kind, theirs.at_least, set(told[1].values())):
        return False
    texts = sorted(set(told[0].values()))
    graphs = [_compared(one, own, texts) for one, own in zip((ours, theirs), told, strict=True)]
    return same_graph(*graphs, match_edges=_ASKED)


# Edges are compared by what is asked of them, and by which way that is told.
_ASKED = Reading(
    variables=(
        Variable(name="asked", key="edge_attr", of=EDGE, places=(0,)),
        Variable(name="direction", key="edge_index", of=EDGE, kind=DIRECTION),
    )
)


def _told(pattern: Pattern) -> dict[int | tuple[int, int], str]:
    """What is asked of each node, and of each edge both ways round, as a line."""
    nodes = {node: formal(own, pattern.node_reading) for node, own in enumerate(pattern.of_nodes)}
    edges = {ends: formal(own, pattern.edge_reading) for ends, own in pattern.of_edges.items()}
    return {place: json.dumps(asked, sort_keys=True) for place, asked in (nodes | edges).items()}


def _compared(pattern: Pattern, told: Mapping[int | tuple[int, int], str], texts: Sequence[str]) -> Data:
    """The graph with the number of what is asked of each node and edge, and whether a node is closed."""
    nodes = [[float(texts.index(told[node])), float(node in pattern.closed)] for node in range(pattern.num_nodes)]
    # What is asked of an edge is told from the end from which it comes first.
    ends = [(u, v) for u, v in pattern.of_edges if told[u, v] <= told[v, u]]
    return Data(
        x=torch.tensor(nodes),
        edge_index=torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T,
        edge_attr=torch.tensor([float(texts.index(told[edge])) for edge in ends]).reshape(-1, 1),
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


def _class_lines(one: ClassDifference, names: Sequence[str]) -> Iterator[str]:
    yield f"{class_label(one.target, names).capitalize()}: {class_facts(one)}"
    for change in one.changes:
        if change.status != SAME:
            yield f"  {change.status:<8} {_change_words(change)}"
    same = Counter(change.what for change in one.changes if change.status == SAME)
    kept = [count_of(same[what], what) for what in ("reason", "prototype") if same[what]]
    yield f"  {SAME:<8} {', '.join(kept) or 'nothing'}"


def class_facts(one: ClassDifference) -> str:
    """How many graphs are predicted as the class, and the fidelity of its rule, before and after."""
    graphs = " -> ".join("not explained" if number is None else f"{number:,}" for number in one.num_predicted)
    fidelities = " -> ".join(
        "-" if fidelity is None else f"{fidelity:.3f} [{fidelity.low:.3f}, {fidelity.high:.3f}]"
        for fidelity in one.fidelity
    )
    return f"{graphs} graphs predicted as it" + ("" if fidelities == "- -> -" else f"; fidelity {fidelities}")


def _change_words(change: Change) -> str:
    """A change in one line: what it is of, in which share of the class and elsewhere, and what is nearest to it."""
    both = change.standings
    was, now = both[0].number, both[-1].number
    number = str(now) if was == now else f"{now} (was {was})"
    inside = " -> ".join(percent(one.share) for one in both)
    elsewhere = " -> ".join(percent(one.share_elsewhere) for one in both)
    return f"{change.what} {number}: {change.words}; {inside} of the class, {elsewhere} elsewhere{nearest(change)}"


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


def _graph_lines(difference: Difference) -> Iterator[str]:
    total = count_of(difference.num_common, "graph")
    if not difference.graphs:
        yield f"Every one of the {total} has the same prediction and the same reason."
    for is_otherwise, what in ((True, "another prediction"), (False, "the same prediction for another reason")):
        some = [one for one in difference.graphs if one.is_predicted_otherwise == is_otherwise]
        if some:
            yield f"{len(some):,} of the {total} {'has' if len(some) == 1 else 'have'} {what}:"
            several = alike(some)
            yield from (f"  {graph_words(these, difference.class_names)}" for these in several[:NUM_SHOWN])
            if left := sum(map(len, several[NUM_SHOWN:])):
                yield f"  and {left:,} more"


def graph_words(alike: Sequence[GraphChange], names: Sequence[str]) -> str:
    """Graphs that changed in the same way: how many, their prediction and reason, before and after, and a few names."""
    one, labels = alike[0], [change.label for change in alike[:FEW_GRAPHS]]
    classes = " -> ".join(dict.fromkeys(class_label(target, names) for target in one.predictions))
    reasons = " -> ".join(reason or NO_REASON for reason in one.reasons)
    return f"{len(alike):,}  {classes}: {reasons}; {', '.join(labels)}{', ...' if len(alike) > len(labels) else ''}"
