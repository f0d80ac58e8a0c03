"""Superpixel graphs of small grey images.

SLIC (Achanta et al., SLIC superpixels compared to state-of-the-art superpixel methods, 2012) cuts an image into
regions; the closest are merged until the wanted number is left; regions with close centres are joined.
"""

from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Bools, Floats
from protograph._base.progress import Progress

# Part of the cache's key: raise it when the same images would give other graphs.
RECIPE = 1

NUM_NODES = 75
RADIUS = 9.0
# From sums of x, y and grey to where the closest regions are sought: black and white are 20 pixels apart.
POINT_SCALE = np.array([1, 1, 20 / 255])
# Squared distances that differ by less are equal but for rounding, on which no choice may hang.
TIE = 1e-9

# Images between two reports of progress.
CHUNK = 500

Bytes = NDArray[np.uint8]


class Superpixels(NamedTuple):
    """Superpixel graphs of many images.

    Attributes:
        centres: Mean x (to the right) and y (downwards) of each region, in pixels, ``[num_images, 75, 2]``.
        values: Mean grey of each region, in [0, 1], ``[num_images, 75]``.
        neighbours: For each image the 75 x 75 bits of the adjacency matrix, packed, ``[num_images, 704]``.
    """

    centres: Floats
    values: Floats
    neighbours: Bytes


def build(images: Bytes, progress: Progress) -> Superpixels:
    """Superpixel graphs of images ``[num_images, height, width]``, about a thousand a second.

    Args:
        images: Grey images, 0 to 255.
        progress: Called with a text, how many images are done, and how many there are.
    """
    centres, values = np.empty((len(images), NUM_NODES, 2)), np.empty((len(images), NUM_NODES))
    packed = np.empty((len(images), -(-(NUM_NODES**2) // 8)), dtype=np.uint8)
    for number, image in enumerate(images):
        centres[number], values[number] = superpixel_graph(image)
        packed[number] = np.packbits(neighbours(centres[number]))
        if number % CHUNK == CHUNK - 1 or number + 1 == len(images):
            progress("building mnist-sp", number + 1, len(images))
    return Superpixels(centres, values, packed)


def superpixel_graph(image: Bytes, num_nodes: int = NUM_NODES) -> tuple[Floats, Floats]:
    """Centres ``[num_nodes, 2]`` and mean greys ``[num_nodes]`` of the superpixels of a grey image, 0 to 255.

    Raises:
        ImportError: If scikit-image is not installed.
        ValueError: If SLIC finds fewer regions.
    """
    from skimage.segmentation import slic

    regions = slic(image / 255.0, n_segments=num_nodes, compactness=1.0, channel_axis=None)
    sums = merged(region_sums(image, regions), num_nodes)
    areas = sums[:, :1]
    return sums[:, 1:3] / areas, sums[:, 3] / (255 * areas[:, 0])


def region_sums(image: Bytes, regions: NDArray[np.integer]) -> Floats:
    """Number of pixels, and sums of x, y and grey over them, of each region: ``[num_regions, 4]``.

    >>> region_sums(np.array([[0, 50, 100]], dtype=np.uint8), np.array([[1, 1, 2]])).tolist()
    [[2.0, 1.0, 0.0, 50.0], [1.0, 2.0, 0.0, 100.0]]
    """
    y, x = np.indices(image.shape)
    weights = (np.ones(image.shape), x, y, image)
    sums: Floats = np.stack([np.bincount(regions.ravel(), weight.ravel()) for weight in weights], axis=1)
    return sums[sums[:, 0] > 0]


def merged(sums: Floats, num_nodes: int) -> Floats:
    """Regions after the closest two in (x, y, 20 grey) have become one, until ``num_nodes`` are left.

    Sums of pixels add up, so that a merged region has the mean of its pixels. It takes the place of the first of
    the two; of equally close pairs the first is merged.

    Raises:
        ValueError: If there are fewer to begin with.

    >>> merged(np.array([[1, 0, 0, 0.0], [1, 5, 0, 0.0], [1, 6, 0, 0.0]]), 2).tolist()
    [[1.0, 0.0, 0.0, 0.0], [2.0, 11.0, 0.0, 0.0]]
    """
    if len(sums) < num_nodes:
        raise ValueError(f"image must have at least {num_nodes} superpixels, got {len(sums)}")
    sums = sums.copy()
    for size in range(len(sums), num_nodes, -1):
        first, second = _closest(sums[:size, 1:] / sums[:size, :1] * POINT_SCALE)
        sums[first] += sums[second]
        sums[second : size - 1] = sums[second + 1 : size]
    return sums[:num_nodes]


def neighbours(centres: Floats, radius: float = RADIUS) -> Bools:
    """Which centres lie within the radius of each other, each of itself too: ``[num_nodes, num_nodes]``."""
    return _squared_distances(centres) <= radius**2 + TIE


def slic_version() -> str:
    """Version of scikit-image.

    Raises:
        ImportError: If it is not installed.
    """
    try:
        return version("scikit-image")
    except PackageNotFoundError as error:
        raise ImportError("mnist-sp needs scikit-image; pip install 'protograph[images]'") from error


def _closest(points: Floats) -> tuple[int, int]:
    """The pair of points with the smallest distance, the first such pair."""
    squared = _squared_distances(points)
    np.fill_diagonal(squared, np.inf)
    return divmod(int(np.argmax(squared <= squared.min() + TIE)), len(points))


def _squared_distances(points: Floats) -> Floats:
    from scipy.spatial.distance import cdist  # where it is used: it takes a while to import

    return np.asarray(cdist(points, points, "sqeuclidean"), dtype=np.float64)
