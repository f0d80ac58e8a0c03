"""A pattern of a reason, the graphs that are asked for it, and where it lies in them."""

import warnings
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import compress, islice

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Bools
from protograph._utils.errors import ProtographWarning
from protograph._utils.randomness import preserved_random_state
from protograph._utils.words import count_of
from protograph.explanation.io import UnfitError, unfit
from protograph.graphs.conditions import EdgeRule, MatchNodes, NodeRule, as_node_rule
from protograph.graphs.dataset import each_graph
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.graphs.names import ColumnNames, NamedGraph, ValueNames, named_graph
from protograph.graphs.validate import check_container, node_count, validate
from protograph.molecules.functional_groups import NamedPart
from protograph.patterns.subgraph_isomorphism import contained_in, places_of

PART, INDUCED = "part", "induced"
# Nodes to place in one graph before it is given up where a pattern lies there, which only pictures ask.
MAX_PLACED = 20_000


class SearchedGraphs:
    """Graphs as a user has them; each pattern is looked for once, however often it is asked for.

    Args:
        graphs: The graphs, or batches of them, gone through once. Their features may be such as no pattern has.
        max_calls: Most nodes that the search of one graph for a pattern places. Where that is not enough it warns, and
            the graph counts as one without the pattern.
        are_validated: Whether they are graphs of a fit, which has validated them.

    Attributes:
        graphs: The graphs.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> SearchedGraphs([path, Data(num_nodes=3)]).contain(path).tolist()
    [True, False]
    """

    def __init__(self, graphs: Iterable[Data], *, max_calls: int = MAX_CALLS, are_validated: bool = False) -> None:
        check_container(graphs)
        with preserved_random_state():  # a loader draws a seed whenever it is gone through
            self.graphs, self._max_calls = list(each_graph(iter(graphs))), max_calls
        for number, graph in enumerate(() if are_validated else self.graphs):
            validate(graph, partial("graph {}".format, number), may_be_empty=True)
        self._encoded: dict[tuple[NodeRule | None, EdgeRule], EncodedGraphs] = {}
        self._answers: dict[Hashable, Bools] = {}

    def __len__(self) -> int:
        return len(self.graphs)

    def contain(
        self,
        pattern: Data,
        *,
        match_features: MatchNodes = True,
        edge_rule: EdgeRule | None = None,
        induced: bool = False,
        closed: Collection[int] = (),
        at_least: int = 1,
    ) -> Bools:
        """Which of the graphs contain a pattern; not to be written to.

        Args:
            pattern: The pattern.
            match_features: Whether nodes must have equal features, or a rule for that; without ``x`` any two are
                alike anyway.
            edge_rule: Which edges are alike; all of them where ``None``.
            induced: As of :func:`protograph.patterns.subgraph_isomorphism.contains`.
            closed: As of that.
            at_least: As of that.
        """
        way = (as_node_rule(match_features), edge_rule or EdgeRule())
        key = (*way, _content(pattern), induced, tuple(closed), at_least)
        if key not in self._answers:
            if way not in self._encoded:
                self._encoded[way] = EncodedGraphs(self.graphs, match_features=way[0] or False, match_edges=way[1])
            answers = contained_in(
                pattern,
                self._encoded[way],
                induced=induced,
                closed=closed,
                at_least=at_least,
                max_calls=self._max_calls,
            )
            if num_undecided := int((answers < 0).sum()):
                warnings.warn(
                    f"the search for a pattern in {count_of(num_undecided, 'graph')} of {len(self):,} was given up "
                    f"after {count_of(self._max_calls, 'call')}; they count as without it",
                    ProtographWarning,
                    stacklevel=2,
                )
            self._answers[key] = answers > 0
        return self._answers[key]


def as_searched(graphs: Iterable[Data] | SearchedGraphs) -> SearchedGraphs:
    """Graphs to be asked for patterns; those that are such already stay as they are."""
    return graphs if isinstance(graphs, SearchedGraphs) else SearchedGraphs(graphs)


def _content(pattern: Data) -> Hashable:
    """What a pattern is told by: patterns of one content have the same answers."""
    tensors = (pattern.get(key) for key in ("x", "edge_index", "edge_attr"))
    shown = [(value.shape, value.detach().cpu().double()) for value in tensors if isinstance(value, Tensor)]
    return pattern.num_nodes, *((tuple(shape), np.asarray(value).tobytes()) for shape, value in shown)


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
        ends = np.array(self.edges, dtype=np.int64).reshape(-1, 2).T
        joined = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(self.num_nodes, self.num_nodes))
        if not self.num_nodes or connected_components(joined, directed=False)[0] > 1:
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


def nodes_of(patterns: Sequence[Pattern], graphs: Sequence[Data]) -> list[tuple[int, ...]]:
    """For each graph the nodes of all patterns, each in as many places as it is asked for.

    A graph in which they are not all found, or not in time, has none.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> edge = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    >>> nodes_of([Pattern(graph=edge)], [path, edge]), nodes_of([Pattern(graph=edge, at_least=2)], [path, edge])
    ([(0, 1), (0, 1)], [(0, 1, 2), ()])
    """
    found = [set[int]() for _ in graphs]
    is_whole = [bool(patterns) for _ in graphs]
    for pattern in patterns:
        encoded = EncodedGraphs(graphs, match_features=pattern.match_features, match_edges=pattern.edge_rule)
        for place in compress(range(len(graphs)), list(is_whole)):
            search = places_of(
                encoded.encode(pattern.graph),
                encoded[place],
                induced=pattern.is_induced,
                closed=pattern.closed,
                max_calls=MAX_PLACED,
            )
            own = list(islice(search, pattern.at_least))
            is_whole[place] = len(own) == pattern.at_least
            found[place].update(*own)
    return [tuple(sorted(nodes)) if whole else () for nodes, whole in zip(found, is_whole, strict=True)]
