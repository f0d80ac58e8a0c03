import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph._base.intervals import wilson
from protograph.explanation import Example, Pattern, Reason, Support
from protograph.explanation.codec import pack, read
from tests.explanation.by_hand import NOWHERE, both, complete, house, naive_reason, reason, reasons
from tests.metrics.small_graphs import graphs, path, ring


@settings(max_examples=100, deadline=None)
@given(reasons(), st.lists(graphs(max_nodes=5), max_size=4))
def test_a_reason_holds_where_plain_loops_say_so(one, whole):
    assert one.holds(whole).tolist() == [naive_reason(one, graph) for graph in whole]


@settings(max_examples=30, deadline=None)
@given(reasons(), st.lists(graphs(max_nodes=5), min_size=1, max_size=3))
def test_a_reason_is_written_and_read_whole(one, whole):
    again = read(pack(one, Reason), Reason)
    assert again.holds(whole).tolist() == one.holds(whole).tolist()
    assert pack(again, Reason) == pack(one, Reason)


def test_has_lacks_and_unless_by_hand():
    triangle, square = Pattern(graph=ring(3)), Pattern(graph=ring(4))
    whole = [house(), ring(3), ring(4), both(ring(3), ring(4)), path(3)]
    assert reason(has=(triangle, square)).holds(whole).tolist() == [True, False, False, True, False]
    assert reason(has=(triangle,), lacks=(square,)).holds(whole).tolist() == [False, True, False, False, False]
    rest = reason(unless=(reason(has=(triangle, square)), reason(lacks=(triangle,))))
    assert rest.holds(whole).tolist() == [False, True, False, False, False]
    assert (rest.is_rest, reason(lacks=(square,)).is_rest) == (True, False)
    assert rest.patterns == ()
    assert reason(has=(triangle,), lacks=(square,)).patterns == (triangle, square)


def test_support_is_counted_and_added():
    holds, is_class = np.array([True, True, False, True, False]), np.array([True, False, True, True, False])
    support = Support.of(holds, is_class)
    assert support == Support(num_in_class=2, num_class=3, num_elsewhere=1, num_others=2)
    assert (support.num_graphs, support.share, support.share_elsewhere) == (3, 2 / 3, 0.5)
    assert (support.interval, support.interval_elsewhere) == (wilson(2, 3), wilson(1, 2))
    assert support + support == Support(num_in_class=4, num_class=6, num_elsewhere=2, num_others=4)
    assert math.isnan(NOWHERE.share)
    assert math.isnan(NOWHERE.share_elsewhere)


def test_the_support_on_all_graphs_is_that_of_the_parts():
    one = Support(num_in_class=1, num_class=2, num_elsewhere=0, num_others=3)
    parts = {"has": (Pattern(graph=path(2)),), "searched": one, "confirming": one}
    assert reason(**parts, holds_in_indices=(0, 4)).support == one + one
    assert reason(**parts, kept_apart=one, holds_in_indices=(0, 4, 7)).support == one + one + one


PAIR = Pattern(graph=path(2))
EXAMPLE = {"source": 7, "nodes": (3, 5, 6), "graph": path(3), "marked": ((0, 1),), "probability": 0.9}
ONE = Support(num_in_class=1, num_class=1, num_elsewhere=0, num_others=0)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"has": ()}, "has must have a pattern where lacks and unless have none, got none"),
        (
            {"unless": (reason(unless=(reason(has=(PAIR,)),)),)},
            "unless must be reasons without unless, got others",
        ),
        ({"holds_in_indices": (2, 1)}, "holds_in_indices must be ascending and at least 0, got others"),
        ({"holds_in_indices": (-1,)}, "holds_in_indices must be ascending and at least 0, got others"),
        ({"holds_in_indices": (1,)}, "holds_in_indices must be a list of 0, as many as the supports count, got [1]"),
        ({"searched": ONE}, "holds_in_indices must be a list of 1, as many as the supports count, got []"),
        (
            {"example": Example(**EXAMPLE), "has": (Pattern(graph=path(2), at_least=2),)},
            "example.marked must be lists of [2, 2] nodes, one for each place of each pattern of has, got others",
        ),
    ],
)
def test_what_is_no_reason_is_refused(parts, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        reason(**{"has": (PAIR,)} | parts)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"nodes": (1, 2)}, "nodes must be a list of 3 different ones, one for each node of graph, got [1, 2]"),
        ({"nodes": (1, 2, 2)}, "nodes must be a list of 3 different ones, one for each node of graph, got [1, 2, 2]"),
        ({"marked": ((0, 1), (0, 3))}, "marked[1] must be different nodes of graph, from 0 to 2, got [0, 3]"),
    ],
)
def test_what_is_no_example_is_refused(parts, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        Example(**EXAMPLE | parts)


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ((3, 2, 0, 0), "num_in_class must be in [0, 2], 2 being num_class, got 3"),
        ((0, 2, -1, 0), "num_elsewhere must be in [0, 0], 0 being num_others, got -1"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts, problem):
    names = ("num_in_class", "num_class", "num_elsewhere", "num_others")
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        Support(**dict(zip(names, counts, strict=True)))


def test_reasons_and_examples_are_told_in_short():
    clique = Pattern(graph=complete(4))
    one = reason(has=(PAIR,), lacks=(clique,))
    assert repr(one) == "Reason(has=[Pattern(2 nodes, 1 edge)], lacks=[Pattern(4 nodes, 6 edges)])"
    assert repr(Example(**EXAMPLE)) == "Example(source=7, 3 nodes, probability=0.9000)"
