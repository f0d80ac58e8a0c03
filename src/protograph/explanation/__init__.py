"""What every explainer returns: prototypes with their evidence, in words, and as files."""

from protograph.explanation.evidence import Evidence, Session
from protograph.explanation.explanation import EmbeddingMap, Explanation, Explanations
from protograph.explanation.prototype import Prototype

__all__ = ["EmbeddingMap", "Evidence", "Explanation", "Explanations", "Prototype", "Session"]
