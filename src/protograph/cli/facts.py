"""What scripts are told of prototypes, their graphs and rules, in the JSON of several commands."""

import math
from dataclasses import asdict
from typing import Any

from protograph.explanation import Explanation, Fidelity, Prototype, Reason


def source_facts(explanation: Explanation, prototype: Prototype) -> dict[str, Any]:
    """Indices of the graphs that a prototype was found in, among those explained, and where each came from.

    ``source`` and ``sources`` are indices; ``origin`` and ``origins``, in the same order, are places in the user's own
    data, with line, file, name and SMILES.
    """
    sources = prototype.sources
    return {
        "source": prototype.source,
        "origin": _origin(explanation, prototype.source),
        "sources": sources,
        "origins": None if sources is None else [_origin(explanation, index) for index in sources],
    }


def _origin(explanation: Explanation, index: int | None) -> dict[str, Any] | None:
    known = None if index is None else explanation.origins.get(index)
    return None if known is None else asdict(known)


def rule_facts(explanation: Explanation) -> dict[str, Any]:
    """The rule of a class in words, its reasons with where they hold, its fidelity, and what it does not explain."""
    share = explanation.uncovered_share
    return {
        "rule": explanation.rule,
        "reasons": [_reason_facts(explanation, reason) for reason in explanation.reasons],
        "fidelity": fidelity_facts(explanation.fidelity),
        "fidelity_curve": [float(one) for one in explanation.fidelity_curve],
        "fidelity_note": explanation.fidelity_note,
        "uncovered_share": None if math.isnan(share) else share,
        "typical_uncovered": list(explanation.typical_uncovered),
    }


def _reason_facts(explanation: Explanation, reason: Reason) -> dict[str, Any]:
    example = reason.example
    return {
        "words": reason.describe(colors=explanation.feature_colors),
        "support": asdict(reason.support),
        "kept_apart": None if reason.kept_apart is None else asdict(reason.kept_apart),
        "example": None if example is None else example.source,
        "example_origin": None if example is None else _origin(explanation, example.source),
        "example_probability": None if example is None else example.probability,
    }


def fidelity_facts(fidelity: Fidelity | None) -> dict[str, Any] | None:
    """A fidelity with its interval and how many graphs it is of."""
    if fidelity is None or math.isnan(fidelity):
        return None
    return {
        "value": float(fidelity),
        "low": fidelity.low,
        "high": fidelity.high,
        "num_graphs": fidelity.num_graphs,
    }
