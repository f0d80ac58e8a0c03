from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import spanning
from protograph.patterns.spanning import spanning_parts
from protograph.patterns.subgraph_isomorphism import contains
from tests.page.naive_patterns import path_edges, ring_edges, undirected


@st.composite
def rivals(draw, max_nodes=5):
    """Graphs with the same kinds of nodes, in any order."""
    size = draw(st.integers(1, max_nodes))
    kinds = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    pairs = list(combinations(range(size), 2))
    graphs = []
    for _ in range(draw(st.integers(1, 5))):
        edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
        bonds = draw(st.lists(st.integers(0, 2), min_size=len(edges), max_size=len(edges)))
        graphs.append(undirected(size, edges, draw(st.permutations(kinds)), bonds))
    return graphs


@settings(max_examples=60, deadline=None)
@given(rivals(), st.booleans(), st.booleans())
def test_a_graph_is_in_another_where_the_search_says_so(graphs, match_edges, has_masks):
    encoded = EncodedGraphs(graphs, match_edges=match_edges)
    ones = [encoded[index] for index in range(len(graphs))]
    expected = [
        [other for other, whole in enumerate(ones) if other != place and contains(whole, one) == 1]
        for place, one in enumerate(ones)
    ]
    with pytest.MonkeyPatch.context() as patch:
        if not has_masks:  # as with so many kinds of edges that a mask has too few bits
            patch.setattr(spanning, "_BITS", 0)
        assert spanning_parts(ones) == expected


def test_by_hand():
    edges = [path_edges(0, 1, 2, 3), ring_edges(2, 0, 3, 1), list(combinations(range(4), 2)), [(0, 1), (0, 2), (0, 3)]]
    encoded = EncodedGraphs([undirected(4, own, [0] * 4) for own in edges])
    assert spanning_parts([encoded[index] for index in range(4)]) == [[1, 2], [2], [], [2]]
