"""MNIST-sp: the recipe in fractions, the real digits, and what is kept."""

import gzip
import pickle
import re
import struct
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import torch
from skimage.segmentation import slic
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import mnist_sp
from protograph.datasets.dataset import LazyGraphs
from protograph.datasets.mnist_sp import neighbours, superpixel_graph
from protograph.report.palette import palette_of
from tests.datasets.real_files import find, needs

REAL = needs("mnist/train-images-idx3-ubyte.gz")
DIGITS = np.array([3, 0, 9, 1, 1], dtype=np.uint8)


def drawn(num_images, seed=0):
    """Images with bright bars on black, somewhat like digits."""
    rng = np.random.default_rng(seed)
    images = np.zeros((num_images, 28, 28), dtype=np.uint8)
    for image in images:
        for _ in range(3):
            top, left = rng.integers(4, 18, size=2)
            height, width = rng.permutation([3, int(rng.integers(4, 10))])
            image[top : top + height, left : left + width] = rng.integers(40, 256, size=(height, width))
    return images


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield datasets.load("mnist-sp", num_graphs=100)


@pytest.fixture
def root(monkeypatch, tmp_path):
    """A folder with small MNIST files of any checksum: three digits to train on and two to test with."""
    monkeypatch.setattr(mnist_sp, "SIZES", {"train": 3, "test": 2})
    monkeypatch.setattr(mnist_sp, "FILES", tuple(replace(file, sha256=None) for file in mnist_sp.FILES))
    images = drawn(5)
    (tmp_path / "data" / "mnist").mkdir(parents=True)
    for file, array in zip(mnist_sp.FILES, (images[:3], DIGITS[:3], images[3:], DIGITS[3:]), strict=True):
        header = struct.pack(f">2xBB{array.ndim}I", 8, array.ndim, *array.shape)
        (tmp_path / "data" / file.relative).write_bytes(header + array.tobytes())
    return tmp_path / "data"


def same(one, two):
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one.keys())  # noqa: SIM118


@REAL
def test_real_digits(dataset):
    images = np.frombuffer(gzip.decompress(find(f"{mnist_sp.FILES[0].relative}.gz").read_bytes()), np.uint8, offset=16)
    assert [int(graph.y) for graph in dataset[:20]] == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4, 3, 5, 3, 6, 1, 7, 2, 8, 6, 9]
    assert np.mean([graph.num_edges for graph in dataset]) == pytest.approx(1410, rel=0.02)
    for graph, image in zip(dataset, images.reshape(-1, 28, 28), strict=False):
        graph.validate()
        assert (graph.x.shape, graph.x.dtype) == ((75, 199), torch.float32)
        edges = graph.edge_index.T.tolist()
        assert edges == sorted(edges)
        assert set(map(tuple, edges)) == {(v, u) for u, v in edges}
        assert [u for u, v in edges if u == v] == list(range(75))
        # Rows run downwards, ``pos`` upwards: each bright node lies on the digit.
        for x, y in graph.pos[graph.x[:, 2] == 1].round().int().tolist():
            row = 27 - y
            assert image[max(row - 1, 0) : row + 2, max(x - 1, 0) : x + 2].max() > 127
    for graph, (centres, values) in zip(dataset[:5], map(superpixel_graph, images.reshape(-1, 28, 28)), strict=False):
        levels = np.where(values == 0, 0, np.where(values <= 0.5, 1, 2))
        cells = centres[:, 1] // 2 * 14 + centres[:, 0] // 2
        assert graph.x.nonzero()[:, 1].reshape(75, 2).tolist() == np.stack([levels, 3 + cells], axis=1).tolist()
        assert np.abs(graph.pos.numpy() - (centres * [1, -1] + [0, 27])).max() <= 1 / 4096
    assert len(pickle.dumps(dataset[0])) < 120_000
    for graph, again in zip(dataset[:4], Batch.from_data_list(list(dataset[:4])).to_data_list(), strict=True):
        assert same(graph, again)


@REAL
def test_facts(dataset):
    assert dataset.class_names == tuple("0123456789")
    assert dataset.feature_names[:4] == ("black", "dark", "bright", "row 0, column 0")
    assert set(dataset.colors[3:]) == {""}  # a node looks like its grey level
    palette = palette_of(dataset[:9], dataset.feature_names, dataset.colors)
    assert [category.label for category in palette.categories] == ["black", "dark", "bright"]
    assert dataset.paper_split == "published"
    assert {part: len(index) for part, index in dataset.splits.items()} == {"train": 100, "test": 0}


def test_small_files_are_built_once_and_kept(root, monkeypatch):
    reports = []
    dataset = datasets.load("mnist-sp", root, progress=lambda *args: reports.append(args))
    assert reports[-1] == ("building mnist-sp", 5, 5)
    assert isinstance(dataset.graphs, LazyGraphs)
    assert dataset.labels.tolist() == DIGITS.tolist()
    assert {part: index.tolist() for part, index in dataset.splits.items()} == {"train": [0, 1, 2], "test": [3, 4]}
    fewer = datasets.load("mnist-sp", root, num_graphs=2)
    assert fewer.labels.tolist() == [3, 0]
    assert all(same(one, two) for one, two in zip(fewer, dataset, strict=False))
    monkeypatch.setattr(mnist_sp, "build", None)
    assert all(same(one, two) for one, two in zip(dataset, datasets.load("mnist-sp", root), strict=True))
    with pytest.raises(ValueError, match=r"num_graphs must be in \[1, 5\], got 6"):
        datasets.load("mnist-sp", root, num_graphs=6)


def test_scikit_image_is_missing(root, monkeypatch):
    def missing(name):
        raise mnist_sp.PackageNotFoundError(name)

    monkeypatch.setattr(mnist_sp, "version", missing)
    with pytest.raises(ImportError, match=re.escape("mnist-sp needs scikit-image; pip install 'protograph[images]'")):
        datasets.load("mnist-sp", root)


def exact_graph(image, num_nodes):
    """Centres, greys and edges by the recipe in fractions, pair by pair."""
    segments = slic(image / 255.0, n_segments=75, compactness=1.0, channel_axis=None)
    regions = [[(x, y, int(image[y, x])) for y, x in np.argwhere(segments == k).tolist()] for k in np.unique(segments)]

    def mean(region):
        return [Fraction(sum(pixel[axis] for pixel in region), len(region)) for axis in range(3)]

    def distance(pair):
        (x1, y1, grey1), (x2, y2, grey2) = (mean(regions[number]) for number in pair)
        return (x1 - x2) ** 2 + (y1 - y2) ** 2 + (Fraction(20, 255) * (grey1 - grey2)) ** 2

    while len(regions) > num_nodes:
        first, second = min(combinations(range(len(regions)), 2), key=distance)
        regions[first] += regions.pop(second)
    means = [mean(region) for region in regions]
    edges = [
        [i, j]
        for i, (x1, y1, _) in enumerate(means)
        for j, (x2, y2, _) in enumerate(means)
        if (x1 - x2) ** 2 + (y1 - y2) ** 2 <= 81
    ]
    return [(float(x), float(y)) for x, y, _ in means], [float(grey / 255) for *_, grey in means], edges


def test_graph_is_that_of_the_recipe():
    (image,) = drawn(1, seed=3)
    centres, values = superpixel_graph(image)
    exact_centres, exact_values, edges = exact_graph(image, 75)
    assert centres == pytest.approx(np.array(exact_centres))
    assert values == pytest.approx(np.array(exact_values))
    assert np.argwhere(neighbours(centres)).tolist() == edges
