"""Graphs as RDKit's molecules, and as SMILES; a graph may be a fragment."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph.molecules.elements import SYMBOLS
from protograph.molecules.reading import BOND_NAMES, import_chem

PURPOSE = "writing molecules"
# Stands for any atom; RDKit's number of it is 0.
DUMMY = "*"
WAY_OUT = "; the data set must give atom symbols as feature_names"


def to_rdkit(graph: Data, atom_names: Sequence[str], bond_names: Sequence[str] = ()) -> Any:
    """RDKit's molecule of a graph: node ``i`` is atom ``i``, and each edge in both directions is one bond.

    An atom is named by the largest entry of its row of ``x``, and is a dummy atom (``*``) where that name is no
    element, or the row is all zeros. ``graph.charge`` gives the formal charges, all 0 where it is lacking. Bonds are of
    no type where ``edge_attr`` does not name one.

    What can be sanitised is: RDKit then knows its rings, fills open valences with hydrogens, and writes groups such as
    NO2 with charges. What breaks the rules of chemistry, such as half an aromatic ring, is returned as it is. So is
    pyrrole: which nitrogens of an aromatic ring bear a hydrogen cannot be told from heavy atoms.

    Args:
        graph: The graph.
        atom_names: Symbol of each column of ``x``.
        bond_names: Name of each column of ``edge_attr``, in any case: single, double, triple, aromatic.

    Raises:
        ValueError: If ``atom_names`` are not symbols of atoms for the columns of ``x``.
        ImportError: If RDKit is not installed.

    >>> import torch
    >>> graph = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.ones(2, 1))
    >>> to_smiles(to_rdkit(graph, ("C", "O"), ("double",)))
    'C=O'
    """
    chem = import_chem(PURPOSE)
    molecule = chem.RWMol()
    for symbol, charge in zip(atom_symbols(graph, atom_names), _charges(graph), strict=True):
        atom = chem.Atom(symbol)
        atom.SetFormalCharge(charge)
        molecule.AddAtom(atom)
    kinds = {name: getattr(chem.BondType, name.upper()) for name in BOND_NAMES}
    for first, second, name in named_bonds(graph, bond_names):
        kind = kinds.get(name.lower(), chem.BondType.UNSPECIFIED)
        number = molecule.AddBond(first, second, kind) - 1
        if kind == chem.BondType.AROMATIC:
            molecule.GetBondWithIdx(number).SetIsAromatic(True)
            for node in (first, second):
                molecule.GetAtomWithIdx(node).SetIsAromatic(True)
    return _sanitised(molecule.GetMol(), chem)


def to_smiles(molecule: Any) -> str:
    """Canonical SMILES of a molecule or fragment.

    Raises:
        ImportError: If RDKit is not installed.
    """
    chem = import_chem(PURPOSE)
    with chem.rdBase.BlockLogs():
        return str(chem.MolToSmiles(molecule))


def atom_symbols(graph: Data, atom_names: Sequence[str]) -> list[str]:
    """Symbol of each node by the largest entry of its row of ``x``; a dummy atom's where that names no element.

    Raises:
        ValueError: If ``atom_names`` are not symbols of atoms for the columns of ``x``.
    """
    x = graph.x
    if not isinstance(x, Tensor) or x.dim() != 2:
        got = f"shape {list(x.shape)}" if isinstance(x, Tensor) else "none"
        raise ValueError(f"x of the graph must have a row of atom features for each node, got {got}{WAY_OUT}")
    if len(atom_names) != x.size(1) or not SYMBOLS & set(atom_names):
        got = ", ".join(map(repr, atom_names[:5])) + (", ..." if len(atom_names) > 5 else "")
        raise ValueError(
            f"atom_names must have the symbol of an atom for each of the {x.size(1)} columns of x, "
            f"got {got or 'none'}{WAY_OUT}"
        )
    return _largest(x, [name if name in SYMBOLS else DUMMY for name in atom_names], DUMMY)


def _largest(rows: Tensor, names: Sequence[str], otherwise: str) -> list[str]:
    """Name of the largest entry of each row; of a row that is all zeros, ``otherwise``."""
    is_named = (rows != 0).any(dim=1).tolist()
    columns = rows.argmax(dim=1).tolist()
    return [names[column] if named else otherwise for column, named in zip(columns, is_named, strict=True)]


def _charges(graph: Data) -> list[int]:
    charge = graph.get("charge")
    has_charges = isinstance(charge, Tensor) and charge.numel() == graph.num_nodes
    return [int(value) for value in charge.flatten().tolist()] if has_charges else [0] * int(graph.num_nodes or 0)


def named_bonds(graph: Data, bond_names: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Each edge once, in the order of the edges, with the name of its type; ``""`` where it has none."""
    attributes = graph.edge_attr
    pairs = graph.edge_index.T.tolist()
    names = [""] * len(pairs)
    if isinstance(attributes, Tensor) and attributes.dim() == 2 and attributes.size(1) == len(bond_names) > 0:
        names = _largest(attributes, bond_names, "")
    seen: set[tuple[int, int]] = set()
    for (first, second), name in zip(pairs, names, strict=True):
        ends = (min(first, second), max(first, second))
        if first != second and ends not in seen:
            seen.add(ends)
            yield first, second, name


def _sanitised(molecule: Any, chem: Any) -> Any:
    whole = chem.Mol(molecule)
    with chem.rdBase.BlockLogs():
        # Everything that RDKit raises on molecules against its rules is a ValueError.
        with suppress(ValueError):
            chem.SanitizeMol(whole)
            return whole
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
    return molecule
