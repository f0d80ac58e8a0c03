from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from protograph.explanation.describing.pattern_words import trails


@st.composite
def connected(draw):
    size = draw(st.integers(1, 7))
    tree = {(draw(st.integers(0, node - 1)), node) for node in range(1, size)}
    pairs = [(u, v) for v in range(size) for u in range(v)]
    return size, sorted(tree | set(draw(st.lists(st.sampled_from(pairs))) if pairs else ()))


@given(connected())
def test_every_edge_is_gone_along_once_and_walks_hang_together(graph):
    size, edges = graph
    walks = trails(size, edges)
    gone = Counter((min(pair), max(pair)) for walk in walks for pair in pairwise(walk))
    assert gone == Counter(edges)
    assert {node for walk in walks for node in walk} == set(range(size))
    seen = set(walks[0])
    for walk in walks[1:]:
        assert walk[0] in seen
        seen.update(walk)
