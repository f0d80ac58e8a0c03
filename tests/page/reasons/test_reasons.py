import re
from dataclasses import replace
from functools import cache
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import Support
from protograph.explanation.rule import KEPT_APART
from protograph.page.reasons import reasons as module
from protograph.page.reasons.scope import Parts, divided
from tests.metrics.by_hand import Linear
from tests.page.naive_patterns import undirected
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import (
    K4,
    NOTHING,
    PLAIN,
    RED,
    SQUARE,
    TRIANGLE,
    Counts,
    count_world,
    either_world,
    fitted,
    house_world,
    k4_world,
    look,
    reasons_of,
    rule_look,
    shape_of,
    world,
)

WORLDS = {
    "house": (house_world, {}),
    "K4": (k4_world, {"corner": 2}),
    "two triangles": (count_world, {"threshold": 1.5}),
    "either of two": (either_world, {"pairs": 1.0}),
}
PLANTED = {
    "house": [shape_of(5, HOUSE, PLAIN)],
    "K4": [shape_of(4, K4, PLAIN)],
    "two triangles": [shape_of(3, TRIANGLE, PLAIN, at_least=2)],
    "either of two": [shape_of(5, HOUSE, PLAIN), shape_of(2, [(0, 1)], RED)],
}
every_world = pytest.mark.parametrize("name", WORLDS)


@cache
def case(name):
    """The graphs of a world, a model that decides as it should, and the reasons of both classes."""
    build, options = WORLDS[name]
    graphs, model = build(), Counts(**options)
    return graphs, model, reasons_of(model, graphs)


@cache
def predictions(name):
    graphs, model, _ = case(name)
    return fitted(model, graphs).embedded.predictions


@every_world
def test_the_reasons_are_those_that_were_planted(name):
    _, _, found = case(name)
    has = [rule[0] for rule in rule_look(found.of_class[1])]
    assert sorted(has) == sorted([pattern] for pattern in PLANTED[name])
    assert all(not reason.lacks and not reason.unless for reason in found.of_class[1])
    # The others have nothing of their own: they lack it, whether that is said as a reason or as what is left.
    (reason,) = found.of_class[0]
    assert not reason.has
    assert sorted(rule_look([reason])[0][1]) == sorted(PLANTED[name])


@every_world
def test_supports_are_what_plain_loops_count(name):
    graphs, _, found = case(name)
    for target, reasons in found.of_class.items():
        is_class = predictions(name) == target
        for reason in reasons:
            holds = reason.holds(graphs)
            assert reason.holds_in_indices == tuple(np.flatnonzero(holds).tolist())
            for part, support in enumerate((reason.searched, reason.confirming, reason.kept_apart)):
                own = np.equal(found.part_of_each, part)
                assert support == Support(
                    num_in_class=int((holds & is_class & own).sum()),
                    num_class=int((is_class & own).sum()),
                    num_elsewhere=int((holds & ~is_class & own).sum()),
                    num_others=int((~is_class & own).sum()),
                )


@every_world
def test_every_example_is_predicted_as_its_class_and_holds_its_reason(name):
    graphs, model, found = case(name)
    for target, reasons in found.of_class.items():
        for reason in reasons:
            example = reason.example
            source = graphs[example.source]
            assert predictions(name)[example.source] == target
            assert example.source in reason.holds_in_indices
            assert reason.holds([example.graph]).tolist() == [True]
            scores = model(example.graph.x, example.graph.edge_index, torch.zeros(len(example.nodes), dtype=torch.long))
            assert scores.argmax().item() == target
            assert example.probability == pytest.approx(scores.softmax(1)[0, target].item(), abs=1e-5)
            assert torch.equal(example.graph.x, source.x[list(example.nodes)])
            assert example.is_whole == (len(example.nodes) == source.num_nodes)
            marked = [pattern for pattern in reason.has for _ in range(pattern.at_least)]
            for pattern, place in zip(marked, example.marked, strict=True):
                edges = {frozenset(ends) for ends in example.graph.edge_index.T.tolist()}
                assert {frozenset((place[u], place[v])) for u, v in pattern.edges} <= edges
                assert torch.equal(example.graph.x[list(place)], pattern.graph.x)


def shuffled(name, seed):
    """The same graphs and nodes in another order."""
    graphs, _, _ = case(name)
    rng = np.random.default_rng(seed)
    result = []
    for index in rng.permutation(len(graphs)):
        order = torch.tensor(rng.permutation(graphs[index].num_nodes))
        x = torch.empty_like(graphs[index].x)
        x[order] = graphs[index].x
        result.append(Data(x=x, edge_index=order[graphs[index].edge_index]))
    return result


@pytest.mark.parametrize(("name", "seed"), [("either of two", 2), ("two triangles", 3)])
def test_the_order_of_graphs_and_nodes_does_not_matter(name, seed):
    _, model, found = case(name)
    again = reasons_of(model, shuffled(name, seed))
    assert {t: rule_look(own) for t, own in again.of_class.items()} == {
        t: rule_look(own) for t, own in found.of_class.items()
    }


def test_the_graphs_kept_apart_are_used_for_nothing_else():
    """Whatever these graphs are, and whatever the model says of them, the rule stays: it has not seen them."""
    graphs, model, found = case("house")
    kept = set(np.flatnonzero(np.equal(found.part_of_each, KEPT_APART)).tolist())
    facts = fitted(model, graphs)
    wrong = facts.embedded.predictions.copy()
    wrong[sorted(kept)] = 1 - wrong[sorted(kept)]
    with pytest.MonkeyPatch.context() as patch:
        everything, parts = np.ones(len(graphs), np.bool_), np.array(found.part_of_each)
        patch.setattr(module, "divided", lambda *_: Parts(parts, is_first=everything, is_read=everything))
        again = module.find_reasons(replace(facts, embedded=replace(facts.embedded, predictions=wrong)))
    assert {t: rule_look(own) for t, own in again.of_class.items()} == {
        t: rule_look(own) for t, own in found.of_class.items()
    }
    assert again.of_class[1][0].kept_apart.num_in_class == 0


def test_many_copies_of_few_graphs_are_few_graphs():
    """A triangle decides, but in one of 25 graphs; what such graphs have in common is an accident, however often."""
    motifs = [(TRIANGLE, 3), NOTHING, ([(0, 1)], 2, (RED, RED)), (SQUARE, 4)]
    numbers = {True: 0, False: 0}
    for seed, counts_once in product(range(3), (True, False)):
        facts = fitted(Counts(), world(motifs, 270, seed) * 20, max_searched=750, max_confirming=180)
        predicted = facts.embedded.predictions.copy()
        predicted[np.tile(np.random.default_rng(seed).random(270) < 0.04, 20)] ^= 1

        def parts(*given, counts_once=counts_once):
            made = divided(*given)
            return made if counts_once else replace(made, is_first=np.ones_like(made.is_first))

        with patch.object(module, "divided", parts):
            found = module.find_reasons(replace(facts, embedded=replace(facts.embedded, predictions=predicted)))
        assert list(map(look, found.of_class[1][0].has)) == [shape_of(3, TRIANGLE, PLAIN)]
        assert found.of_class[1][0].lacks == ()
        numbers[counts_once] += len(found.of_class[1])
        assert np.bincount(found.part_of_each[:270]) / 270 == pytest.approx([0.7, 0.15, 0.15], abs=0.01)
        (note,) = found.notes
        searched, known = (int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", note)[::2])
        assert 750 <= searched <= 750 + 270
        assert known <= 180 + 41
    assert numbers == {True: 5, False: 6}


def test_graphs_without_a_reason_are_named_the_most_typical_first():
    graphs, model, _ = case("house")
    embedded = fitted(model, graphs).embedded
    found = reasons_of(model, graphs, chance=1e-12)  # nothing is confirmed
    assert found.of_class == {0: (), 1: ()}
    for target in (0, 1):
        own = np.flatnonzero(embedded.predictions == target)
        points = embedded.graph_embeddings[own]
        distances = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        assert found.typical_uncovered[target] == tuple(own[np.argsort(distances, kind="stable")[:5]].tolist())


# ---- data as it comes ---------------------------------------------------------------------------------------------


def test_graphs_without_features():
    graphs = [Data(edge_index=graph.edge_index, num_nodes=graph.num_nodes) for graph in house_world()]
    found = reasons_of(Counts(), graphs)
    assert [rule[0] for rule in rule_look(found.of_class[1])] == [[shape_of(5, HOUSE)]]
    (reason,) = found.of_class[1]
    assert not any(reason.has[0].of_nodes)
    assert reason.support.num_in_class == 70


@pytest.mark.parametrize("threshold", [-100.0, 100.0])
def test_one_class_only_has_no_reasons(threshold):
    found = reasons_of(Counts(threshold=threshold), house_world(40))
    (target,) = found.of_class
    assert found.of_class == {target: ()}
    assert target == (1 if threshold < 0 else 0)
    assert len(found.typical_uncovered[target]) == 5


def test_a_huge_graph_is_not_searched_but_counted():
    graphs = house_world(80)
    rng = np.random.default_rng(0)
    size = 700
    tree = [(int(rng.integers(0, node)), node) for node in range(6, size)]
    huge = undirected(size, [*HOUSE, (0, 5), *tree], [0] * size)
    found = reasons_of(Counts(), [*graphs, huge])
    (reason,) = found.of_class[1]
    assert rule_look([reason])[0][0] == [shape_of(5, HOUSE, PLAIN)]
    assert 80 in reason.holds_in_indices
    assert reason.support.num_in_class == 41


def test_single_nodes_and_graphs_without_edges():
    """Nothing but kinds of nodes to go by: two red nodes or more."""
    graphs = [undirected(plain + red, [], [PLAIN] * plain + [RED] * red) for plain in range(1, 13) for red in range(12)]
    model = Linear([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], bias=[3.5, 0.0])
    found = reasons_of(model, graphs)
    (reason,) = [reason for reason in found.of_class[1] if not reason.is_rest]
    assert rule_look([reason])[0][0] == [shape_of(1, [], RED, at_least=4)]
    assert reason.support == Support(num_in_class=96, num_class=96, num_elsewhere=0, num_others=48)
