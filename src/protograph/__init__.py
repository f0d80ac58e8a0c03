"""Protograph shows what a graph neural network has learned: prototype graphs of each class, with the evidence.

>>> import protograph as pg
>>> sorted(pg.__all__)[:4]
['Explanation', 'Explanations', 'GraphClassifier', 'NotFittedError']
"""

from protograph import datasets
from protograph.classifier import GraphClassifier
from protograph.errors import NotFittedError, ProtographWarning
from protograph.explainers.page import PAGE
from protograph.explanation import Explanation, Explanations, Prototype, Session
from protograph.storage import load
from protograph.training import Trained, train

__version__ = "0.1.0"

_LATER = ("XGNN", "GNNInterpreter", "metrics")

__all__ = [
    "PAGE",
    "Explanation",
    "Explanations",
    "GraphClassifier",
    "NotFittedError",
    "ProtographWarning",
    "Prototype",
    "Session",
    "Trained",
    "datasets",
    "load",
    "train",
]


def __getattr__(name: str) -> object:
    """Say of what is promised for a later version that it is not there yet."""
    if name in _LATER:
        raise AttributeError(f"protograph.{name} is not available in this version; there is protograph.PAGE")
    raise AttributeError(f"module 'protograph' has no attribute {name!r}")
