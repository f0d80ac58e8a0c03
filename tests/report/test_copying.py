import json
from dataclasses import replace

import pytest
import torch

from protograph.explanation import Pattern
from protograph.report.cards import prototype_texts, reason_texts
from tests.explanation.by_hand import asking, reason
from tests.metrics.small_graphs import path, ring


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
    names = ("C", "N", "O")
    assert "SMARTS" in prototype_texts(replace(house, feature_names=names, pattern=asking(house.graph, names)))
    pattern = asking(path(2, kinds=[0, 2]), names)
    assert reason_texts(reason(has=(pattern,)))["SMARTS"] == "[#6]~[#8]"
    assert reason_texts(reason(has=(replace(pattern, closed=(1,)),)))["SMARTS"] == "[#6]~[#8&D1]"
    for other in (replace(pattern, kind="induced"), replace(pattern, at_least=2), Pattern(graph=path(2))):
        assert "SMARTS" not in reason_texts(reason(has=(other,)))
    assert "SMARTS" not in reason_texts(reason(has=(pattern,), lacks=(pattern,)))


def test_a_reason_has_all_its_patterns_and_how_they_are_asked_for():
    texts = reason_texts(
        reason(has=(Pattern(graph=ring(3), at_least=2),), lacks=(Pattern(graph=path(2), closed=(1,)),))
    )
    made = {}
    exec(texts["Python"], made)  # noqa: S102 - it is our own
    (graph, how), ((_, lacking),) = made["has"][0], made["lacks"]
    assert (graph.num_nodes, how["at_least"], lacking["closed"]) == (3, 2, (1,))
    assert json.loads(texts["JSON"])["lacks"][0]["closed"] == [1]
    assert reason_texts(reason(unless=(reason(has=(Pattern(graph=path(2)),)),))) == {}
