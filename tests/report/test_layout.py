import networkx as nx
import numpy as np
import pytest
import torch

from protograph.report.layout import layout, pairwise_gaps, undirected_edges


def lengths(positions, edges):
    u, v = np.array(edges).T
    return np.hypot(*(positions[u] - positions[v]).T)


def crossings(positions, edges):
    """Pairs of edges that cross, counted one by one."""

    def turn(a, b, c):
        (ax, ay), (bx, by), (cx, cy) = positions[[a, b, c]]
        return np.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))

    number = 0
    for i, (a, b) in enumerate(edges):
        for c, d in edges[:i]:
            if len({a, b, c, d}) == 4:
                number += turn(a, b, c) != turn(a, b, d) and turn(c, d, a) != turn(c, d, b)
    return number


@pytest.mark.parametrize("size", [3, 5, 6, 12])
def test_rings_are_rings(size, graph_of):
    edges = [(i, (i + 1) % size) for i in range(size)]
    positions = layout(graph_of(edges, num_nodes=size))
    assert np.ptp(lengths(positions, edges)) < 0.02
    assert np.ptp(np.hypot(*(positions - positions.mean(axis=0)).T)) < 0.02


def test_a_house_stands_upright(house):
    positions = layout(house.graph)
    roof, *walls = positions[:, 1]
    assert roof > max(walls) + 0.5
    assert positions[3, 1] == pytest.approx(positions[4, 1], abs=0.05)
    assert lengths(positions, undirected_edges(house.graph)[0]) == pytest.approx(np.ones(6), abs=0.15)


@pytest.mark.parametrize(
    "network",
    [
        nx.grid_2d_graph(3, 3),
        nx.random_labeled_tree(30, seed=1),
        nx.ladder_graph(6),
        nx.star_graph(8),
        nx.wheel_graph(7),
    ],
    ids=["grid", "tree", "ladder", "star", "wheel"],
)
def test_planar_graphs_have_no_crossings(network, graph_of):
    edges = list(nx.convert_node_labels_to_integers(network).edges())
    assert crossings(layout(graph_of(edges, num_nodes=len(network))), edges) == 0


def test_no_two_nodes_share_a_place(graph_of):
    for network in (nx.star_graph(9), nx.complete_graph(7), nx.complete_bipartite_graph(3, 4), nx.empty_graph(7)):
        gaps = pairwise_gaps(layout(graph_of(list(network.edges()), num_nodes=len(network))))
        assert gaps[np.triu_indices(len(network), 1)].min() > 0.3


def test_parts_that_no_edge_joins_lie_apart(graph_of):
    ring = [(i, (i + 1) % 6) for i in range(6)]
    positions = layout(graph_of([*ring, (6, 7), (7, 8)], num_nodes=11))
    parts = [positions[:6], positions[6:9], positions[9:10], positions[10:]]
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in parts]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert ((low > other_high + 0.5) | (other_low > high + 0.5)).any()


def test_the_prototype_keeps_its_shape_inside_its_source(house, explain):
    source = explain().source_graphs[17]
    edges = undirected_edges(house.graph)[0]
    positions = layout(source, house.nodes, edges)
    assert lengths(positions, edges) == pytest.approx(lengths(layout(house.graph), edges), abs=0.05)


def test_graphs_without_nodes_or_with_one(graph_of):
    assert layout(graph_of([], num_nodes=0)).shape == (0, 2)
    assert layout(graph_of([], num_nodes=1)).tolist() == [[0, 0]]
    assert layout(graph_of([(0, 0)], num_nodes=1)).tolist() == [[0, 0]]


def test_a_graph_with_positions_keeps_them(graph_of):
    own = torch.tensor([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]])
    assert layout(graph_of([(0, 1), (1, 2)], pos=own, num_nodes=3)).tolist() == [[0, 0], [1, 0], [1, 1]]


@pytest.mark.parametrize("size", [20, 90])
def test_a_layout_is_always_the_same(size, graph_of):
    graph = graph_of(list(nx.barabasi_albert_graph(size, 2, seed=2).edges()), num_nodes=size)
    assert np.array_equal(layout(graph), layout(graph))


def test_the_graph_around_does_not_fold_the_prototype(graph_of):
    house = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)]
    houses = [*house, *((u + 5, v + 5) for u, v in house), (4, 8)]
    # Nodes 10 and 11 join the far ends of two houses, as a backbone does.
    around = [(10, 0), (10, 5), (10, 7), (11, 1), (11, 6), (11, 9), (10, 11)]
    positions = layout(graph_of([*houses, *around], num_nodes=12), range(10), np.array(houses))
    assert crossings(positions, houses) == 0
    assert lengths(positions, houses) == pytest.approx(np.ones(13), abs=0.4)


def test_a_ring_that_is_closed_outside_the_prototype_stays_round(graph_of):
    ring = [(i, (i + 1) % 6) for i in range(6)]
    positions = layout(graph_of(ring, num_nodes=6), range(5), np.array(ring[:4]))
    assert np.ptp(lengths(positions, ring)) < 0.25
