from collections import Counter

import numpy as np
import pytest
import torch

from protograph.datasets.ba import (
    BACKBONE,
    BACKBONE_SIZES,
    BACKBONE_WEIGHTS,
    BODY,
    HEAD,
    Motif,
    attach,
    barabasi_albert,
    connected_part,
    generate,
    links,
    motif_graph,
    shuffled_kinds,
)

SQUARE = Motif(roles=(HEAD, BODY, BODY, BODY), edges=((0, 1), (1, 2), (2, 3), (0, 3)))


def is_connected(num_nodes, edges):
    reached, frontier = {0}, {0}
    while frontier:
        frontier = {v for u, v in [*edges, *((v, u) for u, v in edges)] if u in frontier} - reached
        reached |= frontier
    return len(reached) == num_nodes


@pytest.mark.parametrize("num_nodes", range(3, 9))
def test_backbone_is_connected_and_each_new_node_brings_two_edges(num_nodes):
    for seed in range(20):
        edges = barabasi_albert(num_nodes, np.random.default_rng(seed))
        assert len({frozenset(edge) for edge in edges}) == 2 * num_nodes - 3 == len(edges)
        assert is_connected(num_nodes, edges)


def test_new_backbone_nodes_prefer_high_degrees():
    # After the fourth node, two corners of the triangle hold 3 of the 10 edge ends each; the third and the new
    # node hold 2 each. The fifth node takes those two with probability 2 * 2/10 * 2/8, against 1/6 by plain chance.
    rng = np.random.default_rng(0)
    graphs = [barabasi_albert(5, rng) for _ in range(6000)]
    low = 0
    for edges in graphs:
        fourth, fifth = ({u for u, v in edges if v == new} for new in (3, 4))
        low += not fourth & fifth
    assert low / 6000 == pytest.approx(1 / 10, abs=0.015)


def test_mean_backbone_is_what_the_authors_class_1_leaves():
    mean = float(BACKBONE_SIZES @ BACKBONE_WEIGHTS)
    assert mean == pytest.approx(12.51 - 5 * 735 / 595, abs=0.01)


def test_part_of_a_square_is_a_path():
    parts = [connected_part(SQUARE, 3, np.random.default_rng(seed)) for seed in range(200)]
    assert all(len(part.roles) == 3 and len(part.edges) == 2 for part in parts)
    assert all(is_connected(3, part.edges) for part in parts)
    # The corner left out is the head in a quarter of the cases; otherwise the head is kept.
    assert Counter(part.roles.count(HEAD) for part in parts)[0] == pytest.approx(50, abs=20)


def test_part_keeps_every_edge_between_its_nodes():
    assert set(connected_part(SQUARE, 4, np.random.default_rng(0)).edges) == set(SQUARE.edges)


def test_links_go_from_each_motif_node_with_the_given_probability():
    rng = np.random.default_rng(0)
    counts = [len(links(10, 5, 0.6, rng)) for _ in range(2000)]
    assert np.mean(counts) == pytest.approx(6.0, abs=0.15)


def test_motif_always_has_a_link():
    for seed in range(50):
        assert len(links(3, 4, 0.0, np.random.default_rng(seed))) == 1


def test_attached_motif_is_marked_in_the_order_of_its_nodes():
    for seed in range(20):
        graph = attach(SQUARE, 1, 0.5, np.random.default_rng(seed))
        nodes = graph.node_mask.nonzero().flatten()
        assert torch.equal(graph.x[nodes], graph.motif.x)
        assert torch.equal(graph.edge_index[:, graph.edge_mask], nodes[graph.motif.edge_index])
        assert graph.motif.edge_index.shape == (2, 8)
        assert (graph.x[~graph.node_mask].argmax(dim=1) == BACKBONE).all()


def test_nothing_is_marked_in_class_0():
    graph = attach(SQUARE, 0, 0.5, np.random.default_rng(0))
    assert not graph.node_mask.any()
    assert not graph.edge_mask.any()
    assert graph.motif.x.shape == (0, 3)
    assert graph.motif.edge_index.shape == (2, 0)


def test_motif_is_found_anywhere_among_the_nodes():
    graphs = [attach(SQUARE, 1, 0.5, np.random.default_rng(seed)) for seed in range(40)]
    assert any(graph.node_mask[0] for graph in graphs)
    assert any(not graph.node_mask[-1] for graph in graphs)


def test_motif_graph_lists_both_directions():
    graph = motif_graph(Motif(roles=(HEAD, BODY), edges=((0, 1),)))
    assert graph.edge_index.tolist() == [[0, 1], [1, 0]]
    assert graph.x.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_each_block_holds_the_shares_and_blocks_differ():
    kinds = shuffled_kinds((6, 3, 1), 30, random_state=0)
    blocks = kinds.reshape(3, 10).tolist()
    assert all(Counter(block) == {0: 6, 1: 3, 2: 1} for block in blocks)
    assert blocks[0] != blocks[1]


def test_fewer_kinds_are_the_first_of_more():
    assert shuffled_kinds((2, 1), 50, 7)[:11].tolist() == shuffled_kinds((2, 1), 11, 7).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_graphs": 0, "random_state": 0}, r"^num_graphs must be at least 1, got 0$"),
        ({"num_graphs": 5, "random_state": -1}, r"^random_state must be in \[0, 2\*\*32\), got -1$"),
    ],
)
def test_generate_names_a_bad_option(options, message):
    with pytest.raises(ValueError, match=message):
        generate(lambda kind, rng: motif_graph(SQUARE), (1, 1), **options)
