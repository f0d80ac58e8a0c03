"""The command line as a user meets it: by its output, files and exit status."""

import contextlib
import dataclasses
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
from protograph.cli.compare import NAMES, _chosen
from protograph.cli.loading import DataOptions, load_graphs
from protograph.datasets import registry
from protograph.datasets.sources import SourceFile
from protograph.datasets.spec import DatasetSpec
from protograph.training import GCN
from tests import zoo
from tests.datasets.file_server import serving

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
        "def wants(size):\n    return GCN(3, 2, (size,))\n"
        "def fails():\n    raise RuntimeError('disk full')\n"
        "def leaves():\n    raise SystemExit(3)\n"
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
    assert files == sorted([*pictures, "explanation.json", "prototypes.png", "report.html", "run.json"])
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
    assert set(prototype) == {"nodes", "edges", "probability", "margin", "cluster", "cluster_size", "source", "smiles"}
    assert prototype["smiles"] is None
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
        (["molecules.csv"], "error: there is no file molecules.csv"),
        (["no/such/file"], "error: there is no file or folder no/such/file"),
        (["mine.py"], r"error: mine.py must be a .pt file with a list of graphs, a folder of such, or a table"),
        (["empty"], r"error: empty has no .pt file; wanted files with lists of torch_geometric Data"),
        (["PROTEINS", "--data-root", "empty"], r"error: tu/PROTEINS.zip was looked for in empty \(root=\)"),
        (["solubility", "--data-root", "empty"], r"error: solubility/delaney-processed.csv was looked for in empty"),
        (
            ["benzene", "--data-root", "nowhere"],
            r"error: .* was looked for in nowhere \(root=\), which is not a folder",
        ),
        (["graphs.pt", "--skip-invalid"], r"error: --smiles-column, --label-column and --skip-invalid are for tables"),
        (
            ["graphs.pt", "--weights", "model.pt"],
            "error: --weights and --return-type are for a model of yours",
        ),
        (["graphs.pt", "--return-type", "raw"], "error: --weights and --return-type are for a model of yours"),
        (
            ["graphs.pt", "--model", "model.pt", "--weights", "model.pt"],
            "error: --weights is for --model module:attribute, got --model model.pt",
        ),
        (
            ["graphs.pt", "--model", "mine:wants", "--weights", "model.pt"],
            "error: --model 'mine:wants' must give a model when called without arguments: .*'size'",
        ),
        (
            ["graphs.pt", "--model", "mine:build", "--weights", "graphs.pt"],
            r"error: graphs.pt cannot be read as weights",
        ),
        (["one.csv", "--label-column", "active"], "error: label_column 'active' of one.csv must have two classes or"),
        (
            ["bad.csv"],
            r"error: bad.csv has 2 of 4 rows that are not valid \(line 3: 'C1C': not valid SMILES; line 5: ''",
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
        (["graphs.pt", "--model", "mine:fails"], "error: --model 'mine:fails' failed with RuntimeError: disk full"),
        (["graphs.pt", "--model", "mine:leaves"], "error: --model 'mine:leaves' failed with SystemExit: 3"),
        (
            ["graphs.pt", "--model", "wrong:model"],
            "error: --model 'wrong:model': importing 'wrong' failed with",
        ),
        (
            ["graphs.pt", "--model", "model.pt", "--split", "paper"],
            "error: --split is for training, which",
        ),
        (
            ["graphs.pt", "--model", "weights.pt"],
            r"error: .* or give weights as --model module:attribute --wei",
        ),
        ([""], "error: NAME_OR_PATH must be a data set's name or a file or folder, got an empty text"),
        (["graphs.pt", "--model", "plain"], "error: --model must be a .pt file or module:attribute, got 'plain'"),
        (
            ["graphs.pt", "--model", "model.pt", "--target", "7"],
            r"error: target must be in \[0, 2\), got 7; use an index",
        ),
        (
            ["graphs.pt", "--model", "model.pt", "--device", "warp"],
            "error: device must be one that PyTorch can use here",
        ),
        (["narrow.pt", "--model", "model.pt"], r"error: RuntimeError: .*shape"),
        (["graphs.pt", "--model", "model.pt", "--k", "0"], "error: num_graphs must be at least 1, got 0"),
        (["graphs.pt", "--model", "model.pt", "--clusters", "0"], "error: num_clusters must be at least 1, got 0"),
        (["graphs.pt", "--model", "model.pt", "--max-nodes", "0"], "error: max_nodes must be at least 1, got 0"),
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
    (folder / "empty").mkdir(exist_ok=True)
    (folder / "wrong.py").write_text("model = = 3\n")
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "weights.pt")
    (folder / "one.csv").write_text("smiles,active\nC,yes\nO,yes\n")
    (folder / "bad.csv").write_text("smiles,label\nC,0\nC1C,1\nO,1\n,1\n")
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


@pytest.mark.parametrize("name", ["reproduce"])
def test_commands_of_a_later_version_say_so(folder, name):
    done = run(name, "anything", "--option", 3, cwd=folder)
    assert done.returncode == 1
    assert (
        done.stderr == f"error: protograph {name} is not available in this version; "
        "there are explain, train, evaluate, compare, report and datasets\n"
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
        # A child of a background job ignores interrupts unless it is told not to.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
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
    for arguments in (["--help"], ["explain", "--help"], ["train", "--help"], ["datasets", "--help"]):
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


def test_a_table_of_smiles_is_trained_on_and_explained(folder):
    # Labels that cannot be learned, so that training soon stops.
    rows = [f"{'C' * (1 + i % 7)}{'NO'[i % 2]},{'amine' if i % 3 else 'alcohol'}" for i in range(60)]
    (folder / "mol.csv").write_text("\n".join(["structure,kind", *rows, "C(,amine"]) + "\n")
    arguments = ("explain", "mol.csv", "--smiles-column", "structure", "--label-column", "kind", "--k", 1)
    refused = run(*arguments, cwd=folder)
    assert refused.returncode == 1
    assert "(line 62: 'C(': not valid SMILES)" in refused.stderr
    done = run(*arguments, "--clusters", 1, "--skip-invalid", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "left out 1 row(s):\n  line 62: 'C(': not valid SMILES\n"
    facts = json.loads(done.stdout)
    assert facts["out"] == "runs/mol"
    assert facts["left_out"] == ["line 62: 'C(': not valid SMILES"]
    found = pg.load(folder / "runs" / "mol" / "explanation.json")
    target, explanation = next(iter(found.items()))
    assert explanation.class_names == ("alcohol", "amine")
    prototype = explanation.prototypes[0]
    assert set(prototype.smiles) <= set("CNO")
    assert prototype.to_rdkit().GetNumAtoms() == prototype.num_nodes
    assert f"SMILES {prototype.smiles}" in found.summary()
    assert facts["classes"][str(target)]["prototypes"][0]["smiles"] == prototype.smiles


def test_a_folder_of_shards_gives_what_one_file_gives(folder):
    graphs = torch.load(folder / "graphs.pt", weights_only=False)
    (folder / "shards").mkdir()
    for number in range(3):
        torch.save(graphs[40 * number : 40 * number + 40], folder / "shards" / f"part{number}.pt")
    options = ("--model", "model.pt", "--k", 2, "--clusters", 1, "--json")
    whole = json.loads(run("explain", "graphs.pt", *options, "--out", "w", cwd=folder).stdout)
    parts = json.loads(run("explain", "shards", *options, "--out", "p", cwd=folder).stdout)
    assert whole["classes"] == parts["classes"]
    trained = run("train", "shards", "--out", "sharded.pt", "--max-epochs", 1, "--json", cwd=folder)
    assert trained.returncode == 0, trained.stderr


def test_weights_of_the_user_s_own_model(folder):
    """The same graphs, another seed of the weights: what comes out follows the file, not the factory."""
    (folder / "plain.py").write_text(
        "import torch\nfrom protograph.training import GCN\n"
        "def build():\n    torch.manual_seed(5)\n    return GCN(3, 2, (8,))\n"
        "class Log(GCN):\n"
        "    def __init__(self):\n        super().__init__(3, 2, (8,))\n"
        "    def forward(self, x, edge_index, batch=None):\n"
        "        return super().forward(x, edge_index, batch).log_softmax(1)\n"
    )
    torch.manual_seed(6)
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "weights.pt")
    options = ("--k", 1, "--clusters", 1, "--target", 1, "--json")

    def found(name, *arguments):
        done = run("explain", "graphs.pt", *arguments, *options, "--out", name, cwd=folder)
        return json.loads(done.stdout)["classes"] if done.returncode == 0 else done.stderr

    plain = found("w1", "--model", "plain:build")
    weighted = found("w2", "--model", "plain:build", "--weights", "weights.pt")
    logs = found("w3", "--model", "plain:Log", "--weights", "weights.pt", "--return-type", "log_probs")
    assert weighted != plain
    assert isinstance(weighted, dict)
    (one,), (other,) = weighted["1"]["prototypes"], logs["1"]["prototypes"]
    assert other["margin"] == pytest.approx(one["margin"], abs=1e-6)
    assert "model.pt must have the weights of GCN, got" in found(
        "w4", "--model", "plain:build", "--weights", "model.pt"
    )


def test_data_sets_are_listed(folder):
    for arguments in (["datasets"], ["datasets", "list"]):
        done = run(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
        rows = [line.split()[0] for line in done.stdout.splitlines()[1:] if line]
        assert rows[:-1] == list(pg.datasets.names())
        assert done.stdout.splitlines()[-1].startswith("Any TUDataset by its name too")
        assert max(map(len, done.stdout.splitlines())) <= 100
    listed = json.loads(run("datasets", "list", "--json", cwd=folder).stdout)
    assert listed["ba-house"] == {
        "graphs": 2000, "classes": 2, "files": "generated", "about": "a house on a random backbone, or part of it",
    }  # fmt: skip


def test_data_sets_are_checked_against_table_1(folder, monkeypatch):
    done = run("datasets", "check", "ba-house", "BA_grid", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["ba-house"]["paper"] == {"graphs": 2000, "nodes": 21029, "edges": 62870}
    assert {name: row["verdict"] for name, row in facts.items()} == {"ba-house": "explained", "ba-grid": "explained"}
    # A difference that nothing explains.
    spec = registry.SPECS["ba-house"]
    strict = dataclasses.replace(spec, paper=dataclasses.replace(spec.paper, within=0.0))
    monkeypatch.setattr(registry, "SPECS", {"ba-house": strict})
    done = run("datasets", "check", cwd=folder)
    assert done.returncode == 1
    assert "directed: different" in done.stdout
    done = run("datasets", "check", "graph-sst2", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("error: NAME must be a data set of the paper's Table 1 (ba-house), got 'graph-sst2'")


def test_checking_does_not_download(folder, monkeypatch, no_data_folder):
    monkeypatch.setattr("protograph.datasets.sources.download", lambda url, *_: pytest.fail(url))
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(folder / "no-cache"))
    done = run("datasets", "check", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "benzene       not here: `protograph datasets fetch benzene` gets it" in done.stdout


def test_files_are_fetched(folder, monkeypatch):
    with serving(b"smiles,label\n") as server:
        file = SourceFile("mine/table.csv", None, server.url)
        spec = dataclasses.replace(registry.SPECS["solubility"], files=((file,),))
        monkeypatch.setattr(registry, "SPECS", {**registry.SPECS, "solubility": spec})
        done = run("datasets", "fetch", "solubility", "--data-root", "fetched", cwd=folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "fetched/mine/table.csv\n"
        assert (folder / "fetched" / "mine" / "table.csv").read_bytes() == b"smiles,label\n"
        again = run("datasets", "fetch", "solubility", "--data-root", "fetched", cwd=folder)
        assert (again.returncode, len(server.requests)) == (0, 1)
    done = run("datasets", "fetch", "ba-house", cwd=folder)
    assert done.stderr == "error: ba-house needs no files: it is generated\n"


def test_a_model_of_one_table_on_another(folder):
    """Columns are the atoms that occur in a table: they are put in the order of the model's, or refused."""
    rows = [f"{'C' * (1 + i % 5)}{'NO'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "no.csv").write_text("\n".join(["smiles,label", *rows]) + "\n")
    assert run("train", "no.csv", "--out", "no.pt", "--max-epochs", 2, cwd=folder).returncode == 0
    options = ("--model", "no.pt", "--k", 1, "--clusters", 1, "--json", "--out")
    whole = json.loads(run("explain", "no.csv", *options, "o1", cwd=folder).stdout)["classes"]
    (folder / "part.csv").write_text("smiles,label\nCCO,1\nCO,1\nCCCO,0\n")
    done = run("explain", "part.csv", *options, "o2", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = pg.load(folder / "o2" / "explanation.json")
    assert (
        next(iter(found.values())).feature_names
        == pg.load(folder / "o1" / "explanation.json")[int(next(iter(whole)))].feature_names
    )
    (folder / "os.csv").write_text("smiles,label\nCO,0\nCS,1\nCCS,1\nCCO,0\n")
    done = run("explain", "os.csv", *options, "o3", cwd=folder)
    assert done.stderr.startswith("error: the model was trained on nodes of C, N, O, but the graphs also have S; give")
    (folder / "names.csv").write_text("smiles,label\nCO,yes\nCN,no\n")
    done = run("explain", "names.csv", *options, "o4", cwd=folder)
    assert done.stderr.startswith("error: the model tells apart the classes 0, 1, but the graphs have no, yes; give")


def test_a_data_set_s_name_wins_over_a_folder(folder):
    (folder / "ba-house").mkdir()
    assert load_graphs("ba-house", DataOptions()).graphs.name == "ba-house"
    with pytest.raises(FileNotFoundError, match=r"has no \.pt file"):
        load_graphs(f"{folder}/ba-house", DataOptions())


def test_nothing_of_an_earlier_run_stays_beside_the_next(folder):
    options = ("--k", 1, "--clusters", 1, "--out", "mixed")
    (folder / "mixed").mkdir()
    for name in ("model.pt", "split.json", "class7-prototype1.png", "notes.txt"):
        (folder / "mixed" / name).write_text("of an earlier run")
    assert run("explain", "graphs.pt", "--model", "model.pt", *options, cwd=folder).returncode == 0
    left = {path.name for path in (folder / "mixed").iterdir()}
    assert "notes.txt" in left
    assert not left & {"model.pt", "split.json", "class7-prototype1.png"}
    (folder / "mixed" / "model.pt").write_bytes((folder / "model.pt").read_bytes())
    assert run("explain", "graphs.pt", "--model", "mixed/model.pt", *options, cwd=folder).returncode == 0
    assert (folder / "mixed" / "model.pt").exists()


def test_a_run_is_judged(folder):
    """On graphs that were held out where the model was trained here; with a model given, on the same graphs."""
    given = run("explain", "graphs.pt", "--model", "model.pt", "--k", 2, "--clusters", 1, "--out", "judged", cwd=folder)
    assert given.returncode == 0, given.stderr
    facts = json.loads(run("evaluate", "judged", "--json", cwd=folder).stdout)
    assert facts["held_out"] is False
    found = pg.load(folder / "judged" / "explanation.json")
    for target, explanation in found.items():
        row = facts["classes"][str(target)]
        assert row["accuracy"] is None  # a file of graphs has no ground truth
        assert row["prototypes"][0]["probability"] == explanation.prototypes[0].probability
        assert row["prototypes"][0]["support"] > 0  # it occurs at least in the graph it was cut from
        assert row["prototypes"][0]["truth_margin"] is None
        assert 0.5 <= row["prototypes"][0]["sources_probability"] <= 1  # representatives are predicted as the class
    text = run("evaluate", "judged", cwd=folder)
    assert text.returncode == 0, text.stderr
    assert re.search(
        r"1\. p = [01]\.\d{4} \(sources [01]\.\d{4}\); margin -?\d+\.\d\d \(sources -?\d+\.\d\d\);", text.stdout
    )
    assert text.stdout.splitlines()[-1].endswith("120 the graphs it was found in: none were held out")
    (folder / "judged" / "run.json").write_text("{}")
    assert run("evaluate", "judged", cwd=folder).stderr.startswith("error: judged/run.json is damaged ('data')")
    assert run("evaluate", "nowhere", cwd=folder).stderr.startswith("error: nowhere has no run.json; give a folder")


def test_clusters_and_size_follow_from_the_data_by_default(folder):
    options = ("--model", "model.pt", "--target", 0, "--out", "auto")
    done = run("explain", "graphs.pt", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    explanation = pg.load(folder / "auto" / "explanation.json")[0]
    chosen = {name: explanation.options[name] for name in ("num_clusters", "max_nodes", "search")}
    assert chosen == {"num_clusters": "auto", "max_nodes": None, "search": "consensus"}
    assert explanation.prototypes[0].evidence.num_class == explanation.num_predicted
    done = run("explain", "graphs.pt", *options, "--search", "walk", "--clusters", 1, "--max-nodes", 4, cwd=folder)
    assert done.returncode == 0, done.stderr
    explanation = pg.load(folder / "auto" / "explanation.json")[0]
    assert explanation.options["search"] == "walk"
    assert [prototype.num_clusters for prototype in explanation.prototypes] == [1]
    assert explanation.prototypes[0].num_nodes <= 4


def test_other_explainers_have_defaults_of_their_own(folder):
    options = ("--model", "model.pt", "--target", 0, "--out", "peer", "--explainer", "random")
    done = run("explain", "graphs.pt", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    explanation = pg.load(folder / "peer" / "explanation.json")[0]
    chosen = {name: explanation.options[name] for name in ("num_prototypes", "max_nodes", "num_candidates")}
    assert chosen == {"num_prototypes": 2, "max_nodes": 13, "num_candidates": 2 * 5 * 3}


@pytest.mark.parametrize("name", ["random", "xgnn"])
def test_other_explainers(folder, name):
    options = ("--model", "model.pt", "--target", 0, "--clusters", 1, "--max-nodes", 4, "--json", "--out", name)
    done = run("explain", "graphs.pt", *options, "--explainer", name, cwd=folder)
    assert done.returncode == 0, done.stderr
    (prototype,) = json.loads(done.stdout)["classes"]["0"]["prototypes"]
    assert 1 <= prototype["nodes"] <= 4
    assert prototype["cluster"] is None


@pytest.mark.parametrize(("prototypes", "clusters", "count"), [(None, "auto", 2), (3, 3, 3)])
def test_page_finds_out_how_many_prototypes_unless_it_is_told(prototypes, clusters, count):
    made = {name: make(7) for name, make in _chosen(",".join(NAMES), prototypes, None).items()}
    assert list(made) == ["page", "walk", "xgnn", "gnninterpreter", "random"]
    page, walk = made["page"], made["walk"]
    assert (page.search, page.num_clusters, page.max_nodes) == ("consensus", clusters, None)
    assert (walk.search, walk.num_clusters, walk.max_nodes) == ("walk", count, None)
    assert {one.num_prototypes for one in list(made.values())[2:]} == {count}
    assert {one.max_nodes for one in list(made.values())[2:]} == {13}
    assert {one.random_state for one in made.values()} == {7}
    assert {make(0).max_nodes for make in _chosen(",".join(NAMES), prototypes, 6).values()} == {6}


def test_explainers_are_compared(folder, monkeypatch):
    def path(kind, size):
        ends = torch.arange(size - 1)
        edge_index = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
        return Data(x=torch.eye(2)[[kind] * size], edge_index=edge_index, y=torch.tensor([kind]))

    def tiny(files, random_state, num_graphs):
        graphs = [path(number % 2, 3 + number % 5) for number in range(60)]
        truths = {1: (Data(x=graphs[1].x[:3], edge_index=path(1, 3).edge_index),)}
        return pg.datasets.GraphDataset(graphs=graphs, name="tiny", class_names=("a", "b"), ground_truths=truths)

    monkeypatch.setattr(registry, "SPECS", {**registry.SPECS, "tiny": DatasetSpec(name="tiny", load=tiny)})
    arguments = ("compare", "tiny", "--explainers", "page,walk,random", "--seeds", 1, "--max-nodes", 6)
    done = run(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    header, *rows = done.stdout.splitlines()[:4]
    assert header.split()[:3] == ["explainer", "accuracy", "p_GNN"]
    assert [row.split()[0] for row in rows] == ["page", "walk", "random"]
    assert "the ground truths' own density is 0.222 to 0.222" in done.stdout
    picture = folder / "runs" / "compare-tiny" / "prototypes.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    facts = json.loads(run(*arguments, "--json", cwd=folder).stdout)
    assert facts["explainers"]["page"]["slower"]["mean"] == 1.0
    assert len(facts["rows"]) == 3
    bad = run("compare", "tiny", "--explainers", "page,magic", cwd=folder)
    assert bad.stderr == "error: --explainers must be among page, walk, xgnn, gnninterpreter, random, got magic\n"
