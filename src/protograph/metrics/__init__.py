"""Measures of prototypes: against a ground truth, the graphs of a class, and models."""

from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import Accuracy, accuracy, best_accuracy
from protograph.metrics.attribution import attribute
from protograph.metrics.concentration import auroc, concentration
from protograph.metrics.consistency import Consistency, consistency
from protograph.metrics.coverage import CoverageResult, coverage, gain_area, overlap
from protograph.metrics.density import density
from protograph.metrics.embedding_coverage import EmbeddingCoverage, embedding_coverage
from protograph.metrics.faithfulness import Faithfulness, corrupted, faithfulness
from protograph.metrics.intervals import Estimate
from protograph.metrics.judging import Judged, judge
from protograph.metrics.margin_share import margin_share
from protograph.metrics.sanity import Sanity, SanityStep, sanity
from protograph.metrics.support import Support, support
from protograph.metrics.training_gain import TrainingGain, training_gain
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
    "Support",
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
    "gain_area",
    "judge",
    "margin_share",
    "overlap",
    "sanity",
    "support",
    "training_gain",
    "validity",
]
