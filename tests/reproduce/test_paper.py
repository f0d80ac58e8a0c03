import re
from pathlib import Path

import protograph.reproduce
from protograph.reproduce.paper import paper


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


def test_no_number_is_written_twice_as_a_key():
    text = (Path(protograph.reproduce.__file__).parent / "paper.json").read_text()
    first_level = re.findall(r'^ "(\w+)"', text, re.MULTILINE)
    assert len(first_level) == len(set(first_level))
