import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data

from protograph.molecules.draw import fragment, without_hydrogens
from protograph.molecules.read import parse
from protograph.molecules.write import to_smiles

CARBONYL = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.ones(2, 1))


def test_hydrogens_go_but_those_that_are_kept():
    ethanol = Chem.AddHs(parse("CCO"))
    assert to_smiles(without_hydrogens(ethanol).molecule) == "CCO"
    shown = without_hydrogens(ethanol, kept={8})  # that of the oxygen
    assert shown.nodes == (0, 1, 2, 8)
    assert shown.atoms == {0: 0, 1: 1, 2: 2, 8: 3}
    assert to_smiles(shown.molecule) == "[H]OCC"


def test_what_breaks_the_rules_of_chemistry_loses_its_hydrogens_too():
    wrong = Chem.RWMol(Chem.MolFromSmiles("[H]C([H])([H])([H])[H]", sanitize=False))
    wrong.UpdatePropertyCache(strict=False)
    assert without_hydrogens(wrong.GetMol()).nodes == (1,)


@pytest.mark.parametrize(("has_orders", "kind"), [(True, Chem.BondType.DOUBLE), (False, Chem.BondType.SINGLE)])
def test_a_fragment_has_orders_only_where_they_counted(has_orders, kind):
    shown = fragment(CARBONYL, ("C", "O"), ("double",), has_orders=has_orders)
    assert shown.molecule.GetBondWithIdx(0).GetBondType() == kind
    assert [atom.GetTotalNumHs() for atom in shown.molecule.GetAtoms()] == [0, 0]


def test_without_orders_every_atom_is_written():
    path = Data(x=torch.eye(2)[[0, 0, 0]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    labels = [
        atom.HasProp("atomLabel") for atom in fragment(path, ("C", "O"), (), has_orders=False).molecule.GetAtoms()
    ]
    assert labels == [1, 1, 1]
