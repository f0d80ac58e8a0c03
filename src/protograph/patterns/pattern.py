"""A pattern: connected nodes of a graph and some of the edges between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraph
from protograph.graphs.subgraph import induced_subgraph

Edge = tuple[int, int]


@dataclass(frozen=True)
class Subgraph:
    """Connected nodes of a source and some of the edges between them, each as ``(lower, higher)``."""

    nodes: frozenset[int]
    edges: frozenset[Edge]

    def __len__(self) -> int:
        return len(self.nodes)

    def within(self, nodes: Iterable[int]) -> "Subgraph":
        """The part that lies between ``nodes``."""
        kept = self.nodes & frozenset(nodes)
        joined = self.neighbours
        return Subgraph(
            kept, frozenset((node, other) for node in kept for other in joined[node] & kept if node < other)
        )

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

    def around(self, start: int, max_nodes: int, max_edges: int) -> "Subgraph":
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

    def grown(self, nodes: Iterable[int], edges: Iterable[Edge]) -> "Subgraph":
        """The pattern with further nodes and edges."""
        return Subgraph(self.nodes | frozenset(nodes), self.edges | frozenset(edges))

    def grown_in(self, source: "Subgraph", nodes: frozenset[int]) -> "Subgraph":
        """The pattern with further nodes of a larger one, and all edges of that one that these have to it."""
        grown = self.nodes | nodes
        joined = source.neighbours
        fresh = {edge(node, other) for node in nodes - self.nodes for other in joined[node] & grown}
        return Subgraph(grown, self.edges | fresh)

    def cut_out(self, source: Data) -> Data:
        """The pattern as a graph, with all that its nodes and edges hold in its source; its nodes keep their order.

        Its edges are the source's own: directed or repeated where those are.
        """
        return induced_subgraph(source, sorted(self.nodes), self.edges)

    def encoded(self, source: EncodedGraph) -> EncodedGraph:
        """The pattern by itself, as the compiled searches read it; its nodes keep their order."""
        order = sorted(self.nodes)
        place = {node: position for position, node in enumerate(order)}
        neighbours: list[int] = []
        edge_kinds: list[int] = []
        for node in order:
            own = slice(source.starts[node], source.starts[node + 1])
            kind_of = dict(zip(source.neighbours[own].tolist(), source.edge_kinds[own].tolist(), strict=True))
            joined = sorted(self.neighbours[node])
            neighbours += [place[other] for other in joined]
            edge_kinds += [kind_of[other] for other in joined]
        return EncodedGraph(
            source.node_kinds[order],
            np.array([0, *accumulate(len(self.neighbours[node]) for node in order)], dtype=np.int64),
            np.array(neighbours, dtype=np.int32),
            np.array(edge_kinds, dtype=np.int32),
        )


def edge(u: int, v: int) -> Edge:
    """An edge as patterns have it, the lower node first.

    >>> edge(4, 2)
    (2, 4)
    """
    return (int(u), int(v)) if u < v else (int(v), int(u))
