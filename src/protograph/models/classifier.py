"""Any PyTorch Geometric graph classifier, seen as class scores plus node and graph embeddings."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph.graphs.subgraph import uncut_keys
from protograph.models.calling import infer_call
from protograph.models.inference import RunningClassifier
from protograph.models.model_state import check_initialised, checked_model, copied, float_type
from protograph.models.outputs import (
    RETURN_TYPES,
    AskedType,
    RegressionError,
    RowCountError,
    SeveralTasksError,
    advice,
    are_real,
    are_tasks,
    checked_columns,
    joined_rows,
    tasks_by_labels,
)
from protograph.models.readout import Readout

# Copies in double precision must agree with the model itself to be used in its place, up to this much, or to so many
# units in the last place of what the model computes in.
_AGREEMENT, _AGREEMENT_UNITS = 1e-3, 16
# What PyTorch calls it.
SIGMOIDS = frozenset({"sigmoid", "sigmoid_", "expit", "special_expit"})
Precision: TypeAlias = Literal["double", "model"]
# So many graphs tell how a model wants to be called.
SAMPLE_SIZE = 8


class GraphClassifier:
    """A trained graph classifier with what is needed to explain it.

    A plain module is enough almost always: ``PAGE().fit(model, graphs)`` makes one of these by itself. Build it
    yourself where the readout cannot be told by watching the model, or where the kind of output must be stated.

    Args:
        model: Any module that classifies batches of graphs, called as ``model(data)`` or by argument name.
        return_type: What it returns: ``"raw"`` scores (logits), ``"probs"``, ``"log_probs"``, or ``"auto"`` to
            tell by the outputs of the whole pass. One column means two classes.
        node_embeddings: Name of the module whose *output* is the node embeddings, as in ``model.named_modules()``.
        graph_embeddings: Name of the module whose *input* is the graph embeddings (often the head).
        task: Which column of the output to explain, of a model that answers several yes-or-no questions at once: two
            classes, by the sigmoid of that column; labels are the same column of ``y``.

    >>> from torch_geometric.nn import GCN
    >>> GraphClassifier(GCN(3, 8, 2), return_type="logits")
    Traceback (most recent call last):
    ...
    ValueError: return_type must be one of 'auto', 'raw', 'probs', 'log_probs', got 'logits'
    """

    def __init__(
        self,
        model: nn.Module,
        return_type: AskedType = "auto",
        node_embeddings: str | None = None,
        graph_embeddings: str | None = None,
        task: int | None = None,
    ) -> None:
        model = checked_model(model)
        if return_type not in ("auto", *RETURN_TYPES):
            expected = ", ".join(map(repr, ("auto", *RETURN_TYPES)))
            raise ValueError(f"return_type must be one of {expected}, got {return_type!r}")
        if task is not None and (isinstance(task, bool) or not isinstance(task, int) or task < 0):
            raise ValueError(f"task must be the number of a column of the model's output, from 0, got {task!r}")
        modules = dict(model.named_modules())
        for argument, name in (("node_embeddings", node_embeddings), ("graph_embeddings", graph_embeddings)):
            if name is not None and name not in modules:
                known = [f"{own} ({type(module).__name__})" for own, module in modules.items() if own]
                listed = ", ".join(known) or "none below the model itself"
                raise ValueError(f"{argument}={name!r} is not a module of the model; its modules are: {listed}")
            if name and isinstance(modules[name], torch.jit.ScriptModule):
                raise ValueError(
                    f"{argument}={name!r} is a TorchScript module, which cannot be watched; name another, or none"
                )
        self.model = model
        self.return_type = return_type
        self.node_embeddings = node_embeddings
        self.graph_embeddings = graph_embeddings
        self.task = task

    def __repr__(self) -> str:
        task = "" if self.task is None else f", task={self.task}"
        return f"GraphClassifier({type(self.model).__name__}, return_type={self.return_type!r}{task})"

    def start(
        self, sample: Sequence[Data], device: torch.device | str | None = None, precision: Precision = "double"
    ) -> "RunningClassifier":
        """Get ready to classify: find out on a few graphs how to call the model and where its readout is.

        The model itself is only read. What runs is a copy, in double precision unless ``precision`` is ``"model"``, so
        that batch size, number of threads and device make no difference that counts; one that does not run in double
        precision runs in its own. A model that cannot be copied runs itself, and is left as it was found after each
        call.
        """
        sample = sample[:SAMPLE_SIZE]
        check_initialised(self.model)
        target = device_of(self.model) if device is None else checked_device(device)
        native, expected = self._in_own_precision(sample)
        in_double = self._in_double_precision(native, target, sample, expected) if precision == "double" else None
        running, outputs = in_double or (native, expected)
        if running.device != target:
            twin = copied(self.model)
            if twin is None:
                raise ValueError(
                    f"device must be {native.device}, where the model is, as it cannot be copied to another, "
                    f"got {target}; move it there before"
                )
            running = replace(native, model=twin.to(target), device=target)
            outputs = running.classify(sample)
        running = replace(running, readout=self._readout(running, sample))
        if self.node_embeddings or self.graph_embeddings:  # whether they fit is better told now
            running.embed(sample, nodes=self.node_embeddings is not None)
        return replace(running, warnings=_unsteadiness(running, sample, outputs))

    def _in_own_precision(self, sample: Sequence[Data]) -> tuple[RunningClassifier, Tensor]:
        """The model as it is, and what it gives for the sample, one graph at a time if it takes no more."""
        twin = copied(self.model)
        call = infer_call(self.model, sample[0])
        uncut = [key for key in uncut_keys(sample[0]) if call.attributes is None or key in call.attributes]
        native = RunningClassifier(
            twin or self.model,
            call,
            Readout(),
            device_of(self.model),
            is_double=False,
            is_own=twin is None,
            dtype=float_type(self.model),
            task=self.task,
            uncut=tuple(uncut),
        )
        try:
            return self._counted(native, sample)
        except RowCountError as error:
            if not call.takes_batch or len(sample) == 1:
                raise
            try:
                return self._counted(replace(native, call=replace(call, takes_batch=False)), sample)
            except RowCountError:  # so it was not that; the first message says what is the matter
                if isinstance(self.model, torch.jit.ScriptModule):
                    way = "pass the module it was made from, or torch.jit.script of it"
                    raise RowCountError(f"{error}; a traced model knows the batch it was traced with: {way}") from None
                raise error from None

    def _counted(self, running: RunningClassifier, sample: Sequence[Data]) -> tuple[RunningClassifier, Tensor]:
        """The model with the number of its columns, if they are of one task, and what it gives for the sample."""
        rows, place = replace(running, task=None).first_rows(sample)
        everything = joined_rows(rows, sample) if len(rows) == len(sample) else rows[0]
        if self.task is None:
            reason = tasks_by_labels(sample, everything, self.return_type)
            if reason and are_real(number for graph in sample for number in graph.y.flatten().tolist()):
                raise RegressionError("output[:, [0]] or another column", self._stated(except_for="return_type"))
            if not reason and self.return_type == "auto" and are_tasks(everything):
                tracer, seen = running.traced(sample)
                reason = "the model returns several sigmoids" if tracer.ends_in(seen, SIGMOIDS) else ""
            if reason:
                raise SeveralTasksError(reason, everything.size(1), self._stated(except_for="return_type"))
        running = replace(running, num_columns=everything.size(1), place=place)
        return running, checked_columns(everything, None, running.task)

    def _in_double_precision(
        self, native: RunningClassifier, device: torch.device, sample: Sequence[Data], expected: Tensor
    ) -> tuple[RunningClassifier, Tensor] | None:
        """A copy in double precision, and what it gives; ``None`` where none runs and gives what the model gives."""
        twin = copied(self.model)
        if twin is None:
            return None
        try:
            running = replace(native, model=twin.to(device=device, dtype=torch.float64), device=device, is_double=True)
            outputs = running.classify(sample)
        except Exception:  # whatever the reason, the model itself runs, so that is used
            return None
        tolerance = max(_AGREEMENT, _AGREEMENT_UNITS * torch.finfo(native.dtype or torch.float32).eps)
        return (running, outputs) if torch.allclose(outputs, expected, rtol=tolerance, atol=tolerance) else None

    def _readout(self, running: RunningClassifier, sample: Sequence[Data]) -> Readout:
        """Where the readout is, by what is seen of a call as far as the user has not named it."""
        of_nodes, of_graphs = self.node_embeddings, self.graph_embeddings
        if of_nodes is not None and of_graphs is not None:
            return Readout(node_module=of_nodes, graph_module=of_graphs)
        tracer, rows = running.traced(sample)
        readout, problem = tracer.readout_of(rows)
        if not problem:
            return replace(readout, node_module=of_nodes, graph_module=of_graphs)
        modules = tracer.graph_modules(rows) if of_graphs is None else [of_graphs]
        if len(modules) > 1:
            raise ValueError(
                advice(
                    f"cannot tell the readout of {type(self.model).__name__}: {problem}; say which module takes one "
                    f"vector a graph, the first is nearest to the nodes",
                    [("graph_embeddings", name) for name in modules],
                    self._stated(),
                )
            )
        return Readout(node_module=of_nodes, graph_module=modules[0] if modules else None, is_output=not modules)

    def _stated(self, except_for: str = "") -> list[tuple[str, object]]:
        """The options that were given, as they are to be given again."""
        names = ("return_type", "node_embeddings", "graph_embeddings", "task")
        options = [(name, getattr(self, name)) for name in names if name != except_for]
        return [(name, value) for name, value in options if value not in (None, "auto")]


def as_classifier(model: nn.Module | GraphClassifier) -> GraphClassifier:
    """The model with what is needed to explain it, found out unless it was stated."""
    return model if isinstance(model, GraphClassifier) else GraphClassifier(model)


def _unsteadiness(running: RunningClassifier, sample: Sequence[Data], outputs: Tensor) -> tuple[str, ...]:
    """Say so where the output for a graph is random, or depends on the other graphs in its batch.

    Args:
        running: The model.
        sample: Some graphs.
        outputs: What the model gave for them.
    """
    tolerance = min(1e-3, 1e5 * running.resolution) * max(1.0, float(outputs.abs().max()))
    at = min(1, len(sample) - 1)  # not the first of the batch, where there is another
    differences = (outputs - running.classify(sample), outputs[at] - running.classify(sample[at : at + 1])[0])
    # Those that are NaN are told later.
    is_random, is_of_batch = (float(one.abs().max()) > tolerance for one in differences)
    if is_random:
        return ("the model's output is random, also in evaluation mode: the same graphs gave different scores",)
    if is_of_batch:
        return (
            "the model's output for a graph depends on the other graphs in its batch, so batch_size and the order of "
            "the graphs change the result; look for a norm without running statistics or without batch",
        )
    return ()


def checked_device(device: torch.device | str) -> torch.device:
    """Return the device if it is there."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ValueError(
            f"device must be one that PyTorch can use here, got {str(device)!r}: {str(error).splitlines()[0]}"
        ) from None
    return torch.device(device)


def device_of(model: nn.Module) -> torch.device:
    """Where a model's weights are."""
    first: Any = next(chain(model.parameters(), model.buffers()), None)
    return torch.device("cpu") if first is None else first.device
