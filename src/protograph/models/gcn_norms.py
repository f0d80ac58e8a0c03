"""GCN layers of a model's copy that are given the same edges work out their normalisation once a call of the model.

It hangs on nothing but the edges, so that every layer of a model comes to the same numbers, which takes a third of the
time of a layer of 32 columns. PyG keeps them for good where a layer is ``cached``, for models of a single graph; here
they are kept as long as the edges are there. The model's output is the same to the last bit, unless it writes into its
edges behind PyTorch's back (``edge_index.data``) between two layers; whoever shares compares with the model itself.
"""

from typing import Any, TypeVar

import torch
import torch_geometric.nn
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

Model = TypeVar("Model", bound=nn.Module)
# Beginnings of the names under which PyG keeps hooks that are handed the normalisation, and methods that are.
_HOOKED = ("_propagate_", "_message_", "_aggregate_", "_edge_update_")
_METHODS = frozenset({"forward", "propagate", "message", "aggregate", "message_and_aggregate", "update"})


class _Norms:
    """The normalisations of edges, for all layers of a model; each is gone with its edges."""

    def __init__(self) -> None:
        self._known: Any = WeakTensorKeyDictionary()

    def __reduce__(self) -> tuple[type["_Norms"], tuple[()]]:
        return _Norms, ()  # a copy of a model has its own

    def of(self, edges: Tensor, asked: tuple[Any, ...]) -> Any:
        """The normalisation, ``None`` where it is not known; ``asked`` is what it hangs on beside the edges."""
        before, norm = self._known.get(edges, (None, None))
        return norm if before == asked else None

    def keep(self, edges: Tensor, asked: tuple[Any, ...], norm: Any) -> None:
        """Keep it for the layers to come."""
        if norm is not None and norm[0] is not edges:  # which would keep themselves
            self._known[edges] = asked, norm


class _SharingForward:
    """What a layer is called by: it asks the others of its model for the normalisation before it works it out."""

    def __init__(self, layer: nn.Module, norms: _Norms) -> None:
        self._layer: Any = layer
        self.norms = norms

    def __call__(self, x: Any, edge_index: Any, edge_weight: Any = None) -> Any:
        """What PyG's layer gives."""
        layer = self._layer
        asked = _asked(layer, x, edge_index) if edge_weight is None else None
        if asked is None:
            return type(layer).forward(layer, x, edge_index, edge_weight)
        known, own = self.norms.of(edge_index, asked), layer.__dict__  # quicker than by way of the module
        own["cached"], own["_cached_edge_index"] = True, known
        try:
            result = type(layer).forward(layer, x, edge_index)
            if known is None:
                self.norms.keep(edge_index, asked, layer._cached_edge_index)
            return result
        finally:
            own["cached"], own["_cached_edge_index"] = False, None


def _asked(layer: Any, x: Any, edges: Any) -> tuple[Any, ...] | None:
    """What a normalisation hangs on beside the edges; ``None`` where it is not to be kept.

    Gradients go through it but once, and tensors of inference mode do not tell whether they were written into.
    """
    if torch.is_grad_enabled() or type(x) is not Tensor or type(edges) is not Tensor or edges.is_inference():
        return None
    if not layer.normalize or layer.cached:
        return None
    options = (layer.improved, layer.add_self_loops, layer.flow)
    return edges._version, x.size(layer.node_dim), x.dtype, options


def sharing_norms(model: Model) -> Model:
    """The model, a copy that nobody else has, whose GCN layers share what they can; others are as they were.

    >>> model = sharing_norms(nn.ModuleList([torch_geometric.nn.GCNConv(2, 4), torch_geometric.nn.GCNConv(4, 4)]))
    >>> model[0].forward.norms is model[1].forward.norms, type(model[0]) is torch_geometric.nn.GCNConv
    (True, True)
    """
    norms = _Norms()
    for module in model.modules():
        if type(module) is torch_geometric.nn.GCNConv and _is_as_made(module):
            module.__dict__["forward"] = _SharingForward(module, norms)
    return model


def _is_as_made(layer: nn.Module) -> bool:
    """Whether nothing was changed about a layer that might write into its normalisation, or has one already."""
    own = vars(layer)
    is_hooked = any(value for name, value in own.items() if name.startswith(_HOOKED) and name.endswith("_hooks"))
    is_kept = own.get("cached", True) or own.get("_cached_edge_index") is not None
    return not (is_hooked or is_kept or _METHODS & own.keys())
