"""A graph by its structure and by how many nodes of each kind it has."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import networkx

from protograph._base.words import clean_name, counted, listed, number_word
from protograph.explanation.describing.motifs import Motif, find_motif
from protograph.graphs.kinds import by_frequency
from protograph.molecules.elements import are_atoms, counted_atoms, element_name


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
    part = _motifs_of_some_kinds(graph, kinds, feature_names)
    return part or f"{_plain_list(kinds, feature_names)} ({structure(graph)})"


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
        several = f"{number_word(number)} {motif.plural} ({inner})"
        named = f"{motif.before}{inner}{motif.after}" if number == 1 else several
        return f"{named}, with {outer}"
    return None
