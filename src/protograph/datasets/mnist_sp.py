"""MNIST-sp: which digit was written, seen from the superpixels of its image.

The graphs are much like those of PyG's MNISTSuperpixels (Monti et al. 2017), with 1,410 edges a graph instead of 1,393,
and built from the original MNIST files. SLIC (Achanta et al., SLIC superpixels compared to state-of-the-art superpixel
methods, 2012) cuts an image into regions; the closest are merged until 75 are left; regions with close centres are
joined.
"""

from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._utils.arrays import Arrays, Bools, Floats
from protograph._utils.progress import Progress
from protograph.datasets.dataset import GraphDataset, LazyGraphs
from protograph.datasets.files import DataFiles, SourceFile, cached_arrays
from protograph.datasets.spec import DatasetSpec, PaperCounts
from protograph.graphs.splitting import checked_count

# Graphs in each part, in their order.
SIZES = {"train": 60_000, "test": 10_000}

MIRROR = "https://ossci-datasets.s3.amazonaws.com/mnist"
# Images and labels to train on, then to test with.
FILES = tuple(
    SourceFile(f"mnist/{name}", sha256, f"{MIRROR}/{name}.gz")
    for name, sha256 in {
        "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    }.items()
)
SOURCE = (
    f"LeCun, Cortes and Burges, The MNIST database of handwritten digits; superpixels built here with scikit-image's "
    f"SLIC; {MIRROR}"
)

SIDE = 28
GRID = 14
LEVELS = ("black", "dark", "bright")
NUM_FEATURES = len(LEVELS) + GRID * GRID

# Part of the cache's key: raise it when the same images would give other graphs.
RECIPE = 1
NUM_NODES = 75
RADIUS = 9.0
# From sums of x, y and grey to where the closest regions are sought: black and white are 20 pixels apart.
POINT_SCALE = np.array([1, 1, 20 / 255])
# Squared distances that differ by less are equal but for rounding, on which no choice may hang.
TIE = 1e-9
# Centres are kept as whole numbers of this many to a pixel.
FINENESS = 2048


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """MNIST-sp: 70,000 digits, or the first so many.

    Each graph has 75 superpixels. In ``x`` are one-hot the grey level (0, up to a half, above) and then the cell
    of the centre in a grid of 14 x 14; ``pos`` is the centre in pixels, x to the right and y upwards. Edges join
    superpixels that are close, both ways, and each to itself. ``splits`` has the published ``train`` and ``test``.
    Graphs are made when they are asked for, since all together they would take 6 GB; what they are made from is kept in
    the cache.
    """
    count = checked_count(num_graphs, sum(SIZES.values()))

    def make_arrays() -> Arrays:
        # The idx format: a header of 4 bytes and 4 for each dimension, then the entries. The checksums vouch for it.
        contents = [files.read(file) for file in FILES]
        images = [np.frombuffer(content, np.uint8, offset=16).reshape(-1, SIDE, SIDE) for content in contents[::2]]
        labels = [np.frombuffer(content, np.uint8, offset=8) for content in contents[1::2]]
        return build(np.concatenate(images)[:count], files.progress) | {"labels": np.concatenate(labels)[:count]}

    try:
        slic_version = version("scikit-image")
    except PackageNotFoundError as error:
        raise ImportError("mnist-sp needs scikit-image; pip install 'protograph[images]'") from error
    key: dict[str, str | int] = {
        **{file.relative: str(file.sha256) for file in FILES},
        "recipe": RECIPE,
        "skimage": slic_version,
        "num_graphs": count,
    }
    arrays = cached_arrays(SPEC.name, key, make_arrays)
    num_train = min(SIZES["train"], count)
    return GraphDataset(
        graphs=LazyGraphs(partial(make_graph, arrays), torch.from_numpy(arrays["labels"].astype(np.int64))),
        name=SPEC.name,
        class_names=tuple(map(str, range(10))),
        feature_names=(*LEVELS, *(f"row {row}, column {column}" for row, column in np.ndindex(GRID, GRID))),
        # What a node looks like is its grey level; where it is can be seen. These are dark, middle and light of
        # cividis, which reads the same under every colour blindness.
        colors=("#00224E", "#7D7C78", "#FEE838", *[""] * (GRID * GRID)),
        licence="CC BY-SA 3.0",
        source=SOURCE,
        splits={"train": torch.arange(num_train), "test": torch.arange(num_train, count)},
        paper_split="published",
    )


def make_graph(arrays: Arrays, position: int) -> Data:
    """The graph at a position of the arrays of all graphs, which :func:`build` gives."""
    x = np.zeros(NUM_NODES * NUM_FEATURES, dtype=np.float32)
    x[_ROW_STARTS + arrays["levels"][position]] = 1
    x[_ROW_STARTS + len(LEVELS) + arrays["cells"][position]] = 1
    bits = np.unpackbits(arrays["neighbours"][position], count=NUM_NODES * NUM_NODES).view(np.bool_)
    return Data(
        x=torch.from_numpy(x.reshape(NUM_NODES, NUM_FEATURES)),
        edge_index=torch.from_numpy(_PAIRS.compress(bits, axis=1)),
        y=torch.tensor([int(arrays["labels"][position])]),
        pos=torch.from_numpy(arrays["centres"][position] * _SCALE + _SHIFT),
    )


# Images count their rows downwards, plots upwards.
_SCALE = np.array([1, -1], dtype=np.float32) / FINENESS
_SHIFT = np.array([0, SIDE - 1], dtype=np.float32)
_ROW_STARTS = np.arange(NUM_NODES) * NUM_FEATURES
_PAIRS = np.indices((NUM_NODES, NUM_NODES)).reshape(2, -1)


def build(images: NDArray[np.uint8], progress: Progress) -> Arrays:
    """Superpixel graphs of grey images ``[num_images, 28, 28]``, 0 to 255, in little memory; about a thousand a second.

    Args:
        images: The images.
        progress: Called with a text, how many images are done, and how many there are.

    Returns:
        ``levels`` and ``cells``, the grey level of each node and the cell of its centre, row by row,
        ``[num_images, 75]``; ``centres``, x (to the right) and y (downwards) of each centre in 2048ths of a pixel,
        ``[num_images, 75, 2]``; and ``neighbours``, the packed bits of each adjacency matrix, ``[num_images, 704]``.
    """
    centres, values = np.empty((len(images), NUM_NODES, 2)), np.empty((len(images), NUM_NODES))
    packed = np.empty((len(images), -(-(NUM_NODES**2) // 8)), dtype=np.uint8)
    for number, image in enumerate(images):
        centres[number], values[number] = superpixel_graph(image)
        packed[number] = np.packbits(neighbours(centres[number]))
        progress("building mnist-sp", number + 1, len(images))
    column, row = np.moveaxis(centres // (SIDE / GRID), -1, 0)
    return {
        "levels": ((values > 0) + (values > 0.5).astype(np.uint8)).astype(np.uint8),
        "cells": (row * GRID + column).astype(np.uint8),
        "centres": np.rint(centres * FINENESS).astype(np.uint16),
        "neighbours": packed,
    }


def superpixel_graph(image: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """Centres ``[75, 2]`` in pixels and mean greys ``[75]`` in [0, 1] of the superpixels of a grey image, 0 to 255.

    Raises:
        ImportError: If scikit-image is not installed.
    """
    from skimage.segmentation import slic

    regions = slic(image / 255.0, n_segments=NUM_NODES, compactness=1.0, channel_axis=None)
    y, x = np.indices(image.shape)
    weights = (np.ones(image.shape), x, y, image)
    # Number of pixels, and sums of x, y and grey over them, of each region.
    sums: Floats = np.stack([np.bincount(regions.ravel(), weight.ravel()) for weight in weights], axis=1)
    sums = merged(sums[sums[:, 0] > 0], NUM_NODES)
    areas = sums[:, :1]
    return sums[:, 1:3] / areas, sums[:, 3] / (255 * areas[:, 0])


def merged(sums: Floats, num_nodes: int) -> Floats:
    """Regions after the closest two in (x, y, 20 grey) have become one, until ``num_nodes`` are left.

    Sums of pixels add up, so that a merged region has the mean of its pixels. It takes the place of the first of
    the two; of equally close pairs the first is merged.

    >>> merged(np.array([[1, 0, 0, 0.0], [1, 5, 0, 0.0], [1, 6, 0, 0.0]]), 2).tolist()
    [[1.0, 0.0, 0.0, 0.0], [2.0, 11.0, 0.0, 0.0]]
    """
    sums = sums.copy()
    for size in range(len(sums), num_nodes, -1):
        squared = _squared_distances(sums[:size, 1:] / sums[:size, :1] * POINT_SCALE)
        np.fill_diagonal(squared, np.inf)
        first, second = divmod(int(np.argmax(squared <= squared.min() + TIE)), size)
        sums[first] += sums[second]
        sums[second : size - 1] = sums[second + 1 : size]
    return sums[:num_nodes]


def neighbours(centres: Floats) -> Bools:
    """Which centres lie within the radius of each other, each of itself too: ``[num_nodes, num_nodes]``."""
    return _squared_distances(centres) <= RADIUS**2 + TIE


def _squared_distances(points: Floats) -> Floats:
    from scipy.spatial.distance import cdist  # where it is used: it takes a while to import

    return np.asarray(cdist(points, points, "sqeuclidean"), dtype=np.float64)


SPEC = DatasetSpec(
    name="mnist-sp",
    load=load,
    question="handwritten digits as superpixels",
    num_graphs=sum(SIZES.values()),
    num_classes=10,
    files=(FILES,),
    paper=PaperCounts(
        70_000, 5_250_000, 41_798_306, "undirected, training graphs only", 0.02, "superpixels built here, not PyG's own"
    ),
)
