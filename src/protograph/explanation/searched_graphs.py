"""Graphs that are asked for many patterns: encoded once for each way to tell nodes and edges apart."""

import warnings
from collections.abc import Collection, Hashable, Iterable
from functools import partial

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph._base.errors import ProtographWarning
from protograph._base.randomness import preserved_random_state
from protograph._base.words import count_of
from protograph.graphs.conditions import EdgeRule, MatchNodes, NodeRule, as_node_rule
from protograph.graphs.dataset import each_graph
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.graphs.validate import check_container, validate
from protograph.patterns.subgraph_isomorphism import contained_in


class SearchedGraphs:
    """Graphs as a user has them; each pattern is looked for once, however often it is asked for.

    Args:
        graphs: The graphs, or batches of them, gone through once. Their features may be such as no pattern has.
        max_calls: Most nodes that the search of one graph for a pattern places. Where that is not enough it warns, and
            the graph counts as one without the pattern.

    Attributes:
        graphs: The graphs.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> SearchedGraphs([path, Data(num_nodes=3)]).contain(path).tolist()
    [True, False]
    """

    def __init__(self, graphs: Iterable[Data], *, max_calls: int = MAX_CALLS) -> None:
        check_container(graphs)
        with preserved_random_state():  # a loader draws a seed whenever it is gone through
            self.graphs, self._max_calls = list(each_graph(iter(graphs))), max_calls
        for number, graph in enumerate(self.graphs):
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
            induced: As of :func:`protograph.patterns.containment.contains`.
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
            self._warn(int((answers < 0).sum()))
            self._answers[key] = answers > 0
        return self._answers[key]

    def _warn(self, num_undecided: int) -> None:
        if num_undecided:
            warnings.warn(
                f"the search for a pattern in {count_of(num_undecided, 'graph')} of {len(self):,} was given up after "
                f"{count_of(self._max_calls, 'call')}; they count as without it",
                ProtographWarning,
                stacklevel=3,
            )


def as_searched(graphs: Iterable[Data] | SearchedGraphs) -> SearchedGraphs:
    """Graphs to be asked for patterns; those that are such already stay as they are."""
    return graphs if isinstance(graphs, SearchedGraphs) else SearchedGraphs(graphs)


def _content(pattern: Data) -> Hashable:
    """What a pattern is told by: patterns of one content have the same answers."""
    tensors = (pattern.get(key) for key in ("x", "edge_index", "edge_attr"))
    shown = [(value.shape, value.detach().cpu().double()) for value in tensors if isinstance(value, Tensor)]
    return pattern.num_nodes, *((tuple(shape), np.asarray(value).tobytes()) for shape, value in shown)
