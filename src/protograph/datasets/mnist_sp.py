"""MNIST-sp: which digit was written, told from the superpixels of its image.

PyG's MNISTSuperpixels where it is there or can be downloaded; else built from the original MNIST files.
"""

import pickle
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.progress import Progress, shown
from protograph.datasets import sources, superpixels
from protograph.datasets.archives import reading
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.idx import read_idx
from protograph.datasets.lazy import LazyGraphs
from protograph.datasets.sources import SourceFile
from protograph.datasets.superpixels import NUM_NODES, Superpixels
from protograph.graphs.splitting import check_range, checked_count

NAME = "mnist-sp"
# Graphs in each part, in their order.
SIZES = {"train": 60_000, "test": 10_000}
NUM_CLASSES = 10

# Where PyG keeps it, and what its download holds.
PYG_FILE = "MNISTSuperpixels/raw/MNISTSuperpixels.pt"
PYG_ZIP = SourceFile(
    "MNISTSuperpixels/MNISTSuperpixels.zip", None, "https://data.pyg.org/datasets/MNISTSuperpixels.zip"
)
PYG_MEMBER = "MNISTSuperpixels.pt"

MIRROR = "https://ossci-datasets.s3.amazonaws.com/mnist"
IMAGES = {
    "train": SourceFile(
        "mnist/train-images-idx3-ubyte",
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        f"{MIRROR}/train-images-idx3-ubyte.gz",
    ),
    "test": SourceFile(
        "mnist/t10k-images-idx3-ubyte",
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        f"{MIRROR}/t10k-images-idx3-ubyte.gz",
    ),
}
LABELS = {
    "train": SourceFile(
        "mnist/train-labels-idx1-ubyte",
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        f"{MIRROR}/train-labels-idx1-ubyte.gz",
    ),
    "test": SourceFile(
        "mnist/t10k-labels-idx1-ubyte",
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        f"{MIRROR}/t10k-labels-idx1-ubyte.gz",
    ),
}

SIDE = 28
GRID = 14
LEVELS = ("black", "dark", "bright")
NUM_FEATURES = len(LEVELS) + GRID * GRID
# Centres are kept as whole numbers of this many to a pixel.
FINENESS = 2048

# Dark, middle and light of cividis, which reads the same under every colour blindness.
LEVEL_COLORS = ("#00224E", "#7D7C78", "#FEE838")
MNIST = "LeCun, Cortes and Burges, The MNIST database of handwritten digits"
PYG_SOURCE = f"{MNIST}; superpixels by Monti et al. 2017, as in PyG's MNISTSuperpixels; {PYG_ZIP.url}"
BUILT_SOURCE = f"{MNIST}; superpixels built here with scikit-image's SLIC; {MIRROR}"
LICENCE = "CC BY-SA 3.0"

Arrays = Mapping[str, NDArray[Any]]


def load(
    root: Path | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """MNIST-sp: 70,000 digits, or the first so many; ``random_state`` is not read.

    Each graph has 75 superpixels. In ``x`` are one-hot the grey level (0, up to a half, above) and then the cell
    of the centre in a grid of 14 x 14; ``pos`` is the centre in pixels, x to the right and y upwards. Edges join
    superpixels that are close, both ways, and each to itself. ``splits`` has the published ``train`` and ``test``.
    Graphs are made when they are asked for, since all together they would take 6 GB.

    PyG's file is read from ``MNISTSuperpixels/raw`` of the folder, or downloaded where no folder is named. Where it
    cannot be had, graphs much like its own are built from the MNIST files: :mod:`protograph.datasets.superpixels`,
    with 1,410 edges a graph instead of 1,393. ``source`` says which it was. Either is kept in the cache.

    Raises:
        ImportError: If the graphs are to be built and scikit-image is not installed.
        FileNotFoundError: If no file is there in the folder that is named.
        ConnectionError: If none can be downloaded.
        ValueError: If a file is damaged.
    """
    count = checked_count(num_graphs, sum(SIZES.values()))
    with shown(progress) as report:
        path = pyg_file(root, report)
        if path is not None:
            return from_arrays(pyg_arrays(path, count, report), PYG_SOURCE)
        return from_arrays(built_arrays(root, count, report), BUILT_SOURCE)


def from_arrays(arrays: Arrays, source: str = BUILT_SOURCE) -> GraphDataset:
    """The data set of what :func:`compact` made."""
    graphs = SuperpixelGraphs(**arrays)
    num_graphs = len(graphs.labels)
    bounds = np.minimum(np.cumsum([0, *SIZES.values()]), num_graphs).tolist()
    return GraphDataset(
        graphs=LazyGraphs(graphs, torch.from_numpy(graphs.labels.astype(np.int64))),
        name=NAME,
        class_names=tuple(map(str, range(NUM_CLASSES))),
        feature_names=(*LEVELS, *(f"row {row}, column {column}" for row, column in np.ndindex(GRID, GRID))),
        # What a node looks like is its grey level; where it is can be seen.
        colors=(*LEVEL_COLORS, *[""] * (GRID * GRID)),
        licence=LICENCE,
        source=source,
        hidden=(32, 32, 32),
        splits={part: torch.arange(*bounds[number : number + 2]) for number, part in enumerate(SIZES)},
        paper_split="published",
    )


@dataclass(frozen=True, eq=False)
class SuperpixelGraphs:
    """Arrays of all graphs, from which a call makes the graph at a position.

    Attributes:
        levels: Grey level of each node, ``[num_graphs, 75]``.
        cells: Cell of each centre, row by row, ``[num_graphs, 75]``.
        centres: x and y of each centre in 2048ths of a pixel, ``[num_graphs, 75, 2]``.
        neighbours: The packed bits of each adjacency matrix, ``[num_graphs, 704]``.
        labels: The digits, ``[num_graphs]``.
    """

    levels: NDArray[np.uint8]
    cells: NDArray[np.uint8]
    centres: NDArray[np.uint16]
    neighbours: NDArray[np.uint8]
    labels: NDArray[np.uint8]

    def __call__(self, position: int) -> Data:
        """The graph at a position."""
        x = np.zeros(NUM_NODES * NUM_FEATURES, dtype=np.float32)
        x[_ROW_STARTS + self.levels[position]] = 1
        x[_ROW_STARTS + len(LEVELS) + self.cells[position]] = 1
        bits = np.unpackbits(self.neighbours[position], count=NUM_NODES * NUM_NODES).view(np.bool_)
        return Data(
            x=torch.from_numpy(x.reshape(NUM_NODES, NUM_FEATURES)),
            edge_index=torch.from_numpy(_PAIRS.compress(bits, axis=1)),
            y=torch.from_numpy(self.labels[position : position + 1].astype(np.int64)),
            pos=torch.from_numpy(self.centres[position] * _SCALE + _SHIFT),
        )


# Images count their rows downwards, plots upwards.
_SCALE = np.array([1, -1], dtype=np.float32) / FINENESS
_SHIFT = np.array([0, SIDE - 1], dtype=np.float32)
_ROW_STARTS = np.arange(NUM_NODES) * NUM_FEATURES
_PAIRS = np.indices((NUM_NODES, NUM_NODES)).reshape(2, -1)


def compact(graphs: Superpixels, labels: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """Grey levels, cells and the rest of superpixel graphs: the arrays of :class:`SuperpixelGraphs`."""
    values, centres = graphs.values, graphs.centres
    column, row = np.moveaxis(centres // (SIDE / GRID), -1, 0)
    return {
        "levels": ((values > 0) + (values > 0.5).astype(np.uint8)).astype(np.uint8),
        "cells": (row * GRID + column).astype(np.uint8),
        "centres": np.rint(centres * FINENESS).astype(np.uint16),
        "neighbours": graphs.neighbours,
        "labels": labels,
    }


def built_arrays(root: Path | None, count: int, progress: Progress) -> Arrays:
    """Arrays of the first graphs, built from the MNIST files, or kept from the last time."""
    parts = _parts(count)
    for file in (files[part] for files in (IMAGES, LABELS) for part in parts):
        sources.fetch(file, root, progress)  # what is kept does not stand in for files that are not there
    key: dict[str, str | int] = {
        f"{kind} {part}": str(files[part].sha256)
        for kind, files in (("images", IMAGES), ("labels", LABELS))
        for part in parts
    }
    key |= {"recipe": superpixels.RECIPE, "skimage": superpixels.slic_version(), "num_graphs": count}

    def build() -> Arrays:
        images = [
            read_part(IMAGES[part], (SIZES[part], SIDE, SIDE), root, progress)[:size] for part, size in parts.items()
        ]
        labels = [read_part(LABELS[part], (SIZES[part],), root, progress)[:size] for part, size in parts.items()]
        check_range(np.concatenate(labels), NUM_CLASSES, "labels")
        return compact(superpixels.build(np.concatenate(images), progress), np.concatenate(labels))

    return cached_arrays(NAME, key, build)


def read_part(file: SourceFile, shape: tuple[int, ...], root: Path | None, progress: Progress) -> NDArray[np.uint8]:
    """The array of one of the four MNIST files.

    Raises:
        ValueError: If it has another shape.
    """
    array = read_idx(sources.read(file, root, progress), file.relative)
    if array.shape != shape:
        raise ValueError(f"{file.relative} must have the shape {shape}, got {array.shape}")
    return array


def pyg_file(root: Path | None, progress: Progress) -> Path | None:
    """PyG's file, or the archive with it; ``None`` where it cannot be had.

    It is downloaded where no folder is named and the MNIST files are not there either.
    """
    path = sources.find(root, PYG_FILE) or sources.find(root, PYG_ZIP.relative)
    if path is not None or sources.find(root, IMAGES["train"].relative) is not None:
        return path
    try:
        return sources.fetch(PYG_ZIP, root, progress)
    except (OSError, ValueError):
        return None


def pyg_arrays(path: Path, count: int, progress: Progress) -> Arrays:
    """Arrays of the first graphs of PyG's file or archive, or those kept from the last time."""
    facts = path.stat()
    # Not its checksum: gigabytes would be read only to find that nothing is to be done.
    key: dict[str, str | int] = {
        "path": str(path.resolve()),
        "size": facts.st_size,
        "modified": facts.st_mtime_ns,
        "num_graphs": count,
    }

    def build() -> Arrays:
        if path.suffix == ".zip":
            return from_pyg_zip(path, count, progress)
        return from_pyg(path, count, progress)

    return cached_arrays(NAME, key, build)


def from_pyg_zip(path: Path, count: int, progress: Progress) -> Arrays:
    """Arrays of the first graphs of PyG's archive."""
    with tempfile.TemporaryDirectory() as folder:
        with reading(path), zipfile.ZipFile(path) as archive:
            member = archive.extract(PYG_MEMBER, folder)
        return from_pyg(Path(member), count, progress)


def from_pyg(path: Path, count: int, progress: Progress) -> Arrays:
    """Arrays of the first graphs of PyG's file: lists of the graphs to train on and to test with.

    Raises:
        ValueError: If it is damaged, or its graphs are not those of the data set.
    """
    try:
        with reading(path):
            # Mapped, as it is larger than some memories; only files of the newer kind, zip archives, can be.
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise ValueError(f"{path} cannot be read ({error}); it is damaged or another file, get it again") from error
    try:
        return _from_parts(content, count, progress)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} does not hold MNISTSuperpixels: {error}") from error


def _from_parts(content: Any, count: int, progress: Progress) -> Arrays:
    if [len(part) for part in content] != list(SIZES.values()):
        raise ValueError(f"it must have {' and '.join(map(str, SIZES.values()))} graphs")
    graphs = [graph for part in content for graph in part][:count]
    neighbours = np.empty((count, -(-(NUM_NODES**2) // 8)), dtype=np.uint8)
    for number, graph in enumerate(graphs):
        neighbours[number] = _packed_edges(graph["edge_index"])
        if number % 1000 == 999 or number + 1 == count:
            progress("reading mnist-sp", number + 1, count)
    values = _stacked(graphs, "x", (NUM_NODES, 1))[..., 0]
    centres = _stacked(graphs, "pos", (NUM_NODES, 2))
    labels = torch.tensor([int(graph["y"]) for graph in graphs]).numpy()
    check_range(labels, NUM_CLASSES, "y")
    if values.min() < 0 or values.max() > 1 or centres.min() < 0 or centres.max() >= SIDE:
        raise ValueError(f"x must lie in [0, 1] and pos in [0, {SIDE})")
    return compact(Superpixels(centres, values, neighbours), labels.astype(np.uint8))


def _stacked(graphs: Sequence[Mapping[str, Tensor]], key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    wrong = next((graph[key].shape for graph in graphs if graph[key].shape != shape), None)
    if wrong is not None:
        raise ValueError(f"{key} must have the shape {shape}, got {tuple(wrong)}")
    return torch.stack([graph[key] for graph in graphs]).double().numpy()


def _packed_edges(edge_index: Tensor) -> NDArray[np.uint8]:
    source, target = edge_index.numpy()
    check_range(edge_index.numpy(), NUM_NODES, "edge_index")
    adjacency = np.zeros((NUM_NODES, NUM_NODES), dtype=np.bool_)
    adjacency[source, target] = True
    return np.packbits(adjacency)


def _parts(count: int) -> dict[str, int]:
    """How many graphs of each part the first ``count`` are, of those parts that have any.

    >>> _parts(100), _parts(60_001)
    ({'train': 100}, {'train': 60000, 'test': 1})
    """
    parts = {}
    for part, size in SIZES.items():
        if count > 0:
            parts[part] = min(size, count)
        count -= size
    return parts
