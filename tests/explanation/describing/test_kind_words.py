import torch
from torch_geometric.data import Data

from protograph.explanation import Pattern
from protograph.explanation.describing.kind_words import NodeWords, kind_words
from protograph.graphs.conditions import EdgeRule
from tests.metrics.small_graphs import path

EDGE = torch.tensor([[0, 1], [1, 0]])


def test_nodes_without_features_are_nodes():
    words = kind_words(Pattern(graph=path(2)))
    assert (words.nodes, words.edges, words.are_atoms, words.unsaid) == ((NodeWords(),) * 2, {(0, 1): ""}, False, ())
    assert (words.sign(1, 0), words.edge_noun) == ("-", "edge")


def test_atoms_have_their_names_and_bonds_their_signs():
    graph = path(3, kinds=[0, 1, 2], bonds=[0, 1])
    names = {"feature_names": ("C", "Na", "*"), "edge_names": ("Double", "odd", "single")}
    words = kind_words(Pattern(graph=graph, edge_rule=EdgeRule(is_matched=True), **names))
    assert words.nodes == (
        NodeWords("carbon", "carbons", "C"),
        NodeWords("sodium", "sodium atoms", "Na"),
        NodeWords("other atom", "other atoms", "*"),
    )
    assert (words.edges, words.edge_noun) == ({(0, 1): "double", (1, 2): "odd"}, "bond")
    assert (words.sign(1, 0), words.sign(1, 2)) == ("=", "-[odd]-")


def test_columns_without_a_colour_count_besides():
    graph = Data(x=torch.tensor([[1.0, 0.0, 0.3], [0.0, 1.0, 0.7]]), edge_index=EDGE)
    names = ("dark", "bright", "place")
    words = kind_words(Pattern(graph=graph, feature_names=names), ("#000000", "#FFFFFF", ""))
    assert [node.short for node in words.nodes] == ["dark", "bright"]
    assert words.unsaid == ("other features",)


def test_edges_that_words_cannot_tell_are_said_to_count():
    matched = EdgeRule(is_matched=True)
    for attr, rule, names, unsaid in [
        (torch.tensor([[0.5, 2.0]] * 2), matched, (), ("edge attributes",)),
        (torch.tensor([[0.5, 2.0]] * 2), matched, ("length", "angle"), ("length", "angle")),
        (torch.tensor([[0.5], [0.5]]), EdgeRule(is_matched=True, cuts=((1.0,),)), ("length",), ("length",)),
        (torch.tensor([[1.0], [2.0]]), matched, ("length",), ("length",)),  # another there than back
    ]:
        pattern = Pattern(graph=Data(edge_index=EDGE, edge_attr=attr, num_nodes=2), edge_rule=rule, edge_names=names)
        words = kind_words(pattern)
        assert (words.unsaid, words.edges) == (unsaid, {(0, 1): ""})


def test_a_number_is_said_with_its_column():
    pattern = Pattern(
        graph=Data(x=torch.tensor([2, 7]), edge_index=EDGE, edge_attr=torch.tensor([3, 3])),
        edge_rule=EdgeRule(is_matched=True),
        feature_names=("age",),
        edge_names=("years",),
    )
    words = kind_words(pattern)
    assert [node.one for node in words.nodes] == ["node of age 2", "node of age 7"]
    assert words.edges == {(0, 1): "years 3"}
