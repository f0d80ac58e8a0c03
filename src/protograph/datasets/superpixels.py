"""Superpixel graphs of small grey images.

SLIC (Achanta et al., SLIC superpixels compared to state-of-the-art superpixel methods, 2012) cuts an image into
regions; the closest are merged until the wanted number is left; regions with close centres are joined.
"""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import current_process, get_context
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from protograph._base.progress import Progress

# Part of the cache's key: raise it when the same images would give other graphs.
RECIPE = 1

NUM_NODES = 75
RADIUS = 9.0
# From sums of x, y and grey to where the closest regions are sought: black and white are 20 pixels apart.
POINT_SCALE = np.array([1, 1, 20 / 255])
# Squared distances that differ by less are equal but for rounding, on which no choice may hang.
TIE = 1e-9

CHUNK = 500
MAX_WORKERS = 8
# Fewer images are done by one process before others have started, which takes seconds: they import torch.
MIN_SHARED = 10_000

Floats = NDArray[np.float64]
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


def build(images: Bytes, progress: Progress | None = None, *, workers: int | None = None) -> Superpixels:
    """Superpixel graphs of images ``[num_images, height, width]``; the number of workers does not change them.

    Args:
        images: Grey images, 0 to 255.
        progress: Called with a text, how many images are done, and how many there are.
        workers: How many processes share the work; ``None`` is one a core, at most 8. Under 10,000 images there
            is always one.

    Raises:
        ImportError: If scikit-image is not installed.
    """
    slic_version()
    parts = [images[start : start + CHUNK] for start in range(0, len(images), CHUNK)]
    workers = min(os.cpu_count() or 1, MAX_WORKERS) if workers is None else workers
    results, done = [_of_chunk(images[:0])], 0
    for result in _shared(parts, workers if len(images) >= MIN_SHARED else 1):
        results.append(result)
        done += len(result.values)
        if progress is not None:
            progress("building mnist-sp", done, len(images))
    return Superpixels(*map(np.concatenate, zip(*results, strict=True)))


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
    sums = np.zeros((int(regions.max()) + 1, 4))
    _add_pixels(sums, image, regions)
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


def neighbours(centres: Floats, radius: float = RADIUS) -> NDArray[np.bool_]:
    """Which centres lie within the radius of each other, each of itself too: ``[num_nodes, num_nodes]``."""
    x, y = centres.T
    squared = np.subtract.outer(x, x) ** 2 + np.subtract.outer(y, y) ** 2
    near: NDArray[np.bool_] = squared <= radius**2 + TIE
    return near


def radius_edges(centres: Floats, radius: float = RADIUS) -> NDArray[np.int64]:
    """Edges ``[2, num_edges]`` between centres within the radius, both ways and with self-loops, sorted.

    >>> radius_edges(np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.5]])).tolist()
    [[0, 0, 1, 1, 2], [0, 1, 0, 1, 2]]
    """
    return np.stack(neighbours(centres, radius).nonzero())


def slic_version() -> str:
    """Version of scikit-image.

    Raises:
        ImportError: If it is not installed.
    """
    try:
        return version("scikit-image")
    except PackageNotFoundError as error:
        raise ImportError("mnist-sp needs scikit-image; pip install 'protograph[images]'") from error


@njit(cache=True)  # type: ignore[untyped-decorator]
def _add_pixels(sums: Floats, image: Bytes, regions: NDArray[np.integer]) -> None:
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            row = sums[regions[y, x]]
            row[0] += 1
            row[1] += x
            row[2] += y
            row[3] += image[y, x]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _closest(points: Floats) -> tuple[int, int]:
    """The pair of points with the smallest distance, the first such pair."""
    best, pair = np.inf, (0, 0)
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            squared = 0.0
            for axis in range(points.shape[1]):
                squared += (points[i, axis] - points[j, axis]) ** 2
            if squared < best - TIE:
                best, pair = squared, (i, j)
    return pair


def _of_chunk(images: Bytes) -> Superpixels:
    centres, values = np.empty((len(images), NUM_NODES, 2)), np.empty((len(images), NUM_NODES))
    near = np.empty((len(images), NUM_NODES * NUM_NODES), dtype=np.bool_)
    for number, image in enumerate(images):
        centres[number], values[number] = superpixel_graph(image)
        near[number] = neighbours(centres[number]).ravel()
    return Superpixels(centres, values, np.packbits(near, axis=1))


def _shared(parts: list[Bytes], workers: int) -> Iterator[Superpixels]:
    """The superpixels of each part, in order."""
    # A worker of somebody else's pool may not start workers of its own.
    if workers <= 1 or current_process().daemon:
        yield from map(_of_chunk, parts)
        return
    # Spawned, not forked: torch's threads would not survive a fork.
    with ProcessPoolExecutor(min(workers, len(parts)), mp_context=get_context("spawn")) as pool:
        with _main_hidden():
            results = pool.map(_of_chunk, parts)
        yield from results


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep processes that start in here from running the caller's script once more.

    A spawned process imports the main script, which in a script without ``if __name__ == "__main__"`` would load the
    data set again and fail. The workers need nothing from there.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
