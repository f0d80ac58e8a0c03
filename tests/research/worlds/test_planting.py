"""What is planted is where networkx finds it."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import GraphMatcher

from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.motifs import HOUSE, K4, RING5, RING6, TRIANGLE, induced, part, path
from research.paper.worlds.planting import Adjacency, PlantedPattern, holds, pattern_graph


def adjacency(sketch):
    return Adjacency.of(sketch)


def test_a_part_may_have_chords_and_an_induced_pattern_not():
    assert holds(part(RING5), adjacency(HOUSE))
    assert not holds(induced(RING5), adjacency(HOUSE))
    assert not holds(part(RING6), adjacency(HOUSE))


def test_places_with_the_same_nodes_are_one():
    assert holds(part(TRIANGLE, 4), adjacency(K4))
    assert not holds(part(TRIANGLE, 5), adjacency(K4))
    assert not holds(part(TRIANGLE, 2), adjacency(TRIANGLE))


def test_a_closed_node_has_no_other_neighbour():
    pair = PlantedPattern(sketch=path(0, 1), closed=(1,))
    assert holds(pair, adjacency(path(1, 0, 2)))
    assert not holds(pair, adjacency(path(0, 1, 2)))


@pytest.mark.parametrize("name", ["house-tree", "star-er", "alternating-square", "two-red-triangles-ba1"])
def test_parts_are_where_networkx_finds_them(name):
    world = replace(WORLDS[name], num_graphs=20)
    [(label, reason)] = world.reasons
    wanted = as_networkx(pattern_graph(reason.has[0].sketch, len(world.ground.palette), len(world.ground.edge_palette)))
    for graph in world.make(np.random.default_rng(3)).graphs:
        whole = as_networkx(graph)
        if not nx.get_node_attributes(wanted, "row"):
            whole.add_nodes_from((node, {"row": None}) for node in whole)
        matcher = GraphMatcher(
            whole,
            wanted,
            node_match=lambda a, b: "row" not in b or a["row"] == b["row"],
            edge_match=lambda a, b: "row" not in b or a["row"] == b["row"],
        )
        places = {frozenset(mapping) for mapping in matcher.subgraph_monomorphisms_iter()}
        assert (len(places) >= reason.has[0].at_least) == (int(graph.y) == label)


def as_networkx(graph):
    result = nx.Graph()
    for node in range(graph.num_nodes):
        result.add_node(node, **({} if graph.x is None else {"row": tuple(graph.x[node].tolist())}))
    for number, (u, v) in enumerate(graph.edge_index.T.tolist()):
        result.add_edge(u, v, **({} if graph.edge_attr is None else {"row": tuple(graph.edge_attr[number].tolist())}))
    return result
