from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from skimage.segmentation import slic

from protograph.datasets import superpixels
from protograph.datasets.superpixels import build, merged, neighbours, region_sums, slic_version, superpixel_graph


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


def exact_graph(image, num_nodes):
    """Centres, greys and edges by the recipe in fractions, pair by pair."""
    segments = slic(image / 255.0, n_segments=75, compactness=1.0, channel_axis=None)
    regions = [[(x, y, int(image[y, x])) for y, x in np.argwhere(segments == k).tolist()] for k in np.unique(segments)]

    def mean(region, axis):
        return Fraction(sum(pixel[axis] for pixel in region), len(region))

    def squared_gap(one, two):
        scales = (1, 1, Fraction(20, 255))
        return sum(((mean(one, axis) - mean(two, axis)) * scale) ** 2 for axis, scale in enumerate(scales))

    gaps = {pair: squared_gap(*(regions[k] for k in pair)) for pair in combinations(range(len(regions)), 2)}
    left = list(range(len(regions)))
    while len(left) > num_nodes:
        first, second = min(combinations(left, 2), key=lambda pair: (gaps[pair], pair))
        regions[first] = regions[first] + regions[second]
        left.remove(second)
        for other in left:
            if other != first:
                gaps[min(first, other), max(first, other)] = squared_gap(regions[first], regions[other])
    centres = [(mean(regions[k], 0), mean(regions[k], 1)) for k in left]
    values = [mean(regions[k], 2) / 255 for k in left]
    edges = [
        [i, j]
        for i, (x, y) in enumerate(centres)
        for j, (u, v) in enumerate(centres)
        if (x - u) ** 2 + (y - v) ** 2 <= 81
    ]
    return centres, values, edges


@pytest.mark.parametrize("seed", [0, 1])
def test_graph_is_that_of_the_recipe_in_exact_arithmetic(seed):
    (image,) = drawn(1, seed)
    expected_centres, expected_values, expected_edges = exact_graph(image, 75)
    centres, values = superpixel_graph(image)
    assert np.array_equal(centres, np.array(expected_centres, dtype=float))
    assert values == pytest.approx(np.array(expected_values, dtype=float), rel=1e-15)
    assert (values == 0).tolist() == [value == 0 for value in expected_values]
    assert np.argwhere(neighbours(centres)).tolist() == expected_edges


def test_regions_hold_all_pixels():
    (image,) = drawn(1)
    regions = np.repeat(np.arange(3, 10), 4 * 28).reshape(28, 28)
    sums = region_sums(image, regions)
    assert sums.shape == (7, 4)
    assert sums[:, 0].tolist() == [112] * 7
    assert (sums[:, 1] / 112).tolist() == [13.5] * 7
    assert (sums[:, 2] / 112).tolist() == [1.5, 5.5, 9.5, 13.5, 17.5, 21.5, 25.5]
    assert sums[:, 3].tolist() == image.reshape(7, -1).sum(axis=1).tolist()


def test_merging_weighs_by_area_and_keeps_the_order():
    # A region of three pixels at 2, one of one pixel at 4, and far ones; sums are area times mean.
    sums = np.array([[1, 20, 0, 0], [3, 6, 0, 0], [1, 40, 0, 0], [1, 4, 0, 0], [1, 60, 0, 0]], dtype=float)
    before = sums.copy()
    assert merged(sums, 4).tolist() == [[1, 20, 0, 0], [4, 10, 0, 0], [1, 40, 0, 0], [1, 60, 0, 0]]
    assert np.array_equal(sums, before)
    assert merged(sums, 5).tolist() == sums.tolist()


def test_black_and_white_are_twenty_pixels_apart():
    sums = np.array([[1, 0, 0, 0], [1, 0, 0, 255], [1, 0, 19, 0]], dtype=float)
    assert merged(sums, 2).tolist() == [[2, 0, 19, 0], [1, 0, 0, 255]]
    sums[2, 2] = 21
    assert merged(sums, 2).tolist() == [[2, 0, 0, 255], [1, 0, 21, 0]]


def test_too_few_regions():
    with pytest.raises(ValueError, match=r"^image must have at least 75 superpixels, got 1$"):
        merged(np.array([[784.0, 1, 1, 0]]), 75)


@pytest.mark.parametrize("radius", [0.0, 3.0, 9.0, 100.0])
def test_edges_join_what_is_within_the_radius(radius):
    centres = np.random.default_rng(1).integers(28 * 4, size=(60, 2)) / 4
    expected = [[i, j] for i in range(60) for j in range(60) if np.hypot(*(centres[i] - centres[j])) <= radius]
    assert np.argwhere(neighbours(centres, radius)).tolist() == expected
    assert neighbours(centres, radius).diagonal().all()


def test_a_blank_image_has_a_graph_too():
    centres, values = superpixel_graph(np.zeros((28, 28), dtype=np.uint8))
    assert centres.shape == (75, 2)
    assert not values.any()


def test_build_is_image_by_image_and_reports_progress(monkeypatch):
    monkeypatch.setattr(superpixels, "CHUNK", 4)
    images, reports = drawn(10), []
    graphs = build(images, lambda *args: reports.append(args))
    assert reports == [("building mnist-sp", done, 10) for done in (4, 8, 10)]
    for image, *graph in zip(images, *graphs, strict=True):
        centres, values = superpixel_graph(image)
        assert np.array_equal(graph[0], centres)
        assert np.array_equal(graph[1], values)
        assert np.array_equal(np.unpackbits(graph[2], count=75 * 75).reshape(75, 75), neighbours(centres))


def test_build_of_nothing():
    graphs = build(np.zeros((0, 28, 28), dtype=np.uint8), print)
    assert [array.shape for array in graphs] == [(0, 75, 2), (0, 75), (0, 704)]


def test_scikit_image_is_missing(monkeypatch):
    def missing(name):
        raise superpixels.PackageNotFoundError(name)

    monkeypatch.setattr(superpixels, "version", missing)
    with pytest.raises(ImportError, match=r"^mnist-sp needs scikit-image; pip install 'protograph\[images\]'$"):
        slic_version()
