"""Rings and functional groups of molecules, named only where what the graph holds makes them certain."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx

from protograph._base.words import counted, listed, number_word
from protograph.explanation.describing.composition import counts_of_kinds
from protograph.explanation.describing.molecule import Molecule
from protograph.explanation.describing.motifs import MAX_NODES, fused_rings, ring_sizes


@dataclass(frozen=True)
class Group:
    """A functional group: its name, its formula, and the atoms that are its own."""

    name: str
    formula: str
    atoms: frozenset[int]


def name_molecule(molecule: Molecule, kinds: Sequence[int], feature_names: Sequence[str]) -> str | None:
    """Name a molecule by its rings and functional groups; ``None`` where it has neither.

    >>> nitro = Molecule(networkx.path_graph(3), "ONO", {})
    >>> name_molecule(nitro, [2, 1, 2], ("C", "N", "O"))
    'a nitro group (NO2)'
    """
    if len(molecule.graph) > MAX_NODES:
        return None
    rings = [_ring_system(block, molecule, kinds, feature_names) for block in molecule.ring_systems]
    groups = find_groups(molecule)
    if not rings and not groups:
        return None
    named = molecule.ring_atoms.union(*(group.atoms for group in groups))
    left = [atom for atom in molecule.graph if atom not in named]
    text = _sentence(rings, groups, *_rest(molecule, left, kinds, feature_names))
    num_parts = networkx.number_connected_components(molecule.graph)
    return text if num_parts == 1 else f"{text}, in {number_word(num_parts)} parts"


def _sentence(rings: Sequence["_Rings"], groups: Sequence[Group], heavy: list[str], hydrogens: list[str]) -> str:
    """Rings first, or else the heavy atoms that have no name; then what hangs on them."""
    tally = _tally([(group.name, group.formula) for group in groups])
    if not rings and not heavy:
        return listed([*(f"{_several(name, number)} ({formula})" for (name, formula), number in tally), *hydrogens])
    parts = [*(_several(name, number) for (name, _), number in tally), *(heavy if rings else ()), *hydrogens]
    base = _ring_names(rings) if rings else listed(heavy)
    # Several rings are a list themselves, from which the comma parts what they carry.
    comma = "," if len(set(rings)) > 1 else ""
    return f"{base}{comma} with {listed(parts)}" if parts else base


def _ring_names(rings: Sequence["_Rings"]) -> str:
    if len(rings) == 1:
        return rings[0].alone
    return " plus ".join(
        ring.one if number == 1 else f"{number_word(number)} {ring.several}" for ring, number in _tally(rings)
    )


def _tally(items: Sequence[Any]) -> list[tuple[Any, int]]:
    """Each with how often it occurs; by name where equally often, as the order of nodes must not matter."""
    return sorted(Counter(items).items(), key=lambda item: (-item[1], str(item[0])))


def _several(name: str, number: int) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}" if number == 1 else counted(number, name)


def _rest(
    molecule: Molecule, atoms: Sequence[int], kinds: Sequence[int], feature_names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The atoms in no ring or group: heavy ones, and hydrogens."""
    heavy = [kinds[atom] for atom in atoms if molecule.symbols[atom] != "H"]
    hydrogens = [kinds[atom] for atom in atoms if molecule.symbols[atom] == "H"]
    # Only the elements that rings have as well are further ones.
    in_rings = {kinds[atom] for atom in molecule.ring_atoms}
    known = counts_of_kinds([kind for kind in heavy if kind in in_rings], feature_names, word="further ")
    new = counts_of_kinds([kind for kind in heavy if kind not in in_rings], feature_names)
    return known + new, counts_of_kinds(hydrogens, feature_names)


@dataclass(frozen=True)
class _Rings:
    """A ring system in words: alone, beside others, and several of them."""

    alone: str
    one: str
    several: str


def _ring_system(block: Any, molecule: Molecule, kinds: Sequence[int], feature_names: Sequence[str]) -> _Rings:
    is_carbon = all(molecule.symbols[atom] == "C" for atom in block)
    # Aromatic as a ring only where every bond is known to be: single and double bonds in turn are not looked at.
    is_aromatic = is_carbon and all(molecule.bond(*edge) == "aromatic" for edge in block.edges)
    atoms = listed(counts_of_kinds([kinds[atom] for atom in block], feature_names))
    if block.size() == len(block):
        if is_aromatic and len(block) == 6:
            return _Rings("a benzene ring", "a benzene ring", "benzene rings")
        return _Rings(f"{atoms} in a ring", f"a ring of {atoms}", f"rings of {atoms}")
    sizes = fused_rings(block)
    if sizes is None:
        of_rings = f"of {number_word(block.size() - len(block) + 1)} rings"
        one = f"a system {of_rings} ({atoms})"
        return _Rings(f"{atoms} in a system {of_rings}", one, f"systems {of_rings} ({atoms})")
    if is_aromatic and sizes == (6, 6):
        return _Rings("naphthalene", "naphthalene", "naphthalenes")
    fused = f"{number_word(len(sizes))} fused rings of {ring_sizes(sizes)}"
    if is_carbon:
        return _Rings(f"{fused} carbons", f"{fused} carbons", f"times {fused} carbons")
    return _Rings(f"{atoms} in {fused}", f"{fused} ({atoms})", f"times {fused} ({atoms})")


def find_groups(molecule: Molecule) -> list[Group]:
    """All functional groups that are certain. No atom is in two of them.

    >>> [group.formula for group in find_groups(Molecule(networkx.path_graph(3), "HNH", {}))]
    ['NH2']
    """
    found: list[Group] = []
    taken: set[int] = set()
    for finder in FINDERS:
        for atom in molecule.graph:
            group = finder(molecule, atom)
            if group is not None and taken.isdisjoint(group.atoms):
                found.append(group)
                taken |= group.atoms
    return found


def _group(name: str, formula: str, molecule: Molecule, atoms: Sequence[int]) -> Group:
    # An atom of a ring stays the ring's: a quinone is a ring with two carbonyl groups.
    return Group(f"{name} group", formula, frozenset(atoms) - molecule.ring_atoms)


def _nitro(molecule: Molecule, atom: int) -> Group | None:
    """N with two terminal O: by the atoms alone, as hardly anything else has them; nitrate has a third."""
    oxygens = molecule.terminal(atom, "O")
    if molecule.symbols[atom] != "N" or len(oxygens) != 2 or molecule.graph.degree(atom) > 3:
        return None
    types = {molecule.bond(atom, other) for other in oxygens}
    # Written with charges, or with two double bonds; two single bonds are none of both.
    is_nitro = None in types or types in ({"double"}, {"single", "double"})
    return _group("nitro", "NO2", molecule, [atom, *oxygens]) if is_nitro else None


def _sulfonyl(molecule: Molecule, atom: int) -> Group | None:
    """S with two terminal O, both by double bonds where these are known."""
    oxygens = molecule.terminal(atom, "O")
    if molecule.symbols[atom] != "S" or len(oxygens) != 2 or molecule.graph.degree(atom) > 4:
        return None
    is_certain = {molecule.bond(atom, other) for other in oxygens} <= {None, "double"}
    return _group("sulfonyl", "SO2", molecule, [atom, *oxygens]) if is_certain else None


def _carboxyl(molecule: Molecule, atom: int) -> Group | None:
    """C with O by a known double bond, and an O that has a hydrogen."""
    doubles = _double_oxygens(molecule, atom)
    hydroxyls = [other for other in molecule.neighbours(atom, "O") if _hydroxyl(molecule, other)]
    if len(doubles) != 1 or len(hydroxyls) != 1:
        return None
    atoms = [atom, *doubles, *hydroxyls, *molecule.neighbours(hydroxyls[0], "H")]
    return _group("carboxyl", "COOH", molecule, atoms)


def _carbonyl(molecule: Molecule, atom: int) -> Group | None:
    """C with one O by a known double bond; with two it is carbon dioxide."""
    doubles = _double_oxygens(molecule, atom)
    return _group("carbonyl", "C=O", molecule, [atom, *doubles]) if len(doubles) == 1 else None


def _double_oxygens(molecule: Molecule, atom: int) -> list[int]:
    if molecule.symbols[atom] != "C":
        return []
    return [other for other in molecule.terminal(atom, "O") if molecule.bond(atom, other) == "double"]


def _nitrile(molecule: Molecule, atom: int) -> Group | None:
    """C with a terminal N by a known triple bond."""
    ends = [other for other in molecule.terminal(atom, "N") if molecule.bond(atom, other) == "triple"]
    is_nitrile = molecule.symbols[atom] == "C" and len(ends) == 1
    return _group("nitrile", "CN", molecule, [atom, *ends]) if is_nitrile else None


def _trifluoromethyl(molecule: Molecule, atom: int) -> Group | None:
    fluorines = molecule.terminal(atom, "F")
    is_certain = molecule.symbols[atom] == "C" and len(fluorines) == 3 and molecule.graph.degree(atom) <= 4
    return _group("trifluoromethyl", "CF3", molecule, [atom, *fluorines]) if is_certain else None


def _amino(molecule: Molecule, atom: int) -> Group | None:
    """N with two hydrogens that are nodes. Beside C=O or S it belongs to an amide, which is no amino group."""
    hydrogens = molecule.terminal(atom, "H")
    if molecule.symbols[atom] != "N" or len(hydrogens) != 2 or molecule.graph.degree(atom) > 3:
        return None
    beside = [other for other in molecule.neighbours(atom) if other not in hydrogens]
    # A terminal O whose bond is not known may well be C=O.
    may_be_amide = any(
        molecule.symbols[other] not in ("C", "N")
        or any(molecule.bond(other, oxygen) != "single" for oxygen in molecule.terminal(other, "O"))
        for other in beside
    )
    is_single = {molecule.bond(atom, other) for other in beside} <= {None, "single"}
    return _group("amino", "NH2", molecule, [atom, *hydrogens]) if is_single and not may_be_amide else None


def _hydroxyl(molecule: Molecule, atom: int) -> Group | None:
    """O with one hydrogen that is a node; with two it is water."""
    hydrogens = molecule.terminal(atom, "H")
    is_certain = molecule.symbols[atom] == "O" and len(hydrogens) == 1 and molecule.graph.degree(atom) <= 2
    return _group("hydroxyl", "OH", molecule, [atom, *hydrogens]) if is_certain else None


def _methyl(molecule: Molecule, atom: int) -> Group | None:
    """C with three hydrogens that are nodes; with four it is methane."""
    hydrogens = molecule.terminal(atom, "H")
    is_certain = molecule.symbols[atom] == "C" and len(hydrogens) == 3 and molecule.graph.degree(atom) <= 4
    return _group("methyl", "CH3", molecule, [atom, *hydrogens]) if is_certain else None


# Those with more atoms first: what is in a carboxyl group is no carbonyl and no hydroxyl.
FINDERS: Sequence[Callable[[Molecule, int], Group | None]] = (
    _carboxyl,
    _nitro,
    _sulfonyl,
    _trifluoromethyl,
    _carbonyl,
    _nitrile,
    _amino,
    _methyl,
    _hydroxyl,
)
