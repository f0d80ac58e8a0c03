"""Where columns are cut."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protograph.graphs.column_bins import even_cuts, gap_cuts
from protograph.graphs.node_rule import NodeRule

OPTIONS = {"depth": 0.6, "certainty": 3.0, "least_share": 0.01}


def centres(number, *, noise=0.2, size=2000, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(number, size=size) + noise * rng.normal(size=size)


@pytest.mark.parametrize("seed", range(3))
def test_every_centre_has_its_own_bin(seed):
    cuts = gap_cuts(centres(4, seed=seed), **OPTIONS)
    assert np.round(cuts, 1).tolist() == [0.5, 1.5, 2.5]


@pytest.mark.parametrize("draw", ["normal", "random", "exponential"])
def test_where_there_is_one_peak_there_is_no_gap(draw):
    rng = np.random.default_rng(1)
    assert [gap_cuts(getattr(rng, draw)(size=size), **OPTIONS) for size in (50, 300, 3000)] == [(), (), ()]


def test_a_gap_of_too_few_values_is_chance_and_a_small_heap_is_none():
    assert gap_cuts(centres(2, size=20), **OPTIONS) == ()
    heap = np.append(np.random.default_rng(0).normal(size=2000), np.full(5, 9.0))
    assert gap_cuts(heap, **OPTIONS) == ()


def test_what_cannot_be_cut_is_not():
    assert gap_cuts(np.full(100, 3.0), **OPTIONS) == even_cuts(np.full(100, 3.0), 4) == ()


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=2, max_size=60), st.integers(2, 5), st.randoms())
@example([0.0, 2.2250738585072014e-308], 2, Random(0))
@example([1e6, np.nextafter(1e6, 0)], 2, Random(0))
def test_every_value_is_in_one_bin_whatever_the_order(values, num_bins, random):
    column = np.array(values)
    shuffled = np.array(random.sample(values, len(values)))
    for cuts in (even_cuts(column, num_bins), gap_cuts(column, **OPTIONS)):
        edges = [-np.inf, *cuts, np.inf]
        inside = [[low <= value < high for low, high in pairwise(edges)] for value in values]
        assert all(sum(row) == 1 for row in inside)
        told = NodeRule(cuts=(cuts,)).compared(column[:, None])[:, 0] if cuts else np.zeros(len(values))
        assert told.tolist() == [row.index(True) for row in inside]
        assert len(cuts) == 0 or len(set(told.tolist())) == len(cuts) + 1  # no bin is empty
    assert even_cuts(shuffled, num_bins) == even_cuts(column, num_bins)
    assert gap_cuts(shuffled, **OPTIONS) == gap_cuts(column, **OPTIONS)


@pytest.mark.parametrize("seed", range(3))
def test_a_wide_gap_is_cut_in_its_middle_and_not_where_it_is_lowest_by_chance(seed):
    rng = np.random.default_rng(seed)
    peaks = np.repeat([-1.0, 1.0], 2000) + 0.05 * rng.normal(size=4000)
    cuts = gap_cuts(np.concatenate([peaks, rng.uniform(-1, 1, 1000)]), **OPTIONS)
    assert np.round(cuts, 1).tolist() == [0.0]
