import pytest

from protograph.datasets.tu import MUTAGENICITY_ATOMS
from protograph.graphs.elements import SYMBOLS, are_atoms, counted_atoms, element_name


def test_the_symbols_are_those_of_rdkit():
    chem = pytest.importorskip("rdkit.Chem")
    table = chem.GetPeriodicTable()
    assert {table.GetElementSymbol(number) for number in range(1, 119)} == SYMBOLS


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (MUTAGENICITY_ATOMS, True),
        (("C",), True),
        (("C", "N", "*"), True),
        (("C", "other"), False),
        (("H", "B"), False),
        (("N", "O"), False),
        (("c", "n"), False),
        (("head", "body", "backbone"), False),
        ((), False),
    ],
)
def test_features_are_atoms_only_if_all_are_symbols_and_carbon_is_among_them(names, answer):
    assert are_atoms(names) is answer


def test_elements_have_english_names_and_plurals():
    assert [counted_atoms(2, symbol) for symbol in ("C", "Cl", "S", "P", "Na", "Xe", "*")] == [
        "two carbons",
        "two chlorines",
        "two sulfurs",
        "two phosphorus atoms",
        "two sodium atoms",
        "two Xe atoms",
        "two other atoms",
    ]
    assert counted_atoms(1, "P") == "one phosphorus atom"
    assert element_name("Br") == "bromine"
