"""Weights from a file into a model of the user's own, without running anything that the file holds."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from protograph._base.plain_torch import load_plain

# Where training scripts put the weights among other things.
WRAPPERS = ("state_dict", "model_state_dict", "model")
# What DataParallel and DistributedDataParallel put before every name.
PARALLEL = "module."
NUM_SHOWN = 3


def load_weights(model: nn.Module, path: str | PathLike[str]) -> None:
    """Load a state dictionary into a model; every weight must be there and fit.

    The dictionary may be an entry ``state_dict``, ``model_state_dict`` or ``model`` of the file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it holds something else than weights, or weights of another model.
    """
    path = Path(path)
    content = load_plain(path, "weights: wanted what torch.save(model.state_dict(), path) writes")
    weights = _state_dict(content, path)
    own = model.state_dict()
    problems = [
        *(f"no {name}" for name in own if name not in weights),
        *(f"{name}, which the model has not" for name in weights if name not in own),
        *(
            f"{name} of shape {list(weights[name].shape)} for {list(own[name].shape)}"
            for name in own
            if name in weights and not is_lazy(own[name]) and weights[name].shape != own[name].shape
        ),
    ]
    if problems:
        more = f" and {len(problems) - NUM_SHOWN} more" if len(problems) > NUM_SHOWN else ""
        raise ValueError(
            f"{path} must have the weights of {type(model).__name__}, got {'; '.join(problems[:NUM_SHOWN])}{more}; "
            f"build the model as it was built for training"
        )
    model.load_state_dict(dict(weights))


def _state_dict(content: Any, path: Path) -> Mapping[str, Tensor]:
    for wrapper in WRAPPERS:
        if isinstance(content, Mapping) and isinstance(content.get(wrapper), Mapping):
            content = content[wrapper]
            break
    is_weights = isinstance(content, Mapping) and all(isinstance(value, Tensor) for value in content.values())
    if not is_weights or not content:
        raise ValueError(
            f"{path} must hold weights by name, as torch.save(model.state_dict(), path) writes them, "
            f"got {type(content).__name__ if not isinstance(content, Mapping) else 'other entries'}"
        )
    weights = {str(name): value for name, value in content.items()}
    is_parallel = all(name.startswith(PARALLEL) for name in weights)
    return {name.removeprefix(PARALLEL): value for name, value in weights.items()} if is_parallel else weights
