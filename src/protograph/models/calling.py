"""How a model wants to be called: ``model(data)``, or tensors by the names its ``forward`` uses."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from protograph.graphs.validate import HETERO_WAY

# Names under which people write the usual arguments; the first of each row is PyG's own.
_SPELLINGS = (
    ("x", "features", "feature", "feat", "feats", "node_features", "node_feats", "node_attr", "h"),
    ("edge_index", "edge_idx", "edges", "edge_list", "adj"),
    ("edge_attr", "edge_attrs", "edge_features", "edge_feats", "edge_feat"),
    ("edge_weight", "edge_weights"),
    ("pos", "position", "positions", "coords", "coordinates"),
    (
        "batch",
        "batch_index",
        "batch_idx",
        "batch_ids",
        "batch_vec",
        "batch_vector",
        "graph_index",
        "graph_ids",
    ),
    ("num_graphs", "batch_size", "num_batches"),
)
_ATTRIBUTE_OF = {spelling: row[0] for row in _SPELLINGS for spelling in row}
# A model is explained without the answers, even where its forward could take them to compute a loss.
_LABELS = frozenset({"y", "label", "labels", "target", "targets"})
_WHOLE = frozenset({"data", "batch", "graph", "graphs", "g", "inputs", "input", "batched_data", "batch_data"})


@dataclass(frozen=True)
class Call:
    """How to call a model.

    Attributes:
        arguments: Parameter name of ``forward`` to attribute of the batch, or ``None`` where the
            whole batch is the only argument.
        optional: Parameters that have a default and are left out where the data has no such attribute.
        takes_batch: Whether several graphs may be given at once; else the model is called graph by graph.
    """

    arguments: Mapping[str, str] | None
    optional: frozenset[str] = frozenset()
    takes_batch: bool = True

    def __call__(self, model: nn.Module, batch: Batch) -> Any:
        """Apply ``model`` to ``batch``."""
        if self.arguments is None:
            return model(batch)
        # Of an attribute that is called like a method of the batch, as size, the user's own is meant.
        values = {
            name: batch[attribute] if attribute in batch else getattr(batch, attribute, None)
            for name, attribute in self.arguments.items()
        }
        for name, attribute in self.arguments.items():
            if attribute == "x" and values[name] is None:  # a graph without features has constant ones
                values[name] = torch.ones(batch.num_nodes, 1, device=batch.batch.device)
        missing = [name for name, value in values.items() if value is None and name not in self.optional]
        if missing:
            raise ValueError(
                f"the model's forward needs {missing[0]!r}, but the graphs have no {self.arguments[missing[0]]!r}; "
                f"add it to every graph, or give the argument a default"
            )
        return model(**{name: value for name, value in values.items() if value is not None})

    @property
    def attributes(self) -> frozenset[str] | None:
        """The attributes of a graph that the model reads, ``None`` for all of them."""
        return None if self.arguments is None else frozenset(self.arguments.values())


def infer_call(model: nn.Module, sample: Data) -> Call:
    """Read off the signature of ``model.forward`` how it wants to be called.

    Args:
        model: Any graph classifier.
        sample: One graph, for the names of attributes beyond the usual ones.

    >>> class Net(nn.Module):
    ...     def forward(self, edge_index, features, batch): ...
    >>> dict(infer_call(Net(), Data()).arguments)
    {'edge_index': 'edge_index', 'features': 'x', 'batch': 'batch'}
    """
    named = getattr(getattr(model, "signature", None), "param_dict", None)
    if isinstance(named, dict):  # torch_geometric.nn.Sequential
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in named]
    elif isinstance(model, torch.jit.ScriptModule):  # a traced one has no signature, but a schema
        forward: Any = model.forward
        parameters = [
            inspect.Parameter(
                one.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=one.default_value if one.has_default_value() else inspect.Parameter.empty,
                annotation=Tensor,
            )
            for one in forward.schema.arguments[1:]
        ]
    else:
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        parameters = [p for p in inspect.signature(model.forward).parameters.values() if p.kind not in several]
    required = [p for p in parameters if p.default is inspect.Parameter.empty]
    if _takes_whole_batch(parameters, required):
        return Call(arguments=None)
    arguments: dict[str, str] = {}
    for parameter in parameters:
        attribute = _attribute(parameter.name, sample)
        if attribute is not None:
            arguments[parameter.name] = attribute
        elif parameter in required:
            if parameter.name.endswith("_dict"):
                raise ValueError(
                    f"{type(model).__name__}.forward takes heterogeneous graphs ({parameter.name!r}), which are not "
                    f"explained; {HETERO_WAY}"
                )
            raise ValueError(
                f"cannot tell what to pass to {type(model).__name__}.forward for {parameter.name!r}; known are the "
                f"graphs' own attributes ({', '.join(sorted(sample.keys()))}) and the usual names "
                f"({', '.join(row[0] for row in _SPELLINGS)}); rename the argument or let forward take the whole batch"
            )
    return Call(
        arguments=arguments,
        optional=frozenset(p.name for p in parameters if p not in required),
        takes_batch=not {"batch", "ptr"}.isdisjoint(arguments.values()),
    )


def _takes_whole_batch(parameters: list[inspect.Parameter], required: list[inspect.Parameter]) -> bool:
    if len(required) > 1:
        return False
    if not parameters:  # only *args or **kwargs: nothing to go by, so the common convention
        return True
    first = required[0] if required else parameters[0]
    if isinstance(first.annotation, type) and issubclass(first.annotation, Data):
        return True
    if first.annotation is Tensor:
        return False
    return first.name in _WHOLE or first.name not in _ATTRIBUTE_OF or len(parameters) == 1


def _attribute(name: str, sample: Data) -> str | None:
    if name in _LABELS:
        return None
    return name if name in sample or name == "ptr" else _ATTRIBUTE_OF.get(name)
