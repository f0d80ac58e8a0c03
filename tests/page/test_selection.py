import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from protograph.page.selection import canonical_order, mahalanobis, select
from tests import oracle


def two_groups(seed, sizes=(30, 20), dim=3):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(4 * number, 1.0, (size, dim)) for number, size in enumerate(sizes)])


def chosen(embeddings, **options):
    options = {"num_clusters": 2, "num_graphs": 3, "random_state": 0, **options}
    return select(embeddings, np.arange(len(embeddings)), **options)


@pytest.mark.parametrize("seed", range(4))
def test_clusters_and_representatives_are_the_oracles(seed):
    points = two_groups(seed)
    order, _ = canonical_order(points, 1e-11)
    ordered = points[order].tolist()
    first = KMeans(2, n_init=1, random_state=np.random.RandomState(0)).fit(points[order]).labels_
    responsibilities = [[1.0 if label == cluster else 0.0 for cluster in range(2)] for label in first]
    mixture, labels = oracle.expectation_maximisation(ordered, responsibilities)
    expected = set()
    for cluster in range(2):
        members = [i for i, label in enumerate(labels) if label == cluster]
        near = oracle.nearest(ordered, members, mixture.means[cluster], mixture.covariances[cluster], 3)
        expected.add((frozenset(int(order[i]) for i in members), tuple(int(order[i]) for i in near)))
    found = chosen(points)
    assert {(frozenset(c.members), c.representatives) for c in found.clusters} == expected
    assert found.notes == ()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.randoms(use_true_random=False))
def test_the_order_of_the_input_never_matters(seed, random):
    points = two_groups(seed, sizes=(12, 9))
    points = np.concatenate([points, points[:4]])  # some twice
    order = list(range(len(points)))
    random.shuffle(order)
    names = np.array([bytes([i % 21]) for i in range(len(points))])  # twins have the same content
    plain = select(points, np.arange(25), num_clusters=2, num_graphs=3, random_state=0, content_key=lambda i: names[i])
    shuffled = select(
        points[order],
        np.arange(25),
        num_clusters=2,
        num_graphs=3,
        random_state=0,
        content_key=lambda i: names[order[i]],
    )
    assert [[names[i] for i in c.representatives] for c in plain.clusters] == [
        [names[order[i]] for i in c.representatives] for c in shuffled.clusters
    ]
    assert [sorted(c.members) for c in plain.clusters] == [
        sorted(order[i] for i in c.members) for c in shuffled.clusters
    ]


def test_equal_embeddings_are_chosen_once_but_counted():
    points = np.repeat(two_groups(0, sizes=(6, 6)), 3, axis=0)
    found = chosen(points)
    assert sum(len(c.members) for c in found.clusters) == 36
    for cluster in found.clusters:
        assert len({i // 3 for i in cluster.representatives}) == 3


def test_clusters_come_largest_first_and_members_nearest_first():
    found = chosen(two_groups(1, sizes=(10, 25)))
    assert [len(c.members) for c in found.clusters] == [25, 10]
    for cluster in found.clusters:
        assert list(cluster.distances) == sorted(cluster.distances)
        assert cluster.representatives == cluster.members[:3]


def test_too_few_graphs_for_the_clusters_means_fewer_clusters():
    found = chosen(two_groups(0, sizes=(3, 2)))
    assert len(found.clusters) == 1
    assert found.notes == (
        "num_clusters was lowered from 2 to 1: the class has 5 different graph embeddings, and each cluster needs 3",
    )


def test_too_few_graphs_for_one_cluster_means_fewer_graphs():
    found = chosen(np.array([[1.0], [2.0]]))
    assert found.clusters[0].representatives == (0, 1)
    assert found.notes[1] == "num_graphs was lowered from 3 to 2: the class has only 2 different graph embeddings"


def test_a_single_graph_is_its_own_cluster():
    found = chosen(np.array([[1.0, 2.0]]))
    assert found.clusters[0].members == (0,)
    assert found.clusters[0].distances == (0.0,)


def test_a_cluster_that_one_outlier_fills_is_merged():
    points = np.concatenate([two_groups(0, sizes=(20, 0)), [[1000.0, 1000.0, 1000.0]]])
    found = chosen(points)
    assert len(found.clusters) == 1
    assert len(found.clusters[0].members) == 21
    assert found.clusters[0].members[-1] == 20  # the outlier counts, but is the farthest
    assert found.notes == (
        "a cluster of 1 graphs with 1 different embeddings, fewer than num_graphs=3, was merged into the others",
    )


def test_merging_keeps_the_other_clusters_apart():
    points = np.concatenate([two_groups(0, sizes=(20, 20)), [[1000.0, 1000.0, 1000.0]]])
    found = chosen(points, num_clusters=3)
    assert sorted(len(c.members) for c in found.clusters) == [20, 21]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_constant_dimensions_and_any_scale_work(scale):
    points = np.zeros((20, 40))
    points[:, 0] = scale * np.arange(20)
    found = chosen(points, num_clusters=1)
    assert set(found.clusters[0].representatives) <= {8, 9, 10, 11}


def test_distance_worked_out_by_hand():
    covariance = np.array([[2.0, 1.0], [1.0, 2.0]])  # its inverse is [[2, -1], [-1, 2]] / 3
    assert mahalanobis(np.array([[1.0, 0.0]]), np.zeros(2), covariance)[0] == pytest.approx((2 / 3) ** 0.5)
