import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from protograph.page.clusters.starts import k_means_starts


def scikit_learns(points, num_clusters, num_starts, seed):
    """Starts of scikit-learn's mixture, those left out that give the same clusters again."""
    random, starts = np.random.RandomState(seed), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(num_starts):
            labels = KMeans(num_clusters, n_init=1, random_state=random).fit(points).labels_
            parts = frozenset(frozenset(np.flatnonzero(labels == label).tolist()) for label in range(num_clusters))
            starts.setdefault(parts - {frozenset()}, labels)
    return list(starts.values())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 600), st.integers(1, 40), st.integers(1, 5))
def test_starts_are_scikit_learns(seed, number, dim, num_clusters):
    points = np.random.default_rng(seed).normal(size=(number, dim)).clip(-3, 3)
    ours = k_means_starts(points, num_clusters, 3, seed)
    np.testing.assert_array_equal(ours, scikit_learns(points, num_clusters, 3, seed))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 60), st.integers(1, 4), st.integers(1, 5))
def test_starts_are_scikit_learns_where_graphs_coincide(seed, number, dim, num_clusters):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(num_clusters + 2, dim))[rng.integers(0, num_clusters + 2, number)]
    if len(np.unique(points, axis=0)) >= num_clusters:
        ours = k_means_starts(points, num_clusters, 2, seed)
        np.testing.assert_array_equal(ours, scikit_learns(points, num_clusters, 2, seed))


def test_centres_that_lose_all_rows_are_given_the_farthest():
    # Seeds for which a centre has no row left on the way, in scikit-learn's k-means and here.
    points = np.array([[0.0], [0.0], [0.0], [0.0], [1.0], [9.0], [10.0]])
    for seed in range(20):
        np.testing.assert_array_equal(k_means_starts(points, 4, 1, seed), scikit_learns(points, 4, 1, seed))


def test_fewer_different_rows_than_centres():
    points = np.repeat([[0.0], [5.0]], 4, axis=0)
    (labels,) = k_means_starts(points, 3, 2, 0)
    assert len(set(labels[:4])) == len(set(labels[4:])) == 1
    assert labels[0] != labels[-1]


@pytest.mark.parametrize("num_starts", [1, 5])
def test_the_same_clusters_come_once(num_starts):
    points = np.concatenate([np.random.default_rng(0).normal(20 * group, 1.0, (30, 3)) for group in range(2)])
    (labels,) = k_means_starts(points, 2, num_starts, 0)
    assert len(set(labels[:30])) == len(set(labels[30:])) == 1
