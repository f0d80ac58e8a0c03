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

from protograph._utils.arrays import Bools, Ints
from protograph._utils.words import clean_name
from protograph.graphs.names import ColumnNames, ValueNames
from protograph.graphs.origins import Origin, origins_of
from protograph.models.predictions import class_of
from protograph.molecules.read import read_edge_names, read_feature_names

Indices = slice | Sequence[int] | Tensor | NDArray[np.integer] | Bools


class LazyGraphs(Sequence[Data]):
    """A sequence whose graphs are made anew each time, from what ``make`` holds; what is done to one is not kept.

    A slice, or an array of positions, gives a sequence of those graphs, which are not made yet either.

    Args:
        make: Makes the graph at a position of the whole data set, counted from 0.
        labels: Label of each graph of the whole data set.
        positions: Which graphs of the whole these are, in their order; all of them if ``None``.

    >>> graphs = LazyGraphs(lambda position: Data(num_nodes=position), Tensor([0, 1, 1]))
    >>> graphs[np.array([2, 1])][0].num_nodes, graphs[::-1].labels
    (2, tensor([1., 1., 0.]))
    """

    def __init__(self, make: Callable[[int], Data], labels: Tensor, positions: Ints | None = None) -> None:
        self._make, self._all_labels = make, labels
        # Not a tensor: an entry of an array is read ten times as fast.
        self._positions = np.arange(len(labels)) if positions is None else positions

    @property
    def labels(self) -> Tensor:
        """Label of each graph, without making the graphs."""
        return self._all_labels[self._positions.copy()]

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, index: Any) -> Any:
        chosen = self._positions[index]
        if chosen.ndim == 0:
            return self._make(int(chosen))
        return LazyGraphs(self._make, self._all_labels, chosen)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GraphDataset(Sequence[Data]):
    """Graphs of one data set, and what is known of it.

    An integer gives a graph; a slice, or a list, array or tensor of integers or booleans, gives a data set
    of those graphs with the same facts.

    Attributes:
        graphs: The graphs; :class:`LazyGraphs` stay as they are, also in a selection.
        name: Name under which the data set is loaded.
        class_names: A name for each class; empty where they have none.
        feature_names: A name for each column of ``x``, or any other form that :meth:`protograph.PAGE.fit` takes; what
            it says of values goes to ``feature_values``.
        feature_values: Names of the values of columns of whole numbers, by column and value.
        edge_names: The same for ``edge_attr``, such as a molecule's types of bonds.
        edge_values: Names of the values of columns of whole numbers, by column and value.
        colors: A colour (``#RRGGBB``) for each column of ``x``, or each value of the first column whose values have
            names; without, pictures choose some. What has the empty text does not count for what a node looks like.
        ground_truths: The graphs that decide a class, for the classes that have such.
        licence: Terms of the data.
        source: Where the data come from.
        hidden: Widths of the layers of the paper's GCN for this data set.
        splits: Published splits: positions of the graphs in each part. A selection keeps those of its own graphs.
        paper_split: How the paper splits this data set: at random, 90 % to train on, 5 % to validate and 5 % to test,
            or as published.
        origins: Where each graph came from; by default its place among the graphs. A selection keeps those of its own.

    >>> graphs = [Data(y=torch.tensor([label])) for label in (0, 1, 1)]
    >>> dataset = GraphDataset(graphs=graphs, name="mine", class_names=("no", "yes"))
    >>> dataset[dataset.labels == 1]
    GraphDataset('mine', 2 graphs: 0 no, 2 yes)
    """

    graphs: Sequence[Data]
    name: str
    class_names: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = ()
    feature_values: ValueNames = field(default_factory=dict)
    edge_names: tuple[str, ...] = ()
    edge_values: ValueNames = field(default_factory=dict)
    colors: tuple[str, ...] = ()
    ground_truths: Mapping[int, tuple[Data, ...]] = field(default_factory=dict)
    licence: str = "unknown"
    source: str = "unknown"
    hidden: tuple[int, ...] = (32, 32, 32)
    splits: Mapping[str, Tensor] = field(default_factory=dict)
    paper_split: Literal["random", "published"] = "random"
    origins: Sequence[Origin] | None = None

    def __post_init__(self) -> None:
        if self.origins is None or len(self.origins) != len(self.graphs):
            object.__setattr__(self, "origins", origins_of(self.graphs, len(self.graphs)))
        if not isinstance(self.graphs, LazyGraphs):
            object.__setattr__(self, "graphs", tuple(self.graphs))
        classes: Any = self.class_names
        if isinstance(classes, str) or not isinstance(classes, Sequence):
            raise TypeError(f"class_names must be a list of names, got {classes!r}")
        object.__setattr__(self, "class_names", tuple(map(str, classes)))
        # Graphs need not have labels.
        is_lazy = isinstance(self.graphs, LazyGraphs)
        labels = self.labels.tolist() if is_lazy else [class_of(graph.get("y")) for graph in self.graphs]
        largest = max((label for label in labels if label is not None), default=-1) if classes else -1
        if classes and largest >= len(classes):
            raise ValueError(
                f"class_names must have a name for each class, got {len(classes)} ({', '.join(self.class_names)}) "
                f"where a graph has the label {largest}"
            )
        # Names are brought into one form, and must fit the graphs, where there are any.
        first = self.graphs[0] if len(self.graphs) and (self.feature_names or self.edge_names) else None
        for key, read, column in (("feature", read_feature_names, "x"), ("edge", read_edge_names, "edge_attr")):
            if first is not None:
                given, values = getattr(self, f"{key}_names"), getattr(self, f"{key}_values")
                found = read(ColumnNames(tuple(given), values) if values else given, first.get(column))
                object.__setattr__(self, f"{key}_names", found.columns)
                object.__setattr__(self, f"{key}_values", found.values)
        names = ColumnNames(self.feature_names, self.feature_values).kinds
        if self.colors and len(self.colors) != len(names):
            raise ValueError(
                f"colors must have one colour for each of the {len(names)} feature names, got {len(self.colors)}"
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
        if isinstance(index, int):  # what reading all graphs one by one asks for
            return self.graphs[index]
        wanted: Any = index.numpy(force=True) if isinstance(index, Tensor) else index
        if not isinstance(index, slice):
            wanted = np.asarray(wanted)
            wanted = wanted if wanted.size else wanted.astype(np.int64)
        positions = np.arange(len(self))[wanted]
        if positions.ndim == 0:
            return self.graphs[int(positions)]
        graphs = self.graphs[positions] if isinstance(self.graphs, LazyGraphs) else [self.graphs[i] for i in positions]
        splits = {
            part: torch.isin(torch.from_numpy(positions.copy()), chosen).nonzero().flatten()
            for part, chosen in self.splits.items()
        }
        origins = None if self.origins is None else [self.origins[place] for place in positions]
        return replace(self, graphs=graphs, splits=splits, origins=origins)

    def __iter__(self) -> Iterator[Data]:
        return iter(self.graphs)

    def __repr__(self) -> str:
        counts = Counter(self.labels.tolist())
        names = self.class_names or [f"of class {label}" for label in range(max(counts, default=-1) + 1)]
        classes = ", ".join(f"{counts[label]} {clean_name(name)}" for label, name in enumerate(names))
        return f"GraphDataset({clean_name(self.name)!r}, {len(self)} graphs: {classes})"
