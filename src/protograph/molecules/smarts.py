"""Patterns of molecules as SMARTS: what a molecule must hold to contain them, neither more nor less."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from protograph.graphs.conditions import Condition, Conditions, Reading
from protograph.graphs.elements import OTHER, SYMBOLS, TABLE
from protograph.graphs.variables import ONE_HOT, Variable
from protograph.molecules.read import import_chem
from protograph.molecules.write import PURPOSE

ANY_BOND, ANY_ATOM = "~", "*"
SIGNS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":"}
# A bond of none of these types, as a column of edge_attr.
OTHER_BONDS = ("other", "unspecified")
_NUMBER = {symbol: number for number, symbol in enumerate(TABLE.split(), start=1)}
_HYBRIDS = {"S": "^0", "SP": "^1", "SP2": "^2", "SP3": "^3", "SP3D": "^4", "SP3D2": "^5"}
_FLAGS = {"is_aromatic": ("A", "a"), "is_in_ring": ("!R", "R")}
# What a value of a column is in SMARTS, by the names that PyG's columns have; nothing where there is no such value.
_ATOMS: Mapping[str, Callable[[str], str | None]] = {
    "degree": lambda text: f"X{text}",
    "num_hs": lambda text: f"H{text}",
    "formal_charge": lambda text: f"{int(text):+d}",
    "charge": lambda text: f"{int(text):+d}",
    "hybridization": _HYBRIDS.get,
}


def smarts_of(
    nodes: Sequence[Conditions],
    edges: Mapping[tuple[int, int], Conditions],
    node_reading: Reading,
    edge_reading: Reading,
    closed: Collection[int] = (),
) -> str | None:
    """SMARTS of a pattern; ``None`` where it is none of molecules, or asks for what SMARTS cannot say.

    The order of the nodes does not matter.

    Args:
        nodes: What is asked of each node.
        edges: What is asked of each edge, by its two nodes.
        node_reading: The variables that conditions of nodes speak of.
        edge_reading: The same of edges.
        closed: Nodes that must have no other neighbours.
    """
    noun = node_reading.noun
    if noun is None or not noun.are_elements:
        return None
    try:
        atoms = [_atom(own, node_reading) for own in nodes]
        bonds = {edge: _bond(own, edge_reading) for edge, own in edges.items()}
        for node in closed:
            atoms[node] = [*atoms[node], f"D{sum(node in edge for edge in edges)}"]
        return _joined([f"[{';'.join(own)}]" if own else ANY_ATOM for own in atoms], bonds)
    except (ImportError, ValueError):
        return None


def _joined(atoms: list[str], bonds: dict[tuple[int, int], str]) -> str | None:
    """Atoms and bonds as one line; ``None`` where it has more rings open at a time than SMARTS can number."""
    chem = import_chem(PURPOSE)
    with chem.rdBase.BlockLogs():
        order = _order(atoms, bonds, chem)
        place = {node: position for position, node in enumerate(order)}
        molecule = chem.RWMol()
        for node in order:
            molecule.AddAtom(chem.AtomFromSmarts(atoms[node]))
        ends = sorted((*sorted((place[u], place[v])), sign) for (u, v), sign in bonds.items())
        for place_of_bond, (first, second, sign) in enumerate(ends):
            molecule.AddBond(first, second, chem.BondType.SINGLE)
            molecule.ReplaceBond(place_of_bond, chem.BondFromSmarts(sign))
        text = str(chem.MolToSmarts(molecule))
        return None if chem.MolFromSmarts(text) is None else text


def _atom(conditions: Conditions, reading: Reading) -> list[str]:
    """What is asked of an atom, each to be met."""
    parts = [_alternatives(one, reading.variable(one.variable), _atom_value) for one in conditions]
    return [part for part in parts if part]


def _bond(conditions: Conditions, reading: Reading) -> str:
    parts = [_alternatives(one, reading.variable(one.variable), _bond_value) for one in conditions]
    return ";".join(part for part in parts if part) or ANY_BOND


def _alternatives(condition: Condition, variable: Variable, value_of: Callable[[Variable, float], str | None]) -> str:
    """A condition in SMARTS.

    Raises:
        ValueError: If SMARTS cannot say it.
    """
    codes = [float(code) for code, _ in variable.labels] or list(variable.values)
    codes = [*([-1.0] if variable.kind == ONE_HOT and condition.low == -1 else []), *codes]
    texts = [value_of(variable, code) for code in codes if condition.low <= code <= condition.high]
    if not texts or None in texts:
        raise ValueError(f"SMARTS cannot ask for {variable.name}")
    if condition.is_not:
        return "&".join(f"!{text}" for text in texts)
    return ",".join(map(str, texts))


def _atom_value(variable: Variable, code: float) -> str | None:
    label = variable.label(code)
    if variable.are_elements:
        symbols = [symbol for _, symbol in variable.labels if symbol in SYMBOLS]
        if label is None or label == OTHER:
            return "&".join(f"!#{_NUMBER[symbol]}" for symbol in symbols)
        return f"#{_NUMBER[label]}"
    text = label if label is not None else f"{code:g}"
    if variable.name in _FLAGS:
        return _FLAGS[variable.name][text.lower() in ("true", "1")]
    return _ATOMS[variable.name](text) if variable.name in _ATOMS else None


def _bond_value(variable: Variable, code: float) -> str | None:
    label = (variable.label(code) or "").strip().lower()
    known = [SIGNS[name] for _, own in variable.labels if (name := own.strip().lower()) in SIGNS]
    if label in SIGNS:
        return SIGNS[label]
    return "&".join(f"!{sign}" for sign in known) if known and label in ("", *OTHER_BONDS) else None


def _order(atoms: list[str], bonds: dict[tuple[int, int], str], chem: Any) -> list[int]:
    """The nodes in an order that depends on nothing but the pattern."""
    kinds = {sign: chem.BondType.values[number + 1] for number, sign in enumerate(sorted(set(bonds.values())))}
    ranks = {text: rank for rank, text in enumerate(sorted(set(atoms)), start=1)}
    molecule = chem.RWMol()
    for text in atoms:
        atom = chem.Atom("C")
        atom.SetIsotope(ranks[text])
        molecule.AddAtom(atom)
    for (u, v), sign in bonds.items():
        molecule.AddBond(u, v, kinds[sign])
    molecule.UpdatePropertyCache(strict=False)
    chem.FastFindRings(molecule)
    places = list(chem.CanonicalRankAtoms(molecule, breakTies=True))
    return sorted(range(len(atoms)), key=places.__getitem__)
