import networkx as nx
import numpy as np
import pytest
from torch_geometric.utils import to_networkx

from research.paper.costs import exponent, house_graphs, stage_seconds

HOUSE = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)])


@pytest.mark.parametrize("num_nodes", [8, 30])
def test_graphs_have_the_size_asked_for_and_a_house_or_all_of_it_but_an_edge(num_nodes):
    graphs = house_graphs(4, num_nodes, seed=3)
    assert [int(graph.y) for graph in graphs] == [0, 1, 0, 1]
    for graph in graphs:
        assert graph.num_nodes == num_nodes
        whole = to_networkx(graph, to_undirected=True)
        assert nx.is_connected(whole)
        motif = whole.subgraph((graph.x[:, 2] == 0).nonzero().flatten().tolist())
        assert nx.is_isomorphic(motif, HOUSE) == bool(graph.y)
        assert motif.number_of_edges() == 5 + int(graph.y)
        # Every backbone node but the first three brings two edges; one joins the house.
        assert whole.number_of_edges() == 2 * (num_nodes - 5) - 3 + motif.number_of_edges() + 1


def test_every_stage_is_timed():
    found = stage_seconds(40, 10, {"search": "walk", "num_clusters": 1}, num_runs=1)
    assert list(found) == ["fit", "selection", "search", "evidence", "all"]
    assert found["all"] > found["search"]


def test_exponents():
    values = [10, 100, 1000]
    assert exponent(values, [0.1, 1.0, 10.0]) == pytest.approx(1.0)
    assert exponent(values, [0.5, 0.5, 0.5]) == pytest.approx(0.0)
    # What takes hardly any time has none, and single such times do not make a line steep.
    assert exponent(values, [1e-6, 1e-5, 1e-4]) is None
    assert exponent([1, 10], [1e-9, 1e-2]) == pytest.approx(1.0)
    assert exponent([1], [1.0]) is None
    assert np.isfinite(exponent(values, [0.0, 0.0, 1.0]))
