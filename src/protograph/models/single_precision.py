"""A model in its own single precision, for passes over very many graphs, and how far that is from double precision.

Double precision takes two to four times as long. What a pass over many graphs gives is needed in it only where
something hangs on the last digits, and there it is asked for again (:mod:`.exact_rows`). How large the difference is at
most is estimated on some graphs; a model for which it is large is not run in single precision.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph.models.exact_rows import RowError, has_few_digits
from protograph.models.keeping import copied
from protograph.models.readout import Readout
from protograph.models.running import RunningClassifier
from protograph.models.watching import tensors_in

# Up to so many graphs, all are run in double precision: that takes about half a second for molecules.
GRAPHS_IN_DOUBLE = 5_000
# Graphs on which both are compared, and how many times the largest difference there is the most to be expected: that is
# about five standard deviations.
NUM_COMPARED, _SAFETY = 64, 2
# Share of them in which a column must differ from 0.
_KNOWN_SHARE = 0.25
# Differences, relative to the largest number of a graph: at least what is taken for the most, and beyond which a model
# needs double precision.
_LEAST_ERROR, _MOST_ERROR = 2.0**-26, 1e-4
# Relative difference up to which two numbers are the same in double precision.
_SAME = 1e-13


@dataclass(frozen=True)
class SinglePrecision:
    """A model in single precision.

    Attributes:
        classifier: The model.
        output_error: Most by which an output differs from that in double precision.
        embedding_error: The same of embeddings.
    """

    classifier: RunningClassifier
    output_error: RowError
    embedding_error: RowError


def in_single_precision(running: RunningClassifier, sample: Sequence[Data]) -> SinglePrecision | None:
    """The model in single precision; ``None`` where it is none of that, or differs too much from double precision.

    Args:
        running: The model in double precision, its readout known.
        sample: Some graphs.
    """
    native = running.native
    if native is None or not running.is_double or native.dtype is not torch.float32 or running.warnings:
        return None
    model = native.model if native.device == running.device else copied(native.model)
    if model is None:
        return None
    single = replace(native, model=model.to(running.device), device=running.device, readout=running.readout)
    try:
        single = replace(single, is_inference=True)
        readout, rows = _plain_readout(single, sample)
    except Exception:  # a model may take gradients inside
        single = replace(single, is_inference=False)
        readout, rows = _plain_readout(single, sample)
    single, exact = replace(single, readout=readout), running.graph_rows(sample)
    errors = [_row_error(*(one.detach().double().cpu() for one in pair)) for pair in zip(rows, exact, strict=True)]
    return SinglePrecision(single, *errors) if all((one.relative <= _MOST_ERROR).all() for one in errors) else None


def _row_error(rows: Tensor, exact: Tensor) -> RowError:
    """The most by which rows are to differ, by how much these do."""
    largest = exact.abs().amax(dim=1)
    typical = max(float(largest.median()), torch.finfo(torch.float32).tiny)
    differences = (rows - exact).abs() / largest.clamp(min=typical).unsqueeze(1)
    errors = _SAFETY * differences.amax(dim=0)
    # A column that is 0 for most of these graphs says little of others: it is taken for one of the worst.
    is_known = (exact != 0).double().mean(dim=0) > _KNOWN_SHARE
    errors = torch.where(is_known, errors, errors.max()).clamp(min=_LEAST_ERROR)
    short = torch.from_numpy(has_few_digits(rows.numpy())) & (rows != 0)
    is_same = (rows - exact).abs() <= _SAME * largest.clamp(min=typical).unsqueeze(1)
    is_counted = short.any(dim=0) & (is_same | ~short).all(dim=0)
    return RowError(errors.numpy(), typical, is_counted.numpy())


def _plain_readout(running: RunningClassifier, sample: Sequence[Data]) -> tuple[Readout, tuple[Tensor, Tensor]]:
    """A readout that gives the same graph embeddings without a look at every operation, which takes its time.

    With it comes what the model makes of the sample.

    That is the input of a module where some module, called once, takes the graph embeddings and nothing else.
    """
    if not running.readout.places or running.readout.is_output or not running.call.takes_batch:
        return running.readout, running.graph_rows(sample)
    caught: dict[str, list[Tensor]] = {}
    with _inputs_caught(running.model, caught):
        rows = running.graph_rows(sample)
    embeddings = rows[1]
    for name, inputs in caught.items():  # in the order of their first calls
        if len(inputs) == 1 and inputs[0].shape == embeddings.shape and torch.equal(inputs[0], embeddings):
            return Readout(graph_module=name), rows
    return running.readout, rows


@contextmanager
def _inputs_caught(model: nn.Module, caught: dict[str, list[Tensor]]) -> Iterator[None]:
    def hook_of(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, args: Any, kwargs: Any) -> None:
            own = next(tensors_in((args, kwargs)), None)
            if own is not None:
                caught.setdefault(name, []).append(own.detach().clone())

        return hook

    with ExitStack() as stack:
        for name, module in model.named_modules():
            if name and not isinstance(module, torch.jit.ScriptModule):
                stack.callback(module.register_forward_pre_hook(hook_of(name), with_kwargs=True).remove)
        yield
