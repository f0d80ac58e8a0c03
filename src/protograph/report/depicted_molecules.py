"""Molecules as pictures: drawn as chemists do, a pattern highlighted in them or by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from protograph._utils.arrays import Floats
from protograph.graphs.elements import are_atoms
from protograph.graphs.named_graph import NamedGraph
from protograph.molecules.draw import (
    ATOM_COLORS,
    BOND_PIXELS,
    INK,
    MoleculeDrawing,
    ShownMolecule,
    Stroke,
    aligned_places,
    drawn_molecule,
    fragment,
    molecule_places,
    without_hydrogens,
)
from protograph.molecules.write import source_molecule, to_smiles
from protograph.report.markup import Marks, halos, svg, tag, targets

# Pixels of the disc behind an atom, and of a bond of a part, which is drawn larger than a whole molecule.
RADIUS = 11.0
PART_BOND = 40.0
# Around a drawing, so that discs and rings of the outermost atoms are whole, and their numbers too.
MARGIN, NUMBERS = 14.0, 9.0


@dataclass(frozen=True)
class PlacedMolecule:
    """A molecule with its atoms on paper.

    Attributes:
        shown: What is drawn.
        places: Of each atom that is drawn, a bond being about 1 long.
        bond_pixels: Pixels that this is on a page.
    """

    shown: ShownMolecule
    places: Floats
    bond_pixels: float = BOND_PIXELS

    def place_of(self, node: int) -> Floats | None:
        """Where a node is; ``None`` where it is not drawn."""
        atom = self.shown.atoms.get(node)
        return None if atom is None else self.places[atom]

    @property
    def smiles(self) -> str:
        """Its SMILES, hydrogens left out."""
        return to_smiles(without_hydrogens(self.shown.molecule).molecule)

    def draw(self) -> MoleculeDrawing:
        """Its lines and letters."""
        return drawn_molecule(self.shown.molecule, self.places, bond_pixels=self.bond_pixels)


def placed_molecule(named: NamedGraph, kept: Mapping[int, Floats | None] | None = None) -> PlacedMolecule | None:
    """A graph as a molecule on paper; ``None`` where it is none, or RDKit is not installed.

    Args:
        named: The graph.
        kept: Nodes that are drawn in any case, with the places that they are to have, ``None`` for any.
    """
    kept = kept or {}
    try:
        molecule = source_molecule(*named)
        if molecule is None:
            return None
        # Where types of bonds are not known, nothing is said of them, nor of hydrogens.
        is_known = all(str(bond.GetBondType()) != "UNSPECIFIED" for bond in molecule.GetBonds())
        shown = without_hydrogens(molecule, kept) if is_known else fragment(*named, has_orders=False)
    except (ImportError, ValueError):
        return None
    wanted = {node: place for node, place in kept.items() if place is not None and node in shown.atoms}
    atoms = [shown.atoms[node] for node in wanted]
    return PlacedMolecule(shown, aligned_places(shown.molecule, atoms, np.array(list(wanted.values()))))


def placed_fragment(named: NamedGraph, places: Floats | None = None, *, has_orders: bool) -> PlacedMolecule | None:
    """A pattern as a fragment of a molecule; ``None`` where it is none, or RDKit is not installed.

    Args:
        named: The pattern.
        places: Of each of its nodes; ``None`` for any.
        has_orders: Whether types of bonds counted.
    """
    if not are_atoms(named.feature_names):
        return None
    try:
        shown = fragment(*named, has_orders=has_orders)
    except (ImportError, ValueError):
        return None
    return PlacedMolecule(shown, molecule_places(shown.molecule) if places is None else places, PART_BOND)


def molecule_markup(
    placed: PlacedMolecule, marks: Marks, label: str, titles: Mapping[int, str] = MappingProxyType({})
) -> str:
    """A molecule as SVG text; of nodes without a title, atom and number are said when they are pointed at."""
    drawing = placed.draw()
    nodes = placed.shown.nodes
    points = np.full((max(nodes, default=-1) + 1, 2), np.nan)
    points[list(nodes)] = drawing.points
    of_nodes = {node: (float(x), float(y)) for node, (x, y) in zip(nodes, drawing.points.tolist(), strict=True)}
    drawn = Marks(
        {node: number for node, number in marks.nodes.items() if node in of_nodes},
        [ends for ends in marks.edges if of_nodes.keys() >= set(ends)],
        marks.closed,
        marks.is_numbered,
    )
    ends = ((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in placed.shown.molecule.GetBonds())
    bonds = [(nodes[first], nodes[second]) for first, second in ends]
    told = {node: titles.get(node) or _title(placed, atom) for node, atom in placed.shown.atoms.items()}
    return svg(
        drawing.width,
        drawing.height,
        label,
        halos(points, drawn, RADIUS),
        *map(stroke_markup, drawing.strokes),
        targets(of_nodes, bonds, drawn, RADIUS, told),
        kind="molecule",
        margin=MARGIN + NUMBERS * marks.is_numbered,
    )


def _title(placed: PlacedMolecule, number: int) -> str:
    atom = placed.shown.molecule.GetAtomWithIdx(number)
    charge = atom.GetFormalCharge()
    sign = "" if not charge else f"{abs(charge) if abs(charge) > 1 else ''}{'+' if charge > 0 else '-'}"
    return f"{atom.GetSymbol()}{sign}, atom {placed.shown.nodes[number]}"


def stroke_markup(stroke: Stroke) -> str:
    """A path of a drawing as SVG; what is black has the colour of the page's text."""
    element = next((name for name, color in ATOM_COLORS.items() if color == stroke.color), None)
    own = None if stroke.color == INK else stroke.color
    return tag(
        "path",
        class_=element and f"pg-{element}",
        color=own,
        d=stroke.path,
        fill="currentColor" if stroke.is_filled else "none",
        stroke="currentColor" if stroke.width else None,
        stroke_width=stroke.width or None,
        stroke_linecap="round" if stroke.width else None,
        stroke_dasharray=stroke.dashes or None,
    )
