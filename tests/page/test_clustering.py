"""Phase 1: clusters of embeddings and their representatives, without a model."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from protograph.page import clustering
from protograph.page.clustering import (
    agreement,
    canonical_order,
    class_map,
    covariance_for,
    given_cluster,
    scaled,
    select,
)
from tests import oracle


def two_groups(seed, sizes=(30, 20), dim=3):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(4 * number, 1.0, (size, dim)) for number, size in enumerate(sizes)])


def blobs(num_groups, size=60, dim=6, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(8 * number, 1.0, (size, dim)) for number in range(num_groups)])


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


# ---- against the oracle, in any order ------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "unit"), [(0, 1.0), (1, 1e-12), (2, 1e12)])
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
    assert (found.notes, found.strengths) == ((), {})
    for cluster in found:
        assert list(cluster.distances) == sorted(cluster.distances)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([2, 3, "auto"]), st.randoms(use_true_random=False))
def test_the_order_of_the_input_never_matters(seed, num_clusters, random):
    """Also with twins, which have the same content, and with a graph far away."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.lognormal(size=(60, 5)), 4 + rng.normal(size=(50, 5)), np.full((1, 5), 1e5)])
    points = np.concatenate([points, points[:9]])
    names = [bytes([i % 111]) for i in range(120)]
    order = list(range(120))
    random.shuffle(order)
    plain = chosen(points, num_clusters=num_clusters, content_keys=lambda some: [names[i] for i in some])
    shuffled = chosen(
        points[order], num_clusters=num_clusters, content_keys=lambda some: [names[order[i]] for i in some]
    )
    assert [{order[i] for i in c.members} for c in shuffled] == [set(c.members) for c in plain]
    assert [[names[order[i]] for i in c.nearest] for c in shuffled] == [[names[i] for i in c.nearest] for c in plain]
    assert plain.strengths == shuffled.strengths


def test_equal_embeddings_are_chosen_once_but_counted():
    found = chosen(np.repeat(two_groups(0, sizes=(16, 16)), 3, axis=0), num_nearest=7)
    assert sum(len(c.members) for c in found.clusters) == 96
    for cluster in found.clusters:
        assert len({i // 3 for i in cluster.nearest}) == 7
        assert cluster.nearest[:3] == cluster.representatives


def test_of_very_many_graphs_some_are_fitted_and_all_assigned(monkeypatch):
    monkeypatch.setattr(clustering, "MAX_FITTED", 60)
    points = two_groups(0, sizes=(120, 80))
    found = chosen(points)
    assert [set(c.members) for c in found] == [set(range(120)), set(range(120, 200))]
    assert found.notes[0].startswith("the mixture was fitted to 60 of the 200 graphs of the class")


# ---- few, equal and far graphs -------------------------------------------------------------------------------------


def test_too_few_graphs_mean_fewer_clusters_and_then_fewer_graphs():
    found = chosen(two_groups(0, sizes=(3, 2)))
    assert len(found.clusters) == 1
    assert "num_clusters was lowered from 2 to 1: the class has 5 different" in found.notes[0]
    found = chosen(np.array([[1.0], [2.0]]))
    assert found.clusters[0].representatives == (0, 1)
    assert "num_graphs was lowered from 3 to 2" in found.notes[1]


@pytest.mark.parametrize(("number", "num_clusters"), [(1, 2), (10, 2), (10, "auto")])
def test_graphs_that_all_coincide_are_one_cluster(number, num_clusters):
    found = chosen(np.full((number, 4), 0.3), num_clusters=num_clusters)
    (cluster,) = found.clusters
    assert (cluster.members, cluster.distances) == (tuple(range(number)), (0.0,) * number)
    assert cluster.representatives == (0,)


@pytest.mark.parametrize("far", [1e3, 1e12, 1e100])
def test_one_graph_far_away_counts_but_represents_nothing(far):
    points = two_groups(0, sizes=(20, 20))
    with_it = chosen(np.concatenate([points, [[far, far, far]]]), num_nearest=50, graph_label="molecule {}".format)
    assert sorted(len(c.members) for c in with_it) == [20, 21]
    assert {c.representatives for c in with_it} == {c.representatives for c in chosen(points)}
    assert not any(40 in c.nearest for c in with_it)
    assert with_it.notes == (
        "molecule 40 lies far outside of the class; it counts as a member but represents no cluster",
    )


def test_graphs_far_away_represent_where_few_others_are_left_or_they_are_a_group():
    points = np.concatenate([two_groups(0, sizes=(20, 0)), [[1000.0, 1000.0, 1000.0]]])
    found = chosen(points, num_clusters=1, num_graphs=21)
    assert set(found.clusters[0].representatives) == set(range(21))
    few = np.array([[0.0], [1.0], [2.0], [3.0], [99.0]])
    rng = np.random.default_rng(0)
    group = chosen(np.concatenate([rng.normal(0, 1, (80, 3)), rng.normal(50, 1, (20, 3))]))
    assert [len(c.members) for c in group] == [80, 20]
    assert found.notes == chosen(few, num_clusters=1).notes == group.notes == ()


@pytest.mark.parametrize(
    ("third", "sizes", "note"),
    [
        (
            np.array([[25.0, -25.0]]),
            [60, 61],
            "a cluster of 1 graph, .* 1 different embedding, fewer than num_graphs=3",
        ),
        (np.tile([[-9.0, 9.0]], (10, 1)), [60, 70], "a cluster of 10 graphs, .* 1 different embedding"),
        (np.random.default_rng(0).normal((-9, 9), 0.1, (6, 2)), [60, 66], "6 graphs, 4.8% of the .* must hold 5%"),
    ],
)
def test_a_cluster_that_is_too_small_is_merged_and_keeps_the_others_apart(third, sizes, note):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(9, 1, (60, 2)), third])
    found = chosen(points, num_clusters=3)
    assert sorted(len(c.members) for c in found.clusters) == sizes
    (merge,) = found.notes
    assert "was merged into the others" in merge
    assert re.search(note, merge)


ENTRIES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 1e-12, 1e12, 0.1]),
    st.floats(-10, 10),
    st.floats(-1e12, 1e12),
    st.floats(-1e-12, 1e-12),
)


@settings(max_examples=40, deadline=None)
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


# ---- scale and covariances -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-150, 1e-12, 1e12, 1e150])
def test_scaling_knows_no_units_and_drops_what_varies_by_rounding(unit):
    points = np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(scaled(points * unit), scaled(points), rtol=1e-9)
    noisy = np.concatenate([two_groups(0), 5 + 1e-14 * np.random.default_rng(0).normal(size=(50, 30))], axis=1)
    assert [c.members for c in chosen(noisy)] == [c.members for c in chosen(two_groups(0))]


@pytest.mark.parametrize(
    ("num_distinct", "dim", "kind"), [(128, 32, "full"), (127, 32, "diag"), (10, 32, "diag"), (9, 32, "spherical")]
)
def test_the_covariance_has_what_the_graphs_can_decide(num_distinct, dim, kind):
    assert covariance_for(num_distinct, 2, dim) == kind
    rng, size = np.random.default_rng(0), num_distinct // 2
    found = chosen(np.concatenate([rng.normal(-2, 0.3, (size, dim)), rng.normal(2, 0.3, (size, dim))]))
    assert {frozenset(c.members) for c in found} == {frozenset(range(size)), frozenset(range(size, 2 * size))}


# ---- how many clusters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_groups", [1, 2, 3])
def test_well_separated_groups_are_counted(num_groups):
    found = chosen(blobs(num_groups, seed=num_groups), num_clusters="auto")
    groups = {frozenset(range(60 * number, 60 * number + 60)) for number in range(num_groups)}
    assert {frozenset(cluster.members) for cluster in found} == groups
    assert found.strengths[num_groups] == pytest.approx(1.0, abs=0.03)
    assert all(strength < 0.95 for number, strength in found.strengths.items() if number > num_groups)
    assert found.notes == ()


@pytest.mark.parametrize("kind", ["normal", "lognormal", "uniform"])
def test_no_structure_is_one_cluster(kind):
    for dim in (2, 16):
        assert len(chosen(getattr(np.random.default_rng(0), kind)(size=(300, dim)), num_clusters="auto")) == 1


def test_few_or_equal_graphs_are_not_divided():
    assert chosen(blobs(2, size=19), num_clusters="auto").strengths == {1: 1.0}
    assert list(chosen(blobs(2, size=20), num_clusters="auto").strengths) == [1, 2]
    twins = np.repeat(np.random.default_rng(0).normal(size=(12, 3)), 50, axis=0)
    assert chosen(twins, num_clusters="auto").strengths == {1: 1.0}


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_agreement_is_the_oracles(pairs):
    labels, others = [*(a for a, _ in pairs), 0, 1, 2], [*(b for _, b in pairs), 0, 0, 0]  # none is empty
    assert agreement(np.array(labels), np.array(others), 3) == pytest.approx(oracle.agreement(labels, others))


# ---- given graphs, and the map -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("representatives", "error", "message"),
    [
        (5, TypeError, r"must be a list of graph indices, got 5$"),
        ([0.5], TypeError, r"must be a list of graph indices, got \[0.5\]$"),
        ([0, 3], ValueError, r"in \[0, 3\), got 3$"),
        ([], ValueError, r"different graphs, at least one, got \[\]$"),
        ([1, 1], ValueError, r"different graphs, at least one, got \[1, 1\]$"),
        ([0], ValueError, r"scoring='arithmetic' needs at least 2 representatives, got 1$"),
    ],
)
def test_given_graphs_that_cannot_be_taken_are_refused(representatives, error, message):
    with pytest.raises(error, match=message):
        given_cluster(representatives, 3, 2, "scoring='arithmetic'")


def test_each_graph_of_the_class_has_a_place_on_the_map_and_its_cluster():
    embedded = SimpleNamespace(graph_embeddings=np.array([[9.0], [0.0], [2.0], [4.0]]))
    made = class_map(embedded, np.array([1, 2, 3]), [SimpleNamespace(members=(1, 2)), SimpleNamespace(members=(3,))])
    assert (made.indices, made.clusters) == ((1, 2, 3), (0, 0, 1))
    assert made.positions[:, 0].tolist() == [-2.0, 0.0, 2.0]
