"""Operations of a model's copy in double precision, where what asks for single precision gets double."""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


def run_in_double(func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Run an operation, ``x.float()`` and ``dtype=torch.float32`` meaning double."""
    if func is Tensor.float:
        return args[0].double()
    for value in args:  # a plain loop: every operation of a model comes by here
        if value is torch.float32:
            args = [torch.float64 if value is torch.float32 else value for value in args]
            break
    if not kwargs:
        return func(*args)
    if kwargs.get("dtype") is torch.float32:
        kwargs = {**kwargs, "dtype": torch.float64}
    return func(*args, **kwargs)


def run_as_is(func: Any, args: Any, kwargs: dict[str, Any] | None) -> Any:
    """Run an operation."""
    return func(*args, **kwargs) if kwargs else func(*args)


class DoubleInPlaceOfFloat(TorchFunctionMode):
    """Runs every operation of a model in double precision."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        return run_in_double(func, args, kwargs)
