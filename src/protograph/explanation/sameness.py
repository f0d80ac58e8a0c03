"""Whether prototypes, patterns and reasons of two explanations ask for the same, whatever their nodes' numbers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Prototype
from protograph.explanation.reason import Reason
from protograph.graphs.conditions import NodeRule, as_node_rule
from protograph.patterns.subgraph_isomorphism import same_graph

T = TypeVar("T")


def same_prototype(first: Prototype, second: Prototype) -> bool:
    """Whether two prototypes are counted in the same graphs, since they are the same graph counted in the same way."""
    ways = [(_compared_by(one), one.edge_rule, one.num_nodes, len(one.edges)) for one in (first, second)]
    match_features = first.match_features if isinstance(first.graph.x, Tensor) else False
    return ways[0] == ways[1] and same_graph(
        first.graph, second.graph, match_features=match_features, match_edges=first.edge_rule
    )


def _compared_by(one: Prototype | Pattern) -> NodeRule | None:
    """How nodes are compared; what a rule was taken from, and what it is called, makes no difference."""
    rule = as_node_rule(one.match_features)
    if rule is None:
        return None
    groups = tuple(replace(group, names=()) for group in rule.groups)
    return NodeRule(cuts=rule.cuts, ignored=rule.ignored, groups=groups)


def same_pattern(first: Pattern, second: Pattern) -> bool:
    """Whether two patterns hold in the same graphs, since they are the same and lie in the same way.

    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(2,)))
    True
    >>> same_pattern(Pattern(graph=path, closed=(0,)), Pattern(graph=path, closed=(1,)))
    False
    """
    ways = [_way(one) for one in (first, second)]
    return ways[0] == ways[1] and same_graph(_marked(first), _marked(second), match_edges=first.edge_rule)


def _way(pattern: Pattern) -> tuple[object, ...]:
    shape = pattern.num_nodes, len(pattern.edges), len(pattern.closed)
    return (*shape, pattern.kind, pattern.at_least, _compared_by(pattern), pattern.edge_rule)


def _marked(pattern: Pattern) -> Data:
    """The pattern with its features as they are compared, and one more: whether a node is closed."""
    closed = torch.zeros(pattern.num_nodes, 1, dtype=torch.float64)
    closed[list(pattern.closed)] = 1.0
    x = []
    if isinstance(pattern.graph.x, Tensor):
        rows = pattern.graph.x.detach().cpu().double().reshape(pattern.num_nodes, -1).numpy()
        x = [torch.from_numpy(pattern.node_rule.compared(rows))]
    graph = Data(x=torch.cat([*x, closed], dim=1), edge_index=pattern.graph.edge_index)
    if graph.edge_index is None:
        graph.edge_index = torch.zeros(2, 0, dtype=torch.long)
    if isinstance(pattern.graph.edge_attr, Tensor):
        graph.edge_attr = pattern.graph.edge_attr
    return graph


def same_reason(first: Reason, second: Reason) -> bool:
    """Whether two reasons ask for the same patterns; what is left of two rules counts as the same.

    What is left, "none of what marks the others", names the reasons of all other classes. It plays the same part
    before and after, though it changes with each of them.
    """
    if first.is_rest or second.is_rest:
        return first.is_rest and second.is_rest
    return all(
        len(ours) == len(theirs) == len(paired(ours, theirs, same_pattern))
        for ours, theirs in ((first.has, second.has), (first.lacks, second.lacks))
    )


def paired(first: Sequence[T], second: Sequence[T], are_same: Callable[[T, T], bool]) -> dict[int, int]:
    """Which items of two lists are the same, by place; each has at most one counterpart, the first that is left.

    >>> paired("abca", "cadd", lambda ours, theirs: ours == theirs)
    {0: 1, 2: 0}
    """
    left, pairs = dict(enumerate(second)), {}
    for place, ours in enumerate(first):
        found = next((other for other, theirs in left.items() if are_same(ours, theirs)), None)
        if found is not None:
            pairs[place] = found
            del left[found]
    return pairs
