"""Rows as clusters."""

import numpy as np
import pytest

from protograph.graphs.row_clusters import compact_clusters, divided, gap_clusters

OPTIONS = {"max_clusters": 8, "depth": 0.6, "certainty": 3.0}
TILTED = np.array([[0.0, 0.7], [0.7, 0.0], [0.7, 1.4], [1.4, 0.7]])


def colours(centres, *, size=800, seed=0):
    rng = np.random.default_rng(seed)
    own = rng.integers(len(centres), size=size)
    return own, centres[own] + 0.2 * rng.normal(size=(size, centres.shape[1]))


def agreement(own, found):
    """Share of the rows in the cluster that most rows of their colour are in."""
    table = np.zeros((own.max() + 1, found.max() + 1))
    np.add.at(table, (own, found), 1)
    return table.max(axis=1).sum() / len(own)


@pytest.mark.parametrize("centres", [TILTED, np.eye(4, 6)], ids=["two columns", "six columns"])
def test_colours_that_no_column_tells_are_found_together(centres):
    own, rows = colours(centres, size=1500)
    found = gap_clusters(rows, **OPTIONS)
    assert found.max() == 3
    assert agreement(own, found) > 0.97


def test_neither_one_heap_nor_a_ring_has_gaps():
    rng = np.random.default_rng(2)
    angles = rng.random(800) * 2 * np.pi
    ring = (0.5 + rng.random(800))[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for rows in (rng.normal(size=(800, 3)), rng.random((800, 2)), ring):
        assert gap_clusters(rows, **OPTIONS).max() == 0


def test_the_order_of_rows_does_not_matter():
    _, rows = colours(TILTED, size=300)
    order = np.random.default_rng(5).permutation(len(rows))
    for cluster in (
        lambda own: gap_clusters(own, **OPTIONS),
        lambda own: compact_clusters(own, max_clusters=6, least=0.3),
        lambda own: divided(own, 5),
    ):
        found = cluster(rows)
        assert found.max() > 0
        assert cluster(rows[order]).tolist() == found[order].tolist()


def test_compact_clusters_are_those_that_were_made_and_even_rows_have_none():
    own = np.repeat(np.arange(4), 10)
    rows = np.eye(4)[own] + 0.05 * np.random.default_rng(0).normal(size=(40, 4))
    found = compact_clusters(rows, max_clusters=8, least=0.65)
    assert found.max() == 3
    assert agreement(own, found) == 1.0
    assert compact_clusters(np.linspace(0, 1, 200)[:, None], max_clusters=8, least=0.65).max() == 0
