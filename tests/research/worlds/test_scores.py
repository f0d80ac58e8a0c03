from dataclasses import replace
from types import SimpleNamespace

from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.motifs import HOUSE, K4, RING5, TRIANGLE, path, ring
from research.paper.worlds.planting import pattern_graph
from research.paper.worlds.scores import (
    found_reasons,
    is_found,
    is_found_graph,
    is_same_pattern,
    is_same_reason,
    prototype_accuracy,
)


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


def told(prototypes=(), reasons=()):
    return SimpleNamespace(prototypes=[SimpleNamespace(graph=one) for one in prototypes], reasons=tuple(reasons))


def test_a_reason_is_found_as_a_reason_or_as_a_prototype_of_one_part():
    world = WORLDS["house-tree"]
    [(_, wanted)] = world.reasons
    house, ring5 = (pattern_graph(one, 0, 0) for one in (HOUSE, RING5))
    assert is_found(world, wanted, told(reasons=[reason([ours(HOUSE, world)])]))
    assert is_found(world, wanted, told([ring5, house]))
    assert not is_found(world, wanted, told([ring5]))


def test_no_prototype_tells_counts_chords_or_what_is_lacking():
    for name, sketch in (("two-triangles-tree", TRIANGLE), ("ring-not-house-tree", RING5), ("no-k4-tree", K4)):
        world = WORLDS[name]
        wanted = world.reasons[-1][1]
        assert not is_found(world, wanted, told([pattern_graph(sketch, 0, 0)]))


def test_a_truth_is_found_to_the_node():
    truth, other = pattern_graph(path(0, 1, 0), 2, 0), pattern_graph(path(1, 0, 0), 2, 0)
    assert is_found_graph(truth, told([other, truth]))
    assert not is_found_graph(truth, told([other]))
    pattern = SimpleNamespace(graph=truth)
    assert is_found_graph(truth, told(reasons=[reason([pattern])]))
    assert not is_found_graph(truth, told(reasons=[reason([pattern], lacks=[pattern])]))
    assert not is_found_graph(truth, told(reasons=[reason([pattern, pattern])]))
