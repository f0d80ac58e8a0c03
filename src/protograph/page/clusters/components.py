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
from functools import cached_property
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
        prepared: For the kind "full" the points as columns, with a row of ones below; for the others their squares.
    """

    points: Floats
    kind: Kind
    prepared: Floats = field(repr=False)

    @classmethod
    def of(cls, points: Floats, kind: Kind) -> "Cloud":
        """Prepare points."""
        return cls(points, kind, _columns(points) if kind == "full" else points * points)

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def products(self) -> Floats:
        """The sum of the points' products with themselves, ``[dim, dim]``."""
        products: Floats = self.points.T @ self.points
        return products


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
    """Points shared out between components after some iterations.

    Attributes:
        responsibilities: ``[num_components, num_graphs]``, the shares in which points belong to components.
        likelihood: Mean logarithm of the points' likelihood, by the components that shared them out.
        has_converged: Whether the last iteration gained less than another one is worth.
    """

    responsibilities: Floats
    likelihood: float
    has_converged: bool


def improved(cloud: Cloud, components: Components, steps: Steps, likelihood: float = -np.inf) -> Fit:
    """Iterate until an iteration gains less than another one is worth, or for as long as is allowed.

    The components of the last iteration are not made: nobody needs those of a start that others surpass.

    Args:
        cloud: The points.
        components: What to begin with.
        steps: When to stop, and what is added to every variance.
        likelihood: Of the iteration before.

    Raises:
        numpy.linalg.LinAlgError: A covariance is singular in float64.
    """
    for left in reversed(range(max(1, steps.most))):
        shares, reached = _responsibilities(cloud, components)
        has_converged = abs(reached - likelihood) < steps.tolerance
        likelihood = reached
        if has_converged or not left:
            break
        components = from_responsibilities(cloud, shares, steps.regularisation, is_quick=True)
    return Fit(shares, likelihood, has_converged)


def _responsibilities(cloud: Cloud, components: Components) -> tuple[Floats, float]:
    """Shares in which points belong to components, and the mean logarithm of the points' likelihood."""
    joint = _joint(cloud, components)
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
        covariances = _products(cloud, responsibilities) if is_quick else _scatters(cloud, responsibilities, means)
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
    return _joint(points, components)


def _joint(points: Cloud | Floats, components: Components) -> Floats:
    """The same, quicker for a cloud, and of variances alone not as exact."""
    dim, whitening = components.means.shape[1], components.whitening
    if whitening.ndim == 3:
        columns = points.prepared if isinstance(points, Cloud) else _columns(points)
        squares = _squared_distances(columns, components.means, whitening)
        log_determinants = np.log(np.diagonal(whitening, axis1=1, axis2=2)).sum(axis=1)
    else:
        scales = whitening if whitening.ndim == 2 else np.repeat(whitening[:, None], dim, axis=1)
        if isinstance(points, Cloud):
            squares = _squares_of_cloud(points, components.means, scales)
        else:
            squares = _scaled_squares(points, components.means, scales)
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
    whitening, middle = whitening_of(covariance[None]), np.zeros((1, len(mean)))
    offsets = points - mean
    if whitening.ndim == 2:
        squares = _scaled_squares(offsets, middle, whitening)[0]
    else:
        squares = _squared_distances(_columns(offsets), middle, whitening)[0]
    distances: Floats = np.sqrt(squares)
    return distances


def _columns(points: Floats) -> Floats:
    """The points as columns, ``[dim + 1, num_graphs]``, with a row of ones below, by which a product takes offsets."""
    columns = np.ones((points.shape[1] + 1, len(points)))
    columns[:-1] = points.T
    return columns


def _squared_distances(columns: Floats, means: Floats, whitening: Floats) -> Floats:
    """Squared Mahalanobis distances, ``[num_components, num_graphs]``."""
    number, dim = means.shape
    maps = np.empty((number, dim, dim + 1))
    maps[:, :, :-1] = whitening
    np.negative(np.matmul(whitening, means[:, :, None]), out=maps[:, :, -1:])
    maps = maps.reshape(number * dim, dim + 1)
    squares = np.empty((number, columns.shape[1]))
    for rows in _blocks(columns.shape[1]):
        whitened = np.matmul(maps, columns[:, rows]).reshape(number, dim, -1)
        np.einsum("ldn,ldn->ln", whitened, whitened, out=squares[:, rows])
    return squares


def _squares_of_cloud(cloud: Cloud, means: Floats, scales: Floats) -> Floats:
    """Squared Mahalanobis distances where dimensions have nothing to do with each other, off by some roundings."""
    precisions = scales**2
    products: Floats = precisions @ cloud.prepared.T - 2 * ((means * precisions) @ cloud.points.T)
    products += (means**2 * precisions).sum(axis=1)[:, None]
    return products


def _scaled_squares(points: Floats, means: Floats, scales: Floats) -> Floats:
    """Squared Mahalanobis distances where dimensions have nothing to do with each other."""
    squares = np.empty((len(means), len(points)))
    for rows in _blocks(len(points)):
        for label, (mean, scale) in enumerate(zip(means, scales, strict=True)):
            part = points[rows] - mean
            part *= scale
            np.einsum("nd,nd->n", part, part, out=squares[label, rows])
    return squares


def _scatters(cloud: Cloud, weights: Floats, means: Floats) -> Floats:
    r""":math:`\sum_i w_{li} (h_i - \mu_l)(h_i - \mu_l)^T` of each component, ``[num_components, dim, dim]``."""
    scatters = np.zeros((len(weights), *means.shape[1:], means.shape[1]))
    for rows in _blocks(len(cloud)):
        for scatter, weight, mean in zip(scatters, weights, means, strict=True):
            offsets = cloud.prepared[:-1, rows] - mean[:, None]
            scatter += (offsets * weight[rows]) @ offsets.T
    return scatters


def _products(cloud: Cloud, weights: Floats) -> Floats:
    """The same around 0; of the largest component it is what the others leave of the whole cloud's."""
    number, dim = len(weights), cloud.points.shape[1]
    products, largest = np.zeros((number, dim, dim)), int(weights.sum(axis=1).argmax())
    for rows in _blocks(len(cloud)):
        for label in range(number):
            if label != largest:
                products[label] += (cloud.prepared[:-1, rows] * weights[label, rows]) @ cloud.points[rows]
    np.subtract(cloud.products, products.sum(axis=0), out=products[largest])
    return products


def _blocks(number: int) -> Iterator[slice]:
    for first in range(0, number, _BLOCK):
        yield slice(first, min(first + _BLOCK, number))
