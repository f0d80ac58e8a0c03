"""PyG's ``InMemoryDataset``, read from the tensors that it keeps of all graphs end to end."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data, InMemoryDataset

from protograph._base.arrays import Ints
from protograph.graphs.joining import (
    INDEX_TYPES,
    OF_EDGES,
    OF_NODES,
    OTHERS_OF_NODES,
    GraphChunk,
    JoinedGraphs,
)
from protograph.graphs.shards import GraphRange


class InMemoryGraphs:
    """The graphs of a data set, as they are laid end to end there.

    Args:
        dataset: The data set; what :func:`is_laid_out` says yes to.
    """

    def __init__(self, dataset: InMemoryDataset) -> None:
        self._dataset: Any = dataset
        self._content: dict[str, Any] = dataset._data.to_dict()
        self._used = [key for key in (*OF_NODES, *OF_EDGES, "edge_index") if key in self._content]
        self._places: Sequence[int] = dataset.indices()

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Data:
        graph: Data = self._dataset[index]
        return graph

    def chunk(self, first: int, last: int) -> Sequence[Data]:
        """Graphs from ``first`` up to ``last``, laid end to end where they lie so in the data set."""
        lazy, places = GraphRange(self._dataset, first, last), self._places[first:last]
        begin = places[0]
        if not _are_neighbours(places):
            return lazy
        together = self._together(begin, begin + len(places))
        return lazy if together is None else GraphChunk(lazy, together, self._labels(begin, begin + len(places)))

    def _starts(self, key: str, first: int, last: int) -> Ints:
        starts: Ints = np.asarray(self._dataset.slices[key][first : last + 1])
        return starts

    def _rows(self, key: str, first: int, last: int) -> Tensor:
        starts = self._dataset.slices[key]
        begin, end = int(starts[first]), int(starts[last])
        values: Tensor = self._content[key]
        return values.narrow(1 if key == "edge_index" else 0, begin, end - begin)

    def _together(self, first: int, last: int) -> JoinedGraphs | None:
        lengths = {key: np.diff(self._starts(key, first, last)) for key in self._used}
        counts, sizes = lengths.pop("edge_index"), lengths["x"]
        if any(not np.array_equal(own, counts if key in OF_EDGES else sizes) for key, own in lengths.items()):
            return None
        return JoinedGraphs(sizes, counts, {key: self._rows(key, first, last) for key in self._used})

    def _labels(self, first: int, last: int) -> Ints | None:
        y = self._content.get("y")
        if not isinstance(y, Tensor) or y.dim() != 1 or y.dtype not in INDEX_TYPES or "y" not in self._dataset.slices:
            return None
        if (np.diff(self._starts("y", first, last)) != 1).any():
            return None
        labels: Ints = self._rows("y", first, last).cpu().numpy().astype(np.int64)
        return labels


def _are_neighbours(places: Sequence[int]) -> bool:
    if isinstance(places, range):
        return places.step == 1
    return bool((np.diff(places) == 1).all())


def is_laid_out(graphs: Any) -> bool:
    """Whether graphs are an ``InMemoryDataset`` of plain tensors, with features, that it gives out as they are."""
    if not isinstance(graphs, InMemoryDataset) or graphs.transform is not None or not isinstance(graphs.slices, dict):
        return False
    if type(graphs._data) is not Data:
        return False
    content = graphs._data.to_dict()
    used = [key for key in (*OF_NODES, *OF_EDGES, "edge_index") if key in content]
    if not {"x", "edge_index"} <= set(used) or content.keys() & (OTHERS_OF_NODES | {"num_nodes"}):
        return False
    if any(key not in graphs.slices or type(content[key]) is not Tensor for key in used):
        return False
    edges = content["edge_index"]
    are_plain = all(content[key].layout is torch.strided and content[key].dim() > 0 for key in used)
    return are_plain and edges.dim() == 2 and edges.size(0) == 2 and edges.dtype in INDEX_TYPES
