import contextlib
import os
import sys
from unittest import mock

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.loading import aligned, load_classifier, load_graphs
from protograph.cli.runs import Run
from protograph.training import GCN
from tests import zoo

TABLES = "(.csv, .tsv, .csv.gz, .tsv.gz)"


@pytest.fixture
def bad_files(folder):
    """Files that are not what they are taken for."""
    (folder / "broken.pt").write_bytes((folder / "graphs.pt").read_bytes()[:500])
    torch.save([os.system], folder / "evil.pt")
    torch.save(3, folder / "number.pt")
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "weights.pt")
    (folder / "empty").mkdir()
    (folder / "wrong.py").write_text("model = = 3\n")
    (folder / "one.csv").write_text("smiles,active\nC,yes\nO,yes\n")
    (folder / "bad.csv").write_text("smiles,label\nC,0\nC1C,1\nO,1\n,1\n")


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "NAME_OR_PATH must be a data set's name or a file or folder, got an empty text"),
        (["no/such/file"], "there is no file or folder no/such/file"),
        (["mine.py"], f"mine.py must be a .pt file with a list of graphs, a folder of such, or a table {TABLES}"),
        (
            ["graphs.pt", "--skip-invalid"],
            f"--smiles-column, --label-column, --id-column and --skip-invalid are for tables {TABLES}, got graphs.pt",
        ),
        (["missing.pt"], "there is no file missing.pt"),
        (["molecules.csv"], "there is no file molecules.csv"),
        (["no-such-set"], "NAME_OR_PATH must be one of ba-2motifs, "),
        (["empty"], "empty has no .pt file; wanted files with lists of torch_geometric Data"),
        (["PROTEINS", "--data-root", "empty"], "tu/PROTEINS.zip was looked for in empty (--data-root)"),
        (["solubility", "--data-root", "empty"], "solubility/delaney-processed.csv was looked for in empty"),
        (
            ["benzene", "--data-root", "nowhere"],
            "benzene/benzene_smiles.csv was looked for in nowhere (--data-root), which is not a folder",
        ),
        (["one.csv", "--label-column", "active"], "--label-column 'active' of one.csv must have two classes or"),
        (["broken.pt"], "broken.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["evil.pt"], "evil.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["number.pt"], "number.pt must hold a list of torch_geometric Data, got int"),
    ],
)
def test_graphs_that_cannot_be_had(refused, arguments, message):
    assert refused(*arguments).startswith(f"error: {message}")


def odd(**changes):
    graphs = zoo.random_graphs(12)
    for key, change in changes.items():
        graphs[7][key] = change(graphs[7])
    return graphs


ODD = {
    "complex": (
        odd(x=lambda g: g.x.to(torch.complex64)),
        "x of {} must be a tensor with a row for each node, of real ",
    ),
    "list": (
        odd(edge_index=lambda g: g.edge_index.tolist()),
        "edge_index of {} must be whole numbers of shape [2, num_",
    ),
    "transposed": (
        odd(edge_index=lambda g: g.edge_index.t()),
        "edge_index of {} must be whole numbers of shape [2, num",
    ),
    "rows": (odd(edge_attr=lambda g: torch.ones(1, 2)), "edge_attr of {} must have a row for each of its "),
    "meta": (
        odd(x=lambda g: g.x.to("meta")),
        "x of {} must be a tensor with a row for each node, got one on the device",
    ),
}


@pytest.mark.parametrize("with_model", [True, False])
@pytest.mark.parametrize("name", ODD)
def test_odd_graphs_in_a_file_are_refused_in_one_line(refused, folder, name, with_model):
    graphs, message = ODD[name]
    torch.save(graphs, folder / "odd.pt")
    said = refused("odd.pt", *(["--model", "mine:model"] if with_model else []))
    assert said.startswith(f"error: {message.format('graph 7' if with_model else 'graphs[7]')}")
    assert said.strip().count("\n") == 0


def test_a_dict_of_graphs_in_a_file_is_told_what_to_save(refused, folder):
    torch.save(dict(enumerate(zoo.random_graphs(3))), folder / "dict.pt")
    message = "error: dict.pt must hold a list of torch_geometric Data, got dict; save list(graphs.values())"
    assert refused("dict.pt").strip() == message


def test_files_of_the_working_directory_take_no_other_module_s_place(folder):
    (folder / "code.py").write_text("raise RuntimeError('taken')\n")
    (folder / "asks.py").write_text("import code\nfrom mine import model\n")
    with contextlib.chdir(folder), mock.patch.dict(sys.modules), mock.patch.object(sys, "path", list(sys.path)):
        for name in ("code", "mine"):
            sys.modules.pop(name, None)
        assert isinstance(load_classifier("asks:model"), GCN)
        with pytest.raises(ValueError, match=r"^--model 'code:build': module 'code' \(/.*code\.py\) has no 'build'$"):
            load_classifier("code:build")


def test_no_command_looks_here_for_modules_that_are_not_named(run_well, folder, monkeypatch):
    paths = []
    monkeypatch.setattr("protograph.cli.datasets.list_all", lambda *arguments: paths.extend(sys.path))
    run_well("datasets")
    assert paths == sys.path


@pytest.mark.usefixtures("bad_files")
def test_rows_that_are_no_molecules_are_told_one_a_line(run, folder):
    done = run("explain", "bad.csv", "--out", "new")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "error: bad.csv has 2 of 4 rows that are not valid; correct them, or leave them out with --skip-invalid:",
        "  line 3: C1C: not valid SMILES",
        "  line 5: the SMILES is empty",
        "  all of them: new-bad-rows.csv",
    ]
    assert not (folder / "new").exists()
    assert (folder / "new-bad-rows.csv").read_text().splitlines() == [
        "line,smiles,reason",
        "3,C1C,not valid SMILES",
        "5,,the SMILES is empty",
    ]


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain"], "--model must be a .pt file or module:attribute, got 'plain'"),
        (["nothing.pt"], "there is no file nothing.pt"),
        (["nowhere:model"], "--model 'nowhere:model': there is no module 'nowhere'"),
        (["mine:other"], "--model 'mine:other': module 'mine' has no 'other'"),
        (["mine:number"], "--model 'mine:number' must be a torch.nn.Module or a GraphClassifier, or give one, got int"),
        (["mine:fails"], "--model 'mine:fails' failed with RuntimeError: disk full"),
        (["mine:leaves"], "--model 'mine:leaves' failed with SystemExit: 3"),
        (
            ["wrong:model"],
            "--model 'wrong:model': importing 'wrong' failed with SyntaxError: invalid syntax (wrong.py, line 1)",
        ),
        (
            ["model.pt", "--weights", "model.pt"],
            "--weights is for --model module:attribute, got --model model.pt, which has its own weights",
        ),
        (
            ["mine:wants", "--weights", "model.pt"],
            "--model 'mine:wants' must give a model when called without arguments: missing a required argument: 'size'",
        ),
        (
            ["broken.pt"],
            "--model must be a model file written by save_model, got a damaged or foreign file at broken.pt; train the "
            "model and save it again, or give weights as --model module:attribute --weights broken.pt",
        ),
        (
            ["weights.pt"],
            "--model must be a model file written by save_model, got another kind of file at weights.pt; train the "
            "model and save it again, or give weights as --model module:attribute --weights weights.pt",
        ),
    ],
)
def test_models_that_cannot_be_had(refused, arguments, message):
    assert refused("graphs.pt", "--model", *arguments) == f"error: {message}"


def test_weights_that_are_none(refused):
    error = refused("graphs.pt", "--model", "mine:build", "--weights", "graphs.pt")
    assert error.startswith("error: graphs.pt cannot be read as weights: ")


def test_a_data_set_s_name_wins_over_a_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "ba-house").mkdir()
    assert load_graphs(Run(data="ba-house", seed=0)).graphs.name == "ba-house"
    with pytest.raises(FileNotFoundError, match=r"has no \.pt file"):
        load_graphs(Run(data="./ba-house/", seed=0))


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


def test_graphs_that_fit_are_left_alone_and_those_without_names_take_the_model_s(model):
    fitting = dataset("C", "N", "O")
    assert aligned(fitting, model) is fitting
    unnamed = pg.datasets.GraphDataset(graphs=[Data(x=torch.ones(1, 3))], name="mine")
    named = aligned(unnamed, model)
    assert (named.class_names, named.feature_names) == (("no", "yes"), ("C", "N", "O"))
    assert named[0] is unnamed[0]
    narrow = pg.datasets.GraphDataset(graphs=[Data(x=torch.ones(1, 2))], name="mine")
    assert aligned(narrow, model).feature_names == ()
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
