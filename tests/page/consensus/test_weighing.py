import numpy as np
import pytest

from protograph.page.consensus.counting import information
from protograph.page.consensus.weighing import PartWeigher, weight_of
from protograph.patterns.common_subgraph import CommonPatterns
from protograph.patterns.pattern import Subgraph
from tests.page.naive_patterns import path_edges, undirected
from tests.page.planted import counter_of, weigher_of


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


def test_uninformed_a_part_weighs_what_it_carries():
    graphs = [undirected(2, [(0, 1)], [0, 1]), undirected(2, [], [0, 1])]
    weigher = PartWeigher(counter_of(graphs, 1), np.array([3.0, -1.0]), is_informed=False)
    assert weigher.weigh(Subgraph(frozenset([0]), frozenset())).weight == 4.0  # it is everywhere, and tells nothing
    assert weigher.weigh(Subgraph(frozenset([1]), frozenset())).weight == 1.0
    assert weigher.weight(0.0, frozenset([0])) == 4.0


@pytest.mark.parametrize(
    ("bits", "excess", "expected"),
    [(0.5, 2.0, 1.5), (0.5, 0.0, 0.5), (0.5, -3.0, 0.5), (0.0, 9.0, 0.0), (-0.5, 2.0, -1.5), (-0.5, -2.0, -0.5)],
)
def test_what_carries_the_class_counts_for_more_and_what_does_not_for_no_less(bits, excess, expected):
    assert weight_of(bits, excess) == expected


def test_excess_is_in_standard_errors():
    """A part of four nodes that lie 1 above the mean each is as sure as a single node 2 above it."""
    graph = undirected(5, path_edges(*range(5)), [0] * 5)
    weigher = weigher_of([graph], 1, [1.0, 1.0, 1.0, 1.0, 2.0])
    assert weigher.excess(frozenset(range(4))) == pytest.approx(2.0)
    assert weigher.excess(frozenset([4])) == pytest.approx(2.0)


def test_a_larger_part_is_looked_for_only_where_the_smaller_one_is():
    edge, node = undirected(2, [(0, 1)], [0, 0]), undirected(1, [], [0])
    weigher = weigher_of([edge, edge, node, edge], 2, [1.0, 1.0])
    source = CommonPatterns([edge]).source
    smaller = weigher.weigh(source.within([0]))
    assert smaller.occurrence.outside.tolist() == [True, True]
    larger = weigher.weigh(source, smaller)
    assert larger.occurrence.inside.tolist() == [True, True]
    assert larger.occurrence.outside.tolist() == [False, True]
