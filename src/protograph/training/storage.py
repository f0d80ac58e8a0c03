"""Model files: weights and a plain configuration, loaded without running anything they hold."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import torch

from protograph._base.files import atomic_path
from protograph._base.plain_torch import load_plain
from protograph._base.randomness import preserved_random_state
from protograph.training.gcn import GCN
from protograph.training.training import Trained

FORMAT = "protograph-model"
VERSION = 1


def save_model(model: Trained | GCN, path: str | PathLike[str]) -> None:
    """Write a model to a file, whole or not at all.

    Args:
        model: A :class:`GCN`, or what :func:`train` gave.
        path: The file; an existing one is replaced.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.pt"
    >>> save_model(GCN(num_features=3, num_classes=2, hidden=(4,)), path)
    >>> load_model(path).hidden
    (4,)
    """
    with atomic_path(path) as temporary:
        write_model(model, temporary)


def write_model(model: Trained | GCN, path: Path) -> None:
    """Write a model into a file that is there, such as one of ``atomic_path``."""
    gcn = model.model if isinstance(model, Trained) else model
    if not isinstance(gcn, GCN):
        raise TypeError(
            f"model must be a GCN or a Trained, got {type(gcn).__name__}; save other modules with torch.save"
        )
    content = {
        "format": FORMAT,
        "version": VERSION,
        "config": {
            "num_features": gcn.num_features,
            "num_classes": gcn.num_classes,
            "hidden": list(gcn.hidden),
        },
        "names": {"features": list(gcn.feature_names), "classes": list(gcn.class_names)},
        "state_dict": {name: weight.cpu() for name, weight in gcn.state_dict().items()},
    }
    with path.open("wb") as file:
        torch.save(content, file)


def save_with_facts(model: Trained | GCN, path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write a model and facts about it, plain values and tensors, to one file, which :func:`load_model` reads too."""
    with atomic_path(path) as temporary:
        write_model(model, temporary)
        content = load_plain(temporary, "a model") | {"facts": dict(facts)}
        with temporary.open("wb") as file:
            torch.save(content, file)


def load_facts(path: str | PathLike[str]) -> dict[str, Any] | None:
    """Facts that :func:`save_with_facts` wrote; ``None`` for any other file.

    Raises:
        FileNotFoundError: If there is no such file.
    """
    try:
        content = load_plain(Path(path), "a model")
    except ValueError:
        return None
    is_ours = isinstance(content, dict) and content.get("format") == FORMAT
    return content["facts"] if is_ours and isinstance(content.get("facts"), dict) else None


def load_model(path: str | PathLike[str]) -> GCN:
    """Read a model that :func:`save_model` wrote, onto the CPU and in evaluation mode.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, or is something else.
    """
    path = Path(path)
    try:
        content = load_plain(path, "a model")
    except ValueError as error:
        raise _unfit(path, "a damaged or foreign file") from error
    is_ours = isinstance(content, dict) and content.get("format") == FORMAT
    if not is_ours or not isinstance(content.get("version"), int):
        raise _unfit(path, "another kind of file")
    if content["version"] > VERSION:
        raise ValueError(
            f"path must be a model file of version {VERSION} or lower, "
            f"got version {content['version']} at {path}; upgrade protograph"
        )
    try:
        # On the meta device no memory is taken for weights that are replaced anyway.
        with preserved_random_state(), torch.device("meta"):
            model = GCN(**content["config"])
        if any(weight.dtype != torch.float32 for weight in content["state_dict"].values()):
            raise TypeError("weights must be of type float32")
        model.load_state_dict(content["state_dict"], assign=True)
        names = content["names"]
        model.feature_names, model.class_names = (tuple(map(str, names[key])) for key in ("features", "classes"))
    except (KeyError, AttributeError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise _unfit(path, "weights that do not fit their configuration") from error
    return model.eval()


def _unfit(path: Path, given: str) -> ValueError:
    return ValueError(
        f"path must be a model file written by save_model, got {given} at {path}; train the model and save it again"
    )
