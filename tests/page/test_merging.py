import pytest
import torch

from protograph.explanation import Session
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.candidate import Candidate
from protograph.page.clustering import Cluster
from protograph.page.merging import ClusterResult, merged
from tests.page.naive_patterns import path_edges, ring_edges, undirected

TRIANGLE = undirected(3, ring_edges(0, 1, 2), [0, 0, 1])
TURNED = undirected(3, ring_edges(0, 1, 2), [1, 0, 0])
OTHER = undirected(3, ring_edges(0, 1, 2), [0, 0, 2])
PATH = undirected(3, path_edges(0, 1, 2), [0, 0, 1])


def result_of(graph, members, distances=None):
    session = Session(
        start=(0,),
        probability=0.5,
        margin=0.0,
        size=3,
        source=members[0],
        stopped="consensus",
        num_iterations=0,
        is_exact=True,
    )
    candidate = Candidate(
        graph=graph,
        sources=(members[0],),
        source=members[0],
        nodes=(0, 1, 2),
        matches=torch.zeros(3, 1),
        session=session,
    )
    distances = distances or [float(n) for n in range(len(members))]
    return ClusterResult(Cluster(tuple(members), tuple(distances), (members[0],), (members[0],)), candidate, (session,))


def run(results, graphs, **options):
    return merged(results, EncodedGraphs(graphs, **options))


def test_isomorphic_prototypes_in_as_many_graphs_are_one():
    graphs = [TRIANGLE] * 5 + [PATH] * 5
    first, second = result_of(TRIANGLE, [0, 1, 5], [0.0, 2.0, 4.0]), result_of(TURNED, [2, 3, 6], [1.0, 3.0, 5.0])
    found, notes = run([first, second], graphs)
    (result,) = found
    cluster = result.cluster
    assert result.candidate is first.candidate
    assert result.sessions is first.sessions
    assert cluster.members == (0, 2, 1, 3, 5, 6)
    assert cluster.distances == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert cluster.representatives == (0,)
    assert notes == [
        "a cluster of 3 graphs was merged into one of 3: they have the same prototype, in as many of their graphs"
    ]


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


def test_three_clusters_and_their_order():
    graphs = [TRIANGLE] * 12
    results = [result_of(PATH, [0, 1, 2, 3, 4]), result_of(TRIANGLE, [5, 6, 7]), result_of(TURNED, [8, 9, 10])]
    found, notes = run(results, graphs)
    assert [len(result.cluster.members) for result in found] == [6, 5]  # the largest first
    assert [result.candidate for result in found] == [results[1].candidate, results[0].candidate]
    assert len(notes) == 1


def test_without_kinds_structure_alone_counts():
    results = [result_of(TRIANGLE, [0, 1]), result_of(OTHER, [2, 3])]
    graphs = [TRIANGLE, TRIANGLE, OTHER, OTHER]
    assert len(run(results, graphs)[0]) == 2
    assert len(run(results, graphs, match_features=False)[0]) == 1


def test_equal_attributes_of_edges():
    one, two = (undirected(2, [(0, 1)], [0, 0], [kind]) for kind in (0, 1))
    results = [result_of(one, [0]), result_of(two, [1])]
    assert len(run(results, [one, two])[0]) == 1
    assert len(run(results, [one, two], match_edges=True)[0]) == 2
