"""The command line as a user meets it: by its output, files and exit status."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from unittest import mock

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli import main
from tests import zoo

SOON = 120


def run(*arguments, cwd):
    """Run the command in this process: importing torch_geometric takes longer than most of the tests."""
    output, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["protograph", *map(str, arguments)]),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.dict(os.environ, COLUMNS="80"),
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        try:
            main()
            code = 0
        except SystemExit as leaving:
            code = leaving.code or 0
    return SimpleNamespace(returncode=code, stdout=output.getvalue(), stderr=errors.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with graphs, a trained model, and a module that has one."""
    path = tmp_path_factory.mktemp("cli")
    graphs = list(pg.datasets.load("ba-house", num_graphs=120))
    for graph in graphs:
        del graph.motif
    torch.save(graphs, path / "graphs.pt")
    (path / "mine.py").write_text(
        "import torch\nfrom protograph.training import GCN\n"
        "torch.manual_seed(0)\nmodel = GCN(3, 2, (8,)).eval()\ndef build():\n    return model\nnumber = 3\n"
    )
    done = run("train", "graphs.pt", "--out", "model.pt", "--layers", 2, "--max-epochs", 3, "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["epochs"] == 3
    return path


def test_explaining_leaves_pictures_json_and_a_report(folder):
    done = run("explain", "graphs.pt", "--model", "model.pt", "--k", 2, "--clusters", 1, "--out", "found", cwd=folder)
    assert done.returncode == 0, done.stderr
    files = sorted(p.name for p in (folder / "found").iterdir())
    explanations = pg.load(folder / "found" / "explanation.json")
    pictures = [f"class{t}-prototype{n + 1}.png" for t, e in explanations.items() for n in range(len(e.prototypes))]
    assert files == sorted([*pictures, "explanation.json", "prototypes.png", "report.html"])
    assert explanations.summary() in done.stdout
    assert (folder / "found" / pictures[0]).read_bytes().startswith(b"\x89PNG")
    assert "<html" in (folder / "found" / "report.html").read_text()


def test_json_is_all_that_scripts_see(folder):
    arguments = ("explain", "graphs.pt", "--model", "mine:build", "--k", 1, "--clusters", 1, "--out", "j", "--json")
    first, second = run(*arguments, cwd=folder), run(*arguments, cwd=folder)
    facts = json.loads(first.stdout)
    assert facts["out"] == "j"
    assert set(facts["classes"]) <= {"0", "1"}
    prototype = next(iter(facts["classes"].values()))["prototypes"][0]
    assert set(prototype) == {"nodes", "edges", "probability", "margin", "cluster", "cluster_size", "source"}
    assert second.stdout == first.stdout


def test_one_class_can_be_explained(folder):
    done = run(
        "explain", "graphs.pt", "--model", "model.pt", "--target", 0, "--clusters", 1, "--out", "one", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert list(pg.load(folder / "one" / "explanation.json")) == [0]


def test_the_paper_s_gcn_is_trained_and_kept_without_a_model(folder):
    done = run("explain", "graphs.pt", "--k", 1, "--clusters", 1, "--out", "trained", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.match(r"trained for \d+ epochs: training accuracy [01]\.\d{4}, test accuracy [01]\.\d{4}\n", done.stdout)
    split = json.loads((folder / "trained" / "split.json").read_text())
    assert sorted(split["train"] + split["validation"] + split["test"]) == list(range(120))
    again = run(
        "explain", "graphs.pt", "--model", "trained/model.pt", "--k", 1, "--clusters", 1, "--out", "a", cwd=folder
    )
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.pt"], "error: there is no file missing.pt"),
        (["no-such-set"], r"error: .*'no-such-set'"),
        (
            ["molecules.csv"],
            "error: SMILES tables are not available in this version; pass a .pt file or a data set's name",
        ),
        (["broken.pt"], r"error: broken\.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["evil.pt"], r"error: evil\.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
        (["number.pt"], r"error: number\.pt must hold a list of torch_geometric Data, got int"),
        (["graphs.pt", "--model", "nothing.pt"], r"error: .*nothing\.pt"),
        (["graphs.pt", "--model", "broken.pt"], r"error: .*broken\.pt"),
        (["graphs.pt", "--model", "nowhere:model"], "error: --model 'nowhere:model': there is no module 'nowhere'"),
        (["graphs.pt", "--model", "mine:other"], "error: --model 'mine:other': module 'mine' has no 'other'"),
        (
            ["graphs.pt", "--model", "mine:number"],
            "error: --model 'mine:number' must be a torch.nn.Module or give one, got int",
        ),
        (["graphs.pt", "--model", "plain"], "error: --model must be a .pt file or module:attribute, got 'plain'"),
        (
            ["graphs.pt", "--model", "model.pt", "--target", "7"],
            r"error: target must be in \[0, 2\), got 7; use an index",
        ),
        (
            ["graphs.pt", "--model", "model.pt", "--device", "warp"],
            "error: device must be one that PyTorch can use here",
        ),
        (
            ["graphs.pt", "--model", "model.pt", "--explainer", "xgnn"],
            "error: --explainer xgnn is not available in this",
        ),
        (["narrow.pt", "--model", "model.pt"], r"error: RuntimeError: .*shape"),
        (["graphs.pt", "--model", "model.pt", "--k", "0"], "error: num_graphs must be at least 1, got 0"),
        (["graphs.pt", "--model", "model.pt", "--clusters", "auto"], "error: num_clusters='auto' is not available"),
        (["graphs.pt", "--model", "model.pt", "--search", "consensus"], "error: search='consensus' is not available"),
        (
            ["graphs.pt", "--model", "model.pt", "--engine", "ray"],
            "error: engine='ray' is not available in this version",
        ),
        (
            ["graphs.pt", "--model", "model.pt", "--out", "mine.py"],
            "error: cannot write to mine.py: it is a file, not a folder",
        ),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(folder, arguments, message):
    (folder / "broken.pt").write_bytes((folder / "graphs.pt").read_bytes()[:500])
    torch.save([os.system], folder / "evil.pt")
    torch.save(3, folder / "number.pt")
    torch.save([Data(x=torch.ones(2, 7), edge_index=torch.tensor([[0, 1], [1, 0]]))] * 9, folder / "narrow.pt")
    before = sorted(p.name for p in folder.iterdir())
    default = [] if "--out" in arguments else ["--out", "bad"]
    done = run("explain", *arguments, *default, cwd=folder)
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.match(message, done.stderr), done.stderr
    assert done.stderr.count("\n") == 1
    left = [name for name in sorted(p.name for p in folder.iterdir()) if name != "__pycache__"]
    assert left == [name for name in before if name != "__pycache__"]


def test_a_second_run_leaves_no_pictures_of_the_first(folder):
    arguments = ("explain", "graphs.pt", "--model", "model.pt", "--target", 0, "--k", 1, "--out", "again/and/again")
    assert run(*arguments, "--clusters", 2, cwd=folder).returncode == 0
    assert (folder / "again/and/again/class0-prototype2.png").exists()
    assert run(*arguments, "--clusters", 1, cwd=folder).returncode == 0
    assert not (folder / "again/and/again/class0-prototype2.png").exists()
    assert run(*arguments[:2], "--model", "model.pt", "--target", 9, "--out", "new/one", cwd=folder).returncode == 1
    assert not (folder / "new").exists()


def test_a_report_can_be_written_again(folder):
    done = run("explain", "graphs.pt", "--model", "model.pt", "--k", 1, "--clusters", 1, "--out", "rep", cwd=folder)
    assert done.returncode == 0, done.stderr
    first = (folder / "rep/report.html").read_text()
    (folder / "rep/report.html").unlink()
    assert run("report", "rep", cwd=folder).returncode == 0
    assert (folder / "rep/report.html").read_text() == first
    assert "error: " in run("report", "nowhere", cwd=folder).stderr


@pytest.mark.parametrize("name", ["evaluate", "compare", "reproduce", "datasets"])
def test_commands_of_a_later_version_say_so(folder, name):
    done = run(name, "anything", "--option", 3, cwd=folder)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"error: protograph {name} is not available in this version; there are explain, train and report\n"
    )


def test_wrong_options_are_told(folder):
    done = run("explain", "graphs.pt", "--clusters", "many", cwd=folder)
    assert done.returncode == 2
    assert "wants a whole number or auto, got 'many'" in done.stderr


def test_a_folder_that_cannot_be_made_is_told_before_the_work(folder):
    done = run("train", "graphs.pt", "--out", "nowhere/model.pt", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write nowhere/model.pt: the folder nowhere does not exist")


def test_an_interrupt_leaves_nothing_behind(folder):
    command = [
        sys.executable,
        "-c",
        "from protograph.cli import main; main()",
        "explain",
        "ba-house",
        "--out",
        "stopped",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=environment)
    for _ in range(10 * SOON):
        if list(folder.glob(".stopped-*")):
            break
        time.sleep(0.1)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SOON)
    assert process.returncode == 130
    assert errors.strip().splitlines()[-1] == "interrupted: nothing was written"
    assert not list(folder.glob("*stopped*"))


def test_help_fits_a_screen(folder):
    for arguments in (["--help"], ["explain", "--help"], ["train", "--help"]):
        done = run(*arguments, cwd=folder)
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) <= 32
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_model_of_the_user_s_own_in_float_only_works(folder):
    (folder / "own.py").write_text("from tests import zoo\nmodel = zoo.make()\n")
    graphs = zoo.random_graphs(40)
    torch.save(graphs, folder / "own.pt")
    done = run("explain", "own.pt", "--model", "own:model", "--k", 2, "--clusters", 1, "--out", "own", cwd=folder)
    assert done.returncode == 0, done.stderr
