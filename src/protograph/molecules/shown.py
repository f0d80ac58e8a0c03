"""What of a molecule is drawn: hydrogens that say nothing are left out, and a fragment claims no more than it knows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from torch_geometric.data import Data

from protograph.molecules.placing import PURPOSE
from protograph.molecules.reading import import_chem
from protograph.molecules.writing import to_rdkit

_NODE = "_node"
# RDKit leaves hydrogens alone that are of a named isotope.
_KEPT = 1


@dataclass(frozen=True)
class ShownMolecule:
    """A molecule as it is drawn.

    Attributes:
        molecule: RDKit's molecule.
        nodes: Node of the graph that each of its atoms is.
    """

    molecule: Any
    nodes: tuple[int, ...]

    @property
    def atoms(self) -> dict[int, int]:
        """Atom of each node that is drawn."""
        return {node: atom for atom, node in enumerate(self.nodes)}


def without_hydrogens(molecule: Any, kept: Collection[int] = ()) -> ShownMolecule:
    """A molecule without its hydrogens, as chemists draw it; those that are kept stay atoms.

    Args:
        molecule: RDKit's molecule, atom ``i`` being node ``i``.
        kept: Nodes that are drawn in any case.

    >>> from protograph.molecules.reading import parse
    >>> water = import_chem("").AddHs(parse("CO"))
    >>> without_hydrogens(water).nodes, without_hydrogens(water, kept=[5]).nodes
    ((0, 1), (0, 1, 5))
    """
    chem = import_chem(PURPOSE)
    copy = chem.Mol(molecule)
    for atom in copy.GetAtoms():
        atom.SetIntProp(_NODE, atom.GetIdx())
        if atom.GetIdx() in kept and atom.GetAtomicNum() == 1:
            atom.SetIsotope(_KEPT)
    with chem.rdBase.BlockLogs():
        try:
            copy = chem.RemoveHs(copy)
        except ValueError:  # what breaks the rules of chemistry
            copy = chem.RemoveHs(copy, updateExplicitCount=True, sanitize=False)
    for atom in copy.GetAtoms():
        if atom.GetAtomicNum() == 1 and atom.GetIsotope() == _KEPT:
            atom.SetIsotope(0)
    return ShownMolecule(copy, tuple(atom.GetIntProp(_NODE) for atom in copy.GetAtoms()))


def fragment(graph: Data, atom_names: Sequence[str], bond_names: Sequence[str], *, has_orders: bool) -> ShownMolecule:
    """A pattern as a fragment: no hydrogens are filled in, and without orders every bond is a plain line.

    Args:
        graph: The pattern.
        atom_names: Name of each column of ``x``.
        bond_names: Name of each column of ``edge_attr``.
        has_orders: Whether types of bonds counted; without, every atom is written, since a corner would be a carbon of
            single bonds.

    Raises:
        ValueError: If ``atom_names`` are not symbols of atoms for the columns of ``x``.
        ImportError: If RDKit is not installed.
    """
    chem = import_chem(PURPOSE)
    bare = graph if has_orders else Data(x=graph.x, edge_index=graph.edge_index)
    molecule = chem.RWMol(to_rdkit(bare, atom_names, bond_names if has_orders else ()))
    for atom in molecule.GetAtoms():
        atom.SetNoImplicit(True)
        atom.SetNumExplicitHs(0)
        atom.SetNumRadicalElectrons(0)
        if not has_orders or (atom.GetAtomicNum() == 6 and atom.GetDegree() <= 1):
            atom.SetProp("atomLabel", atom.GetSymbol())
    for bond in molecule.GetBonds():
        if bond.GetBondType() == chem.BondType.UNSPECIFIED:
            bond.SetBondType(chem.BondType.SINGLE)
    fragment_molecule = molecule.GetMol()
    fragment_molecule.UpdatePropertyCache(strict=False)
    return ShownMolecule(fragment_molecule, tuple(range(fragment_molecule.GetNumAtoms())))
