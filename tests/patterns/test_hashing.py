import numpy as np

from protograph.patterns.hashing import scattered


def test_numbers_are_told_apart_wherever_they_come_from():
    numbers = scattered(np.concatenate([np.arange(-3, 1000), [2**62, -(2**62)]]))
    assert numbers.dtype == np.uint64
    assert np.unique(numbers).size == 1005
    assert scattered(np.array([7], dtype=np.int32)).tolist() == scattered(np.array([7])).tolist()


def test_sums_tell_multisets_apart():
    pairs = [[a, b] for a in range(60) for b in range(a, 60)]
    sums = scattered(np.array(pairs)).sum(axis=1, dtype=np.uint64)
    assert np.unique(sums).size == len(pairs)
