"""What is known of a prototype once it is found."""

from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.explanation import Example, Pattern, Prototype, Session
from protograph.explanation.prototype import TakenOut
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.models.predictions import Judgement
from protograph.page.clustering import Cluster
from protograph.page.counting import information
from protograph.page.evidence import (
    gather,
    merged,
    next_best,
    prototype_places,
    reason_places,
    taken_out,
)
from protograph.page.search import Candidate, ClusterResult
from tests.explanation.by_hand import counted, reason
from tests.metrics.small_graphs import networkx_contains, path, ring
from tests.page.naive_patterns import (
    every_common_pattern,
    groups_of_graphs,
    path_edges,
    ring_edges,
    undirected,
    worth_of,
)

TRIANGLE = undirected(3, ring_edges(0, 1, 2), [0, 0, 1])
TURNED = undirected(3, ring_edges(0, 1, 2), [1, 0, 0])
OTHER = undirected(3, ring_edges(0, 1, 2), [0, 0, 2])
PATH = undirected(3, path_edges(0, 1, 2), [0, 0, 1])


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
    **constants,
):
    """``sources`` are numbers of graphs; ``constants`` take the place of the module's own."""
    fitted = SimpleNamespace(
        store=GraphStore(graphs),
        encoded=EncodedGraphs(graphs, match_features=rule, match_edges=match_edges),
        embedded=SimpleNamespace(predictions=np.array(predictions)),
        target=1,
        match_features=rule,
    )
    with patch.multiple("protograph.page.evidence", **{"LOOKED_AT": 100} | constants):
        return gather(candidate_of(graph, sources, matches, **parts or {}), cluster, fitted, is_looked_up=is_looked_up)


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
    triangle, chain = TRIANGLE, PATH
    node, nothing = undirected(1, [], [1]), undirected(2, [(0, 1)], [2, 2])
    graphs = [triangle, chain, node, nothing, triangle, chain]
    matches = [[1, 0], [0, 1], [2, 2]]
    found = gathered(triangle, graphs, [1, 1, 1, 1, 0, 0], [0, 1, 2, 3], sources=[0, 1], matches=matches)
    assert (found.num_in_class, found.num_class, found.num_elsewhere, found.num_others) == (1, 4, 1, 2)
    assert found.node_sources == (2, 2, 2)
    assert found.edge_sources == (2, 1, 2)
    # The triangle has all; the path all nodes and (0, 1) with one of the others; the single node the last.
    assert found.node_graphs == (2, 2, 3)
    assert sum(found.edge_graphs) == 3 + 2
    assert found.information == pytest.approx(information(0.25, 0.5))


def test_of_many_graphs_some_are_looked_at():
    edge, nodes = undirected(2, [(0, 1)], [0, 0]), undirected(2, [], [0, 0])
    found = gathered(edge, [edge, nodes] * 10, [1] * 20, list(range(20)), LOOKED_AT=4)
    assert found.num_looked_at == 4
    assert found.num_in_cluster == 10
    assert sum(found.node_graphs) <= 8


def test_a_graph_that_takes_too_long_counts_as_one_without_the_prototype():
    hexagon, calls = undirected(6, ring_edges(*range(6)), [0] * 6), {"WHOLE_CALLS": 2}
    assert gathered(hexagon, [hexagon], [1], [0]).num_in_class == 1
    assert gathered(hexagon, [hexagon], [1], [0], **calls).num_in_class == 0
    # A single node to try for the largest part is enough for that node alone.
    assert sum(gathered(hexagon, [hexagon], [1], [0], PART_CALLS=1, **calls).node_graphs) < 6


def test_an_edge_is_in_a_source_where_it_agrees():
    one, two = (undirected(3, path_edges(0, 1, 2), [0] * 3, bonds) for bonds in ([0, 1], [0, 0]))
    given = {"sources": [0, 1], "matches": [[0, 0], [1, 1], [2, 2]]}
    assert gathered(one, [one, two], [1, 1], [0], **given).edge_sources == (2, 2)
    assert gathered(one, [one, two], [1, 1], [0], match_edges=True, **given).edge_sources == (2, 1)


# ---- clusters with the same prototype, and what other sessions found ---------------------------------------------


def result_of(graph, members, distances=None):
    distances = distances or [float(n) for n in range(len(members))]
    cluster = Cluster(tuple(members), tuple(distances), (members[0],), (members[0],))
    candidate = candidate_of(graph)
    return ClusterResult(cluster, candidate, (candidate,))


def run(results, graphs, **options):
    return merged(results, EncodedGraphs(graphs, **options))


def test_isomorphic_prototypes_in_as_many_graphs_are_one():
    graphs = [TRIANGLE] * 5 + [PATH] * 5
    first, second = result_of(TRIANGLE, [0, 1, 5], [0.0, 2.0, 4.0]), result_of(TURNED, [2, 3, 6], [1.0, 3.0, 5.0])
    found, notes = run([first, second], graphs)
    (result,) = found
    cluster = result.cluster
    assert result.candidate is first.candidate
    assert sorted(cluster.members) == [0, 1, 2, 3, 5, 6]
    assert cluster.representatives == (0,)
    assert "a cluster of 3 graphs was merged into one of 3" in notes[0]


@pytest.mark.parametrize("other", [OTHER, PATH, undirected(4, path_edges(0, 1, 2, 3), [0, 0, 1, 0])])
def test_other_prototypes_are_not(other):
    results = [result_of(TRIANGLE, [0, 1]), result_of(other, [2, 3])]
    assert run(results, [TRIANGLE] * 4) == (results, [])


def test_equal_prototypes_in_more_of_one_s_graphs_are_not():
    graphs = [TRIANGLE] * 20 + [PATH] * 20
    pure, mixed = result_of(TRIANGLE, [0, 1, 2, 3]), result_of(TRIANGLE, [4, 5, 20])
    assert run([pure, mixed], graphs) == ([pure, mixed], [])
    # 18 of 20 and 19 of 20 differ by a twentieth, 17 of 20 by more.
    first = result_of(TRIANGLE, [*range(19), 20])
    assert len(run([first, result_of(TRIANGLE, [*range(18), 21, 22])], graphs)[0]) == 1
    assert len(run([first, result_of(TRIANGLE, [*range(17), 21, 22, 23])], graphs)[0]) == 2


def test_other_patterns_come_once_each_by_their_margin():
    def candidate(graph, margin):
        one = result_of(graph, [0]).candidate
        return replace(one, session=replace(one.session, margin=margin))

    others = (candidate(PATH, 0.5), candidate(TURNED, 9.0), candidate(OTHER, 2.0), candidate(PATH, 1.0))
    result = replace(result_of(TRIANGLE, [0]), candidates=others)
    kept = next_best(result, EncodedGraphs([TRIANGLE, PATH, OTHER], match_features=True))
    assert [(one.graph is graph, one.margin) for one, graph in zip(kept, (OTHER, PATH), strict=True)] == [
        (True, 2.0),
        (True, 1.0),
    ]


# ---- what becomes of the margin when a pattern is taken out ------------------------------------------------------


def judge(graphs, target):
    """The margin is the number of nodes."""
    sizes = torch.tensor([[0.0, float(graph.num_nodes)] for graph in graphs])
    return Judgement.of(sizes, target)


def test_margins_with_and_without_some_nodes():
    graphs = [path(5), ring(3), path(2)]
    places = [(0, (0, 1)), (1, (0, 1, 2)), (2, ())]
    assert taken_out(places, graphs.__getitem__, judge, 1) == (
        TakenOut(index=0, nodes=(0, 1), margin=5.0, margin_without=3.0),
    )


def test_a_prototype_lies_where_it_was_matched():
    matches = torch.tensor([[3, 0], [1, -1]])
    matched = Prototype(graph=path(2), probability=1.0, margin=0.0, sources=[7, 5], matches=matches)
    assert prototype_places(matched) == [(7, (1, 3)), (5, (0,))]
    assert prototype_places(Prototype(graph=path(2), probability=1.0, margin=0.0)) == []


def test_a_reason_lies_where_its_example_says_and_in_other_graphs_of_the_class():
    graphs = [ring(3), path(3), ring(3)]

    def take(indices):
        return [graphs[index] for index in indices]

    whole = Example(source=2, nodes=(0, 1, 2), graph=ring(3), marked=((0, 1, 2),), probability=1.0, is_whole=True)
    triangle = counted(reason(has=(Pattern(graph=ring(3)),)), graphs, [True, False, True], [0, 0, 0])
    assert reason_places(triangle, lambda index: index != 1, take) == [(0, (0, 1, 2)), (2, (0, 1, 2))]
    assert reason_places(replace(triangle, example=whole), lambda index: index == 2, take) == [(2, (0, 1, 2))]
    ends = counted(reason(has=(Pattern(graph=path(2), closed=(0,), at_least=2),)), graphs, [True] * 3, [0, 0, 0])
    assert reason_places(ends, lambda index: True, take) == [(1, (0, 1, 2))]
    assert reason_places(reason(lacks=(Pattern(graph=ring(3)),)), lambda index: True, take) == []
