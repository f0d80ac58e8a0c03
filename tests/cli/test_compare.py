import json

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.datasets import registry
from protograph.datasets.spec import DatasetSpec


def test_explainers_are_compared(run_well, run, folder, monkeypatch):
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
    done = run_well(*arguments)
    title, _, header, *rows = done.stdout.splitlines()[:5]
    assert title == "tiny, a GCN trained for each seed, 1 seed"
    assert header.split() == ["page", "walk", "random"]
    assert [row.split()[0] for row in rows] == ["accuracy", "p_GNN"]
    assert done.stderr.startswith("1 seed of 3 explainers: about ")
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "the ground truths' own density is 0.222 to 0.222" in done.stdout
    picture = folder / "runs" / "compare-tiny" / "prototypes.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    facts = json.loads(run_well(*arguments, "--json").stdout)
    assert facts["explainers"]["page"]["slower"]["mean"] == 1.0
    assert len(facts["rows"]) == 3
    (folder / "other").mkdir()
    (folder / "other" / "prototypes.png").write_text("mine")
    assert run(*arguments, "--out", "other").stderr == (
        "error: cannot write to other: prototypes.png there is not what protograph wrote; move it away, or choose "
        "another --out\n"
    )
    assert run(*arguments, "--data-root", "other", "--out", "other").stderr == (
        "error: --out other is a folder that is read from; choose another --out\n"
    )
    bad = run("compare", "tiny", "--csv", "--json")
    assert bad.stderr == "error: --csv, --latex and --json each print the result; give one of them\n"


OWN = """
import protograph as pg
class Ends(pg.Explainer):
    def find(self, target):
        return [(index, [0, 1]) for index in self.members(target)[:2]]
def nodes(explanation, case):
    return sum(one.num_nodes for one in explanation.prototypes) + len(case.held_out) / 100
"""


def test_a_file_a_model_an_explainer_and_a_metric_of_ones_own(run_well, run, folder):
    (folder / "own_parts.py").write_text(OWN)
    arguments = ("compare", "graphs.pt", "--model", "mine:build", "--explainers", "random,own_parts:Ends")
    chosen = ("--metrics", "fidelity,nodes,stability,own_parts:nodes", "--quick", "--out", "own")
    done = run_well(*arguments, *chosen)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("QUICK, no result to cite: graphs.pt, the model mine:build, 2 seeds; at most 300 graphs")
    table = [line.split() for line in lines[4:8]]
    assert [line[0] for line in table] == ["fidelity", "nodes", "stability", "nodes"]
    assert table[1][-3:] == ["2.0", "±", "0.0"]
    assert table[3][-3:] == ["4.240", "±", "0.000"]  # 2 of 2 nodes, and 24 of 120 graphs kept apart
    assert {path.name for path in (folder / "own").iterdir()} >= {
        "figures.csv",
        "seeds.csv",
        "table.tex",
        "prototypes.png",
    }
    assert not list((folder / "own").glob("model-*"))
    again = run_well(*arguments, *chosen, "--csv")
    printed = again.stdout
    assert again.stderr == (
        "2 seeds of 2 explainers: all kept from an earlier run, unless data or model have changed\n"
    )
    assert printed == (folder / "own" / "figures.csv").read_text()
    assert "own_parts:Ends,own_parts:nodes,4.24," in printed
    assert run_well(*arguments, *chosen, "--latex").stdout.startswith("\\begin{table}")
    elsewhere = run_well(*arguments, "--metrics", "accuracy", "--quick", "--out", "own", "--device", "cpu")
    assert elsewhere.stderr.startswith("2 seeds of 2 explainers: about ")  # seconds on a device are others
    assert elsewhere.stdout.splitlines()[3:6] == ["no figures", "", "not shown: accuracy (needs a ground truth)"]
    assert run(*arguments, "--device", "warp").stderr.startswith(
        "error: --device must be one that PyTorch can use here, got 'warp': "
    )
    bad = run(*arguments, "--robustness")
    assert bad.stderr == (
        "error: --robustness trains other models beside ours, which --model leaves out; give one of them\n"
    )
    assert run(*arguments, "--split", "paper").stderr == (
        "error: --split is for training, which --model leaves out; give one of them\n"
    )


def test_a_table_of_molecules_with_rows_that_cannot_be_read(run, folder):
    pytest.importorskip("rdkit")
    rows = [f"{'CO'[n % 2] * (2 + n % 4)},{n % 2}" for n in range(40)]
    (folder / "mine.csv").write_text("\n".join(["smiles,label", *rows, "C1C,0"]) + "\n")
    arguments = ("compare", "mine.csv", "--explainers", "random", "--seeds", 1, "--metrics", "validity,coverage")
    bad = run(*arguments)
    assert bad.returncode == 1
    assert "C1C" in bad.stderr
    done = run(*arguments, "--skip-invalid", "--json")
    assert "left out 1 row" in done.stderr
    facts = json.loads(done.stdout)
    assert facts["explainers"]["random"]["is_valid"]["mean"] == 1.0
    assert facts["explainers"]["random"]["accuracy"]["mean"] is None
    assert len(facts["left_out"]) == 1
    assert (folder / facts["left_out_file"]).read_text().splitlines()[1].startswith("42,C1C,")
