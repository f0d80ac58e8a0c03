import numpy as np

from protograph.molecules.draw import ATOM_COLORS, INK, drawn_molecule, molecule_places
from protograph.molecules.read import parse


def drawn(smiles):
    molecule = parse(smiles)
    return drawn_molecule(molecule, molecule_places(molecule))


def lines(drawing):
    """Straight lines; what closes a corner is a path of two."""
    paths = [path for stroke in drawing.strokes if not stroke.is_filled for path in stroke.path.split("M")]
    return sum(path.count("L") == 1 for path in paths)


def test_bond_orders_are_lines():
    assert [lines(drawn(smiles)) for smiles in ("CC", "C=C", "C#C")] == [1, 2, 3]
    assert lines(drawn("c1ccccc1")) == 9  # single and double bonds in turn
    assert lines(drawn("C1CCCCC1")) == 6


def test_letters_have_the_colours_of_their_elements():
    letters = {stroke.color for stroke in drawn("OCCN").strokes if stroke.is_filled}
    assert letters == {ATOM_COLORS["O"], ATOM_COLORS["N"]}
    assert {stroke.color for stroke in drawn("CCC").strokes} == {INK}
    assert {stroke.color for stroke in drawn("[Na+]").strokes} == {INK}


def test_a_charge_is_written():
    plain, charged = (sum(s.path.count("M") for s in drawn(one).strokes if s.is_filled) for one in ("[OH2]", "[OH3+]"))
    assert charged > plain


def test_points_are_where_the_atoms_are_y_downwards():
    molecule = parse("CC")
    drawing = drawn_molecule(molecule, np.array([[0.0, 0.0], [0.0, 1.0]]), bond_pixels=40.0)
    (x, y), (other_x, other_y) = drawing.points
    assert x == other_x
    assert abs(y - other_y - 40) <= 1  # a canvas has whole pixels


def test_an_aromatic_part_without_a_form_of_single_and_double_bonds_is_broken_lines():
    chem = __import__("rdkit.Chem").Chem
    half = chem.MolFromSmiles("ccc", sanitize=False)
    half.UpdatePropertyCache(strict=False)
    drawing = drawn_molecule(half, np.array([[0.0, 0.0], [1.0, 0.0], [1.5, 0.9]]))
    assert any(stroke.dashes for stroke in drawing.strokes)
