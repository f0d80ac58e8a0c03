"""Rings and functional groups of molecules, named only where what the graph holds makes them certain."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import networkx
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.words import counted, listed, number_word, with_article
from protograph.explanation.describing.motifs import MAX_NODES, counts_of_kinds, fused_rings, ring_sizes
from protograph.graphs.elements import element_name

BONDS = ("single", "double", "triple", "aromatic")


@dataclass(frozen=True)
class Molecule:
    """A molecule or a fragment of one: an atom without neighbours here may have had some where it was cut.

    Attributes:
        graph: A :class:`networkx.Graph` of the atoms 0, 1, ...
        symbols: Symbol of each atom.
        bonds: Type of each bond, by the pair of its atoms; those of no known type are not in it.
    """

    graph: Any
    symbols: Sequence[str]
    bonds: dict[frozenset[int], str]

    def bond(self, first: int, second: int) -> str | None:
        """Type of the bond between two atoms; ``None`` where it is not known."""
        return self.bonds.get(frozenset((first, second)))

    def neighbours(self, atom: int, symbol: str | None = None) -> list[int]:
        """Atoms joined to an atom, all or those of one element."""
        return [other for other in self.graph[atom] if symbol in (None, self.symbols[other])]

    def terminal(self, atom: int, symbol: str) -> list[int]:
        """Atoms of an element that are joined to this atom alone."""
        return [other for other in self.neighbours(atom, symbol) if self.graph.degree(other) == 1]

    @cached_property
    def ring_systems(self) -> list[Any]:
        """Rings, and rings that share atoms, largest first: what no cut of a single atom takes apart."""
        blocks = [self.graph.subgraph(atoms) for atoms in networkx.biconnected_components(self.graph) if len(atoms) > 2]
        return sorted(blocks, key=lambda block: (-len(block), -block.size()))

    @cached_property
    def ring_atoms(self) -> frozenset[int]:
        """All atoms of rings."""
        return frozenset().union(*self.ring_systems)


def bond_types(graph: Data, edge_names: Sequence[str]) -> dict[frozenset[int], str]:
    """Type of each bond that ``edge_attr`` names in one column, alike in both directions.

    >>> import torch
    >>> graph = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), edge_attr=torch.eye(2)[[1, 1, 0]])
    >>> sorted(bond_types(graph, ("other", "DOUBLE")).values())
    ['double']
    """
    values = graph.edge_attr
    if not isinstance(values, Tensor) or values.dim() != 2 or values.size(1) != len(edge_names):
        return {}
    is_named = (((values == 0) | (values == 1)).all(dim=1) & (values.sum(dim=1) == 1)).tolist()
    names = [str(name).strip().lower() for name in edge_names]
    types = defaultdict(set)
    for ends, row, named in zip(graph.edge_index.T.tolist(), values.tolist(), is_named, strict=True):
        types[frozenset(ends)].add(names[row.index(1)] if named else None)
    # Directions that disagree leave a bond unknown.
    return {ends: kind for ends, (kind, *others) in types.items() if kind in BONDS and not others}


@dataclass(frozen=True)
class Group:
    """A functional group, or an atom with its ends: what it is called, its formula, and the atoms that are its own."""

    name: str
    plural: str
    formula: str
    atoms: frozenset[int]


def name_molecule(
    molecule: Molecule, kinds: Sequence[int], feature_names: Sequence[str], rules: "Sequence[Rule] | None" = None
) -> str | None:
    """Name a molecule by its rings and functional groups; ``None`` where it has neither.

    Args:
        molecule: The molecule.
        kinds: Column of each atom.
        feature_names: Names of the columns.
        rules: How functional groups are known; ``None`` for :data:`RULES`.

    >>> nitro = Molecule(networkx.path_graph(3), "ONO", {})
    >>> name_molecule(nitro, [2, 1, 2], ("C", "N", "O"))
    'a nitro group (NO2)'
    """
    if len(molecule.graph) > MAX_NODES:
        return None
    rings = [_ring_system(block, molecule, kinds, feature_names) for block in molecule.ring_systems]
    groups = find_groups(molecule, rules)
    if not rings and not groups:
        return None
    named = molecule.ring_atoms.union(*(group.atoms for group in groups))
    left = [atom for atom in molecule.graph if atom not in named]
    text = _sentence(rings, groups, *_rest(molecule, left, kinds, feature_names))
    num_parts = networkx.number_connected_components(molecule.graph)
    return text if num_parts == 1 else f"{text}, in {number_word(num_parts)} parts"


def _sentence(rings: Sequence["_Rings"], groups: Sequence[Group], heavy: list[str], hydrogens: list[str]) -> str:
    """Rings first, or else the heavy atoms that have no name; then what hangs on them."""
    tally = _tally([(group.name, group.plural, group.formula) for group in groups])
    named = [
        (with_article(name) if number == 1 else counted(number, name, plural), formula)
        for (name, plural, formula), number in tally
    ]
    if not rings and not heavy:
        return listed([*(f"{name} ({formula})" for name, formula in named), *hydrogens])
    # Never "with ... with".
    bearing = [name.replace(" with ", " bearing ") for name, _ in named]
    parts = [*bearing, *(heavy if rings else ()), *hydrogens]
    base = listed(heavy)
    if rings:
        several = [
            ring.one if number == 1 else f"{number_word(number)} {ring.several}" for ring, number in _tally(rings)
        ]
        base = rings[0].alone if len(rings) == 1 else " plus ".join(several)
    # Several rings are a list themselves, from which the comma parts what they carry.
    comma = "," if len(set(rings)) > 1 else ""
    return f"{base}{comma} with {listed(parts)}" if parts else base


def _tally(items: Sequence[Any]) -> list[tuple[Any, int]]:
    """Each with how often it occurs; by name where equally often, as the order of nodes must not matter."""
    return sorted(Counter(items).items(), key=lambda item: (-item[1], str(item[0])))


def _rest(
    molecule: Molecule, atoms: Sequence[int], kinds: Sequence[int], feature_names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The atoms in no ring or group: heavy ones, and hydrogens."""
    heavy = [kinds[atom] for atom in atoms if molecule.symbols[atom] != "H"]
    # Only the elements that rings have as well are further ones.
    in_rings = {kinds[atom] for atom in molecule.ring_atoms}
    further = counts_of_kinds([kind for kind in heavy if kind in in_rings], feature_names, word="further ")
    others = counts_of_kinds([kind for kind in heavy if kind not in in_rings], feature_names)
    hydrogens = [kinds[atom] for atom in atoms if molecule.symbols[atom] == "H"]
    return further + others, counts_of_kinds(hydrogens, feature_names)


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
        return _Rings(
            f"{atoms} in a system {of_rings}", f"a system {of_rings} ({atoms})", f"systems {of_rings} ({atoms})"
        )
    if is_aromatic and sizes == (6, 6):
        return _Rings("naphthalene", "naphthalene", "naphthalenes")
    fused = f"{number_word(len(sizes))} fused rings of {ring_sizes(sizes)}"
    if is_carbon:
        return _Rings(f"{fused} carbons", f"{fused} carbons", f"times {fused} carbons")
    return _Rings(f"{atoms} in {fused}", f"{fused} ({atoms})", f"times {fused} ({atoms})")


def find_groups(molecule: Molecule, rules: "Sequence[Rule] | None" = None) -> list[Group]:
    """All functional groups that are certain. No atom is in two of them.

    Args:
        molecule: The molecule.
        rules: How they are known; ``None`` for :data:`RULES`.

    >>> [group.formula for group in find_groups(Molecule(networkx.path_graph(3), "HNH", {}))]
    ['NH2']
    """
    groups: list[Group] = []
    taken: set[int] = set()
    for rule, atom in product(RULES if rules is None else rules, molecule.graph):
        atoms = rule.atoms(molecule, atom)
        if atoms and taken.isdisjoint(own := atoms - molecule.ring_atoms):
            # An atom of a ring stays the ring's: a quinone is a ring with two carbonyl groups.
            groups.append(Group(*rule.names, rule.formula, own))
            taken |= own
    return groups


@dataclass(frozen=True)
class Rule:
    """How a functional group is known: an atom, and so many terminal atoms of one element at it.

    Attributes:
        name: Its name.
        formula: Its formula.
        center: Symbol of the atom in the middle.
        end: Symbol of the terminal atoms.
        number: How many of them there are, no more and no fewer.
        max_degree: Most neighbours that the atom in the middle may have.
        bond: The type of bond by which they are joined, which must be known; others do not count. ``None`` for any.
        is_certain: What else must hold of the atom and its ends.
    """

    name: str
    formula: str
    center: str
    end: str
    number: int
    max_degree: float = math.inf
    bond: str | None = None
    is_certain: Callable[[Molecule, int, Sequence[int]], bool] = lambda molecule, atom, ends: True

    @property
    def names(self) -> tuple[str, str]:
        """What one of them is called, and several."""
        return f"{self.name} group", f"{self.name} groups"

    def atoms(self, molecule: Molecule, atom: int) -> frozenset[int]:
        """The atoms of the group around an atom; none where it is no such group."""
        ends = molecule.terminal(atom, self.end)
        if self.bond is not None:
            ends = [end for end in ends if molecule.bond(atom, end) == self.bond]
        is_group = molecule.symbols[atom] == self.center and len(ends) == self.number
        if not is_group or molecule.graph.degree(atom) > self.max_degree or not self.is_certain(molecule, atom, ends):
            return frozenset()
        return frozenset((atom, *ends))


@dataclass(frozen=True)
class _Carboxyl(Rule):
    """A carbonyl group at whose carbon there is one hydroxyl group."""

    def atoms(self, molecule: Molecule, atom: int) -> frozenset[int]:
        carbonyl = super().atoms(molecule, atom)
        hydroxyls = [group for other in molecule.neighbours(atom) if (group := HYDROXYL.atoms(molecule, other))]
        return carbonyl | hydroxyls[0] if carbonyl and len(hydroxyls) == 1 else frozenset()


def _is_nitro(molecule: Molecule, atom: int, oxygens: Sequence[int]) -> bool:
    """By the atoms alone, as hardly anything else has them; nitrate has a third O."""
    types = {molecule.bond(atom, other) for other in oxygens}
    # Written with charges, or with two double bonds; two single bonds are neither.
    return None in types or types in ({"double"}, {"single", "double"})


def _is_sulfonyl(molecule: Molecule, atom: int, oxygens: Sequence[int]) -> bool:
    """Both by double bonds where these are known."""
    return {molecule.bond(atom, other) for other in oxygens} <= {None, "double"}


def _is_amino(molecule: Molecule, atom: int, hydrogens: Sequence[int]) -> bool:
    """Beside C=O or S it belongs to an amide, which is no amino group."""
    beside = [other for other in molecule.neighbours(atom) if other not in hydrogens]
    # A terminal O whose bond is not known may well be C=O.
    may_be_amide = any(
        molecule.symbols[other] not in ("C", "N")
        or any(molecule.bond(other, oxygen) != "single" for oxygen in molecule.terminal(other, "O"))
        for other in beside
    )
    return not may_be_amide and {molecule.bond(atom, other) for other in beside} <= {None, "single"}


@dataclass(frozen=True)
class _WithEnds(Rule):
    """An atom outside of rings and its ends, whatever bonds join them."""

    @property
    def names(self) -> tuple[str, str]:
        ends = f"with {counted(self.number, element_name(self.end))}"
        return f"{self.name} {ends}", f"{self.name}s {ends} each"

    def atoms(self, molecule: Molecule, atom: int) -> frozenset[int]:
        return frozenset() if atom in molecule.ring_atoms else super().atoms(molecule, atom)


# Hydrogens count only where they are nodes. One more at the same atom makes it water, ammonia or methane.
HYDROXYL = Rule("hydroxyl", "OH", "O", "H", 1, max_degree=2)
METHYL = Rule("methyl", "CH3", "C", "H", 3, max_degree=4)
TRIFLUOROMETHYL = Rule("trifluoromethyl", "CF3", "C", "F", 3, max_degree=4)
# Those with more atoms first: what is in a carboxyl group is no carbonyl and no hydroxyl.
RULES = (
    _Carboxyl("carboxyl", "COOH", "C", "O", 1, bond="double"),
    Rule("nitro", "NO2", "N", "O", 2, max_degree=3, is_certain=_is_nitro),
    Rule("sulfonyl", "SO2", "S", "O", 2, max_degree=4, is_certain=_is_sulfonyl),
    TRIFLUOROMETHYL,
    Rule("carbonyl", "C=O", "C", "O", 1, bond="double"),  # with two it is carbon dioxide
    Rule("nitrile", "CN", "C", "N", 1, bond="triple"),
    Rule("amino", "NH2", "N", "H", 2, max_degree=3, is_certain=_is_amino),
    METHYL,
    HYDROXYL,
)
# Where types of bonds did not count, a name must hold whatever they are: hydrogen and fluorine have one bond each.
NEUTRAL_RULES = (
    _WithEnds("nitrogen", "NO2", "N", "O", 2),
    _WithEnds("sulfur", "SO2", "S", "O", 2),
    TRIFLUOROMETHYL,
    _WithEnds("nitrogen", "NH2", "N", "H", 2),
    METHYL,
    HYDROXYL,
)
