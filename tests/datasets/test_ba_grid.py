import networkx as nx
import pytest

from protograph import datasets


def count_grids(graph):
    """Typed grids as a subgraph, induced or not, by an independent search."""
    whole = nx.Graph(graph.edge_index.T.tolist())
    nx.set_node_attributes(whole, dict(enumerate(graph.x.argmax(dim=1).tolist())), "role")
    grid = nx.grid_2d_graph(3, 3)
    nx.set_node_attributes(grid, {node: int(node != (1, 1)) for node in grid}, "role")
    matcher = nx.isomorphism.GraphMatcher(whole, grid, node_match=lambda a, b: a == b)
    return len({frozenset(match) for match in matcher.subgraph_monomorphisms_iter()})


@pytest.mark.parametrize("seed", [0, 6, 9])
def test_sizes_are_those_of_table_1(seed):
    dataset = datasets.load("ba-grid", random_state=seed)
    assert len(dataset) == 2000
    assert sum(graph.num_nodes for graph in dataset) == pytest.approx(29115, rel=0.02)
    assert sum(graph.num_edges for graph in dataset) == pytest.approx(91224, rel=0.02)


def test_class_1_contains_one_grid_and_class_0_none():
    for graph in datasets.load("ba-grid", random_state=2, num_graphs=90):
        assert count_grids(graph) == int(graph.y)


def test_class_0_has_six_to_eight_nodes_of_a_grid():
    dataset = datasets.load("ba-grid", random_state=0, num_graphs=500)
    counts = [int(graph.x[:, :2].sum()) for graph in dataset if graph.y == 0]
    assert set(counts) == {6, 7, 8}


def test_ground_truth_is_the_grid_with_its_head_in_the_centre():
    (grid,) = datasets.load("ba-grid", num_graphs=1).ground_truths[1]
    assert count_grids(grid) == 1
    assert (grid.num_nodes, grid.num_edges) == (9, 24)
    head = int(grid.x[:, 0].argmax())
    assert int((grid.edge_index[0] == head).sum()) == 4
