"""What every explainer returns: prototypes of a class, with the evidence behind them."""

import math
from collections.abc import Iterator, Mapping, Sequence
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
        stopped: Why it ended: ``"full"``, ``"exhausted"``, ``"dead end"`` or ``"max_iterations"``; ``"consensus"``
            for a session of that search, which always runs to its end.
        num_iterations: Steps made; parts weighed, in a session of the consensus search.
        is_exact: Whether the start and all steps, or the consensus, are proven to be the best ones.
    """

    start: tuple[int, ...]
    probability: float
    margin: float
    size: int
    source: int
    stopped: str
    num_iterations: int
    is_exact: bool = True


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """How a prototype is borne out by the graphs it was found in and the model's predictions for all of them.

    Attributes:
        num_in_class: How many of the graphs predicted as the class contain the prototype.
        num_class: How many graphs are predicted as the class.
        num_elsewhere: How many of the graphs predicted as another class contain it.
        num_others: How many graphs are predicted as another class.
        num_in_cluster: How many of the graphs of its cluster contain it.
        information: What knowing whether a graph contains it tells about whether the graph is of its cluster or of
            another class, in bits: 1 if everything, 0 where no graph is predicted as another class.
        node_sources: In how many of the k sources each node is found.
        edge_sources: In how many of the k sources each of :attr:`Prototype.edges` is found.
        node_graphs: In how many of ``num_looked_at`` graphs of the cluster each node is found: as a part of the largest
            connected part of the prototype that lies there; empty for a walk.
        edge_graphs: The same of each edge.
        num_looked_at: How many graphs of the cluster were searched for that.
        contributions: What each node adds to the class margin in its source graphs, the mean over its k counterparts;
            empty where it is not known.
        contribution_share: Share of its sources' contributions that its nodes have; ``None`` where it is not known.
        steps: What led to it, a sentence a step.
    """

    num_in_class: int
    num_class: int
    num_elsewhere: int
    num_others: int
    num_in_cluster: int
    information: float
    node_sources: tuple[int, ...] = ()
    edge_sources: tuple[int, ...] = ()
    node_graphs: tuple[int, ...] = ()
    edge_graphs: tuple[int, ...] = ()
    num_looked_at: int = 0
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()

    @property
    def support(self) -> float:
        """Share of the graphs predicted as the class that contain it; NaN where there are none."""
        return self.num_in_class / self.num_class if self.num_class else math.nan

    @property
    def support_elsewhere(self) -> float:
        """Share of the graphs predicted as another class that contain it; NaN where there are none."""
        return self.num_elsewhere / self.num_others if self.num_others else math.nan


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
        evidence: In how many graphs it is found, as a whole and node by node; ``None`` where it was not counted.
        num_clusters: How many clusters its class has; ``None`` where it was not found by clusters.
        feature_names: Names of the columns of ``x``; empty where the data has no names.
        edge_names: Names of the columns of ``edge_attr``; empty where the data has no names.
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
    evidence: Evidence | None = None
    num_clusters: int | None = None
    feature_names: tuple[str, ...] = ()
    edge_names: tuple[str, ...] = ()

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self.graph.num_nodes or 0)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges, self-loops included."""
        source, target = self.graph.edge_index
        return int((source <= target).sum())

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The undirected edges between different nodes, each once, in ascending order."""
        return sorted({(min(u, v), max(u, v)) for u, v in self.graph.edge_index.T.tolist() if u != v})

    def describe(self) -> str:
        """Say in plain words what it is and how strong the evidence for it is."""
        from protograph.explanation.describing import describe

        return describe(self)

    @property
    def smiles(self) -> str:
        """Canonical SMILES of a prototype of molecules, a fragment of one; see :meth:`to_rdkit`."""
        from protograph.molecules.writing import to_smiles

        return to_smiles(self.to_rdkit())

    def to_rdkit(self) -> Any:
        """The prototype as a molecule of RDKit; see :func:`protograph.molecules.writing.to_rdkit`.

        Raises:
            ValueError: If the data set's ``feature_names`` are not symbols of atoms.
            ImportError: If RDKit is not installed.
        """
        from protograph.molecules.writing import to_rdkit

        return to_rdkit(self.graph, self.feature_names, self.edge_names)

    def to_networkx(self) -> Any:
        """The prototype as an undirected :class:`networkx.Graph`.

        A node has ``feature``, the name of its column of ``x``, where rows are one-hot and have names, else ``x``, its
        row as a tuple; edges likewise ``bond`` or ``edge_attr``. Nodes have ``charge`` where the graph has it.
        """
        import networkx

        graph = self.graph
        result = networkx.Graph()
        nodes = _named_rows(graph.x, self.feature_names, "feature", "x", self.num_nodes)
        charges = _named_rows(graph.get("charge"), (), "", "charge", self.num_nodes)
        for node, (attributes, charge) in enumerate(zip(nodes, charges, strict=True)):
            result.add_node(node, **attributes, **charge)
        pairs = graph.edge_index.T.tolist()
        edges = _named_rows(graph.edge_attr, self.edge_names, "bond", "edge_attr", len(pairs))
        result.add_edges_from((u, v, attributes) for (u, v), attributes in zip(pairs, edges, strict=True))
        return result

    def __repr__(self) -> str:
        return f"Prototype({self.num_nodes} nodes, {self.num_edges} edges, probability={self.probability:.4f})"


def _named_rows(values: Any, names: Sequence[str], named: str, plain: str, count: int) -> list[dict[str, Any]]:
    """Each row of a tensor as an attribute: the name of its one column, or the row itself; none without a tensor."""
    if not isinstance(values, Tensor):
        return [{} for _ in range(count)]
    has_names = values.dim() == 2 and values.size(1) == len(names) > 0
    if has_names and ((values == 0) | (values == 1)).all() and (values.sum(dim=1) == 1).all():
        return [{named: names[column]} for column in values.argmax(dim=1).tolist()]
    return [{plain: tuple(row) if isinstance(row, list) else row} for row in values.tolist()]


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
        prototypes: Best first: by the class margin. They get the names of the columns.
        explainer: Name of the explainer.
        options: Its options.
        source_graphs: The graphs that prototypes were cut from or matched with, by index.
        num_graphs: How many graphs were looked at.
        num_predicted: How many of them the model predicts as ``target``.
        class_names: Names of all classes; their numbers where the data has no names.
        feature_names: Names of the columns of ``x``; empty where the data has no names.
        feature_colors: Colours of the columns of ``x``; empty where the data has none.
        edge_names: Names of the columns of ``edge_attr``; empty where the data has no names.
        confusion: ``confusion[i][j]`` graphs of class i are predicted as class j; ``None`` without labels.
        embedding_map: The class's graphs in two dimensions, ``None`` where the explainer has no use for it.
        model_calls: How many graphs the model was shown, those of ``fit`` included; ``None`` where it was not counted.
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
    edge_names: tuple[str, ...] = ()
    confusion: tuple[tuple[int, ...], ...] | None = None
    embedding_map: EmbeddingMap | None = None
    model_calls: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Known once for all prototypes; each can then be turned into a molecule by itself. Set on the objects, not on
        # copies: a prototype is found in its explanation by identity.
        for prototype in self.prototypes:
            object.__setattr__(prototype, "feature_names", self.feature_names)
            object.__setattr__(prototype, "edge_names", self.edge_names)

    @property
    def class_name(self) -> str:
        """Name of the target class."""
        return self.class_names[self.target]

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search before its time; a note among ``warnings`` says when."""
        return any(note.startswith("interrupted ") for note in self.warnings)

    def __repr__(self) -> str:
        return f"Explanation(target={self.target}, {len(self.prototypes)} prototypes)"

    def summary(self) -> str:
        """Say in a few lines what was found."""
        from protograph.explanation.summary import summary_of_class

        return summary_of_class(self)

    def plot(self, path: str | PathLike[str] | None = None) -> None:
        """Draw each prototype beside the graph it was cut from.

        Args:
            path: Where to save the picture, PNG, SVG or PDF by its ending; ``None`` shows it.
        """
        from protograph.report.figure import plot

        plot([self], path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file."""
        from protograph.report.report import write_report

        write_report([self], path)

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`."""
        from protograph.explanation.storage import save

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
        from protograph.report.figure import plot

        plot(list(self.values()), path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file on all classes."""
        from protograph.report.report import write_report

        write_report(list(self.values()), path)

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`."""
        from protograph.explanation.storage import save

        save(self, path)
