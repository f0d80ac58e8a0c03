import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.explanation import Pattern as ReasonPattern
from protograph.graphs.conditions import Reading, equal_to
from protograph.page.reasons.conditions import FULL, MAIN, SHAPE, Condition
from protograph.patterns import subgraph_isomorphism
from protograph.patterns.pattern import Subgraph
from tests.explanation.by_hand import naive_pattern
from tests.page.naive_patterns import groups_of_graphs, path_edges, undirected
from tests.page.reasons.by_hand import KINDS, TRIANGLE, condition, reader_of


@st.composite
def conditions_of(draw, graphs):
    """A condition cut from one of the graphs, of up to four nodes."""
    source = draw(st.integers(0, len(graphs) - 1))
    graph = graphs[source]
    whole = {(u, v) for u, v in graph.edge_index.T.tolist() if u < v}
    nodes, edges = {draw(st.integers(0, graph.num_nodes - 1))}, set()
    for _ in range(draw(st.integers(0, 4))):
        around = sorted(ends for ends in whole - edges if set(ends) & nodes and len(nodes | set(ends)) <= 4)
        if around:
            ends = draw(st.sampled_from(around))
            nodes, edges = nodes | set(ends), edges | {ends}
    return Condition(
        source,
        Subgraph(frozenset(nodes), frozenset(edges)),
        level=draw(st.sampled_from([SHAPE, FULL])),
        is_induced=draw(st.booleans()),
        closed=frozenset(draw(st.sets(st.sampled_from(sorted(nodes)), max_size=2))),
        at_least=draw(st.integers(1, 3)),
    )


def as_pattern(one, graphs):
    """A condition as the pattern that users get, by hand."""
    order = sorted(one.pattern.nodes)
    kinds = graphs[one.source].x.argmax(dim=1)[order].tolist() if one.level else None
    return ReasonPattern(
        graph=undirected(len(order), [(order.index(u), order.index(v)) for u, v in one.pattern.edges], kinds),
        node_reading=KINDS if one.level else Reading(),
        node_conditions=() if kinds is None else tuple(equal_to([float(kind)], KINDS) for kind in kinds),
        kind="induced" if one.is_induced else "part",
        closed=tuple(sorted(order.index(node) for node in one.closed)),
        at_least=one.at_least,
    )


@settings(max_examples=30, deadline=None)
@given(groups_of_graphs(max_nodes=5), st.data())
def test_a_condition_holds_where_trying_everything_says_so(graphs, data):
    one = data.draw(conditions_of(graphs))
    indices = np.array(data.draw(st.lists(st.integers(0, len(graphs) - 1), max_size=4, unique=True)), dtype=np.int64)
    reader = reader_of(graphs)
    expected = [naive_pattern(as_pattern(one, graphs), graphs[index]) for index in indices]
    assert reader.holds(one, indices).tolist() == expected
    assert reader.holds(one, indices).tolist() == expected  # as it was said before


@pytest.mark.parametrize("is_induced", [True, False])
def test_each_graph_is_asked_once(monkeypatch, is_induced):
    """Of plain patterns also where they are given with other numbers."""
    asked = []
    original = subgraph_isomorphism._searched

    def spy(graphs, plan, indices, max_calls):
        if graphs.nodes.size == 5:  # the four graphs, not a pattern
            asked.append(indices.tolist())
        return original(graphs, plan, indices, max_calls)

    monkeypatch.setattr(subgraph_isomorphism, "_searched", spy)
    reader = reader_of([undirected(3, TRIANGLE, [0] * 3), undirected(3, path_edges(0, 1, 2), [0] * 3)] * 2)
    triangle = condition(TRIANGLE, is_induced=is_induced)
    assert reader.holds(triangle, np.array([2, 0])).tolist() == [True, True]
    assert reader.holds(triangle, np.array([0, 1, 2])).tolist() == [True, False, True]
    again = condition(TRIANGLE, is_induced=is_induced, source=0 if is_induced else 2)
    assert reader.holds(again, np.arange(4)).tolist() == [True, False, True, False]
    assert asked == [[2, 0], [1], [3]]


@pytest.mark.parametrize(
    "options", [{"is_induced": True}, {"closed": frozenset({0})}, {"at_least": 2}, {"level": SHAPE}]
)
def test_the_plain_pattern_with_few_nodes_is_the_simplest(options):
    pair, triangle = condition([(0, 1)], level=MAIN), condition(TRIANGLE, level=MAIN)
    assert (pair.complexity, triangle.complexity) == (pytest.approx(1.1), pytest.approx(1.15))
    assert condition([(0, 1)], **{"level": MAIN} | options).complexity == pytest.approx(1.6)
    # Of more variables there is more to say.
    assert pair.complexity < condition([(0, 1)]).complexity < triangle.complexity
