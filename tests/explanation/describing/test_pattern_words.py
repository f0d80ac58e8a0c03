from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.explanation import Pattern
from protograph.explanation.describing.pattern_words import pattern_words
from tests.explanation.by_hand import asking, complete, house, patterns
from tests.metrics.small_graphs import graph_of, grid, path, plain, ring

BONDS = {"bonds": ("aromatic", "single", "double")}
ATOMS = {"names": ("C", "N", "O")}
PARTS = {"names": ("body", "head", "arm")}


def star(leaves, **options):
    return graph_of(leaves + 1, [(0, leaf + 1) for leaf in range(leaves)], **options)


NAPHTHALENE = graph_of(10, [*((i, (i + 1) % 6) for i in range(6)), (5, 6), (6, 7), (7, 8), (8, 9), (9, 4)], [0] * 10)
TAIL = [(0, 1), (1, 2), (2, 0), (2, 3)]


@pytest.mark.parametrize(
    ("graph", "options", "words"),
    [
        (graph_of(1, []), {}, "a node"),
        (graph_of(1, []), {"closed": (0,)}, "a node without neighbours"),
        (graph_of(1, [], [0]), {"at_least": 7, **ATOMS}, "at least seven carbons"),
        (graph_of(1, [], [2]), {**PARTS}, "an arm node"),
        (path(2), {}, "an edge"),
        (path(2), {"closed": (1,)}, "a node with exactly one neighbour"),
        (path(2), {"closed": (0, 1)}, "a pair of nodes joined to each other and to nothing else"),
        (path(2, kinds=[2, 0]), ATOMS, "a carbon joined to an oxygen"),
        (path(2, kinds=[2, 0]), {"closed": (0,), **ATOMS}, "an oxygen whose only neighbour is a carbon"),
        (path(2, kinds=[2, 0]), {"closed": (0, 1), **ATOMS}, "a carbon joined to an oxygen and to nothing else"),
        (path(2, kinds=[0, 0]), {"at_least": 3, **ATOMS}, "at least three pairs of carbons joined to each other"),
        (star(4), {}, "a node with at least four neighbours"),
        (star(4), {"closed": (0,)}, "a node with exactly four neighbours"),
        (star(4), {"at_least": 2}, "a node joined to four others, in at least two places"),
        (star(4), {"kind": "induced"}, "a node joined to four others, none of them joined to each other"),
        (star(2), {"closed": (1,)}, "a node joined to a node and a node that has no other neighbour"),
        (star(2, kinds=[1, 2, 2]), ATOMS, "a nitrogen joined to two oxygens"),
        (star(3, kinds=[0, 2, 1, 2]), PARTS, "a body node joined to a head node and two arm nodes"),
        (
            star(2, kinds=[1, 2, 2]),
            {"closed": (1, 2), **ATOMS},
            "a nitrogen joined to two oxygens that have no other neighbours",
        ),
        (
            star(2, kinds=[1, 2, 2], bonds=[1, 2]),
            BONDS | ATOMS,
            "a nitrogen joined by a double bond to an oxygen and by a single bond to an oxygen",
        ),
        (
            path(2, kinds=[0, 2], bonds=[2]),
            {"names": ("0", "1", "2"), "bonds": ("0", "1", "2")},
            "a node of kind 0 joined by a 2 edge to a node of kind 2",
        ),
        (ring(3), {}, "a triangle"),
        (ring(3), {"at_least": 2}, "at least two triangles"),
        (ring(3, kinds=[0, 1, 0]), ATOMS, "a triangle of two carbons and one nitrogen"),
        (ring(3), {"closed": (0,)}, "a triangle, one of whose nodes has no other neighbour"),
        (ring(5), {}, "a ring of five nodes"),
        (ring(5), {"kind": "induced", "at_least": 2}, "at least two rings of five nodes without a chord"),
        (ring(5), {"at_least": 2}, "a ring of five nodes, in at least two places"),
        (ring(6, kinds=[0] * 6), ATOMS, "a ring of six carbons"),
        (
            ring(6, kinds=[0] * 5 + [1]),
            {"closed": (5,), **ATOMS},
            "a ring of five carbons and one nitrogen whose nitrogen has no other neighbour",
        ),
        (ring(6, kinds=[1, 0, 0, 1, 2, 0]), ATOMS, "a ring C-C-N-C-O-N"),
        (ring(6, kinds=[0] * 6, bonds=[0] * 6), BONDS | ATOMS, "a benzene ring"),
        (ring(5, kinds=[0] * 5, bonds=[1] * 5), BONDS | ATOMS, "a ring of five carbons, all its bonds single"),
        (ring(4), {"closed": (0, 2)}, "a ring of four nodes (1-2-3-4-1), where 2 and 4 have no other neighbours"),
        (ring(4), {"closed": (0, 1, 2, 3)}, "a ring of four nodes, none of whose nodes has another neighbour"),
        (path(4), {}, "a path of four nodes"),
        (path(4), {"closed": (0,)}, "a path of four nodes, one of whose ends has no other neighbour"),
        (path(4), {"closed": (0, 3)}, "a path of four nodes, whose ends have no other neighbours"),
        (path(4), {"kind": "induced"}, "a path of four nodes, with no other edge between its nodes"),
        (path(5, kinds=[2, 0, 1, 0, 0]), ATOMS, "a path C-C-N-C-O"),
        (path(4, kinds=[0, 0, 0, 2], bonds=[1, 1, 2]), BONDS | ATOMS, "a path C-C-C=O"),
        (house(), {}, "a house"),
        (house(), {"kind": "induced"}, "a house, with no other edge between its nodes"),
        (house(), {"closed": (4,)}, "a house (1-2-3-4-1-5-4), where 5 has no other neighbour"),
        (complete(4), {"kind": "induced", "at_least": 3}, "at least three cliques of four nodes"),
        (grid(2, 3), {}, "a grid of two by three nodes"),
        (NAPHTHALENE, ATOMS, "a part made of two fused rings of six, all of its nodes carbons"),
        (graph_of(4, TAIL), {}, "a triangle joined to a node"),
        (
            graph_of(4, TAIL, [0, 0, 0, 2]),
            {"closed": (3,), **ATOMS},
            "a triangle of three carbons joined to an oxygen that has no other neighbour",
        ),
        (
            graph_of(5, [(0, 1), (0, 2), (0, 3), (3, 4)], [0, 2, 2, 2, 1], num_kinds=4),
            {"names": ("S", "H", "O", "C"), "closed": (1, 2)},
            "a part made of three oxygens, one sulfur and one hydrogen (S1-O2-H3, S1-O4, S1-O5), where "
            "O4 and O5 have no other neighbours",
        ),
        (graph_of(5, [*TAIL, (3, 4)]), {}, "a part of five nodes (1-2-3-1-4-5)"),
        (
            complete(8),
            {"closed": (0, 1), "kind": "induced"},
            "a clique of eight nodes, two of whose nodes have no other neighbours",
        ),
        (
            grid(4, 5),
            {"closed": (0,), "kind": "induced"},
            "a grid of four by five nodes, joined as drawn, with no other edge between its nodes, of whose nodes some "
            "have no other neighbours",
        ),
    ],
)
def test_words_by_hand(graph, options, words):
    assert asking(graph, **options).describe() == words


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (Pattern(graph=house()), "no house"),
        (Pattern(graph=ring(3), at_least=2), "fewer than two triangles"),
        (Pattern(graph=house(), at_least=2), "a house in fewer than two places"),
        (Pattern(graph=path(2)), "no edge"),
    ],
)
def test_what_is_lacking_by_hand(pattern, words):
    assert pattern_words(pattern).absent == words


def test_names_from_the_data_are_told_on_one_line():
    pattern = asking(graph_of(1, [], [0]), ("a\nb\x1b", "c", "d"))
    assert pattern.describe() == "an a b node"


def renumbered(pattern, order):
    """The same pattern with its nodes in another order: node ``i`` becomes ``order[i]``."""
    own = {
        tuple(sorted((order[u], order[v]))): pattern.of_edges[(u, v) if order[u] < order[v] else (v, u)]
        for u, v in pattern.edges
    }
    return replace(
        pattern,
        graph=graph_of(pattern.num_nodes, sorted(own)),
        closed=tuple(sorted(order[node] for node in pattern.closed)),
        node_conditions=tuple(pattern.of_nodes[order.index(node)] for node in range(pattern.num_nodes)),
        edge_conditions=tuple(own[edge] for edge in sorted(own)),
    )


@settings(max_examples=30, deadline=None)
@given(patterns(max_nodes=5), st.data())
def test_words_do_not_depend_on_the_numbers_of_the_nodes(pattern, data):
    order = data.draw(st.permutations(range(pattern.num_nodes)))
    assert renumbered(pattern, order).describe() == pattern.describe()


def meaning(pattern):
    """What a pattern asks of a graph, the same for all patterns that ask the same."""
    kinds, edges = plain(pattern.graph)
    size, closed = pattern.num_nodes, set(pattern.closed)
    # Without pairs that are not joined, and where no node has other neighbours, the kind says nothing.
    is_open = pattern.kind == "part" or len(edges) == size * (size - 1) // 2 or len(closed) == size
    readings = []
    for order in permutations(range(size)):
        nodes = tuple((kinds[n], n in closed) for n in order)
        place = {node: number for number, node in enumerate(order)}
        joined = sorted(tuple(sorted(place[n] for n in pair)) for pair in edges)
        readings.append(repr((nodes, joined)))
    return min(readings), is_open, pattern.at_least


def test_all_small_shapes_have_words_of_their_own():
    """Every connected shape of up to four nodes of two kinds, closed or not, as a part or induced."""
    texts = {}
    for size in range(1, 5):
        pairs = [(u, v) for v in range(size) for u in range(v)]
        for chosen in range(2 ** len(pairs)):
            edges = [pair for number, pair in enumerate(pairs) if chosen >> number & 1]
            for kinds in {(0,) * size, (0,) * (size - 1) + (1,), (0, *(1,) * (size - 1))}:
                for closed in ((), (0,)):
                    for kind in ("part", "induced"):
                        graph = graph_of(size, edges, list(kinds))
                        try:
                            pattern = asking(graph, ("red", "blue", "x"), kind=kind, closed=closed)
                        except ValueError:  # not connected
                            continue
                        texts.setdefault(pattern.describe(), set()).add(repr(meaning(pattern)))
    assert [text for text, meanings in texts.items() if len(meanings) > 1] == []
    assert len(texts) > 180
    assert [text for text in texts if not text.startswith(("a ", "an "))] == []
