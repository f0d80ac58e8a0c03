"""What was explained, when, and with which versions of packages."""

from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from torch import nn

from protograph.models.classifier import GraphClassifier

_PACKAGES = ("protograph", "torch", "torch_geometric", "scikit-learn", "numpy", "numba")


def provenance_of(model: nn.Module | GraphClassifier, graphs: Any) -> dict[str, str]:
    """Name of the data set, if it has one, and of the model, and the time."""
    name = getattr(graphs, "name", None)
    data = {"data": name} if isinstance(name, str) and name else {}
    return {**data, "model": _model_name(model), "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")}


def package_versions() -> dict[str, str]:
    """Version of every package that decides a result."""
    return {package: _version_of(package) for package in _PACKAGES}


def _model_name(model: nn.Module | GraphClassifier) -> str:
    if not isinstance(model, GraphClassifier):
        return type(model).__qualname__
    return type(model.model).__qualname__ + ("" if model.task is None else f", task {model.task}")


@lru_cache
def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "unknown"
