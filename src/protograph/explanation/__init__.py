"""What every explainer returns: prototypes and reasons with their evidence, in words, and as files."""

from protograph.explanation.explanation import Explanation, Provenance
from protograph.explanation.explanations import Explanations
from protograph.explanation.names import Names
from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Evidence, Prototype, Session
from protograph.explanation.rule import Example, Fidelity, Reason, Rule, Support
from protograph.explanation.survey import EmbeddingMap, Survey

__all__ = [
    "EmbeddingMap",
    "Evidence",
    "Example",
    "Explanation",
    "Explanations",
    "Fidelity",
    "Names",
    "Pattern",
    "Prototype",
    "Provenance",
    "Reason",
    "Rule",
    "Session",
    "Support",
    "Survey",
]
