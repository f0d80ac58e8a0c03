"""Protograph shows what a graph neural network has learned: prototype graphs of each class, with the evidence.

>>> import protograph as pg
>>> sorted(pg.__all__)[:4]
['Explainer', 'Explanation', 'Explanations', 'GraphClassifier']
"""

from importlib import import_module
from typing import TYPE_CHECKING

from protograph._utils import __version__ as __version__
from protograph._utils.errors import NotFittedError, ProtographWarning

if TYPE_CHECKING:
    from protograph import baselines, datasets, metrics
    from protograph.explainer import Explainer
    from protograph.explanation import (
        Explanation,
        Explanations,
        Pattern,
        Prototype,
    )
    from protograph.explanation.difference import diff
    from protograph.explanation.explanations import load
    from protograph.models.classifier import GraphClassifier
    from protograph.page.explainer import PAGE
    from protograph.page.options import Walk
    from protograph.training import Trained, train

__all__ = [
    "PAGE",
    "Explainer",
    "Explanation",
    "Explanations",
    "GraphClassifier",
    "NotFittedError",
    "Pattern",
    "ProtographWarning",
    "Prototype",
    "Trained",
    "Walk",
    "baselines",
    "datasets",
    "diff",
    "load",
    "metrics",
    "train",
]

# Imported on first use, so that `protograph --help` need not wait for torch.
_ON_FIRST_USE = {
    "PAGE": "protograph.page.explainer",
    "Explainer": "protograph.explainer",
    "Explanation": "protograph.explanation",
    "Explanations": "protograph.explanation",
    "GraphClassifier": "protograph.models.classifier",
    "Pattern": "protograph.explanation",
    "Prototype": "protograph.explanation",
    "Trained": "protograph.training",
    "Walk": "protograph.page.options",
    "baselines": "protograph.baselines",
    "datasets": "protograph.datasets",
    "diff": "protograph.explanation.difference",
    "load": "protograph.explanation.explanations",
    "metrics": "protograph.metrics",
    "train": "protograph.training",
}
_MODULES = ("baselines", "datasets", "metrics")


def __getattr__(name: str) -> object:
    """Import what is imported on first use."""
    if name in _ON_FIRST_USE:
        module = import_module(_ON_FIRST_USE[name])
        value = module if name in _MODULES else getattr(module, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'protograph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
