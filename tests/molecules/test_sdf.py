import pytest

from protograph.molecules.write import MoleculeRecord, sdf_text

Chem = pytest.importorskip("rdkit.Chem")


def read(text):
    supplier = Chem.SDMolSupplier()
    supplier.SetData(text, sanitize=False)
    return list(supplier)


def test_what_is_written_is_read_again():
    molecules = [Chem.MolFromSmiles(smiles) for smiles in ("C[N+](=O)[O-]", "c1ccccc1")]
    read_again = read(sdf_text([MoleculeRecord(one, f"m{at}", {"p": 0.5}) for at, one in enumerate(molecules)]))
    assert [one.GetProp("_Name") for one in read_again] == ["m0", "m1"]
    assert [one.GetProp("p") for one in read_again] == ["0.5", "0.5"]
    for one in read_again:
        Chem.SanitizeMol(one)
    assert [Chem.MolToSmiles(one) for one in read_again] == ["C[N+](=O)[O-]", "c1ccccc1"]
    assert len({tuple(place) for place in read_again[1].GetConformer().GetPositions().round(3).tolist()}) == 6


def test_half_an_aromatic_ring_is_written_as_it_is():
    half = Chem.MolFromSmiles("cccO", sanitize=False)
    (read_again,) = read(sdf_text([MoleculeRecord(half, "half", {})]))
    assert [str(bond.GetBondType()) for bond in read_again.GetBonds()] == ["AROMATIC", "AROMATIC", "SINGLE"]


def test_a_text_from_the_data_neither_ends_a_molecule_nor_adds_a_property():
    hostile = {"source": "a\n\n> <p>\n1\n\n$$$$\n", "class": "$$$$", "other": "> <x>"}
    read_again = read(sdf_text([MoleculeRecord(Chem.MolFromSmiles("CO"), "a\nb", hostile)]))
    assert len(read_again) == 1
    assert sorted(read_again[0].GetPropNames()) == ["class", "other", "source"]
    assert read_again[0].GetProp("source") == "a > <p> 1 $$$$"


def test_no_molecules_are_no_file():
    assert sdf_text([]) == ""
