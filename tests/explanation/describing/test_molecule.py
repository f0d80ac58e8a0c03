import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation.describing.molecule import Molecule, bond_types

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


def test_rings_are_found_with_those_they_share_atoms_with():
    house_and_ring = nx.disjoint_union(nx.house_graph(), nx.cycle_graph(3))
    house_and_ring.add_edge(0, 5)
    molecule = Molecule(house_and_ring, "C" * 8, {})
    assert [sorted(block) for block in molecule.ring_systems] == [[0, 1, 2, 3, 4], [5, 6, 7]]
    assert molecule.ring_atoms == frozenset(range(8))
    assert Molecule(nx.path_graph(3), "CCC", {}).ring_atoms == frozenset()


def test_terminal_atoms_have_one_neighbour():
    molecule = Molecule(nx.path_graph(4), "ONOC", {frozenset((0, 1)): "double"})
    assert molecule.terminal(1, "O") == [0]
    assert molecule.neighbours(1, "O") == [0, 2]
    assert molecule.neighbours(2) == [1, 3]
    assert (molecule.bond(1, 0), molecule.bond(1, 2)) == ("double", None)
