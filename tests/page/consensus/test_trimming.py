from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from protograph.page.consensus.trimming import Surroundings, trim
from protograph.page.options import ConsensusOptions
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from protograph.patterns.rings import wholes_of
from tests.page.naive_patterns import embeddings, is_connected, path_edges, ring_edges, undirected
from tests.page.planted import HOUSE, connected_graph, planted, weigher_of


def hang_together(wholes):
    reached, left = set(wholes[0]), list(wholes[1:])
    while any(whole & reached for whole in left):
        whole = next(whole for whole in left if whole & reached)
        reached |= whole
        left.remove(whole)
    return not left


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.one_of(st.none(), st.integers(2, 8)))
def test_the_smallest_part_that_weighs_nearly_as_much_as_the_heaviest(seed, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7), *(connected_graph(rng, 8) for _ in range(15))]
    contributions = rng.normal(size=graphs[0].num_nodes)
    weigher = weigher_of(graphs, 8, contributions)
    source = CommonPatterns(graphs[:1]).source
    wholes = wholes_of(source, weigher.counter.kinds)
    chosen = [c for n in range(1, len(wholes) + 1) for c in combinations(wholes, n) if hang_together(c)]
    parts = {source.within(frozenset().union(*c)) for c in chosen}
    anew = weigher_of(graphs, 8, contributions)
    every = [anew.weigh(part) for part in parts if max_nodes is None or len(part) <= max_nodes]
    assume(every)
    found = trim(source, wholes, weigher, max_nodes)
    heaviest = max(part.weight for part in every)
    enough = heaviest - 0.1 * abs(heaviest)
    best = [part for part in every if part.weight >= enough - 1e-12]
    smallest = min(len(part.pattern) for part in best)
    expected = max(part.weight for part in best if len(part.pattern) == smallest)
    assert len(found.pattern) == smallest
    assert found.weight == pytest.approx(expected, abs=1e-9)
    assert found.pattern in parts


def test_half_a_ring_is_no_part():
    """Where the ring goes first, its nodes with tails are still joined by one of its edges."""
    edges = [*ring_edges(0, 1, 2), (0, 3), (1, 4)]
    source = undirected(5, edges, [0, 0, 0, 1, 2])
    bare = undirected(5, path_edges(3, 0, 2, 1, 4), [0, 0, 0, 1, 2])
    weigher = weigher_of([source, source, bare, bare], 2, [1.0, 1.0, -3.0, 1.0, 1.0])
    every = CommonPatterns([source]).source
    found = trim(every, wholes_of(every, weigher.counter.kinds), weigher)
    assert found.pattern in (every, every.within([0, 1, 2]), every.within([0, 1, 2, 3]), every.within([0, 1, 2, 4]))


def test_a_planted_house_is_what_is_left():
    inside = [planted(seed, HOUSE, 5) for seed in range(8)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 28)]
    every = CommonPatterns(inside[:1]).source

    def left(roof):
        weigher = weigher_of([*inside, *outside], 8, [2.0] * 4 + [roof] + [-1.0] * 8)
        return trim(every, wholes_of(every, weigher.counter.kinds), weigher)

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
    cut = trim(every, wholes_of(every, [0] * 6), weigher, 4).pattern
    assert len(cut) == 4
    assert is_connected(cut.nodes, cut.edges)
    alone = Subgraph(frozenset([2]), frozenset())
    assert trim(alone, wholes_of(alone, [0] * 6), weigher).pattern == alone


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 2))
def test_what_no_whole_fits_in_is_cut(seed, max_nodes):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(3, 8))
    ring = undirected(size, ring_edges(*range(size)), [0] * size)
    every = CommonPatterns([ring]).source
    cut = trim(every, wholes_of(every, [0] * size), weigher_of([ring], 1, rng.normal(size=size)), max_nodes).pattern
    assert len(cut) == max_nodes
    assert is_connected(cut.nodes, cut.edges)


def test_more_slack_takes_a_smaller_part_and_fewer_parts_are_weighed_where_asked_for():
    inside = [planted(seed, HOUSE, 5) for seed in range(8)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 28)]
    every = CommonPatterns(inside[:1]).source

    def left(**options):
        weigher = weigher_of([*inside, *outside], 8, [2.0] * 4 + [2.0] + [-1.0] * 8)
        wholes = wholes_of(every, weigher.counter.kinds)
        return trim(every, wholes, weigher, options=ConsensusOptions(**options)).pattern, weigher.num_weighed

    # The house weighs 1 + 10 / sqrt(5) = 5.47, the square 5, the roof alone 1 + 6 / sqrt(3) = 4.46.
    assert left(slack=0.0)[0] == every.within(range(5))
    assert left(slack=0.1)[0] == every.within(range(4))
    assert left(slack=0.2)[0] == every.within([0, 1, 4])
    assert left(max_parts=4)[1] == ConsensusOptions().least_counted < left()[1]


# ---- surroundings ---------------------------------------------------------------------------------------------------


def test_a_ring_that_had_to_give_way_comes_back():
    """Both graphs have a square; the consensus walked three of its sides and down a tail."""
    edges = [*ring_edges(0, 1, 2, 3), *path_edges(3, 4, 5)]
    source, plain = undirected(6, edges, [0] * 6), undirected(7, path_edges(*range(7)), [0] * 7)
    common = CommonPatterns([source, source])
    walked = Subgraph(frozenset(range(6)), common.source.edges - {(0, 3)})
    weigher = weigher_of([source, source, plain, plain], 2, [1.0] * 4 + [-1.0] * 2)
    wholes = wholes_of(walked, [0] * 6)
    assert trim(walked, wholes, weigher).occurrence.information == 0.0  # a path is everywhere
    found = trim(walked, wholes, weigher, None, Surroundings(common, [0] * 6, 1))
    assert found.pattern == common.source.within(range(4))
    assert found.occurrence.information == 1.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.one_of(st.none(), st.integers(1, 5)))
def test_a_part_of_the_surroundings_is_common(seed, k, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    common, start = CommonPatterns(graphs[:k]), 0
    consensus = common.largest(start)
    assume(consensus is not None)
    kinds = graphs[0].x.argmax(dim=1).tolist()
    wholes, contributions = wholes_of(consensus.pattern, kinds), rng.normal(size=graphs[0].num_nodes)
    alone = trim(consensus.pattern, wholes, weigher_of(graphs, 6, contributions), max_nodes)
    weigher = weigher_of(graphs, 6, contributions)
    found = trim(consensus.pattern, wholes, weigher, max_nodes, Surroundings(common, kinds, start))
    assert is_connected(found.pattern.nodes, found.pattern.edges)
    assert all(embeddings(found.pattern.nodes, found.pattern.edges, graphs[0], graph) for graph in graphs[:k])
    assert max_nodes is None or len(found.pattern) <= max_nodes
    # More to choose from never makes the choice lighter, but for the slack.
    assert found.weight >= alone.weight - 0.1 * abs(alone.weight) - 1e-9 or len(found.pattern) <= len(alone.pattern)
