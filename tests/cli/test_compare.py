import csv
import io
import json
import re
from functools import partial

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.compare import (
    METRICS,
    NAMES,
    comparison_csv,
    comparison_table,
    explainers_of,
    notes_of,
    seeds_csv,
)
from protograph.datasets import registry
from protograph.datasets.spec import DatasetSpec
from protograph.evaluation.comparison import Figure

WIDE = Figure(0.123456, 0.123456, 20, 0.001, 0.02)


def path(kind, size):
    ends = torch.arange(size - 1)
    edge_index = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
    return Data(x=torch.eye(2)[[kind] * size], edge_index=edge_index, y=torch.tensor([kind]))


def test_explainers_are_compared(run_well, run, folder, monkeypatch):
    def tiny(files, random_state, num_graphs):
        graphs = [path(number % 2, 3 + number % 5) for number in range(60)]
        truths = {1: (Data(x=graphs[1].x[:3], edge_index=path(1, 3).edge_index),)}
        return pg.datasets.GraphDataset(graphs=graphs, name="tiny", class_names=("a", "b"), ground_truths=truths)

    monkeypatch.setattr(registry, "SPECS", {**registry.SPECS, "tiny": DatasetSpec(name="tiny", load=tiny)})
    monkeypatch.setattr("protograph.evaluation.comparison.train", partial(pg.train, max_epochs=5))
    arguments = ("compare", "tiny", "--explainers", "page,walk,random", "--seeds", 1, "--max-nodes", 6)
    done = run_well(*arguments)
    title, _, header, *rows = done.stdout.splitlines()[:5]
    assert title == "tiny, a GCN trained for each seed, 1 seed"
    assert header.split() == ["page", "walk", "random"]
    assert [row.split()[0] for row in rows] == ["accuracy", "p_GNN"]
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "the ground truths' own density is 0.222 to 0.222" in done.stdout
    place = folder / "runs" / "compare-tiny"
    assert {path.name for path in place.iterdir()} == {
        *("comparison.json", "figures.csv", "seeds.csv", "prototypes.png", "left_out.csv"),
        *(f"{name}-seed0-prototypes.json" for name in ("page", "walk", "random")),
    }
    assert (place / "prototypes.png").read_bytes().startswith(b"\x89PNG")
    assert list(pg.load(place / "page-seed0-prototypes.json")) == [1]
    assert "--force" in run(*arguments).stderr


OWN = """
import protograph as pg
class Ends(pg.Explainer):
    def __init__(self, random_state=0, num_prototypes=4):
        self.random_state, self.num_prototypes = random_state, num_prototypes
    def find(self, target):
        return [(index, [0, 1]) for index in self.members(target)[:2]]
def plain(): return Ends(num_prototypes=9)
def broken(): raise RuntimeError("no")
def other(): return 3
"""


@pytest.fixture
def own(folder, monkeypatch):
    (folder / "own_parts.py").write_text(OWN)
    monkeypatch.syspath_prepend(folder)


@pytest.mark.usefixtures("own")
def test_a_file_a_model_and_an_explainer_of_ones_own(run_well, run, folder):
    arguments = ("compare", "graphs.pt", "--model", "mine:build", "--explainers", "random,own_parts:Ends", "--seeds", 2)
    lines = run_well(*arguments, "--out", "own").stdout.splitlines()
    facts = json.loads(run_well(*arguments[:-1], 1, "--json", "--out", "again").stdout)
    assert facts["explainers"]["random"]["slower"]["mean"] == 1.0
    assert lines[0] == "graphs.pt, the model mine:build, 2 seeds"
    (nodes,) = (line.split() for line in lines if line.startswith("nodes"))
    assert nodes[-3:] == ["2.0", "±", "0.0"]
    rows = list(csv.DictReader((folder / "own" / "figures.csv").read_text().splitlines()))
    assert {row["explainer"] for row in rows} == {"random", "own_parts:Ends"}
    assert run(*arguments, "--device", "warp").stderr.startswith("error: device must be one that PyTorch can use here")


@pytest.mark.parametrize(("given", "clusters", "count"), [(None, "auto", 2), (3, 3, 3)])
def test_page_finds_out_how_many_prototypes_unless_it_is_told(given, clusters, count):
    made = {name: make(7) for name, make in explainers_of(",".join(NAMES), given, None).items()}
    assert list(made) == list(NAMES)
    page, walk = made["page"], made["walk"]
    assert (page.search, page.num_clusters, page.max_nodes) == ("consensus", clusters, None)
    assert (walk.num_clusters, walk.max_nodes) == (count, None)
    assert {(one.num_prototypes, one.max_nodes) for one in list(made.values())[2:]} == {(count, 13)}
    assert {one.random_state for one in made.values()} == {7}
    assert {make(0).max_nodes for make in explainers_of(",".join(NAMES), given, 6).values()} == {6}


@pytest.mark.usefixtures("own")
def test_an_explainer_of_ones_own_gets_what_it_takes():
    made = explainers_of("page, own_parts:Ends,own_parts:plain", None, 6)
    assert list(made) == ["page", "own_parts:Ends", "own_parts:plain"]
    assert vars(made["own_parts:Ends"](7)) == {"random_state": 7, "num_prototypes": 4}
    assert vars(made["own_parts:plain"](7)) == {"random_state": 0, "num_prototypes": 9}
    assert explainers_of("own_parts:Ends", 2, None)["own_parts:Ends"](0).num_prototypes == 2


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("page,magic", "--explainers must be among page, .* or a module:attribute of yours, got magic"),
        (" , ", "--explainers must be among .*, got none"),
        ("own_parts:broken", "--explainers 'own_parts:broken' failed with RuntimeError: no"),
        ("own_parts:other", "--explainers 'own_parts:other' must be a class of protograph.Explainer, .* got int"),
        ("own_parts:Absent", "--explainers 'own_parts:Absent': module 'own_parts' .* has no 'Absent'"),
    ],
)
def test_explainers_that_cannot_be_had(names, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        explainers_of(names, None, None)


def test_five_explainers_fit_100_columns_and_more_come_below():
    figures = {name: dict.fromkeys(METRICS, WIDE) for name in (*NAMES, "a_long_module:ALongNameOfAnExplainer")}
    figures["random"] |= {"model_calls": Figure(1234567.0, None, 20), "accuracy": Figure(None, None, 0)}
    lines = comparison_table(figures, list(METRICS))
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == list(NAMES)
    assert lines[1].split() == ["accuracy", *["0.123", "±", "0.123*"] * 4, "-"]
    below = lines[len(METRICS) + 1 :]
    assert (below[0], below[1].strip()) == ("", "ALongNameOf...")
    assert below[2].split() == ["accuracy", "0.123", "±", "0.123*"]


def test_what_a_star_means_is_said_with_the_test():
    plain, tested = Figure(0.5, 0.1, 5), Figure(0.5, 0.1, 5, 0.2, 0.4)
    figures = {"page": {"accuracy": plain, "density": plain}, "xgnn": {"accuracy": WIDE, "density": tested}}
    (note,) = notes_of([], figures, ["density", "num_nodes"][:1], "page")
    assert re.fullmatch(r"no figure differs significantly from page: .*paired t-test .* for 1 comparison", note)
    assert re.match(r"\*: differs from page: .* for 2 comp", notes_of([], figures, ["accuracy", "density"], "page")[0])
    once = {"density": Figure(0.5, None, 1)}
    assert notes_of([], {"page": once, "walk": once}, ["density"], "page")[0].endswith("take more --seeds")
    few = {"page": {"density": plain}, "xgnn": {"density": Figure(0.5, 0.1, 3, 0.2, 0.4)}}
    assert notes_of([], few, ["density"], "page")[0].endswith("; with so few seeds only large differences show")


def test_csv_has_a_row_an_explainer_and_metric():
    figures = {"page": {"accuracy": Figure(0.5, None, 1)}, "mine:M": {"accuracy": WIDE}}
    first, second = csv.DictReader(io.StringIO(comparison_csv(figures, ["accuracy"])))
    assert (first["explainer"], first["mean"], first["spread"], first["num_seeds"]) == ("page", "0.5", "", "1")
    assert (second["p_value"], second["is_significant"]) == ("0.001", "true")
    values = {"page": {"accuracy": {0: 0.25, 1: None}}}
    assert seeds_csv(values) == "explainer,metric,seed,value\r\npage,accuracy,0,0.25\r\n"
