import pytest
from hypothesis import given, settings

import protograph as pg
from protograph.page.options import SearchOptions
from protograph.page.walk.prototype import common_size
from tests import zoo
from tests.page.naive_patterns import (
    every_common_pattern,
    groups_of_graphs,
    path_edges,
    ring_edges,
    undirected,
    worth_of,
)


@settings(max_examples=40, deadline=None)
@given(groups_of_graphs(2, 3, max_nodes=5))
def test_a_walk_is_as_long_as_what_the_graphs_have_in_common(graphs):
    every = every_common_pattern(graphs)
    most = max(map(worth_of, every), default=0)
    sizes = {len(nodes) for nodes, edges in every if worth_of((nodes, edges)) == most} or {0}
    assert common_size(graphs, SearchOptions()) in {max(2, size) for size in sizes}


def test_by_hand():
    path = undirected(6, path_edges(*range(6)), [0] * 6)
    ring = undirected(4, ring_edges(*range(4)), [0] * 4)
    other = undirected(4, ring_edges(*range(4)), [1] * 4)
    assert common_size([path, ring], SearchOptions()) == 4
    assert common_size([ring, path], SearchOptions()) == 4
    assert common_size([ring, other], SearchOptions()) == 2  # nothing in common, but a walk needs a step
    assert common_size([ring, other], SearchOptions(match_features=False)) == 4
    bonds = [undirected(3, path_edges(0, 1, 2), [0] * 3, [0, bond]) for bond in (0, 1)]
    assert common_size(bonds, SearchOptions()) == 3
    assert common_size(bonds, SearchOptions(match_edges=True)) == 2


@pytest.mark.parametrize(("size", "expected"), [(1, 2), (2, 2), (4, 2), (5, 3), (9, 5)])
def test_a_single_graph_has_half_of_its_nodes(size, expected):
    assert common_size([undirected(size, path_edges(*range(size)), [0] * size)], SearchOptions()) == expected


@pytest.mark.parametrize("num_graphs", [1, 2, 3])
def test_prototypes_keep_to_it(num_graphs):
    graphs = zoo.random_graphs(60)
    explainer = pg.PAGE(search="walk", num_clusters=1, num_graphs=num_graphs).fit(zoo.make(), graphs)
    for explanation in explainer.explain_all().values():
        for prototype in explanation.prototypes:
            sources = [graphs[index] for index in prototype.sources]
            assert prototype.num_nodes <= common_size(sources, SearchOptions())
            assert prototype.evidence.num_in_class > 0
            assert prototype.evidence.steps == ()
