"""Metrics of one's own in a comparison: plain functions of an explanation, and of what it was found in."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph.explanation import Explanation


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricCase:
    """What a metric may look at beside the explanation.

    Attributes:
        model: The model that was explained.
        graphs: The graphs that the explainer was fitted to.
        held_out: Graphs that it has not seen.
        predictions: The class that the model predicts for each of these.
        truths: Ground truths of the class; empty where it has none.
        seed: The seed.
    """

    model: Any
    graphs: Sequence[Data]
    held_out: Sequence[Data]
    predictions: Ints
    truths: Sequence[Data]
    seed: int


# ``metric(explanation)`` or ``metric(explanation, case)``; gives a number, or None where it does not apply.
OwnMetric = Callable[..., Any]


def measured(name: str, metric: OwnMetric, explanation: Explanation, case: MetricCase) -> float | None:
    """What a metric gives for an explanation; ``None`` where that is nan.

    Raises:
        TypeError: If it gives no number.
    """
    takes = takes_case(name, metric)
    try:
        value = metric(explanation, case) if takes else metric(explanation)
    except Exception as error:
        error.add_note(f"this happened in the metric {name}, for class {explanation.target}")
        raise
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"the metric {name} must give a number, or None where it does not apply, got {type(value).__name__}"
        ) from None
    return number if math.isfinite(number) else None


def takes_case(name: str, metric: OwnMetric) -> bool:
    """Whether a metric takes a case beside the explanation.

    >>> takes_case("size", lambda explanation: 1), takes_case("size", lambda explanation, case: 1)
    (False, True)
    """
    signature = inspect.signature(metric)
    for count in (2, 1):
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return count == 2
    raise TypeError(f"the metric {name} must be called as f(explanation) or f(explanation, case), got f{signature}")
