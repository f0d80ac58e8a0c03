"""What every explainer returns: prototypes and reasons with their evidence, in words, and as files."""

from protograph.explanation.explanation import EmbeddingMap, Explanation
from protograph.explanation.explanations import Explanations
from protograph.explanation.fidelity import Fidelity
from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Evidence, Prototype, Session
from protograph.explanation.reason import Example, Reason, Support

__all__ = [
    "EmbeddingMap",
    "Evidence",
    "Example",
    "Explanation",
    "Explanations",
    "Fidelity",
    "Pattern",
    "Prototype",
    "Reason",
    "Session",
    "Support",
]
