"""What every explainer returns: prototypes of a class, with the evidence behind them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data


@dataclass(frozen=True, kw_only=True)
class Session:
    """One search session.

    Attributes:
        start: The tuple of nodes, one in each source graph, that it began with.
        probability: The model's probability of the target class for its best candidate.
        margin: The log-odds of the target class for that candidate.
        size: Number of nodes of that candidate.
        source: Index of the graph that candidate was cut from.
        stopped: Why it ended: ``"full"``, ``"exhausted"``, ``"dead end"`` or ``"max_iterations"``.
        num_iterations: Steps made.
        is_exact: Whether the start and all steps are proven to be the best ones.
    """

    start: tuple[int, ...]
    probability: float
    margin: float
    size: int
    source: int
    stopped: str
    num_iterations: int
    is_exact: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Prototype:
    """A small graph that stands for a class or a part of it.

    Attributes:
        graph: The prototype itself.
        probability: The model's probability of the target class for it (p_GNN of the paper).
        margin: The log-odds of the target class, which still tells graphs apart where the probability is 1.
        cluster: Number of the cluster it stands for, 0 for the largest; ``None`` where it was not found by clusters.
        cluster_size: How many graphs that cluster has.
        sources: Indices of the k representative graphs.
        source: Index of the graph it was cut from.
        nodes: Its nodes there: node ``i`` of ``graph`` is node ``nodes[i]`` of that graph.
        matches: Whole numbers, ``[num_nodes, k]``: the node of each source that corresponds, -1 where none.
        sessions: One record a session of the search.
    """

    graph: Data
    probability: float
    margin: float
    cluster: int | None = None
    cluster_size: int | None = None
    sources: list[int] | None = None
    source: int | None = None
    nodes: list[int] | None = None
    matches: Tensor | None = None
    sessions: list[Session] = field(default_factory=list)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self.graph.num_nodes or 0)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges, self-loops included."""
        source, target = self.graph.edge_index
        return int((source <= target).sum())

    def __repr__(self) -> str:
        return f"Prototype({self.num_nodes} nodes, {self.num_edges} edges, probability={self.probability:.4f})"


@dataclass(frozen=True)
class EmbeddingMap:
    """The graphs predicted as a class in two dimensions: their graph embeddings' principal components.

    Attributes:
        indices: Index of each graph.
        positions: ``[num_graphs, 2]``.
        clusters: Cluster of each graph, -1 where it is in none.
        explained: Share of the variance that each of the two dimensions has.
    """

    indices: tuple[int, ...]
    positions: NDArray[np.float64]
    clusters: tuple[int, ...]
    explained: tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation:
    """Prototypes of one class, best first, and everything needed to judge and show them.

    Attributes:
        target: The class.
        prototypes: Best first: by the class margin.
        explainer: Name of the explainer.
        options: Its options.
        source_graphs: The graphs that prototypes were cut from or matched with, by index.
        num_graphs: How many graphs were looked at.
        num_predicted: How many of them the model predicts as ``target``.
        class_names: Names of all classes; their numbers where the data has no names.
        feature_names: Names of the columns of ``x``; empty where the data has no names.
        feature_colors: Colours of the columns of ``x``; empty where the data has none.
        confusion: ``confusion[i][j]`` graphs of class i are predicted as class j; ``None`` without labels.
        embedding_map: The class's graphs in two dimensions, ``None`` where the explainer has no use for it.
        timings: Seconds that each stage took.
        versions: Versions of the packages that matter.
        warnings: What was done differently from what was asked.
    """

    target: int
    prototypes: list[Prototype]
    explainer: str
    options: Mapping[str, Any]
    source_graphs: Mapping[int, Data] = field(default_factory=dict)
    num_graphs: int
    num_predicted: int
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    feature_colors: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] | None = None
    embedding_map: EmbeddingMap | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """Name of the target class."""
        return self.class_names[self.target]

    def __repr__(self) -> str:
        return f"Explanation(target={self.target}, {len(self.prototypes)} prototypes)"

    def summary(self) -> str:
        """Say in a few lines what was found."""
        from protograph.summary import summary_of_class

        return summary_of_class(self)

    def plot(self, path: str | PathLike[str] | None = None) -> None:
        """Draw each prototype beside the graph it was cut from.

        Args:
            path: Where to save the picture, PNG, SVG or PDF by its ending; ``None`` shows it.
        """
        from protograph.drawing.figure import plot

        plot([self], path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file."""
        from protograph.drawing.report import write_report

        write_report([self], path)

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`."""
        from protograph.storage import save

        save(self, path)


class Explanations(Mapping[int, Explanation]):
    """The explanations of several classes, by class."""

    def __init__(self, items: Mapping[int, Explanation]) -> None:
        self._items = dict(sorted(items.items()))

    def __getitem__(self, target: int) -> Explanation:
        return self._items[target]

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        counts = ", ".join(f"{target}: {len(e.prototypes)} prototypes" for target, e in self._items.items())
        return f"Explanations({{{counts}}})"

    def summary(self) -> str:
        """Say in a few lines for each class what was found."""
        return "\n\n".join(explanation.summary() for explanation in self.values())

    def plot(self, path: str | PathLike[str] | None = None) -> None:
        """Draw the prototypes of all classes; see :meth:`Explanation.plot`."""
        from protograph.drawing.figure import plot

        plot(list(self.values()), path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file on all classes."""
        from protograph.drawing.report import write_report

        write_report(list(self.values()), path)

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`."""
        from protograph.storage import save

        save(self, path)
