"""A pattern of a reason, the graphs that are asked for it, and where it lies in them."""

import json
import math
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress, islice
from typing import Any

import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Floats, Kinds
from protograph._utils.errors import ProtographWarning
from protograph._utils.randomness import preserved_random_state
from protograph._utils.words import count_of, cut
from protograph.explanation.io import UnfitError, unfit
from protograph.graphs.conditions import Condition, Conditions, Match, Reading, accepted, as_reading, equal_to
from protograph.graphs.dataset import each_graph
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs
from protograph.graphs.named_graph import NamedGraph
from protograph.graphs.validate import check_container, node_count, validate
from protograph.graphs.variables import DIRECTION, Variable
from protograph.molecules.functional_groups import NamedPart
from protograph.patterns.subgraph_isomorphism import Asked, contained_in, places_of

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
        # Of a table with other atoms the columns are others.
        self._names = {"x": getattr(graphs, "feature_names", ()), "edge_attr": getattr(graphs, "edge_names", ())}
        with preserved_random_state():  # a loader draws a seed whenever it is gone through
            self.graphs, self._max_calls = list(each_graph(iter(graphs))), max_calls
        for number, graph in enumerate(() if are_validated else self.graphs):
            validate(graph, partial("graph {}".format, number), may_be_empty=True)
        self._encoded: dict[tuple[Reading, Reading], EncodedGraphs] = {}
        self._answers: dict[Hashable, Bools] = {}

    def __len__(self) -> int:
        return len(self.graphs)

    def contain(self, pattern: "Data | Pattern", *, nodes: Match = True, edges: Match = False) -> Bools:
        """Which of the graphs contain a pattern; not to be written to.

        Args:
            pattern: The pattern; a graph is contained as a part.
            nodes: Whether nodes of a graph must have equal features, or a reading for that.
            edges: The same of its edges.
        """
        if isinstance(pattern, Pattern):
            return self._contain(pattern, pattern.node_reading, pattern.edge_reading, pattern.query, **pattern.lies)
        return self._contain(pattern, as_reading(nodes, "x"), as_reading(edges, "edge_attr"), _content(pattern))

    def _contain(
        self, pattern: "Data | Pattern", nodes: Reading, edges: Reading, content: Hashable, **lies: Any
    ) -> Bools:
        key = (nodes, edges, content)
        if key not in self._answers:
            if (nodes, edges) not in self._encoded:
                self._encoded[nodes, edges] = EncodedGraphs(
                    self.graphs, match_features=nodes.found_by(self._names), match_edges=edges.found_by(self._names)
                )
            graphs = self._encoded[nodes, edges]
            asked = pattern.asked(graphs) if isinstance(pattern, Pattern) else pattern
            answers = contained_in(asked, graphs, max_calls=self._max_calls, **lies)
            if num_undecided := int((answers < 0).sum()):
                warnings.warn(
                    f"the search for a pattern in {count_of(num_undecided, 'graph')} of {len(self):,} was given up "
                    f"after {count_of(self._max_calls, 'call')}; they count as without it",
                    ProtographWarning,
                    stacklevel=3,
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
    """A small connected graph that a graph has or lacks: what is asked of each node and edge, and how it must lie.

    Attributes:
        graph: The pattern as a graph, to be drawn. What is asked of nodes and edges is in the conditions alone.
        kind: ``"part"``, or ``"induced"``: nodes that are not joined here must not be joined in the graph either.
        closed: Nodes of ``graph`` that must have no other neighbours, ascending.
        at_least: In how many different places it must be; two places differ unless they have the same nodes.
        node_reading: The variables that conditions of nodes speak of.
        edge_reading: The variables that conditions of edges speak of.
        node_conditions: The conditions of each node.
        edge_conditions: The conditions of each of ``edges``, as seen from its lower node.
        named_parts: Its functional groups and rings, by names that hold in every molecule that has it.
    """

    graph: Data
    kind: str = PART
    closed: tuple[int, ...] = ()
    at_least: int = 1
    node_reading: Reading = field(default_factory=Reading)
    edge_reading: Reading = field(default_factory=Reading)
    node_conditions: tuple[Conditions, ...] = ()
    edge_conditions: tuple[Conditions, ...] = ()
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
        for of, own, number, reading in (
            ("node", self.node_conditions, self.num_nodes, self.node_reading),
            ("edge", self.edge_conditions, len(self.edges), self.edge_reading),
        ):
            if len(own) not in (0, number):
                raise unfit(f"{of}_conditions", f"empty or a list of {number}, one for each {of}", own)
            known = {variable.name for variable in reading.variables}
            if wrong := [one.variable for conditions in own for one in conditions if one.variable not in known]:
                raise unfit(f"{of}_conditions", f"about variables of {of}_reading", wrong[0])
            for conditions in own:
                names = [one.variable for one in conditions]
                if len(set(names)) < len(names):
                    raise unfit(f"{of}_conditions", f"at most one a variable for each {of}", names)

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
    def of_nodes(self) -> tuple[Conditions, ...]:
        """The conditions of each node, none where nothing is asked of any."""
        return self.node_conditions or ((),) * self.num_nodes

    @property
    def of_edges(self) -> dict[tuple[int, int], Conditions]:
        """The conditions of each edge, by its nodes, as seen from the first of them; both ways round."""
        found = dict(zip(self.edges, self.edge_conditions or ((),) * len(self.edges), strict=True))
        names = [one.name for one in self.edge_reading.variables if one.kind == DIRECTION]
        return found | {(v, u): tuple(_turned(one, names) for one in own) for (u, v), own in found.items()}

    @property
    def conditions(self) -> dict[int | tuple[int, int], Conditions]:
        """What is asked of each node and edge, by its number or its two."""
        return {**dict(enumerate(self.of_nodes)), **{edge: self.of_edges[edge] for edge in self.edges}}

    @property
    def is_induced(self) -> bool:
        """Whether nodes that are not joined here must not be joined in the graph either."""
        return self.kind == INDUCED

    @property
    def lies(self) -> dict[str, Any]:
        """How it must lie in a graph, as :func:`~protograph.patterns.subgraph_isomorphism.contained_in` takes it."""
        return {"induced": self.is_induced, "closed": self.closed, "at_least": self.at_least}

    @cached_property
    def named(self) -> NamedGraph:
        """The pattern as its conditions tell it: what nodes and edges are called is one-hot."""
        edges, own = self.edges, self.of_edges
        ends = torch.tensor([*edges, *((v, u) for u, v in edges)], dtype=torch.long).reshape(-1, 2).T
        graph = Data(edge_index=ends, num_nodes=self.num_nodes)
        x, names = _nouns(self.of_nodes, self.node_reading)
        edge_attr, edge_names = _nouns([own[u, v] for u, v in ends.T.tolist()], self.edge_reading)
        graph.x, graph.edge_attr = x, edge_attr
        return NamedGraph(graph, names, edge_names)

    @cached_property
    def query(self) -> str:
        """A formal line that says all that is asked; :meth:`parse` reads it.

        >>> kinds = Reading(variables=(Variable(name="kind", key="x", labels=((0, "head"), (1, "body"))),))
        >>> pair = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
        >>> asked = ((Condition(variable="kind", low=1.0, high=1.0),), ())
        >>> Pattern(graph=pair, node_reading=kinds, node_conditions=asked).query
        '{"nodes": [{"kind": "body"}, {}], "edges": [[0, 1, {}]]}'
        """
        nodes = [formal(own, self.node_reading) for own in self.of_nodes]
        edges = [[*edge, formal(self.of_edges[edge], self.edge_reading)] for edge in self.edges]
        usual = {"closed": [], "at_least": 1, "induced": False}
        lies = {key: list(value) if key == "closed" else value for key, value in self.lies.items()}
        return json.dumps({"nodes": nodes, "edges": edges, **{k: lies[k] for k in usual if lies[k] != usual[k]}})

    def parse(self, query: str) -> "Pattern":
        """The pattern that a query asks for, about the same variables as this one.

        Raises:
            ValueError: If it is no query, or about other variables.
        """
        try:
            asked = json.loads(query)
            ways = [one.name for one in self.edge_reading.variables if one.kind == DIRECTION]
            edges = dict[tuple[int, int], Conditions]()
            for u, v, formal in asked["edges"]:
                own = _asked(formal, self.edge_reading)
                edges[min(u, v), max(u, v)] = own if u < v else tuple(_turned(one, ways) for one in own)
            ends = torch.tensor(sorted(edges), dtype=torch.long).reshape(-1, 2).T
            return Pattern(
                graph=Data(edge_index=torch.cat([ends, ends.flip(0)], dim=1), num_nodes=len(asked["nodes"])),
                kind=INDUCED if asked.get("induced") else PART,
                closed=tuple(asked.get("closed", ())),
                at_least=asked.get("at_least", 1),
                node_reading=self.node_reading,
                edge_reading=self.edge_reading,
                node_conditions=tuple(_asked(own, self.node_reading) for own in asked["nodes"]),
                edge_conditions=tuple(edges[edge] for edge in sorted(edges)),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(
                f"query must be a line as Pattern.query gives it, about the same variables, got {cut(query, 60)!r} "
                f"({error})"
            ) from None

    @property
    def smarts(self) -> str | None:
        """SMARTS that selects the molecules with at least one place of it; ``None`` where none says all that is asked.

        Molecules must be as the graphs have them: with the hydrogens that are nodes.
        """
        # Imported on first use, as RDKit is optional.
        from protograph.molecules.smarts import smarts_of

        if self.is_induced:
            return None
        edges = {ends: self.of_edges[ends] for ends in self.edges}
        return smarts_of(self.of_nodes, edges, self.node_reading, self.edge_reading, self.closed)

    def asked(self, graphs: EncodedGraphs) -> Asked:
        """The pattern as the compiled search takes it, for graphs that are read by the same readings."""
        nodes, accepts = _classes(self.of_nodes, [graphs.node_table], graphs.node_rule)
        edges = self.of_edges
        rows = [sorted(other for one, other in edges if one == node) for node in range(self.num_nodes)]
        entries = [edges[node, other] for node, row in enumerate(rows) for other in row]
        edge_classes, by_row = _classes(entries, graphs.edge_table, graphs.edge_rule)
        ends = np.cumsum([len(rows) for rows in graphs.edge_table])[:-1]
        accepts_edges = np.array([part.any(axis=0) for part in np.split(by_row, ends)])
        shape = EncodedGraph(
            nodes,
            np.cumsum([0, *map(len, rows)]),
            np.array([other for row in rows for other in row], dtype=np.int32),
            edge_classes,
        )
        return Asked(shape, accepts, accepts_edges.reshape(len(graphs.edge_table), -1))

    def describe(self) -> str:
        """Say in words what a graph must have: all that is asked, and nothing else.

        >>> ring = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
        >>> Pattern(graph=Data(edge_index=ring, num_nodes=5), kind="induced").describe()
        'a ring of five nodes without a chord'
        """
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.pattern_words import pattern_words

        return pattern_words(self).present

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
        return as_searched(graphs).contain(self)

    def __repr__(self) -> str:
        size = f"{count_of(self.num_nodes, 'node')}, {count_of(len(self.edges), 'edge')}"
        how = [self.kind] if self.is_induced else []
        how += [f"closed={list(self.closed)}"] if self.closed else []
        how += [f"at_least={self.at_least}"] if self.at_least > 1 else []
        return f"Pattern({', '.join([size, *how])})"


def _classes(conditions: Sequence[Conditions], tables: Sequence[Floats], reading: Reading) -> tuple[Kinds, Bools]:
    """The number of each different set of conditions, and which rows of codes meet each."""
    different = list(dict.fromkeys(conditions))
    table = np.concatenate(tables)
    meets = [accepted(own, table, reading) for own in different]
    classes = np.array([different.index(own) for own in conditions], dtype=np.int32)
    return classes, np.array(meets, dtype=np.bool_).reshape(len(different), len(table)).T


def _turned(condition: Condition, directions: Sequence[str]) -> Condition:
    """The condition as seen from the other end of its edge."""
    if condition.variable not in directions:
        return condition
    return replace(condition, low=-condition.high, high=-condition.low)


def _nouns(conditions: Sequence[Conditions], reading: Reading) -> tuple[Tensor | None, tuple[str, ...]]:
    """What nodes or edges are called, one-hot, with the names; zeros where one may be anything."""
    noun = reading.noun
    if noun is None or not any(noun_of(own, noun) is not None for own in conditions):
        return None, ()
    values = noun.values or tuple(float(code) for code, _ in noun.labels)
    codes = torch.tensor([math.nan if (code := noun_of(own, noun)) is None else code for own in conditions])
    return (codes.double()[:, None] == torch.tensor(values, dtype=torch.double)).float(), tuple(map(noun.word, values))


def noun_of(conditions: Conditions, noun: Variable) -> float | None:
    """The code that a node or an edge must have of the variable that it is called by; ``None`` where it may vary."""
    last = noun.values[-1] if noun.is_quantity and noun.values else math.inf  # the bin without an upper end
    for one in conditions:
        is_one = one.is_single or (one.low == last and one.high == math.inf)
        if one.variable == noun.name and is_one and not one.is_not:
            return one.low
    return None


def formal(conditions: Conditions, reading: Reading) -> dict[str, Any]:
    """Conditions as JSON: a value, the ends of an interval, or what it must not be.

    Of a continuous column the ends are numbers between which a value lies, itself below the upper one.
    """
    found = {}
    for one in conditions:
        variable = reading.variable(one.variable)
        names = {code: label for label, code in _codes(variable).items()}
        low, high = (None if math.isinf(end) else names.get(end, end) for end in (one.low, one.high))
        if variable.is_quantity:
            high = next((cut for cut in variable.cuts if cut > one.high), None)
        value = low if one.is_single and not variable.is_quantity else [low, high]
        found[one.variable] = {"not": value} if one.is_not else value
    return found


def _asked(formal: Mapping[str, Any], reading: Reading) -> Conditions:
    found = []
    for name, value in formal.items():
        variable = reading.variable(name)
        codes = _codes(variable)
        is_not = isinstance(value, dict)
        value = value["not"] if is_not else value
        first, last = value if isinstance(value, list) else (value, value)
        ends: list[Any] = [codes.get(end, end) for end in (first, last)]
        low, high = (float(inf if end is None else end) for end, inf in zip(ends, (-math.inf, math.inf), strict=True))
        if variable.is_quantity:
            high = max(bound for bound in (-math.inf, *variable.cuts) if bound < high)
        found.append(Condition(variable=name, low=low, high=high, is_not=is_not))
    return tuple(found)


def _codes(variable: Variable) -> dict[str, float]:
    """The codes of values by what these are called, where that is no other's name."""
    names = [label for _, label in variable.labels]
    return {label: float(code) for code, label in variable.labels if names.count(label) == 1}


def pattern_of_rows(graph: Data, nodes: Reading) -> Pattern | None:
    """A pattern that asks for what the rows of ``x`` say; ``None`` where no conditions can, or it is not connected.

    >>> charge = Reading(variables=(Variable(name="charge", key="x", places=(0,)),))
    >>> pattern_of_rows(Data(x=torch.tensor([[1.0]]), num_nodes=1), charge).query
    '{"nodes": [{"charge": 1.0}], "edges": []}'
    """
    if nodes.rows or not graph.num_nodes:
        return None
    conditions: tuple[Conditions, ...] = ()
    if not nodes.is_empty:
        rows = graph.x.detach().cpu().double().reshape(node_count(graph), -1).numpy()
        conditions = tuple(equal_to(codes, nodes) for codes in nodes.codes({"x": rows}).tolist())
    try:
        return Pattern(graph=graph, node_reading=nodes, node_conditions=conditions)
    except UnfitError:
        return None


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
        encoded = EncodedGraphs(graphs, match_features=pattern.node_reading, match_edges=pattern.edge_reading)
        asked = pattern.asked(encoded)
        for place in compress(range(len(graphs)), list(is_whole)):
            search = places_of(
                asked,
                encoded[place],
                induced=pattern.is_induced,
                closed=pattern.closed,
                max_calls=MAX_PLACED,
            )
            own = list(islice(search, pattern.at_least))
            is_whole[place] = len(own) == pattern.at_least
            found[place].update(*own)
    return [tuple(sorted(nodes)) if whole else () for nodes, whole in zip(found, is_whole, strict=True)]
