"""Graphs as RDKit's molecules, as SMILES and as SDF files; a graph may be a fragment."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.words import one_line
from protograph.graphs.elements import OTHER, SYMBOLS, are_atoms
from protograph.graphs.validate import node_count
from protograph.molecules.read import BOND_NAMES, import_chem, parse

PURPOSE = "writing molecules"
WAY_OUT = "; the data set must give atom symbols as feature_names"
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
# What ends a molecule in an SDF file, and what begins a property.
MARKS = ("$$$$", ">")


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
    molecule, symbols, charge = chem.RWMol(), atom_symbols(graph, atom_names), graph.get("charge")
    has_charges = isinstance(charge, Tensor) and charge.numel() == len(symbols)
    charges = map(int, charge.flatten().tolist()) if has_charges else [0] * len(symbols)
    for symbol, charge in zip(symbols, charges, strict=True):
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
    whole = molecule.GetMol()
    with chem.rdBase.BlockLogs():
        # Everything that RDKit raises on molecules against its rules is a ValueError.
        with suppress(ValueError):
            chem.SanitizeMol(whole)
            return whole
        molecule.UpdatePropertyCache(strict=False)
        chem.FastFindRings(molecule)
    return molecule.GetMol()


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
    return _largest(x, [name if name in SYMBOLS else OTHER for name in atom_names], OTHER)


def _largest(rows: Tensor, names: Sequence[str], otherwise: str) -> list[str]:
    """Name of the largest entry of each row; of a row that is all zeros, ``otherwise``."""
    is_named = (rows != 0).any(dim=1).tolist()
    columns = rows.argmax(dim=1).tolist()
    return [names[column] if named else otherwise for column, named in zip(columns, is_named, strict=True)]


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
        with suppress(ValueError):
            molecule = parse(smiles)
            if _is_of(molecule, graph, atom_symbols(graph, atom_names) if named else None):
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


def _is_of(molecule: Any, graph: Data, symbols: Sequence[str] | None) -> bool:
    """Whether atoms and bonds of a molecule are the nodes and edges of a graph, by their numbers."""
    if molecule.GetNumAtoms() != node_count(graph):
        return False
    bonds = {frozenset((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())) for bond in molecule.GetBonds()}
    if bonds != {frozenset(ends) for ends in graph.edge_index.T.tolist() if ends[0] != ends[1]}:
        return False
    return symbols is None or all(
        atom.GetSymbol() == symbol or symbol not in SYMBOLS
        for atom, symbol in zip(molecule.GetAtoms(), symbols, strict=True)
    )


class MoleculeRecord(NamedTuple):
    """RDKit's molecule, its name, and its properties by name."""

    molecule: Any
    name: str
    properties: Mapping[str, Any]


def sdf_text(records: Sequence[MoleculeRecord]) -> str:
    """The molecules as the text of an SDF file; empty where there are none.

    Fragments need not obey the rules of chemistry: aromatic bonds are written as such.

    Raises:
        ImportError: If RDKit is not installed.

    >>> text = sdf_text([MoleculeRecord(import_chem("").MolFromSmiles("CO"), "methanol", {"p": 0.5})])
    >>> text.splitlines()[0], text.splitlines()[-4:]
    ('methanol', ['>  <p>  (1) ', '0.5', '', '$$$$'])
    """
    if not records:
        return ""
    chem = import_chem("writing an SDF file")
    from rdkit.Chem import rdDepictor

    text = StringIO()
    with chem.rdBase.BlockLogs():
        writer = chem.SDWriter(text)
        writer.SetKekulize(False)
        for record in records:
            molecule = chem.Mol(record.molecule)
            # A fragment that was not sanitised knows neither its rings nor its hydrogens, which coordinates ask for.
            molecule.UpdatePropertyCache(strict=False)
            chem.FastFindRings(molecule)
            rdDepictor.Compute2DCoords(molecule)
            molecule.SetProp("_Name", _line(record.name))
            for name, value in record.properties.items():
                molecule.SetProp(name, _line(value))
            writer.write(molecule)
        writer.close()
    return text.getvalue()


def _line(value: object) -> str:
    r"""A value on one line that neither ends the molecule nor begins a property.

    >>> _line("$$$$"), _line("a\n> <b>")
    (' $$$$', 'a > <b>')
    """
    text = one_line(value)
    return f" {text}" if text.startswith(MARKS) else text
