import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.page.clusters.mixture import (
    covariance_for,
    evenly,
    fit_components,
    fit_mixture,
    num_different,
    quartiles,
    scaled,
)
from protograph.page.options import ClusterOptions
from tests import oracle


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(-20, 20).map(float), min_size=3, max_size=3), min_size=2, max_size=20))
def test_scaling_is_the_oracles(rows):
    found = scaled(np.array(rows)).clip(-3, 3)
    expected = oracle.scale(rows)
    np.testing.assert_allclose(found, np.array(expected).reshape(found.shape), atol=1e-9)


@pytest.mark.parametrize("unit", [1e-300, 1e-12, 1e12, 1e200])
def test_scaling_knows_no_units(unit):
    points = np.random.default_rng(0).normal(size=(30, 4))
    np.testing.assert_allclose(scaled(points * unit), scaled(points), rtol=1e-9)


def test_scaling_worked_out_by_hand():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 5.0]])
    expected = [[-1.349, 0], [-0.6745, 0], [0, 0], [0.6745, 0], [1.349, 2.5]]  # the second's deviation is 2
    np.testing.assert_allclose(scaled(points), expected)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 1000))
def test_quartiles_are_numpys(number, dim, seed):
    points = np.random.default_rng(seed).normal(size=(number, dim))
    np.testing.assert_array_equal(quartiles(points), np.quantile(points, [0.25, 0.5, 0.75], axis=0))


@given(st.lists(st.integers(0, 5)))
def test_different_numbers_are_counted(numbers):
    assert num_different(np.array(sorted(numbers), dtype=np.int64)) == len(set(numbers))


def test_spreads_up_to_the_tolerance_are_rounding():
    points = np.array([[0.0, 1e-9, 1.0], [1.0, 0.0, 1.0], [2.0, 2e-9, 1.0]])
    assert scaled(points).shape == (3, 2)
    assert scaled(points, 1e-8).shape == (3, 1)


@pytest.mark.parametrize(
    ("num_distinct", "num_clusters", "dim", "kind"),
    [
        (128, 2, 32, "full"),
        (127, 2, 32, "diag"),
        (10, 2, 32, "diag"),
        (9, 2, 32, "spherical"),
        (4, 2, 1, "full"),
    ],
)
def test_the_covariance_has_what_the_graphs_can_decide(num_distinct, num_clusters, dim, kind):
    assert covariance_for(num_distinct, num_clusters, dim, ClusterOptions())[0] == kind


def test_singular_covariances_are_raised_until_it_works():
    line = np.random.default_rng(0).normal(size=(40, 1))
    components, notes = fit_components(np.repeat(line, 3, axis=1), 2, "full", 0, ClusterOptions(regularisation=1e-20))
    (note,) = notes
    raised = float(
        re.fullmatch("the mixture's covariances were singular, so (.*) was added to every variance", note)[1]
    )
    assert raised > 1e-20
    # In directions where nothing varies, what was added is all there is, up to the points' rounding.
    np.testing.assert_allclose(np.linalg.eigvalsh(components.covariances)[:, :2], raised, rtol=0.5, atol=1e-15)


def test_numbers_that_no_covariance_helps_are_an_error():
    with pytest.raises(ValueError, match="NaN"):
        fit_components(np.full((10, 2), np.nan), 2, "full", 0, ClusterOptions())


def test_a_mixture_that_did_not_converge_says_so():
    points = np.random.default_rng(0).normal(size=(60, 2))
    notes = fit_components(points, 2, "full", 0, ClusterOptions(tolerance=0.0))[1]
    assert notes == ["the mixture did not converge in 100 iterations"]


def test_starts_that_are_cut_short_go_on_to_the_end():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(60, 2)), rng.normal(1.5, 1.0, (60, 2))])
    cut_short, notes = fit_components(points, 2, "full", 0, ClusterOptions(start_iterations=2, num_starts=1))
    assert notes == []
    expected, _ = fit_components(points, 2, "full", 0, ClusterOptions(num_starts=1))
    np.testing.assert_allclose(cut_short.means, expected.means)


def test_with_many_graphs_the_best_start_goes_on_with_all():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(900, 2)), rng.normal(6.0, 1.0, (600, 2))])
    components, notes = fit_components(points, 2, "full", 0, ClusterOptions())
    assert notes == []
    assert sorted(components.weights) == pytest.approx([0.4, 0.6], abs=1e-3)
    largest = components.means[np.argmax(components.weights)]
    np.testing.assert_allclose(largest, points[:900].mean(axis=0), atol=0.01)


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_every_covariance_gives_the_groups(kind):
    sizes = {"full": 40, "diag": 12, "spherical": 4}
    rng, number = np.random.default_rng(0), sizes[kind]
    points = np.concatenate([rng.normal(-2, 0.3, (number, 8)), rng.normal(2, 0.3, (number, 8))])
    found = fit_mixture(
        points, np.arange(2 * number), num_clusters=2, num_graphs=3, random_state=0, options=ClusterOptions()
    )
    assert found.covariance == kind
    assert len(set(found.labels[:number])) == len(set(found.labels[number:])) == 1
    assert found.labels[0] != found.labels[-1]


def test_evenly_spaced_numbers():
    assert evenly(3, 5).tolist() == [0, 1, 2]
    assert evenly(9, 3).tolist() == [0, 3, 6]
    assert evenly(0, 3).tolist() == []
