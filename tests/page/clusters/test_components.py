import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from protograph.page.clusters import components as module
from protograph.page.clusters.components import (
    Cloud,
    Components,
    Steps,
    from_responsibilities,
    improved,
    joint_log_densities,
    mahalanobis,
    whitening_of,
)

KINDS = ["full", "diag", "spherical"]


def cloud(seed, number=60, dim=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(number, dim)) + 2.0 * rng.integers(0, 3, (number, 1))


def random_shares(seed, num_components, number):
    shares = np.random.default_rng(seed).random((num_components, number))
    return shares / shares.sum(axis=0)


def scikit_learns(points, start, kind, steps):
    """The same iterations by scikit-learn, from the same components."""
    inverse = {"full": np.linalg.inv}.get(kind, np.reciprocal)
    model = GaussianMixture(
        len(start),
        covariance_type=kind,
        tol=steps.tolerance,
        reg_covar=steps.regularisation,
        max_iter=steps.most,
        weights_init=start.weights,
        means_init=start.means,
        precisions_init=inverse(start.covariances),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(points)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(KINDS), st.integers(2, 4), st.integers(1, 30))
def test_iterations_are_scikit_learns(seed, kind, num_components, most):
    points, steps = cloud(seed), Steps(most, 1e-3, 1e-6)
    prepared = Cloud.of(points, kind)
    start = from_responsibilities(prepared, random_shares(seed, num_components, len(points)), 1e-6)
    ours = improved(prepared, start, steps)
    components = from_responsibilities(prepared, ours.responsibilities, steps.regularisation)
    theirs = scikit_learns(points, start, kind, steps)
    assert ours.has_converged == theirs.converged_
    assert ours.likelihood == pytest.approx(theirs.lower_bound_, abs=1e-9)
    np.testing.assert_allclose(components.weights, theirs.weights_, atol=1e-9)
    np.testing.assert_allclose(components.means, theirs.means_, atol=1e-8)
    np.testing.assert_allclose(components.covariances, theirs.covariances_, atol=1e-8)
    np.testing.assert_array_equal(joint_log_densities(points, components).argmax(axis=0), theirs.predict(points))
    joint = joint_log_densities(points, components)
    np.testing.assert_allclose(np.logaddexp.reduce(joint, axis=0), theirs.score_samples(points), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_change_nothing(monkeypatch, kind):
    prepared, shares = Cloud.of(cloud(0), kind), random_shares(0, 3, 60)
    whole = from_responsibilities(prepared, shares, 1e-6)
    densities = joint_log_densities(prepared.points, whole)
    monkeypatch.setattr(module, "_BLOCK", 7)
    parts = from_responsibilities(prepared, shares, 1e-6)
    np.testing.assert_allclose(parts.covariances, whole.covariances, rtol=1e-12)
    np.testing.assert_allclose(joint_log_densities(prepared.points, whole), densities, rtol=1e-12)


def test_quick_covariances_are_off_by_roundings_only():
    prepared, shares = Cloud.of(cloud(0), "full"), random_shares(0, 3, 60)
    exact = from_responsibilities(prepared, shares, 1e-6)
    quick = from_responsibilities(prepared, shares, 1e-6, is_quick=True)
    np.testing.assert_allclose(quick.covariances, exact.covariances, rtol=0, atol=1e-13)


@given(st.integers(0, 1000), st.integers(1, 4))
def test_the_largest_component_is_what_the_others_leave(seed, num_components):
    prepared, shares = Cloud.of(cloud(seed), "full"), random_shares(seed, num_components, 60)
    expected = np.einsum("ln,ni,nj->lij", shares, prepared.points, prepared.points)
    np.testing.assert_allclose(module._products(prepared, shares), expected, rtol=0, atol=1e-11)


def test_components_worked_out_by_hand():
    points = np.array([[0.0, 0.0], [2.0, 4.0], [10.0, 10.0]])
    shares = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    full = from_responsibilities(Cloud.of(points, "full"), shares, 0.5)
    np.testing.assert_allclose(full.weights, [2 / 3, 1 / 3])
    np.testing.assert_allclose(full.means, [[1, 2], [10, 10]])
    np.testing.assert_allclose(full.covariances, [[[1.5, 2], [2, 4.5]], [[0.5, 0], [0, 0.5]]], atol=1e-12)
    spherical = from_responsibilities(Cloud.of(points, "spherical"), shares, 0.5)
    np.testing.assert_allclose(spherical.covariances, [3.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(spherical.covariance(0), [3.0, 3.0])


@pytest.mark.parametrize("covariances", [np.zeros((1, 2)), np.ones((1, 2, 2))])
def test_what_is_singular_is_refused(covariances):
    with pytest.raises(np.linalg.LinAlgError):
        whitening_of(covariances)


def test_far_components_are_told_apart():
    components = Components(np.array([0.5, 0.5]), np.array([[0.0], [1.0]]), np.ones((2, 1, 1)), np.ones((2, 1, 1)))
    expected = np.log(0.5 / np.sqrt(2 * np.pi)) - np.array([[1e4**2 / 2], [9999**2 / 2]])
    np.testing.assert_allclose(joint_log_densities(np.array([[1e4]]), components), expected)


def test_distance_worked_out_by_hand():
    covariance = np.array([[2.0, 1.0], [1.0, 2.0]])  # its inverse is [[2, -1], [-1, 2]] / 3
    assert mahalanobis(np.array([[1.0, 0.0]]), np.zeros(2), covariance)[0] == pytest.approx((2 / 3) ** 0.5)


def test_distances_by_variances_alone():
    found = mahalanobis(np.array([[3.0, 4.0]]), np.zeros(2), np.array([1.0, 4.0]))
    assert found[0] == pytest.approx(13**0.5)
