"""MNIST-sp: which digit was written, seen from the superpixels of its image.

PyG's MNISTSuperpixels where it is there or can be downloaded; else built from the original MNIST files.
"""

import tempfile
import zipfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.arrays import Arrays, Ints
from protograph._base.plain_torch import check_plain_zip
from protograph.datasets import superpixels
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset, LazyGraphs
from protograph.datasets.files import reading
from protograph.datasets.spec import DataFiles, DatasetSpec, PaperCounts, SourceFile
from protograph.datasets.superpixels import NUM_NODES, Superpixels
from protograph.datasets.unpacking import extract
from protograph.graphs.splitting import check_range, checked_count

# Graphs in each part, in their order.
SIZES = {"train": 60_000, "test": 10_000}
NUM_CLASSES = 10

# Where PyG keeps it, and what its download holds.
PYG_FILE = SourceFile("MNISTSuperpixels/raw/MNISTSuperpixels.pt", None, None)
PYG_ZIP = SourceFile(
    "MNISTSuperpixels/MNISTSuperpixels.zip", None, "https://data.pyg.org/datasets/MNISTSuperpixels.zip"
)

# Part of the cache's key: raised whenever the same file gives other arrays.
PYG_RECIPE = 1
# PyG's file has 1.7 GB.
MOST_EXTRACTED = 1 << 32

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

SIDE = 28
GRID = 14
LEVELS = ("black", "dark", "bright")
NUM_FEATURES = len(LEVELS) + GRID * GRID
# Centres are kept as whole numbers of this many to a pixel.
FINENESS = 2048

MNIST = "LeCun, Cortes and Burges, The MNIST database of handwritten digits"
PYG_SOURCE = f"{MNIST}; superpixels by Monti et al. 2017, as in PyG's MNISTSuperpixels; {PYG_ZIP.url}"
BUILT_SOURCE = f"{MNIST}; superpixels built here with scikit-image's SLIC; {MIRROR}"


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """MNIST-sp: 70,000 digits, or the first so many.

    Each graph has 75 superpixels. In ``x`` are one-hot the grey level (0, up to a half, above) and then the cell
    of the centre in a grid of 14 x 14; ``pos`` is the centre in pixels, x to the right and y upwards. Edges join
    superpixels that are close, both ways, and each to itself. ``splits`` has the published ``train`` and ``test``.
    Graphs are made when they are asked for, since all together they would take 6 GB.

    PyG's file is read from ``MNISTSuperpixels/raw`` of the folder, or downloaded where no folder is named. Where it
    cannot be had, graphs much like its own are built from the MNIST files: :mod:`protograph.datasets.superpixels`,
    with 1,410 edges a graph instead of 1,393. ``source`` says which it was. Either is kept in the cache.
    """
    count = checked_count(num_graphs, sum(SIZES.values()))
    path = pyg_file(files)
    if path is None:
        return from_arrays(built_arrays(files, count), BUILT_SOURCE)
    facts = path.stat()
    # Not its checksum: gigabytes would be read only to find that nothing is to be done. Unlike the time of the last
    # writing, that of the last change of any kind cannot be set, so that a file of the same size and time is another.
    key: dict[str, str | int] = {
        "recipe": PYG_RECIPE,
        "path": str(path.resolve()),
        "file": facts.st_ino,
        "size": facts.st_size,
        "modified": facts.st_mtime_ns,
        "changed": facts.st_ctime_ns,
        "num_graphs": count,
    }
    return from_arrays(cached_arrays(SPEC.name, key, lambda: pyg_arrays(path, count)), PYG_SOURCE)


def from_arrays(arrays: Arrays, source: str) -> GraphDataset:
    """The data set of what :func:`compact` made."""
    count = len(arrays["labels"])
    num_train = min(SIZES["train"], count)
    return GraphDataset(
        graphs=LazyGraphs(
            partial(make_graph, arrays), torch.from_numpy(arrays["labels"].astype(np.int64)), made_from=arrays
        ),
        name=SPEC.name,
        class_names=tuple(map(str, range(NUM_CLASSES))),
        feature_names=(*LEVELS, *(f"row {row}, column {column}" for row, column in np.ndindex(GRID, GRID))),
        # What a node looks like is its grey level; where it is can be seen. These are dark, middle and light of
        # cividis, which reads the same under every colour blindness.
        colors=("#00224E", "#7D7C78", "#FEE838", *[""] * (GRID * GRID)),
        licence="CC BY-SA 3.0",
        source=source,
        splits={"train": torch.arange(num_train), "test": torch.arange(num_train, count)},
        paper_split="published",
    )


def make_graph(arrays: Arrays, position: int) -> Data:
    """The graph at a position of the arrays of all graphs, which :func:`compact` gives."""
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


def compact(graphs: Superpixels, labels: NDArray[np.integer]) -> Arrays:
    """All graphs in little memory.

    Returns:
        ``levels`` and ``cells``, the grey level of each node and the cell of its centre, row by row,
        ``[num_graphs, 75]``; ``centres``, x and y of each centre in 2048ths of a pixel, ``[num_graphs, 75, 2]``;
        ``neighbours``, the packed bits of each adjacency matrix, ``[num_graphs, 704]``; and ``labels``, the digits.
    """
    values, centres = graphs.values, graphs.centres
    column, row = np.moveaxis(centres // (SIDE / GRID), -1, 0)
    return {
        "levels": ((values > 0) + (values > 0.5).astype(np.uint8)).astype(np.uint8),
        "cells": (row * GRID + column).astype(np.uint8),
        "centres": np.rint(centres * FINENESS).astype(np.uint16),
        "neighbours": graphs.neighbours,
        "labels": labels.astype(np.uint8),
    }


def built_arrays(files: DataFiles, count: int) -> Arrays:
    """Arrays of the first graphs, built from the MNIST files, or kept from the last time."""
    for file in FILES:
        files.get(file)  # what is kept does not stand in for files that are not there

    def build() -> Arrays:
        # The idx format: a header of 4 bytes and 4 for each dimension, then the entries. The checksums vouch for it.
        contents = [files.read(file) for file in FILES]
        images = [np.frombuffer(content, np.uint8, offset=16).reshape(-1, SIDE, SIDE) for content in contents[::2]]
        labels = [np.frombuffer(content, np.uint8, offset=8) for content in contents[1::2]]
        return compact(
            superpixels.build(np.concatenate(images)[:count], files.progress), np.concatenate(labels)[:count]
        )

    key: dict[str, str | int] = {
        **{file.relative: str(file.sha256) for file in FILES},
        "recipe": superpixels.RECIPE,
        "skimage": superpixels.slic_version(),
        "num_graphs": count,
    }
    return cached_arrays(SPEC.name, key, build)


def pyg_file(files: DataFiles) -> Path | None:
    """PyG's file, or the archive with it; ``None`` where it cannot be had.

    It is downloaded where no folder is named and the MNIST files are not there either.
    """
    path = files.find(PYG_FILE.relative) or files.find(PYG_ZIP.relative)
    if path is not None or files.find(FILES[0].relative) is not None:
        return path
    with suppress(OSError, ValueError):
        return files.get(PYG_ZIP)
    return None


def pyg_arrays(path: Path, count: int) -> Arrays:
    """Arrays of the first graphs of PyG's file, or of the archive with it: those to train on, those to test with.

    Raises:
        ValueError: If it is damaged, or its graphs are not those of the data set.
    """
    with tempfile.TemporaryDirectory() as folder:
        is_packed = path.suffix == ".zip"
        file = extract(path, Path(PYG_FILE.relative).name, Path(folder), MOST_EXTRACTED) if is_packed else path
        with reading(path):
            check_plain_zip(file)
            # Mapped, as it is larger than some memories; only files of the newer kind, zip archives, can be.
            content = torch.load(file, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(file))
        try:
            return _from_parts(content, count)
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
            raise ValueError(f"{path} does not hold MNISTSuperpixels: {error}") from error


def _from_parts(content: Any, count: int) -> Arrays:
    if [len(part) for part in content] != list(SIZES.values()):
        raise ValueError(f"it must have {' and '.join(map(str, SIZES.values()))} graphs")
    graphs = [graph for part in content for graph in part][:count]
    values, centres = (torch.stack([graph[key] for graph in graphs]).double().numpy() for key in ("x", "pos"))
    if values.shape[1:] != (NUM_NODES, 1) or centres.shape[1:] != (NUM_NODES, 2):
        raise ValueError(f"x must have the shape ({NUM_NODES}, 1) and pos ({NUM_NODES}, 2)")
    labels = np.array([int(graph["y"]) for graph in graphs])
    check_range(labels, NUM_CLASSES, "y")
    if values.min() < 0 or values.max() > 1 or centres.min() < 0 or centres.max() >= SIDE:
        raise ValueError(f"x must lie in [0, 1] and pos in [0, {SIDE})")
    neighbours = np.stack([_packed_edges(graph["edge_index"].numpy()) for graph in graphs])
    return compact(Superpixels(centres, values[..., 0], neighbours), labels)


def _packed_edges(edge_index: Ints) -> NDArray[np.uint8]:
    check_range(edge_index, NUM_NODES, "edge_index")
    adjacency = np.zeros((NUM_NODES, NUM_NODES), dtype=np.bool_)
    adjacency[tuple(edge_index)] = True
    return np.packbits(adjacency)


SPEC = DatasetSpec(
    name="mnist-sp",
    load=load,
    question="handwritten digits as superpixels",
    num_graphs=sum(SIZES.values()),
    num_classes=NUM_CLASSES,
    files=((PYG_FILE,), (PYG_ZIP,), FILES),
    extra="images",
    paper=PaperCounts(
        70_000, 5_250_000, 41_798_306, "undirected, training graphs only", 0.02, "superpixels built here, not PyG's own"
    ),
)
