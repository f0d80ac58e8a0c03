"""A pattern of a reason: a small graph, and how it must lie in a graph to count as there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph._base.words import count_of
from protograph.explanation.codec import UnfitError, unfit
from protograph.explanation.searched_graphs import SearchedGraphs, as_searched
from protograph.graphs.conditions import EdgeRule, MatchNodes, NodeRule
from protograph.graphs.names import ColumnNames, NamedGraph, ValueNames, named_graph
from protograph.graphs.validate import node_count
from protograph.molecules.functional_groups import NamedPart

PART, INDUCED = "part", "induced"


@dataclass(frozen=True, kw_only=True, eq=False)
class Pattern:
    """A small connected graph that a graph has or lacks.

    Attributes:
        graph: The pattern itself. Without ``x`` nodes of any features will do.
        kind: ``"part"``, or ``"induced"``: nodes that are not joined here must not be joined in the graph either.
        closed: Nodes of ``graph`` that must have no other neighbours, ascending.
        at_least: In how many different places it must be; two places differ unless they have the same nodes.
        edge_rule: Which edges count as the same.
        node_rule: Which nodes count as the same where ``graph`` has ``x``.
        feature_names: Names of the columns of ``x``; empty where the data has no names.
        feature_values: Names of the values of columns of whole numbers, by column and value.
        edge_names: Names of the columns of ``edge_attr``; empty where the data has no names.
        edge_values: Names of the values of columns of whole numbers, by column and value.
        named_parts: Its functional groups and rings, by names that hold in every molecule that has it.
    """

    graph: Data
    kind: str = PART
    closed: tuple[int, ...] = ()
    at_least: int = 1
    edge_rule: EdgeRule = field(default_factory=EdgeRule)
    node_rule: NodeRule = field(default_factory=NodeRule)
    feature_names: tuple[str, ...] = ()
    feature_values: ValueNames = field(default_factory=dict)
    edge_names: tuple[str, ...] = ()
    edge_values: ValueNames = field(default_factory=dict)
    named_parts: tuple[NamedPart, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in (PART, INDUCED):
            raise unfit("kind", f'"{PART}" or "{INDUCED}"', self.kind)
        if list(self.closed) != sorted(set(self.closed)) or not all(0 <= n < self.num_nodes for n in self.closed):
            raise unfit("closed", f"nodes of graph, from 0 to {self.num_nodes - 1} and ascending", self.closed)
        if self.at_least < 1:
            raise unfit("at_least", "at least 1", self.at_least)
        check_parts(self.named_parts, self.num_nodes)
        if not _is_connected(self):
            raise UnfitError("graph must be connected and have a node, got one that is not")
        if self.edge_rule.is_matched and self.edges and not isinstance(self.graph.edge_attr, Tensor):
            raise UnfitError("graph must have edge_attr where edges are matched, got one without")

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return node_count(self.graph)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The undirected edges between different nodes, each once, in ascending order."""
        pairs = [] if self.graph.edge_index is None else self.graph.edge_index.T.tolist()
        return sorted({(min(u, v), max(u, v)) for u, v in pairs if u != v})

    @property
    def are_nodes_matched(self) -> bool:
        """Whether nodes must agree in their features; without ``x`` any will do."""
        return isinstance(self.graph.x, Tensor)

    @property
    def match_features(self) -> MatchNodes:
        """How nodes must agree: by its rule, or not at all."""
        return self.node_rule if self.are_nodes_matched else False

    @property
    def is_induced(self) -> bool:
        """Whether nodes that are not joined here must not be joined in the graph either."""
        return self.kind == INDUCED

    @property
    def named(self) -> NamedGraph:
        """The graph as names tell it: kinds of nodes are one-hot where values, bins or kinds of a rule have names."""
        features = ColumnNames(self.feature_names, self.feature_values)
        return named_graph(self.graph, features, ColumnNames(self.edge_names, self.edge_values), self.node_rule)

    def describe(self, *, colors: Sequence[str] = ()) -> str:
        """Say in words what a graph must have: all that counts, and nothing else.

        Args:
            colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.

        >>> import torch
        >>> ring = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
        >>> Pattern(graph=Data(edge_index=ring, num_nodes=5), kind="induced").describe()
        'a ring of five nodes without a chord'
        >>> pair = Data(x=torch.eye(2), edge_index=torch.tensor([[0], [1]]))
        >>> Pattern(graph=pair, closed=(1,), feature_names=("C", "O")).describe()
        'an oxygen whose only neighbour is a carbon'
        """
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.pattern_words import pattern_words

        return pattern_words(self, colors).present

    def holds_in(self, graphs: Iterable[Data] | SearchedGraphs) -> Bools:
        """Which graphs have it, one answer a graph; no model is asked.

        Args:
            graphs: Graphs of the same columns as those it was found in; what they hold may be new.

        >>> import torch
        >>> ring = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]), num_nodes=4)
        >>> path = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 3]]), num_nodes=4)
        >>> Pattern(graph=path).holds_in([ring, path]).tolist()
        [True, True]
        >>> Pattern(graph=path, kind="induced").holds_in([ring, path]).tolist()
        [False, True]
        """
        return as_searched(graphs).contain(
            self.graph,
            match_features=self.match_features,
            edge_rule=self.edge_rule,
            induced=self.is_induced,
            closed=self.closed,
            at_least=self.at_least,
        )

    def __repr__(self) -> str:
        size = f"{count_of(self.num_nodes, 'node')}, {count_of(len(self.edges), 'edge')}"
        how = [self.kind] if self.is_induced else []
        how += [f"closed={list(self.closed)}"] if self.closed else []
        how += [f"at_least={self.at_least}"] if self.at_least > 1 else []
        return f"Pattern({', '.join([size, *how])})"


def check_parts(parts: Sequence[NamedPart], num_nodes: int) -> None:
    """Refuse names of nodes that a pattern does not have."""
    for place, part in enumerate(parts):
        if not part.nodes or not all(0 <= node < num_nodes for node in part.nodes):
            raise unfit(f"named_parts[{place}].nodes", f"nodes of graph, from 0 to {num_nodes - 1}", part.nodes)


def _is_connected(pattern: Pattern) -> bool:
    neighbours: dict[int, set[int]] = {node: set() for node in range(pattern.num_nodes)}
    for u, v in pattern.edges:
        neighbours[u].add(v)
        neighbours[v].add(u)
    reached: set[int] = set()
    frontier = {0} & neighbours.keys()
    while frontier:
        reached |= frontier
        frontier = {other for node in frontier for other in neighbours[node]} - reached
    return 0 < len(reached) == pattern.num_nodes
