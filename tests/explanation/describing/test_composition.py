import networkx as nx
import pytest

from protograph.explanation.describing.composition import compose, counts_of_kinds, structure

PARTS = ("head", "body", "backbone")
ATOMS = ("C", "N", "O", "H")
BULL = nx.Graph([(0, 1), (1, 2), (2, 0), (0, 3), (1, 4)])


@pytest.mark.parametrize(
    ("graph", "kinds", "text"),
    [
        (nx.house_graph(), [1, 1, 1, 1, 0], "a house of four body nodes and one head node"),
        (nx.path_graph(1), [0], "one head node"),
        (nx.path_graph(2), [1, 1], "two joined body nodes"),
        (nx.path_graph(2), [1, 0], "one head node joined to one body node"),
        (nx.path_graph(3), [1, 1, 0], "two body nodes and one head node in a path"),
        (nx.cycle_graph(6), [2] * 6, "six backbone nodes in a ring"),
        (nx.complete_graph(4), [1] * 4, "a clique of four body nodes"),
        (nx.star_graph(3), [0, 1, 1, 1], "a star of three body nodes and one head node"),
        (nx.wheel_graph(5), [1] * 5, "a wheel of five body nodes"),
        (nx.ladder_graph(3), [1] * 6, "a two by three grid of six body nodes"),
        (nx.balanced_tree(2, 2), [1] * 7, "a tree of seven body nodes"),
        (BULL, [1, 1, 1, 0, 0], "three body nodes in a ring, with two head nodes"),
        (BULL, [1, 0, 1, 0, 1], "three body and two head nodes (five nodes, five edges, of which one closes a ring)"),
        (
            nx.petersen_graph(),
            [1] * 9 + [0],
            "nine body and one head node (ten nodes, 15 edges, of which six close rings)",
        ),
    ],
)
def test_named_nodes_stand_with_their_structure(graph, kinds, text):
    assert compose(graph, kinds, PARTS) == text


@pytest.mark.parametrize(
    ("graph", "kinds", "text"),
    [
        (nx.cycle_graph(6), [0] * 6, "six carbons in a ring"),
        (nx.cycle_graph(6), [0, 0, 1, 0, 0, 0], "five carbons and one nitrogen in a ring"),
        (nx.path_graph(1), [0], "one carbon"),
        (nx.path_graph(2), [2, 0], "carbon joined to oxygen"),
        (nx.path_graph(2), [0, 0], "two joined carbons"),
        (BULL, [0, 0, 1, 0, 1], "three carbons, two nitrogens (five nodes, five edges, of which one closes a ring)"),
        (nx.empty_graph(2), [0, 0], "two carbons (two nodes, no edges, in two parts)"),
    ],
)
def test_atoms_have_their_english_names(graph, kinds, text):
    assert compose(graph, kinds, ATOMS) == text


def test_without_names_only_the_structure_is_said():
    assert compose(nx.house_graph(), None, PARTS) == "a house"
    assert compose(nx.house_graph(), [1, 1, 1, 1, 0], ()) == "a house"
    assert compose(BULL, None, ()) == "five nodes, five edges, of which one closes a ring"
    assert compose(nx.Graph(), [], PARTS) == "an empty graph"


def test_motifs_are_seen_without_the_nodes_of_one_other_kind():
    houses = nx.disjoint_union_all([nx.house_graph(), nx.house_graph(), nx.path_graph(3)])
    kinds = [1, 1, 1, 1, 0] * 2 + [2] * 3
    houses.add_edges_from([(0, 10), (1, 11), (5, 11), (6, 12)])
    assert compose(houses, kinds, PARTS) == (
        "two houses (eight body nodes and two head nodes), with three backbone nodes"
    )
    houses.remove_edge(0, 1)
    # A ring of five and a house are not equal, and no longer one motif.
    assert compose(houses, kinds, PARTS) == (
        "eight body, three backbone and two head nodes (13 nodes, 17 edges, of which five close rings)"
    )


def test_sizes_and_rings_are_counted():
    assert structure(nx.complete_graph(13)) == "13 nodes, 78 edges, of which 66 close rings"
    two = nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(2))
    assert structure(two) == "five nodes, four edges, of which one closes a ring, in two parts"
    assert structure(nx.path_graph(2)) == "two nodes, one edge"


def test_the_most_frequent_kind_comes_first_then_the_first_column():
    assert counts_of_kinds([2, 1, 2, 0], PARTS) == ["two backbone nodes", "one head node", "one body node"]
    assert counts_of_kinds([0, 3], ATOMS, word="further ") == ["one further carbon", "one further hydrogen"]
    assert counts_of_kinds([], ATOMS) == []


def test_hostile_names_are_text():
    names = ("{0.__class__}\n%s", "<script>" + "a" * 1000)
    assert compose(nx.house_graph(), [0, 0, 0, 0, 1], names) == (
        f"a house of four {{0.__class__}} %s nodes and one <script>{'a' * 29}... node"
    )
