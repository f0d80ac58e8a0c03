"""A store of patterns answers as the search does, and searches once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import store
from protograph.patterns.containment import contained_in
from protograph.patterns.store import PatternStore
from tests.metrics.small_graphs import graph_of, graphs, path, ring


@settings(max_examples=60, deadline=None)
@given(st.lists(graphs(max_nodes=6), min_size=1, max_size=5), st.lists(graphs(max_nodes=4), max_size=4), st.data())
def test_answers_are_those_of_the_search(whole: list[Data], patterns: list[Data], data: st.DataObject) -> None:
    encoded = EncodedGraphs(whole, match_edges=True)
    kept = PatternStore(encoded)
    for pattern in [*patterns, *patterns]:
        asked = np.array(sorted(data.draw(st.sets(st.integers(0, len(whole) - 1)))), dtype=np.int64)
        expected = contained_in(pattern, encoded, indices=asked) > 0
        assert (kept.answers(kept.stored(encoded.encode(pattern)), asked) > 0).tolist() == expected.tolist()


def test_a_copy_with_other_numbers_is_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = EncodedGraphs([ring(6), path(5), ring(3)])
    searches = []
    real = store.searched_by

    def noted(graphs, plan, indices, max_calls):
        if graphs.nodes.size == 4:  # the three graphs, not a pattern
            searches.append(indices.tolist())
        return real(graphs, plan, indices, max_calls)

    monkeypatch.setattr(store, "searched_by", noted)
    kept = PatternStore(encoded)
    first, copy = graph_of(4, [(0, 1), (1, 2), (2, 3)]), graph_of(4, [(2, 0), (0, 3), (3, 1)])
    assert (kept.answers(kept.stored(encoded.encode(first)), np.array([0, 1])) > 0).tolist() == [True, True]
    assert (kept.answers(kept.stored(encoded.encode(copy)), np.array([2, 1, 0])) > 0).tolist() == [False, True, True]
    assert (kept.answers(kept.stored(encoded.encode(path(4))), np.arange(3)) > 0).tolist() == [True, True, False]
    assert searches == [[0, 1], [2]]


def test_a_pattern_that_reads_the_same_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = EncodedGraphs([ring(6), path(5)])
    kept = PatternStore(encoded)
    known = kept.stored(encoded.encode(path(4)))
    monkeypatch.setattr(store, "searched", None)
    assert kept.stored(encoded.encode(path(4))) is known


def test_patterns_that_look_alike_are_told_apart() -> None:
    two_triangles, hexagon = graph_of(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]), ring(6)
    encoded = EncodedGraphs([two_triangles, hexagon])
    kept = PatternStore(encoded)
    assert (kept.answers(kept.stored(encoded.encode(two_triangles)), np.arange(2)) > 0).tolist() == [True, False]
    assert (kept.answers(kept.stored(encoded.encode(hexagon)), np.arange(2)) > 0).tolist() == [False, True]


def test_what_is_too_much_to_keep_is_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_BYTES", 0)
    encoded = EncodedGraphs([ring(4), path(4)])
    kept = PatternStore(encoded)
    for _ in range(2):
        assert (kept.answers(kept.stored(encoded.encode(ring(4))), np.arange(2)) > 0).tolist() == [True, False]
    assert list(kept._stored.values()) == [[]]
