"""Atoms as features: their colours, and small molecules as ground truths."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch_geometric.data import Data

from protograph.datasets.dataset import GraphDataset

# After Corey, Pauling and Koltun where that can be seen on white and told apart by colour-blind readers:
# dark carbon, pale hydrogen, blue nitrogen and vermilion oxygen differ in lightness too. "*" is any other atom.
COLORS: Mapping[str, str] = {
    "C": "#4D4D4D",
    "H": "#CCCCCC",
    "N": "#0072B2",
    "O": "#D55E00",
    "S": "#F7E34B",
    "P": "#E69F00",
    "F": "#7BE0A0",
    "Cl": "#009E73",
    "Br": "#7F2A10",
    "I": "#5B2A86",
    "Na": "#CC79A7",
    "K": "#9170DB",
    "Li": "#E6B3D6",
    "Ca": "#56B4E9",
    "B": "#F4A38A",
    "*": "#8A8A8A",
}

# Symbols of the atoms, and which of them are joined.
Structure = tuple[Sequence[str], Sequence[tuple[int, int]]]

CARBON_RING: Structure = (("C",) * 6, tuple((atom, (atom + 1) % 6) for atom in range(6)))


def molecule(atoms: Sequence[str], bonds: Sequence[tuple[int, int]], feature_names: Sequence[str]) -> Data:
    """A molecule as a graph, each bond in both directions, the atoms one-hot in the columns of those names.

    >>> molecule(("N", "O"), [(0, 1)], ("C", "N", "O")).x
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    columns = torch.tensor([feature_names.index(atom) for atom in atoms])
    edges = sorted([*bonds, *((v, u) for u, v in bonds)])
    return Data(x=torch.eye(len(feature_names))[columns], edge_index=torch.tensor(edges).T.contiguous())


def molecule_dataset(
    graphs: Sequence[Data],
    *,
    atoms: Sequence[str],
    bonds: Sequence[str],
    truths: Mapping[int, Sequence[Structure]] | None = None,
    **facts: Any,
) -> GraphDataset:
    """A data set of molecules: names, colours and ground truths follow from the atoms and bonds.

    Args:
        graphs: The molecules.
        atoms: Symbol of each column of ``x``; one without a colour of its own gets that of ``"*"``.
        bonds: Name of each column of ``edge_attr``.
        truths: The structures that decide a class, for the classes that have such.
        facts: All else that a :class:`~protograph.datasets.GraphDataset` knows.

    >>> dataset = molecule_dataset([], atoms=("C", "Se"), bonds=("single",), name="mine", class_names=("no", "yes"))
    >>> dataset.colors
    ('#4D4D4D', '#8A8A8A')
    """
    ground_truths = {
        label: tuple(molecule(*structure, atoms) for structure in structures)
        for label, structures in (truths or {}).items()
    }
    return GraphDataset(
        graphs=graphs,
        feature_names=tuple(atoms),
        edge_names=tuple(bonds),
        colors=tuple(COLORS.get(atom, COLORS["*"]) for atom in atoms),
        ground_truths=ground_truths,
        **facts,
    )
