"""Common motifs of a graph's structure, recognised exactly."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import networkx
import torch
from torch_geometric.data import Data

from protograph._base.words import counted, listed, number_word
from protograph.patterns.isomorphism import same_graph

# Larger graphs get no name: nobody sees a motif in them, and the search is exact.
MAX_NODES = 60
# Bounds the time that a smallest basis of cycles takes; larger ring systems are told by their composition.
MAX_RINGS = 12


@dataclass(frozen=True)
class Motif:
    """A motif in words.

    Attributes:
        name: What it is called by itself.
        plural: What several of them are called.
        before: What stands before the nodes, where they are named.
        after: What stands after them.
    """

    name: str
    plural: str
    before: str
    after: str = ""


# A connected graph of one or two nodes is this.
TRIVIAL = {
    1: Motif("a single node", "single nodes", ""),
    2: Motif("two joined nodes", "pairs of joined nodes", ""),
}


def simple_graph(graph: Data) -> Any:
    """The graph as an undirected :class:`networkx.Graph` without self-loops, every edge once.

    >>> import torch
    >>> simple_graph(Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 1]]), num_nodes=3)).edges
    EdgeView([(0, 1)])
    """
    result = networkx.Graph()
    result.add_nodes_from(range(int(graph.num_nodes or 0)))
    if graph.edge_index is not None:
        result.add_edges_from((u, v) for u, v in graph.edge_index.T.tolist() if u != v)
    return result


def find_motif(graph: Any) -> Motif | None:
    """The motif that a whole graph is; ``None`` where it is none of the known ones, in parts, or too large.

    >>> find_motif(networkx.house_graph()).name, find_motif(networkx.cycle_graph(6)).name
    ('a house', 'a ring of six nodes')
    >>> find_motif(networkx.petersen_graph())
    """
    if not 0 < len(graph) <= MAX_NODES or not networkx.is_connected(graph):
        return None
    tree = _motif("tree", f" of {counted(len(graph), 'node')}") if graph.size() == len(graph) - 1 else None
    return _known(graph) or _joined(graph) or tree


def _motif(noun: str, rest: str = "") -> Motif:
    return Motif(f"a {noun}{rest}", f"{noun}s{rest}", f"a {noun} of ")


def _known(graph: Any) -> Motif | None:
    if len(graph) in TRIVIAL:
        return TRIVIAL[len(graph)]
    for candidate, motif in _candidates(len(graph)):
        if is_same(graph, candidate):
            return motif
    rings = fused_rings(graph)
    return None if rings is None else _fused(rings)


def _candidates(n: int) -> list[tuple[Any, Motif]]:
    """Known graphs of n nodes. Of equal ones the first counts: a clique of three is a ring, and 2 x 2 is too."""
    nodes = f" of {counted(n, 'node')}"
    grids = [(rows, n // rows) for rows in range(2, n) if rows * rows <= n and n % rows == 0]
    return [
        (networkx.path_graph(n), Motif(f"a path{nodes}", f"paths{nodes}", "", " in a path")),
        (networkx.cycle_graph(n), Motif(f"a ring{nodes}", f"rings{nodes}", "", " in a ring")),
        (networkx.star_graph(n - 1), _motif("star", f" with {number_word(n - 1)} leaves")),
        (networkx.complete_graph(n), _motif("clique", nodes)),
        (networkx.house_graph(), _motif("house")),
        (networkx.wheel_graph(n), _motif("wheel", f" with {number_word(n - 1)} spokes")),
        *((networkx.grid_2d_graph(*sizes), _grid(*map(number_word, sizes))) for sizes in grids),
    ]


def _grid(rows: str, columns: str) -> Motif:
    size = f"{rows} by {columns}"
    return Motif(f"a grid of {size} nodes", f"grids of {size} nodes", f"a {size} grid of ")


def is_same(first: Any, second: Any) -> bool:
    """Whether two graphs are isomorphic.

    >>> is_same(networkx.grid_2d_graph(2, 3), networkx.ladder_graph(3))
    True
    """
    # Degrees differ in most cases, and cost next to nothing.
    if sorted(degree for _, degree in first.degree) != sorted(degree for _, degree in second.degree):
        return False
    return same_graph(_as_data(first), _as_data(second))


def _as_data(graph: Any) -> Data:
    edges = list(networkx.convert_node_labels_to_integers(graph).edges)
    return Data(edge_index=torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T, num_nodes=len(graph))


def fused_rings(graph: Any) -> tuple[int, ...] | None:
    """Sizes of two or more rings that share edges, as in naphthalene; ``None`` where a graph is no such thing.

    Two of the rings share one edge or nothing, and together they have one rim that is longer than each of them, so
    that it is clear which cycles are the rings.

    >>> fused_rings(networkx.house_graph()), fused_rings(networkx.complete_graph(4))
    ((3, 4), None)
    """
    num_rings = graph.size() - len(graph) + 1
    if not 2 <= num_rings <= MAX_RINGS or len(graph) > MAX_NODES or not networkx.is_biconnected(graph):
        return None
    # No smallest cycle has a chord: all edges between its nodes are its own.
    rings = [graph.subgraph(nodes) for nodes in networkx.minimum_cycle_basis(graph)]
    for first, second in combinations(rings, 2):
        shared = set(first) & set(second)
        if shared and (len(shared) != 2 or not graph.has_edge(*shared)):
            return None
    uses = Counter(frozenset(edge) for ring in rings for edge in ring.edges)
    rim = networkx.Graph(tuple(edge) for edge, count in uses.items() if count == 1)
    if max(uses.values()) > 2 or not _is_ring(rim) or len(rim) <= max(map(len, rings)):
        return None
    return tuple(sorted(map(len, rings)))


def _is_ring(graph: Any) -> bool:
    return len(graph) > 2 and all(degree == 2 for _, degree in graph.degree) and networkx.is_connected(graph)


def _fused(rings: tuple[int, ...]) -> Motif:
    number, sizes = number_word(len(rings)), ring_sizes(rings)
    sets = "pairs of fused rings" if len(rings) == 2 else f"sets of {number} fused rings"
    return Motif(f"{number} fused rings of {sizes}", f"{sets} of {sizes}", "", f" in {number} fused rings of {sizes}")


def ring_sizes(rings: tuple[int, ...]) -> str:
    """Sizes of rings in words, each once.

    >>> ring_sizes((6, 6)), ring_sizes((5, 6, 6))
    ('six', 'five and six')
    """
    return listed([number_word(size) for size in sorted(set(rings))])


def _joined(graph: Any) -> Motif | None:
    """Two equal motifs joined by an edge. At most one edge can halve a graph, so nothing is left to chance."""
    for bridge in networkx.bridges(graph):
        rest = graph.copy()
        rest.remove_edge(*bridge)
        halves = [rest.subgraph(nodes) for nodes in networkx.connected_components(rest)]
        if len(halves[0]) != len(halves[1]):
            continue
        first, second = (_known(half) for half in halves)
        # Three fused rings can lie in a row or around a corner under one name, so that graphs are compared too.
        if first is not None and first == second and len(halves[0]) not in TRIVIAL and is_same(*halves):
            name = f"two {first.plural} joined by an edge"
            return Motif(name, f"pairs of {first.plural} joined by an edge", f"{name}, of ")
    return None
