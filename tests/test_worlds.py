"""Planted worlds: what is planted is there, and nothing else tells the classes apart."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.isomorphism import GraphMatcher

from benchmarks.motifs import HOUSE, K4, RING5, RING6, TRIANGLE, induced, part, path, ring
from benchmarks.planting import Adjacency, PlantedPattern, holds, pattern_graph
from benchmarks.world import best_cut, cues, labels_of
from benchmarks.world_scores import found_reasons, is_same_pattern, is_same_reason, prototype_accuracy
from benchmarks.worlds import WORLDS


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


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_has_graphs_of_every_way(name):
    world = replace(WORLDS[name], num_graphs=10 * len(WORLDS[name].classes))
    planted = world.make(np.random.default_rng(7))
    assert sorted(set(planted.ways.tolist())) == list(range(sum(len(one.ways) for one in world.classes)))
    assert all(12 <= graph.num_nodes <= 40 for graph in planted.graphs)


def test_the_same_seed_gives_the_same_graphs():
    world = replace(WORLDS["alternating-square"], num_graphs=20)
    first, second = (world.make(np.random.default_rng(7)) for _ in range(2))
    for one, other in zip(first.graphs, second.graphs, strict=True):
        assert all(one[key].equal(other[key]) for key in ("x", "edge_index", "edge_attr", "y"))


@pytest.mark.parametrize("name", ["house-tree", "four-colours-tree"])
def test_plain_numbers_do_not_tell_the_classes_apart(name):
    graphs = replace(WORLDS[name], num_graphs=300).make(np.random.default_rng(0)).graphs
    assert {
        cue: best for cue, values in cues(graphs).items() if (best := best_cut(values, labels_of(graphs))) > 0.7
    } == {}


def ours(sketch, world, **options):
    graph = pattern_graph(sketch, len(world.ground.palette), len(world.ground.edge_palette))
    rule = SimpleNamespace(is_matched=bool(sketch.edge_kinds))
    return SimpleNamespace(**{"graph": graph, "kind": "part", "closed": (), "at_least": 1, "edge_rule": rule} | options)


def reason(has=(), lacks=(), unless=()):
    return SimpleNamespace(has=tuple(has), lacks=tuple(lacks), unless=tuple(unless))


def test_a_pattern_is_the_planted_one_in_graph_kind_and_count():
    world = WORLDS["two-triangles-tree"]
    [(_, wanted)] = world.reasons
    assert is_same_pattern(wanted.has[0], ours(TRIANGLE, world, at_least=2), world)
    assert is_same_pattern(wanted.has[0], ours(TRIANGLE, world, at_least=2, kind="induced"), world)  # it is complete
    assert not is_same_pattern(wanted.has[0], ours(TRIANGLE, world), world)
    assert not is_same_pattern(wanted.has[0], ours(RING5, world, at_least=2), world)


def test_an_induced_pattern_is_not_a_part():
    world = WORLDS["ring-not-house-tree"]
    [(_, wanted)] = world.reasons
    assert is_same_pattern(wanted.has[0], ours(RING5, world, kind="induced"), world)
    assert not is_same_pattern(wanted.has[0], ours(RING5, world), world)


def test_closed_nodes_lie_where_they_are_planted():
    world = WORLDS["two-blue-neighbours-tree"]
    [(_, wanted)] = world.reasons
    assert is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world, closed=(1,)), world)
    assert not is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world, closed=(0,)), world)
    assert not is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world), world)


def test_colours_count_where_the_world_has_them():
    world = WORLDS["k4-ba1-colours"]
    [(_, wanted)] = world.reasons
    sketch = wanted.has[0].sketch
    assert is_same_pattern(wanted.has[0], ours(sketch, world), world)
    assert not is_same_pattern(wanted.has[0], ours(replace(sketch, colours=(0,) * 4), world), world)


def test_both_of_two_in_any_order():
    world = WORLDS["house-and-k4-tree"]
    [(label, wanted)] = world.reasons
    both = reason([ours(K4, world), ours(HOUSE, world)])
    assert is_same_reason(wanted, both, world)
    assert not is_same_reason(wanted, reason([ours(K4, world)]), world)
    assert found_reasons(world, {label: SimpleNamespace(reasons=(both,))}) == [True]
    assert found_reasons(world, {1 - label: SimpleNamespace(reasons=(both,))}) == [False]


def test_what_is_lacked_may_be_told_by_the_others_reasons():
    world = WORLDS["no-k4-tree"]
    (_, has_k4), (_, lacks_k4) = world.reasons
    k4, house = ours(K4, world), ours(HOUSE, world)
    assert is_same_reason(lacks_k4, reason(lacks=[k4]), world)
    assert is_same_reason(lacks_k4, reason(unless=[reason([k4])]), world)
    assert is_same_reason(lacks_k4, reason(lacks=[k4], unless=[reason([k4, house])]), world)
    assert not is_same_reason(lacks_k4, reason(unless=[reason([k4, house])]), world)
    assert not is_same_reason(lacks_k4, reason(unless=[reason([house])]), world)
    assert not is_same_reason(has_k4, reason(unless=[reason([k4])]), world)


def test_prototypes_are_held_against_the_motifs_of_their_class():
    world = WORLDS["red-triangle-tree"]
    right, wrong = (SimpleNamespace(graph=pattern_graph(one, 5, 0)) for one in (ring(3, 0, 0, 1), ring(3, 0, 1, 1)))
    explanations = {1: SimpleNamespace(prototypes=[right, wrong]), 0: SimpleNamespace(prototypes=[wrong])}
    assert prototype_accuracy(world, explanations) == 0.5
    assert prototype_accuracy(world, {0: SimpleNamespace(prototypes=[wrong])}) is None
