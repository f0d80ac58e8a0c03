"""Conditions in words: all that is asked is said, and nothing else."""

from dataclasses import replace
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.utils.smiles import e_map, x_map

from protograph.explanation import Pattern
from protograph.explanation.describing import pattern_words
from protograph.explanation.pattern import SearchedGraphs
from protograph.graphs.conditions import Condition, Reading
from protograph.graphs.variables import Variable
from protograph.molecules.read import ELEMENTS
from tests.explanation.by_hand import BOND, CHARGE, HEIGHT, KIND, WAY, conditions, patterns
from tests.metrics.small_graphs import graph_of, graphs, path


def column(name, values):
    return Variable(name=name, key="x", labels=tuple(enumerate(map(str, values))), values=tuple(range(len(values))))


# The columns of torch_geometric.utils.from_smiles.
PYG = Reading(variables=(column("atomic_num", ELEMENTS), *(column(name, x_map[name]) for name in list(x_map)[1:])))
PYG_BONDS = Reading(variables=tuple(replace(column(name, e_map[name]), key="edge_attr", of="edge") for name in e_map))


def asked(reading, formal):
    """Conditions as formal lines have them."""
    return (
        Pattern(graph=path(1), node_reading=reading).parse(f'{{"nodes": [{formal}], "edges": []}}').node_conditions[0]
    )


@pytest.mark.parametrize(
    ("formal", "words"),
    [
        ('"atomic_num": "C"', "a carbon"),
        ('"atomic_num": "C", "is_aromatic": "True"', "an aromatic carbon"),
        ('"atomic_num": "C", "is_aromatic": "True", "num_hs": "1"', "an aromatic CH group"),
        ('"atomic_num": "N", "num_hs": "2", "formal_charge": "0"', "an uncharged NH2 group"),
        ('"atomic_num": "N", "formal_charge": "1"', "a nitrogen (charge +1)"),
        ('"atomic_num": "O", "formal_charge": "-1"', "an oxygen (charge -1)"),
        ('"atomic_num": "O", "num_hs": "0"', "an oxygen (no hydrogens)"),
        ('"atomic_num": "O", "num_hs": [null, "0"]', "an oxygen (no hydrogens)"),
        ('"atomic_num": "N", "num_hs": ["1", null]', "a nitrogen (at least one hydrogen)"),
        ('"atomic_num": "C", "num_hs": ["1", "2"]', "a carbon (one to two hydrogens)"),
        ('"atomic_num": "C", "num_hs": {"not": "1"}', "a carbon (other than one hydrogen)"),
        ('"atomic_num": "C", "hybridization": "SP2", "is_in_ring": "True"', "an sp2 ring carbon"),
        ('"atomic_num": "C", "is_in_ring": "False", "hybridization": {"not": "SP3"}', "a non-sp3 non-ring carbon"),
        ('"atomic_num": "C", "degree": "3"', "a carbon (degree 3)"),
        ('"atomic_num": "C", "degree": ["3", null], "num_hs": "1"', "a CH group (degree of at least 3)"),
        ('"atomic_num": "Cl", "hybridization": "OTHER"', "a chlorine (hybridization OTHER)"),
        ('"atomic_num": {"not": "C"}, "is_aromatic": "True"', "an aromatic node (element other than C)"),
        ('"is_aromatic": "True"', "an aromatic node"),
        ('"num_hs": "2"', "a node (two hydrogens)"),
        ('"formal_charge": [null, "-1"]', "a node (charge of at most -1)"),
    ],
)
def test_atoms_are_called_as_chemists_call_them(formal, words):
    pattern = Pattern(graph=path(1), node_reading=PYG, node_conditions=(asked(PYG, f"{{{formal}}}"),))
    assert pattern.describe() == words


def test_columns_that_are_no_element_s_have_their_words_alone():
    for name, words in (("is_aromatic", "an aromatic node"), ("degree", "a node of degree 1")):
        reading = Reading(variables=(PYG.variable(name),))
        pattern = Pattern(graph=path(1), node_reading=reading, node_conditions=((is_(name, 1.0),),))
        assert pattern.describe() == words


def is_(name, code, **how):
    return Condition(variable=name, low=code, high=code, **how)


def test_atoms_of_several_kinds_in_a_formula():
    asked = [(is_("atomic_num", 6.0), is_("num_hs", 2.0)), (is_("atomic_num", 6.0), is_("is_aromatic", 1.0))]
    asked.append((is_("atomic_num", 8.0), is_("degree", 2.0)))
    nodes = tuple(asked[at] for at in (0, 0, 1, 2))
    bonds = {"edge_reading": PYG_BONDS, "edge_conditions": ((), (is_("bond_type", 1.0),), (is_("bond_type", 2.0),))}
    chain = Pattern(graph=path(4), node_reading=PYG, node_conditions=nodes, **bonds)
    assert chain.describe() == "a path CH2-CH2-C[aromatic]=O[degree=2]"
    ring = graph_of(5, [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)])
    assert Pattern(graph=ring, node_reading=PYG, node_conditions=(*nodes, asked[0])).describe() == (
        "a part made of four carbons and one oxygen (O[degree=2]1-CH2 #2-CH2 #3-C[aromatic]4-O[degree=2]1-CH2 #5)"
    )


@pytest.mark.parametrize(
    ("bonds", "words"),
    [
        ((is_("bond_type", 2.0),), "a carbon joined by a double bond to an oxygen"),
        ((is_("bond_type", 2.0, is_not=True),), "a carbon joined by a non-double bond to an oxygen"),
        (
            (is_("bond_type", 1.0), is_("is_conjugated", 1.0)),
            "a carbon joined by a single bond (is_conjugated True) to an oxygen",
        ),
        ((is_("is_conjugated", 1.0),), "a carbon joined by a bond (is_conjugated True) to an oxygen"),
    ],
)
def test_bonds(bonds, words):
    atoms = ((is_("atomic_num", 6.0),), (is_("atomic_num", 8.0),))
    pattern = Pattern(
        graph=path(2), node_reading=PYG, node_conditions=atoms, edge_reading=PYG_BONDS, edge_conditions=(bonds,)
    )
    assert pattern.describe() == words


BELOW, MIDDLE, ABOVE = (Condition(variable="height", low=low, high=low) for low in (-inf, 0.5, 1.5))
UNNAMED = Variable(name="x", key="x", values=(2.0, 1234567.0))


@pytest.mark.parametrize(
    ("variables", "one", "words"),
    [
        ((HEIGHT,), BELOW, "a node of height below 0.5"),
        ((HEIGHT,), MIDDLE, "a node of height from 0.5 to below 1.5"),
        ((HEIGHT,), ABOVE, "a node of height of at least 1.5"),
        ((HEIGHT,), replace(MIDDLE, high=inf), "a node (height of at least 0.5)"),
        ((HEIGHT,), replace(BELOW, high=0.5), "a node (height below 1.5)"),
        ((HEIGHT,), replace(MIDDLE, is_not=True), "a node (not height from 0.5 to below 1.5)"),
        ((KIND, HEIGHT), ABOVE, "a node (height of at least 1.5)"),
        ((KIND,), is_("kind", 1.0), "a blue node"),
        ((KIND,), is_("kind", -1.0), "a node of no kind"),
        ((KIND,), is_("kind", 2.0, is_not=True), "a node (kind other than green)"),
        ((CHARGE,), is_("charge", -1.0), "a node of charge -1"),
        ((CHARGE,), Condition(variable="charge", low=0.0), "a node (charge of at least 0)"),
        ((CHARGE,), Condition(variable="charge", low=-1.0, high=0.0), "a node (charge -1 to 0)"),
        ((CHARGE,), Condition(variable="charge"), "a node (any charge)"),
        ((UNNAMED,), is_("x", 1234567.0), "a node of x 1234567"),
    ],
)
def test_any_columns_by_hand(variables, one, words):
    pattern = Pattern(graph=path(1), node_reading=Reading(variables=variables), node_conditions=((one,),))
    assert pattern.describe() == words


def test_ways_of_edges_are_told_by_arrows():
    reading = Reading(variables=(KIND,))
    kinds = ((is_("kind", 0.0),), (is_("kind", 1.0),), (is_("kind", 2.0),))
    ways = ((is_("direction", 1.0),), (is_("direction", 0.0),))
    pattern = Pattern(
        graph=path(3),
        node_reading=reading,
        node_conditions=kinds,
        edge_reading=Reading(variables=(WAY, BOND)),
        edge_conditions=ways,
    )
    assert pattern.describe() == "a path green<->blue<-red"
    some = ((is_("direction", 1.0, is_not=True),), (is_("bond", 1.0), is_("direction", -1.0)))
    assert replace(pattern, edge_conditions=some).describe() == ("a path green-[double]->blue-[both ways or out]-red")


def test_a_pair_of_which_one_node_may_be_anything():
    pattern = Pattern(graph=path(2), node_reading=Reading(variables=(KIND,)), node_conditions=((), (is_("kind", 1.0),)))
    assert pattern.describe() == "a blue node joined to a node"
    assert replace(pattern, closed=(0,)).describe() == "a node whose only neighbour is a blue node"


VALUES = {
    "kind": KIND.labels,
    "bond": BOND.labels,
    **dict.fromkeys(("charge", "order"), ((-1, "-1"), (0, "0"), (1, "1"))),
    **dict.fromkeys(("height", "length"), ((0.5, "0.5"), (1.5, "1.5"))),
}


def told_values(condition):
    """The values that words must have; of quantities where the bins begin and end."""
    values = dict(VALUES[condition.variable])
    if condition.variable in ("height", "length"):
        ends = [condition.low, {-inf: 0.5, 0.5: 1.5}.get(condition.high)]
        return [values[end] for end in ends if end in values]
    return [values[end] for end in (condition.low, condition.high) if end in values]


@settings(max_examples=60, deadline=None)
@given(patterns(max_nodes=4))
def test_every_value_is_in_the_words(pattern):
    words = pattern.describe()
    assert "agree too" not in words
    for own in pattern.conditions.values():
        for condition in own:
            if condition.variable != WAY.name:
                assert [value for value in told_values(condition) if value not in words] == []


@settings(max_examples=40, deadline=None)
@given(st.data(), patterns(max_nodes=3), st.lists(graphs(min_nodes=1, max_nodes=5), min_size=4, max_size=6))
def test_equal_words_mean_equal_counts(data, pattern, whole):
    """Patterns of one shape that ask for other things: where the words are equal, so is all that is counted."""
    searched, told = SearchedGraphs(whole), {}
    nodes, edges = pattern.node_reading.variables, pattern.edge_reading.variables
    for _ in range(6):
        one = replace(
            pattern,
            node_conditions=tuple(data.draw(conditions(nodes)) for _ in pattern.of_nodes),
            edge_conditions=tuple(data.draw(conditions(edges)) for _ in pattern.edges),
            closed=data.draw(st.sampled_from([(), *((node,) for node in range(pattern.num_nodes))])),
        )
        holds = one.holds_in(searched).tolist()
        assert told.setdefault(one.describe(), holds) == holds


def test_what_is_too_long_for_a_formula_still_has_every_value(monkeypatch):
    monkeypatch.setattr(pattern_words, "MOST_LETTERS", 10)
    pattern = Pattern(
        graph=graph_of(5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)]),
        node_reading=Reading(variables=(KIND, CHARGE)),
        node_conditions=((is_("kind", 0.0), is_("charge", 1.0)), (is_("kind", 0.0),), (), (), ()),
        edge_reading=Reading(variables=(BOND,)),
        edge_conditions=((is_("bond", 1.0),), (), (), (), ()),
    )
    assert (
        pattern.describe()
        == "a part of five nodes, joined as drawn (nodes: 1 red, 1 red[charge=1]; edges: 1 -[double]-)"
    )
