"""Which k graphs each session takes, and what the model makes of their nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import first_best, levels, tolerance_for
from protograph.graphs.encoding import EncodedGraph
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.page.clustering import Cluster, scaled
from protograph.page.consensus.contributions import LinearHead, node_contributions
from protograph.page.fitted import FittedClass, split_by_graph
from protograph.page.options import ConsensusOptions
from protograph.patterns.canonical import CanonicalGraph


@dataclass(frozen=True, kw_only=True, eq=False)
class SessionGraphs:
    """k representatives of a cluster, nearest the mean first, and what the model makes of their nodes.

    Attributes:
        indices: Which graphs they are.
        positions: Their places in the user's own data.
        sources: The graphs, their nodes in canonical order.
        encoded: The graphs as the counting reads them; the first is the source.
        embeddings: Their nodes' embeddings.
        contributions: Their nodes' contributions to the class margin; ``None`` where they are not known.
        resolution: Relative precision of the embeddings.
        is_whole: Whether these are whole graphs; of very large ones it is what lies around the node that, with its
            neighbours, adds the most.
        are_contributions_exact: Whether they are not estimates.
    """

    indices: tuple[int, ...]
    positions: tuple[int, ...]
    sources: Sequence[CanonicalGraph]
    encoded: Sequence[EncodedGraph]
    embeddings: Sequence[Floats]
    contributions: Sequence[Floats] | None
    resolution: float = 1e-13
    is_whole: bool = True
    are_contributions_exact: bool = True

    @property
    def graphs(self) -> list[Data]:
        """The graphs."""
        return [source.graph for source in self.sources]


def session_graphs(
    fitted: FittedClass, chosen: Sequence[tuple[int, ...]], head: LinearHead | None, options: ConsensusOptions
) -> list[SessionGraphs]:
    """The graphs of all sessions, embedded at once."""
    sources = fitted.canonical([index for indices in chosen for index in indices])
    graphs = [source.graph for source in sources]
    forward = fitted.judge.classifier.embed(graphs, nodes=True)
    embeddings = split_by_graph(forward.node_embeddings, graphs)
    added = node_contributions(fitted.judge, graphs, forward, embeddings, fitted.target, head, options)
    contributions = None if added is None else added.by_graph
    near = [
        _near(source.graph, None if contributions is None else contributions[number], options.max_graph_nodes)
        for number, source in enumerate(sources)
    ]
    sources = [_part(source, nodes) for source, nodes in zip(sources, near, strict=True)]
    encoded = fitted.encoded.encode_all([source.graph for source in sources])
    k = len(chosen[0])
    return [
        SessionGraphs(
            indices=indices,
            positions=tuple(map(fitted.position, indices)),
            sources=sources[first : first + k],
            encoded=encoded[first : first + k],
            embeddings=_rows(embeddings, near, first, k),
            contributions=None if contributions is None else _rows(contributions, near, first, k),
            resolution=fitted.resolution,
            is_whole=all(nodes is None for nodes in near[first : first + k]),
            are_contributions_exact=added is None or added.are_exact,
        )
        for first, indices in zip(range(0, len(sources), k), chosen, strict=True)
    ]


def _near(graph: Data, contributions: Floats | None, max_nodes: int) -> Ints | None:
    """The nodes of a very large graph that a session looks at, ascending; ``None`` for all.

    Those reached first from the node that adds the most together with its neighbours.
    """
    size = node_count(graph)
    if size <= max_nodes:
        return None
    source, target = graph.edge_index.cpu().numpy()
    added = np.ones(size) if contributions is None else contributions
    around = added + np.bincount(source, weights=added[target], minlength=size)
    around /= np.sqrt(1 + np.bincount(source, minlength=size))
    reached = np.zeros(size, np.bool_)
    reached[first_best(around)] = True
    while True:
        frontier = np.unique(target[reached[source] & ~reached[target]])
        room = max_nodes - int(reached.sum())
        if not frontier.size or not room:
            return np.flatnonzero(reached)
        reached[frontier[np.argsort(levels(added[frontier]), kind="stable")[:room]]] = True


def _part(source: CanonicalGraph, nodes: Ints | None) -> CanonicalGraph:
    if nodes is None:
        return source
    return replace(source, graph=induced_subgraph(source.graph, nodes.tolist()), nodes=source.nodes[nodes])


def _rows(parts: Sequence[Floats], near: Sequence[Ints | None], first: int, k: int) -> list[Floats]:
    """Of each graph of a session the rows of the nodes that it looks at."""
    return [
        part if nodes is None else part[nodes]
        for part, nodes in zip(parts[first : first + k], near[first : first + k], strict=True)
    ]


def chosen_graphs(
    fitted: FittedClass, cluster: Cluster, count: int, *, are_alike: bool = True
) -> list[tuple[int, ...]]:
    """The k graphs nearest the mean; then the next nearest with the k - 1 that the model sees most like it, and so on.

    The representatives nearest the mean are one draw; a graph among them that the model has wrong, or that is typical
    in all but the point, must not decide. No graph is taken twice. Unless they are to be alike, each session takes the
    next k nearest the mean.
    """
    k, near = len(cluster.representatives), cluster.nearest
    if not are_alike:
        firsts = range(0, max(min(len(near) - k + 1, count * k), 1), k)
        return [near[first : first + k] for first in firsts]
    members = sorted(cluster.members)
    embeddings = fitted.embedded.graph_embeddings[members]
    points = scaled(embeddings, 4 * tolerance_for(1.0, fitted.resolution) * float(np.abs(embeddings).max()))
    place = {index: position for position, index in enumerate(members)}
    chosen, free = [near[:k]], list(near[k:])
    while len(chosen) < count and len(free) >= k:
        offsets = points[[place[index] for index in free]] - points[place[free[0]]]
        nearest = np.argsort(-levels((offsets**2).sum(axis=1)), kind="stable")[:k]
        chosen.append(tuple(free[n] for n in nearest))
        free = [index for index in free if index not in chosen[-1]]
    return chosen
