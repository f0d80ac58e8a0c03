"""The command line as a user meets it: by its output, files and exit status."""

import contextlib
import io
import json
import os
import shutil
import sys
from functools import partial
from types import SimpleNamespace
from unittest import mock

import pytest
import torch

import protograph as pg
from protograph.cli import main

MINE = """
import torch
from protograph.training import GCN

torch.manual_seed(0)
model = GCN(3, 2, (8,)).eval()
number = 3

def build():
    return model

def wants(size):
    return GCN(3, 2, (size,))

def fails():
    raise RuntimeError("disk full")

def leaves():
    raise SystemExit(3)
"""


def _run(*arguments, cwd):
    """Run the command in this process: importing torch_geometric takes longer than most of the tests."""
    output, errors = io.StringIO(), io.StringIO()
    sys.modules.pop("mine", None)  # that of another test's folder
    with (
        mock.patch.object(sys, "argv", ["protograph", *map(str, arguments)]),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.dict(os.environ, COLUMNS="80", PROTOGRAPH_PROGRESS="off"),
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


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    """A folder with graphs, a trained model, and a module that has one."""
    path = tmp_path_factory.mktemp("cli")
    graphs = list(pg.datasets.load("ba-house", num_graphs=120))
    for graph in graphs:
        del graph.motif
    torch.save(graphs, path / "graphs.pt")
    (path / "mine.py").write_text(MINE)
    done = _run("train", "graphs.pt", "--out", "model.pt", "--hidden", "32,32", "--max-epochs", 3, "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["epochs"] == 3
    return path


@pytest.fixture(scope="session")
def explained(original, tmp_path_factory):
    """What ``explain`` said and wrote of that model, and of one that it trained; neither may be changed."""
    path = tmp_path_factory.mktemp("explained")
    small = (original / "graphs.pt", "--num-clusters", 1)
    given = ("--model", original / "model.pt", "--num-graphs", 2, "--out", path / "found")
    done = {"found": _run("explain", *small, *given, cwd=original)}
    with mock.patch("protograph.training.train", partial(pg.train, max_epochs=3)):
        given = ("--max-reasons", 0, "--num-graphs", 1, "--out", path / "trained")
        done["trained"] = _run("explain", *small, *given, cwd=original)
    assert {name: one.returncode for name, one in done.items()} == {"found": 0, "trained": 0}
    return SimpleNamespace(path=path, stdout={name: one.stdout for name, one in done.items()})


@pytest.fixture
def runs(explained, folder):
    """A copy of both runs, ``found`` and ``trained``, in the test's folder."""
    for name in explained.stdout:
        shutil.copytree(explained.path / name, folder / name)
    return folder


@pytest.fixture
def folder(original, tmp_path):
    """A copy of that folder for each test."""
    return shutil.copytree(original, tmp_path / "cli")


@pytest.fixture
def run(folder):
    """The command, called in the test's folder; what it prints, and its exit status."""

    def run(*arguments):
        return _run(*arguments, cwd=folder)

    return run


@pytest.fixture
def run_well(run):
    """The same, but the command must succeed."""

    def run_well(*arguments):
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        return done

    return run_well


@pytest.fixture
def refused(run, folder):
    """The one line that ``explain`` says about bad input; it writes nothing."""

    def refused(*arguments):
        def names():
            return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")

        before = names()
        done = run("explain", *arguments, *([] if "--out" in arguments else ["--out", "bad"]))
        assert (done.returncode, done.stdout, names()) == (1, "", before)
        lines = [line for line in done.stderr.splitlines() if not line.startswith("!!")]
        assert len(lines) == 1
        return lines[0]

    return refused
