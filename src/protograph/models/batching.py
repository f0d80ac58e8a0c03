"""Graphs joined into the batch that a model is called with."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch_geometric.data import Batch, Data

from protograph.graphs.checking import FEATURES, node_count
from protograph.graphs.joining import OF_EDGES, OF_NODES, GraphChunk, JoinedGraphs, joined

# What a batch has beside the graphs' own tensors.
_MADE = frozenset({"edge_index", "batch", "ptr", "num_graphs"})
_QUICK = _MADE.union(OF_NODES, OF_EDGES)


def are_joined(wanted: frozenset[str] | None) -> bool:
    """Whether graphs laid end to end have all attributes that a model reads, which is ``None`` for any.

    >>> are_joined(frozenset({"x", "batch"})), are_joined(frozenset({"x", "edge_type"})), are_joined(None)
    (True, False, False)
    """
    return wanted is not None and wanted <= _QUICK


def batch_of(graphs: Sequence[Data], wanted: frozenset[str] | None, device: torch.device | None = None) -> Batch:
    """The graphs as one batch, with the attributes that a model reads.

    Args:
        graphs: The graphs, at least one.
        wanted: The attributes, ``None`` for all of them; ``x`` and ``edge_index`` are there in any case.
        device: Where to put it; where the graphs are by default.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))
    >>> batch_of([graph, graph], frozenset({"x", "batch"}))
    DataBatch(x=[4, 1], edge_index=[2, 4], batch=[4], ptr=[3])
    """
    if wanted is not None and are_joined(wanted):
        together = joined(graphs, keys=[key for key in (*OF_NODES, *OF_EDGES) if key in wanted | {"x"}])
        if together is not None:
            return _batch(together, wanted, device, are_shared=isinstance(graphs, GraphChunk))
    keys = set().union(*(graph.to_dict() for graph in graphs))
    excluded = set() if wanted is None else keys - wanted - {"edge_index", "x", "num_nodes"}
    batch = _collated(list(graphs), excluded)
    return batch if device is None else batch.to(device)


def _collated(graphs: list[Data], excluded: set[str]) -> Batch:
    """What PyG's collation gives, without what it cannot join: a model that never reads it can do without."""
    excluded |= _not_in_all(graphs) | {"batch", "ptr"}  # which are made anew, whatever the graphs have of that name
    try:
        return Batch.from_data_list(graphs, exclude_keys=sorted(excluded))
    except Exception:
        others = {key for key in graphs[0].to_dict() if key not in (*_MADE, *FEATURES, "num_nodes")} - excluded
        unfit = {key for key in others if not _can_be_joined(graphs, key)}
        if not unfit:
            raise
        return Batch.from_data_list(graphs, exclude_keys=sorted(excluded | unfit))


def _not_in_all(graphs: list[Data]) -> set[str]:
    """Attributes that only some graphs have, and tensors without numbers, which cannot be moved."""
    contents = [graph.to_dict() for graph in graphs]
    different = {tuple(content) for content in contents}
    some = set().union(*different) - set.intersection(*map(set, different))
    return some | {key for content in contents for key, value in content.items() if getattr(value, "is_meta", False)}


def _can_be_joined(graphs: list[Data], key: str) -> bool:
    try:
        Batch.from_data_list([Data(num_nodes=node_count(graph), **{key: graph[key]}) for graph in graphs])
    except Exception:  # whatever an attribute of any type raises
        return False
    return True


def parts_of(graphs: Sequence[Data], most_rows: int) -> list[Sequence[Data]]:
    """Graphs in runs of about so many nodes and edges together, where they are laid end to end; else as they are.

    Args:
        graphs: The graphs.
        most_rows: Nodes and edges of a run; a third more is no reason for another one.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> chunk = GraphChunk([graph] * 3, joined([graph] * 3))
    >>> [len(part) for part in parts_of(chunk, 8)]
    [2, 1]
    """
    if not isinstance(graphs, GraphChunk):
        return [graphs]
    rows = (graphs.together.sizes + graphs.together.counts).cumsum()
    number = -(-3 * int(rows[-1]) // (4 * most_rows))  # in runs of about as many rows each
    if number < 2:
        return [graphs]
    ends = np.searchsorted(rows, rows[-1] * np.arange(1, number + 1) / number).clip(max=len(graphs) - 1) + 1
    return [graphs.part(*pair) for pair in pairwise([0, *np.unique(ends).tolist()])]


def _batch(graphs: JoinedGraphs, wanted: frozenset[str], device: torch.device | None, *, are_shared: bool) -> Batch:
    """What PyG's collation gives: nodes numbered on over all graphs.

    Tensors that others read too are copied, as a model may write into those that it is given.
    """
    tensors = {key: value for key, value in graphs.tensors.items() if key in wanted | {"edge_index", "x"}}
    device = device or next((value.device for value in tensors.values() if value.is_cuda), tensors["edge_index"].device)
    moved = {key: value.to(device) for key, value in tensors.items()}
    if are_shared:
        moved = {key: value.clone() if value is tensors[key] else value for key, value in moved.items()}
    sizes, counts = torch.from_numpy(graphs.sizes).to(device), torch.from_numpy(graphs.counts).to(device)
    ptr = torch.nn.functional.pad(sizes.cumsum(0), (1, 0))
    edges = moved.pop("edge_index")
    shift = torch.repeat_interleave(ptr[:-1], counts, output_size=edges.size(1)).to(edges.dtype)
    if "x" not in moved:
        moved["num_nodes"] = int(graphs.sizes.sum())
    batch = torch.repeat_interleave(sizes, output_size=int(graphs.sizes.sum()))
    return Batch(**moved, edge_index=edges + shift, batch=batch, ptr=ptr)
