r"""Gaussian components and how they are fitted: expectation maximisation, step for step as in scikit-learn.

.. math:: r_{il} = \frac{w_l \, N(h_i; \mu_l, \Sigma_l)}{\sum_m w_m \, N(h_i; \mu_m, \Sigma_m)}, \quad
    w_l = \frac{1}{n} \sum_i r_{il}, \quad \mu_l = \frac{\sum_i r_{il} h_i}{\sum_i r_{il}}, \quad
    \Sigma_l = \frac{\sum_i r_{il} (h_i - \mu_l)(h_i - \mu_l)^T}{\sum_i r_{il}} + \epsilon I

A class has a few hundred graphs of a few dozen dimensions, so that an iteration takes a fraction of a millisecond and
scikit-learn's checks of its input many times as long. Nearly all of what is left are products of matrices, of blocks of
points that stay in the processor's cache.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from protograph._base.arrays import Floats

Kind = Literal["full", "diag", "spherical"]

# Rows of points that are worked on at a time.
_BLOCK = 1024


@dataclass(frozen=True, eq=False)
class Components:
    """Weighted normal distributions.

    Attributes:
        weights: ``[num_components]``, with sum 1.
        means: ``[num_components, dim]``.
        covariances: ``[num_components, dim, dim]``; of the kind "diag" ``[num_components, dim]``; of "spherical"
            ``[num_components]``.
        whitening: What :func:`whitening_of` makes of the covariances.
    """

    weights: Floats
    means: Floats
    covariances: Floats
    whitening: Floats = field(repr=False)

    def __len__(self) -> int:
        return len(self.weights)

    def covariance(self, number: int) -> Floats:
        """Of one component, ``[dim, dim]``, or its variances, ``[dim]``."""
        covariance: Floats = np.asarray(self.covariances[number])
        return np.full(self.means.shape[1], covariance) if covariance.ndim == 0 else covariance


@dataclass(frozen=True)
class Steps:
    """How long to iterate.

    Attributes:
        most: Most iterations.
        tolerance: Gain in mean log-likelihood that another one is worth.
        regularisation: Added to every variance.
    """

    most: int
    tolerance: float
    regularisation: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Components after some iterations.

    Attributes:
        components: The components.
        likelihood: Mean logarithm of the points' likelihood, by the components before the last iteration.
        has_converged: Whether the last iteration gained less than another one is worth.
    """

    components: Components
    likelihood: float
    has_converged: bool


def improved(points: Floats, fit: Fit, kind: Kind, steps: Steps) -> Fit:
    """Iterate until an iteration gains less than another one is worth, or for as long as is allowed.

    Args:
        points: ``[num_graphs, dim]``.
        fit: What to begin with.
        kind: Of the covariances.
        steps: When to stop, and what is added to every variance.

    Raises:
        numpy.linalg.LinAlgError: A covariance is singular in float64.
    """
    components, likelihood = fit.components, fit.likelihood
    for _ in range(steps.most):
        joint = joint_log_densities(points, components)
        highest = joint.max(axis=0)
        joint -= highest
        shares = np.exp(joint, out=joint)
        totals = shares.sum(axis=0)
        shares /= totals
        before, likelihood = likelihood, float((np.log(totals) + highest).mean())
        components = from_responsibilities(points, shares, kind, steps.regularisation)
        if abs(likelihood - before) < steps.tolerance:
            return Fit(components, likelihood, True)
    return Fit(components, likelihood, False)


def from_responsibilities(points: Floats, responsibilities: Floats, kind: Kind, regularisation: float) -> Components:
    """Return the components that are likeliest for points which belong to them by given shares.

    Args:
        points: ``[num_graphs, dim]``.
        responsibilities: ``[num_components, num_graphs]``, each column with sum 1.
        kind: Of the covariances.
        regularisation: Added to every variance.

    Raises:
        numpy.linalg.LinAlgError: A covariance is singular in float64.
    """
    sizes = responsibilities.sum(axis=1) + 10 * np.finfo(np.float64).eps
    means = (responsibilities @ points) / sizes[:, None]
    if kind == "full":
        covariances = _scatters(points, responsibilities, means) / sizes[:, None, None]
        covariances[:, np.arange(means.shape[1]), np.arange(means.shape[1])] += regularisation
    else:
        covariances = _squares(points, responsibilities) / sizes[:, None] - means**2 + regularisation
        if kind == "spherical":
            covariances = covariances.mean(axis=1)
    return Components(sizes / sizes.sum(), means, covariances, whitening_of(covariances))


def whitening_of(covariances: Floats) -> Floats:
    """Inverses of lower Cholesky factors of matrices, ``[number, dim, dim]``, or of the roots of variances.

    >>> whitening_of(np.array([[4.0, 0.25]]))
    array([[0.5, 2. ]])
    """
    if covariances.ndim < 3:
        if not (covariances > 0.0).all():
            raise np.linalg.LinAlgError("a variance is not positive")
        return np.reciprocal(np.sqrt(covariances))
    from scipy.linalg.lapack import dtrtri  # general solvers take several times as long for a triangle

    # The transposed is upper and in Fortran's order: nothing is copied.
    return np.stack([dtrtri(factor.T)[0].T for factor in np.linalg.cholesky(covariances)])


def joint_log_densities(points: Floats, components: Components) -> Floats:
    """Logarithm of weight times density in each component, ``[num_components, num_graphs]``.

    Probabilities would be 0 in far components; merging needs to know which of those is nearest.
    """
    dim, whitening = points.shape[1], components.whitening
    if whitening.ndim == 3:
        squares = _squared_distances(points, components.means, whitening)
        log_determinants = np.log(np.diagonal(whitening, axis1=1, axis2=2)).sum(axis=1)
    else:
        scales = whitening if whitening.ndim == 2 else np.repeat(whitening[:, None], dim, axis=1)
        squares = np.stack([_scaled_squares(points, *each) for each in zip(components.means, scales, strict=True)])
        log_determinants = np.log(scales).sum(axis=1)
    constants = np.log(components.weights) + log_determinants - 0.5 * dim * np.log(2 * np.pi)
    squares *= -0.5
    squares += constants[:, None]
    return squares


def mahalanobis(points: Floats, mean: Floats, covariance: Floats) -> Floats:
    r"""Distance :math:`\sqrt{(h - \mu)^T \Sigma^{-1} (h - \mu)}` of each row.

    Args:
        points: ``[num_graphs, dim]``.
        mean: ``[dim]``.
        covariance: ``[dim, dim]``, or the variances on its diagonal, ``[dim]``.

    >>> mahalanobis(np.array([[3.0, 4.0]]), np.zeros(2), np.diag([1.0, 4.0]))
    array([3.60555128])
    """
    whitening = whitening_of(covariance[None])[0]
    if whitening.ndim == 1:
        squares = _scaled_squares(points, mean, whitening)
    else:
        squares = _squared_distances(points - mean, np.zeros((1, len(mean))), whitening[None])[0]
    distances: Floats = np.sqrt(squares)
    return distances


def _squared_distances(points: Floats, means: Floats, whitening: Floats) -> Floats:
    """Squared Mahalanobis distances, ``[num_components, num_graphs]``."""
    number, dim = means.shape
    together = np.ascontiguousarray(whitening.reshape(number * dim, dim).T)
    middles = np.matmul(whitening, means[:, :, None]).ravel()
    whitened = np.empty((min(_BLOCK, len(points)), number * dim))
    squares = np.empty((number, len(points)))
    for rows in _blocks(len(points)):
        part = np.matmul(points[rows], together, out=whitened[: rows.stop - rows.start])
        part -= middles
        part = part.reshape(-1, number, dim)
        np.einsum("nld,nld->ln", part, part, out=squares[:, rows])
    return squares


def _scaled_squares(points: Floats, mean: Floats, scale: Floats) -> Floats:
    """Squared Mahalanobis distances to one mean, where dimensions have nothing to do with each other."""
    squares = np.empty(len(points))
    for rows in _blocks(len(points)):
        part = points[rows] - mean
        part *= scale
        np.einsum("nd,nd->n", part, part, out=squares[rows])
    return squares


def _scatters(points: Floats, weights: Floats, means: Floats) -> Floats:
    r""":math:`\sum_i w_{li} (h_i - \mu_l)(h_i - \mu_l)^T` of each component, ``[num_components, dim, dim]``."""
    number, dim = means.shape
    scatters = np.zeros((number, dim, dim))
    product = np.empty((dim, dim))
    for rows in _blocks(len(points)):
        columns = np.ascontiguousarray(points[rows].T)
        offsets, weighted = np.empty_like(columns), np.empty_like(columns)
        for label in range(number):
            np.subtract(columns, means[label, :, None], out=offsets)
            np.multiply(offsets, weights[label, rows], out=weighted)
            scatters[label] += np.matmul(weighted, offsets.T, out=product)
    return scatters


def _squares(points: Floats, weights: Floats) -> Floats:
    r""":math:`\sum_i w_{li} h_i^2` of each component, ``[num_components, dim]``."""
    total = np.zeros((len(weights), points.shape[1]))
    for rows in _blocks(len(points)):
        total += weights[:, rows] @ np.square(points[rows])
    return total


def _blocks(number: int) -> Iterator[slice]:
    for first in range(0, number, _BLOCK):
        yield slice(first, min(first + _BLOCK, number))
