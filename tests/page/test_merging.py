import numpy as np
import pytest
import torch
from protograph.page.subject import Draft

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.clusters.selection import Cluster
from protograph.page.evidence import without_features
from protograph.page.merging import merged
from tests.page.naive_patterns import path_edges, ring_edges, undirected

TRIANGLE = undirected(3, ring_edges(0, 1, 2), [0, 0, 1])
TURNED = undirected(3, ring_edges(0, 1, 2), [1, 0, 0])
OTHER = undirected(3, ring_edges(0, 1, 2), [0, 0, 2])
PATH = undirected(3, path_edges(0, 1, 2), [0, 0, 1])


def drafted(graph, members, distances=None):
    draft = Draft(
        graph=graph,
        probability=0.5,
        margin=0.0,
        sources=[members[0]],
        source=members[0],
        nodes=[0, 1, 2],
        matches=torch.zeros(3, 1),
        sessions=[],
    )
    distances = distances or [float(n) for n in range(len(members))]
    return Cluster(tuple(members), tuple(distances), (members[0],), np.zeros(1)), draft


def run(drafts, graphs, **options):
    notes = []
    return merged(drafts, EncodedGraphs(graphs), notes, **options), notes


def test_isomorphic_prototypes_in_as_many_graphs_are_one():
    graphs = [TRIANGLE] * 5 + [PATH] * 5
    first, second = drafted(TRIANGLE, [0, 1, 5], [0.0, 2.0, 4.0]), drafted(TURNED, [2, 3, 6], [1.0, 3.0, 5.0])
    found, notes = run([first, second], graphs)
    ((cluster, draft),) = found
    assert draft is first[1]
    assert cluster.members == (0, 2, 1, 3, 5, 6)
    assert cluster.distances == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert cluster.representatives == (0,)
    assert notes == [
        "a cluster of 3 graphs was merged into one of 3: they have the same prototype, in as many of their graphs"
    ]


@pytest.mark.parametrize("other", [OTHER, PATH, undirected(4, path_edges(0, 1, 2, 3), [0, 0, 1, 0])])
def test_other_prototypes_are_not(other):
    drafts = [drafted(TRIANGLE, [0, 1]), drafted(other, [2, 3])]
    assert run(drafts, [TRIANGLE] * 4) == (drafts, [])


def test_equal_prototypes_in_more_of_one_s_graphs_are_not():
    graphs = [TRIANGLE] * 20 + [PATH] * 20
    pure, mixed = drafted(TRIANGLE, [0, 1, 2, 3]), drafted(TRIANGLE, [4, 5, 20])
    assert run([pure, mixed], graphs) == ([pure, mixed], [])
    # 18 of 20 and 19 of 20 differ by a twentieth, 17 of 20 by more.
    first = drafted(TRIANGLE, [*range(19), 20])
    assert len(run([first, drafted(TRIANGLE, [*range(18), 21, 22])], graphs)[0]) == 1
    assert len(run([first, drafted(TRIANGLE, [*range(17), 21, 22, 23])], graphs)[0]) == 2


def test_three_clusters_and_their_order():
    graphs = [TRIANGLE] * 12
    drafts = [drafted(PATH, [0, 1, 2, 3, 4]), drafted(TRIANGLE, [5, 6, 7]), drafted(TURNED, [8, 9, 10])]
    found, notes = run(drafts, graphs)
    assert [len(cluster.members) for cluster, _ in found] == [6, 5]  # the largest first
    assert [draft for _, draft in found] == [drafts[1][1], drafts[0][1]]
    assert len(notes) == 1


def test_without_labels_structure_alone_counts():
    drafts = [drafted(TRIANGLE, [0, 1]), drafted(OTHER, [2, 3])]
    graphs = [without_features(graph) for graph in [TRIANGLE, TRIANGLE, OTHER, OTHER]]
    assert len(run(drafts, graphs, is_labelled=False)[0]) == 1


def test_equal_attributes_of_edges():
    one, two = (undirected(2, [(0, 1)], [0, 0], [bond]) for bond in (0, 1))
    notes = []
    encoded = EncodedGraphs([one, two], match_edges=True)
    assert len(merged([drafted(one, [0]), drafted(two, [1])], encoded, notes)) == 2
