"""Molecules as chemists draw them: RDKit's lines and letters at given places, as strokes that any canvas can take."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protograph._base.arrays import Floats
from protograph.molecules.placing import BOND, PURPOSE
from protograph.molecules.reading import import_chem

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
_SIZE = re.compile(r"width='(\d+)px' height='(\d+)px'")


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

    >>> from protograph.molecules.placing import molecule_places
    >>> from protograph.molecules.reading import parse
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
    size = _SIZE.search(text)
    width, height = map(float, size.groups()) if size else (1.0, 1.0)
    return MoleculeDrawing(
        width, height, np.array([(point.x, point.y) for point in points]).reshape(-1, 2), _strokes(text)
    )


def _set_options(options: Any, bond_pixels: float) -> None:
    chem = import_chem(PURPOSE)
    number = chem.GetPeriodicTable().GetAtomicNumber
    # Every element that has no colour is black, which -1 stands for.
    options.setAtomPalette({-1: (0, 0, 0), **{number(name): _rgb(color) for name, color in ATOM_COLORS.items()}})
    options.scalingFactor = bond_pixels / BOND
    options.clearBackground = False
    options.prepareMolsBeforeDrawing = False
    options.bondLineWidth = 1.6
    options.padding = 0.02
    options.additionalAtomLabelPadding = 0.06
    options.minFontSize = round(0.4 * bond_pixels)
    options.maxFontSize = round(0.57 * bond_pixels)


def _rgb(color: str) -> tuple[float, float, float]:
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return red, green, blue


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
