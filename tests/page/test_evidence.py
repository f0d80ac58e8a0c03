import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation import Session
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.candidate import Candidate
from protograph.page.consensus.counting import information
from protograph.page.evidence import EvidenceScope, edges_of, gather
from protograph.page.options import EvidenceOptions
from protograph.patterns.joint import counted_kinds
from tests.metrics.small_graphs import networkx_contains
from tests.page.naive_patterns import (
    every_common_pattern,
    groups_of_graphs,
    path_edges,
    ring_edges,
    undirected,
    worth_of,
)


def candidate_of(graph, sources=(), matches=None, **parts):
    session = Session(
        start=(0,) * len(sources),
        probability=0.5,
        margin=0.0,
        size=graph.num_nodes,
        source=0,
        stopped="consensus",
        num_iterations=0,
        is_exact=True,
    )
    rows = torch.empty(graph.num_nodes, 0) if matches is None else torch.tensor(matches)
    return Candidate(graph=graph, sources=tuple(sources), source=0, nodes=(), matches=rows, session=session, **parts)


def gathered(
    graph,
    graphs,
    predictions,
    cluster,
    *,
    sources=(),
    matches=None,
    rule=True,
    match_edges=False,
    is_looked_up=True,
    parts=None,
    **options,
):
    """``sources`` are numbers of graphs."""
    scope = EvidenceScope(
        store=GraphStore(graphs),
        encoded=EncodedGraphs(graphs, match_features=counted_kinds(rule), match_edges=match_edges),
        predictions=np.array(predictions),
        target=1,
        match_features=rule,
        is_looked_up=is_looked_up,
        options=EvidenceOptions(**options),
    )
    return gather(candidate_of(graph, sources, matches, **parts or {}), cluster, scope)


@settings(max_examples=25, deadline=None)
@given(groups_of_graphs(3, 8, max_nodes=5), st.data())
def test_counts_are_those_of_trying_everything(graphs, data):
    predictions = [1, *data.draw(st.lists(st.integers(0, 1), min_size=len(graphs) - 1, max_size=len(graphs) - 1))]
    of_class = [i for i, prediction in enumerate(predictions) if prediction == 1]
    cluster = sorted(data.draw(st.sets(st.sampled_from(of_class), min_size=1)))
    nodes, edges = max(every_common_pattern(graphs[:1]), key=worth_of)
    place = {node: n for n, node in enumerate(sorted(nodes))}
    kinds = graphs[0].x.argmax(dim=1)[sorted(nodes)].tolist()
    pattern = undirected(len(nodes), [(place[u], place[v]) for u, v in sorted(edges)], kinds, [0] * len(edges))
    found = gathered(pattern, graphs, predictions, cluster)
    contain = np.array([networkx_contains(graph, pattern) for graph in graphs])
    is_class = np.array(predictions) == 1
    assert (found.num_in_class, found.num_class) == (contain[is_class].sum(), is_class.sum())
    assert (found.num_elsewhere, found.num_others) == (contain[~is_class].sum(), (~is_class).sum())
    assert found.num_in_cluster == contain[cluster].sum()
    bits = information(contain[cluster].mean(), contain[~is_class].mean()) if (~is_class).any() else 0.0
    assert found.information == pytest.approx(bits)
    assert found.num_looked_at == len(cluster)
    # Together, nodes and edges are found as often as the largest common parts are large.
    every = [every_common_pattern([pattern, graphs[i]]) for i in cluster]
    assert sum(found.node_graphs) + sum(found.edge_graphs) == sum(max(map(worth_of, one), default=0) for one in every)
    assert max(found.node_graphs) <= len(cluster)
    assert min(found.node_graphs) >= contain[cluster].sum()


def test_by_hand():
    triangle = undirected(3, ring_edges(0, 1, 2), [0, 0, 1])
    path = undirected(3, path_edges(0, 1, 2), [0, 0, 1])
    node, nothing = undirected(1, [], [1]), undirected(2, [(0, 1)], [2, 2])
    graphs = [triangle, path, node, nothing, triangle, path]
    matches = [[1, 0], [0, 1], [2, 2]]
    found = gathered(triangle, graphs, [1, 1, 1, 1, 0, 0], [0, 1, 2, 3], sources=[0, 1], matches=matches)
    assert (found.num_in_class, found.num_class, found.num_elsewhere, found.num_others) == (1, 4, 1, 2)
    assert found.node_sources == (2, 2, 2)
    assert found.edge_sources == (2, 1, 2)
    # The triangle has all; the path all nodes and (0, 1) with one of the others; the single node the last.
    assert found.node_graphs == (2, 2, 3)
    assert sum(found.edge_graphs) == 3 + 2
    assert found.information == pytest.approx(information(0.25, 0.5))


def test_a_node_without_a_counterpart_is_in_fewer_sources():
    edge = undirected(2, [(0, 1)], [0, 0])
    found = gathered(edge, [edge], [1], [0], sources=[0, 0], matches=[[0, 0], [1, -1]])
    assert found.node_sources == (2, 1)
    assert found.edge_sources == (1,)


def test_of_many_graphs_some_are_looked_at():
    edge, nodes = undirected(2, [(0, 1)], [0, 0]), undirected(2, [], [0, 0])
    found = gathered(edge, [edge, nodes] * 10, [1] * 20, list(range(20)), looked_at=4)
    assert found.num_looked_at == 4
    assert found.num_in_cluster == 10
    assert sum(found.node_graphs) <= 8


def test_nothing_is_looked_up_where_nobody_asks():
    edge, nodes = undirected(2, [(0, 1)], [0, 0]), undirected(2, [], [0, 0])
    found = gathered(edge, [edge, nodes], [1, 1], [0, 1], is_looked_up=False)
    assert (found.node_graphs, found.edge_graphs, found.num_looked_at) == ((), (), 0)
    assert found.num_in_class == 1


def test_a_graph_that_takes_too_long_counts_as_one_without_the_prototype():
    ring, calls = undirected(6, ring_edges(*range(6)), [0] * 6), {"whole_calls": 2}
    assert gathered(ring, [ring], [1], [0]).num_in_class == 1
    assert gathered(ring, [ring], [1], [0], **calls).num_in_class == 0
    # A single node to try for the largest part is enough for that node alone.
    assert sum(gathered(ring, [ring], [1], [0], part_calls=1, **calls).node_graphs) < 6


def test_what_the_candidate_knows_is_kept():
    edge = undirected(2, [(0, 1)], [0, 0])
    known = {"contributions": (1.0, 2.0), "contribution_share": 0.5, "steps": ("a step",)}
    found = gathered(edge, [edge], [1], [0], parts=known)
    assert (found.contributions, found.contribution_share, found.steps) == tuple(known.values())


def test_edges_are_told_once_and_loops_not_at_all():
    graph = Data(num_nodes=3, edge_index=torch.tensor([[2, 0, 1, 2, 1], [0, 2, 1, 1, 2]]))
    assert edges_of(graph) == [(0, 2), (1, 2)]


def test_features_that_need_not_be_equal_do_not_count():
    edge, other = undirected(2, [(0, 1)], [0, 0]), undirected(2, [(0, 1)], [1, 2])
    assert gathered(edge, [edge, other], [1, 1], [0, 1]).num_in_class == 1
    assert gathered(edge, [edge, other], [1, 1], [0, 1], rule=False).num_in_class == 2
    assert gathered(edge, [edge, other], [1, 1], [0, 1], rule=0.5).num_in_class == 2


def test_an_edge_is_in_a_source_where_it_agrees():
    one, two = (undirected(3, path_edges(0, 1, 2), [0] * 3, bonds) for bonds in ([0, 1], [0, 0]))
    given = {"sources": [0, 1], "matches": [[0, 0], [1, 1], [2, 2]]}
    assert gathered(one, [one, two], [1, 1], [0], **given).edge_sources == (2, 2)
    assert gathered(one, [one, two], [1, 1], [0], match_edges=True, **given).edge_sources == (2, 1)


def test_attributes_of_edges_count_where_asked_for():
    one, two = (undirected(2, [(0, 1)], [0, 0], [bond]) for bond in (0, 1))
    assert gathered(one, [one, two], [1, 0], [0]).num_elsewhere == 1
    assert gathered(one, [one, two], [1, 0], [0], match_edges=True).num_elsewhere == 0
