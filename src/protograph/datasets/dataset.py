"""A sequence of graphs that also knows its names, colours and ground truths."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Arrays, Bools, Ints

Indices = slice | Sequence[int] | Tensor | NDArray[np.integer] | Bools


class LazyGraphs(Sequence[Data]):
    """A sequence whose graphs are made anew each time, from what ``make`` holds; what is done to one is not kept.

    A slice, or an array of positions, gives a sequence of those graphs, which are not made yet either.

    Args:
        make: Makes the graph at a position of the whole data set, counted from 0.
        labels: Label of each graph of the whole data set.
        positions: Which graphs of the whole these are, in their order; all of them if ``None``.
        made_from: All that ``make`` makes the graphs of the whole from, so that it can stand for them.

    >>> graphs = LazyGraphs(lambda position: Data(num_nodes=position), Tensor([0, 1, 1]))
    >>> graphs[np.array([2, 1])][0].num_nodes, graphs[::-1].labels
    (2, tensor([1., 1., 0.]))
    """

    def __init__(
        self,
        make: Callable[[int], Data],
        labels: Tensor,
        positions: Ints | None = None,
        made_from: Arrays | None = None,
    ) -> None:
        self._make = make
        self._made_from = made_from
        self._all_labels = labels
        # Not a tensor: an entry of an array is read ten times as fast.
        self._positions = np.arange(len(labels)) if positions is None else positions

    @property
    def labels(self) -> Tensor:
        """Label of each graph, without making the graphs."""
        return self._all_labels[self._positions.copy()]

    @property
    def content(self) -> Any:
        """What stands for all graphs, without making them: what they are made from, or else the sequence itself."""
        return self if self._made_from is None else (self._made_from, self._all_labels, self._positions)

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: Any) -> Any:
        chosen = self._positions[index]
        if chosen.ndim == 0:
            return self._make(int(chosen))
        return LazyGraphs(self._make, self._all_labels, chosen, self._made_from)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GraphDataset(Sequence[Data]):
    """Graphs of one data set, and what is known of it.

    An integer gives a graph; a slice, or a list, array or tensor of integers or booleans, gives a data set
    of those graphs with the same facts.

    Attributes:
        graphs: The graphs; :class:`LazyGraphs` stay as they are, also in a selection.
        name: Name under which the data set is loaded.
        class_names: A name for each class.
        feature_names: A name for each column of ``x``.
        edge_names: A name for each column of ``edge_attr``, such as a molecule's types of bonds.
        colors: A colour (``#RRGGBB``) for each column of ``x``; without, pictures choose some. A column
            with the empty text does not count for what a node looks like.
        ground_truths: The graphs that decide a class, for the classes that have such.
        licence: Terms of the data.
        source: Where the data come from.
        hidden: Widths of the layers of the paper's GCN for this data set.
        splits: Published splits: positions of the graphs in each part. A selection keeps those of its own graphs.
        paper_split: How the paper splits this data set: at random, 90 % to train on, 5 % to validate and 5 % to test,
            or as published.

    >>> graphs = [Data(y=torch.tensor([label])) for label in (0, 1, 1)]
    >>> dataset = GraphDataset(graphs=graphs, name="mine", class_names=("no", "yes"))
    >>> dataset[dataset.labels == 1]
    GraphDataset('mine', 2 graphs: 0 no, 2 yes)
    """

    graphs: Sequence[Data]
    name: str
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    edge_names: tuple[str, ...] = ()
    colors: tuple[str, ...] = ()
    ground_truths: Mapping[int, tuple[Data, ...]] = field(default_factory=dict)
    licence: str = "unknown"
    source: str = "unknown"
    hidden: tuple[int, ...] = (32, 32, 32)
    splits: Mapping[str, Tensor] = field(default_factory=dict)
    paper_split: Literal["random", "published"] = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.graphs, LazyGraphs):
            object.__setattr__(self, "graphs", tuple(self.graphs))
        if self.colors and len(self.colors) != len(self.feature_names):
            raise ValueError(
                f"colors must have one colour for each of the {len(self.feature_names)} feature names, "
                f"got {len(self.colors)}"
            )
        for part, index in self.splits.items():
            if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < len(self):
                raise ValueError(
                    f"splits must have positions in [0, {len(self)}), got {int(index.min())} to {int(index.max())} "
                    f"in {part!r}"
                )

    @property
    def labels(self) -> Tensor:
        """Label of each graph, an integer tensor of shape ``[num_graphs]``."""
        if isinstance(self.graphs, LazyGraphs):
            return self.graphs.labels
        return torch.tensor([int(graph.y) for graph in self.graphs], dtype=torch.long)

    def __len__(self) -> int:
        return len(self.graphs)

    @overload
    def __getitem__(self, index: int) -> Data: ...
    @overload
    def __getitem__(self, index: Indices) -> "GraphDataset": ...
    def __getitem__(self, index: int | Indices) -> "Data | GraphDataset":
        wanted = index if isinstance(index, slice) else self._checked(index)
        if not isinstance(wanted, slice) and wanted.ndim == 0:
            return self.graphs[wanted.item()]
        positions = np.ascontiguousarray(np.arange(len(self))[wanted])
        graphs = self.graphs[positions] if isinstance(self.graphs, LazyGraphs) else [self.graphs[i] for i in positions]
        splits = {
            part: torch.isin(torch.from_numpy(positions), chosen).nonzero().flatten()
            for part, chosen in self.splits.items()
        }
        return replace(self, graphs=graphs, splits=splits)

    def __iter__(self) -> Iterator[Data]:
        return iter(self.graphs)

    def _checked(self, index: Any) -> NDArray[Any]:
        """An index as an array of integers or booleans; whether it fits the graphs is for numpy to say."""
        array = index.numpy(force=True) if isinstance(index, Tensor) else np.asarray(index)
        if array.size == 0:
            return np.empty(0, dtype=np.int64)
        if array.ndim > 1 or array.dtype.kind not in "iub":
            raise TypeError(
                f"index must be an integer, a slice, or one dimension of integers or booleans, "
                f"got {array.ndim} dimension(s) of {array.dtype}"
            )
        return array

    def __repr__(self) -> str:
        counts = Counter(self.labels.tolist())
        classes = ", ".join(f"{counts[label]} {name}" for label, name in enumerate(self.class_names))
        return f"GraphDataset({self.name!r}, {len(self)} graphs: {classes})"
