"""Margin share: how much of its source graph's class margin a prototype's nodes carry."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch_geometric.data import Data
from torch_geometric.nn.aggr import MeanAggregation, SumAggregation

from protograph.classifier import GraphClassifier, RunningClassifier
from protograph.explanation import Explanation, Prototype
from protograph.metrics.judging import Model, check_target, classified, decided_type
from protograph.models.outputs import log_scores, margins
from protograph.models.reductions import Place, is_index, reduced_source, tensors_in
from protograph.randomness import preserved_random_state

_REDUCED_BY_NAME = frozenset({"scatter_reduce", "scatter_reduce_", "index_reduce", "index_reduce_"})
_SUMS = frozenset({"sum", "mean", "add"})


def margin_share(
    prototype: Prototype,
    explanation: Explanation,
    model: Model,
    target: int | None = None,
    *,
    reference_graphs: Sequence[Data] | None = None,
) -> float:
    r"""Share of the class margin of its source graph that a prototype's nodes carry.

    .. math:: \frac{m(V) - m(V \setminus V_p)}{m(V) - m(\emptyset)}

    with :math:`m(S)` the margin (log-odds) of the class when only the embeddings :math:`h_v, v \in S` enter the
    readout, all embeddings being those of the whole graph, and the rest of the model running on as it is. A sum
    leaves out the other nodes' terms, and so does a mean, which still divides by all nodes: with a linear head of two
    classes the share is then exactly :math:`\sum_{v \in V_p} w \cdot h_v / \sum_{v \in V} w \cdot h_v`, and shares of
    disjoint sets of nodes add up. Any other readout (maximum, attention, Set2Set) is applied to the nodes left;
    what it gives for no nodes is the baseline :math:`m(\emptyset)`, usually zeros.

    Higher says that the decision rests more on these nodes, and the nodes of the whole graph have 1. It can lie
    outside [0, 1] where some nodes speak against the class. NaN where the readout makes no difference to the margin.

    Args:
        prototype: A prototype that was cut from a graph.
        explanation: The explanation it is from.
        model: The model that was explained.
        target: The class; the explanation's by default.
        reference_graphs: Further graphs by whose outputs the kind of output is told, beside the explanation's.

    Raises:
        ValueError: If the prototype was cut from no graph, or nodes cannot be left out of the model's readout.
    """
    target = explanation.target if target is None else target
    graph = _source_of(prototype, explanation)
    classifier = model if isinstance(model, GraphClassifier) else GraphClassifier(model)
    known = [*explanation.source_graphs.values()]
    with preserved_random_state():
        running = classifier.start([graph])
        kind = decided_type(classified(running, [*known, *(reference_graphs or ())]), classifier.return_type)
        _check_readout(running)
        keeps = torch.ones(3, int(graph.num_nodes or 0), dtype=torch.bool)
        keeps[1, prototype.nodes] = False
        keeps[2] = False
        outputs = torch.cat([_classified_without(running, graph, keep) for keep in keeps])
    scores = log_scores(outputs, kind)
    check_target(target, scores.size(1))
    whole, without, none = margins(scores, target).tolist()
    is_no_difference = abs(whole - none) <= running.resolution * max(1.0, abs(whole))
    return math.nan if is_no_difference else (whole - without) / (whole - none)


def _source_of(prototype: Prototype, explanation: Explanation) -> Data:
    if prototype.source is None or prototype.nodes is None:
        raise ValueError(
            "prototype must be cut from a graph, got one without source and nodes, such as a generated one"
        )
    if prototype.source not in explanation.source_graphs:
        raise ValueError(
            f"prototype must be of this explanation, whose source graphs are {sorted(explanation.source_graphs)}, "
            f"got one cut from graph {prototype.source}"
        )
    return explanation.source_graphs[prototype.source]


def _check_readout(running: RunningClassifier) -> None:
    if not running.readout.places:
        raise ValueError(
            "the model's readout was named as modules, so it is not known where nodes enter it and they cannot be left "
            "out; use GraphClassifier(model, ...) without node_embeddings or without graph_embeddings"
        )


def _classified_without(running: RunningClassifier, graph: Data, keep: Tensor) -> Tensor:
    with _leaving_out(running, keep.to(running.device)):
        return running.classify([graph])


@contextmanager
def _leaving_out(running: RunningClassifier, keep: Tensor) -> Iterator[None]:
    """Let only some nodes of a single graph enter the readout in the call made inside the ``with`` block."""
    modules = dict(running.model.named_modules())
    places = running.readout.places
    leaving = _LeavingOut(keep, {place.ordinal for place in places if place.module is None})

    def learn_batch(_: nn.Module, args: Any, kwargs: Any) -> None:
        arguments = running.call.arguments
        if arguments is None:
            leaving.batch = next(iter((*args, *kwargs.values()))).batch
        else:
            leaving.batch = kwargs[next(name for name, attribute in arguments.items() if attribute == "batch")]

    with ExitStack() as stack:
        stack.callback(running.model.register_forward_pre_hook(learn_batch, with_kwargs=True).remove)
        for place in places:
            if place.module is not None:
                hook = _rerun(place, leaving)
                stack.callback(modules[place.module].register_forward_hook(hook, with_kwargs=True).remove)
        stack.enter_context(leaving)
        yield


class _LeavingOut(TorchFunctionMode):
    """Counts the reductions over ``batch``, as the tap does, and leaves nodes out of those of the readout."""

    def __init__(self, keep: Tensor, ordinals: set[int]) -> None:
        super().__init__()
        self.keep = keep
        self.batch: Tensor | None = None
        self._ordinals = ordinals
        self._ordinal = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Run ``func``, on fewer nodes where it is a step of the readout."""
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        source = None if self.batch is None else reduced_source(self.batch, name, args, kwargs)
        if source is not None:
            if self._ordinal in self._ordinals:
                args, kwargs = self._reduced(name, list(args), kwargs)
            self._ordinal += 1
        return func(*args, **kwargs)

    def _reduced(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        how = args[4] if len(args) > 4 else kwargs.get("reduce")
        if name in ("scatter", "scatter_") and how != "add":
            raise ValueError("the model's readout overwrites nodes by one another, so none of them can be left out")
        is_sum = name not in _REDUCED_BY_NAME or how in _SUMS
        source_key = "src" if "src" in kwargs else "source"
        for position, key in ((2, "index"), (3, source_key)):
            value = args[position] if len(args) > position else kwargs[key]
            if not is_sum:
                value = value[self.keep]
            elif position == 3:
                value = _zeroed(value, self.keep)
            if len(args) > position:
                args[position] = value
            else:
                kwargs[key] = value
        return tuple(args), kwargs


def _rerun(place: Place, leaving: _LeavingOut) -> Callable[..., Any]:
    """A hook that replaces what an aggregation module gives by what it gives for the nodes that are kept."""
    calls = iter(range(place.ordinal + 1))

    def hook(module: nn.Module, args: Any, kwargs: Any, result: Any) -> Any:
        if next(calls, None) != place.ordinal:
            return None
        inputs = list(tensors_in((args, kwargs)))
        assert leaving.batch is not None
        index = next(value for value in inputs[1:] if is_index(leaving.batch, value))
        keep = torch.ones_like(leaving.keep) if isinstance(module, SumAggregation | MeanAggregation) else leaving.keep
        nodes = inputs[0] if keep is leaving.keep else _zeroed(inputs[0], leaving.keep)
        # Other memory than that of batch, so that what the module reduces is not counted again.
        return module.forward(nodes[keep], index[keep].clone(), dim_size=result.size(0))

    return hook


def _zeroed(nodes: Tensor, keep: Tensor) -> Tensor:
    return nodes.masked_fill(~keep.unsqueeze(1), 0.0)
