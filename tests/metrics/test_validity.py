import pytest
import torch
import torch.nn.functional as F
from torch_geometric.data import Data

from protograph.metrics.accuracy import validity
from tests.metrics.by_hand import explanation, prototype

pytest.importorskip("rdkit")
ATOMS, BONDS = ("C", "O", "F"), ("single", "double", "aromatic")


def molecule(atoms, bonds):
    first = torch.tensor([[a, b] for a, b, _ in bonds]).T
    kinds = torch.tensor([BONDS.index(kind) for _, _, kind in bonds])
    return prototype(
        Data(
            x=F.one_hot(torch.tensor([ATOMS.index(atom) for atom in atoms]), 3).float(),
            edge_index=torch.cat([first, first.flip(0)], dim=1),
            edge_attr=F.one_hot(kinds, 3).float().repeat(2, 1),
        ),
        feature_names=ATOMS,
        edge_names=BONDS,
    )


def named(*prototypes):
    return explanation(list(prototypes), feature_names=ATOMS, edge_names=BONDS)


RING = molecule("CCCCCC", [(i, (i + 1) % 6, "aromatic") for i in range(6)])
HALF_RING = molecule("CCC", [(0, 1, "aromatic"), (1, 2, "aromatic")])
FLUORINE_OF_TWO_BONDS = molecule("CFC", [(0, 1, "single"), (1, 2, "single")])
ALCOHOL = molecule("CO", [(0, 1, "single")])


def test_by_hand():
    assert validity(named(RING, ALCOHOL)) == 1.0
    assert validity(named(HALF_RING, FLUORINE_OF_TWO_BONDS)) == 0.0
    assert validity(named(RING, HALF_RING, ALCOHOL, FLUORINE_OF_TWO_BONDS)) == 0.5
    assert validity([RING, ALCOHOL, HALF_RING]) == pytest.approx(2 / 3)


def test_errors():
    with pytest.raises(ValueError, match=r"^prototypes is empty; pass at least one$"):
        validity([])
    with pytest.raises(ValueError, match=r"^atom_names must have the symbol of an atom"):
        validity([prototype(Data(x=torch.ones(1, 1), edge_index=torch.empty(2, 0).long()))])
