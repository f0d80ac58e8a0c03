import re
from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

from protograph.testing import ContractError, check_explainer
from tests.testing.broken import Sound, changed, with_graphs, with_prototypes

pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def edited(**entries):
    """A change of a graph: each entry made anew of the graph."""
    return lambda graph: Data(**graph.to_dict() | {key: make(graph) for key, make in entries.items()})


def moved(prototypes):
    return [replace(one, nodes=[*one.nodes[1:], one.nodes[0]]) for one in prototypes]


def joined(prototypes):
    """Every node joined to every other, whatever the source has."""
    full = (1 - torch.eye(4)).nonzero().T
    return [replace(one, graph=Data(x=one.graph.x, edge_index=full)) for one in prototypes]


class Drawn(Sound):
    def explain(self, target):
        explanation = super().explain(target)
        object.__setattr__(explanation, "plot", lambda path: path.write_text("<svg>"))
        return explanation


class Forgets(Sound):
    """What it says of itself is not kept by a file."""

    def explain(self, target):
        explanation = super().explain(target)
        object.__setattr__(explanation, "summary", lambda: "by heart")
        return explanation


DTYPE, ROWS = "to have the data's type of x, got torch.float64", "to have rows of x that occur in the data, got the row"
BROKEN = {
    "facts_are_told": [
        (changed(explainer="Other"), "wanted the explainer's name 'Changed', got 'Other'"),
        (changed(num_graphs=3, survey=None), "wanted num_graphs 40, got 3"),
        (changed(model_calls=1), "wanted model_calls of at least 40, the graphs that fit shows, got 1"),
        (changed(num_predicted=1), "wanted num_predicted 21, got 1"),
    ],
    "prototypes_are_graphs_of_the_data": [
        (with_prototypes(lambda prototypes: []), "wanted at least one prototype, got none"),
        (with_graphs(edited(x=lambda graph: graph.x.double())), f"wanted prototype 0 (gcn) {DTYPE}"),
        (with_graphs(edited(x=lambda graph: graph.x / 2)), f"wanted prototype 0 (gcn) {ROWS} [(0.5, 0.0, 0.0)]"),
        (
            with_graphs(edited(edge_index=lambda graph: graph.edge_index[:, :1])),
            "wanted prototype 0 (gcn) to be undirected, got the edge [(0, 1)] in one direction",
        ),
        (
            with_graphs(edited(edge_index=lambda graph: torch.tensor([[0], [0]]))),
            "wanted prototype 0 (gcn) to have no self-loops, got some",
        ),
        (
            with_graphs(edited(edge_index=lambda graph: torch.tensor([[0, 0], [1, 1]]))),
            "wanted prototype 0 (gcn) to have each edge once in each direction, got 2 of 1",
        ),
        (
            with_graphs(edited(edge_index=lambda graph: torch.tensor([[0, 1], [1, 0]]))),
            "wanted prototype 0 (gcn) to be connected, got 2 of 4 nodes",
        ),
    ],
    "parts_are_where_they_say": [
        (with_prototypes(moved), "of graph 33, to have the rows of x of these nodes, got others"),
        (with_prototypes(joined), "of graph 20, to have edges of that graph only, got the edge [(0, 2)]"),
        (changed(source_graphs={}), "of graph 20, to have its graph in source_graphs, got none"),
    ],
    "probabilities_are_the_models": [
        (
            with_prototypes(lambda prototypes: [replace(one, probability=0.25) for one in prototypes]),
            ", got 0.250000",
        ),
        (with_prototypes(lambda prototypes: [replace(one, margin=-9.0) for one in prototypes]), ", got -9.00000"),
    ],
    "best_comes_first": [
        (with_prototypes(lambda prototypes: prototypes[::-1]), "wanted prototypes by margin, the highest first, got "),
    ],
    "predicted_class_is_known": [
        (
            with_prototypes(lambda prototypes: [replace(one, target=None) for one in prototypes]),
            "wanted prototype 0 of class 0 to have target 0, got None",
        ),
        (
            with_prototypes(lambda prototypes: [replace(one, predicted=None) for one in prototypes]),
            "wanted prototype 0 of class 0 to be predicted as 0, got None",
        ),
    ],
    "saved_and_loaded_is_the_same": [(Forgets, "wanted the summary 'by heart', got '!! The model")],
    "picture_and_report_are_drawn": [(Drawn, "wanted a picture in PNG, got 5 bytes of something else")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("check", "broken", "message"),
    [
        pytest.param(check, *case, id=f"{check}-{number}")
        for check, cases in BROKEN.items()
        for number, case in enumerate(cases)
    ],
)
def test_each_check_can_fail_and_says_what_came(check, broken, message):
    with pytest.raises(ContractError, match=rf"(?s)\n  {check}: wanted .*{re.escape(message.removeprefix('wanted '))}"):
        check_explainer(broken, checks=[check])


def test_more_nodes_than_asked_for_are_noticed():
    class Large(Sound):
        def find(self, target):
            return [(index, range(4)) for index, _ in super().find(target)]

    with pytest.raises(ContractError, match=r"wanted prototype 0 \(gcn\) to have at most max_nodes=2 nodes, got 4$"):
        check_explainer(lambda: Large(max_nodes=2), checks=["prototypes_are_graphs_of_the_data"])
