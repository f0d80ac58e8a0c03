import os

import pytest
import torch

from protograph.cli.loading import load_graphs
from protograph.cli.runs import Run
from protograph.training import GCN

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
            f"--smiles-column, --label-column and --skip-invalid are for tables {TABLES}, got graphs.pt",
        ),
        (["missing.pt"], "there is no file missing.pt"),
        (["molecules.csv"], "there is no file molecules.csv"),
        (["no-such-set"], "name must be one of ba-2motifs, "),
        (["empty"], "empty has no .pt file; wanted files with lists of torch_geometric Data"),
        (["PROTEINS", "--data-root", "empty"], "tu/PROTEINS.zip was looked for in empty (root=)"),
        (["solubility", "--data-root", "empty"], "solubility/delaney-processed.csv was looked for in empty"),
        (
            ["benzene", "--data-root", "nowhere"],
            "benzene/benzene_smiles.csv was looked for in nowhere (root=), which is not a folder",
        ),
        (["one.csv", "--label-column", "active"], "label_column 'active' of one.csv must have two classes or"),
        (["bad.csv"], "bad.csv has 2 of 4 rows that are not valid (line 3: 'C1C': not valid SMILES; line 5: ''"),
        (["broken.pt"], "broken.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["evil.pt"], "evil.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["number.pt"], "number.pt must hold a list of torch_geometric Data, got int"),
    ],
)
def test_graphs_that_cannot_be_had(refused, arguments, message):
    assert refused(*arguments).startswith(f"error: {message}")


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain"], "--model must be a .pt file or module:attribute, got 'plain'"),
        (["nothing.pt"], "there is no file nothing.pt"),
        (["nowhere:model"], "--model 'nowhere:model': there is no module 'nowhere'"),
        (["mine:other"], "--model 'mine:other': module 'mine' has no 'other'"),
        (["mine:number"], "--model 'mine:number' must be a torch.nn.Module or give one, got int"),
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
            "path must be a model file written by save_model, got a damaged or foreign file at broken.pt; train the "
            "model and save it again, or give weights as --model module:attribute --weights broken.pt",
        ),
        (
            ["weights.pt"],
            "path must be a model file written by save_model, got another kind of file at weights.pt; train the "
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
