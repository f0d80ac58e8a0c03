"""A prototype: a small graph that stands for a class, with all that is known of it, and how to look for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.words import clean_name, count_of
from protograph.explanation.io import are_whole, unfit
from protograph.explanation.pattern import Pattern, check_parts
from protograph.explanation.rule import Support
from protograph.graphs.conditions import Reading
from protograph.graphs.elements import are_atoms
from protograph.graphs.named_graph import NamedGraph, named_graph
from protograph.graphs.names import ColumnNames, ValueNames, by_frequency, node_columns
from protograph.molecules.functional_groups import NamedPart
from protograph.molecules.read import parse
from protograph.molecules.write import to_rdkit, to_smiles


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
class Evidence(Support):
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
        num_undecided: Of how many graphs it could not be decided whether they contain it; they count as without.
        contributions: What each node adds to the class margin in its source graphs, the mean over its k counterparts;
            empty where it is not known.
        contribution_share: Share that its nodes have in the contributions of all nodes of its source graphs; ``None``
            where it is not known.
        steps: What led to it, a sentence a step.
    """

    num_in_cluster: int
    information: float
    node_sources: tuple[int, ...] = ()
    edge_sources: tuple[int, ...] = ()
    node_graphs: tuple[int, ...] = ()
    edge_graphs: tuple[int, ...] = ()
    num_looked_at: int = 0
    num_undecided: int = 0
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("node_graphs", "edge_graphs"):
            counts = getattr(self, name)
            if counts and not 0 <= min(counts) <= max(counts) <= self.num_looked_at:
                raise unfit(name, f"in [0, {self.num_looked_at}], which is num_looked_at", counts)

    @property
    def support(self) -> float:
        """Share of the graphs predicted as the class that contain it; NaN where there are none."""
        return self.share

    @property
    def support_elsewhere(self) -> float:
        """Share of the graphs predicted as another class that contain it; NaN where there are none."""
        return self.share_elsewhere


@dataclass(frozen=True, kw_only=True)
class TakenOut:
    """What the model makes of a graph, and of the same graph without the nodes of a pattern.

    Attributes:
        index: The graph.
        nodes: Its nodes that were taken out.
        margin: The log-odds of the class for the whole graph.
        margin_without: The same for what is left of it.
    """

    index: int
    nodes: tuple[int, ...]
    margin: float
    margin_without: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NextBest:
    """A pattern that a session of the search came to, and that was not taken as the prototype.

    Attributes:
        graph: The pattern.
        probability: The model's probability of the class for it.
        margin: The log-odds of the class for it.
    """

    graph: Data
    probability: float
    margin: float


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
        feature_values: Names of the values of columns of whole numbers, by column and value.
        edge_names: Names of the columns of ``edge_attr``; empty where the data has no names.
        edge_values: Names of the values of columns of whole numbers, by column and value.
        edge_rule: What edges were told apart by when it was matched and counted.
        node_rule: The same of nodes.
        pattern: What is asked of its nodes and edges, no more than it takes to be in the same graphs; ``None`` where
            no conditions can say it.
        target: The class that it is a prototype of; ``None`` where that is not known.
        predicted: The class that the model takes it for by itself; ``None`` where that is not known.
        next_best: Other patterns that sessions came to, best first; empty where they are not kept.
        named_parts: Its functional groups and rings, by names that hold in every molecule that it is counted in.
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
    feature_values: ValueNames = field(default_factory=dict)
    edge_names: tuple[str, ...] = ()
    edge_values: ValueNames = field(default_factory=dict)
    edge_rule: Reading = field(default_factory=Reading)
    node_rule: Reading = field(default_factory=lambda: Reading(rows="x"))
    pattern: Pattern | None = None
    target: int | None = None
    predicted: int | None = None
    next_best: tuple[NextBest, ...] = ()
    named_parts: tuple[NamedPart, ...] = ()

    def __post_init__(self) -> None:
        if self.nodes is not None and len(self.nodes) != self.num_nodes:
            raise unfit("nodes", f"a list of {self.num_nodes}, one for each node of graph", self.nodes)
        if self.matches is not None:
            columns = self.matches.shape[1:] if self.sources is None else (len(self.sources),)
            if self.matches.shape != (self.num_nodes, *columns) or len(columns) != 1 or not are_whole(self.matches):
                wanted = f"whole numbers of shape [{self.num_nodes}, number of sources]"
                raise unfit("matches", wanted, f"{self.matches.dtype} of shape {list(self.matches.shape)}")
        check_parts(self.named_parts, self.num_nodes)
        for name in ("node_sources", "node_graphs", "contributions", "edge_sources", "edge_graphs"):
            size = len(self.edges) if name.startswith("edge") else self.num_nodes
            figures = () if self.evidence is None else getattr(self.evidence, name)
            if len(figures) not in (0, size):
                raise unfit(f"evidence.{name}", f"empty or a list of {size}, as graph has", figures)

    @property
    def named(self) -> NamedGraph:
        """The graph as names tell it, one-hot; without names by what nodes are told apart by."""
        features = ColumnNames(self.feature_names, self.feature_values)
        return named_graph(self.graph, features, ColumnNames(self.edge_names, self.edge_values), self.node_rule)

    @property
    def indices(self) -> set[int]:
        """Indices of all graphs that it speaks of."""
        source = () if self.source is None else (self.source,)
        return {*(self.sources or ()), *source, *(session.source for session in self.sessions)}

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self.graph.num_nodes or 0)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges, self-loops included."""
        return len(set(map(frozenset, self.graph.edge_index.T.tolist())))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The undirected edges between different nodes, each once, in ascending order."""
        pairs = [] if self.graph.edge_index is None else self.graph.edge_index.T.tolist()
        return sorted({(min(u, v), max(u, v)) for u, v in pairs if u != v})

    def describe(self, class_name: str | None = None, *, class_names: Sequence[str] = ()) -> str:
        """Say in plain words what it is and how strong the evidence for it is; what is not known is left out.

        It says no more than was counted, of bonds nothing where edges were not matched, of features nothing where nodes
        were not; and no less: what counted and has no words is named in brackets.

        Args:
            class_name: Name or number of its class; ``None`` says "its class".
            class_names: Names of all classes; without, the class that the model takes it for is named by its number.

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
            sentences.what_it_is(self),
            sentences.where_found(self.evidence, class_name),
            sentences.chance(self.probability),
            sentences.taken_for(self, class_names),
            sentences.cluster_of(self.cluster, self.num_clusters, self.cluster_size),
        ]
        return "; ".join(part for part in parts if part)

    @property
    def smiles(self) -> str:
        """Canonical SMILES of a prototype of molecules, a fragment of one.

        Where edges were not matched, its bonds are of no type (``~``) and its atoms without charge, since neither was
        counted; ``Chem.MolToSmiles(prototype.to_rdkit())`` has those of the molecule it was cut from. RDKit may refuse
        to read it again, such as a part of an aromatic ring.

        Raises:
            ValueError: If the data set's ``feature_names`` are not symbols of atoms.
            ImportError: If RDKit is not installed.
        """
        if not self.edge_rule.is_empty:
            return to_smiles(self.to_rdkit())
        graph, feature_names, _ = self.named
        return to_smiles(to_rdkit(Data(x=graph.x, edge_index=graph.edge_index), feature_names))

    @property
    def smarts(self) -> str | None:
        """SMARTS that selects exactly the molecules that it is counted in; ``None`` where there is none.

        Molecules must be as the graphs have them: with the hydrogens that are nodes.
        """
        return None if self.pattern is None else self.pattern.smarts

    def to_rdkit(self) -> Any:
        """The prototype as a molecule of RDKit, with the bonds and charges of the graph that it was cut from.

        See :func:`protograph.molecules.write.to_rdkit`.

        Raises:
            ValueError: If the names of features are not symbols of atoms.
            ImportError: If RDKit is not installed.
        """
        return to_rdkit(*self.named)

    def to_networkx(self) -> Any:
        """The prototype as an undirected :class:`networkx.Graph`.

        A node has ``feature``, the name of its kind, where rows are one-hot or values have names, else ``x``, its row
        as a tuple; edges likewise ``bond`` or ``edge_attr``. Nodes have ``charge`` where the graph has it.
        """
        import networkx

        graph, feature_names, edge_names = self.named
        nodes = _told_rows(graph.x, feature_names, "feature", "x", self.num_nodes)
        charges = _told_rows(graph.get("charge"), (), "", "charge", self.num_nodes)
        result = networkx.Graph()
        result.add_nodes_from(enumerate(node | charge for node, charge in zip(nodes, charges, strict=True)))
        pairs = graph.edge_index.T.tolist()
        edges = _told_rows(graph.edge_attr, edge_names, "bond", "edge_attr", len(pairs))
        result.add_edges_from((u, v, attributes) for (u, v), attributes in zip(pairs, edges, strict=True))
        return result

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.notebook import prototype_html

        return prototype_html(self)

    def __repr__(self) -> str:
        size = f"{count_of(self.num_nodes, 'node')}, {count_of(self.num_edges, 'edge')}"
        return f"Prototype({size}, probability={self.probability:.4f})"


def _told_rows(values: Any, names: Sequence[str], named: str, plain: str, number: int) -> list[dict[str, Any]]:
    """Each row of a tensor as an attribute: the name of its one column, or the row itself; none without a tensor."""
    if not isinstance(values, Tensor):
        return [{} for _ in range(number)]
    has_names = values.dim() == 2 and values.size(1) == len(names) > 0
    if has_names and ((values == 0) | (values == 1)).all() and (values.sum(dim=1) == 1).all():
        return [{named: names[column]} for column in values.argmax(dim=1).tolist()]
    return [{plain: tuple(row) if isinstance(row, list) else row} for row in values.tolist()]


def figures_of(prototype: Prototype, colors: Sequence[str] = (), source: str = "") -> str:
    """Size, composition, probability, margin and source of a prototype, and of molecules how to look for it.

    Args:
        prototype: The prototype.
        colors: Colours of the kinds of nodes; those with the empty text do not count.
        source: What the graph it was cut from is called; by its index if empty.

    >>> import torch
    >>> pair = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    >>> figures_of(Prototype(graph=pair, probability=0.5, margin=0.0, source=7))
    '2 nodes, 1 edge; p = 0.5000, margin 0.00; cut from graph 7'
    """
    size = f"{count_of(prototype.num_nodes, 'node')}, {count_of(prototype.num_edges, 'edge')}"
    composition = describe_composition(prototype.named.graph, prototype.named.feature_names, colors)
    parts = [
        f"{size} ({composition})" if composition else size,
        f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}",
    ]
    if prototype.source is not None:
        parts.append(f"cut from {source or f'graph {prototype.source}'}")
    return "; ".join([*parts, *formulas_of(prototype)])


def formulas_of(prototype: Prototype) -> list[str]:
    """How to look for a prototype of molecules: its SMILES where edges were matched, and its SMARTS."""
    smarts = prototype.smarts
    if smarts is None:
        return []
    # Without types of bonds SMARTS says the same, and exactly what was counted.
    smiles = None if prototype.edge_rule.is_empty else smiles_of(prototype)
    return [*([] if smiles is None else [f"SMILES {smiles}"]), f"SMARTS {smarts}"]


def smiles_of(prototype: Prototype) -> str | None:
    """SMILES of a molecule's fragment; ``None`` where there is none that RDKit reads, or it is not installed."""
    has_bonds = bool(prototype.named.edge_names) or prototype.edge_rule.is_empty
    # Of what is no molecule writing SMILES may take minutes.
    if not has_bonds or not are_atoms(prototype.named.feature_names):
        return None
    try:
        parse(smiles := prototype.smiles)
    except (ImportError, ValueError):
        return None
    return smiles


def describe_composition(graph: Data, feature_names: Sequence[str], colors: Sequence[str] = ()) -> str:
    """Count the nodes of each kind where features are one-hot, most frequent first.

    Columns whose colour is the empty text do not count.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> describe_composition(Data(x=x), ("roof", "wall"))
    '2 wall, 1 roof'
    """
    columns = node_columns(graph, colors)
    if columns is None:
        return ""
    width = graph.x.size(1)
    names = feature_names if len(feature_names) == width else [f"feature {column}" for column in range(width)]
    return ", ".join(f"{number} {clean_name(names[column])}" for column, number in by_frequency(columns))
