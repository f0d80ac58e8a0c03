"""GCN layers of a model's copy that are given the same edges work out their normalisation once a call of the model.

It hangs on nothing but the edges and their weights, so that every layer of a model comes to the same numbers, which
takes a third of the time of a layer of 32 columns. PyG keeps them for good where a layer is ``cached``, for models of a
single graph; here they are kept as long as the edges are there. The model's output is the same to the last bit.
"""

from typing import Any, NamedTuple, TypeVar

import torch
import torch_geometric.nn
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

Model = TypeVar("Model", bound=nn.Module)


class _Asked(NamedTuple):
    """All that a normalisation hangs on."""

    edges: Tensor
    weights: Tensor | None
    others: tuple[Any, ...]  # in which versions these are, how many nodes there are, options of the layer


class _Known(NamedTuple):
    """A normalisation, and what it hangs on beside the edges."""

    weights: Tensor | None
    others: tuple[Any, ...]
    norm: tuple[Tensor, Tensor]


class _Norms:
    """The normalisations of edges, for all layers of a model; each is gone with its edges."""

    def __init__(self) -> None:
        self._known: Any = WeakTensorKeyDictionary()

    def __reduce__(self) -> tuple[type["_Norms"], tuple[()]]:
        return _Norms, ()  # a copy of a model has its own

    def of(self, asked: _Asked) -> tuple[Tensor, Tensor] | None:
        """The normalisation, ``None`` where it is not known."""
        known: _Known | None = self._known.get(asked.edges)
        is_it = known is not None and known.weights is asked.weights and known.others == asked.others
        return known.norm if known is not None and is_it else None

    def keep(self, asked: _Asked, norm: tuple[Tensor, Tensor]) -> None:
        """Keep it for the layers to come."""
        if norm[0] is not asked.edges:  # which would keep themselves
            self._known[asked.edges] = _Known(asked.weights, asked.others, norm)


class GCNConv(torch_geometric.nn.GCNConv):  # type: ignore[misc]  # PyG is untyped
    """PyG's layer, which asks the others of its model for the normalisation before it works it out.

    It has PyG's name, by which messages call layers.
    """

    norms: _Norms

    def forward(self, x: Any, edge_index: Any, edge_weight: Any = None) -> Any:
        """What PyG's layer gives."""
        asked = self._asked(x, edge_index, edge_weight)
        if asked is None:
            return super().forward(x, edge_index, edge_weight)
        known, own = self.norms.of(asked), self.__dict__  # modules look at all that is set on them, which takes longer
        own["cached"], own["_cached_edge_index"] = True, known
        try:
            result = super().forward(x, edge_index, edge_weight)
            if known is None:
                self.norms.keep(asked, self._cached_edge_index)
            return result
        finally:
            own["cached"], own["_cached_edge_index"] = False, None

    def _asked(self, x: Any, edges: Any, weights: Any) -> _Asked | None:
        """What the normalisation hangs on; ``None`` where it is not to be kept.

        Gradients go through it but once, and tensors of inference mode do not tell whether they were written into.
        """
        if torch.is_grad_enabled() or type(x) is not Tensor or type(edges) is not Tensor or edges.is_inference():
            return None
        if weights is not None and (type(weights) is not Tensor or weights.is_inference()):
            return None
        versions = (edges._version, None if weights is None else weights._version)
        options = (self.improved, self.add_self_loops, self.flow)
        return _Asked(edges, weights, (versions, x.size(self.node_dim), x.dtype, options))


def sharing_norms(model: Model) -> Model:
    """The model, a copy that nobody else has, whose GCN layers share what they can; others are as they were.

    >>> model = sharing_norms(nn.ModuleList([torch_geometric.nn.GCNConv(2, 4), torch_geometric.nn.GCNConv(4, 4)]))
    >>> model[0].norms is model[1].norms, model[0]
    (True, GCNConv(2, 4))
    """
    norms = _Norms()
    for module in model.modules():
        if type(module) is torch_geometric.nn.GCNConv and module.normalize and not module.cached:
            module.__class__ = GCNConv
            module.__dict__["norms"] = norms
    return model
