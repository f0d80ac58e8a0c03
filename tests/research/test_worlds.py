"""Planted worlds: graphs are as they are said to be, and what an explanation says of them is judged right."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import torch
from networkx.algorithms.isomorphism import GraphMatcher
from torch_geometric.data import Data

from research.worlds.catalogue import (
    HOUSE,
    K4,
    RING5,
    RING6,
    TRIANGLE,
    WORLDS,
    induced,
    part,
    path,
    ring,
)
from research.worlds.nets import QUICK_RECIPE, predicted, train_on_world
from research.worlds.planting import Adjacency, holds, labels_of
from research.worlds.scores import (
    found_reasons,
    is_found,
    is_found_graph,
    is_same_pattern,
    is_same_reason,
    prototype_accuracy,
)
from tests.explanation.by_hand import asking


def pattern_graph(sketch, num_colours, num_edge_kinds):
    """A sketch as the graph of a pattern: without ``x`` or ``edge_attr`` where any will do."""
    pairs = torch.tensor(sketch.edges).T
    graph = Data(edge_index=torch.cat([pairs, pairs.flip(0)], dim=1), num_nodes=sketch.num_nodes)
    if sketch.colours:
        graph.x = torch.eye(num_colours)[list(sketch.colours)]
    if sketch.edge_kinds:
        graph.edge_attr = torch.eye(num_edge_kinds)[list(sketch.edge_kinds) * 2]
    return graph


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_has_graphs_of_every_way(name):
    world = replace(WORLDS[name], num_graphs=4 * len(WORLDS[name].classes))
    planted = world.make(np.random.default_rng(7))
    assert set(planted.ways.tolist()) <= set(range(sum(len(one.ways) for one in world.classes)))
    assert np.bincount(labels_of(planted.graphs)).tolist() == [4] * len(world.classes)
    assert all(12 <= graph.num_nodes <= 40 for graph in planted.graphs)


def adjacency(sketch):
    return Adjacency.of(sketch)


def test_a_part_may_have_chords_and_an_induced_pattern_not():
    assert holds(part(RING5), adjacency(HOUSE))
    assert not holds(induced(RING5), adjacency(HOUSE))
    assert not holds(part(RING6), adjacency(HOUSE))


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


def ours(sketch, world, **options):
    colours, edge_kinds = (
        tuple(map(str, range(len(one)))) for one in (world.ground.palette, world.ground.edge_palette)
    )
    graph = pattern_graph(sketch, len(colours), len(edge_kinds))
    return asking(graph, colours if sketch.colours else (), edge_kinds if sketch.edge_kinds else (), **options)


def reason(has=(), lacks=(), unless=()):
    return SimpleNamespace(has=tuple(has), lacks=tuple(lacks), unless=tuple(unless))


def test_a_pattern_is_the_planted_one_in_graph_kind_and_count():
    world = WORLDS["two-triangles-tree"]
    [(_, wanted)] = world.reasons
    assert is_same_pattern(wanted.has[0], ours(TRIANGLE, world, at_least=2))
    assert is_same_pattern(wanted.has[0], ours(TRIANGLE, world, at_least=2, kind="induced"))  # it is complete
    assert not is_same_pattern(wanted.has[0], ours(TRIANGLE, world))
    assert not is_same_pattern(wanted.has[0], ours(RING5, world, at_least=2))


def test_closed_nodes_lie_where_they_are_planted():
    world = WORLDS["two-blue-neighbours-tree"]
    [(_, wanted)] = world.reasons
    assert is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world, closed=(1,)))
    assert not is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world, closed=(0,)))
    assert not is_same_pattern(wanted.has[0], ours(path(1, 0, 1), world))


def test_both_of_two_in_any_order():
    world = WORLDS["house-and-k4-tree"]
    [(label, wanted)] = world.reasons
    both = reason([ours(K4, world), ours(HOUSE, world)])
    assert is_same_reason(wanted, both)
    assert not is_same_reason(wanted, reason([ours(K4, world)]))
    assert found_reasons(world, {label: SimpleNamespace(reasons=(both,))}) == [True]
    assert found_reasons(world, {1 - label: SimpleNamespace(reasons=(both,))}) == [False]


def test_what_is_lacked_may_be_told_by_the_others_reasons():
    world = WORLDS["no-k4-tree"]
    (_, has_k4), (_, lacks_k4) = world.reasons
    k4, house = ours(K4, world), ours(HOUSE, world)
    assert is_same_reason(lacks_k4, reason(lacks=[k4]))
    assert is_same_reason(lacks_k4, reason(unless=[reason([k4])]))
    assert is_same_reason(lacks_k4, reason(lacks=[k4], unless=[reason([k4, house])]))
    assert not is_same_reason(lacks_k4, reason(unless=[reason([k4, house])]))
    assert not is_same_reason(lacks_k4, reason(unless=[reason([house])]))
    assert not is_same_reason(has_k4, reason(unless=[reason([k4])]))


def test_prototypes_are_held_against_the_motifs_of_their_class():
    world = WORLDS["red-triangle-tree"]
    right, wrong = (SimpleNamespace(graph=pattern_graph(one, 5, 0)) for one in (ring(3, 0, 0, 1), ring(3, 0, 1, 1)))
    explanations = {1: SimpleNamespace(prototypes=[right, wrong]), 0: SimpleNamespace(prototypes=[wrong])}
    assert prototype_accuracy(world, explanations) == 0.5
    assert prototype_accuracy(world, {0: SimpleNamespace(prototypes=[wrong])}) is None


def told(prototypes=(), reasons=()):
    return SimpleNamespace(prototypes=[SimpleNamespace(graph=one) for one in prototypes], reasons=tuple(reasons))


def test_a_reason_is_found_as_a_reason_or_as_a_prototype_of_one_part():
    world = WORLDS["house-tree"]
    [(_, wanted)] = world.reasons
    house, ring5 = (pattern_graph(one, 0, 0) for one in (HOUSE, RING5))
    assert is_found(wanted, told(reasons=[reason([ours(HOUSE, world)])]))
    assert is_found(wanted, told([ring5, house]))
    assert not is_found(wanted, told([ring5]))


def test_a_truth_is_found_to_the_node():
    truth, other = pattern_graph(path(0, 1, 0), 2, 0), pattern_graph(path(1, 0, 0), 2, 0)
    assert is_found_graph(truth, told([other, truth]))
    assert not is_found_graph(truth, told([other]))
    pattern = asking(truth, ("red", "blue"))
    assert is_found_graph(truth, told(reasons=[reason([pattern])]))
    assert is_found_graph(truth, told(reasons=[reason([asking(truth)])]))
    assert not is_found_graph(truth, told(reasons=[reason([asking(other, ("red", "blue"))])]))
    assert not is_found_graph(truth, told(reasons=[reason([pattern], lacks=[pattern])]))
    assert not is_found_graph(truth, told(reasons=[reason([pattern, pattern])]))


def test_models_are_trained_on_four_fifths_and_judged_on_the_others():
    world = replace(WORLDS["red-path-ba1"], num_graphs=60)
    one, again = (train_on_world(world, 3, "gin", "sum", QUICK_RECIPE) for _ in range(2))
    assert sorted([*one.train, *one.test]) == list(range(60))
    assert (len(one.train), one.accuracy, one.least_recall) == (48, again.accuracy, again.least_recall)
    outside = [one.graphs[i] for i in one.test]
    assert one.accuracy == (predicted(one.model, outside) == labels_of(outside)).mean()
