"""What of a molecule is drawn, and where."""

import numpy as np
import pytest
from rdkit import Chem

from protograph.molecules.draw import (
    aligned_places,
    drawn_molecule,
    molecule_places,
    without_hydrogens,
)
from protograph.molecules.read import parse
from protograph.molecules.write import to_smiles


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


def bond_lengths(molecule, places):
    return [np.linalg.norm(places[b.GetBeginAtomIdx()] - places[b.GetEndAtomIdx()]) for b in molecule.GetBonds()]


def test_a_bond_is_about_one_long_and_the_same_molecule_lies_alike():
    phenol = parse("Oc1ccccc1")
    places = molecule_places(phenol)
    assert np.allclose(bond_lengths(phenol, places), 1.0, atol=0.02)
    assert np.array_equal(places, molecule_places(parse("Oc1ccccc1")))


@pytest.mark.parametrize(("smiles", "atoms"), [("CC(=O)OC", [1, 2, 3]), ("O=C(O)c1ccccc1", [1, 0, 2])])
def test_matched_atoms_lie_where_they_are_wanted(smiles, atoms):
    acid = parse("CCCC(=O)O")
    wanted = molecule_places(acid)[[3, 4, 5]]
    molecule = parse(smiles)
    places = aligned_places(molecule, atoms, wanted)
    assert np.abs(places[atoms] - wanted).max() < 0.05
    assert np.allclose(bond_lengths(molecule, places), 1.0, atol=0.05)


def test_where_turning_is_not_enough_the_drawing_is_made_around_the_atoms():
    chain = parse("CCCCCC")
    wanted = np.array([[0.0, 0.0], [1.0, 0.0], [1.5, 0.87], [1.0, 1.73]])  # bent as half a ring is
    places = aligned_places(chain, [0, 1, 2, 3], wanted)
    assert np.abs(places[:4] - wanted).max() < 1e-6


def test_atoms_that_are_joined_otherwise_are_not_torn_apart():
    quinoline = parse("Nc1ccc2ccccc2n1")
    atoms = [10, 1, 2, 3, 4, 9, 8, 5]
    wanted = np.array([[float(place), 0.4 * (place % 2)] for place in range(8)])  # a chain, which they are not
    places = aligned_places(quinoline, atoms, wanted)
    assert np.allclose(bond_lengths(quinoline, places), 1.0, atol=0.05)


def test_hydrogens_go_but_those_that_are_kept():
    ethanol = Chem.AddHs(parse("CCO"))
    assert to_smiles(without_hydrogens(ethanol).molecule) == "CCO"
    shown = without_hydrogens(ethanol, kept={8})  # that of the oxygen
    assert shown.nodes == (0, 1, 2, 8)
    assert shown.atoms == {0: 0, 1: 1, 2: 2, 8: 3}
    assert to_smiles(shown.molecule) == "[H]OCC"


def test_what_breaks_the_rules_of_chemistry_loses_its_hydrogens_too():
    wrong = Chem.RWMol(Chem.MolFromSmiles("[H]C([H])([H])([H])[H]", sanitize=False))
    wrong.UpdatePropertyCache(strict=False)
    assert without_hydrogens(wrong.GetMol()).nodes == (1,)
