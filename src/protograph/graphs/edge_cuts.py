"""Where continuous attributes of edges are cut, so that values between two cuts count as equal."""

from collections.abc import Iterable
from itertools import islice

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph.graphs.column_bins import bin_cuts

# Graphs whose values are joined at a time.
_CHUNK = 2048


def edge_cuts(graphs: Iterable[Data], *, max_values: int, num_bins: int) -> tuple[tuple[float, ...], ...]:
    """The cuts of each column of ``edge_attr`` that is continuous; nothing at all where none is.

    A column is continuous if it holds floating-point numbers and more than ``max_values`` different ones: whole numbers
    are names of kinds, and so are a few values that come again and again, such as the order 1.5 of an aromatic bond.
    It is cut into ``num_bins`` bins with about as many edges each. A cut lies half-way between two values that occur
    and never through equal ones, so that there may be fewer bins.

    Args:
        graphs: The graphs, gone through once; neither their order nor that of their edges matters.
        max_values: So many different values are kinds.
        num_bins: Bins of a continuous column.

    >>> lengths = Data(edge_attr=torch.arange(8.0).reshape(-1, 1))
    >>> edge_cuts([lengths], max_values=4, num_bins=4), edge_cuts([lengths], max_values=8, num_bins=4)
    (((1.5, 3.5, 5.5),), ())
    """
    columns: list[tuple[Floats, Ints]] = []
    remaining = iter(graphs)
    while chunk := list(islice(remaining, _CHUNK)):
        rows = [graph.edge_attr.detach().cpu() for graph in chunk if graph.edge_attr is not None and graph.num_edges]
        if not rows:
            continue
        if not rows[0].is_floating_point():
            return ()
        joined = torch.cat([row.reshape(row.size(0), -1) for row in rows]).double().numpy()
        counted = [np.unique(column, return_counts=True) for column in joined.T]
        columns = [_added(one, other) for one, other in zip(columns, counted, strict=True)] if columns else counted
    cuts = tuple(bin_cuts(*column, num_bins) if column[0].size > max_values else () for column in columns)
    return cuts if any(cuts) else ()


def _added(one: tuple[Floats, Ints], other: tuple[Floats, Ints]) -> tuple[Floats, Ints]:
    """Different values and how often each occurs, of two lots."""
    values, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.zeros(values.size, np.int64)
    np.add.at(counts, place, np.concatenate([one[1], other[1]]))
    return values, counts
