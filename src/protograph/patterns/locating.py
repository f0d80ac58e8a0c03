"""Where exactly a pattern lies in one graph: the nodes of each place, in the order of the pattern's own."""

from collections.abc import Collection, Iterator

from protograph.graphs.encoding import EncodedGraph
from protograph.patterns.containment import neighbours_of


def places_of(
    pattern: EncodedGraph,
    graph: EncodedGraph,
    *,
    induced: bool = False,
    closed: Collection[int] = (),
    max_calls: int = 20_000,
) -> Iterator[tuple[int, ...]]:
    """The places of a small pattern in a graph, one for each set of nodes, until so many nodes have been placed.

    Args:
        pattern: A connected pattern, encoded as the graph is.
        graph: The graph.
        induced: Whether nodes that are not joined in the pattern must not be joined in the graph.
        closed: Nodes of the pattern that must have no other neighbours in the graph.
        max_calls: Most nodes to place.
    """
    search = _Search(pattern, graph, induced, frozenset(closed), max_calls)
    seen = set[frozenset[int]]()
    for image in search.images():
        if (nodes := frozenset(image)) not in seen:
            seen.add(nodes)
            yield image


class _Search:
    """Places one node after the other, each next to an earlier one."""

    def __init__(
        self, pattern: EncodedGraph, graph: EncodedGraph, induced: bool, closed: frozenset[int], max_calls: int
    ) -> None:
        self._wanted, self._there = neighbours_of(pattern), neighbours_of(graph)
        self._wanted_kinds, self._kinds = pattern.node_kinds.tolist(), graph.node_kinds.tolist()
        self._induced, self._closed, self._left = induced, closed, max_calls
        self._order = self._ordered()

    def _ordered(self) -> list[int]:
        order = [max(range(len(self._wanted)), key=lambda node: len(self._wanted[node]), default=0)]
        while len(order) < len(self._wanted):
            near = {other for node in order for other in self._wanted[node]} - set(order)
            order.append(max(sorted(near), key=lambda node: len(self._wanted[node].keys() & set(order))))
        return order

    def images(self) -> Iterator[tuple[int, ...]]:
        """All images of the pattern, each as the nodes of the graph in the order of the pattern's nodes."""
        yield from self._extended({})

    def _extended(self, image: dict[int, int]) -> Iterator[tuple[int, ...]]:
        if len(image) == len(self._order):
            yield tuple(image[node] for node in range(len(image)))
            return
        node = self._order[len(image)]
        earlier = [other for other in self._wanted[node] if other in image]
        choices = sorted(self._there[image[earlier[0]]]) if earlier else range(len(self._there))
        taken = set(image.values())
        for choice in choices:
            if self._left <= 0:
                return
            self._left -= 1
            if choice not in taken and self._fits(node, choice, image):
                yield from self._extended({**image, node: choice})

    def _fits(self, node: int, choice: int, image: dict[int, int]) -> bool:
        wanted, there = self._wanted[node], self._there[choice]
        if self._wanted_kinds[node] != self._kinds[choice] or len(there) < len(wanted):
            return False
        if node in self._closed and len(there) > len(wanted):
            return False
        for other, place in image.items():
            if other in wanted:
                if there.get(place) != wanted[other]:
                    return False
            elif self._induced and place in there:
                return False
        return True
