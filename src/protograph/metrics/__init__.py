"""Measures of prototypes and rules: against a ground truth, the graphs of a class, and models."""

from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import Accuracy, accuracy, best_accuracy, density, validity
from protograph.metrics.attribution import TrainingGain, attribute, auroc, concentration, training_gain
from protograph.metrics.intervals import Estimate
from protograph.metrics.judging import Judged, judge, margin_share
from protograph.metrics.robustness import Consistency, Faithfulness, consistency, corrupted, faithfulness
from protograph.metrics.sanity import Sanity, SanityStep, Stability, sanity, stability
from protograph.metrics.support import (
    CoverageResult,
    EmbeddingCoverage,
    SupportResult,
    coverage,
    embedding_coverage,
    fidelity,
    gain_area,
    overlap,
    support,
)

__all__ = [
    "Accuracy",
    "Consistency",
    "CoverageResult",
    "EmbeddingCoverage",
    "EncodedGraphs",
    "Estimate",
    "Faithfulness",
    "Judged",
    "Sanity",
    "SanityStep",
    "Stability",
    "SupportResult",
    "TrainingGain",
    "accuracy",
    "attribute",
    "auroc",
    "best_accuracy",
    "concentration",
    "consistency",
    "corrupted",
    "coverage",
    "density",
    "embedding_coverage",
    "faithfulness",
    "fidelity",
    "gain_area",
    "judge",
    "margin_share",
    "overlap",
    "sanity",
    "stability",
    "support",
    "training_gain",
    "validity",
]
