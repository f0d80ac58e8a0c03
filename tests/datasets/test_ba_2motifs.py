import networkx as nx
import numpy as np
import pytest
import torch

from protograph import datasets

HOUSE = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)])


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("ba-2motifs", num_graphs=40)


def as_networkx(graph, nodes=None):
    result = nx.Graph(graph.edge_index.T.tolist())
    result.add_nodes_from(range(graph.num_nodes))
    return result if nodes is None else result.subgraph(nodes)


def test_each_graph_has_its_motif_on_a_forest_of_20_nodes(dataset):
    for graph in dataset:
        whole, marked = as_networkx(graph), graph.node_mask.nonzero().flatten().tolist()
        assert whole.number_of_nodes() == 25
        expected = HOUSE if int(graph.y) == 0 else nx.cycle_graph(5)
        assert nx.is_isomorphic(whole.subgraph(marked), expected)
        backbone = whole.subgraph(set(whole) - set(marked))
        assert nx.is_forest(backbone)  # PyG lets a new node draw itself, and leaves that self-loop out
        assert nx.number_connected_components(whole) == nx.number_connected_components(backbone)
        assert torch.equal(graph.edge_mask, graph.node_mask[graph.edge_index].all(dim=0))


def test_truths_are_the_motifs(dataset):
    assert nx.is_isomorphic(as_networkx(dataset.ground_truths[0][0]), HOUSE)
    assert nx.is_isomorphic(as_networkx(dataset.ground_truths[1][0]), nx.cycle_graph(5))


def test_the_seed_alone_decides_and_no_global_generator_is_touched(dataset):
    state, rng = torch.get_rng_state(), np.random.get_state()[1].copy()
    again = datasets.load("ba-2motifs", num_graphs=10)
    assert torch.equal(torch.get_rng_state(), state)
    assert np.array_equal(np.random.get_state()[1], rng)
    assert all(torch.equal(a.edge_index, b.edge_index) for a, b in zip(again, dataset[:10], strict=True))
    other = datasets.load("ba-2motifs", num_graphs=10, random_state=1)
    assert not all(torch.equal(a.edge_index, b.edge_index) for a, b in zip(again, other, strict=True))


def test_too_few():
    with pytest.raises(ValueError, match=r"^num_graphs must be at least 1, got 0$"):
        datasets.load("ba-2motifs", num_graphs=0)
