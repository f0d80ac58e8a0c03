from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected

import protograph as pg
from protograph.page.clustering import Cluster
from protograph.page.consensus.session_graphs import chosen_graphs, session_graphs
from protograph.page.fitted import FittedClass
from protograph.page.options import ConsensusOptions
from tests import zoo

GRAPHS = zoo.random_graphs(60)


def fitted_to(embeddings, keys=None):
    """What choosing graphs needs of a fitted model: the graphs' embeddings, and what they hold."""
    keys = keys or [bytes([index]) for index in range(len(embeddings))]
    return FittedClass(
        judge=SimpleNamespace(classifier=SimpleNamespace(resolution=1e-13)),
        embedded=SimpleNamespace(graph_embeddings=np.asarray(embeddings, dtype=float)),
        encoded=None,
        canonical=lambda indices: [SimpleNamespace(order=keys[index]) for index in indices],
        target=1,
    )


def cluster_of(members, representatives, nearest=None):
    nearest = members if nearest is None else nearest
    return Cluster(tuple(members), tuple(map(float, range(len(members)))), tuple(representatives), tuple(nearest))


def test_by_hand():
    # On a line, nearest the mean first: 0 and 1 are the representatives; 2 takes 5 along, 3 takes 4.
    embeddings = [[0.0], [0.1], [1.0], [-1.2], [-1.3], [1.5], [9.0]]
    fitted, cluster = fitted_to(embeddings), cluster_of(range(7), [0, 1])
    assert chosen_graphs(fitted, cluster, 3) == [(0, 1), (2, 5), (3, 4)]
    assert chosen_graphs(fitted, cluster, 9) == [(0, 1), (2, 5), (3, 4)]  # a single graph is left over
    assert chosen_graphs(fitted, cluster, 1) == [(0, 1)]
    # With so few graphs to choose from, 5 is out of reach of 2.
    assert chosen_graphs(fitted, cluster_of(range(7), [0, 1], range(4)), 2) == [(0, 1), (2, 3)]


def test_graphs_that_need_not_be_alike_are_the_next_nearest_the_mean():
    embeddings = [[0.0], [0.1], [1.0], [-1.2], [-1.3], [1.5], [9.0]]
    fitted, cluster = fitted_to(embeddings), cluster_of(range(7), [0, 1])
    assert chosen_graphs(fitted, cluster, 2, are_alike=False) == [(0, 1), (2, 3)]
    assert chosen_graphs(fitted, cluster, 9, are_alike=False) == [(0, 1), (2, 3), (4, 5)]
    assert chosen_graphs(fitted, cluster_of([0], [0]), 2, are_alike=False) == [(0,)]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 5), st.integers(1, 3))
def test_no_graph_is_taken_twice_and_partners_are_the_most_alike(seed, k, count, pool):
    rng = np.random.default_rng(seed)
    embeddings = rng.normal(size=(14, 3))
    members = np.argsort((embeddings**2).sum(axis=1)).tolist()
    chosen = chosen_graphs(fitted_to(embeddings), cluster_of(members, members[:k], members[: pool * count * k]), count)
    assert chosen[0] == tuple(members[:k])
    taken = [index for graphs in chosen for index in graphs]
    assert len(set(taken)) == len(taken)
    assert len(chosen) == min(count, len(members[: pool * count * k]) // k)
    low, middle, high = np.quantile(embeddings, [0.25, 0.5, 0.75], axis=0)
    points = (embeddings - middle) / (high - low)
    free = members[k : pool * count * k]
    for first, *partners in chosen[1:]:
        assert first == free[0]  # the next nearest the mean
        free = [index for index in free if index != first]
        distances = {index: float(((points[index] - points[first]) ** 2).sum()) for index in free}
        assert partners == sorted(free, key=distances.__getitem__)[: k - 1]
        free = [index for index in free if index not in partners]


@pytest.mark.parametrize(("pool", "head"), [("add", True), ("add", False), ("max", True)])
def test_the_graphs_of_all_sessions_are_embedded_at_once(pool, head):
    model = zoo.make(pool=pool)
    explainer = pg.PAGE(num_clusters=1).fit(model, GRAPHS)
    fitted = explainer._fitted_class(1)
    chosen = [(3, 5), (8, 1), (2, 9)]
    sessions = session_graphs(fitted, chosen, explainer._head() if head else None, ConsensusOptions())
    assert [session.indices for session in sessions] == chosen
    for session in sessions:
        assert len(session.graphs) == len(session.embeddings) == len(session.contributions) == 2
        for index, source, nodes, carried in zip(
            session.indices, session.sources, session.embeddings, session.contributions, strict=True
        ):
            graph = GRAPHS[index]
            assert torch.equal(source.graph.x, graph.x[torch.from_numpy(source.nodes)])
            with torch.no_grad():
                model(graph.x, graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))
            np.testing.assert_allclose(nodes, model.seen_nodes.numpy()[source.nodes], atol=1e-5)
            assert carried.shape == (graph.num_nodes,)
        for graph, encoded in zip(session.graphs, session.encoded, strict=True):
            expected = fitted.encoded.encode(graph)
            assert all(one.tolist() == other.tolist() for one, other in zip(encoded, expected, strict=True))


def test_nodes_that_cannot_be_left_out_have_no_contributions():
    model = zoo.make()
    model.pool = zoo.last_node
    explainer = pg.PAGE(num_clusters=1).fit(model, GRAPHS)
    (session,) = session_graphs(explainer._fitted_class(1), [(0, 1)], None, ConsensusOptions())
    assert session.contributions is None


def test_of_a_large_graph_what_lies_around_the_heaviest_node_is_searched():
    """Of a chain of 30 the ten nodes around the one that adds the most, with all that is known of them."""
    chain = Data(x=torch.ones(30, 3), edge_index=to_undirected(torch.stack([torch.arange(29), torch.arange(1, 30)])))
    chain.x[17] = 5.0
    model = zoo.make(pool="add")
    explainer = pg.PAGE(num_clusters=1).fit(model, [*GRAPHS, chain])
    (whole,) = session_graphs(explainer._fitted_class(1), [(len(GRAPHS), 0)], None, ConsensusOptions())
    (part,) = session_graphs(explainer._fitted_class(1), [(len(GRAPHS), 0)], None, ConsensusOptions(max_graph_nodes=10))
    assert whole.is_whole
    assert not part.is_whole
    kept = [whole.sources[0].nodes.tolist().index(node) for node in part.sources[0].nodes]
    assert kept == sorted(kept)
    positions = sorted(part.sources[0].nodes.tolist())
    assert positions == list(range(positions[0], positions[0] + 10))
    np.testing.assert_array_equal(part.embeddings[0], whole.embeddings[0][kept])
    np.testing.assert_array_equal(part.contributions[0], whole.contributions[0][kept])
    sums = np.convolve(whole.contributions[0][np.argsort(whole.sources[0].nodes)], np.ones(3), "same")
    assert positions[0] <= int((sums[1:-1] / np.sqrt(3)).argmax()) + 1 <= positions[-1]
    assert part.graphs[0].num_nodes == part.encoded[0].num_nodes == 10
    assert part.graphs[0].num_edges == 18
    assert part.graphs[1].num_nodes == min(10, GRAPHS[0].num_nodes)
