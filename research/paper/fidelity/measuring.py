"""What is measured of one model: how far its rules agree with it, how large they are, and what they cost."""

import time
import warnings
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from torch import nn
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.errors import ProtographWarning
from protograph.explanation import Explanations
from protograph.metrics.fidelity import fidelity
from protograph.page.explainer import PAGE
from research.paper.fidelity.rule_patterns import rule_patterns
from research.paper.fidelity.trees import tree_fidelities
from research.paper.worlds.nets import predicted

Value = TypeVar("Value")


def measure_rules(
    model: nn.Module, inside: Sequence[Data], outside: Sequence[Data], seed: int, **names: Any
) -> tuple[dict[str, Any], Explanations]:
    """Explain a model by the graphs inside, and hold its rules against its predictions for those outside.

    Args:
        model: The model.
        inside: The graphs that the explanation is of.
        outside: Graphs that were kept apart.
        seed: Of the explainer.
        names: Of features and classes, as ``fit`` takes them; what there is none of is left out.

    Returns:
        What was measured, as plain data, and the explanations.
    """
    inside_classes, outside_classes = predicted(model, inside), predicted(model, outside)
    forward, _ = _timed(lambda: predicted(model, inside))
    known = {key: value for key, value in names.items() if value}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        explainer = PAGE(random_state=seed)
        seconds, explanations = _timed(lambda: explainer.fit(model, list(inside), **known).explain_all())
    patterns = rule_patterns(explanations)
    row = {
        **agreement(explanations, outside, outside_classes),
        "num_reasons": [len(one.reasons) for one in explanations.values()],
        "num_patterns": len(patterns),
        **tree_fidelities(list(patterns.values()), inside, outside, inside_classes, outside_classes),
        "majority": 1 / len(np.unique(outside_classes)),
        "seconds": round(seconds, 3),
        "forward_seconds": round(forward, 4),
        "ratio": round(seconds / forward, 1),
        "rules": {str(target): one.rule for target, one in explanations.items()},
        "patterns": sorted(patterns),
    }
    return row, explanations


def agreement(explanations: Explanations, graphs: Sequence[Data], predictions: Ints) -> dict[str, Any]:
    """Fidelity on graphs that were kept apart, with its interval, and what the explanations print themselves."""
    value = fidelity(explanations, graphs, predictions)
    printed, without = explanations.fidelity, explanations.fidelity_without_rest
    return {
        "fidelity": float(value),
        "low": value.low,
        "high": value.high,
        # Of a class that is not predicted there is none.
        "by_class": [one if isfinite(one) else None for one in value.by_class],
        "printed": None if printed is None else float(printed),
        "printed_without_rest": None if without is None else float(without),
    }


def _timed(work: Callable[[], Value]) -> tuple[float, Value]:
    """Seconds that something takes, and what it gives."""
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result
