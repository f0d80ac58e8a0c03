import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.alignment import aligned
from protograph.training import GCN


@pytest.fixture
def model():
    """A model that was trained on three kinds of nodes."""
    model = GCN(3, 2, (4,))
    model.feature_names, model.class_names = ("C", "N", "O"), ("no", "yes")
    return model


def dataset(*names, classes=("no", "yes"), **options):
    edge_index = torch.tensor([[0, 1], [1, 0]])
    graph = Data(x=torch.eye(len(names))[[0, 1]], edge_index=edge_index, y=torch.tensor([1]))
    return pg.datasets.GraphDataset(graphs=[graph], name="mine", class_names=classes, feature_names=names, **options)


def test_columns_are_those_of_the_model(model):
    graphs = aligned(dataset("O", "C", colors=("red", "black")), model)
    assert graphs.feature_names == ("C", "N", "O")
    assert graphs.colors == ("black", "#8A8A8A", "red")
    assert graphs[0].x.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert (graphs[0].y.tolist(), graphs[0].edge_index.tolist()) == ([1], [[0, 1], [1, 0]])


def test_a_kind_that_never_occurs_may_be_unknown(model):
    graphs = dataset("O", "C", "S")
    assert aligned(graphs, model)[0].x.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_graphs_that_fit_or_have_no_names_are_left_alone(model):
    for graphs in (dataset("C", "N", "O"), [Data(x=torch.ones(1, 3))]):
        assert aligned(graphs, model) is graphs
    graphs = dataset("O", "C")
    assert aligned(graphs, torch.nn.Linear(2, 2)) is graphs


def test_a_model_of_one_table_on_another(run_well, run, folder):
    """Columns are the atoms that occur in a table: they are put in the order of the model's, or refused."""
    rows = [f"{'C' * (1 + i % 5)}{'NO'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "no.csv").write_text("\n".join(["smiles,label", *rows]) + "\n")
    run_well("train", "no.csv", "--out", "no.pt", "--max-epochs", 2)
    options = ("--model", "no.pt", "--k", 1, "--clusters", 1, "--out")
    run_well("explain", "no.csv", *options, "o1")
    (folder / "part.csv").write_text("smiles,label\nCCO,1\nCO,1\nCCCO,0\n")
    run_well("explain", "part.csv", *options, "o2")
    (names,) = {one.feature_names for one in pg.load(folder / "o2" / "explanation.json").values()}
    assert {one.feature_names for one in pg.load(folder / "o1" / "explanation.json").values()} == {names}
    (folder / "os.csv").write_text("smiles,label\nCO,0\nCS,1\nCCS,1\nCCO,0\n")
    done = run("explain", "os.csv", *options, "o3")
    assert done.stderr == (
        "error: the model was trained on nodes of C, N, O, but the graphs also have S; "
        "give graphs without them, or train a model on these\n"
    )
    (folder / "names.csv").write_text("smiles,label\nCO,yes\nCN,no\n")
    done = run("explain", "names.csv", *options, "o4")
    assert done.stderr == (
        "error: the model tells apart the classes 0, 1, but the graphs have no, yes; "
        "give graphs with the same classes, or train a model on these\n"
    )
