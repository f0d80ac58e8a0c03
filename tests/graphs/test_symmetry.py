import numpy as np
import pytest

from protograph.graphs import symmetry
from protograph.graphs.symmetry import are_simple


def by_sets(edges, sizes, counts):
    """The same by Python's sets, graph by graph."""
    first = 0
    for size, count in zip(sizes, counts, strict=True):
        own = [tuple(edge) for edge in edges[:, first : first + count].T.tolist()]
        first += count
        if len(set(own)) < count or {(v, u) for u, v in own} != set(own):
            return False
        if any(not 0 <= node < size for edge in own for node in edge):
            return False
    return True


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most_in_table", [0, 3, 128])
def test_edges_in_any_order_are_told_as_by_sets(seed, most_in_table, monkeypatch):
    monkeypatch.setattr(symmetry, "_MOST_IN_TABLE", most_in_table)
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 5)
    parts = []
    for size in sizes:
        pairs = rng.integers(0, size, (int(rng.integers(0, 4)), 2))
        both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
        parts.append(rng.permutation(both))
    if seed % 4 == 1:
        parts[2] = np.concatenate([parts[2], [[0, sizes[2]]]])
    elif seed % 4 == 2:
        parts[3] = np.concatenate([parts[3], [[0, 0], [0, 0]]])
    elif seed % 4 == 3:
        parts[4] = parts[4][:-1]
    edges, counts = np.concatenate(parts).T.astype(np.int64), np.array(list(map(len, parts)))
    assert are_simple(edges, sizes, counts) == by_sets(edges, sizes, counts)
