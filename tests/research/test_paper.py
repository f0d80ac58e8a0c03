import inspect
import re
from pathlib import Path

import research.paper
from protograph.page.explainer import PAGE
from protograph.training import train
from protograph.training.split import PAPER_SHARES, VALIDATION_SHARE
from protograph.training.training import PAPER_HIDDEN
from research.paper.items import rq5, rq6, table1
from research.paper.methods import NUM_PROTOTYPES, explainer_of
from research.paper.paper import paper
from research.paper.settings import Settings


def test_numbers_are_found_by_their_place():
    assert paper("table2", "faithfulness", "XGNN", "benzene") == -0.3091
    assert paper("rq4", "benzene", "GNNExplainer", "auroc") == 0.8889
    assert paper("rq7", "seconds", "benzene", "PAGE") == [12.10, 0.02]
    assert paper("table2", "accuracy", "GNNInterpreter", "benzene") is None
    assert paper("rq3", "budget", "more") is None


def test_totals_and_means_of_the_papers_first_table_fit_together():
    """What does not: MNIST-sp's mean of edges is over the 60,000 training graphs."""
    for name, row in paper("table1").items():
        assert round(row["num_nodes"] / row["num_graphs"], 2) == row["mean_nodes"], name
        graphs = 60_000 if name == "mnist-sp" else row["num_graphs"]
        assert abs(row["num_edges"] / graphs - row["mean_edges"]) < 0.0101, name


def test_what_items_repeat_of_the_paper_agrees_with_it():
    """Sweeps, layers and data sets are compared in ``test_sets.py``."""
    trials = {"num_graphs": rq5.NUM_GRAPHS, "num_trials": rq5.NUM_TRIALS, "k": rq5.NUM_CHOSEN}
    assert trials.items() <= paper("rq5").items()
    assert NUM_PROTOTYPES == paper("settings", "num_clusters") == paper("rq3", "num_clusters")
    assert paper("settings", "hidden") == rq6.WIDTH
    assert round(paper("table1", "mnist-sp", "num_edges") / table1.NUM_TRAINING["mnist-sp"], 1) == 696.6
    assert len(Settings().seeds) == paper("rq7", "num_trials")


def test_the_walk_and_the_training_have_the_papers_settings():
    walk = explainer_of("walk", 0, Settings())
    assert isinstance(walk, PAGE)
    for name in ("num_clusters", "num_graphs", "budget", "decay", "max_iterations"):
        assert getattr(walk, name) == paper("settings", name), name
    assert (paper("rq3", "budget"), paper("rq5", "k")) == (walk.budget, walk.num_graphs)
    assert paper("rq8", "num_clusters") == walk.num_clusters
    assert paper("rq8", "sentences_of_a_cluster") == walk.num_graphs
    defaults = {name: one.default for name, one in inspect.signature(train).parameters.items()}
    for name in ("learning_rate", "batch_size", "patience"):
        assert defaults[name] == paper("settings", name), name
    assert set(PAPER_HIDDEN) == {paper("settings", "hidden")}
    assert list(PAPER_SHARES) == paper("settings", "split")
    training, validation = paper("settings", "mnist_sp_train_to_validation")
    assert validation / (training + validation) == VALIDATION_SHARE


def test_no_number_is_written_twice_as_a_key():
    text = (Path(research.paper.__file__).parent / "paper.json").read_text()
    first_level = re.findall(r'^ "(\w+)"', text, re.MULTILINE)
    assert len(first_level) == len(set(first_level))
