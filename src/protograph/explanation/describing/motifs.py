"""A graph by its structure, common motifs recognised exactly, and by how many nodes of each kind it has."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import networkx
from torch_geometric.data import Data
from torch_geometric.utils import from_networkx

from protograph._utils.words import clean_name, counted, listed, number_word
from protograph.graphs.elements import are_atoms, counted_atoms, element_name
from protograph.graphs.names import by_frequency
from protograph.patterns.subgraph_isomorphism import same_graph

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
        is_exact: Whether all graphs of this name are the same.
    """

    name: str
    plural: str
    before: str
    after: str = ""
    is_exact: bool = True


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
    result = networkx.empty_graph(int(graph.num_nodes or 0))
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
    of_nodes = f" of {counted(len(graph), 'node')}"
    tree = _motif("tree", of_nodes, is_exact=False) if graph.size() == len(graph) - 1 else None
    return _known(graph) or _joined(graph) or tree


def _motif(noun: str, rest: str = "", *, is_exact: bool = True) -> Motif:
    return Motif(f"a {noun}{rest}", f"{noun}s{rest}", f"a {noun} of ", is_exact=is_exact)


def _known(graph: Any) -> Motif | None:
    if len(graph) in TRIVIAL:
        return TRIVIAL[len(graph)]
    known = next((motif for candidate, motif in _candidates(len(graph)) if is_same(graph, candidate)), None)
    rings = fused_rings(graph) if known is None else None
    if rings is None:
        return known
    number, sizes = number_word(len(rings)), ring_sizes(rings)
    sets = "pairs of fused rings" if len(rings) == 2 else f"sets of {number} fused rings"
    inside = f" in {number} fused rings of {sizes}"
    # Three may lie in a row or around a corner.
    return Motif(f"{number} fused rings of {sizes}", f"{sets} of {sizes}", "", inside, is_exact=len(rings) == 2)


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
        *((networkx.grid_2d_graph(*sizes), _grid(" by ".join(map(number_word, sizes)))) for sizes in grids),
    ]


def _grid(size: str) -> Motif:
    return Motif(f"a grid of {size} nodes", f"grids of {size} nodes", f"a {size} grid of ")


def is_same(first: Any, second: Any) -> bool:
    """Whether two graphs are isomorphic.

    >>> is_same(networkx.grid_2d_graph(2, 3), networkx.ladder_graph(3))
    True
    """
    # Degrees differ in most cases, and cost next to nothing.
    may_be = sorted(degree for _, degree in first.degree) == sorted(degree for _, degree in second.degree)
    return may_be and same_graph(from_networkx(first), from_networkx(second))


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
    shared = [set(first) & set(second) for first, second in combinations(rings, 2)]
    if any(nodes and (len(nodes) != 2 or not graph.has_edge(*nodes)) for nodes in shared):
        return None
    uses = Counter(frozenset(edge) for ring in rings for edge in ring.edges)
    rim = networkx.Graph(tuple(edge) for edge, count in uses.items() if count == 1)
    is_clear = max(uses.values()) <= 2 and len(rim) > max(map(len, rings))
    is_ring = is_clear and all(degree == 2 for _, degree in rim.degree) and networkx.is_connected(rim)
    return tuple(sorted(map(len, rings))) if is_ring else None


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
            # In a ring and in a clique it does not matter which node the edge begins at.
            is_exact = len({degree for _, degree in halves[0].degree}) == 1
            return Motif(name, f"pairs of {first.plural} joined by an edge", f"{name}, of ", is_exact=is_exact)
    return None


def compose(graph: Any, kinds: Sequence[int] | None, feature_names: Sequence[str]) -> str:
    """Say what a graph is: its motif where it is a known one, else its size, and the kinds of its nodes.

    Args:
        graph: A :class:`networkx.Graph` of the nodes 0, 1, ... without self-loops.
        kinds: Column of each node; ``None`` where it is not known.
        feature_names: Names of the columns; empty where they have none.

    >>> house = networkx.house_graph()
    >>> compose(house, None, ())
    'a house'
    >>> compose(house, [1, 1, 1, 1, 0], ("head", "body"))
    'a house of four body nodes and one head node'
    """
    if len(graph) == 0:
        return "an empty graph"
    motif = find_motif(graph)
    if kinds is None or not feature_names:
        return structure(graph) if motif is None else motif.name
    if motif is not None:
        return _of_kinds(motif, graph, kinds, feature_names)
    without_a_kind = _motifs_of_some_kinds(graph, kinds, feature_names)
    return without_a_kind or f"{_plain_list(kinds, feature_names)} ({structure(graph)})"


def structure(graph: Any) -> str:
    """Sizes of a graph that has no name.

    >>> structure(networkx.petersen_graph()), structure(networkx.Graph([(0, 1), (2, 3)]))
    ('ten nodes, 15 edges, of which six close rings', 'four nodes, two edges, in two parts')
    """
    num_parts = networkx.number_connected_components(graph)
    # Edges beyond those that hold the parts together; each closes one independent ring.
    num_closing = graph.size() - len(graph) + num_parts
    text = f"{counted(len(graph), 'node')}, {counted(graph.size(), 'edge')}"
    if num_closing:
        text += f", of which {number_word(num_closing)} {'closes a ring' if num_closing == 1 else 'close rings'}"
    return text if num_parts == 1 else f"{text}, in {number_word(num_parts)} parts"


def counts_of_kinds(kinds: Sequence[int], feature_names: Sequence[str], *, word: str = "") -> list[str]:
    """How many nodes there are of each kind, most frequent first.

    >>> counts_of_kinds([0, 0, 1], ("body", "head")), counts_of_kinds([0, 0, 1], ("C", "O"))
    (['two body nodes', 'one head node'], ['two carbons', 'one oxygen'])
    """
    tally = by_frequency(kinds)
    if are_atoms(feature_names):
        return [counted_atoms(number, feature_names[kind], word=word) for kind, number in tally]
    return [counted(number, f"{word}{clean_name(feature_names[kind])} node") for kind, number in tally]


def _plain_list(kinds: Sequence[int], feature_names: Sequence[str]) -> str:
    """Kinds beside a structure that has no name: "three carbons, one nitrogen", "four body and one head node"."""
    if are_atoms(feature_names):
        return ", ".join(counts_of_kinds(kinds, feature_names))
    tally = by_frequency(kinds)
    names = listed([f"{number_word(number)} {clean_name(feature_names[kind])}" for kind, number in tally])
    return f"{names} {'node' if tally[-1][1] == 1 else 'nodes'}"


def _of_kinds(motif: Motif, graph: Any, kinds: Sequence[int], feature_names: Sequence[str]) -> str:
    if len(graph) != 2:
        return f"{motif.before}{listed(counts_of_kinds(kinds, feature_names))}{motif.after}"
    if kinds[0] == kinds[1]:
        return counts_of_kinds(kinds, feature_names, word="joined ")[0]
    if are_atoms(feature_names):
        return " joined to ".join(element_name(feature_names[kind]) for kind in sorted(kinds))
    return " joined to ".join(counts_of_kinds(kinds, feature_names))


def _motifs_of_some_kinds(graph: Any, kinds: Sequence[int], feature_names: Sequence[str]) -> str | None:
    """Equal motifs that are left when the nodes of one kind are taken away, such as houses without their backbone."""
    for kind in sorted(set(kinds)):
        left = graph.subgraph([node for node in graph if kinds[node] != kind])
        motifs = [find_motif(left.subgraph(nodes)) for nodes in networkx.connected_components(left)]
        (motif, number), *others = Counter(motifs).most_common() or [(None, 0)]
        # Paths and trees are left of nearly every graph, and say nothing.
        if others or motif is None or left.size() < len(left):
            continue
        inner = listed(counts_of_kinds([kinds[node] for node in left], feature_names))
        outer = listed(counts_of_kinds([kind] * (len(graph) - len(left)), feature_names))
        one, several = f"{motif.before}{inner}{motif.after}", f"{number_word(number)} {motif.plural} ({inner})"
        return f"{one if number == 1 else several}, with {outer}"
    return None
