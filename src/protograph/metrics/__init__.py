"""Measures of prototypes and rules: against a ground truth, the graphs of a class, and models."""

from protograph.metrics.accuracy import accuracy, best_accuracy, density, validity
from protograph.metrics.attribution import attribute, auroc, concentration, training_gain
from protograph.metrics.judging import judge, margin_share
from protograph.metrics.robustness import consistency, faithfulness
from protograph.metrics.sanity import sanity, stability
from protograph.metrics.support import (
    coverage,
    embedding_coverage,
    fidelity,
    support,
)

__all__ = [
    "accuracy",
    "attribute",
    "auroc",
    "best_accuracy",
    "concentration",
    "consistency",
    "coverage",
    "density",
    "embedding_coverage",
    "faithfulness",
    "fidelity",
    "judge",
    "margin_share",
    "sanity",
    "stability",
    "support",
    "training_gain",
    "validity",
]
