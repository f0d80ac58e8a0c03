"""Checking graphs and making them undirected and simple, a chunk at a time.

The checks run on the joined tensors of many graphs, since a tensor operation a graph would cost more than the
model itself.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.checking import FEATURES, check_graph, is_dense, is_plain
from protograph.graphs.checking import node_count as node_count
from protograph.graphs.joining import JoinedGraphs, as_chunk, joined
from protograph.graphs.symmetry import are_simple

Label = Callable[[int], str]
# Graphs that are laid end to end at a time where only a look at them is needed.
_CHUNK = 2048


@dataclass
class Findings:
    """What had to be changed, by graph index.

    Attributes:
        label: What messages call a graph, by its index.
        directed: Graphs with directed edges.
        repeated: Graphs with repeated edges.
    """

    label: Label = "graph {}".format
    directed: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)

    def messages(self) -> list[str]:
        """One sentence for each kind of change."""
        sentences = []
        if self.directed:
            sentences.append(
                f"{self._count(self.directed)} directed edges; PAGE works on undirected graphs, so each missing "
                f"reverse edge was added, for the model too"
            )
        if self.repeated:
            sentences.append(
                f"{self._count(self.repeated)} repeated edges; they were merged, the first one's attributes kept"
            )
        return sentences

    def _count(self, indices: Sequence[int]) -> str:
        first = self.label(indices[0])
        return f"{first} has" if len(indices) == 1 else f"{len(indices)} graphs (the first is {first}) have"


def clean(graphs: Sequence[Any], indices: Sequence[int], reference: Data | None, findings: Findings) -> Sequence[Data]:
    """Check graphs and return them undirected, without repeated edges; untouched ones are the same objects.

    Where all of them are untouched, their tensors come along as they were laid end to end for the checks.

    Args:
        graphs: Some graphs of the data set.
        indices: Their numbers in the data set, for messages.
        reference: The data set's first graph, whose feature width all must have; ``None`` for that chunk itself.
        findings: Takes the numbers of the graphs that were changed, and knows what messages call a graph.
    """
    chunk = as_chunk(graphs)
    if chunk is not None and _is_clean(chunk.together, reference):
        return chunk
    return _cleaned(graphs, indices, reference, findings)


def check_each(graphs: Sequence[Any]) -> None:
    """Check graphs that need not be alike, each by itself; they may have no nodes.

    Raises:
        TypeError: If one is no graph, or something in it is no tensor.
        ValueError: If a tensor is of a type or shape that cannot be used.
    """
    for start in range(0, len(graphs), _CHUNK):
        some = graphs[start : start + _CHUNK]
        together = joined(some)
        if together is None or not all(map(is_plain, together.tensors.values())):
            for number, graph in enumerate(some, start):
                check_graph(graph, f"graph {number}", may_be_empty=True)


def _is_clean(graphs: JoinedGraphs, reference: Data | None) -> bool:
    """Whether a closer look would find nothing to refuse or to change."""
    if not all(map(is_plain, graphs.tensors.values())):
        return False
    layouts = {key: _layout_of(value) for key, value in graphs.tensors.items() if key in FEATURES}
    if graphs.sizes.min() == 0 or (reference is not None and layouts != _layout(reference)):
        return False
    if not all(_all_finite([graphs.tensors[key]]) for key in layouts):
        return False
    return are_simple(graphs.edges, graphs.sizes, graphs.counts)


def _cleaned(graphs: Sequence[Any], indices: Sequence[int], reference: Data | None, findings: Findings) -> list[Data]:
    label = findings.label
    checked = [_checked(graph, label(index)) for graph, index in zip(graphs, indices, strict=True)]
    _check_features(checked, indices, checked[0] if reference is None else reference, label)
    sizes = torch.tensor([node_count(graph) for graph in checked])
    offsets = torch.cat([torch.zeros(1, dtype=torch.long), sizes.cumsum(0)])
    counts = torch.tensor([graph.edge_index.size(1) for graph in checked])
    edges = torch.cat([graph.edge_index for graph in checked], dim=1).long()
    owner = torch.repeat_interleave(torch.arange(len(checked)), counts).to(edges.device)
    _check_edges(edges, owner, sizes, indices, label)
    keys = _keys(edges, owner, offsets)
    for position in _repeated(keys[0], owner):
        findings.repeated.append(indices[position])
        checked[position] = without_repeated_edges(checked[position])
    for position in _directed(*keys, owner):
        findings.directed.append(indices[position])
        checked[position] = undirected(checked[position])
    return checked


def _checked(graph: Any, label: str) -> Data:
    """The graph with edges, if only none, and without gradients."""
    check_graph(graph, label)
    new = {key: value.detach() for key, value in graph.to_dict().items() if _has_gradient(value)}
    if graph.edge_index is None:
        new["edge_index"] = torch.empty(2, 0, dtype=torch.long)
    if not new:
        return cast(Data, graph)
    changed: Data = copy(graph)
    for key, value in new.items():
        changed[key] = value
    return changed


def _has_gradient(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _check_features(graphs: Sequence[Data], indices: Sequence[int], reference: Data, label: Label) -> None:
    wanted = _layout(reference)
    for graph, index in zip(graphs, indices, strict=True):
        came = _layout(graph)
        if came != wanted:
            key = next(k for k in FEATURES if came.get(k) != wanted.get(k))
            raise ValueError(
                f"all graphs must have the same kind of {key}; the first graph has {_describe(wanted.get(key))}, "
                f"{label(index)} has {_describe(came.get(key))}; make them alike, or leave the graph out"
            )
    for key in FEATURES:
        tensors = [graph[key] for graph in graphs if isinstance(graph.get(key), Tensor)]
        if tensors and not _all_finite(tensors):
            bad = next(i for g, i in zip(graphs, indices, strict=True) if key in g and not _all_finite([g[key]]))
            raise ValueError(f"{key} of {label(bad)} has NaN or infinite values; replace them or leave the graph out")


def _layout(graph: Data) -> dict[str, tuple[torch.dtype, torch.Size]]:
    """Type and width of each tensor of features that the graph has."""
    features = ((key, graph.get(key)) for key in FEATURES)
    return {key: _layout_of(value) for key, value in features if isinstance(value, Tensor)}


def _layout_of(values: Tensor) -> tuple[torch.dtype, torch.Size]:
    return values.dtype, values.shape[1:]


def _describe(layout: tuple[torch.dtype, torch.Size] | None) -> str:
    if layout is None:
        return "none"
    width = " x ".join(map(str, layout[1])) or "1"
    return f"{width} columns of {str(layout[0]).removeprefix('torch.')}"


def _all_finite(tensors: Sequence[Tensor]) -> bool:
    flat = [tensor.reshape(-1) for tensor in tensors if tensor.is_floating_point()]
    # A sum is quicker, and not finite where one of them is not; of huge numbers it may not be finite either.
    return all(bool(rows.sum().isfinite()) or bool(rows.isfinite().all()) for rows in flat)


def _check_edges(edges: Tensor, owner: Tensor, sizes: Tensor, indices: Sequence[int], label: Label) -> None:
    outside = ((edges < 0) | (edges >= sizes.to(edges.device)[owner])).any(dim=0)
    if bool(outside.any()):
        first = int(outside.nonzero()[0])
        position = int(owner[first])
        source, target = (int(end) for end in edges[:, first])
        raise ValueError(
            f"edge_index of {label(indices[position])} has the edge {source} -> {target}, "
            f"but its nodes are numbered 0 to {int(sizes[position]) - 1}"
        )


def _keys(edges: Tensor, owner: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    """One number for each edge, unique over all graphs, and the number of its reverse."""
    source, target = edges + offsets.to(edges.device)[owner]
    total = int(offsets[-1])
    return source * total + target, target * total + source


def _repeated(keys: Tensor, owner: Tensor) -> list[int]:
    ordered, order = keys.sort()
    is_repeated = ordered[1:] == ordered[:-1]
    return sorted(set(owner[order[1:][is_repeated]].tolist()))


def _directed(keys: Tensor, reverses: Tensor, owner: Tensor) -> list[int]:
    if torch.equal(keys.sort().values, reverses.sort().values):
        return []
    return sorted(set(owner[~torch.isin(reverses, keys)].tolist()))


def without_repeated_edges(graph: Data) -> Data:
    """Keep the first of equal edges, with its attributes."""
    keys = (graph.edge_index[0].long() * node_count(graph) + graph.edge_index[1]).cpu().numpy()
    first = np.sort(np.unique(keys, return_index=True)[1])
    return select_edges(graph, torch.from_numpy(first).to(graph.edge_index.device))


def undirected(graph: Data) -> Data:
    """Add the reverse of each one-way edge, with the same attributes.

    >>> undirected(Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)).edge_index
    tensor([[0, 1, 1, 2],
            [1, 2, 0, 1]])
    """
    source, target = graph.edge_index.long()
    size = node_count(graph)
    missing = (~torch.isin(target * size + source, source * size + target)).nonzero().flatten()
    whole = select_edges(graph, torch.cat([torch.arange(source.numel(), device=source.device), missing]))
    whole.edge_index[:, source.numel() :] = whole.edge_index[:, source.numel() :].flip(0)
    return whole


def select_edges(graph: Data, chosen: Tensor) -> Data:
    """The graph with only the edges at these positions, in their order, and what it knows of them."""
    selected = graph.clone()
    for key in edge_keys(graph):
        selected[key] = graph[key].index_select(-1 if key == "edge_index" else 0, chosen)
    return selected


def edge_keys(graph: Data) -> list[str]:
    """Names of the tensors that have one entry an edge, such as ``edge_index``; ``y``, the graph's label, never has.

    >>> edge_keys(Data(edge_index=torch.tensor([[0], [1]]), edge_attr=torch.ones(1), y=torch.tensor([1]), num_nodes=2))
    ['edge_index', 'edge_attr']
    """
    asked = copy(graph)  # PyG keeps the answers with whom it asks, and the user's graphs are to stay as they are
    return [key for key, value in graph.to_dict().items() if key != "y" and is_dense(value) and asked.is_edge_attr(key)]


def node_keys(graph: Data) -> list[str]:
    """Names of the tensors that have one entry a node; ``y``, the graph's label, never has."""
    asked = copy(graph)
    return [key for key, value in graph.to_dict().items() if key != "y" and is_dense(value) and asked.is_node_attr(key)]
