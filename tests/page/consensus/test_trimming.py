from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.consensus.counting import PatternCounter, information
from protograph.page.consensus.trimming import LEAST_INFORMATION, Closing, Scales, Surroundings, trim
from protograph.patterns.common import CommonPatterns
from protograph.patterns.pattern import Pattern
from protograph.patterns.wholes import wholes_of
from tests.page.naive_patterns import embeddings, is_connected, path_edges, ring_edges, undirected

HOUSE = [*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)]


def tree_edges(rng, first, size):
    """A random tree on ``size`` nodes from ``first`` on."""
    return [(first + int(rng.integers(0, n)), first + n) for n in range(1, size)]


def planted(seed, motif, motif_size, backbone=8):
    """A motif whose node 2 hangs on a random tree."""
    rng = np.random.default_rng(seed)
    return undirected(
        motif_size + backbone,
        [*motif, *tree_edges(rng, motif_size, backbone), (2, motif_size + int(rng.integers(0, backbone)))],
        [0] * (motif_size + backbone),
    )


def scales_of(graphs, num_inside, contributions, source=0):
    counter = PatternCounter(EncodedGraphs(graphs), source, np.arange(num_inside), np.arange(num_inside, len(graphs)))
    return Scales(counter, np.asarray(contributions, dtype=float))


# ---- weighing -------------------------------------------------------------------------------------------------------


def test_the_weight_by_hand():
    graphs = [undirected(2, [(0, 1)], [0, 1]), undirected(2, [(0, 1)], [0, 1]), undirected(2, [], [0, 1])]
    scales = scales_of([*graphs, undirected(1, [], [0])], 2, [3.0, 1.0])
    edge = scales.weigh(CommonPatterns(graphs[:1]).source)
    assert edge.found.shares == (1.0, 0.0)
    assert edge.excess == pytest.approx(4 / np.sqrt(2))
    assert edge.weight == pytest.approx(1 + 4 / np.sqrt(2))
    node = scales.weigh(Pattern(frozenset([1]), frozenset()))
    assert node.found.shares == (1.0, 0.5)
    assert node.weight == pytest.approx(information(1.0, 0.5) * 2)
    assert scales.weigh(Pattern(frozenset([1]), frozenset())) is node
    assert scales.num_weighed == 2


# ---- trimming -------------------------------------------------------------------------------------------------------


def hang_together(units):
    reached, left = set(units[0]), list(units[1:])
    while any(unit & reached for unit in left):
        unit = next(unit for unit in left if unit & reached)
        reached |= unit
        left.remove(unit)
    return not left


def connected_graph(rng, largest):
    size = int(rng.integers(2, largest + 1))
    chords = [tuple(sorted(rng.choice(size, 2, replace=False).tolist())) for _ in range(rng.integers(0, 3))]
    return undirected(size, sorted({*tree_edges(rng, 0, size), *chords}), rng.integers(0, 2, size).tolist())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.one_of(st.none(), st.integers(2, 8)))
def test_the_smallest_part_that_weighs_nearly_as_much_as_the_heaviest(seed, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7), *(connected_graph(rng, 8) for _ in range(15))]
    contributions = rng.normal(size=graphs[0].num_nodes)
    scales = scales_of(graphs, 8, contributions)
    whole = CommonPatterns(graphs[:1]).source
    units = wholes_of(whole, scales.counter.labels)
    chosen = [c for n in range(1, len(units) + 1) for c in combinations(units, n) if hang_together(c)]
    parts = {whole.within(frozenset().union(*c)) for c in chosen}
    judge = scales_of(graphs, 8, contributions)
    every = [judge.weigh(part) for part in parts if max_nodes is None or len(part) <= max_nodes]
    found = trim(whole, units, scales, max_nodes)
    if not every:
        assert len(found.pattern) <= max_nodes
        assert is_connected(found.pattern.nodes, found.pattern.edges)
        return
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
    scales = scales_of([source, source, bare, bare], 2, [1.0, 1.0, -3.0, 1.0, 1.0])
    whole = CommonPatterns([source]).source
    found = trim(whole, wholes_of(whole, scales.counter.labels), scales)
    assert found.pattern in (whole, whole.within([0, 1, 2]), whole.within([0, 1, 2, 3]), whole.within([0, 1, 2, 4]))


def test_a_planted_house_is_what_is_left():
    inside = [planted(seed, HOUSE, 5) for seed in range(8)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 28)]
    whole = CommonPatterns(inside[:1]).source

    def left(roof):
        scales = scales_of([*inside, *outside], 8, [2.0] * 4 + [roof] + [-1.0] * 8)
        return trim(whole, wholes_of(whole, scales.counter.labels), scales)

    house = left(roof=4.0)
    assert house.pattern == whole.within(range(5))
    assert house.found.shares == (1.0, 0.0)
    assert house.weight == pytest.approx(1 + 12 / np.sqrt(5))
    square = left(roof=2.0)  # the house weighs 1 + 10 / sqrt(5), not a tenth more
    assert square.pattern == whole.within(range(4))
    assert square.weight == pytest.approx(1 + 8 / np.sqrt(4))


def test_a_ring_that_is_too_large_is_cut_and_a_node_stays_one():
    ring = undirected(6, ring_edges(*range(6)), [0] * 6)
    whole = CommonPatterns([ring]).source
    scales = scales_of([ring, ring], 1, [0.0] * 6)
    cut = trim(whole, wholes_of(whole, [0] * 6), scales, 4).pattern
    assert len(cut) == 4
    assert is_connected(cut.nodes, cut.edges)
    alone = Pattern(frozenset([2]), frozenset())
    assert trim(alone, wholes_of(alone, [0] * 6), scales).pattern == alone


# ---- surroundings ---------------------------------------------------------------------------------------------------


def test_a_ring_that_had_to_give_way_comes_back():
    """Both graphs have a square; the consensus walked three of its sides and down a tail."""
    edges = [*ring_edges(0, 1, 2, 3), *path_edges(3, 4, 5)]
    source, plain = undirected(6, edges, [0] * 6), undirected(7, path_edges(*range(7)), [0] * 7)
    ground = CommonPatterns([source, source])
    walked = Pattern(frozenset(range(6)), ground.source.edges - {(0, 3)})
    scales = scales_of([source, source, plain, plain], 2, [1.0] * 4 + [-1.0] * 2)
    units = wholes_of(walked, [0] * 6)
    assert trim(walked, units, scales).found.information == 0.0  # a path is everywhere
    found = trim(walked, units, scales, None, Surroundings(ground, [0] * 6, 1))
    assert found.pattern == ground.source.within(range(4))
    assert found.found.information == 1.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3), st.one_of(st.none(), st.integers(1, 5)))
def test_a_part_of_the_surroundings_is_common(seed, k, max_nodes):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    ground, start = CommonPatterns(graphs[:k]), 0
    consensus = ground.largest(start)
    if consensus is None:
        return
    labels = graphs[0].x.argmax(dim=1).tolist()
    units, contributions = wholes_of(consensus.pattern, labels), rng.normal(size=graphs[0].num_nodes)
    alone = trim(consensus.pattern, units, scales_of(graphs, 6, contributions), max_nodes)
    scales = scales_of(graphs, 6, contributions)
    found = trim(consensus.pattern, units, scales, max_nodes, Surroundings(ground, labels, start))
    assert is_connected(found.pattern.nodes, found.pattern.edges)
    assert all(embeddings(found.pattern.nodes, found.pattern.edges, graphs[0], graph) for graph in graphs[:k])
    assert max_nodes is None or len(found.pattern) <= max_nodes
    # More to choose from never makes the choice lighter, but for the slack.
    assert found.weight >= alone.weight - 0.1 * abs(alone.weight) - 1e-9 or len(found.pattern) <= len(alone.pattern)


# ---- closing --------------------------------------------------------------------------------------------------------


def closing(graphs, num_inside, k, consensus=None, max_nodes=None):
    ground = CommonPatterns(graphs[:k])
    counter = PatternCounter(EncodedGraphs(graphs), 0, np.arange(num_inside), np.arange(num_inside, len(graphs)))
    pattern = consensus or ground.largest(0).pattern
    return Closing(ground, pattern, wholes_of(pattern, counter.labels), counter, max_nodes), ground


def test_the_roof_comes_back_and_the_backbone_does_not():
    inside = [planted(seed, HOUSE, 5) for seed in range(6)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 26)]
    whole = CommonPatterns(inside[:1]).source
    house, square = whole.within(range(5)), whole.within(range(4))
    closer, _ = closing([*inside, *outside], 6, 3, consensus=house)
    assert closer.close(square) == [square, house]
    assert closer.close(house) == [house]


def test_a_missing_edge_comes_back():
    inside = [planted(seed, HOUSE, 5) for seed in range(6)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 26)]
    whole = CommonPatterns(inside[:1]).source
    house = whole.within(range(5))
    # Without a wall it is a triangle with a tail, which no graph of the others has: all six contain the house too.
    open_house = Pattern(house.nodes, house.edges - {(2, 3)})
    closer, _ = closing([*inside, *outside], 6, 3, consensus=house)
    assert closer.close(open_house)[-1] == house


def test_no_more_nodes_than_allowed():
    inside = [planted(seed, HOUSE, 5) for seed in range(6)]
    outside = [planted(seed, path_edges(0, 1, 2, 3, 4), 5) for seed in range(20, 26)]
    whole = CommonPatterns(inside[:1]).source
    closer, _ = closing([*inside, *outside], 6, 3, consensus=whole.within(range(5)), max_nodes=4)
    assert closer.close(whole.within(range(4))) == [whole.within(range(4))]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_closing_adds_what_all_have_and_loses_no_graph(seed, k):
    rng = np.random.default_rng(seed)
    graphs = [connected_graph(rng, 7) for _ in range(12)]
    ground = CommonPatterns(graphs[:k])
    consensus = ground.largest_of_all()
    if consensus is None or len(consensus.pattern) < 2:
        return
    units = wholes_of(consensus.pattern, graphs[0].x.argmax(dim=1).tolist())
    part = consensus.pattern.within(units[int(rng.integers(len(units)))])
    closer, _ = closing(graphs, 7, k, consensus=consensus.pattern)
    path = closer.close(part)
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
            assert bits >= LEAST_INFORMATION
    # Nothing that could be added is left: edges between its nodes are the simplest case.
    last = path[-1]
    for edge in ground.source.within(last.nodes).edges - last.edges:
        more = Pattern(last.nodes, last.edges | {edge})
        assert where(more, range(k)) != list(range(k)) or where(more, range(7)) != where(last, range(7))
