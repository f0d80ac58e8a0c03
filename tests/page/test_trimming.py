"""Parts of a consensus: what they weigh, which of them is left, and what closes it."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protograph.page.counting import information
from protograph.page.trimming import Surroundings, close, trim
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import wholes_of
from tests.page.naive_patterns import embeddings, is_connected, path_edges, ring_edges, undirected
from tests.page.planted import HOUSE, connected_graph, counter_of, planted, sample_of, weigher_of


def kinds_of(graph):
    return graph.x.argmax(dim=1).tolist()


def trimmed(consensus, kinds, weigher, max_nodes=None, source=None):
    """What is left of a consensus by which nothing else can grow."""
    surroundings = Surroundings(
        source=source or consensus,
        consensus=consensus,
        start=0,
        wholes=wholes_of(consensus, kinds),
        around=[],
        is_common=lambda pattern: False,
        max_nodes=max_nodes or 99,
    )
    return trim(surroundings, weigher)


def surroundings_of(common, consensus, kinds, start, max_nodes=None):
    """What a part may grow by in the source."""
    return Surroundings(
        source=common.source,
        consensus=consensus,
        start=start,
        wholes=wholes_of(consensus, kinds),
        around=wholes_of(common.source.around(start, 40, 60), kinds),
        is_common=common.is_common,
        max_nodes=max_nodes or 99,
    )


def test_the_weight_by_hand():
    graphs = [undirected(2, [(0, 1)], [0, 1]), undirected(2, [(0, 1)], [0, 1]), undirected(2, [], [0, 1])]
    weigher = weigher_of([*graphs, undirected(1, [], [0])], 2, [3.0, 1.0])
    edge = weigher.weigh(CommonPatterns(graphs[:1]).source)
    assert edge.occurrence.shares == (1.0, 0.0)
    assert edge.excess == pytest.approx(4 / np.sqrt(2))
    assert edge.weight == pytest.approx(1 + 4 / np.sqrt(2))
    node = weigher.weigh(Subgraph(frozenset([1]), frozenset()))
    assert node.occurrence.shares == (1.0, 0.5)
    assert node.weight == pytest.approx(information(1.0, 0.5) * 2)
    assert weigher.weigh(Subgraph(frozenset([1]), frozenset())) is node
    assert weigher.num_weighed == 2


@pytest.mark.parametrize(
    ("bits", "excess", "expected"),
    [(0.5, 2.0, 1.5), (0.5, 0.0, 0.5), (0.5, -3.0, 0.5), (0.0, 9.0, 0.0), (-0.5, 2.0, -1.5), (-0.5, -2.0, -0.5)],
)
def test_what_carries_the_class_counts_for_more_and_what_does_not_for_no_less(bits, excess, expected):
    weigher = weigher_of([undirected(1, [])], 1, [excess])
    assert weigher.weight(bits, frozenset([0])) == expected


def test_a_larger_part_is_looked_for_only_where_the_smaller_one_is():
    edge, node = undirected(2, [(0, 1)], [0, 0]), undirected(1, [], [0])
    weigher = weigher_of([edge, edge, node, edge], 2, [1.0, 1.0])
    source = CommonPatterns([edge]).source
    smaller = weigher.weigh(source.within([0]))
    assert smaller.occurrence.outside.tolist() == [True, True]
    larger = weigher.weigh(source, smaller)
    assert larger.occurrence.inside.tolist() == [True, True]
    assert larger.occurrence.outside.tolist() == [False, True]


# ---- trimming ---------------------------------------------------------------------------------------------------


def hang_together(wholes):
    reached, left = set(wholes[0]), list(wholes[1:])
    while any(whole & reached for whole in left):
        whole = next(whole for whole in left if whole & reached)
        reached |= whole
        left.remove(whole)
    return not left


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.one_of(st.none(), st.integers(2, 8)))
def test_the_smallest_part_that_weighs_nearly_as_much_as_the_heaviest(seed, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7), *(connected_graph(rng, 8) for _ in range(15))]
    contributions = rng.normal(size=graphs[0].num_nodes)
    weigher = weigher_of(graphs, 8, contributions)
    source = CommonPatterns(graphs[:1]).source
    wholes = wholes_of(source, kinds_of(graphs[0]))
    chosen = [c for n in range(1, len(wholes) + 1) for c in combinations(wholes, n) if hang_together(c)]
    parts = {source.within(frozenset().union(*c)) for c in chosen}
    anew = weigher_of(graphs, 8, contributions)
    every = [anew.weigh(part) for part in parts if max_nodes is None or len(part) <= max_nodes]
    assume(every)
    found = trimmed(source, kinds_of(graphs[0]), weigher, max_nodes)
    heaviest = max(part.weight for part in every)
    enough = heaviest - 0.1 * abs(heaviest)
    best = [part for part in every if part.weight >= enough - 1e-12]
    smallest = min(len(part.pattern) for part in best)
    expected = max(part.weight for part in best if len(part.pattern) == smallest)
    assert len(found.pattern) == smallest
    assert found.weight == pytest.approx(expected, abs=1e-9)
    assert found.pattern in parts


def test_a_planted_house_is_what_is_left():
    inside = [planted(seed, HOUSE, 5) for seed in range(8)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 28)]
    every = CommonPatterns(inside[:1]).source

    def left(roof):
        weigher = weigher_of([*inside, *outside], 8, [2.0] * 4 + [roof] + [-1.0] * 8)
        return trimmed(every, kinds_of(inside[0]), weigher)

    house = left(roof=4.0)
    assert house.pattern == every.within(range(5))
    assert house.occurrence.shares == (1.0, 0.0)
    assert house.weight == pytest.approx(1 + 12 / np.sqrt(5))
    square = left(roof=2.0)  # the house weighs 1 + 10 / sqrt(5), not a tenth more
    assert square.pattern == every.within(range(4))
    assert square.weight == pytest.approx(1 + 8 / np.sqrt(4))


def test_a_ring_that_is_too_large_is_cut_and_a_node_stays_one():
    ring = undirected(6, ring_edges(*range(6)), [0] * 6)
    every = CommonPatterns([ring]).source
    weigher = weigher_of([ring, ring], 1, [0.0] * 6)
    cut = trimmed(every, [0] * 6, weigher, 4).pattern
    assert len(cut) == 4
    assert is_connected(cut.nodes, cut.edges)
    node = Subgraph(frozenset([2]), frozenset())
    assert trimmed(node, [0] * 6, weigher, source=every).pattern == node


# ---- surroundings ---------------------------------------------------------------------------------------------------


def test_a_ring_that_had_to_give_way_comes_back():
    """Both graphs have a square; the consensus walked three of its sides and down a tail."""
    edges = [*ring_edges(0, 1, 2, 3), *path_edges(3, 4, 5)]
    source, plain = undirected(6, edges, [0] * 6), undirected(7, path_edges(*range(7)), [0] * 7)
    common = CommonPatterns([source, source])
    walked = Subgraph(frozenset(range(6)), common.source.edges - {(0, 3)})
    weigher = weigher_of([source, source, plain, plain], 2, [1.0] * 4 + [-1.0] * 2)
    assert trimmed(walked, [0] * 6, weigher).occurrence.information == 0.0  # a path is everywhere
    found = trim(surroundings_of(common, walked, [0] * 6, 1), weigher)
    assert found.pattern == common.source.within(range(4))
    assert found.occurrence.information == 1.0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.one_of(st.none(), st.integers(1, 5)))
def test_a_part_of_the_surroundings_is_common(seed, k, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    common, start = CommonPatterns(graphs[:k]), 0
    consensus = common.largest(start)
    assume(consensus is not None)
    kinds = graphs[0].x.argmax(dim=1).tolist()
    contributions = rng.normal(size=graphs[0].num_nodes)
    alone = trimmed(consensus.pattern, kinds, weigher_of(graphs, 6, contributions), max_nodes, common.source)
    weigher = weigher_of(graphs, 6, contributions)
    found = trim(surroundings_of(common, consensus.pattern, kinds, start, max_nodes), weigher)
    assert is_connected(found.pattern.nodes, found.pattern.edges)
    assert all(embeddings(found.pattern.nodes, found.pattern.edges, graphs[0], graph) for graph in graphs[:k])
    assert max_nodes is None or len(found.pattern) <= max_nodes
    # More to choose from never makes the choice lighter, but for the slack.
    assert found.weight >= alone.weight - 0.1 * abs(alone.weight) - 1e-9 or len(found.pattern) <= len(alone.pattern)


# ---- closing ----------------------------------------------------------------------------------------------------


INSIDE = [planted(seed, HOUSE, 5) for seed in range(6)]
OUTSIDE = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 26)]
EVERY = CommonPatterns(INSIDE[:1]).source
HOUSE_PATTERN, SQUARE = EVERY.within(range(5)), EVERY.within(range(4))


def closed_in(graphs, num_inside, k, consensus, part, max_nodes=None):
    """What a part of the first graph grows to, one thing after the other."""
    surroundings = surroundings_of(CommonPatterns(graphs[:k]), consensus, kinds_of(graphs[0]), 0, max_nodes)
    return close(part, surroundings, counter_of(graphs), sample_of(graphs, num_inside))


def test_the_roof_comes_back_and_the_backbone_does_not():
    graphs = [*INSIDE, *OUTSIDE]
    assert closed_in(graphs, 6, 3, HOUSE_PATTERN, SQUARE) == [SQUARE, HOUSE_PATTERN]
    assert closed_in(graphs, 6, 3, HOUSE_PATTERN, SQUARE, max_nodes=4) == [SQUARE]
    assert closed_in(graphs, 6, 3, HOUSE_PATTERN, HOUSE_PATTERN) == [HOUSE_PATTERN]


def test_a_missing_edge_comes_back():
    # Without a wall it is a triangle with a tail, which no graph of the others has: all six contain the house too.
    open_house = Subgraph(HOUSE_PATTERN.nodes, HOUSE_PATTERN.edges - {(2, 3)})
    assert closed_in([*INSIDE, *OUTSIDE], 6, 3, HOUSE_PATTERN, open_house)[-1] == HOUSE_PATTERN


def test_a_part_that_no_graph_of_the_cluster_has_stays():
    """All graphs of the cluster would still have whatever is added."""
    assert closed_in([INSIDE[0], *OUTSIDE], 0, 1, HOUSE_PATTERN, SQUARE) == [SQUARE]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_closing_adds_what_all_have_and_loses_no_graph(seed, k):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    common = CommonPatterns(graphs[:k])
    consensus = common.largest_of_all()
    assume(consensus is not None and len(consensus.pattern) > 1)
    wholes = wholes_of(consensus.pattern, kinds_of(graphs[0]))
    part = consensus.pattern.within(wholes[int(rng.integers(len(wholes)))])
    first, *_, closed = [part, *closed_in(graphs, 7, k, consensus.pattern, part)]
    assert first == part

    def where(pattern, chosen):
        return [i for i in chosen if embeddings(pattern.nodes, pattern.edges, graphs[0], graphs[i])]

    assert part.nodes <= closed.nodes
    assert part.edges <= closed.edges
    assert is_connected(closed.nodes, closed.edges)
    assert where(closed, range(k)) == list(range(k))
    assert where(closed, range(7)) == where(part, range(7))
    # Nothing that could be added is left: edges between its nodes are the simplest case.
    for edge in common.source.within(closed.nodes).edges - closed.edges:
        more = Subgraph(closed.nodes, closed.edges | {edge})
        assert where(more, range(k)) != list(range(k)) or where(more, range(7)) != where(closed, range(7))
