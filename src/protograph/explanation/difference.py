"""Two models' explanations of the same classes beside each other: what came, what went, and what changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from protograph._base.options import check_number
from protograph._base.words import count_of, one_line
from protograph.explanation.changes import (
    CAME,
    CHANGED,
    SAME,
    STATUSES,
    WENT,
    Change,
    ClassDifference,
    GraphChange,
    Standing,
)
from protograph.explanation.describing.difference_words import difference_text
from protograph.explanation.explanation import Explanation
from protograph.explanation.explanations import Explanations
from protograph.explanation.sameness import paired, same_prototype, same_reason
from protograph.explanation.tables import description_of, reasons_by_graph


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
        _ClassPair(before.get(target), after.get(target), least_change, common).difference(target)
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


def _by_class(one: Explanation | Explanations) -> Mapping[int, Explanation]:
    return {one.target: one} if isinstance(one, Explanation) else dict(one)


def _check_same(before: Mapping[int, Explanation], after: Mapping[int, Explanation]) -> None:
    for key, what in (("class_names", "classes"), ("feature_names", "features"), ("edge_names", "attributes of edges")):
        known = [next((getattr(one, key) for one in side.values()), None) for side in (before, after)]
        if None not in known and known[0] != known[1]:
            shown = " and ".join(one_line(", ".join(names or ()))[:60] or "none" for names in known)
            raise ValueError(f"a and b must be of the same {what}, got {shown}; explain both models on the same data")


def _num_graphs(side: Mapping[int, Explanation]) -> int:
    return next((one.num_graphs for one in side.values()), 0)


@dataclass(frozen=True)
class _ClassPair:
    """One class in both explanations; in one of them it may be missing."""

    before: Explanation | None
    after: Explanation | None
    least_change: float
    common: Mapping[int, int]

    def difference(self, target: int) -> ClassDifference:
        sides = (self.before, self.after)
        changes = [*self._reasons(), *self._prototypes()]
        return ClassDifference(
            target=target,
            changes=tuple(sorted(changes, key=lambda one: STATUSES.index(one.status))),
            num_predicted=(*(None if one is None else one.num_predicted for one in sides),),  # type: ignore[arg-type]
            fidelity=(*(None if one is None else one.fidelity for one in sides),),  # type: ignore[arg-type]
        )

    def _reasons(self) -> Iterator[Change]:
        ours, theirs = (() if one is None else one.reasons for one in (self.before, self.after))
        words = [
            [] if one is None else [reason.describe(colors=one.feature_colors) for reason in one.reasons]
            for one in (self.before, self.after)
        ]
        standings = [
            [_standing(number, reason.support) for number, reason in enumerate(some, start=1)]
            for some in (ours, theirs)
        ]
        overlaps = self._overlaps()
        for change, place, is_after in self._paired("reason", paired(ours, theirs, same_reason), words, standings):
            row = overlaps[:, place] if is_after else overlaps[place] if len(overlaps) else np.zeros(0)
            best = int(row.argmax()) if row.size else 0
            if change.status in (CAME, WENT) and row.size and row[best] >= 0.5:
                near = {"nearest": words[not is_after][best], "overlap": float(row[best])}
                change = Change(**{**vars(change), **near})
            yield change

    def _overlaps(self) -> Any:
        """For each reason before and each after the share of their graphs in which both hold; 0 without graphs."""
        if self.before is None or self.after is None:
            return np.zeros((0, 0))
        shares = np.zeros((len(self.before.reasons), len(self.after.reasons)))
        common, known = self.common, set(self.common.values())
        after = [known & set(one.holds_in_indices) for one in self.after.reasons]
        for row, ours in enumerate(self.before.reasons):
            held = {common[index] for index in ours.holds_in_indices if index in common}
            for column, theirs in enumerate(after):
                shares[row, column] = len(held & theirs) / max(1, len(held | theirs))
        return shares

    def _prototypes(self) -> Iterator[Change]:
        ours, theirs = ([] if one is None else one.prototypes for one in (self.before, self.after))
        words = [
            [] if one is None else [description_of(prototype, one.feature_colors) for prototype in one.prototypes]
            for one in (self.before, self.after)
        ]
        standings = [
            [_standing(number, one.evidence) for number, one in enumerate(some, start=1)] for some in (ours, theirs)
        ]
        pairs = paired(ours, theirs, same_prototype)
        yield from (change for change, _, _ in self._paired("prototype", pairs, words, standings))

    def _paired(
        self,
        what: str,
        pairs: Mapping[int, int],
        words: Sequence[Sequence[str]],
        standings: Sequence[Sequence[Standing]],
    ) -> Iterator[tuple[Change, int, bool]]:
        """Each change with the place of its item, and whether that is a place after."""
        for place, standing in enumerate(standings[0]):
            after = standings[1][pairs[place]] if place in pairs else None
            status = WENT if after is None else self._status(standing, after)
            yield Change(what=what, status=status, words=words[0][place], before=standing, after=after), place, False
        for place, standing in enumerate(standings[1]):
            if place not in pairs.values():
                yield Change(what=what, status=CAME, words=words[1][place], before=None, after=standing), place, True

    def _status(self, before: Standing, after: Standing) -> str:
        pairs = ((before.share, after.share), (before.share_elsewhere, after.share_elsewhere))
        gaps = [abs(first - second) for first, second in pairs if first is not None and second is not None]
        return CHANGED if max(gaps, default=0.0) >= self.least_change else SAME


def _standing(number: int, counts: Any) -> Standing:
    """Where something stands by its counts, of a reason's support or a prototype's evidence."""
    if counts is None:
        return Standing(number=number, share=None, share_elsewhere=None)
    return Standing(
        number=number,
        share=counts.num_in_class / counts.num_class if counts.num_class else None,
        share_elsewhere=counts.num_elsewhere / counts.num_others if counts.num_others else None,
    )


def _common(before: Mapping[int, Explanation], after: Mapping[int, Explanation]) -> dict[int, int]:
    """The index after of each graph that both sides have, by its index before."""
    first, second = (next(iter(side.values()), None) for side in (before, after))
    if first is None or second is None:
        return {}
    places = {second.origin(index): index for index in range(second.num_graphs)}
    found = {index: places.get(first.origin(index)) for index in range(first.num_graphs)}
    return {ours: theirs for ours, theirs in found.items() if theirs is not None}


def _check_graphs(
    before: Mapping[int, Explanation], after: Mapping[int, Explanation], common: Mapping[int, int]
) -> None:
    """Refuse other graphs at the same places, as of a data set that was generated with another seed."""
    first, second = (next(iter(side.values()), None) for side in (before, after))
    ours, theirs = (None if one is None else one.survey for one in (first, second))
    if ours is None or theirs is None or first is None:
        return
    sizes = [{index: graph.num_nodes for index, graph in one.graphs.items()} for one in (ours, theirs)]
    for index, other in common.items():
        pair = (sizes[0].get(index), sizes[1].get(other))
        has_other_label = bool(ours.labels and theirs.labels) and ours.labels[index] != theirs.labels[other]
        if has_other_label or (None not in pair and pair[0] != pair[1]):
            what = "label" if has_other_label else "number of nodes"
            raise ValueError(
                f"a and b must be of the same graphs, got {first.graph_label(index)} with another {what}; explain both "
                f"models on the same data (a data set that is generated differs from seed to seed)"
            )


def _graph_changes(
    before: Mapping[int, Explanation], after: Mapping[int, Explanation], common: Mapping[int, int]
) -> Iterator[GraphChange]:
    ours, theirs = _Predictions(before), _Predictions(after)
    if not (ours.predictions and theirs.predictions):
        return
    pairs = {
        target: paired(before[target].reasons, after[target].reasons, same_reason) for target in {*before} & {*after}
    }
    for index, other in common.items():
        predictions = ours.predictions[index], theirs.predictions[other]
        reasons = ours.reason(index), theirs.reason(other)
        is_same = predictions[0] == predictions[1] and _correspond(*reasons, pairs.get(predictions[0], {}))
        is_known = predictions[0] in ours.holding and predictions[1] in theirs.holding
        if not is_same and (is_known or predictions[0] != predictions[1]):
            words = ours.words(predictions[0], reasons[0]), theirs.words(predictions[1], reasons[1])
            yield GraphChange(label=ours.label(index), predictions=predictions, reasons=words)


def _correspond(before: int | None, after: int | None, pairs: Mapping[int, int]) -> bool:
    """Whether a graph's reasons, by their places, are the same one; no reason is the same as no reason."""
    return before == after if before is None or after is None else pairs.get(before) == after


class _Predictions:
    """What one side predicts for each graph, and by which reason."""

    def __init__(self, side: Mapping[int, Explanation]) -> None:
        self._side = side
        self._words: dict[tuple[int, int], str] = {}  # of reasons, in which many graphs change alike
        self._first = next(iter(side.values()), None)
        facts = None if self._first is None else self._first.survey
        known = () if self._first is None else self._first.graph_predictions
        self.predictions: Sequence[int] = known if facts is None else facts.predictions
        self.holding = {target: reasons_by_graph(one) for target, one in side.items() if one.graph_predictions}

    def reason(self, index: int) -> int | None:
        """Place of the first reason of the predicted class that holds; ``None`` where none does."""
        held = self.holding.get(self.predictions[index])
        return held[index][0] - 1 if held is not None and held[index] else None

    def words(self, target: int, place: int | None) -> str:
        if place is None:
            return ""
        if (target, place) not in self._words:
            one = self._side[target]
            self._words[target, place] = one.reasons[place].describe(colors=one.feature_colors)
        return self._words[target, place]

    def label(self, index: int) -> str:
        assert self._first is not None
        return self._first.graph_label(index)


def _notes(
    before: Mapping[int, Explanation], after: Mapping[int, Explanation], common: Mapping[int, int]
) -> Iterator[str]:
    numbers = _num_graphs(before), _num_graphs(after)
    if len(common) < max(numbers):
        yield (
            f"only {count_of(len(common), 'graph')} are in both explanations, which are of {numbers[0]:,} and "
            f"{numbers[1]:,}; shares are of each one's own"
        )
    if any(not one.graph_predictions for one in (*before.values(), *after.values())):
        yield "reasons were not looked for in one of the explanations; prototypes and predictions are compared"
