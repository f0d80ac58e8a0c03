import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from protograph.page.clusters.selection import canonical_order, select
from protograph.page.options import ClusterOptions
from tests import oracle


def two_groups(seed, sizes=(30, 20), dim=3):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(4 * number, 1.0, (size, dim)) for number, size in enumerate(sizes)])


def chosen(embeddings, **options):
    options = {"num_clusters": 2, "num_graphs": 3, "random_state": 0, **options}
    return select(embeddings, np.arange(len(embeddings)), **options)


def best_of_starts(points, num_clusters, num_starts=3):
    """The mixture by the oracle's EM, from k-means as scikit-learn starts it."""
    random, found = np.random.RandomState(0), []
    for _ in range(num_starts):
        first = KMeans(num_clusters, n_init=1, random_state=random).fit(np.array(points)).labels_
        responsibilities = [[float(label == cluster) for cluster in range(num_clusters)] for label in first]
        found.append(oracle.expectation_maximisation(points, responsibilities))
    return max(found, key=lambda result: result[2])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("unit", [1.0, 1e-12, 1e12])
def test_clusters_and_representatives_are_the_oracles(seed, unit):
    points = two_groups(seed) * [unit, 5 * unit, unit / 5]
    points[7] *= 3  # clipped
    order, _ = canonical_order(points, 1e-11)
    ordered = oracle.scale(points[order].tolist())
    mixture, labels, _ = best_of_starts(ordered, 2)
    expected = set()
    for cluster in range(2):
        members = [i for i, label in enumerate(labels) if label == cluster]
        near = oracle.nearest(ordered, members, mixture.means[cluster], mixture.covariances[cluster], 3)
        expected.add((frozenset(int(order[i]) for i in members), tuple(int(order[i]) for i in near)))
    found = chosen(points)
    assert {(frozenset(c.members), c.representatives) for c in found.clusters} == expected
    for cluster in found.clusters:
        np.testing.assert_allclose(cluster.mean, points[list(cluster.members)].mean(axis=0))
    assert found.notes == ()
    assert found.covariance == "full"
    assert found.reason == "full covariances: 25 different graphs a cluster are at least twice the 3 dimensions"
    assert found.strengths == {}


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
    assert found.covariance == "none"
    assert found.reason == "no covariances: the class has a single graph"


def test_one_graph_far_away_counts_but_represents_nothing():
    points = np.concatenate([two_groups(0, sizes=(20, 0)), [[1000.0, 1000.0, 1000.0]]])
    found = chosen(points, num_clusters=1)
    assert len(found.clusters[0].members) == 21
    assert found.clusters[0].members[-1] == 20
    assert np.abs(found.clusters[0].mean).max() < 1
    assert found.notes == ("graph 20 lies far outside of the class; it counts as a member but represents no cluster",)
    called = chosen(points, num_clusters=1, graph_label=lambda index: f"graph {index + 100} (line 7)")
    assert called.notes[0].startswith("graph 120 (line 7) lies far outside of the class; ")


@pytest.mark.parametrize("far", [1e3, 1e6, 1e12, 1e100])
def test_one_graph_far_away_leaves_the_others_as_they_are(far):
    points = two_groups(0, sizes=(20, 20))
    with_it = chosen(np.concatenate([points, [[far, far, far]]]))
    assert sorted(len(c.members) for c in with_it.clusters) == [20, 21]
    assert {c.representatives for c in with_it.clusters} == {c.representatives for c in chosen(points).clusters}


def test_merging_keeps_the_other_clusters_apart():
    points = np.concatenate([two_groups(0, sizes=(20, 20)), [[25.0, -25.0, 25.0]]])  # clipped, but not far off
    found = chosen(points, num_clusters=3)
    assert sorted(len(c.members) for c in found.clusters) == [20, 21]
    assert found.notes == (
        "a cluster of 1 graph, 2.4% of the class, was merged into the others: its graphs have 1 different embedding, "
        "fewer than num_graphs=3",
    )


def test_several_graphs_far_away_and_the_farthest_of_them():
    points = np.concatenate([two_groups(0, sizes=(60, 0)), [[300.0] * 3, [-500.0] * 3]])
    found = chosen(points, num_clusters=1)
    assert not {60, 61} & set(found.clusters[0].representatives)
    assert found.notes == (
        "2 graphs lie far outside of the class (the farthest is graph 61); they count as members but represent no "
        "cluster",
    )


def test_graphs_far_away_represent_where_no_others_are_left():
    points = np.concatenate([two_groups(0, sizes=(20, 0)), [[1000.0, 1000.0, 1000.0]]])
    found = chosen(points, num_clusters=1, num_graphs=21)
    assert set(found.clusters[0].representatives) == set(range(21))
    assert found.notes == ()


def test_of_very_few_graphs_none_is_called_far_away():
    few, more = np.array([[0.0], [1.0], [2.0], [3.0], [99.0]]), np.array([[1.0 * i] for i in [*range(9), 999]])
    assert chosen(few, num_clusters=1).notes == ()
    assert chosen(more, num_clusters=1).notes == (
        "graph 9 lies far outside of the class; it counts as a member but represents no cluster",
    )


def test_a_small_group_far_from_the_others_is_a_cluster_and_not_far_away():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (80, 3)), rng.normal(50, 1, (20, 3))])
    found = chosen(points)
    assert [len(c.members) for c in found.clusters] == [80, 20]
    assert found.notes == ()


def test_a_cluster_of_a_small_share_is_merged():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2)), rng.normal((-9, 9), 0.1, (6, 2))])
    found = chosen(points, num_clusters=3)
    assert sorted(len(c.members) for c in found.clusters) == [60, 66]
    assert found.notes == (
        "a cluster of 6 graphs, 4.8% of the class, was merged into the others: a cluster must hold 5%",
    )
    assert sorted(
        len(c.members) for c in chosen(points, num_clusters=3, options=ClusterOptions(min_share=0.04)).clusters
    ) == [6, 60, 60]


def test_a_cluster_of_too_few_different_graphs_is_merged():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(9, 1, (20, 2)), np.tile([[-9.0, 9.0]], (10, 1))])
    found = chosen(points, num_clusters=3)
    assert sorted(len(c.members) for c in found.clusters) == [20, 30]
    assert found.notes == (
        "a cluster of 10 graphs, 20.0% of the class, was merged into the others: its graphs have 1 different "
        "embedding, fewer than num_graphs=3",
    )


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_constant_dimensions_and_any_scale_work(scale):
    points = np.full((20, 40), 0.1 * scale)
    points[:, 0] = scale * np.arange(20)
    found = chosen(points, num_clusters=1)
    assert set(found.clusters[0].representatives) <= {8, 9, 10, 11}
    assert found.reason == "full covariances: 20 different graphs a cluster are at least twice the 1 dimension"
    assert found.notes == ()


def test_dimensions_that_vary_by_rounding_only_do_not_count():
    rng = np.random.default_rng(0)
    points = np.concatenate([two_groups(0), 5 + 1e-14 * rng.normal(size=(50, 30))], axis=1)
    plain = chosen(two_groups(0))
    assert [c.members for c in chosen(points).clusters] == [c.members for c in plain.clusters]


@pytest.mark.parametrize("num_clusters", [2, "auto"])
def test_many_dimensions_and_few_graphs(num_clusters):
    points = np.random.default_rng(0).normal(size=(10, 300))
    found = chosen(points, num_clusters=num_clusters)
    assert sum(len(c.members) for c in found.clusters) == 10
    assert all(len(c.representatives) == 3 for c in found.clusters)
    assert found.covariance == "diag"


def test_very_few_graphs_have_spherical_covariances():
    points = np.random.default_rng(0).normal(size=(8, 300))
    found = chosen(points)
    assert found.covariance == "spherical"
    assert found.reason == (
        "spherical covariances: 4 different graphs a cluster are fewer than twice the 300 dimensions, and than 5"
    )


@pytest.mark.parametrize("num_clusters", [2, "auto"])
def test_graphs_that_all_coincide_are_one_cluster(num_clusters):
    found = chosen(np.full((10, 4), 0.3), num_clusters=num_clusters)
    assert len(found.clusters[0].members) == 10
    assert found.clusters[0].distances == (0.0,) * 10
    assert found.clusters[0].representatives == (0,)
    assert found.covariance == "none"
    assert found.reason == "no covariances: the class has 10 graphs, all with the same embedding"


@pytest.mark.parametrize("num_groups", [1, 2, 3])
def test_the_number_of_clusters_is_found(num_groups):
    rng = np.random.default_rng(num_groups)
    points = np.concatenate([rng.normal(8 * number, 1.0, (60, 6)) for number in range(num_groups)])
    found = chosen(points, num_clusters="auto")
    groups = {frozenset(range(60 * number, 60 * number + 60)) for number in range(num_groups)}
    assert {frozenset(cluster.members) for cluster in found} == groups
    assert found.strengths[num_groups] >= 0.95
    assert found.notes == ()


ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1e-12, 1e12, 0.1]),
    st.floats(-10, 10),
    st.floats(-1e12, 1e12),
    st.floats(-1e-12, 1e-12),
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_comes_it_neither_fails_nor_warns(data):
    num, dim = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 6))
    rows = st.lists(ENTRIES, min_size=dim, max_size=dim)
    pool = np.array(data.draw(st.lists(rows, min_size=1, max_size=num)))
    points = pool[data.draw(st.lists(st.integers(0, len(pool) - 1), min_size=num, max_size=num))]
    num_clusters = data.draw(st.sampled_from([1, 2, 3, 5, "auto"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = chosen(points, num_clusters=num_clusters, num_graphs=data.draw(st.integers(1, 4)))
    assert sorted(i for c in found for i in c.members) == list(range(num))
    for cluster in found:
        assert set(cluster.representatives) <= set(cluster.members)
        assert len(np.unique(points[list(cluster.representatives)], axis=0)) == len(cluster.representatives) > 0
        assert np.isfinite(cluster.distances).all()
        assert np.isfinite(cluster.mean).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([2, 3, "auto"]), st.randoms(use_true_random=False))
def test_the_order_never_matters_in_many_dimensions_nor_with_graphs_far_away(seed, num_clusters, random):
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.lognormal(size=(60, 5)), 4 + rng.normal(size=(50, 5)), np.full((1, 5), 1e5)])
    order = list(range(len(points)))
    random.shuffle(order)
    plain, shuffled = chosen(points, num_clusters=num_clusters), chosen(points[order], num_clusters=num_clusters)
    assert [c.members for c in plain] == [tuple(order[i] for i in c.members) for c in shuffled]
    assert [c.representatives for c in plain] == [tuple(order[i] for i in c.representatives) for c in shuffled]
    assert plain.strengths == shuffled.strengths
