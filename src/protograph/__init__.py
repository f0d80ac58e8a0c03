"""Protograph shows what a graph neural network has learned: prototype graphs of each class, with the evidence.

>>> import protograph as pg
>>> sorted(pg.__all__)[:4]
['Explanation', 'Explanations', 'GraphClassifier', 'NotFittedError']
"""

from importlib import import_module
from typing import TYPE_CHECKING

from protograph.classifier import GraphClassifier
from protograph.errors import NotFittedError, ProtographWarning
from protograph.explainers.page import PAGE
from protograph.explanation import Explanation, Explanations, Prototype, Session

if TYPE_CHECKING:
    from protograph import datasets
    from protograph.storage import load
    from protograph.training import Trained, train

__version__ = "0.1.0"

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

# Imported on first use: not everybody needs them, and importing the library should be quick.
_ON_FIRST_USE = {
    "Trained": "protograph.training",
    "datasets": "protograph.datasets",
    "load": "protograph.storage",
    "train": "protograph.training",
}
_LATER = ("XGNN", "GNNInterpreter", "metrics")


def __getattr__(name: str) -> object:
    """Import what is imported on first use; say of what a later version brings that it is not there yet."""
    if name in _ON_FIRST_USE:
        module = import_module(_ON_FIRST_USE[name])
        found = module if name == "datasets" else getattr(module, name)
        globals()[name] = found
        return found
    if name in _LATER:
        raise AttributeError(f"protograph.{name} is not available in this version; there is protograph.PAGE")
    raise AttributeError(f"module 'protograph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
