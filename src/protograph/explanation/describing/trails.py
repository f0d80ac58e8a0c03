"""A small graph written out: trails that go along every edge once, its nodes numbered."""

from collections.abc import Callable, Sequence
from itertools import pairwise

Edge = tuple[int, int]


def trails(num_nodes: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Walks that together use each edge of a connected graph once; the graph is told by them.

    A walk begins at a node where an odd number of edges is left, if there is one, and goes on as long as it can.

    >>> trails(4, [(0, 1), (1, 2), (0, 2), (2, 3)])
    [[2, 0, 1, 2, 3]]
    >>> trails(1, [])
    [[0]]
    """
    left: dict[int, list[int]] = {node: [] for node in range(num_nodes)}
    for u, v in sorted((min(edge), max(edge)) for edge in edges):
        left[u].append(v)
        left[v].append(u)
    walks = []
    seen: set[int] = set()
    while any(left.values()):
        # What was met before comes first, so that the walks hang together.
        starts = [node for node in left if left[node] and (node in seen or not seen)]
        node = min(starts, key=lambda one: (len(left[one]) % 2 == 0, -len(left[one]), one))
        walk = [node]
        while left[node]:
            following = left[node][0]
            left[node].remove(following)
            left[following].remove(node)
            node = following
            walk.append(node)
        seen.update(walk)
        walks.append(walk)
    return walks or [[0]]


def written(
    num_nodes: int, edges: Sequence[Edge], token: Callable[[int, int], str], sign: Callable[[int, int], str]
) -> tuple[str, list[str], list[int]]:
    """A graph as text, what each node is called there, and its number.

    Args:
        num_nodes: Number of nodes.
        edges: Its edges, each once.
        token: What a node is called, by the node and its number in the text, from 1.
        sign: What stands between two nodes that are joined.

    >>> written(3, [(0, 1), (1, 2), (0, 2)], lambda node, number: f"C{number}", lambda u, v: "-")
    ('C1-C2-C3-C1', ['C1', 'C2', 'C3'], [1, 2, 3])
    """
    walks = trails(num_nodes, edges)
    numbers = {node: number for number, node in enumerate(dict.fromkeys(n for walk in walks for n in walk), start=1)}
    names = [token(node, numbers[node]) for node in range(num_nodes)]
    texts = []
    for walk in walks:
        text = names[walk[0]]
        for first, second in pairwise(walk):
            text += f"{sign(first, second)}{names[second]}"
        texts.append(text)
    return ", ".join(texts), names, [numbers[node] for node in range(num_nodes)]
