"""SMILES as graphs, read by RDKit: heavy atoms are nodes, bonds are edges in both directions; and names of atoms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Arrays
from protograph.graphs.elements import COLORS, OTHER, TABLE
from protograph.graphs.names import ColumnNames, read_names
from protograph.graphs.splitting import one_hot, split_graphs

BOND_NAMES = ("single", "double", "triple", "aromatic")
PURPOSE = "reading SMILES"


def import_chem(purpose: str) -> Any:
    """RDKit's module ``rdkit.Chem``.

    Args:
        purpose: What it is needed for, as the beginning of the message.

    Raises:
        ImportError: If RDKit is not installed.

    >>> import_chem("counting atoms").MolFromSmiles("CO").GetNumAtoms()
    2
    """
    try:
        return import_module("rdkit.Chem")
    except ImportError as error:
        raise ImportError(f"{purpose} needs RDKit; pip install 'protograph[molecules]'") from error


def parse(smiles: str) -> Any:
    """RDKit's molecule of a SMILES; blanks around it do not matter.

    Raises:
        ValueError: If it is empty, or no molecule; RDKit's reason is in the message where it gives one.
        ImportError: If RDKit is not installed.

    >>> parse(" CCO ").GetNumAtoms()
    3
    >>> parse("C(C)(C)(C)(C)C")
    Traceback (most recent call last):
    ValueError: Explicit valence for atom # 0 C, 5, is greater than permitted
    """
    text = smiles.strip()
    if not text:
        raise ValueError("the SMILES is empty")
    if len(text.split()) > 1:
        # RDKit takes what follows for a name, and would read "C C" as methane.
        raise ValueError("the SMILES has a blank inside")
    chem = import_chem(PURPOSE)
    with chem.rdBase.BlockLogs():
        molecule = chem.MolFromSmiles(text)
        if molecule is None:
            raw = chem.MolFromSmiles(text, sanitize=False)
            problems = [] if raw is None else chem.DetectChemistryProblems(raw)
            raise ValueError(" ".join(problems[0].Message().split()) if problems else "not valid SMILES")
    return molecule


def atom_order(symbols: Iterable[str]) -> tuple[str, ...]:
    """Each symbol once, in an order that depends on nothing else: those with a colour first, then by the alphabet.

    >>> atom_order(["O", "Si", "Se", "C", "O"])
    ('C', 'O', 'Se', 'Si')
    """
    rank = {symbol: number for number, symbol in enumerate(COLORS)}
    return tuple(sorted(set(symbols), key=lambda symbol: (rank.get(symbol, len(rank)), symbol)))


def molecule_arrays(molecules: Iterable[Any]) -> Arrays:
    """Atoms and bonds of RDKit's molecules, end to end, in RDKit's order; each bond is followed by its reverse.

    Args:
        molecules: The molecules. Hydrogens are nodes only where RDKit has them as atoms, as in ``[H][H]``.

    Returns:
        ``atom`` and ``bond`` are indices into ``atom_types``, which are those that occur in :func:`atom_order`, and
        ``bond_types``; ``charge`` is the formal charge; ``edge_index`` (``[2, num_edges]``) counts atoms over all
        molecules, and ``sizes`` are the numbers of atoms of each.

    >>> arrays = molecule_arrays([parse("N"), parse("C[O-]")])
    >>> arrays["atom_types"][arrays["atom"]].tolist(), arrays["charge"].tolist(), arrays["sizes"].tolist()
    (['N', 'C', 'O'], [0, 0, -1], [1, 2])
    >>> arrays["edge_index"].tolist()
    [[1, 2], [2, 1]]
    """
    chem = import_chem(PURPOSE)
    column = {getattr(chem.BondType, name.upper()): number for number, name in enumerate(BOND_NAMES)}
    atoms: list[tuple[str, int]] = []
    bonds: list[tuple[int, int, int]] = []
    sizes: list[int] = []
    for molecule in molecules:
        start = len(atoms)
        for bond in molecule.GetBonds():
            kind = column.get(bond.GetBondType(), len(column))
            bonds.append((start + bond.GetBeginAtomIdx(), start + bond.GetEndAtomIdx(), kind))
        atoms += [(atom.GetSymbol(), atom.GetFormalCharge()) for atom in molecule.GetAtoms()]
        sizes.append(len(atoms) - start)
    types = atom_order(symbol for symbol, _ in atoms)
    place = {symbol: number for number, symbol in enumerate(types)}
    table = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    has_other = (table[:, 2] == len(BOND_NAMES)).any()
    return {
        "atom": np.array([place[symbol] for symbol, _ in atoms], dtype=np.int64),
        "charge": np.array([charge for _, charge in atoms], dtype=np.int64),
        "bond": np.repeat(table[:, 2], 2),
        "edge_index": np.stack([table[:, :2], table[:, 1::-1]], axis=1).reshape(-1, 2).T.copy(),
        "sizes": np.array(sizes, dtype=np.int64),
        "atom_types": np.array(types, dtype=np.str_),
        "bond_types": np.array((*BOND_NAMES, "other") if has_other else BOND_NAMES),
    }


def molecule_graphs(
    arrays: Arrays, labels: Tensor, smiles: Sequence[str], num_graphs: int | None = None, **node_values: Tensor
) -> tuple[Data, ...]:
    """The first molecules as graphs.

    Each has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr``, the label in ``y``, each atom's formal
    ``charge`` where it is known, and its ``smiles``.

    Args:
        arrays: What :func:`molecule_arrays` gives.
        labels: Label of each molecule.
        smiles: SMILES of each molecule.
        num_graphs: How many graphs to build; all if ``None``.
        node_values: Further attributes with a row for each atom.

    >>> arrays = molecule_arrays([parse("C[O-]"), parse("N")])
    >>> molecule_graphs(arrays, torch.tensor([0, 1]), ["C[O-]", "N"])[0]
    Data(x=[2, 3], charge=[2], edge_index=[2, 2], edge_attr=[2, 4], y=[1], smiles='C[O-]')
    """
    graphs = split_graphs(
        node_values={
            "x": one_hot(arrays["atom"], len(arrays["atom_types"]), "atom"),
            **({"charge": torch.from_numpy(arrays["charge"])} if "charge" in arrays else {}),
            **node_values,
        },
        edge_values={
            "edge_index": torch.from_numpy(arrays["edge_index"]),
            "edge_attr": one_hot(arrays["bond"], len(arrays["bond_types"]), "bond"),
        },
        labels=labels,
        sizes=arrays["sizes"],
        num_graphs=num_graphs,
    )
    for graph, text in zip(graphs, smiles, strict=False):
        graph.smiles = text
    return graphs


# By atomic number; 0 stands for any atom.
ELEMENTS = (OTHER, *TABLE.split())
NUMBERS = {number: str(number) for number in range(len(ELEMENTS))}
# What columns of atomic numbers are called, without underscores.
ATOMIC_NUMBERS = ("atomic num", "atomic number")


def read_feature_names(given: Any, x: Any) -> ColumnNames:
    """Names of features as a user gives them; see :func:`~protograph.graphs.names.read_names`.

    The values of a column called atomic number are named by their elements, unless they have other names: PyG's
    ``x_map`` of ``from_smiles`` names them by the numbers themselves.

    >>> import torch
    >>> names = read_feature_names(("atomic number", "degree"), torch.tensor([[6, 3]]))
    >>> names.columns, names.kinds[:9]
    (('atomic number', 'degree'), ('*', 'H', 'He', 'Li', 'Be', 'B', 'C', 'N', 'O'))
    """
    names = read_names(given, x, "feature_names", "x")
    values = dict(names.values)
    for number, name in enumerate(names.columns):
        if name.lower().replace("_", " ") in ATOMIC_NUMBERS and _are_numbers(values.get(number, {}), x, number):
            values[number] = {value: ELEMENTS[int(text)] for value, text in (values.get(number) or NUMBERS).items()}
    return replace(names, values=values)


def _are_numbers(names: Mapping[int, str], x: Any, number: int) -> bool:
    """Whether the names of values are atomic numbers; where there are none, whether the values are."""
    if names:
        return all(text.isdecimal() and int(text) < len(ELEMENTS) for text in names.values())
    column: Tensor = (x if x.dim() == 1 else x[:, number]).double()
    return bool(((column == column.round()) & (column >= 0) & (column < len(ELEMENTS))).all())


def read_edge_names(given: Any, edge_attr: Any) -> ColumnNames:
    """Names of edges' attributes as a user gives them; see :func:`~protograph.graphs.names.read_names`.

    >>> import torch
    >>> read_edge_names(["single", "double"], torch.eye(2)).columns
    ('single', 'double')
    """
    return read_names(given, edge_attr, "edge_names", "edge_attr")
