"""A model's copy in double precision: whatever asks for single precision gets double.

This is a mode of the thread that runs the model. ``torch.set_default_dtype`` would be a setting of the whole process,
and other threads would see it.
"""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

# What makes floating point numbers of nothing, in PyTorch's default precision.
_NEW_FLOATS = frozenset(
    {torch.zeros, torch.ones, torch.empty, torch.rand, torch.randn, torch.eye, torch.linspace, torch.logspace}
)
# What makes them of Python's numbers, or whole ones where those are whole.
_NEW_NUMBERS = frozenset({torch.tensor, torch.as_tensor, torch.asarray, torch.full, torch.arange, torch.scalar_tensor})


def run_in_double(func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Run an operation in double precision.

    ``x.float()`` and ``dtype=torch.float32`` mean double, and so does PyTorch's default precision, which is that of
    new tensors, and of what operations make of whole numbers.
    """
    if func is Tensor.float:
        return args[0].double()
    kwargs = kwargs or {}
    if any(value is torch.float32 for value in args):
        args = [torch.float64 if value is torch.float32 else value for value in args]
    if kwargs.get("dtype") is torch.float32 or (func in _NEW_FLOATS and kwargs.get("dtype") is None):
        kwargs = {**kwargs, "dtype": torch.float64}
    result = func(*args, **kwargs)
    if not isinstance(result, Tensor) or result.dtype is not torch.float32:
        return result
    if func in _NEW_NUMBERS:
        return func(*args, **{**kwargs, "dtype": torch.float64})
    if any(map(_is_whole, args)):  # 1 / 3 in single precision would not be 1 / 3 in double
        again = func(*[value.double() if _is_whole(value) else value for value in args], **kwargs)
        return again.double()
    return result.double()


def _is_whole(value: Any) -> bool:
    if not isinstance(value, Tensor) or value.dtype is torch.bool:
        return False
    return not value.is_floating_point() and not value.is_complex()


def run_as_is(func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Run an operation."""
    return func(*args, **kwargs) if kwargs else func(*args)


class DoubleInPlaceOfFloat(TorchFunctionMode):
    """Runs every operation of a model in double precision."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        return run_in_double(func, args, kwargs)
