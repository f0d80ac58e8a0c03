"""What was explained, when, and with which versions of packages."""

from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from torch import nn

from protograph._utils import __version__
from protograph.models.classifier import GraphClassifier, as_classifier

_PACKAGES = ("torch", "torch_geometric", "scikit-learn", "numpy", "numba")


def provenance_of(model: nn.Module | GraphClassifier, graphs: Any) -> dict[str, str]:
    """Name of the data set, if it has one, and of the model, and the time."""
    name, classifier = getattr(graphs, "name", None), as_classifier(model)
    data = {"data": name} if isinstance(name, str) and name else {}
    task = "" if classifier.task is None else f", task {classifier.task}"
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {**data, "model": f"{type(classifier.model).__qualname__}{task}", "date": date}


def package_versions() -> dict[str, str]:
    """Version of every package that decides a result."""
    return {"protograph": __version__, **{package: version(package) for package in _PACKAGES}}
