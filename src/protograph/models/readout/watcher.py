"""Watching a model run: every tensor operation is seen, and those that reduce over nodes are counted."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Any

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from protograph.models.precision import run_as_is, run_in_double
from protograph.models.readout.places import Place, Readout
from protograph.models.readout.pooling import FOLLOWED, ZEROS, Level, NodeRows

REDUCERS = frozenset(
    f"{name}{suffix}"
    for name in ("scatter_add", "scatter_reduce", "index_add", "index_reduce", "scatter")
    for suffix in ("", "_")
)
DIVISIONS = frozenset({"div", "div_", "true_divide", "true_divide_", "__truediv__", "__itruediv__"})
# Of a model that takes one graph: its nodes are all rows.
WHOLE_SUMS = frozenset({"sum", "mean"})
WHOLE_REDUCERS = WHOLE_SUMS | {"max", "amax"}
_MAKES_INDEX = FOLLOWED | ZEROS
_WATCHED = REDUCERS | DIVISIONS | FOLLOWED
_SEQUENCES = (tuple, list)
_WATCHED_IN_ONE_GRAPH = _WATCHED | WHOLE_REDUCERS | ZEROS


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Every tensor in nested tuples, lists and dictionaries."""
    found: list[Tensor] = []
    _gather(value, found)
    return iter(found)


def _gather(value: Any, found: list[Tensor]) -> None:
    # No generator in a generator: every operation of a model that is traced comes by here several times.
    if isinstance(value, Tensor):
        found.append(value)
    elif isinstance(value, _SEQUENCES):
        for item in value:
            _gather(item, found)
    elif isinstance(value, dict):
        for item in value.values():
            _gather(item, found)


class Reduction:
    """An operation, or the call of an aggregation module, that reduces rows of nodes to graphs.

    Attributes:
        source: What it reduces, an entry a row.
        level: Which nodes the rows stand for.
    """

    def __init__(self, source: Tensor, level: Level) -> None:
        self.source, self.level = source, level


class Watcher(TorchFunctionMode):
    """Sees every tensor operation of a call of a model, and counts those that reduce over nodes.

    It also runs them, in double precision where that is asked for: a second mode would see each of them once more.

    Attributes:
        batch: Which graph each node is of.
        rows: Which rows stand for which nodes.
        readout: The readout, as far as it is known.
        places: Its steps that are reductions in the model's own code, by their ordinals.
        ordinal: Number of the latest reduction.
    """

    # Whether operations matter that are neither reductions nor divisions.
    sees_all = False

    def __init__(self, batch: Tensor, readout: Readout, *, is_double: bool = False, is_one_graph: bool = False) -> None:
        super().__init__()
        self.batch = batch
        self.rows = NodeRows(batch, is_one_graph=is_one_graph)
        self.readout = readout
        self.is_double = is_double
        self.call = run_in_double if is_double else run_as_is
        self.places = {place.ordinal: place for place in readout.places if place.module is None}
        self.ordinal = -1
        self._is_one_graph = is_one_graph
        self._watched = _WATCHED_IN_ONE_GRAPH if is_one_graph else _WATCHED
        self._is_resting = False  # where a module is run again, its operations are not the model's

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        name = getattr(func, "__name__", "")
        if (name not in self._watched and not self.sees_all) or self._is_resting:
            return self.call(func, args, kwargs)
        reduction = self.reduction(name, args, kwargs or {})
        if reduction is not None:
            self.ordinal += 1
        result = self._run(func, name, args, kwargs or {}, reduction)
        if name in _MAKES_INDEX:
            self.rows.follow(name, args, kwargs or {}, result)
        return result

    def reduction(self, name: str, args: Any, kwargs: dict[str, Any]) -> Reduction | None:
        """What an operation reduces over nodes, ``None`` where it does not."""
        if self._is_one_graph and name in WHOLE_REDUCERS:
            return self._whole_reduction(args, kwargs)
        if name not in REDUCERS:
            return None
        index = args[2] if len(args) > 2 else kwargs.get("index")
        source = args[3] if len(args) > 3 else kwargs.get("src", kwargs.get("source"))
        if not isinstance(source, Tensor) or not source.is_floating_point() or source.dim() == 0:
            return None
        level = self.rows.level(index)
        return Reduction(source, level) if level is not None and source.size(0) == level.num_rows else None

    def _whole_reduction(self, args: Any, kwargs: dict[str, Any]) -> Reduction | None:
        source = args[0] if args else kwargs.get("input")
        dim = args[1] if len(args) > 1 else kwargs.get("dim")
        if not isinstance(source, Tensor) or not source.is_floating_point() or source.dim() != 2:
            return None
        dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
        is_over_nodes = dims in ((0,), (-2,)) and source.size(0) == self.batch.numel()
        return Reduction(source, Level(self.batch)) if is_over_nodes else None

    @abstractmethod
    def _run(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], reduction: Reduction | None) -> Any:
        """Run an operation; ``reduction`` is what it reduces over nodes, ``None`` where it does not."""

    def reduction_of_module(self, inputs: Any) -> Reduction | None:
        """What the call of an aggregation module reduces over nodes, by its arguments."""
        tensors = list(tensors_in(inputs))
        levels = (self.rows.level(tensor) for tensor in tensors[1:])
        level = next((level for level in levels if level is not None), None)
        if level is None and self._is_one_graph and len(tensors) == 1:  # without an index: all rows are one graph's
            level = Level(self.batch) if tensors[0].size(0) == self.batch.numel() else None
        return None if level is None else Reduction(tensors[0], level)

    @contextmanager
    def _at_modules(self, model: nn.Module, then: Callable[..., Any]) -> Iterator[None]:
        """Within the ``with`` block, call ``then`` wherever an aggregation module is a step of the readout.

        Its arguments are the place, the module, what the module takes and what it gives; what it returns, unless that
        is ``None``, is taken for what the module gives.
        """

        def hook_of(place: Place) -> Callable[..., Any]:
            calls = count()

            def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
                return then(place, module, (args, kwargs), result) if next(calls) == place.ordinal else None

            return hook

        with ExitStack() as stack:
            for place in self.readout.places:
                if place.module is not None:
                    module = model.get_submodule(place.module)
                    stack.callback(module.register_forward_hook(hook_of(place), with_kwargs=True).remove)
            yield
