import numpy as np
import pytest

from protograph.molecules.draw import aligned_places, molecule_places
from protograph.molecules.read import parse


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


def test_without_matches_it_lies_as_it_would_alone():
    ring = parse("C1CCCCC1")
    assert np.array_equal(aligned_places(ring, [], np.zeros((0, 2))), molecule_places(ring))


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
