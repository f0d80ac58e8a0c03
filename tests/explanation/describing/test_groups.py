import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation.describing.groups import (
    NEUTRAL_RULES,
    Molecule,
    bond_types,
    find_groups,
    name_molecule,
)

ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S")
BONDS = {"-": "single", "=": "double", "#": "triple", ":": "aromatic"}
RING = "0 1, 1 2, 2 3, 3 4, 4 5, 5 0"
FUSED = f"{RING}, 0 6, 6 7, 7 8, 8 9, 9 1"


def molecule(symbols, bonds=""):
    """A molecule of "C C O" and "0-1, 1=2"; a blank between two atoms is a bond of no known type."""
    graph, types = nx.empty_graph(len(symbols.split())), {}
    for text in filter(None, bonds.split(", ")):
        kind = next((sign for sign in BONDS if sign in text), " ")
        first, second = map(int, text.split(kind))
        graph.add_edge(first, second)
        if kind != " ":
            types[frozenset((first, second))] = BONDS[kind]
    return Molecule(graph, symbols.split(), types)


def name(one):
    return name_molecule(one, [ATOMS.index(symbol) for symbol in one.symbols], ATOMS)


NAMED = [
    # Nitro: by the atoms alone, and by either way to write the bonds.
    ("N O O", "0 1, 0 2", "a nitro group (NO2)"),
    ("N O O", "0=1, 0=2", "a nitro group (NO2)"),
    ("N O O", "0=1, 0-2", "a nitro group (NO2)"),
    ("N O O", "0-1, 0-2", None),
    ("C N O O", "0 1, 1 2, 1 3", "one carbon with a nitro group"),
    ("N O O O", "0 1, 0 2, 0 3", None),
    ("N O O C", "0 1, 0 2, 2 3", None),
    # Amino: only where hydrogens are nodes.
    ("C N H H", "0 1, 1 2, 1 3", "one carbon with an amino group"),
    ("C N", "0 1", None),
    ("N H H H", "0 1, 0 2, 0 3", None),
    ("C N H H O", "0 1, 1 2, 1 3, 0 4", None),
    ("C N H H O", "0-1, 1-2, 1-3, 0=4", "one nitrogen with a carbonyl group and two hydrogens"),
    ("C N H H O", "0-1, 1-2, 1-3, 0-4", "one carbon and one oxygen with an amino group"),
    ("C N H H", "0=1, 1-2, 1-3", None),
    # Hydroxyl: only where the hydrogen is a node.
    ("C O H", "0 1, 1 2", "one carbon with a hydroxyl group"),
    ("O H", "0 1", "a hydroxyl group (OH)"),
    ("O H H", "0 1, 0 2", None),
    ("C O", "0 1", None),
    # Carbonyl and carboxyl: only with a known double bond.
    ("C O", "0=1", "a carbonyl group (C=O)"),
    ("C C O", "0-1, 1=2", "one carbon with a carbonyl group"),
    ("O C O", "0=1, 1=2", None),
    ("C O O H", "0=1, 0-2, 2-3", "a carboxyl group (COOH)"),
    ("C O O H", "0 1, 0 2, 2 3", "one carbon and one oxygen with a hydroxyl group"),
    ("C O O", "0=1, 0-2", "one oxygen with a carbonyl group"),
    # Nitrile: only with a known triple bond.
    ("C C N", "0-1, 1#2", "one carbon with a nitrile group"),
    ("C C N", "0-1, 1=2", None),
    # Sulfonyl.
    ("C S O O", "0 1, 1 2, 1 3", "one carbon with a sulfonyl group"),
    ("S O O", "0=1, 0=2", "a sulfonyl group (SO2)"),
    ("S O O", "0=1, 0-2", None),
    ("S O O O", "0 1, 0 2, 0 3", None),
    # Halogens.
    ("C F F F", "0 1, 0 2, 0 3", "a trifluoromethyl group (CF3)"),
    ("C F F F F", "0 1, 0 2, 0 3, 0 4", None),
    # Methyl.
    ("C C H H H", "0 1, 1 2, 1 3, 1 4", "one carbon with a methyl group"),
    ("C H H H H", "0 1, 0 2, 0 3, 0 4", None),
    # Several.
    ("C N O O N O O", "0 1, 1 2, 1 3, 0 4, 4 5, 4 6", "one carbon with two nitro groups"),
    ("N O O N O O", "0 1, 0 2, 3 4, 3 5", "two nitro groups (NO2), in two parts"),
    # Rings.
    ("C C C C C C", RING, "six carbons in a ring"),
    ("C C C C C C", RING.replace(" ", ":").replace(",:", ", "), "a benzene ring"),
    ("C C C C C C", "0:1, 1:2, 2:3, 3:4, 4:5, 5-0", "six carbons in a ring"),
    ("C C C C C C", "0=1, 1-2, 2=3, 3-4, 4=5, 5-0", "six carbons in a ring"),
    ("C C C C C N", RING.replace(" ", ":").replace(",:", ", "), "five carbons and one nitrogen in a ring"),
    ("C C C C C C N O O", f"{RING}, 0 6, 6 7, 6 8", "six carbons in a ring with a nitro group"),
    (
        "C C C C C C N O O C Cl H H",
        f"{RING}, 0 6, 6 7, 6 8, 1 9, 2 10, 3 11, 4 12",
        "six carbons in a ring with a nitro group, one further carbon, one chlorine and two hydrogens",
    ),
    ("C C C C C C O O", f"{RING}, 0=6, 3=7", "six carbons in a ring with two carbonyl groups"),
    ("C " * 10, FUSED, "two fused rings of six carbons"),
    ("C " * 10, FUSED.replace(" ", ":").replace(",:", ", "), "naphthalene"),
    ("C " * 9 + "N", FUSED, "nine carbons and one nitrogen in two fused rings of six"),
    ("C " * 12, f"{RING}, 6 7, 7 8, 8 9, 9 10, 10 11, 11 6, 0 6", "two rings of six carbons"),
    (
        "C " * 8 + "N Cl",
        f"{RING}, 6 7, 7 8, 8 6, 0 6, 1 9",
        "a ring of six carbons plus a ring of two carbons and one nitrogen, with one chlorine",
    ),
    ("C " * 7, "0 1, 1 2, 2 3, 3 4, 4 5, 5 0, 0 6, 6 3", "seven carbons in a system of two rings"),
    ("C C C", "0 1, 1 2", None),
]


@pytest.mark.parametrize(("symbols", "bonds", "text"), NAMED)
@settings(max_examples=5, deadline=None)
@given(random=st.randoms(use_true_random=False))
def test_only_what_is_certain_has_a_name_in_any_order_of_atoms(symbols, bonds, text, random):
    one = molecule(symbols, bonds)
    assert name(one) == text
    order = random.sample(range(len(one.symbols)), len(one.symbols))
    other = nx.empty_graph(len(order))
    other.add_edges_from(random.sample([(order[u], order[v]) for u, v in one.graph.edges], one.graph.size()))
    places = sorted(range(len(order)), key=order.__getitem__)
    types = {frozenset(order[atom] for atom in ends): kind for ends, kind in one.bonds.items()}
    assert name(Molecule(other, [one.symbols[place] for place in places], types)) == text


@pytest.mark.parametrize(
    ("symbols", "bonds", "text"),
    [
        ("N O O", "0 1, 0 2", "a nitrogen with two oxygens (NO2)"),
        ("C N O O", "0 1, 1 2, 1 3", "one carbon with a nitrogen bearing two oxygens"),
        ("N O O O", "0 1, 0 2, 0 3", None),
        ("C N H H", "0 1, 1 2, 1 3", "one carbon with a nitrogen bearing two hydrogens"),
        ("C S O O", "0 1, 1 2, 1 3", "one carbon with a sulfur bearing two oxygens"),
        ("C N O O N O O", "0 1, 1 2, 1 3, 0 4, 4 5, 4 6", "one carbon with two nitrogens bearing two oxygens each"),
        ("C S C O O", "0 1, 1 2, 2 0, 1 3, 1 4", "two carbons and one sulfur in a ring with two oxygens"),
        ("C O", "0 1", None),
    ],
)
def test_without_types_of_bonds_only_atoms_are_named(symbols, bonds, text):
    one = molecule(symbols, bonds)
    assert name_molecule(one, [ATOMS.index(symbol) for symbol in one.symbols], ATOMS, NEUTRAL_RULES) == text


def test_what_is_too_large_is_left_alone():
    large = Molecule(nx.cycle_graph(61), ["C"] * 61, {})
    assert name(large) is None


SMARTS = {
    "nitro group": "[$([NX3](=O)=O),$([NX3+](=O)[O-])]",
    "nitrile group": "[CX2]#[NX1]",
    "trifluoromethyl group": "[CX4;$(C(F)(F)F);!$(C(F)(F)(F)F)]",
    "carbonyl group": "[#6X3]=[OX1]",
    "sulfonyl group": "[$([SX4](=[OX1])=[OX1])]",
}
DRUGS = [
    "O=[N+]([O-])c1ccccc1",
    "Cc1c([N+](=O)[O-])cc([N+](=O)[O-])cc1[N+](=O)[O-]",
    "N#Cc1ccccc1C(F)(F)F",
    "CC(=O)Nc1ccc(O)cc1",
    "CS(=O)(=O)c1ccc(cc1)C1=C(C(=O)OC1)c1ccccc1",
    "O=C1C=CC(=O)C=C1",
    "FC(F)(F)F",
    "CON=O",
    "O=C=O",
]


@pytest.mark.parametrize("smiles", DRUGS)
def test_groups_of_whole_molecules_are_those_that_rdkit_finds(smiles):
    chem = pytest.importorskip("rdkit.Chem")
    drug = chem.MolFromSmiles(smiles)
    pairs = {frozenset((b.GetBeginAtomIdx(), b.GetEndAtomIdx())): str(b.GetBondType()).lower() for b in drug.GetBonds()}
    graph = nx.empty_graph(drug.GetNumAtoms())
    graph.add_edges_from(map(tuple, pairs))
    found = [group.name for group in find_groups(Molecule(graph, [a.GetSymbol() for a in drug.GetAtoms()], pairs))]
    wanted = {kind: len(drug.GetSubstructMatches(chem.MolFromSmarts(smarts))) for kind, smarts in SMARTS.items()}
    assert {kind: found.count(kind) for kind in SMARTS} == wanted


NAMES = ("single", "double", "triple", "aromatic")
BOTH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def types(rows, names=NAMES):
    return bond_types(Data(edge_index=BOTH, edge_attr=rows), names)


def test_bonds_are_known_by_their_column():
    assert types(torch.eye(4)[[1, 1, 3, 3]]) == {frozenset((0, 1)): "double", frozenset((1, 2)): "aromatic"}
    assert types(torch.eye(2)[[0, 0, 1, 1]], ("TRIPLE", " Single ")) == {
        frozenset((0, 1)): "triple",
        frozenset((1, 2)): "single",
    }
    assert types(torch.ones(4, 1), ("double",)) == {frozenset((0, 1)): "double", frozenset((1, 2)): "double"}


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (None, NAMES),
        (torch.eye(4), ()),
        (torch.eye(4)[:, :3], NAMES),
        (torch.ones(4), NAMES),
        (torch.zeros(4, 4), NAMES),
        (torch.full((4, 4), 0.25), NAMES),
        (torch.ones(4, 4), NAMES),
        (torch.eye(4)[[0, 1, 0, 2]], NAMES),
        (torch.eye(4), ("a", "b", "c", "d")),
    ],
    ids=["none", "no names", "other width", "flat", "zeros", "shares", "several", "directions differ", "other names"],
)
def test_other_bonds_are_not_known(rows, names):
    assert types(rows, names) == {}
