import networkx as nx
import pytest

from protograph import datasets

# The authors' training split: nodes and directed edges a graph, by class; the last is Table 1, all graphs.
PUBLISHED = {0: (9.51, 26.96), 1: (12.51, 40.47), "all": (10.51, 31.44)}


def means(graphs):
    return (
        sum(graph.num_nodes for graph in graphs) / len(graphs),
        sum(graph.num_edges for graph in graphs) / len(graphs),
    )


def count_houses(graph):
    """Typed houses as a subgraph, induced or not, by an independent search."""
    whole = nx.Graph(graph.edge_index.T.tolist())
    nx.set_node_attributes(whole, dict(enumerate(graph.x.argmax(dim=1).tolist())), "role")
    house = nx.Graph([("roof", "a"), ("roof", "b"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    nx.set_node_attributes(house, {node: int(node != "roof") for node in house}, "role")
    matcher = nx.isomorphism.GraphMatcher(whole, house, node_match=lambda a, b: a == b)
    return len({frozenset(match) for match in matcher.subgraph_monomorphisms_iter()})


@pytest.mark.parametrize("seed", [0, 1, 4, 8])
def test_sizes_are_the_published_ones(seed):
    dataset = datasets.load("ba-house", random_state=seed)
    assert len(dataset) == 2000
    for label in (0, 1):
        graphs = dataset[dataset.labels == label]
        assert means(graphs) == pytest.approx(PUBLISHED[label], rel=0.02)
    assert means(dataset) == pytest.approx(PUBLISHED["all"], rel=0.02)
    assert {graph.num_nodes for graph in dataset} == set(range(5, 19))


def test_shares_are_those_of_the_authors():
    graphs = datasets.load("ba-house", num_graphs=1800)
    num_houses = [graph.motif.num_nodes // 5 for graph in graphs]
    assert [num_houses.count(count) for count in (0, 1, 2)] == [1205, 455, 140]


def test_class_1_contains_exactly_its_houses_and_class_0_none():
    for graph in datasets.load("ba-house", random_state=2, num_graphs=120):
        assert count_houses(graph) == graph.motif.num_nodes // 5


def test_class_0_has_two_to_four_nodes_of_a_house():
    dataset = datasets.load("ba-house", random_state=0, num_graphs=500)
    counts = [int(graph.x[:, :2].sum()) for graph in dataset if graph.y == 0]
    assert set(counts) == {2, 3, 4}


def test_ground_truths_are_one_house_and_two_joined_ones():
    one, two = datasets.load("ba-house", num_graphs=1).ground_truths[1]
    assert (one.num_nodes, one.num_edges) == (5, 12)
    assert (two.num_nodes, two.num_edges) == (10, 26)
    assert [count_houses(one), count_houses(two)] == [1, 2]
