import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.facts import rule_facts, source_facts
from protograph.graphs.origins import Origin
from tests.explanation.by_hand import explained, house, reason
from tests.metrics.small_graphs import ring

PAIR = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)


def explanation_of(prototype, **options):
    return pg.Explanation(
        target=0, prototypes=[prototype], explainer="PAGE", options={}, num_graphs=9, num_predicted=4,
        class_names=("no",), **options,
    )  # fmt: skip


def test_indices_and_where_they_came_from():
    prototype = pg.Prototype(graph=PAIR, probability=0.5, margin=0.0, source=2, sources=[2, 1])
    origin = Origin(position=20, line=22, name="a", smiles="CC")
    facts = {"position": 20, "line": 22, "file": "", "file_position": None, "name": "a", "smiles": "CC"}
    assert source_facts(explanation_of(prototype, origins={2: origin}), prototype) == {
        "source": 2,
        "origin": facts,
        "sources": [2, 1],
        "origins": [facts, None],
    }


def test_a_generated_prototype_came_from_no_graph():
    prototype = pg.Prototype(graph=PAIR, probability=0.5, margin=0.0)
    nothing = {"source": None, "origin": None, "sources": None, "origins": None}
    assert source_facts(explanation_of(prototype), prototype) == nothing


def test_a_rule_is_told_with_its_reasons_and_fidelity():
    whole, predictions = [house(), ring(4), house(), ring(4)], [0, 1, 0, 0]
    found = explained(0, [reason(has=(pg.Pattern(graph=house()),))], whole, predictions, [0, 2, 2, 2])
    facts = rule_facts(found)
    fidelity = found.fidelity
    assert facts.pop("fidelity") == {"value": 0.75, "low": fidelity.low, "high": fidelity.high, "num_graphs": 3}
    assert facts == {
        "rule": "a house",
        "reasons": [
            {
                "words": "a house",
                "support": {"num_in_class": 2, "num_class": 3, "num_elsewhere": 0, "num_others": 1},
                "kept_apart": {"num_in_class": 1, "num_class": 2, "num_elsewhere": 0, "num_others": 1},
                "example": None,
                "example_origin": None,
                "example_probability": None,
            }
        ],
        "fidelity_curve": [0.75],
        "fidelity_note": "",
        "uncovered_share": 1 / 3,
        "typical_uncovered": [],
    }
    plain = rule_facts(explanation_of(pg.Prototype(graph=PAIR, probability=0.5, margin=0.0)))
    assert (plain["rule"], plain["fidelity"], plain["uncovered_share"]) == ("", None, None)
