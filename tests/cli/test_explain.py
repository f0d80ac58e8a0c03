import json
import re
import sys
from functools import partial

import pytest
import torch

import protograph as pg
from protograph.training import GCN

GIVEN = ("graphs.pt", "--model", "model.pt")
# Where nothing is said of reasons, which take longer than prototypes.
NO_REASONS = ("--max-reasons", 0)
SMALL = ("--num-graphs", 1, "--num-clusters", 1)


@pytest.fixture
def short_training(monkeypatch):
    monkeypatch.setattr("protograph.training.train", partial(pg.train, max_epochs=3))


def test_explaining_leaves_pictures_json_and_a_report(explained):
    found = explained.path / "found"
    files = sorted(p.name for p in found.iterdir())
    explanations = pg.load(found / "explanation.json")
    pictures = [f"class{t}-prototype{n + 1}.png" for t, e in explanations.items() for n in range(len(e.prototypes))]
    tables = ["graphs.csv", "left_out.csv", "prototypes.csv", "reasons.csv"]
    assert files == sorted([*pictures, *tables, "explanation.json", "prototypes.png", "report.html", "run.json"])
    assert explanations.summary() in explained.stdout["found"]
    assert (found / pictures[0]).read_bytes().startswith(b"\x89PNG")
    assert "<html" in (found / "report.html").read_text()


def test_json_is_all_that_scripts_see(run):
    facts = json.loads(run("explain", *GIVEN, *NO_REASONS, *SMALL, "--out", "j", "--json").stdout)
    assert facts["out"] == "j"
    assert set(facts["classes"]) <= {"0", "1"}
    prototype = next(iter(facts["classes"].values()))["prototypes"][0]
    of_cluster = {"cluster", "cluster_size", "source", "origin", "sources", "origins"}
    of_model, of_molecule = {"probability", "margin", "predicted"}, {"smiles", "smarts"}
    assert set(prototype) == {"nodes", "edges"} | of_model | of_cluster | of_molecule
    assert prototype["smiles"] is prototype["smarts"] is None


def test_a_folder_that_is_there_is_refused_or_moved_aside(run_well, run, refused, folder, monkeypatch):
    given = ("graphs.pt", *NO_REASONS, "--model", "model.pt", "--target", 0, "--num-graphs", 1, "--out", "a/run")
    run_well("explain", *given, "--num-clusters", 2)
    assert (folder / "a/run/class0-prototype2.png").exists()
    run_well("explain", *given, "--num-clusters", 1, "--force")
    assert not (folder / "a/run/class0-prototype2.png").exists()
    assert sorted(path.name for path in (folder / "a").iterdir()) == ["run", "run.old"]
    assert run("explain", *given[:-1], "new/one", "--target", 9).returncode == 1
    assert not (folder / "new").exists()
    monkeypatch.setattr("protograph.cli.explain.load_classifier", None)  # refused before any work
    assert re.match(r"error: a/run is there; choose another --out, .*--force", refused(*given))
    (folder / "mixed").mkdir()
    (folder / "mixed" / "split.json").write_text("mine")
    for place in ("mixed", ".", "mine.py"):
        message = rf"error: {place} is there, and is not what this command wrote; choose another --out"
        assert re.match(message, refused(*given[:-1], place, "--force"))


def test_the_paper_s_gcn_is_trained_and_kept_without_a_model(explained):
    said = r"trained for \d+ epochs: training accuracy [01]\.\d{4}, test accuracy [01]\.\d{4}\n"
    assert re.match(said, explained.stdout["trained"])
    split = json.loads((explained.path / "trained" / "split.json").read_text())
    assert sorted(split["train"] + split["validation"] + split["test"]) == list(range(120))
    assert pg.training.load_model(explained.path / "trained" / "model.pt").num_classes == 2


def test_a_table_of_smiles_is_trained_on_and_explained(run_well, run, folder, short_training):
    # Labels that cannot be learned, so that training soon stops.
    rows = [f"{'C' * (1 + i % 7)}{'NO'[i % 2]},{'amine' if i % 3 else 'alcohol'}" for i in range(60)]
    (folder / "mol.csv").write_text("\n".join(["structure,kind", *rows, "C(,amine"]) + "\n")
    arguments = ("explain", "mol.csv", "--smiles-column", "structure", "--label-column", "kind", "--num-graphs", 1)
    assert run(*arguments).stderr.splitlines()[1:] == ["  line 62: C(: not valid SMILES"]
    assert not (folder / "runs").exists()
    done = run_well(*arguments, "--num-clusters", 1, "--skip-invalid", "--json")
    told, doubted = done.stderr.splitlines()[:2], done.stderr.splitlines()[2:]
    assert told == ["left out 1 row:", "  line 62: C(: not valid SMILES"]
    assert doubted[0] == "!! The model may have learned nothing:"
    rows = (folder / "runs" / "mol-kind" / "left_out.csv").read_text()
    assert rows == "line,smiles,reason\n62,C(,not valid SMILES\n"
    facts = json.loads(done.stdout)
    assert facts["out"] == "runs/mol-kind"
    assert facts["left_out"] == ["line 62: C(: not valid SMILES"]
    assert "left_out.csv" in facts["files"]
    explanations = pg.load(folder / "runs" / "mol-kind" / "explanation.json")
    assert [f"!!   {doubt}." for doubt in facts["doubts"]] == doubted[1:]
    assert {one.doubts for one in explanations.values()} == {tuple(facts["doubts"])}
    assert facts["not_explained"] == {str(target): why for target, why in explanations.not_explained.items()}
    target, explanation = next(iter(explanations.items()))
    assert explanation.class_names == ("alcohol", "amine")
    prototype = explanation.prototypes[0]
    assert set(prototype.smiles) <= set("CNO~")
    assert prototype.to_rdkit().GetNumAtoms() == prototype.num_nodes
    assert f"SMARTS {prototype.smarts}" in explanations.summary()
    assert facts["classes"][str(target)]["prototypes"][0]["smiles"] == prototype.smiles
    assert facts["classes"][str(target)]["prototypes"][0]["smarts"] == prototype.smarts


def test_weights_of_the_user_s_own_model(run, folder):
    """Two factories with other weights of their own: what comes out follows the file."""
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
    options = ("--num-graphs", 1, "--num-clusters", 1, "--target", 1, "--json")

    def explained(name, *arguments):
        done = run("explain", "graphs.pt", *NO_REASONS, *arguments, *options, "--out", name)
        return json.loads(done.stdout)["classes"] if done.returncode == 0 else done.stderr

    weighted = explained("w2", "--model", "plain:build", "--weights", "weights.pt")
    logs = explained("w3", "--model", "plain:Log", "--weights", "weights.pt", "--return-type", "log_probs")
    assert isinstance(weighted, dict)
    (one,), (other,) = weighted["1"]["prototypes"], logs["1"]["prototypes"]
    assert other["margin"] == pytest.approx(one["margin"], abs=1e-6)
    assert "model.pt must have the weights of GCN, got" in explained(
        "w4", "--model", "plain:build", "--weights", "model.pt"
    )


def test_clusters_and_size_follow_from_the_data_by_default(run_well, folder):
    options = ("--model", "model.pt", "--target", 0, "--out", "auto")
    run_well("explain", "graphs.pt", *NO_REASONS, *options)
    explanation = pg.load(folder / "auto" / "explanation.json")[0]
    chosen = {name: explanation.options[name] for name in ("num_clusters", "max_nodes", "search")}
    assert chosen == {"num_clusters": "auto", "max_nodes": None, "search": "consensus"}
    walk = ("--search", "walk", "--num-clusters", 1, "--max-nodes", 4)
    run_well("explain", "graphs.pt", *NO_REASONS, *options, "--force", *walk)
    explanation = pg.load(folder / "auto" / "explanation.json")[0]
    assert explanation.options["search"] == "walk"
    assert [prototype.num_clusters for prototype in explanation.prototypes] == [1]
    assert explanation.prototypes[0].num_nodes <= 4


def test_another_explainer(run_well):
    options = ("--model", "model.pt", "--target", 0, "--num-clusters", 1, "--max-nodes", 4, "--json", "--out", "x")
    done = run_well("explain", "graphs.pt", *options, "--explainer", "xgnn")
    (prototype,) = json.loads(done.stdout)["classes"]["0"]["prototypes"]
    assert 1 <= prototype["nodes"] <= 4
    assert prototype["cluster"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graphs.pt", "--weights", "model.pt"], "--weights, .* are for a model of yours; give it with --model"),
        ([*GIVEN, "--class-weights", "1,2"], "--class-weights is for training, which --model leaves out"),
        ([*GIVEN, "--target", "7"], r"target must be in \[0, 2\), got 7"),
        ([*GIVEN, "--device", "warp"], "device must be one that PyTorch can use here, got 'warp'"),
        ([*GIVEN, "--num-graphs", "0"], "num_graphs must be at least 1, got 0"),
        ([*GIVEN, "--num-clusters", "0"], "num_clusters must be at least 1, got 0"),
        ([*GIVEN, "--num-clusters", "many"], "--num-clusters must be a whole number or auto, got 'many'"),
        ([*GIVEN, "--max-nodes", "0"], "max_nodes must be at least 1, got 0"),
        ([*GIVEN, "--max-lines", "4"], "--max-lines, got 4, .* not available yet; leave it out"),
        ([*GIVEN, "--address", "auto"], "address .*engine.*ray"),
    ],
)
def test_options_that_cannot_be_followed(refused, arguments, message):
    assert re.match(f"error: {message}", refused(*arguments))


def test_a_report_can_be_written_again(run, run_well, runs):
    report = runs / "found/report.html"
    first = report.read_text()
    report.unlink()
    assert run_well("report", "found").stdout == "found/report.html\n"
    assert report.read_text() == first
    report.write_text("mine")
    assert run("report", "found").stderr.startswith("error: found/report.html is not the file that the run wrote")
    assert report.read_text() == "mine"


# ---- what is said of a model ----------------------------------------------------------------------------------------

SAID = """
import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool
from protograph import GraphClassifier


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(3, 8), nn.Linear(8, 3)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(x, edge_index).relu(), batch))


def tasks():
    torch.manual_seed(0)
    return Net().eval()


def wrapped():
    return GraphClassifier(tasks(), task=1)
"""


@pytest.fixture
def said(folder):
    """A module with models of which something must be said, and graphs with three labels each."""
    (folder / "said.py").write_text(SAID)
    graphs = torch.load(folder / "graphs.pt", weights_only=False)[:24]
    for number, graph in enumerate(graphs):
        graph.y = torch.tensor([[number % 2, 1, float("nan")]])
    torch.save(graphs, folder / "labelled.pt")
    sys.modules.pop("said", None)
    return folder


def test_a_module_may_give_a_classifier_of_which_more_was_said(said, run_well):
    given = ("explain", "labelled.pt", "--model", "said:wrapped", "--explainer", "random")
    run_well(*given, "--out", "own")
    run_well(*given, "--task", 0, "--out", "other")
    own, other = (pg.load(said / run / "explanation.json") for run in ("own", "other"))
    probabilities = [next(iter(one.values())).survey.probabilities for one in (own, other)]
    assert probabilities[0] != probabilities[1]  # what the command says goes before what the code says


def test_what_was_said_is_kept_with_the_run(said, run, run_well):
    given = ["--model", "said:tasks"]
    run_well("explain", "labelled.pt", *given, "--task", 1, "--explainer", "random", "--out", "r")
    kept = json.loads((said / "r" / "run.json").read_text())
    assert (kept["task"], kept["return_type"]) == (1, "auto")
    assert run("evaluate", "r", *given).returncode == 0  # without the task it would be refused


def test_engine_and_address_are_the_explainers(refused, monkeypatch):
    def asked(*given):
        raise ValueError(given)

    monkeypatch.setattr("protograph.explainer.opened", asked)
    assert refused(*GIVEN, "--engine", "ray", "--address", "host:6379") == "error: ('ray', 'host:6379')"
