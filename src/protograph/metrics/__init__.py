"""Measures of prototypes and rules: against a ground truth, the graphs of a class, and models."""

from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import Accuracy, accuracy, best_accuracy
from protograph.metrics.attribution import TrainingGain, attribute, auroc, concentration, training_gain
from protograph.metrics.density import density
from protograph.metrics.embedding_coverage import EmbeddingCoverage, embedding_coverage
from protograph.metrics.fidelity import fidelity
from protograph.metrics.intervals import Estimate
from protograph.metrics.judging import Judged, judge, margin_share
from protograph.metrics.robustness import Consistency, Faithfulness, consistency, corrupted, faithfulness
from protograph.metrics.sanity import Sanity, SanityStep, sanity
from protograph.metrics.stability import Stability, stability
from protograph.metrics.support import CoverageResult, SupportResult, coverage, gain_area, overlap, support
from protograph.metrics.validity import validity

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
