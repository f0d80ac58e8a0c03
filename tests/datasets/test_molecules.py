from itertools import combinations

import numpy as np
import pytest

from protograph.datasets import molecules
from protograph.datasets.molecules import CARBON_RING, molecule, read_molecules
from protograph.molecules.elements import COLORS

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "full": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
COMMON = ("C", "H", "N", "O", "S", "P", "F", "Cl", "Br")


def lab(color, sight):
    """CIE L*a*b* of a colour as someone with that sight sees it."""
    rgb = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = XYZ @ np.clip(SIGHT[sight] @ linear, 0, 1) / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
def test_common_atoms_are_told_apart_and_seen_on_white(sight):
    seen = [lab("#FFFFFF", sight), *(lab(COLORS[atom], sight) for atom in COMMON)]
    # A difference of 2.3 is just noticeable.
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


def test_every_atom_has_a_colour_of_its_own():
    assert len({color.upper() for color in COLORS.values()}) == len(COLORS)


def test_carbon_ring_is_six_carbons_in_a_cycle():
    ring = molecule(*CARBON_RING, ("O", "C"))
    assert ring.x.tolist() == [[0, 1]] * 6
    assert ring.edge_index.T.tolist() == [
        [0, 1], [0, 5], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 4], [4, 3], [4, 5], [5, 0], [5, 4],
    ]  # fmt: skip


def test_wrong_texts_are_listed_by_position_and_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path))
    texts = ["C", "x", "CO", ""]
    first = read_molecules("some", texts)
    assert first["wrong"].tolist() == [1, 3]
    assert first["reasons"].tolist() == ["not valid SMILES", "the SMILES is empty"]
    assert first["sizes"].tolist() == [1, 2]
    monkeypatch.setattr(molecules, "parse", None)
    second = read_molecules("some", texts)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    with pytest.raises(TypeError):  # other texts are other molecules
        read_molecules("some", ["C", "x", "CO\n"])
