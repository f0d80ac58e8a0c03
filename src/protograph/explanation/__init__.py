"""What every explainer returns: prototypes with their evidence, in words, and as files."""

from protograph.explanation.explanation import EmbeddingMap, Explanation, Explanations
from protograph.explanation.prototype import Evidence, Prototype, Session

__all__ = ["EmbeddingMap", "Evidence", "Explanation", "Explanations", "Prototype", "Session"]
