import random
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protograph.page.clusters import num_clusters
from protograph.page.clusters.mixture import scaled
from protograph.page.clusters.num_clusters import agreement, choose, prediction_strengths
from protograph.page.options import ClusterOptions
from tests import oracle


def blobs(num_groups, size=60, dim=6, seed=0):
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(8 * number, 1.0, (size, dim)) for number in range(num_groups)])
    return points / 8


def chosen(points, twins=None, num_graphs=3, random_state=0, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return choose(
            points,
            np.arange(len(points)) if twins is None else twins,
            num_graphs=num_graphs,
            random_state=random_state,
            options=ClusterOptions(**options),
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("num_groups", [1, 2, 3])
def test_well_separated_groups_are_counted(num_groups, seed):
    found = chosen(blobs(num_groups, seed=seed), random_state=seed)
    assert found.number == num_groups
    assert found.strengths[1] == 1.0
    assert found.strengths[num_groups] == pytest.approx(1.0, abs=0.03)
    assert all(strength < 0.95 for number, strength in found.strengths.items() if number > num_groups)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "uniform"])
@pytest.mark.parametrize("dim", [2, 8, 32])
def test_no_structure_is_one_cluster(kind, dim):
    points = getattr(np.random.default_rng(0), kind)(size=(300, dim))
    assert chosen(scaled(points).clip(-3, 3)).number == 1


def test_few_graphs_are_not_divided():
    assert chosen(blobs(2, size=19)).strengths == {1: 1.0}
    assert list(chosen(blobs(2, size=20)).strengths) == [1, 2]
    assert list(chosen(blobs(2, size=20), num_graphs=11).strengths) == [1]


def test_graphs_that_coincide_do_not_agree_with_themselves():
    twins = np.repeat(np.arange(12), 50)
    points = np.random.default_rng(0).normal(size=(12, 3))[twins]
    assert chosen(points, twins).strengths == {1: 1.0}
    for first in (num_clusters._split(twins, np.random.default_rng(seed)) for seed in range(5)):
        assert not set(twins[first]) & set(twins[~first])
        assert len(set(twins[first])) == 6


def test_a_number_with_a_cluster_of_a_small_share_is_not_chosen():
    rng = np.random.default_rng(0)
    sizes = ((300, 0.0), (300, 2.0), (40, 4.0))
    points = np.concatenate([rng.normal(middle, 0.1, (size, 3)) for size, middle in sizes])
    assert chosen(points).number == 3
    found = chosen(points, min_share=0.1)
    assert found.number == 2
    assert found.strengths[3] >= 0.95
    assert found.mixture.notes == ()


def test_it_is_the_same_for_a_seed_and_leaves_the_global_generators_alone():
    points = np.random.default_rng(0).normal(size=(200, 4))

    def strengths(seed):
        return prediction_strengths(points, np.arange(200), num_graphs=3, random_state=seed, options=ClusterOptions())

    before = np.random.get_state()[1].copy(), random.getstate()
    first = strengths(5)
    np.testing.assert_array_equal(np.random.get_state()[1], before[0])
    assert random.getstate() == before[1]
    np.random.seed(1)
    assert strengths(5) == first
    assert strengths(6) != first


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_agreement_is_the_oracles(pairs):
    labels, others = [a for a, _ in pairs], [b for _, b in pairs]
    labels += [0, 1, 2]  # none is empty
    others += [0, 0, 0]
    assert agreement(np.array(labels), np.array(others), 3) == pytest.approx(oracle.agreement(labels, others))


def test_a_cluster_without_pairs_does_not_agree():
    assert agreement(np.array([0, 0, 0]), np.array([0, 0, 0]), 2) == 0.0
    assert agreement(np.array([0, 0, 1]), np.array([0, 0, 1]), 2) == 0.0
