"""Graphs of named atoms as SMARTS: what a molecule must hold to contain them, neither more nor less."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.conditions import EdgeRule
from protograph.molecules.elements import OTHER, SYMBOLS, are_atoms
from protograph.molecules.read import import_chem
from protograph.molecules.write import PURPOSE, WAY_OUT

ANY_BOND = "~"
SIGNS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":"}
# A bond of none of these types, as a column of edge_attr.
OTHER_BONDS = ("other", "unspecified")
# Columns beside those of atoms have longer names: those of an alphabet are no table of elements.
MIN_NAME = 3


def atom_columns(feature_names: Sequence[str]) -> list[int] | None:
    """Columns of ``x`` that name an atom; ``None`` where the features are not those of atoms.

    >>> atom_columns(("C", "O", "in ring")), atom_columns(("A", "B", "C")), atom_columns(("head", "body"))
    ([0, 1], None, None)
    """
    columns = [column for column, name in enumerate(feature_names) if name in SYMBOLS or name == OTHER]
    others = [name for column, name in enumerate(feature_names) if column not in columns]
    is_table = are_atoms([feature_names[column] for column in columns])
    return columns if is_table and all(len(name) >= MIN_NAME for name in others) else None


def to_smarts(
    graph: Data, atom_names: Sequence[str], bond_names: Sequence[str] = (), edge_rule: EdgeRule | None = None
) -> str:
    """SMARTS of a graph; what it cannot say, :func:`unsaid` names.

    An atom is known by its element alone, aromatic or not, whatever its charge. One that none of the columns names is
    any but those. Bonds have a type only where edges are matched. The order of the nodes does not matter.

    Args:
        graph: The graph.
        atom_names: Names of the columns of ``x``, among them the symbols of atoms.
        bond_names: Names of the columns of ``edge_attr``, in any case: single, double, triple, aromatic.
        edge_rule: Which edges count as the same; ``None`` for all.

    Raises:
        ValueError: If ``atom_names`` are not those of atoms, a node is of several, or no molecule has so many rings.
        ImportError: If RDKit is not installed.

    >>> import torch
    >>> graph = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.ones(2, 1))
    >>> to_smarts(graph, ("C", "O"), ("double",)), to_smarts(graph, ("C", "O"), ("double",), EdgeRule(is_matched=True))
    ('[#6]~[#8]', '[#6]=[#8]')
    """
    chem = import_chem(PURPOSE)
    symbols, signs = _symbols(graph, atom_names), _signs(graph, bond_names, edge_rule or EdgeRule())
    number = chem.GetPeriodicTable().GetAtomicNumber
    any_other = f"[{'&'.join(f'!#{number(name)}' for name in atom_names if name in SYMBOLS)}]"
    bonds = _bonds(graph, signs)
    with chem.rdBase.BlockLogs():
        order = _order(symbols, bonds, chem)
        place = {node: position for position, node in enumerate(order)}
        molecule = chem.RWMol()
        for node in order:
            molecule.AddAtom(
                chem.AtomFromSmarts(any_other if symbols[node] == OTHER else f"[#{number(symbols[node])}]")
            )
        ends = sorted((*sorted((place[u], place[v])), sign) for (u, v), sign in bonds.items())
        for place_of_bond, (first, second, sign) in enumerate(ends):
            molecule.AddBond(first, second, chem.BondType.SINGLE)
            molecule.ReplaceBond(place_of_bond, chem.BondFromSmarts(sign))
        text = str(chem.MolToSmarts(molecule))
        if chem.MolFromSmarts(text) is None:
            raise ValueError("SMARTS is for molecules, got a graph with more rings open at a time than it can number")
        return text


def unsaid(
    graph: Data, atom_names: Sequence[str], bond_names: Sequence[str] = (), edge_rule: EdgeRule | None = None
) -> list[str]:
    """What counts besides, which SMARTS cannot say: columns that name no atom and, of matched edges, no bond.

    >>> import torch
    >>> unsaid(Data(x=torch.ones(1, 2)), ("C", "in ring"))
    ['in ring']
    """
    columns = atom_columns(atom_names) or []
    names = [name for column, name in enumerate(atom_names) if column not in columns]
    rule = edge_rule or EdgeRule()
    if not rule.is_matched or not isinstance(graph.edge_attr, Tensor):
        return names
    if _bond_rows(graph, bond_names, rule) is None:
        return [*names, "edge attributes"]
    return [*names, *(name for name in bond_names if _bond_name(name) not in (*SIGNS, *OTHER_BONDS))]


def _symbols(graph: Data, names: Sequence[str]) -> list[str]:
    """Symbol of each node; of one that no column names, that of any other atom."""
    x, columns = graph.x, atom_columns(names)
    if columns is None or not isinstance(x, Tensor) or x.dim() != 2 or x.size(1) != len(names):
        raise ValueError(f"SMARTS is for atoms that the columns of x name{WAY_OUT}")
    own = x[:, columns]
    if not bool(((own == 0) | (own == 1)).all() and (own.sum(dim=1) <= 1).all()):
        raise ValueError("SMARTS is for nodes that are one atom each, got other values of x in the columns of atoms")
    return [names[columns[row.index(1)]] if 1 in row else OTHER for row in own.tolist()]


def _bond_name(name: object) -> str:
    return str(name).strip().lower()


def _bond_rows(graph: Data, bond_names: Sequence[str], rule: EdgeRule) -> list[list[float]] | None:
    """Entries of each edge in the columns of bonds, one-hot or all 0; ``None`` where types are not told that way."""
    values, columns = graph.edge_attr, [i for i, name in enumerate(bond_names) if _bond_name(name) in SIGNS]
    if not isinstance(values, Tensor) or values.dim() != 2 or values.size(1) != len(bond_names) or not columns:
        return None
    # Bins between which 0 and 1 count as equal leave nothing of a bond's type.
    cuts = [rule.cuts[column] for column in columns] if len(rule.cuts) == len(bond_names) else []
    own = values[:, columns]
    is_one_hot = bool(((own == 0) | (own == 1)).all() and (own.sum(dim=1) <= 1).all())
    is_told = is_one_hot and all(not cut or any(0 < number < 1 for number in cut) for cut in cuts)
    rows: list[list[float]] = own.tolist()
    return rows if is_told else None


def _signs(graph: Data, bond_names: Sequence[str], rule: EdgeRule) -> list[str]:
    """Sign of each column of ``edge_index``."""
    rows = _bond_rows(graph, bond_names, rule) if rule.is_matched else None
    if rows is None:
        return [ANY_BOND] * int(graph.edge_index.size(1))
    signs = [SIGNS[name] for name in map(_bond_name, bond_names) if name in SIGNS]
    none_of_them = "&".join(f"!{sign}" for sign in signs)
    return [signs[row.index(1)] if 1 in row else none_of_them for row in rows]


def _bonds(graph: Data, signs: Sequence[str]) -> dict[tuple[int, int], str]:
    """Sign of each undirected edge; of repeated ones the first counts, as in the counting."""
    bonds: dict[tuple[int, int], str] = {}
    for (u, v), sign in zip(graph.edge_index.T.tolist(), signs, strict=True):
        if u != v:
            bonds.setdefault((min(u, v), max(u, v)), sign)
    return bonds


def _order(symbols: Sequence[str], bonds: dict[tuple[int, int], str], chem: Any) -> list[int]:
    """The nodes in an order that depends on nothing but the pattern."""
    kinds = {sign: chem.BondType.values[number + 1] for number, sign in enumerate(sorted(set(bonds.values())))}
    molecule = chem.RWMol()
    for symbol in symbols:
        molecule.AddAtom(chem.Atom(symbol))
    for (u, v), sign in bonds.items():
        molecule.AddBond(u, v, kinds[sign])
    molecule.UpdatePropertyCache(strict=False)
    chem.FastFindRings(molecule)
    ranks = list(chem.CanonicalRankAtoms(molecule, breakTies=True))
    return sorted(range(len(symbols)), key=ranks.__getitem__)
