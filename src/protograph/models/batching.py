"""Graphs joined into the batch that a model is called with."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from torch_geometric.data import Batch, Data

from protograph.graphs.joining import OF_EDGES, OF_NODES, GraphChunk, JoinedGraphs, joined

# What a batch has beside the graphs' own tensors.
_MADE = frozenset({"edge_index", "batch", "ptr", "num_graphs"})
_QUICK = _MADE.union(OF_NODES, OF_EDGES)


def batch_of(graphs: Sequence[Data], wanted: frozenset[str] | None) -> Batch:
    """The graphs as one batch, with the attributes that a model reads.

    Args:
        graphs: The graphs, at least one.
        wanted: The attributes, ``None`` for all of them; ``x`` and ``edge_index`` are there in any case.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))
    >>> batch_of([graph, graph], frozenset({"x", "batch"}))
    DataBatch(x=[4, 1], edge_index=[2, 4], batch=[4], ptr=[3])
    """
    if wanted is not None and wanted <= _QUICK:
        together = joined(graphs, keys=[key for key in (*OF_NODES, *OF_EDGES) if key in wanted | {"x"}])
        if together is not None:
            return _batch(together, wanted, are_shared=isinstance(graphs, GraphChunk))
    excluded = None if wanted is None else [k for k in graphs[0].to_dict() if k not in wanted | {"edge_index", "x"}]
    return Batch.from_data_list(list(graphs), exclude_keys=excluded)


def parts_of(graphs: Sequence[Data], most_rows: int) -> list[Sequence[Data]]:
    """Graphs in runs of at most so many nodes and edges together, where they are laid end to end; else as they are.

    >>> graph = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> chunk = GraphChunk([graph] * 3, joined([graph] * 3))
    >>> [len(part) for part in parts_of(chunk, 8)]
    [2, 1]
    """
    if not isinstance(graphs, GraphChunk):
        return [graphs]
    rows = (graphs.together.sizes + graphs.together.counts).cumsum()
    number = -(-int(rows[-1]) // most_rows)  # in runs of about as many rows each
    ends = np.searchsorted(rows, rows[-1] * np.arange(1, number + 1) / number).clip(max=len(graphs) - 1) + 1
    bounds = [0, *np.unique(ends).tolist()]
    return [graphs] if number < 2 else [graphs.part(*pair) for pair in pairwise(bounds)]


def _batch(graphs: JoinedGraphs, wanted: frozenset[str], *, are_shared: bool) -> Batch:
    """What PyG's collation gives: nodes numbered on over all graphs.

    Tensors that others read too are copied, as a model may write into those that it is given.
    """
    tensors = {key: value for key, value in graphs.tensors.items() if key in wanted | {"edge_index", "x"}}
    edges = tensors["edge_index"]
    if are_shared:
        tensors = {key: value if value is edges else value.clone() for key, value in tensors.items()}
    shift = torch.from_numpy(graphs.of_edges(graphs.offsets)).to(edges)
    tensors["edge_index"] = edges + shift
    device = next((value.device for value in tensors.values() if value.is_cuda), None)
    sizes = torch.from_numpy(graphs.sizes)
    return Batch(
        **tensors,
        **({} if "x" in tensors else {"num_nodes": int(graphs.sizes.sum())}),
        batch=torch.repeat_interleave(sizes).to(device),
        ptr=torch.from_numpy(np.append(0, graphs.sizes.cumsum())).to(device),
    )
