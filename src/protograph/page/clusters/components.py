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
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points, and what every iteration needs of them.

    Attributes:
        points: ``[num_graphs, dim]``.
        kind: Of the covariances.
        prepared: The points transposed for the kind "full", and their squares for the others.
    """

    points: Floats
    kind: Kind
    prepared: Floats = field(repr=False)

    @classmethod
    def of(cls, points: Floats, kind: Kind) -> "Cloud":
        """Prepare points."""
        return cls(points, kind, np.ascontiguousarray(points.T) if kind == "full" else points * points)

    def __len__(self) -> int:
        return len(self.points)


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


def improved(cloud: Cloud, fit: Fit, steps: Steps) -> Fit:
    """Iterate until an iteration gains less than another one is worth, or for as long as is allowed.

    Args:
        cloud: The points.
        fit: What to begin with.
        steps: When to stop, and what is added to every variance.

    Raises:
        numpy.linalg.LinAlgError: A covariance is singular in float64.
    """
    for left in reversed(range(steps.most)):
        shares, likelihood = _responsibilities(cloud, fit.components)
        has_converged = abs(likelihood - fit.likelihood) < steps.tolerance
        is_last = has_converged or not left
        components = from_responsibilities(cloud, shares, steps.regularisation, is_quick=not is_last)
        fit = Fit(components, likelihood, has_converged)
        if is_last:
            break
    return fit


def _responsibilities(cloud: Cloud, components: Components) -> tuple[Floats, float]:
    """Shares in which points belong to components, and the mean logarithm of the points' likelihood."""
    joint = _joint(cloud.points, None if cloud.kind == "full" else cloud.prepared, components)
    highest = joint.max(axis=0)
    joint -= highest
    shares = np.exp(joint, out=joint)
    totals = shares.sum(axis=0)
    shares /= totals
    return shares, float((np.log(totals) + highest).mean())


def from_responsibilities(
    cloud: Cloud, responsibilities: Floats, regularisation: float, *, is_quick: bool = False
) -> Components:
    """Return the components that are likeliest for points which belong to them by given shares.

    Args:
        cloud: The points.
        responsibilities: ``[num_components, num_graphs]``, each column with sum 1.
        regularisation: Added to every variance.
        is_quick: Whether full covariances may be off by some roundings of the points' squares, for half of the time;
            the next iteration makes them anew.

    Raises:
        numpy.linalg.LinAlgError: A covariance is singular in float64.
    """
    sizes = responsibilities.sum(axis=1) + 10 * np.finfo(np.float64).eps
    means = (responsibilities @ cloud.points) / sizes[:, None]
    if cloud.kind == "full":
        covariances = _scatters(cloud, responsibilities, None if is_quick else means)
        covariances /= sizes[:, None, None]
        if is_quick:
            covariances -= means[:, :, None] * means[:, None, :]
        covariances.reshape(len(means), -1)[:, :: means.shape[1] + 1] += regularisation
    else:
        covariances = (responsibilities @ cloud.prepared) / sizes[:, None] - means**2 + regularisation
        if cloud.kind == "spherical":
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
    return _joint(points, None, components)


def _joint(points: Floats, point_squares: Floats | None, components: Components) -> Floats:
    """The same, quicker for variances alone where the points' squares are known, and not as exact."""
    dim, whitening = points.shape[1], components.whitening
    if whitening.ndim == 3:
        squares = _squared_distances(points, components.means, whitening)
        log_determinants = np.log(np.diagonal(whitening, axis1=1, axis2=2)).sum(axis=1)
    else:
        scales = whitening if whitening.ndim == 2 else np.repeat(whitening[:, None], dim, axis=1)
        squares = _scaled_squares(points, point_squares, components.means, scales)
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
        squares = _scaled_squares(points, None, mean[None], whitening[None])[0]
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


def _scaled_squares(points: Floats, point_squares: Floats | None, means: Floats, scales: Floats) -> Floats:
    """Squared Mahalanobis distances where dimensions have nothing to do with each other."""
    if point_squares is not None:
        precisions = scales**2
        products: Floats = precisions @ point_squares.T - 2 * ((means * precisions) @ points.T)
        products += (means**2 * precisions).sum(axis=1)[:, None]
        return products
    squares = np.empty((len(means), len(points)))
    for rows in _blocks(len(points)):
        for label, (mean, scale) in enumerate(zip(means, scales, strict=True)):
            part = points[rows] - mean
            part *= scale
            np.einsum("nd,nd->n", part, part, out=squares[label, rows])
    return squares


def _scatters(cloud: Cloud, weights: Floats, means: Floats | None) -> Floats:
    r""":math:`\sum_i w_{li} (h_i - \mu_l)(h_i - \mu_l)^T` of each component, ``[num_components, dim, dim]``.

    Without means, those are taken for 0.
    """
    number, dim = len(weights), cloud.points.shape[1]
    scatters, product = np.zeros((number, dim, dim)), np.empty((dim, dim))
    offsets = np.empty((dim, min(_BLOCK, len(cloud))))
    weighted = np.empty_like(offsets)
    for rows in _blocks(len(cloud)):
        size = rows.stop - rows.start
        columns, one, other = cloud.prepared[:, rows], offsets[:, :size], weighted[:, :size]
        for label in range(number):
            if means is not None:
                np.subtract(columns, means[label, :, None], out=one)
            around = columns if means is None else one
            np.multiply(around, weights[label, rows], out=other)
            np.matmul(other, cloud.points[rows] if means is None else one.T, out=product)
            scatters[label] += product
    return scatters


def _blocks(number: int) -> Iterator[slice]:
    for first in range(0, number, _BLOCK):
        yield slice(first, min(first + _BLOCK, number))
