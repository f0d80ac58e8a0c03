"""What tells classes apart: in which share of the graphs predicted as each class something holds."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from protograph._base.arrays import Ints
from protograph._base.words import class_label
from protograph.explanation import Explanation
from protograph.explanation.describing.sentences import what_it_is
from protograph.report.shown_graphs import ShownGraphs


def contrasts(explanations: Sequence[Explanation], shown: ShownGraphs) -> list[dict[str, Any]]:
    """A row a reason; where no class has any, a row a prototype, counted in the graphs that are kept."""
    if any(one.reasons for one in explanations):
        return [row for one in explanations for row in _of_reasons(one)]
    return [row for one in explanations for row in _of_prototypes(one, shown)]


def _of_reasons(explanation: Explanation) -> list[dict[str, Any]]:
    predictions = np.array(explanation.survey.predictions, dtype=np.int64)
    return [
        {
            "card": f"class-{explanation.target}-reason-{number}",
            "title": _title(explanation, f"reason {number}"),
            "words": reason.describe(colors=explanation.feature_colors),
            "shares": _shares(explanation, predictions, predictions[list(reason.holds_in_indices)]),
        }
        for number, reason in enumerate(explanation.reasons, start=1)
    ]


def _of_prototypes(explanation: Explanation, shown: ShownGraphs) -> list[dict[str, Any]]:
    if not shown.graphs:
        return []
    predictions = shown.predictions
    return [
        {
            "card": f"class-{explanation.target}-prototype-{number}",
            "title": _title(explanation, f"prototype {number}"),
            "words": what_it_is(prototype, explanation.feature_colors),
            "shares": _shares(explanation, predictions, predictions[shown.have(prototype)]),
        }
        for number, prototype in enumerate(explanation.prototypes, start=1)
    ]


def _title(explanation: Explanation, which: str) -> str:
    return f"{class_label(explanation.target, explanation.class_names).capitalize()}, {which}"


def _shares(explanation: Explanation, predictions: Ints, holding: Ints) -> list[float]:
    """Per cent of the graphs predicted as each class."""
    size = len(explanation.class_names)
    totals, held = (np.bincount(some, minlength=size) for some in (predictions, holding))
    return [round(100 * float(h) / float(t), 2) if t else 0.0 for h, t in zip(held, totals, strict=True)]
