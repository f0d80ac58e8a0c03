"""Generated data sets: the recipe, and the motifs by an independent search."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.utils import is_undirected

from protograph import datasets
from protograph.datasets.synthetic import (
    BODY,
    HEAD,
    Motif,
    barabasi_albert,
    connected_part,
    shuffled_kinds,
)

NAMES = ("ba-house", "ba-grid")
SQUARE = Motif(roles=(HEAD, BODY, BODY, BODY), edges=((0, 1), (1, 2), (2, 3), (0, 3)))
HOUSE = nx.Graph([("roof", "a"), ("roof", "b"), ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
nx.set_node_attributes(HOUSE, {node: int(node != "roof") for node in HOUSE}, "role")
GRID = nx.grid_2d_graph(3, 3)
nx.set_node_attributes(GRID, {node: int(node != (1, 1)) for node in GRID}, "role")
# The authors' training split of BA-house: nodes and directed edges a graph, by class.
PUBLISHED = {0: (9.51, 26.96), 1: (12.51, 40.47)}


def typed(graph):
    result = nx.Graph(graph.edge_index.T.tolist())
    nx.set_node_attributes(result, dict(enumerate(graph.x.argmax(dim=1).tolist())), "role")
    return result


def count(graph, motif):
    """Typed motifs as a subgraph, induced or not."""
    matcher = nx.isomorphism.GraphMatcher(typed(graph), motif, node_match=lambda a, b: a == b)
    return len({frozenset(match) for match in matcher.subgraph_monomorphisms_iter()})


def equal(first, second):
    keys = ("x", "edge_index", "y", "node_mask", "edge_mask")
    return all(torch.equal(first[key], second[key]) for key in keys)


@pytest.mark.parametrize("name", [*NAMES, "ba-2motifs"])
def test_the_seed_alone_decides(name):
    states = np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    graphs = datasets.load(name, random_state=5, num_graphs=40)
    assert all(map(equal, datasets.load(name, random_state=5, num_graphs=10), graphs[:10]))
    assert not all(map(equal, datasets.load(name, random_state=6, num_graphs=40), graphs))
    assert states == (np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())
    with pytest.raises(ValueError, match=r"num_graphs must be at least 1, got 0"):
        datasets.load(name, num_graphs=0)
    with pytest.raises(ValueError, match=r"random_state must be in \[0, 2\*\*32\), got -1"):
        datasets.load(name, random_state=-1)


@pytest.mark.parametrize(("name", "truth"), [("ba-house", HOUSE), ("ba-grid", GRID)])
def test_graphs_have_their_motif_and_mark_it(name, truth):
    dataset = datasets.load(name, random_state=3, num_graphs=120)
    for graph in dataset:
        assert is_undirected(graph.edge_index, num_nodes=graph.num_nodes)
        assert graph.is_coalesced()
        assert not graph.has_self_loops()
        assert nx.is_connected(typed(graph))
        marked = graph.subgraph(graph.node_mask)
        assert torch.equal(marked.x, graph.motif.x)
        assert torch.equal(marked.edge_index, graph.motif.edge_index)
        assert marked.num_edges == graph.edge_mask.sum()
        num_motifs = graph.motif.num_nodes // len(truth)
        assert bool(num_motifs) == bool(graph.y == 1)
        assert count(graph, truth) == num_motifs
        if not num_motifs:
            assert int(graph.x[:, :2].sum()) in ((2, 3, 4) if name == "ba-house" else (6, 7, 8))
    assert [count(graph, truth) for graph in dataset.ground_truths[1]] == ([1, 2] if name == "ba-house" else [1])
    assert dataset.feature_names == ("head", "body", "backbone")
    assert dataset.hidden == (32, 32)


def test_sizes_and_shares_are_the_published_ones():
    house, grid = (datasets.load(name, random_state=4) for name in NAMES)
    for label, means in PUBLISHED.items():
        graphs = house[house.labels == label]
        sizes = [(graph.num_nodes, graph.num_edges) for graph in graphs]
        assert np.mean(sizes, axis=0) == pytest.approx(means, rel=0.02)
    assert sum(graph.num_nodes for graph in grid) == pytest.approx(29115, rel=0.02)
    assert sum(graph.num_edges for graph in grid) == pytest.approx(91224, rel=0.02)
    num_houses = [graph.motif.num_nodes // 5 for graph in house[:1800]]
    assert [num_houses.count(number) for number in (0, 1, 2)] == [1205, 455, 140]


def test_two_motifs_on_a_forest_of_20_nodes():
    dataset = datasets.load("ba-2motifs", num_graphs=40)
    motifs = (nx.Graph(HOUSE.edges), nx.cycle_graph(5))
    for graph in dataset:
        whole = nx.Graph(graph.edge_index.T.tolist())
        whole.add_nodes_from(range(graph.num_nodes))
        marked = graph.node_mask.nonzero().flatten().tolist()
        assert len(whole) == 25
        assert nx.is_isomorphic(whole.subgraph(marked), motifs[int(graph.y)])
        assert nx.is_forest(whole.subgraph(set(whole) - set(marked)))
        assert torch.equal(graph.edge_mask, graph.node_mask[graph.edge_index].all(dim=0))
    for label, motif in enumerate(motifs):
        assert nx.is_isomorphic(nx.Graph(dataset.ground_truths[label][0].edge_index.T.tolist()), motif)


def test_new_backbone_nodes_prefer_high_degrees():
    # After the fourth node, two corners of the triangle hold 3 of the 10 edge ends each; the third and the new
    # node hold 2 each. The fifth node takes those two with probability 2 * 2/10 * 2/8, against 1/6 by plain chance.
    rng = np.random.default_rng(0)
    low = 0
    for _ in range(3000):
        edges = barabasi_albert(5, rng)
        assert len({frozenset(edge) for edge in edges}) == len(edges) == 7
        fourth, fifth = ({u for u, v in edges if v == new} for new in (3, 4))
        low += not fourth & fifth
    assert low / 3000 == pytest.approx(1 / 10, abs=0.02)


def test_parts_are_connected_and_induced():
    parts = [connected_part(SQUARE, 3, np.random.default_rng(seed)) for seed in range(200)]
    assert all(len(part.roles) == 3 and len(part.edges) == 2 for part in parts)
    assert sum(HEAD not in part.roles for part in parts) == pytest.approx(50, abs=20)
    assert set(connected_part(SQUARE, 4, np.random.default_rng(0)).edges) == set(SQUARE.edges)


def test_each_block_holds_the_shares_and_blocks_differ():
    kinds = shuffled_kinds((6, 3, 1), 30, random_state=0)
    blocks = kinds.reshape(3, 10).tolist()
    assert all(sorted(block) == [0] * 6 + [1] * 3 + [2] for block in blocks)
    assert blocks[0] != blocks[1]
    assert shuffled_kinds((6, 3, 1), 11, 0).tolist() == kinds[:11].tolist()
