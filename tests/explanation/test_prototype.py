import math
from dataclasses import replace

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.datasets.molecules import CARBON_RING, molecule
from protograph.datasets.tu import MUTAGENICITY_ATOMS
from protograph.explanation import Evidence
from protograph.explanation.prototype import figures_of, formulas_of, smiles_of
from protograph.graphs.conditions import Condition, Reading
from protograph.graphs.variables import Variable
from tests.explanation.by_hand import asking

EDGES = torch.tensor([[0, 1, 1, 2, 2], [1, 0, 2, 1, 2]])
PATH = Data(x=torch.eye(3), edge_index=EDGES)


def prototype(graph=None, **facts):
    facts = {"probability": 0.998, "margin": 6.2, "feature_names": MUTAGENICITY_ATOMS, **facts}
    return pg.Prototype(graph=molecule(*CARBON_RING, MUTAGENICITY_ATOMS) if graph is None else graph, **facts)


def evidence(num_in_class=3, num_class=4, num_elsewhere=1, num_others=5, **figures):
    counts = {"num_in_class": num_in_class, "num_class": num_class}
    others = {"num_elsewhere": num_elsewhere, "num_others": num_others}
    return Evidence(**counts, **others, num_in_cluster=0, information=0.5, **figures)


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"nodes": [0, 1]}, r"nodes must be a list of 3, one for each node of graph, got \[0, 1\]"),
        ({"matches": torch.ones(3, 2)}, r"matches must be whole numbers of shape \[3, .*float32"),
        ({"matches": torch.ones(3, 2, dtype=torch.bool)}, r"matches must be whole numbers .*bool"),
        ({"matches": torch.ones(2, 2, dtype=torch.long)}, r"matches .* of shape \[2, 2\]"),
        ({"matches": torch.ones(3, 2, dtype=torch.long), "sources": [4]}, r"matches .* of shape \[3, 2\]"),
        ({"evidence": evidence(contributions=(1.0,))}, r"evidence.contributions must be empty or a list of 3"),
        ({"evidence": evidence(node_graphs=(1, 1), num_looked_at=1)}, r"evidence.node_graphs .* got \[1, 1\]"),
        # Three entries in edge_index: two edges and a loop.
        ({"evidence": evidence(edge_sources=(1, 2, 3))}, r"evidence.edge_sources must be empty or a list of 2"),
    ],
)
def test_what_does_not_fit_the_graph_is_refused(facts, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        prototype(PATH, feature_names=(), **facts)


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ({"node_graphs": (3, 4)}, r"node_graphs must be in \[0, 3\], which is num_looked_at, got \[3, 4\]"),
        ({"edge_graphs": (-1,)}, r"edge_graphs must be in \[0, 3\], which is num_looked_at, got \[-1\]"),
    ],
)
def test_figures_that_cannot_be_are_refused(figures, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        evidence(**{"num_looked_at": 3} | figures)


def test_one_is_singular_and_nothing_is_said_of_what_is_not_known():
    alone = prototype(Data(x=torch.rand(1, 2), edge_index=torch.tensor([[0], [0]])), feature_names=())
    assert repr(alone) == "Prototype(1 node, 1 edge, probability=0.9980)"
    assert figures_of(alone) == "1 node, 1 edge; p = 0.9980, margin 6.20"
    assert smiles_of(alone) is None
    assert prototype(probability=math.nan).describe() == "six carbons in a ring"


def test_a_prototype_that_the_model_takes_for_another_class_says_so():
    odd = prototype(probability=0.0002, source=3, target=0, predicted=1)
    assert odd.describe(class_names=("other", "mutagen")) == (
        "six carbons in a ring; p less than 0.001; "
        "by itself the model takes this for class 1 (mutagen); it counts only inside a graph"
    )
    assert prototype(target=1, predicted=1).describe() == "six carbons in a ring; p = 0.998"


def test_nodes_and_edges_of_networkx_have_names_or_rows():
    graph = Data(
        x=torch.eye(2)[[0, 1, 1]],
        edge_index=EDGES[:, :4],
        edge_attr=torch.tensor([[0.5], [0.5], [2.0], [2.0]]),
        charge=torch.tensor([0, 1, -1]),
    )
    result = prototype(graph, feature_names=("C", "O")).to_networkx()
    assert dict(result.nodes(data=True)) == {
        0: {"feature": "C", "charge": 0},
        1: {"feature": "O", "charge": 1},
        2: {"feature": "O", "charge": -1},
    }
    assert {frozenset(ends[:2]): ends[2] for ends in result.edges(data=True)} == {
        frozenset((0, 1)): {"edge_attr": (0.5,)},
        frozenset((1, 2)): {"edge_attr": (2.0,)},
    }
    bare = prototype(Data(edge_index=EDGES[:, :4], num_nodes=3)).to_networkx()
    assert nx.utils.graphs_equal(bare, nx.path_graph(3))


BONDS = ("single", "double", "triple", "aromatic")


def matched(one):
    """The prototype as one whose bonds were counted, all of which it asks for."""
    asked = asking(one.graph, one.feature_names, one.edge_names)
    return replace(one, edge_rule=asked.edge_reading, pattern=asked)


def neutral(one):
    """The prototype as one whose bonds were not counted."""
    return replace(one, pattern=asking(one.graph, one.feature_names))


def test_what_is_said_of_bonds_is_what_was_counted():
    pytest.importorskip("rdkit")
    chain = Data(x=torch.eye(3), edge_index=EDGES[:, :4], edge_attr=torch.eye(2)[[0, 0, 1, 1]])
    bonded = prototype(chain, feature_names=("C", "O", "N"), edge_names=("single", "double"))
    assert (neutral(bonded).smiles, neutral(bonded).smarts) == ("C~O~N", "[#6]~[#8]~[#7]")
    assert (matched(bonded).smiles, matched(bonded).smarts) == ("CO=N", "[#6]-[#8]=[#7]")


def test_where_edges_were_not_matched_nothing_is_named_by_its_bonds():
    ring = molecule(*CARBON_RING, MUTAGENICITY_ATOMS)
    ring.edge_attr = torch.eye(4)[[3] * ring.edge_index.size(1)]
    found = prototype(ring, edge_names=BONDS)
    assert neutral(found).describe() == "a ring of six carbons; p = 0.998"
    assert matched(found).describe() == "a benzene ring; p = 0.998"


def test_where_nodes_were_not_matched_nothing_is_said_of_them():
    plain = prototype()
    open_ended = replace(plain, pattern=asking(plain.graph))
    assert open_ended.describe() == "a ring of six nodes; p = 0.998"
    assert open_ended.smarts is None


def test_what_is_asked_besides_names_is_in_the_words():
    found = neutral(prototype())
    (first, *others) = found.pattern.of_nodes
    degree = Variable(name="degree", key="x", places=(0,))
    more = replace(
        found.pattern,
        node_reading=Reading(variables=(*found.pattern.node_reading.variables, degree)),
        node_conditions=((*first, Condition(variable="degree", low=3.0)), *others),
    )
    assert replace(found, pattern=more).describe() == (
        "a ring of five carbons and one carbon (degree of at least 3); p = 0.998"
    )


CHAIN = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))


HALF_RING = Data(x=torch.eye(2)[[0, 0, 1]], edge_index=CHAIN.edge_index, edge_attr=torch.eye(2)[[1] * 4])


def fragment(graph=HALF_RING, **facts):
    names = {"feature_names": ("C", "N"), "edge_names": ("single", "aromatic")}
    return pg.Prototype(graph=graph, probability=0.5, margin=0.0, **(names | facts))


def test_a_smiles_that_rdkit_cannot_read_is_never_printed():
    pytest.importorskip("rdkit")
    half = matched(fragment())
    assert half.smiles == "ccn"
    assert smiles_of(half) is None
    assert formulas_of(half) == ["SMARTS [#6]:[#6]:[#7]"]
    assert smiles_of(fragment()) == "C~C~N"


def test_smiles_is_shown_where_bonds_were_counted():
    pytest.importorskip("rdkit")
    chain = fragment(Data(x=HALF_RING.x, edge_index=CHAIN.edge_index, edge_attr=torch.eye(2)[[0] * 4]))
    assert formulas_of(neutral(chain)) == ["SMARTS [#6]~[#6]~[#7]"]
    assert formulas_of(matched(chain)) == ["SMILES CCN", "SMARTS [#6]-[#6]-[#7]"]


def test_what_smarts_cannot_say_has_none():
    pytest.importorskip("rdkit")
    found = neutral(fragment())
    donor = Variable(name="donor", key="x", places=(1,))
    reading = Reading(variables=(*found.pattern.node_reading.variables, donor))
    asked = tuple((*own, Condition(variable="donor", low=1.0, high=1.0)) for own in found.pattern.of_nodes)
    further = replace(found, pattern=replace(found.pattern, node_reading=reading, node_conditions=asked))
    assert formulas_of(further) == []
    assert further.describe() == "a carbon (donor 1) joined to a carbon (donor 1) and a nitrogen (donor 1); p = 0.500"


def test_graphs_of_other_things_have_neither():
    for names in ((), ("head", "body"), ("A", "C")):
        other = neutral(fragment(feature_names=names, edge_names=()))
        assert (smiles_of(other), other.smarts, formulas_of(other)) == (None, None, [])
    assert (fragment().smarts, formulas_of(fragment())) == (None, [])
