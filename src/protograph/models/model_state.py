"""Leaving a model as it was found, whatever it does to itself while it runs; and taking copies to run in its place."""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present
from torch.nn.parameter import is_lazy
from torch.optim.swa_utils import AveragedModel

from protograph._utils.plain_torch import load_plain
from protograph._utils.words import cut, one_line

# Modules around a model that hide its signature and its modules' names, and where they keep it.
_WRAPPERS = (nn.DataParallel, nn.parallel.DistributedDataParallel, AveragedModel)
_COMPILED = "_orig_mod"
# Where training scripts put the weights among other things.
_ENTRIES = ("state_dict", "model_state_dict", "model")
# Of what PyTorch finds wrong with weights, so much is repeated.
_MAX_PROBLEMS = 300


def checked_model(model: object) -> nn.Module:
    """The model itself, without what is wrapped around it.

    Raises:
        TypeError: If it is no module.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"model must be a torch.nn.Module, got {type(model).__name__}")
    inner = getattr(model, _COMPILED, model.module if isinstance(model, _WRAPPERS) else None)
    if isinstance(inner, nn.Module):
        return checked_model(inner)
    return model


def check_initialised(model: nn.Module) -> None:
    """Raise where weights of lazy modules are not there yet: to make them here would change the model.

    Raises:
        ValueError: If so.
    """
    tensors = [*model.named_parameters(), *model.named_buffers()]
    lazy = [name for name, tensor in tensors if is_lazy(tensor)]
    if lazy:
        raise ValueError(
            f"model has weights that were never initialised ({', '.join(lazy[:3])}{', ...' if len(lazy) > 3 else ''}); "
            f"load its trained weights with model.load_state_dict(...), or call it once on a batch, and explain it then"
        )


def copied(model: nn.Module) -> nn.Module | None:
    """A copy of the model; ``None`` where it cannot be copied."""
    # PyTorch copies no tensor with a history, such as a pruned weight or what a model remembers of its last call.
    attributes = (value for module in model.modules() for value in vars(module).values())
    memo: dict[int, Any] = {
        id(value): value.detach().clone() for value in attributes if isinstance(value, Tensor) and not value.is_leaf
    }
    try:
        return copy.deepcopy(model, memo)
    except Exception:  # whatever a model holds: a lock, a file
        return None


def float_type(model: nn.Module) -> torch.dtype | None:
    """The floating point type of all weights of a model; ``None`` where it has none, or several."""
    types = {parameter.dtype for parameter in model.parameters() if parameter.is_floating_point()}
    return types.pop() if len(types) == 1 else None


@contextmanager
def left_as_found(model: nn.Module, *, is_own: bool) -> Iterator[Callable[[], None]]:
    """Put a model back after a ``with`` block: modes one by one, and the buffers that its ``forward`` has changed.

    What the block is given puts all but the modes back at once: between two calls, so that none sees what another did.

    Args:
        model: The model.
        is_own: Whether it is the user's own and no copy: then its other attributes and weights come back too.
    """
    modules = list(model.modules())
    # train() would wake those that were frozen, so flag by flag.
    flags = [module.training for module in modules]
    # What a TorchScript part holds is not in Python's hands, except for the values.
    plain = [module for module in modules if not isinstance(module, torch.jit.ScriptModule)]
    buffers = [(module, dict(module._buffers)) for module in plain]
    attributes = [dict(module.__dict__) for module in plain] if is_own else []
    tensors = [*model.buffers(), *(model.parameters() if is_own else ())]
    values = [(tensor, tensor.detach().clone()) for tensor in tensors if not is_lazy(tensor)]

    @torch.no_grad()
    def put_back() -> None:
        for module, before in zip(plain, attributes, strict=False):
            module.__dict__.clear()
            module.__dict__.update(before)
        for module, own in buffers:
            module._buffers.clear()
            module._buffers.update(own)
        for tensor, value in values:
            if not torch.equal(tensor, value):  # else gradients that are still wanted would be refused
                tensor.copy_(value)

    try:
        yield put_back
    finally:
        put_back()
        for module, flag in zip(modules, flags, strict=True):
            if module.training is not flag:
                module.training = flag


def load_weights(model: nn.Module, path: str | PathLike[str]) -> None:
    """Load a state dictionary into a model; every weight must be there and fit.

    The dictionary may be an entry ``state_dict``, ``model_state_dict`` or ``model`` of the file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it holds something else than weights, or weights of another model.
    """
    path = Path(path)
    content = load_plain(path, "weights: wanted what torch.save(model.state_dict(), path) writes")
    if isinstance(content, Mapping):
        content = next((content[key] for key in _ENTRIES if isinstance(content.get(key), Mapping)), content)
    is_weights = isinstance(content, Mapping) and all(isinstance(value, Tensor) for value in content.values())
    if not is_weights or not content:
        raise ValueError(
            f"{path} must hold weights by name, as torch.save(model.state_dict(), path) writes them, "
            f"got {type(content).__name__ if not isinstance(content, Mapping) else 'other entries'}"
        )
    weights = dict(content)
    consume_prefix_in_state_dict_if_present(weights, "module.")  # of DataParallel and DistributedDataParallel
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        problems = one_line(error).partition(": ")[2].rstrip(" .")
        raise ValueError(
            f"{path} must have the weights of {type(model).__name__}, got {cut(problems, _MAX_PROBLEMS)}; build the "
            f"model as it was built for training"
        ) from None
