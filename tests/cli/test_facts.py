import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.facts import source_facts
from protograph.graphs.origins import Origin

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
