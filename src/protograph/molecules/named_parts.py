"""What parts of a pattern of atoms are called: a name only where it holds in every molecule that has the pattern."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from torch_geometric.data import Data

from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.graphs.names import ColumnNames, named_graph
from protograph.molecules.functional_groups import EVERY_KIND, GroupKind, matches_of
from protograph.molecules.source_molecules import source_molecule
from protograph.patterns.subgraph_isomorphism import places_of

# In one molecule, so many places of a pattern are looked at; a pattern of more is of hardly any kind in all of them.
MAX_PLACES = 60
MAX_CALLS = 4000

Held = set[tuple[GroupKind, frozenset[int]]]


@dataclass(frozen=True)
class NamedPart:
    """A part of a pattern that has a name wherever the pattern is found.

    Attributes:
        name: What it is called, without "a" or "an".
        nodes: Its nodes in the pattern, ascending.
    """

    name: str
    nodes: tuple[int, ...]


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
        pattern: EncodedGraph,
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

    >>> from protograph.molecules.reading import parse
    >>> ester, acid = (parse("CC(=O)OC"), [(1, 2, 3)]), (parse("CC(=O)O"), [(1, 2, 3)])
    >>> named_in_all([ester]), named_in_all([ester, acid])
    ((NamedPart(name='ester group', nodes=(0, 1, 2)),), ())
    """
    held: Held | None = None
    for molecule, places in occurrences:
        if molecule is None or not places:
            return ()
        for place in places:
            held = _names_at(molecule, place, held)
        if not held:
            return ()
    return _without_parts_of_others(held or set())


def _names_at(molecule: Any, place: Sequence[int], held: Held | None) -> Held:
    """What has a name at a place, of what was named before."""
    node_of = {atom: node for node, atom in enumerate(place)}
    kinds = EVERY_KIND if held is None else {kind for kind, _ in held}
    here = {
        (kind, frozenset(node_of[atom] for atom in atoms))
        for kind in kinds
        for atoms in matches_of(molecule, kind)
        if atoms <= node_of.keys()
    }
    return here if held is None else here & held


def _without_parts_of_others(held: Held) -> tuple[NamedPart, ...]:
    """Each set of nodes once, under the first of its names, and none that is a part of another."""
    rank = {kind: place for place, kind in enumerate(EVERY_KIND)}
    chosen: list[tuple[GroupKind, frozenset[int]]] = []
    for kind, nodes in sorted(held, key=lambda item: (-len(item[1]), rank[item[0]], sorted(item[1]))):
        if not any(nodes <= other for _, other in chosen):
            chosen.append((kind, nodes))
    return tuple(NamedPart(kind.name, tuple(sorted(nodes))) for kind, nodes in chosen)
