"""Molecules as chemists draw them: what of them is drawn, where atoms go, and RDKit's lines and letters as strokes."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph._utils.projection import fitted_places
from protograph.molecules.read import import_chem
from protograph.molecules.write import to_rdkit

PURPOSE = "drawing molecules"
# RDKit's length of a bond.
BOND = 1.5
# Bond lengths; matched atoms that are farther off than this after turning are put where they belong instead.
MAX_OFF = 0.25
# Bond lengths; atoms closer than this lie on each other, which is worse than being off.
TOO_CLOSE = 0.45
# Bond lengths; with a longer bond it is no fair drawing, as where atoms were matched that are joined otherwise.
TOO_LONG = 1.6
# Pixels that a bond is long.
BOND_PIXELS = 30.0
# Each is read on white and on near-black (3 to 1 or more), and the letters tell the elements apart without them.
INK = "#000000"
ATOM_COLORS: Mapping[str, str] = {
    "N": "#3B7DD8",
    "O": "#D9483B",
    "S": "#A67C00",
    "P": "#C46A16",
    "F": "#23915A",
    "Cl": "#239147",
    "Br": "#B5563A",
    "I": "#8F57C2",
    "B": "#C26A5A",
}
_TAG = re.compile(r"<path (?P<attributes>[^>]*)/>")
_ATTRIBUTE = re.compile(r"([\w-]+)='([^']*)'")
_NODE = "_node"
# RDKit leaves hydrogens alone that are of a named isotope.
_KEPT = 1


@dataclass(frozen=True)
class ShownMolecule:
    """A molecule as it is drawn.

    Attributes:
        molecule: RDKit's molecule.
        nodes: Node of the graph that each of its atoms is.
    """

    molecule: Any
    nodes: tuple[int, ...]

    @property
    def atoms(self) -> dict[int, int]:
        """Atom of each node that is drawn."""
        return {node: atom for atom, node in enumerate(self.nodes)}


def without_hydrogens(molecule: Any, kept: Collection[int] = ()) -> ShownMolecule:
    """A molecule without its hydrogens, as chemists draw it; those that are kept stay atoms.

    Args:
        molecule: RDKit's molecule, atom ``i`` being node ``i``.
        kept: Nodes that are drawn in any case.

    >>> from protograph.molecules.read import parse
    >>> water = import_chem("").AddHs(parse("CO"))
    >>> without_hydrogens(water).nodes, without_hydrogens(water, kept=[5]).nodes
    ((0, 1), (0, 1, 5))
    """
    chem = import_chem(PURPOSE)
    copy = chem.Mol(molecule)
    for atom in copy.GetAtoms():
        atom.SetIntProp(_NODE, atom.GetIdx())
        if atom.GetIdx() in kept and atom.GetAtomicNum() == 1:
            atom.SetIsotope(_KEPT)
    with chem.rdBase.BlockLogs():
        try:
            copy = chem.RemoveHs(copy)
        except ValueError:  # what breaks the rules of chemistry
            copy = chem.RemoveHs(copy, updateExplicitCount=True, sanitize=False)
    for atom in copy.GetAtoms():
        if atom.GetAtomicNum() == 1 and atom.GetIsotope() == _KEPT:
            atom.SetIsotope(0)
    return ShownMolecule(copy, tuple(atom.GetIntProp(_NODE) for atom in copy.GetAtoms()))


def fragment(graph: Data, atom_names: Sequence[str], bond_names: Sequence[str], *, has_orders: bool) -> ShownMolecule:
    """A pattern as a fragment: no hydrogens are filled in, and without orders every bond is a plain line.

    Args:
        graph: The pattern.
        atom_names: Name of each column of ``x``.
        bond_names: Name of each column of ``edge_attr``.
        has_orders: Whether types of bonds counted; without, every atom is written, since a corner would be a carbon of
            single bonds.

    Raises:
        ValueError: If ``atom_names`` are not symbols of atoms for the columns of ``x``.
        ImportError: If RDKit is not installed.
    """
    chem = import_chem(PURPOSE)
    bare = graph if has_orders else Data(x=graph.x, edge_index=graph.edge_index)
    molecule = chem.RWMol(to_rdkit(bare, atom_names, bond_names if has_orders else ()))
    for atom in molecule.GetAtoms():
        atom.SetNoImplicit(True)
        atom.SetNumExplicitHs(0)
        atom.SetNumRadicalElectrons(0)
        if not has_orders or (atom.GetAtomicNum() == 6 and atom.GetDegree() <= 1):
            atom.SetProp("atomLabel", atom.GetSymbol())
    for bond in molecule.GetBonds():
        if bond.GetBondType() == chem.BondType.UNSPECIFIED:
            bond.SetBondType(chem.BondType.SINGLE)
    fragment_molecule = molecule.GetMol()
    fragment_molecule.UpdatePropertyCache(strict=False)
    return ShownMolecule(fragment_molecule, tuple(range(fragment_molecule.GetNumAtoms())))


def molecule_places(molecule: Any) -> Floats:
    """Places of all atoms, ``[num_atoms, 2]``, the molecule lying level; the same for the same molecule.

    Raises:
        ImportError: If RDKit is not installed.
    """
    copy = import_chem(PURPOSE).Mol(molecule)
    from rdkit.Chem import rdDepictor

    rdDepictor.Compute2DCoords(copy, canonOrient=True)
    if copy.GetNumAtoms() > 2:
        rdDepictor.NormalizeDepiction(copy, scaleFactor=1.0)
        rdDepictor.StraightenDepiction(copy)
    return _places(copy)


def aligned_places(molecule: Any, atoms: Sequence[int], wanted: Floats) -> Floats:
    """Places of all atoms such that some of them lie where they are wanted, as nearly as a fair drawing allows.

    The drawing is turned and, where that is better, turned over; chirality is told by wedges, which follow. Only where
    that leaves atoms off their places, it is made anew around them.

    Args:
        molecule: The molecule.
        atoms: Some of its atoms.
        wanted: Their places, ``[num_atoms, 2]``.
    """
    free = molecule_places(molecule)
    if not len(atoms):
        return free
    turned = fitted_places(free, free[list(atoms)], wanted)
    off = np.linalg.norm(turned[list(atoms)] - wanted, axis=1).max()
    if off <= MAX_OFF:
        return turned
    held = _held(molecule, atoms, wanted)
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    longest = max((float(np.linalg.norm(held[u] - held[v])) for u, v in ends), default=0.0)
    is_fair = _closest(held) > min(TOO_CLOSE, _closest(turned)) and longest <= TOO_LONG
    return held if is_fair else turned


def _held(molecule: Any, atoms: Sequence[int], wanted: Floats) -> Floats:
    """The drawing made around atoms that stay at their places."""
    from rdkit.Chem import rdDepictor
    from rdkit.Geometry import Point2D

    copy = import_chem(PURPOSE).Mol(molecule)
    points = {atom: Point2D(*map(float, place)) for atom, place in zip(atoms, wanted * BOND, strict=True)}
    rdDepictor.Compute2DCoords(copy, coordMap=points, canonOrient=False)
    return _places(copy)


def _places(molecule: Any) -> Floats:
    if not molecule.GetNumAtoms():
        return np.zeros((0, 2))
    return np.asarray(molecule.GetConformer().GetPositions()[:, :2] / BOND)


def _closest(places: Floats) -> float:
    """Distance of the two atoms that are closest."""
    from scipy.spatial.distance import pdist

    return float(pdist(places).min(initial=np.inf))


@dataclass(frozen=True)
class Stroke:
    """A path of a drawing.

    Attributes:
        path: Its commands M, L, Q, C and Z, as SVG has them.
        color: ``#RRGGBB``; that of :data:`INK` for what has no colour of its own.
        width: Of its line; 0 where it has none.
        is_filled: Whether its inside has its colour.
        dashes: Lengths of line and gap, as SVG has them; empty for a full line.
    """

    path: str
    color: str
    width: float = 0.0
    is_filled: bool = False
    dashes: str = ""


@dataclass(frozen=True)
class MoleculeDrawing:
    """A drawing of a molecule.

    Attributes:
        width: Its width in pixels.
        height: Its height.
        points: Where each atom is, ``[num_atoms, 2]``, y downwards.
        strokes: What is drawn, the first below the others.
    """

    width: float
    height: float
    points: Floats
    strokes: tuple[Stroke, ...]


def drawn_molecule(molecule: Any, places: Floats, *, bond_pixels: float = BOND_PIXELS) -> MoleculeDrawing:
    """Draw a molecule with its atoms at given places.

    Orders of bonds, aromatic rings as single and double bonds in turn, charges, hydrogens of heteroatoms and wedges are
    those of the molecule; where an aromatic part has no such form, it is drawn with broken lines.

    Args:
        molecule: RDKit's molecule.
        places: Of each atom, a bond being about 1 long.
        bond_pixels: Pixels that this is.

    Raises:
        ImportError: If RDKit is not installed.

    >>> from protograph.molecules.draw import molecule_places
    >>> from protograph.molecules.read import parse
    >>> acid = parse("CC(=O)O")
    >>> drawing = drawn_molecule(acid, molecule_places(acid))
    >>> sorted({stroke.color for stroke in drawing.strokes}), drawing.points.shape
    (['#000000', '#D9483B'], (4, 2))
    """
    import_chem(PURPOSE)
    from rdkit.Chem.Draw import rdMolDraw2D

    canvas = rdMolDraw2D.MolDraw2DSVG(-1, -1)
    _set_options(canvas.drawOptions(), bond_pixels)
    canvas.DrawMolecule(_prepared(molecule, places, rdMolDraw2D))
    canvas.FinishDrawing()
    text = canvas.GetDrawingText()
    points = [canvas.GetDrawCoords(atom) for atom in range(molecule.GetNumAtoms())]
    places = np.array([(point.x, point.y) for point in points]).reshape(-1, 2)
    return MoleculeDrawing(float(canvas.Width()), float(canvas.Height()), places, _strokes(text))


def _set_options(options: Any, bond_pixels: float) -> None:
    chem = import_chem(PURPOSE)
    number = chem.GetPeriodicTable().GetAtomicNumber
    colors = {
        number(name): tuple(value / 255 for value in bytes.fromhex(color[1:])) for name, color in ATOM_COLORS.items()
    }
    # Every element that has no colour is black, which -1 stands for.
    options.setAtomPalette({-1: (0, 0, 0), **colors})
    options.scalingFactor = bond_pixels / BOND
    options.clearBackground = False
    options.prepareMolsBeforeDrawing = False
    options.bondLineWidth = 1.6
    options.padding = 0.02
    options.additionalAtomLabelPadding = 0.06
    options.minFontSize = round(0.4 * bond_pixels)
    options.maxFontSize = round(0.57 * bond_pixels)


def _prepared(molecule: Any, places: Floats, drawer: Any) -> Any:
    chem = import_chem(PURPOSE)
    copy = chem.Mol(molecule)
    conformer = chem.Conformer(copy.GetNumAtoms())
    conformer.Set3D(False)
    for atom, (x, y) in enumerate((places * BOND).tolist()):
        conformer.SetAtomPosition(atom, (x, y, 0.0))
    copy.RemoveAllConformers()
    copy.AddConformer(conformer, assignId=True)
    with chem.rdBase.BlockLogs():
        try:
            return drawer.PrepareMolForDrawing(copy, kekulize=True, addChiralHs=False)
        except ValueError:  # an aromatic part without a form of single and double bonds
            return drawer.PrepareMolForDrawing(copy, kekulize=False, addChiralHs=False)


def _strokes(text: str) -> tuple[Stroke, ...]:
    """The paths of RDKit's SVG; lines of one look become one path, which is shorter to write."""
    joined: dict[Stroke, list[str]] = {}
    for tag in _TAG.finditer(text):
        attributes: dict[str, str] = dict(_ATTRIBUTE.findall(tag["attributes"]))
        style: dict[str, str] = dict(
            part.split(":", 1) for part in attributes.get("style", "").split(";") if ":" in part
        )
        fill = attributes.get("fill", style.get("fill", "none"))
        line = attributes.get("stroke", style.get("stroke", "none"))
        look = Stroke(
            "",
            (line if fill == "none" else fill).upper(),
            0.0 if line == "none" else float(style.get("stroke-width", "1").removesuffix("px")),
            fill != "none",
            style.get("stroke-dasharray", ""),
        )
        joined.setdefault(look, []).append(attributes.get("d", "").strip())
    return tuple(
        Stroke(" ".join(paths), look.color, look.width, look.is_filled, look.dashes) for look, paths in joined.items()
    )
