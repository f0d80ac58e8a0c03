import json
from dataclasses import replace

import pytest
import torch

from protograph.explanation import Pattern
from protograph.report.copying import pattern_texts, prototype_texts
from tests.metrics.small_graphs import path


def test_python_makes_the_same_graph(house):
    texts = prototype_texts(house)
    assert list(texts) == ["JSON", "Python"]
    made = {}
    exec(texts["Python"], made)  # noqa: S102 - it is our own
    assert torch.equal(made["graph"].x, house.graph.x)
    assert torch.equal(made["graph"].edge_index, house.graph.edge_index)
    assert json.loads(texts["JSON"])["edge_index"] == house.graph.edge_index.tolist()


def test_molecules_have_smarts(house):
    pytest.importorskip("rdkit")
    assert "SMARTS" in prototype_texts(replace(house, feature_names=("C", "N", "O")))
    pattern = Pattern(graph=path(2, kinds=[0, 2]), feature_names=("C", "N", "O"))
    assert pattern_texts(pattern)["SMARTS"] == "[#6]~[#8]"
    assert "SMARTS" not in pattern_texts(replace(pattern, closed=(1,)))
    assert "SMARTS" not in pattern_texts(Pattern(graph=path(2)))
