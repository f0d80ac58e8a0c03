"""Protograph shows what a graph neural network has learned: prototype graphs of each class, with the evidence.

>>> import protograph as pg
>>> sorted(pg.__all__)[:4]
['Difference', 'Evidence', 'Example', 'Explainer']
"""

from importlib import import_module
from typing import TYPE_CHECKING

from protograph._base import __version__ as __version__
from protograph._base.errors import NotFittedError, ProtographWarning

if TYPE_CHECKING:
    from protograph import baselines, datasets, metrics
    from protograph.explainer import Explainer
    from protograph.explanation import (
        Evidence,
        Example,
        Explanation,
        Explanations,
        Fidelity,
        Pattern,
        Prototype,
        Reason,
        Session,
        Support,
    )
    from protograph.explanation.difference import Difference, diff
    from protograph.explanation.explanations import load
    from protograph.models.classifier import GraphClassifier
    from protograph.page.explainer import PAGE
    from protograph.page.options import Walk
    from protograph.training import Trained, train

__all__ = [
    "PAGE",
    "Difference",
    "Evidence",
    "Example",
    "Explainer",
    "Explanation",
    "Explanations",
    "Fidelity",
    "GraphClassifier",
    "NotFittedError",
    "Pattern",
    "ProtographWarning",
    "Prototype",
    "Reason",
    "Session",
    "Support",
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
    "Difference": "protograph.explanation.difference",
    "Evidence": "protograph.explanation",
    "Example": "protograph.explanation",
    "Explainer": "protograph.explainer",
    "Explanation": "protograph.explanation",
    "Explanations": "protograph.explanation",
    "Fidelity": "protograph.explanation",
    "GraphClassifier": "protograph.models.classifier",
    "Pattern": "protograph.explanation",
    "Prototype": "protograph.explanation",
    "Reason": "protograph.explanation",
    "Session": "protograph.explanation",
    "Support": "protograph.explanation",
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
