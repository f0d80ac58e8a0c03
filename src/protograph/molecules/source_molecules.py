"""The molecule that a graph was made from: that of its SMILES where the graph has one, else of its atoms and bonds."""

from collections.abc import Sequence
from typing import Any

import torch
from torch_geometric.data import Data

from protograph.graphs.validate import node_count
from protograph.molecules.elements import OTHER, SYMBOLS, are_atoms
from protograph.molecules.reading import parse
from protograph.molecules.writing import atom_symbols, named_bonds, to_rdkit

# Longer ones are no molecules that anybody looks at.
MAX_SMILES = 2000
# Bonds that each type counts as; of an aromatic one it is not known.
ORDERS = {"single": 1, "double": 2, "triple": 3}
# Charge of an atom by its element and how many bonds it has, where no other is usual.
CHARGES = {
    **{("N", 4): 1, ("N", 2): -1, ("P", 4): 1, ("O", 1): -1, ("O", 3): 1, ("S", 1): -1, ("S", 3): 1},
    **{(halogen, 0): -1 for halogen in ("F", "Cl", "Br", "I")},
    **{(metal, 0): 1 for metal in ("Na", "K", "Li")},
    ("Ca", 0): 2,
}


def source_molecule(graph: Data, atom_names: Sequence[str] = (), bond_names: Sequence[str] = ()) -> Any | None:
    """RDKit's molecule of a graph, atom ``i`` being node ``i``; ``None`` where the graph is none.

    The SMILES counts where its atoms and bonds are the graph's nodes and edges, one by one: it knows of aromaticity,
    charges and hydrogens that the features may lack.

    Args:
        graph: The graph, whose columns are told by names.
        atom_names: Name of each column of ``x``.
        bond_names: Name of each column of ``edge_attr``.

    Raises:
        ImportError: If RDKit is not installed and the graph may be a molecule.

    >>> import torch
    >>> graph = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2, smiles="C[O-]")
    >>> source_molecule(graph).GetAtomWithIdx(1).GetFormalCharge()
    -1
    >>> source_molecule(Data(edge_index=graph.edge_index, num_nodes=2))
    """
    named = graph.x is not None and graph.x.dim() == 2 and graph.x.size(1) == len(atom_names) and are_atoms(atom_names)
    smiles = graph.get("smiles")
    if isinstance(smiles, str) and 0 < len(smiles) <= MAX_SMILES:
        molecule = _parsed(smiles)
        if molecule is not None and _is_of(molecule, graph, atom_symbols(graph, atom_names) if named else None):
            return molecule
    return to_rdkit(with_charges(graph, atom_names, bond_names), atom_names, bond_names) if named else None


def with_charges(graph: Data, atom_names: Sequence[str], bond_names: Sequence[str]) -> Data:
    """A molecule with the formal charges that follow from its bonds, where all hydrogens are nodes and none are told.

    A nitrogen of four bonds is positive, an oxygen of one is negative: NO2 with a single bond has both.

    >>> import torch
    >>> pair = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.ones(2, 1))
    >>> with_charges(pair, ("O", "H"), ("single",)).charge.tolist()
    [-1, 0]
    >>> with_charges(Data(x=torch.eye(2)[[0]], edge_index=torch.zeros(2, 0).long()), ("Cl", "H"), ()).charge.tolist()
    [-1]
    """
    if "charge" in graph or "H" not in atom_names:
        return graph
    valences = dict.fromkeys(range(node_count(graph)), 0)
    for first, second, name in named_bonds(graph, bond_names):
        if name.lower() not in ORDERS:
            return graph
        valences[first] += ORDERS[name.lower()]
        valences[second] += ORDERS[name.lower()]
    symbols = atom_symbols(graph, atom_names)
    charges = [CHARGES.get((symbol, valences[node]), 0) for node, symbol in enumerate(symbols)]
    return Data(**graph.to_dict() | {"charge": torch.tensor(charges)})


def _parsed(smiles: str) -> Any | None:
    try:
        return parse(smiles)
    except ValueError:
        return None


def _is_of(molecule: Any, graph: Data, symbols: Sequence[str] | None) -> bool:
    """Whether atoms and bonds of a molecule are the nodes and edges of a graph, by their numbers."""
    if molecule.GetNumAtoms() != node_count(graph):
        return False
    bonds = {frozenset((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())) for bond in molecule.GetBonds()}
    if bonds != {frozenset(ends) for ends in graph.edge_index.T.tolist() if ends[0] != ends[1]}:
        return False
    known = SYMBOLS - {OTHER}
    return symbols is None or all(
        atom.GetSymbol() == symbol or symbol not in known
        for atom, symbol in zip(molecule.GetAtoms(), symbols, strict=True)
    )
