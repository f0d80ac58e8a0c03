from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protograph.page.consensus.closing import Closing
from protograph.page.consensus.counting import information
from protograph.page.options import ConsensusOptions
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import wholes_of
from tests.page.naive_patterns import embeddings, is_connected, path_edges
from tests.page.planted import HOUSE, connected_graph, counter_of, planted

INSIDE = [planted(seed, HOUSE, 5) for seed in range(6)]
OUTSIDE = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 26)]
EVERY = CommonPatterns(INSIDE[:1]).source
HOUSE_PATTERN, SQUARE = EVERY.within(range(5)), EVERY.within(range(4))


def closing(graphs, num_inside, k, consensus, max_nodes=None, options=None):
    counter = counter_of(graphs, num_inside, options)
    return Closing(
        CommonPatterns(graphs[:k]), consensus, wholes_of(consensus, counter.kinds), counter, max_nodes, options
    )


def test_the_roof_comes_back_and_the_backbone_does_not():
    closer = closing([*INSIDE, *OUTSIDE], 6, 3, HOUSE_PATTERN)
    assert closer.close(SQUARE) == [SQUARE, HOUSE_PATTERN]
    assert closer.close(HOUSE_PATTERN) == [HOUSE_PATTERN]


def test_a_missing_edge_comes_back():
    # Without a wall it is a triangle with a tail, which no graph of the others has: all six contain the house too.
    open_house = Subgraph(HOUSE_PATTERN.nodes, HOUSE_PATTERN.edges - {(2, 3)})
    assert closing([*INSIDE, *OUTSIDE], 6, 3, HOUSE_PATTERN).close(open_house)[-1] == HOUSE_PATTERN


def test_no_more_nodes_than_allowed():
    closer = closing([*INSIDE, *OUTSIDE], 6, 3, HOUSE_PATTERN, max_nodes=4)
    assert closer.close(SQUARE) == [SQUARE]


@pytest.mark.parametrize(
    "options",
    [
        {"max_steps": 0},
        {"least_information": 1.01},  # more than there can be
        {"max_additions": 0, "least_counted": 0},
    ],
    ids=str,
)
def test_options_that_leave_nothing_to_add(options):
    assert closing([*INSIDE, *OUTSIDE], 6, 3, HOUSE_PATTERN, options=ConsensusOptions(**options)).close(SQUARE) == [
        SQUARE
    ]


def test_a_part_that_no_graph_of_the_cluster_has_stays():
    """All graphs of the cluster would still have whatever is added."""
    closer = closing([INSIDE[0], *OUTSIDE], 0, 1, HOUSE_PATTERN)
    assert closer.close(SQUARE) == [SQUARE]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_closing_adds_what_all_have_and_loses_no_graph(seed, k):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    common = CommonPatterns(graphs[:k])
    consensus = common.largest_of_all()
    assume(consensus is not None and len(consensus.pattern) > 1)
    wholes = wholes_of(consensus.pattern, graphs[0].x.argmax(dim=1).tolist())
    part = consensus.pattern.within(wholes[int(rng.integers(len(wholes)))])
    path = closing(graphs, 7, k, consensus.pattern).close(part)
    assert path[0] == part

    def where(pattern, chosen):
        return [i for i in chosen if embeddings(pattern.nodes, pattern.edges, graphs[0], graphs[i])]

    for pattern in path:
        assert is_connected(pattern.nodes, pattern.edges)
        assert where(pattern, range(k)) == list(range(k))
        assert where(pattern, range(7)) == where(part, range(7))
    for smaller, larger in pairwise(path):
        assert smaller.nodes <= larger.nodes
        assert smaller.edges < larger.edges
        fresh = larger.nodes - smaller.nodes
        if len(fresh) == 1:
            around = larger.within(fresh | larger.neighbours[min(fresh)])
            bits = information(len(where(around, range(7))) / 7, len(where(around, range(7, 12))) / 5)
            assert bits >= ConsensusOptions().least_information
    # Nothing that could be added is left: edges between its nodes are the simplest case.
    last = path[-1]
    for edge in common.source.within(last.nodes).edges - last.edges:
        more = Subgraph(last.nodes, last.edges | {edge})
        assert where(more, range(k)) != list(range(k)) or where(more, range(7)) != where(last, range(7))
