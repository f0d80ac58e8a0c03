"""Catching node and graph embeddings at a known readout."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from protograph.models.readout.places import Place, Readout
from protograph.models.readout.pooling import Level
from protograph.models.readout.watcher import DIVISIONS, Reduction, Watcher, tensors_in


class Tap(Watcher):
    """Catches node and graph embeddings at a known readout in one call of a model."""

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False, is_one_graph: bool = False) -> None:
        super().__init__(batch, readout, is_double=is_double, is_one_graph=is_one_graph)
        self._sources: dict[int, tuple[Tensor, Tensor, Level]] = {}  # by id: what was read, as it was then, of whom
        self._parts: dict[Place, Tensor] = {}
        self._named_nodes: Tensor | None = None
        self._named_graphs: Tensor | None = None

    @property
    def node_embeddings(self) -> Tensor | None:
        """The node embeddings ``[num_nodes, dim]``, if they were seen; several that are read out stand side by side."""
        if self.readout.node_module is not None:
            return self._named_nodes
        nodes = [_flat(level.of_nodes(rows)) for _, rows, level in self._sources.values()]
        return None if not nodes else nodes[0] if len(nodes) == 1 else torch.cat(nodes, dim=1)

    @property
    def num_left(self) -> Tensor | None:
        """How many rows each column of the node embeddings has of each graph, ``[num_graphs, dim]``."""
        if self.readout.node_module is not None or not self._sources:
            return None
        num_graphs = int(self.batch.max()) + 1
        return torch.cat(
            [
                torch.bincount(level.index.long(), minlength=num_graphs).unsqueeze(1).expand(-1, _flat(rows).size(1))
                for _, rows, level in self._sources.values()
            ],
            dim=1,
        )

    @property
    def graph_embeddings(self) -> Tensor | None:
        """The graph embeddings ``[num_graphs, dim]``; several readouts stand side by side."""
        if self.readout.graph_module is not None:
            named = self._named_graphs
            return named.unsqueeze(0) if named is not None and named.dim() == 1 and self._is_one_graph else named
        if any(place not in self._parts for place in self.readout.places) or not self.readout.places:
            return None
        parts = [self._parts[place] for place in self.readout.places]
        return torch.cat([part.reshape(1, -1) if self._is_one_graph else _flat(part) for part in parts], dim=1)

    @contextmanager
    def on(self, model: nn.Module) -> Iterator["Tap"]:
        """Catch the embeddings of the call made inside the ``with`` block."""
        with ExitStack() as stack:
            if self.readout.places:
                stack.enter_context(self._at_modules(model, self._catch_module))
            # Of modules too it must be known which nodes are left.
            if self.readout.places or self.is_double:
                stack.enter_context(self)
            if self.readout.node_module is not None:
                module = model.get_submodule(self.readout.node_module)
                stack.callback(module.register_forward_hook(self._catch_nodes).remove)
            if self.readout.graph_module is not None:
                module = model.get_submodule(self.readout.graph_module)
                stack.callback(module.register_forward_pre_hook(self._catch_graphs, with_kwargs=True).remove)
            yield self

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        if reduction is not None and self.ordinal in self.places:
            self._catch(reduction)
            result = self.call(func, args, kwargs)
            self._parts[self.places[self.ordinal]] = next(tensors_in(result))
            return result
        result = self.call(func, args, kwargs)
        if name in DIVISIONS:
            divided = next((p for p, part in self._parts.items() if p.is_mean and args and args[0] is part), None)
            if divided is not None:
                self._parts[divided] = result
        return result

    def _catch(self, reduction: Reduction) -> None:
        if id(reduction.source) in self._sources:
            return
        # A later layer may write into what an earlier one has read out.
        is_last = len(self.readout.places) == 1
        rows = reduction.source if is_last else reduction.source.clone()
        self._sources[id(reduction.source)] = (reduction.source, rows, reduction.level)

    def _catch_module(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> None:
        part, reduction = next(tensors_in(result), None), self.reduction_of_module(inputs)
        if part is not None and reduction is not None:
            self._catch(reduction)
            self._parts[place] = part

    def _catch_nodes(self, module: nn.Module, args: Any, result: Any) -> None:
        self._named_nodes = next(tensors_in(result), None)

    def _catch_graphs(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        self._named_graphs = next(tensors_in((args, kwargs)), None)


def _flat(rows: Tensor) -> Tensor:
    """One vector a row."""
    return rows if rows.dim() == 2 else rows.reshape(rows.size(0), -1)
