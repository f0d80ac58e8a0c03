"""Where atoms go on paper, a bond being about 1 long: RDKit's places, turned so that matched atoms lie alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from protograph._base.arrays import Floats
from protograph._base.superposing import fitted_places
from protograph.molecules.reading import import_chem

PURPOSE = "drawing molecules"
# RDKit's length of a bond.
BOND = 1.5
# Bond lengths; matched atoms that are farther off than this after turning are put where they belong instead.
MAX_OFF = 0.25
# Bond lengths; atoms closer than this lie on each other, which is worse than being off.
TOO_CLOSE = 0.45
# Bond lengths; with a longer bond it is no fair drawing, as where atoms were matched that are joined otherwise.
TOO_LONG = 1.6


def molecule_places(molecule: Any) -> Floats:
    """Places of all atoms, ``[num_atoms, 2]``, the molecule lying level; the same for the same molecule.

    Raises:
        ImportError: If RDKit is not installed.
    """
    depictor, copy = _copied(molecule)
    depictor.Compute2DCoords(copy, canonOrient=True)
    if copy.GetNumAtoms() > 2:
        depictor.NormalizeDepiction(copy, scaleFactor=1.0)
        depictor.StraightenDepiction(copy)
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
    is_fair = _closest(held) > min(TOO_CLOSE, _closest(turned)) and _longest_bond(molecule, held) <= TOO_LONG
    return held if is_fair else turned


def _copied(molecule: Any) -> tuple[Any, Any]:
    chem = import_chem(PURPOSE)
    from rdkit.Chem import rdDepictor

    return rdDepictor, chem.Mol(molecule)


def _held(molecule: Any, atoms: Sequence[int], wanted: Floats) -> Floats:
    """The drawing made around atoms that stay at their places."""
    from rdkit.Geometry import Point2D

    depictor, copy = _copied(molecule)
    points = {atom: Point2D(*map(float, place)) for atom, place in zip(atoms, wanted * BOND, strict=True)}
    depictor.Compute2DCoords(copy, coordMap=points, canonOrient=False)
    return _places(copy)


def _places(molecule: Any) -> Floats:
    if not molecule.GetNumAtoms():
        return np.zeros((0, 2))
    return np.asarray(molecule.GetConformer().GetPositions()[:, :2] / BOND)


def _closest(places: Floats) -> float:
    """Distance of the two atoms that are closest."""
    if len(places) < 2:
        return np.inf
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    return float(gaps.min())


def _longest_bond(molecule: Any, places: Floats) -> float:
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in molecule.GetBonds()]
    return max((float(np.linalg.norm(places[u] - places[v])) for u, v in ends), default=0.0)
