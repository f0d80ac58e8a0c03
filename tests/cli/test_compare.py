import json

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.compare import COLUMNS, NAMES, _chosen, _table
from protograph.datasets import registry
from protograph.datasets.spec import DatasetSpec
from protograph.evaluation.comparison import Figure


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


def test_five_explainers_fit_100_columns():
    figure = Figure(0.123456, 0.123456, 20)
    figures = {name: dict.fromkeys(COLUMNS, figure) for name in NAMES}
    figures["random"] = figures["random"] | {
        "model_calls": Figure(1234567.0, None, 20),
        "accuracy": Figure(None, None, 0),
    }
    rows = [{"prototypes": [{"truth_density": 0.1}], "explainer": "page", "seed": 3, "failed": "no graph " * 40}]
    lines = _table(figures, "page", 20, rows)
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == list(NAMES)
    assert lines[1].split() == ["accuracy", *["0.123", "±", "0.123"] * 4, "-"]
    assert "-: there is no such figure of any prototype (see protograph evaluate)" in lines


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
    header, *rows = done.stdout.splitlines()[:3]
    assert header.split() == ["page", "walk", "random"]
    assert [row.split()[0] for row in rows] == ["accuracy", "p_GNN"]
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
        "error: --out other is the folder that --data-root names; choose another --out\n"
    )
    bad = run("compare", "tiny", "--explainers", "page,magic")
    assert bad.stderr == "error: --explainers must be among page, walk, xgnn, gnninterpreter, random, got magic\n"
