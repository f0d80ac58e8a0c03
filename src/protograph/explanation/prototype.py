"""A prototype: a small graph that stands for a class, with all that is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph._base.words import count_of
from protograph.explanation.codec import UnfitError, are_whole, unfit
from protograph.explanation.evidence import Evidence, Session
from protograph.molecules.writing import to_rdkit, to_smiles


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

    def __post_init__(self) -> None:
        if self.nodes is not None and len(self.nodes) != self.num_nodes:
            raise unfit("nodes", f"a list of {self.num_nodes}, one for each node of graph", self.nodes)
        if self.matches is not None:
            self._check_matches(self.matches)
        if self.evidence is not None:
            self._check_sizes(self.evidence)

    def _check_matches(self, matches: Tensor) -> None:
        if matches.dim() != 2 or not are_whole(matches):
            raise UnfitError("matches must be whole numbers of shape [num_nodes, num_sources], got others")
        wanted = [self.num_nodes, matches.size(1) if self.sources is None else len(self.sources)]
        if list(matches.shape) != wanted:
            raise unfit("matches.shape", f"{wanted}, nodes by sources", list(matches.shape))

    def _check_sizes(self, evidence: Evidence) -> None:
        """Raise unless there is a figure for each node and edge, where there are any."""
        nodes, edges = (self.num_nodes, "node"), (len(self.edges), "edge between different nodes")
        sizes = {"node_sources": nodes, "node_graphs": nodes, "contributions": nodes}
        for name, (size, what) in (sizes | {"edge_sources": edges, "edge_graphs": edges}).items():
            figures = getattr(evidence, name)
            if len(figures) not in (0, size):
                wanted = f"empty or a list of {size}, one for each {what} of graph"
                raise unfit(f"evidence.{name}", wanted, figures)

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

    def describe(self, class_name: str | None = None, *, colors: Sequence[str] = ()) -> str:
        """Say in plain words what it is and how strong the evidence for it is; what is not known is left out.

        Args:
            class_name: Name or number of its class; ``None`` says "its class".
            colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.

        >>> import torch
        >>> ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
        >>> graph = Data(x=torch.eye(2)[[0] * 6], edge_index=ring)
        >>> evidence = Evidence(num_in_class=97, num_class=100, num_elsewhere=2, num_others=1000, num_in_cluster=60,
        ...                     information=0.9)
        >>> prototype = Prototype(graph=graph, probability=0.998, margin=6.2, cluster=0, num_clusters=2,
        ...                       cluster_size=3120, evidence=evidence, feature_names=("C", "O"))
        >>> prototype.describe("1").split("; ")[:2]
        ['six carbons in a ring', 'found in 97% of the graphs predicted as class 1 and in 0.2% of the others']
        >>> prototype.describe().split("; ")[2:]
        ['p = 0.998', 'cluster 1 of 2, 3,120 graphs']
        """
        # Imported on first use, since it loads networkx and Numba.
        from protograph.explanation.describing import sentences

        parts = [
            sentences.name_of(self.graph, self.feature_names, self.edge_names, colors=colors),
            sentences.where_found(self.evidence, class_name),
            sentences.chance(self.probability),
            sentences.cluster_of(self.cluster, self.num_clusters, self.cluster_size),
        ]
        return "; ".join(part for part in parts if part)

    @property
    def smiles(self) -> str:
        """Canonical SMILES of a prototype of molecules, a fragment of one; see :meth:`to_rdkit`."""
        return to_smiles(self.to_rdkit())

    def to_rdkit(self) -> Any:
        """The prototype as a molecule of RDKit; see :func:`protograph.molecules.writing.to_rdkit`.

        Raises:
            ValueError: If the data set's ``feature_names`` are not symbols of atoms.
            ImportError: If RDKit is not installed.
        """
        return to_rdkit(self.graph, self.feature_names, self.edge_names)

    def to_networkx(self) -> Any:
        """The prototype as an undirected :class:`networkx.Graph`.

        A node has ``feature``, the name of its column of ``x``, where rows are one-hot and have names, else ``x``, its
        row as a tuple; edges likewise ``bond`` or ``edge_attr``. Nodes have ``charge`` where the graph has it.
        """
        import networkx

        graph = self.graph
        nodes = _named_rows(graph.x, self.feature_names, "feature", "x", self.num_nodes)
        charges = _named_rows(graph.get("charge"), (), "", "charge", self.num_nodes)
        result = networkx.Graph()
        result.add_nodes_from(enumerate(node | charge for node, charge in zip(nodes, charges, strict=True)))
        pairs = graph.edge_index.T.tolist()
        edges = _named_rows(graph.edge_attr, self.edge_names, "bond", "edge_attr", len(pairs))
        result.add_edges_from((u, v, attributes) for (u, v), attributes in zip(pairs, edges, strict=True))
        return result

    def __repr__(self) -> str:
        size = f"{count_of(self.num_nodes, 'node')}, {count_of(self.num_edges, 'edge')}"
        return f"Prototype({size}, probability={self.probability:.4f})"


def _named_rows(values: Any, names: Sequence[str], named: str, plain: str, number: int) -> list[dict[str, Any]]:
    """Each row of a tensor as an attribute: the name of its one column, or the row itself; none without a tensor."""
    if not isinstance(values, Tensor):
        return [{} for _ in range(number)]
    has_names = values.dim() == 2 and values.size(1) == len(names) > 0
    if has_names and ((values == 0) | (values == 1)).all() and (values.sum(dim=1) == 1).all():
        return [{named: names[column]} for column in values.argmax(dim=1).tolist()]
    return [{plain: tuple(row) if isinstance(row, list) else row} for row in values.tolist()]
