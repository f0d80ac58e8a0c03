import dataclasses
import json

import pytest

import protograph as pg
from protograph.datasets import registry
from protograph.datasets.files import SourceFile
from protograph.datasets.spec import PaperCounts
from tests.datasets.file_server import serving


def test_data_sets_are_listed(run_well):
    for arguments in (["datasets"], ["datasets", "list"]):
        done = run_well(*arguments)
        rows = [line.split()[0] for line in done.stdout.splitlines()[1:] if line]
        assert rows[:-1] == list(pg.datasets.names())
        assert done.stdout.splitlines()[-1].startswith("Any TUDataset by its name too")
        assert max(map(len, done.stdout.splitlines())) <= 100
    listed = json.loads(run_well("datasets", "list", "--json").stdout)
    assert listed["ba-house"] == {
        "graphs": 2000, "classes": 2, "files": "generated", "about": "a house on a random backbone, or part of it",
    }  # fmt: skip


def test_data_sets_are_checked_against_table_1(run, monkeypatch):
    spec = registry.SPECS["ba-house"]
    assert dataclasses.astuple(spec.paper)[:3] == (2000, 21029, 62870)
    # The first twenty graphs, one node more than we say the paper has.
    graphs = pg.datasets.load("ba-house", num_graphs=20)
    counts = (20, sum(graph.num_nodes for graph in graphs) - 1, sum(graph.num_edges for graph in graphs))
    near = PaperCounts(*counts, "directed", 0.02, "by chance")
    for paper in (near, dataclasses.replace(near, within=0.0)):
        small = dataclasses.replace(spec, paper=paper, load=lambda *given: graphs)
        monkeypatch.setattr(registry, "SPECS", {"ba-house": small})
        facts = json.loads(run("datasets", "check", "BA_house", "--json").stdout)
        assert facts["ba-house"]["verdict"] == ("explained" if paper.within else "different")
        assert facts["ba-house"]["ours"]["nodes"] == facts["ba-house"]["paper"]["nodes"] + 1
    done = run("datasets", "check")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].split()[-2:] == ["directed", "different"]
    done = run("datasets", "check", "graph-sst2")
    assert done.returncode == 1
    assert done.stderr.startswith("error: NAME must be a data set of the paper's Table 1 (ba-house), got 'graph-sst2'")


def test_checking_does_not_download(run_well, folder, monkeypatch, no_data_folder):
    monkeypatch.setattr("requests.get", lambda url, **_: pytest.fail(url))
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(folder / "no-cache"))
    monkeypatch.setattr(registry, "SPECS", {name: registry.SPECS[name] for name in ("benzene", "solubility")})
    done = run_well("datasets", "check")
    assert "benzene is not here: `protograph datasets fetch benzene` gets it" in done.stdout.splitlines()
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_files_are_fetched(run_well, run, folder, monkeypatch):
    with serving(b"smiles,label\n") as server:
        file = SourceFile("mine/table.csv", None, server.url)
        spec = dataclasses.replace(registry.SPECS["solubility"], files=((file,),))
        monkeypatch.setattr(registry, "SPECS", {**registry.SPECS, "solubility": spec})
        done = run_well("datasets", "fetch", "solubility", "--data-root", "fetched")
        assert done.stdout == "fetched/mine/table.csv\n"
        assert (folder / "fetched" / "mine" / "table.csv").read_bytes() == b"smiles,label\n"
        again = run("datasets", "fetch", "solubility", "--data-root", "fetched")
        assert (again.returncode, len(server.requests)) == (0, 1)
        own = dataclasses.replace(spec, files=((dataclasses.replace(file, sha256="0" * 64),),))
        monkeypatch.setattr(registry, "SPECS", {**registry.SPECS, "solubility": own})
        done = run("datasets", "fetch", "solubility", "--data-root", "fetched")
        assert done.stderr.endswith("; it is not replaced, so move it away and fetch again\n")
        assert len(server.requests) == 1
    done = run("datasets", "fetch", "ba-house")
    assert done.stderr == "error: ba-house needs no files: it is generated\n"
