import csv

import pytest
import torch

from protograph.explanation import Explanation, Prototype
from protograph.explanation.table_files import prototypes_sdf, write_tables
from tests.explanation.told import told
from tests.metrics.small_graphs import graph_of


def test_every_table_is_a_file(tmp_path):
    write_tables([*told().values()], tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["graphs.csv", "prototypes.csv", "reasons.csv"]
    with (tmp_path / "graphs.csv").open(newline="") as file:
        names = [row["id"] for row in csv.DictReader(file)]
    assert names == ["a", "'=b", "c", "d", "<e>"]


def test_molecules_are_written_too(tmp_path):
    chem = pytest.importorskip("rdkit.Chem")
    graph = graph_of(3, [(0, 1), (0, 2)])
    graph.x = torch.eye(2)[[1, 0, 0]]
    one = Prototype(graph=graph, probability=0.9, margin=2.0, feature_names=("O", "N"))
    explanation = Explanation(
        target=1,
        prototypes=[one],
        explainer="PAGE",
        options={},
        num_graphs=3,
        num_predicted=1,
        class_names=("0", "$$$$\nyes"),
        feature_names=("O", "N"),
    )
    write_tables([explanation], tmp_path)
    (molecule,) = chem.SDMolSupplier(str(tmp_path / "prototypes.sdf"), sanitize=False)
    assert [atom.GetSymbol() for atom in molecule.GetAtoms()] == ["N", "O", "O"]
    assert molecule.GetProp("_Name") == "class1-prototype1"
    assert (molecule.GetProp("class"), molecule.GetProp("p")) == ("1 ($$$$ yes)", "0.9")
    assert molecule.GetProp("bonds") == "those of the molecule it was cut from; they were not counted"


def test_what_is_no_molecule_is_left_out():
    assert prototypes_sdf([*told().values()]) == ""
