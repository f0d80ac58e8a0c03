"""Functional groups and rings of molecules under their names, known by SMARTS, and those that a pattern has."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.named_graph import named_graph
from protograph.graphs.names import ColumnNames
from protograph.molecules.read import import_chem
from protograph.molecules.write import source_molecule
from protograph.patterns.subgraph_isomorphism import Asked, places_of

PURPOSE = "naming functional groups"


@dataclass(frozen=True)
class GroupKind:
    """A kind of functional group or ring.

    Attributes:
        name: What one is called, without "a" or "an".
        smarts: How it is known. Where atoms have map numbers, these are its own, and the others its surroundings.
    """

    name: str
    smarts: str


# Those with more of the molecule in them come first: what is an ester is not called an ether as well. Atoms are held to
# their charges and numbers of neighbours, hydrogens included, so that a name is right whatever else is there.
KINDS: tuple[GroupKind, ...] = (
    # acids and what is made of them
    GroupKind("carboxylic acid group", "[CX3:1](=[OX1:2])[OX2H1:3]"),
    GroupKind("carboxylate group", "[CX3:1](=[OX1:2])[OX1-:3]"),
    GroupKind("acid anhydride group", "[CX3:1](=[OX1:2])[OX2:3][CX3:4]=[OX1:5]"),
    GroupKind("carbonate group", "[CX3:1](=[OX1:2])([OX2:3][#6])[OX2:4][#6]"),
    GroupKind("carbamate group", "[CX3:1](=[OX1:2])([OX2:3])[NX3:4]"),
    GroupKind("lactone", "[CX3;R:1](=[OX1:2])[OX2;R:3][#6;R]"),
    GroupKind("ester group", "[$([CX3][#6]),$([CX3H1]):1](=[OX1:2])[OX2;!R:3][#6;!$(C=[O,S,N])]"),
    GroupKind("thioester group", "[CX3:1](=[OX1:2])[SX2:3][#6]"),
    GroupKind("acyl halide group", "[CX3:1](=[OX1:2])[F,Cl,Br,I:3]"),
    GroupKind("urea group", "[NX3:1][CX3:2](=[OX1:3])[NX3:4]"),
    GroupKind("thiourea group", "[NX3:1][CX3:2](=[SX1:3])[NX3:4]"),
    GroupKind("hydroxamic acid group", "[CX3:1](=[OX1:2])[NX3:3][OX2H1:4]"),
    GroupKind("imide group", "[CX3:1](=[OX1:2])[NX3:3][CX3:4]=[OX1:5]"),
    GroupKind("lactam", "[CX3;R:1](=[OX1:2])([#6])[NX3;R:3]"),
    GroupKind("amide group", "[$([CX3][#6]),$([CX3H1]):1](=[OX1:2])[NX3;!$(N[#7,#8]):3]"),
    GroupKind("thioamide group", "[$([CX3][#6]),$([CX3H1]):1](=[SX1:2])[NX3:3]"),
    GroupKind("guanidine group", "[NX3:1][CX3:2](=[NX2:3])[NX3:4]"),
    GroupKind("amidine group", "[NX3:1][$([CX3][#6]),$([CX3H1]):2]=[NX2:3]"),
    # sulfur and phosphorus
    GroupKind("sulfonamide group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[NX3:4]"),
    GroupKind("sulfonic acid group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[OX2H1:4]"),
    GroupKind("sulfonate group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[OX1-:4]"),
    GroupKind("sulfonate ester group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[OX2:4][#6]"),
    GroupKind("sulfate ester group", "[SX4:1](=[OX1:2])(=[OX1:3])([OX2:4][#6])[OX2,OX1-:5]"),
    GroupKind("sulfonyl halide group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[F,Cl,Br,I:4]"),
    GroupKind("sulfone group", "[SX4:1](=[OX1:2])(=[OX1:3])([#6])[#6]"),
    GroupKind("sulfoxide group", "[$([SX3](=[OX1])([#6])[#6]),$([SX3+]([OX1-])([#6])[#6]):1]~[OX1:2]"),
    GroupKind("phosphate group", "[PX4:1](=[OX1:2])([OX2,OX1-:3])([OX2,OX1-:4])[OX2,OX1-:5]"),
    GroupKind("phosphorothioate group", "[PX4:1](=[SX1:2])([OX2:3])([OX2:4])[OX2:5]"),
    GroupKind("phosphorodithioate group", "[PX4:1](=[SX1:2])([OX2:3])([OX2:4])[SX2:5]"),
    GroupKind("phosphonate group", "[PX4:1](=[OX1:2])([#6])([OX2,OX1-:3])[OX2,OX1-:4]"),
    # nitrogen
    GroupKind("nitro group", "[$([NX3](=[OX1])=[OX1]),$([NX3+](=[OX1])[OX1-]);!$(N[#8X2]):1](~[OX1:2])~[OX1:3]"),
    GroupKind("nitrate ester group", "[NX3+:1](=[OX1:2])([OX1-:3])[OX2:4][#6]"),
    GroupKind("nitrosamine group", "[NX3:1][NX2:2]=[OX1:3]"),
    GroupKind("nitroso group", "[#6][NX2:1]=[OX1:2]"),
    GroupKind("azide group", "[$([NX2]=[NX2+]=[NX1-]),$([NX2-][NX2+]#[NX1]):1]~[NX2+:2]~[NX1,NX1-:3]"),
    GroupKind("diazonium group", "[NX2+:1]#[NX1:2]"),
    GroupKind("azo group", "[#6][NX2:1]=[NX2:2][#6]"),
    GroupKind("hydrazone group", "[CX3:1]=[NX2:2][NX3:3]"),
    GroupKind("oxime group", "[CX3:1]=[NX2:2][OX2:3]"),
    GroupKind("hydrazine group", "[NX3;!$(N[C,S]=[O,S,N]):1][NX3;!$(N[C,S]=[O,S,N]):2]"),
    GroupKind("isocyanate group", "[NX2:1]=[CX2:2]=[OX1:3]"),
    GroupKind("isothiocyanate group", "[NX2:1]=[CX2:2]=[SX1:3]"),
    GroupKind("thiocyanate group", "[SX2:1][CX2:2]#[NX1:3]"),
    GroupKind("nitrile group", "[CX2;!$(C[N,O,S]):1]#[NX1:2]"),
    GroupKind("imine group", "[CX3;!$(C[N,O,S]):1]=[NX2;!$(N[N,O,S]):2]"),
    GroupKind("N-oxide group", "[nX3+,$([NX4+]([#6])([#6])[#6]):1][OX1-:2]"),
    GroupKind("quaternary ammonium group", "[NX4+;H0;!$(N[O-]):1]"),
    GroupKind("ammonium group", "[NX4+;!H0:1]"),
    GroupKind("aromatic primary amine group", "[NX3H2;$(Nc):1]"),
    GroupKind("primary amine group", "[NX3H2;$(N[CX4]):1]"),
    GroupKind("secondary amine group", "[NX3H1;!$(N[!#6]);!$(N[#6]=[O,S,N]);!$(NC#N):1]([#6])[#6]"),
    GroupKind("tertiary amine group", "[NX3H0;!$(N[!#6]);!$(N[#6]=[O,S,N]);!$(NC#N):1]([#6])([#6])[#6]"),
    # oxygen and sulfur with single bonds, and carbonyls that are none of the above
    GroupKind("peroxide group", "[OX2:1][OX2:2]"),
    GroupKind("disulfide group", "[SX2:1][SX2:2]"),
    GroupKind("aldehyde group", "[CX3H1:1](=[OX1:2])[#6]"),
    GroupKind("quinone", "[#6;R:1]1(=[OX1:2])[#6;R:3]=,:[#6;R:4][#6;R:5](=[OX1:6])[#6;R:7]=,:[#6;R:8]1"),
    GroupKind("ketone group", "[#6][CX3:1](=[OX1:2])[#6]"),
    GroupKind("phenol group", "[OX2H1:1]c"),
    GroupKind("enol group", "[OX2H1:1][CX3]=[CX3]"),
    GroupKind("alcohol group", "[OX2H1:1][CX4]"),
    GroupKind("thiol group", "[SX2H1:1][#6]"),
    GroupKind("epoxide", "[OX2r3:1]1[CX4r3:2][CX4r3:3]1"),
    GroupKind("aziridine", "[NX3r3:1]1[CX4r3:2][CX4r3:3]1"),
    GroupKind("acetal group", "[OX2;!$(OC=[O,S,N]):1][CX4:2][OX2;!$(OC=[O,S,N]):3]"),
    GroupKind("methoxy group", "[OX2;!$(OC=[O,S,N]):1]([#6;!$(C=[O,S,N])])[CX4H3:2]"),
    GroupKind("ether group", "[OX2;!$(O[!#6]);!$(OC=[O,S,N]):1]([#6])[#6]"),
    GroupKind("thioether group", "[SX2;!$(S[!#6]);!$(SC=[O,S,N]):1]([#6])[#6]"),
    # halides and hydrocarbons
    GroupKind("trifluoromethyl group", "[CX4:1]([FX1:2])([FX1:3])[FX1:4]"),
    GroupKind("trichloromethyl group", "[CX4:1]([ClX1:2])([ClX1:3])[ClX1:4]"),
    GroupKind("aryl halide", "[F,Cl,Br,I;X1:1][c]"),
    GroupKind("vinyl halide", "[F,Cl,Br,I;X1:1][CX3;$(C=C)]"),
    GroupKind("alkyl halide", "[F,Cl,Br,I;X1:1][CX4]"),
    GroupKind("alkyne", "[CX2:1]#[CX2:2]"),
    GroupKind("allene", "[CX3:1]=[CX2:2]=[CX3:3]"),
    GroupKind("alkene", "[CX3:1]=[CX3:2]"),
    GroupKind("tert-butyl group", "[CX4:1]([CX4H3:2])([CX4H3:3])[CX4H3:4]"),
)

# Largest first: a ring of a fused system is not named beside it.
RINGS: tuple[GroupKind, ...] = (
    GroupKind(
        "steroid skeleton",
        "[#6]12~[#6]~[#6]~[#6]3~[#6](~[#6]~[#6]~[#6]4~[#6]~[#6]~[#6]~[#6]~[#6]~4~3)~[#6]~1~[#6]~[#6]~[#6]~2",
    ),
    GroupKind("pyrene", "c1cc2ccc3cccc4ccc(c1)c2c34"),
    GroupKind("phenanthrene", "c1ccc2c(c1)ccc1ccccc12"),
    GroupKind("anthracene", "c1ccc2cc3ccccc3cc2c1"),
    GroupKind("acridine", "c1ccc2nc3ccccc3cc2c1"),
    GroupKind("phenothiazine", "c1ccc2c(c1)[#7]c1ccccc1[#16]2"),
    GroupKind("carbazole", "c1ccc2c(c1)[nX3]c1ccccc12"),
    GroupKind("dibenzofuran", "c1ccc2c(c1)oc1ccccc12"),
    GroupKind("fluorene", "c1ccc2c(c1)[#6;!a,#6a]c1ccccc12"),
    GroupKind("naphthalene", "c1ccc2ccccc2c1"),
    GroupKind("quinoline", "c1ccc2ncccc2c1"),
    GroupKind("isoquinoline", "c1ccc2cnccc2c1"),
    GroupKind("quinazoline", "c1ccc2ncncc2c1"),
    GroupKind("quinoxaline", "c1ccc2nccnc2c1"),
    GroupKind("coumarin", "O=c1ccc2ccccc2o1"),
    GroupKind("purine", "c1ncc2ncnc2n1"),
    GroupKind("indole", "c1ccc2[nX3]ccc2c1"),
    GroupKind("benzimidazole", "c1ccc2[nX3]cnc2c1"),
    GroupKind("indazole", "c1ccc2[nX3]ncc2c1"),
    GroupKind("benzofuran", "c1ccc2occc2c1"),
    GroupKind("benzothiophene", "c1ccc2sccc2c1"),
    GroupKind("benzothiazole", "c1ccc2scnc2c1"),
    GroupKind("benzoxazole", "c1ccc2ocnc2c1"),
    GroupKind("benzodioxole", "c1ccc2[OX2][CX4][OX2]c2c1"),
    GroupKind("benzene ring", "c1ccccc1"),
    GroupKind("pyridine ring", "c1cc[nX2]cc1"),
    GroupKind("pyrimidine ring", "c1[nX2]c[nX2]cc1"),
    GroupKind("pyrazine ring", "c1[nX2]cc[nX2]c1"),
    GroupKind("pyridazine ring", "c1cc[nX2][nX2]c1"),
    GroupKind("triazine ring", "c1[nX2]c[nX2]c[nX2]1"),
    GroupKind("tetrazole ring", "c1nnnn1"),
    GroupKind("triazole ring", "[$(c1ncnn1),$(c1cnnn1)]1~[c,n]~[c,n]~[c,n]~[c,n]~1"),
    GroupKind("imidazole ring", "c1nccn1"),
    GroupKind("pyrazole ring", "c1ccnn1"),
    GroupKind("pyrrole ring", "c1c[nX3]cc1"),
    GroupKind("furan ring", "c1cocc1"),
    GroupKind("thiophene ring", "c1cscc1"),
    GroupKind("oxazole ring", "c1cocn1"),
    GroupKind("isoxazole ring", "c1conc1"),
    GroupKind("thiazole ring", "c1cscn1"),
    GroupKind("piperidine ring", "[CX4]1[CX4][CX4][NX3,NX4+][CX4][CX4]1"),
    GroupKind("piperazine ring", "[CX4]1[CX4][NX3,NX4+][CX4][CX4][NX3,NX4+]1"),
    GroupKind("morpholine ring", "[CX4]1[CX4][OX2][CX4][CX4][NX3,NX4+]1"),
    GroupKind("pyrrolidine ring", "[CX4]1[CX4][CX4][NX3,NX4+][CX4]1"),
    GroupKind("tetrahydrofuran ring", "[CX4]1[CX4][CX4][OX2][CX4]1"),
    GroupKind("cyclohexane ring", "[CX4]1[CX4][CX4][CX4][CX4][CX4]1"),
    GroupKind("cyclopentane ring", "[CX4]1[CX4][CX4][CX4][CX4]1"),
    GroupKind("cyclopropane ring", "[CX4]1[CX4][CX4]1"),
)
EVERY_KIND = (*KINDS, *RINGS)


@dataclass(frozen=True)
class NamedPart:
    """A functional group or a ring: of a molecule, or of a pattern wherever that is found.

    Attributes:
        name: What it is called, without "a" or "an".
        nodes: Its own nodes, ascending.
    """

    name: str
    nodes: tuple[int, ...]


def found_groups(molecule: Any) -> list[NamedPart]:
    """All functional groups and rings that have a name, rings last.

    No group has all its atoms in another one: the oxygen of an ester is no ether, the benzene of naphthalene no ring
    of its own. Hydrogens may be atoms or not.

    Args:
        molecule: RDKit's molecule, sanitised.

    Raises:
        ImportError: If RDKit is not installed.

    >>> from protograph.molecules.read import parse
    >>> sorted(group.name for group in found_groups(parse("CC(=O)Oc1ccccc1C(=O)O")))
    ['benzene ring', 'carboxylic acid group', 'ester group']
    """
    found: list[NamedPart] = []
    with import_chem(PURPOSE).rdBase.BlockLogs():
        for kinds in (KINDS, RINGS):
            taken: list[frozenset[int]] = []
            for kind in kinds:
                own = [atoms for atoms in matches_of(molecule, kind) if not any(atoms <= other for other in taken)]
                found += [NamedPart(kind.name, tuple(sorted(atoms))) for atoms in own]
                taken += own
    return found


def matches_of(molecule: Any, kind: GroupKind) -> list[frozenset[int]]:
    """Where a molecule has a group of a kind: the group's own atoms, each set once."""
    query, own = _query(kind)
    if query.GetNumAtoms() > molecule.GetNumAtoms():
        return []
    matches = molecule.GetSubstructMatches(query, maxMatches=1000)
    return list(dict.fromkeys(frozenset(match[atom] for atom in own) for match in matches))


@cache
def _query(kind: GroupKind) -> tuple[Any, tuple[int, ...]]:
    query = import_chem(PURPOSE).MolFromSmarts(kind.smarts)
    own = tuple(atom.GetIdx() for atom in query.GetAtoms() if atom.GetAtomMapNum())
    return query, own or tuple(range(query.GetNumAtoms()))


# In one molecule, so many places of a pattern are looked at; a pattern of more is of hardly any kind in all of them.
MAX_PLACES = 60
MAX_CALLS = 4000


@dataclass(frozen=True, eq=False)
class PartNamer:
    """Finds the names of patterns of molecules; graphs that are none have no names, and so it is without RDKit.

    Attributes:
        graph: Gives a graph by its index.
        features: Names of the columns of ``x``.
        edges: Names of the columns of ``edge_attr``.
    """

    graph: Callable[[int], Data]
    features: ColumnNames
    edges: ColumnNames

    def molecule(self, index: int) -> Any | None:
        """The molecule of a graph; ``None`` where it is none."""
        try:
            return source_molecule(*named_graph(self.graph(index), self.features, self.edges))
        except (ImportError, ValueError):
            return None

    def names(
        self,
        pattern: EncodedGraph | Asked,
        graphs: EncodedGraphs,
        holders: Iterable[int],
        *,
        induced: bool = False,
        closed: Collection[int] = (),
    ) -> tuple[NamedPart, ...]:
        """The parts of a pattern that have one name in all molecules that it is counted in.

        Args:
            pattern: The pattern, encoded as the graphs are.
            graphs: All graphs.
            holders: Those that contain it.
            induced: As it was counted.
            closed: As it was counted.
        """

        def places(index: int) -> list[tuple[int, ...]]:
            found = places_of(pattern, graphs[index], induced=induced, closed=closed, max_calls=MAX_CALLS)
            return list(islice(found, MAX_PLACES))

        return named_in_all((self.molecule(index), places(index)) for index in holders)


def named_in_all(occurrences: Iterable[tuple[Any | None, Sequence[tuple[int, ...]]]]) -> tuple[NamedPart, ...]:
    """The names that hold at all places of a pattern in all of some molecules, the largest parts first.

    Args:
        occurrences: Of each molecule RDKit's, and the places: its atoms in the order of the pattern's nodes. It is not
            gone through to its end where no name is left.

    >>> from protograph.molecules.read import parse
    >>> ester, acid = (parse("CC(=O)OC"), [(1, 2, 3)]), (parse("CC(=O)O"), [(1, 2, 3)])
    >>> named_in_all([ester]), named_in_all([ester, acid])
    ((NamedPart(name='ester group', nodes=(0, 1, 2)),), ())
    """
    held: set[tuple[GroupKind, frozenset[int]]] | None = None
    for molecule, places in occurrences:
        if molecule is None or not places:
            return ()
        for place in places:
            node_of = {atom: node for node, atom in enumerate(place)}
            here = {
                (kind, frozenset(node_of[atom] for atom in atoms))
                for kind in (EVERY_KIND if held is None else {kind for kind, _ in held})
                for atoms in matches_of(molecule, kind)
                if atoms <= node_of.keys()
            }
            held = here if held is None else here & held
        if not held:
            return ()
    # Each set of nodes once, under the first of its names, and none that is a part of another.
    chosen: list[tuple[GroupKind, frozenset[int]]] = []
    for kind, nodes in sorted(held or (), key=lambda one: (-len(one[1]), EVERY_KIND.index(one[0]), sorted(one[1]))):
        if not any(nodes <= other for _, other in chosen):
            chosen.append((kind, nodes))
    return tuple(NamedPart(kind.name, tuple(sorted(nodes))) for kind, nodes in chosen)
