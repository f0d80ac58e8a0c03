"""What to say where a model raises: to which graphs it was applied, and whether these fit its layers."""

from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._base.words import count_of, cut, one_line
from protograph.graphs.store import GraphStore
from protograph.models.classifier import SAMPLE_SIZE, GraphClassifier
from protograph.models.raising import frames_of, is_of_model
from protograph.models.running import RunningClassifier

# Of what a model raised, so much is repeated.
_MAX_RAISED = 160
_WIDTHS = ("in_features", "in_channels")
# Names of what layers are given, in their own code.
_GIVEN = ("input", "x")


def started(classifier: GraphClassifier, store: GraphStore, device: torch.device | str | None) -> RunningClassifier:
    """The classifier, ready for the graphs; tried on the first of them.

    Raises:
        ValueError: If the model fails since the graphs lack ``x``, or have one that a layer cannot take. Any other
            error of the model is passed on, and says which graphs it was applied to.
    """
    sample = store.first(SAMPLE_SIZE)
    try:
        return classifier.start(sample, device)
    except Exception as error:
        if not is_of_model(error):
            raise
        if misfit := _misfit(error, sample[0], store.label(0)):
            raise ValueError(misfit) from error
        error.add_note(f"this happened while the model was applied to {which_graphs(store, 0, len(sample))}")
        raise


class Labelled(Protocol):
    """Knows what messages call graphs."""

    def label(self, index: int) -> str:
        """What they call a graph, by its number."""


def which_graphs(store: Labelled, first: int, count: int) -> str:
    """What messages call a few graphs in a row."""
    if count == 1:
        return store.label(first)
    return f"{count_of(count, 'graph')}, {store.label(first)} to {store.label(first + count - 1)}"


def _misfit(error: Exception, graph: Data, label: str) -> str | None:
    """Why the graphs do not fit the model, ``None`` where that is not what it failed on."""
    layer, given = _layer_and_input(error)
    name = _name_of(layer, error)
    raised = cut(one_line(f"{type(error).__name__}: {error}"), _MAX_RAISED)
    width = _width(layer)
    if graph.x is None:
        wanted = f"of {count_of(width, 'column')}, as its layer {name} takes" if width else "that it was trained with"
        return (
            f"{label} has no x, and neither have the others, on which the model fails ({raised}); give every graph an "
            f"x {wanted}"
        )
    x = graph.x
    came = f"x of {label} has shape {list(x.shape)} of {_dtype(x)}"
    if x.dim() != 2:
        way = "x.unsqueeze(1)" if x.dim() == 1 else "x.flatten(1)"
        return f"{came}, which the model cannot take ({raised}); pass {way}, or what it was trained with"
    if given is None or given.dtype not in (x.dtype, torch.float64 if x.is_floating_point() else x.dtype):
        return None
    if width and given.dim() == 2 and given.size(1) == x.size(1) != width:
        return f"{came}, but the model's layer {name} takes {width} columns ({raised}); give every graph so many"
    wanted_type = _wanted_type(layer, given)
    if wanted_type is not None:
        return f"{came}, but the model's layer {name} takes {wanted_type} ({raised}); pass x.to(torch.{wanted_type})"
    if isinstance(layer, nn.Embedding) and isinstance(error, IndexError):
        return (
            f"{came}, but the model's layer {name} knows the values 0 to {layer.num_embeddings - 1} ({raised}); give "
            f"graphs with these alone"
        )
    return None


def _layer_and_input(error: BaseException) -> tuple[nn.Module | None, Tensor | None]:
    """The innermost layer with a width that was running, and what it was given."""
    found: tuple[nn.Module | None, Tensor | None] = (None, None)
    for frame in frames_of(error):
        module = frame.f_locals.get("self")
        if isinstance(module, nn.Module) and (isinstance(module, nn.Embedding) or _width(module)):
            given = [frame.f_locals.get(key) for key in _GIVEN]
            found = module, next((value for value in given if isinstance(value, Tensor)), None)
    return found


def _width(layer: Any) -> int | None:
    """How many columns a layer takes, where it says so."""
    widths = [getattr(layer, name, None) for name in _WIDTHS]
    return next((width for width in widths if type(width) is int and width > 0), None)


def _wanted_type(layer: nn.Module | None, given: Tensor) -> str | None:
    """The type that a layer takes, where it is another than it was given."""
    if isinstance(layer, nn.Embedding):
        return None if given.dtype in (torch.int64, torch.int32) else "int64"
    weights = None if layer is None else next(layer.parameters(), None)
    if weights is None or weights.dtype == given.dtype or given.dtype is torch.float64:
        return None
    return _dtype(weights)


def _dtype(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _name_of(layer: nn.Module | None, error: BaseException) -> str:
    """Name of a layer in the outermost module that was running, which may be a copy of the user's, and its type."""
    running = (frame.f_locals.get("self") for frame in frames_of(error))
    model = next((module for module in running if isinstance(module, nn.Module)), nn.Identity())
    name = next((name for name, module in model.named_modules() if module is layer), "")
    return f"{name} ({type(layer).__name__})" if name else type(layer).__name__
