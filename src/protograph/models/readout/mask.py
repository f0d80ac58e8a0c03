"""Letting only some nodes enter a known readout."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch_geometric.nn.aggr import MeanAggregation, SumAggregation

from protograph.models.readout import Place, Readout
from protograph.models.readout.capture import WHOLE_REDUCERS, WHOLE_SUMS, Reduction, Watcher
from protograph.models.readout.pooling import beside

# Reductions that are no sums, unless they are asked to be.
_OTHERS_THAN_SUMS = WHOLE_REDUCERS - WHOLE_SUMS | {"scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_"}
_SUMS = frozenset({"sum", "mean", "add"})


class LeavingOut(Watcher):
    """Lets only some nodes enter a known readout, their embeddings being those of the whole graph."""

    def __init__(
        self, batch: Tensor, readout: Readout, keep: Tensor, *, is_double: bool = False, is_one_graph: bool = False
    ) -> None:
        super().__init__(batch, readout, is_double=is_double, is_one_graph=is_one_graph)
        self._keep = keep

    @contextmanager
    def on(self, model: nn.Module) -> Iterator[None]:
        """Leave the other nodes out in the call made inside the ``with`` block."""
        with self._at_modules(model, self._rerun), self:
            yield

    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        if reduction is not None and self.ordinal in self.places:
            index, how = (args[at] if len(args) > at else kwargs.get(key) for at, key in ((2, "index"), (4, "reduce")))
            if name in ("scatter", "scatter_") and how != "add":
                raise ValueError("the model's readout overwrites nodes by one another, so none of them can be left out")
            rows, row_index = self._left(reduction, index, is_sum=how in _SUMS or name not in _OTHERS_THAN_SUMS)
            changed = {id(reduction.source): rows, id(index): row_index}
            args = [changed.get(id(value), value) for value in args]
            kwargs = {key: changed.get(id(value), value) for key, value in kwargs.items()}
        return self.call(func, args, kwargs)

    def _rerun(self, place: Place, module: nn.Module, inputs: Any, result: Any) -> Any:
        """What an aggregation module gives for the nodes that are kept."""
        reduction = self.reduction_of_module(inputs)
        assert reduction is not None
        is_sum = isinstance(module, SumAggregation | MeanAggregation)
        nodes, index = self._left(reduction, reduction.level.index, is_sum=is_sum)
        self._is_resting = True
        try:
            return module.forward(nodes, index, dim_size=result.size(0))
        finally:
            self._is_resting = False

    def _left(self, reduction: Reduction, index: Any, *, is_sum: bool) -> tuple[Tensor, Any]:
        """What is left to reduce, and the index of it: in a sum zeros for what is left out, else fewer rows."""
        source, level = reduction
        share = level.of_rows(self._keep)
        if not is_sum:
            return source[share > 0], index[share > 0] if isinstance(index, Tensor) else index
        share = beside(share.to(source.dtype), source)
        return (source * share).masked_fill(share == 0, 0.0), index
