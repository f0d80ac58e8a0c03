"""What k graphs have in common: connected patterns of the first that lie in all the others.

A pattern takes its nodes and edges from the *source*, the first of the k graphs. It is common if it lies in each of the
others, with nodes that agree in their features. Where it lies in one graph has nothing to do with where it lies in the
next, so the cost grows with the sum of the graphs, not with their product, and any k will do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.page.walk.scoring import Floats
from protograph.patterns.agreement import Agreement, MatchFeatures
from protograph.patterns.structure import Structure, build_structure

if TYPE_CHECKING:
    from protograph.patterns.common_kernels import Layout, Worth

Ints = NDArray[np.int64]
Edge = tuple[int, int]
# Nodes that one search tries to place before it is content with the best pattern so far.
MAX_CALLS = 200_000


@dataclass(frozen=True)
class Pattern:
    """Connected nodes of the source and some of the edges between them, each as ``(lower, higher)``."""

    nodes: frozenset[int]
    edges: frozenset[Edge]

    def __len__(self) -> int:
        return len(self.nodes)

    def within(self, nodes: Iterable[int]) -> "Pattern":
        """The part that lies between ``nodes``."""
        kept = self.nodes & frozenset(nodes)
        return Pattern(kept, frozenset(edge for edge in self.edges if edge[0] in kept and edge[1] in kept))

    @cached_property
    def neighbours(self) -> dict[int, frozenset[int]]:
        """The nodes that each node is joined to."""
        found: dict[int, set[int]] = {node: set() for node in self.nodes}
        for u, v in self.edges:
            found[u].add(v)
            found[v].add(u)
        return {node: frozenset(others) for node, others in found.items()}

    @cached_property
    def is_connected(self) -> bool:
        """Whether every node can be reached from every other."""
        return len(self.ordered()) == len(self.nodes)

    def ordered(self) -> list[int]:
        """Its nodes, from the lowest on each next to an earlier one; those that cannot be reached are left out."""
        return self.reached_from(min(self.nodes))

    def around(self, start: int, max_nodes: int, max_edges: int) -> "Pattern":
        """The part with the nodes nearest ``start``, no more than so many nodes and edges."""
        near = self.reached_from(start)[:max_nodes]
        part = self.within(near)
        while len(part.edges) > max_edges and len(near) > 2:
            near = near[:-1]
            part = self.within(near)
        return part

    def reached_from(self, start: int) -> list[int]:
        """The nodes that can be reached from one of them, each next to an earlier one."""
        order = [start]
        seen = set(order)
        for node in order:
            fresh = sorted(self.neighbours[node] - seen)
            seen.update(fresh)
            order.extend(fresh)
        return order


@dataclass(frozen=True)
class Consensus:
    """A common pattern.

    Attributes:
        pattern: The pattern.
        worth: What its nodes and edges are worth together.
        bound: No common connected pattern with the same start is worth more.
        is_exact: Whether that is proven to be reached.
    """

    pattern: Pattern
    worth: float
    bound: float
    is_exact: bool


class CommonGround:
    """k graphs laid out for the search of what they have in common.

    Args:
        graphs: The k graphs, undirected and simple; the first is the source.
        match_features: Which nodes may stand for each other; see :class:`~.agreement.Agreement`. Each node must
            agree with the source's.
        match_edges: Whether edges must have equal attributes.
    """

    def __init__(
        self, graphs: Sequence[Data], match_features: MatchFeatures = True, *, match_edges: bool = False
    ) -> None:
        from protograph.patterns.common_kernels import Graphs

        agreement = Agreement(graphs, match_features)
        structure = build_structure(graphs, match_edges=match_edges)
        agrees = np.concatenate([agreement.pair(0, q) for q in range(len(graphs))], axis=1)
        self.k = len(graphs)
        self.sizes = np.diff(structure.offsets)
        self._graphs = Graphs(
            structure.offsets,
            structure.starts,
            structure.neighbours,
            structure.edge_kinds,
            np.ascontiguousarray(agrees),
        )
        self._groups = agreement.groups
        self._edges = [_edges_of(structure, q) for q in range(self.k)]
        source, target, kinds = self._edges[0]
        self.whole = Pattern(
            frozenset(range(int(self.sizes[0]))), frozenset(zip(source.tolist(), target.tolist(), strict=True))
        )
        self._kind_of = dict(zip(zip(source.tolist(), target.tolist(), strict=True), kinds.tolist(), strict=True))

    def largest(
        self,
        start: int,
        node_worth: Floats | None = None,
        ranks: Ints | None = None,
        *,
        without: Iterable[int] = (),
        floor: float = 0.0,
        max_calls: int = MAX_CALLS,
    ) -> Consensus | None:
        """The common connected pattern with ``start`` that is worth the most; ``None`` if not even the node is common.

        Depth first, deciding one edge of the source at a time, in or out. A branch ends where all nodes and edges that
        it can still reach, of each kind no more than the poorest of the k graphs has, would not be worth more than the
        best pattern so far. Of patterns that are worth the same, the first one found stays.

        Args:
            start: A node of the source.
            node_worth: What each node of the source is worth, at least 0; an edge is worth the mean of its ends. Every
                node and edge is worth a little besides, so that of equals the larger pattern wins. Without, all are
                worth 1: the pattern with the most nodes and edges.
            ranks: Nodes of low rank are tried first.
            without: Nodes of the source that the pattern must not have.
            floor: A pattern that is worth no more is not wanted.
            max_calls: Nodes to try before the best pattern so far has to do.
        """
        pattern, worth, bound, is_exact = self._grown(start, node_worth, ranks, without, floor, max_calls)
        return None if pattern is None else Consensus(pattern, worth, bound, is_exact)

    def largest_of_all(self, max_calls: int = MAX_CALLS) -> Consensus | None:
        """The common connected pattern with the most nodes and edges, wherever it starts.

        Its bound holds for all starts, and it is exact only if the search from each of them was.
        """
        best: Pattern | None = None
        most, highest, is_exact = 0.0, 0.0, True
        calls = max(1, max_calls // int(self.sizes[0]))
        for start in range(int(self.sizes[0])):
            found, worth, bound, is_proven = self._grown(start, None, None, range(start), most, calls)
            if found is not None:
                best, most = found, worth
            highest, is_exact = max(highest, bound), is_exact and is_proven
        return None if best is None else Consensus(best, most, highest, is_exact)

    def _grown(
        self,
        start: int,
        node_worth: Floats | None,
        ranks: Ints | None,
        without: Iterable[int],
        floor: float,
        max_calls: int,
    ) -> tuple[Pattern | None, float, float, bool]:
        """The best pattern above the floor, its worth, a bound on any with this start, and whether that is reached."""
        from protograph.patterns.common_kernels import grow

        source, target, kinds = self._edges[0]
        is_barred = np.zeros(int(self.sizes[0]), np.bool_)
        is_barred[list(without)] = True
        nodes, joined, worth, bound, is_exact = grow(
            self._graphs,
            source,
            target,
            kinds,
            self._worth(node_worth),
            np.arange(self.sizes[0]) if ranks is None else ranks,
            start,
            is_barred,
            floor,
            max_calls,
        )
        pattern = None
        if len(nodes):
            edges = {_edge(nodes[i], nodes[j]) for i, j in zip(*np.nonzero(np.triu(joined)), strict=True)}
            pattern = Pattern(frozenset(nodes.tolist()), frozenset(edges))
        return pattern, float(worth), float(bound), bool(is_exact)

    def is_common(self, pattern: Pattern, max_calls: int = MAX_CALLS) -> bool:
        """Whether a connected pattern lies in all k graphs."""
        from protograph.patterns.common_kernels import lies_in

        layout, image = self._layout(pattern), np.full(len(pattern), -1)
        for q in range(1, self.k):
            image[:] = -1
            if not lies_in(self._graphs, layout, q, image, np.array([max_calls])):
                return False
        return True

    def align(
        self, pattern: Pattern, scores: Sequence[Floats], tolerance: float, max_calls: int = MAX_CALLS
    ) -> dict[int, tuple[int, ...]]:
        """For each node of a common pattern its counterpart in each of the k graphs, itself first.

        Of the ways in which the pattern lies in a graph, the one with the highest sum of scores; of ties the first.

        Args:
            pattern: A common pattern.
            scores: For each graph but the first, ``[num_nodes of the source, num_nodes]``: how well two nodes match.
            tolerance: Sums of scores that differ by no more are a tie.
            max_calls: Nodes to try before the best way so far has to do.
        """
        from protograph.patterns.common_kernels import best_image

        layout = self._layout(pattern)
        columns = [layout.nodes]
        for q in range(1, self.k):
            image, _ = best_image(
                self._graphs, layout, q, np.ascontiguousarray(scores[q - 1][layout.nodes]), tolerance, max_calls
            )
            columns.append(image)
        rows = np.stack(columns, axis=1).tolist()
        return {row[0]: tuple(row) for row in rows}

    def _layout(self, pattern: Pattern) -> "Layout":
        """A connected pattern as the compiled loops read it."""
        from protograph.patterns.common_kernels import Layout

        order = pattern.ordered()
        place = {node: position for position, node in enumerate(order)}
        joined = np.zeros((len(order), len(order)), np.int64)
        for u, v in pattern.edges:
            joined[place[u], place[v]] = joined[place[v], place[u]] = self._kind_of[u, v] + 1
        parents = np.array([-1] + [int(np.flatnonzero(joined[i, :i])[0]) for i in range(1, len(order))])
        return Layout(np.array([len(order)]), np.array(order), parents, joined)

    def _worth(self, node_worth: Floats | None) -> "Worth":
        from protograph.patterns.common_kernels import Worth

        source, target, _ = self._edges[0]
        size = int(self.sizes[0])
        nodes = np.ones(size) if node_worth is None else node_worth + 1e-3 * float(node_worth.sum()) / size + 1e-300
        edges = np.ones(source.size) if node_worth is None else (nodes[source] + nodes[target]) / 2
        num_groups = 1 + max(int(group.max()) for group in self._groups)
        kinds = [_kinds_of_edges(e, group, num_groups) for e, group in zip(self._edges, self._groups, strict=True)]
        num_kinds = 1 + max(int(kind.max(initial=0)) for kind in kinds)
        return Worth(
            nodes,
            edges,
            np.argsort(-nodes, kind="stable"),
            np.argsort(-edges, kind="stable"),
            self._groups[0],
            kinds[0],
            np.min([np.bincount(group, minlength=num_groups) for group in self._groups], axis=0),
            np.min([np.bincount(kind, minlength=num_kinds) for kind in kinds], axis=0),
        )


def _edges_of(structure: Structure, q: int) -> tuple[Ints, Ints, Ints]:
    """Both ends, the lower first, and the kind of each edge of graph ``q``."""
    first, last = structure.offsets[q], structure.offsets[q + 1]
    window = slice(structure.starts[first], structure.starts[last])
    source = np.repeat(np.arange(last - first), np.diff(structure.starts[first : last + 1]))
    target, kinds = structure.neighbours[window], structure.edge_kinds[window]
    once = source < target
    return source[once], target[once], kinds[once]


def _kinds_of_edges(edges: tuple[Ints, Ints, Ints], groups: Ints, num_groups: int) -> Ints:
    """A number for each edge: equal where its ends' features and its own kind are."""
    source, target, kinds = edges
    low, high = np.minimum(groups[source], groups[target]), np.maximum(groups[source], groups[target])
    result: Ints = (kinds * num_groups + low) * num_groups + high
    return result


def _edge(u: int, v: int) -> Edge:
    return (int(u), int(v)) if u < v else (int(v), int(u))
