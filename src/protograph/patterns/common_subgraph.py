"""What k graphs have in common: connected patterns of the first that lie in all the others.

A pattern takes its nodes and edges from the *source*, the first of the k graphs. It is common if it lies in each of the
others, with nodes that agree in their features. Where it lies in one graph has nothing to do with where it lies in the
next, so the cost grows with the sum of the graphs, not with their product, and any k will do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph.graphs.conditions import Match
from protograph.patterns.joint import JointGraphs
from protograph.patterns.pattern import Subgraph
from protograph.patterns.subgraph_isomorphism import image_of

# Nodes that one search tries to place before it is content with the best pattern so far.
MAX_CALLS = 200_000
# The same for some way in which a pattern lies in a graph, whatever its score, where the best was not found.
_ANY_CALLS, _NO_LIMIT = 20_000_000, 2**62


@dataclass(frozen=True)
class Consensus:
    """A common pattern.

    Attributes:
        pattern: The pattern.
        size: How many nodes and edges it has together.
        bound: No common connected pattern with the same start has more.
        is_exact: Whether that is proven to be reached.
    """

    pattern: Subgraph
    size: int
    bound: int
    is_exact: bool


class CommonPatterns:
    """The patterns that k graphs have in common.

    Args:
        graphs: The k graphs, the first of them the source; each edge counts once, whichever way it goes.
        match_features: Which nodes may stand for each other; see :class:`~protograph.patterns.joint.JointGraphs`. Each
            node must agree with the source's.
        match_edges: Whether edges must have equal attributes, or a rule for that.
    """

    def __init__(self, graphs: Sequence[Data], match_features: Match = True, *, match_edges: Match = False) -> None:
        from protograph.patterns import common_subgraph_kernels

        joint = JointGraphs(graphs, match_features, match_edges=match_edges)
        agrees = np.concatenate([joint.agree(0, q) for q in range(joint.k)], axis=1)
        self.k, self.sizes = joint.k, joint.sizes
        self._kernels, self._encoded = common_subgraph_kernels, joint.encoded
        around = np.stack([joint.neighbours, joint.edge_kinds], axis=1)
        self._graphs = common_subgraph_kernels.Graphs(joint.offsets, joint.starts, around, agrees)
        self._edges = [joint.edges(q) for q in range(self.k)]
        source, target, kinds = (ends.tolist() for ends in self._edges[0])
        num_kinds = 1 + max(int(kinds.max()) for kinds in joint.kinds)
        self._back = joint.reversed_edges
        edge_kinds = [
            _edge_kinds(ends, self._back[ends[2]], own, num_kinds)
            for ends, own in zip(self._edges, joint.kinds, strict=True)
        ]
        self._groups = np.concatenate([_groups(joint.kinds), _groups(edge_kinds)])
        self._groups[self.sizes[0] :, 0] += self.sizes[0]  # edges are of other groups than nodes
        self._kind_of = dict(zip(zip(source, target, strict=True), kinds, strict=True))
        self.source = Subgraph(frozenset(range(self.sizes[0])), frozenset(self._kind_of))

    def largest(self, start: int, ranks: Ints | None = None, *, max_calls: int = MAX_CALLS) -> Consensus | None:
        """The common connected pattern with ``start`` of most nodes and edges; ``None`` if not even the node is common.

        Depth first, deciding one edge of the source at a time, in or out. A branch ends where all nodes and edges that
        it can still reach, of each kind no more than the poorest of the k graphs has, would not be more than the best
        pattern so far has. Of patterns of one size, the first one found stays.

        Args:
            start: A node of the source.
            ranks: Nodes of low rank are tried first.
            max_calls: Nodes to try before the best pattern so far has to do.
        """
        pattern, size, bound, is_exact = self._grown(start, self._items(ranks), (), 0, max_calls)
        return None if pattern is None else Consensus(pattern, size, bound, is_exact)

    def largest_of_all(self, max_calls: int = MAX_CALLS) -> Consensus | None:
        """The common connected pattern with the most nodes and edges, wherever it starts.

        Its bound holds for all starts, and it is exact only if the search from each of them was.
        """
        best: Subgraph | None = None
        most, highest, is_exact = 0, 0, True
        calls, items = max(1, max_calls // self.sizes[0]), self._items(None)
        for start in range(self.sizes[0]):
            pattern, size, bound, is_proven = self._grown(start, items, range(start), most, calls)
            if pattern is not None:
                best, most = pattern, size
            highest, is_exact = max(highest, bound), is_exact and is_proven
        return None if best is None else Consensus(best, most, highest, is_exact)

    def _grown(
        self, start: int, items: Ints, without: Sequence[int], floor: int, max_calls: int
    ) -> tuple[Subgraph | None, int, int, bool]:
        """The best pattern above the floor, its size, a bound on any with this start, and whether that is reached."""
        kernels, num_nodes = self._kernels, self.sizes[0]
        is_barred = np.zeros(num_nodes, np.bool_)
        is_barred[list(without)] = True
        room = kernels.room_for(self._graphs, items, is_barred, max_calls)
        size, bound, is_exact = kernels.grow(self._graphs, items, start, np.int64(floor), room)
        pattern, is_in = None, room.notes[kernels.BEST, :-1] == kernels.IN
        if is_in[start]:
            ends = items[num_nodes:][is_in[num_nodes:], : kernels.TARGET + 1]
            pattern = Subgraph(frozenset([start, *ends.ravel().tolist()]), frozenset(map(tuple, ends.tolist())))
        return pattern, int(size), int(bound), bool(is_exact)

    def is_common(self, pattern: Subgraph, max_calls: int = MAX_CALLS) -> bool:
        """Whether a connected pattern lies in all k graphs."""
        layout = self._layout(pattern)
        alike = [np.zeros((len(pattern), size)) for size in self.sizes]
        return all(self._image(q, layout, alike[q], 0.0, max_calls)[0] >= 0 for q in range(1, self.k))

    def align(
        self, pattern: Subgraph, scores: Sequence[Floats], tolerance: float, max_calls: int = MAX_CALLS
    ) -> dict[int, tuple[int, ...]]:
        """For each node of a common pattern its counterpart in each of the k graphs, itself first.

        Of the ways in which the pattern lies in a graph, the one with the highest sum of scores; of ties the first.

        Args:
            pattern: A common pattern.
            scores: For each graph but the first, ``[num_nodes of the source, num_nodes]``: how well two nodes match.
            tolerance: Sums of scores that differ by no more are a tie.
            max_calls: Nodes to try before the best way so far has to do.
        """
        layout = self._layout(pattern)
        nodes = layout[:, self._kernels.NODE]
        columns = [nodes]
        for q in range(1, self.k):
            own = np.ascontiguousarray(scores[q - 1][nodes])
            image = self._image(q, layout, own, tolerance, max_calls)
            if image[0] < 0:  # it lies there somewhere, so it is found in the end
                some = self._any_image(pattern, layout, q)
                image = self._image(q, layout, own, tolerance, _NO_LIMIT) if some is None else np.array(some)
            columns.append(image)
        return {row[0]: tuple(row) for row in np.stack(columns, axis=1).tolist()}

    def _image(self, q: int, layout: Ints, scores: Floats, tolerance: float, max_calls: int) -> Ints:
        """Where a pattern lies best in graph ``q``, as :meth:`align` has it; -1 where none was found in time."""
        images, sums = self._kernels.images_for(len(layout)), np.empty((2, len(layout) + 1))
        self._kernels.best_image(self._graphs, q, layout, scores, tolerance, max_calls, images, sums)
        result: Ints = images[self._kernels.IMAGE]
        return result

    def _any_image(self, pattern: Subgraph, layout: Ints, q: int) -> list[int] | None:
        """Some counterpart in graph ``q`` of each node of a pattern; ``None`` where none was found in time."""
        kernels = self._kernels
        image = image_of(pattern.encoded(self._encoded[0]), self._encoded[q], _ANY_CALLS)
        at = {node: place for place, node in enumerate(sorted(pattern.nodes))}
        return None if image is None else [image[at[node]] for node in layout[:, kernels.NODE].tolist()]

    def _layout(self, pattern: Subgraph) -> Ints:
        """A connected pattern as the compiled loops read it."""
        kernels, order = self._kernels, pattern.ordered()
        place = {node: position for position, node in enumerate(order)}
        layout = np.zeros((len(order), kernels.JOINED + len(order)), np.int64)
        joined = layout[:, kernels.JOINED :]
        for u, v in pattern.edges:
            kind = self._kind_of[u, v]
            joined[place[v], place[u]], joined[place[u], place[v]] = kind + 1, self._back[kind] + 1
        layout[:, kernels.NODE] = order
        layout[:, kernels.PARENT] = [-1, *(int(np.flatnonzero(joined[i, :i])[0]) for i in range(1, len(order)))]
        return layout

    def _items(self, ranks: Ints | None) -> Ints:
        """The source as the compiled loops read it."""
        kernels, size = self._kernels, self.sizes[0]
        source, target, kinds = self._edges[0]
        items = np.zeros((size + source.size, kernels.MOST + 1), np.int64)
        items[:size, [kernels.SOURCE, kernels.TARGET]] = np.arange(size)[:, None]
        items[:size, kernels.RANK] = np.arange(size) if ranks is None else ranks
        items[size:, kernels.SOURCE], items[size:, kernels.TARGET] = source, target
        items[size:, kernels.EDGE_KIND], items[size:, kernels.BACK_KIND] = kinds, self._back[kinds]
        items[:, kernels.GROUP : kernels.MOST + 1] = self._groups
        return items


def _groups(of_all: Sequence[Ints]) -> Ints:
    """For each item of the source a number, below how many it has, and how many of that kind all graphs have."""
    num_kinds = 1 + max(int(kinds.max(initial=0)) for kinds in of_all)
    most = np.min([np.bincount(kinds, minlength=num_kinds) for kinds in of_all], axis=0)
    own, numbers = np.unique(of_all[0], return_inverse=True)
    return np.stack([numbers, most[own][numbers]], axis=1)


def _edge_kinds(edges: tuple[Ints, Ints, Ints], back: Ints, kinds: Ints, num_kinds: int) -> Ints:
    """A number for each edge: equal where its ends' kinds and its own are, from whichever end it is seen."""
    source, target, own = edges
    result: Ints = np.minimum(
        (own * num_kinds + kinds[source]) * num_kinds + kinds[target],
        (back * num_kinds + kinds[target]) * num_kinds + kinds[source],
    )
    return result
