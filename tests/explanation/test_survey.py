"""The survey of all graphs of a fit."""

import json
import warnings

import numpy as np
import pytest
import torch
from torch_geometric.utils import to_undirected

import protograph as pg
from protograph.explanation import EmbeddingMap, Explanations, Survey
from protograph.explanation.survey import chosen_graphs, origin_columns
from protograph.graphs.origins import Origin
from tests.browser.made import NumEdges
from tests.made import made_explanation
from tests.metrics.small_graphs import path, ring

FACTS = {
    "places": (4, 7),
    "names": ("a", "b"),
    "labels": (0, 1),
    "predictions": (0, 0),
    "probabilities": (0.75, 1.0),
    "positions": np.array([[0.0, 1.0], [2.0, 3.0]]),
    "explained": (0.5, 0.25),
    "graphs": {1: ring(3)},
}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"labels": (0,)}, r"labels must be empty or a list of 2, one for each of predictions, got \[0\]"),
        ({"predictions": (0,)}, r"places must be empty or a list of 1"),
        ({"predictions": (0, -1)}, r"predictions must be classes, from 0, got -1"),
        ({"positions": np.zeros((2, 3))}, r"positions.shape must be \[2, 2\], .* got \[2, 3\]"),
        ({"probabilities": (0.5, 1.5)}, r"probabilities must be in \[0, 1\]"),
        ({"graphs": {2: path(2)}}, r"graphs must be by indices below 2"),
        ({"confusion": ((1, 2), (3,))}, r"confusion must have as many columns as rows"),
    ],
)
def test_what_does_not_fit_is_refused(changes, problem):
    with pytest.raises(ValueError, match=f"^{problem}"):
        Survey(**(FACTS | changes))
    with pytest.raises(ValueError, match=r"^clusters must be a list of 2, one for each of indices, got \[0\]"):
        EmbeddingMap((0, 1), np.zeros((2, 2)), (0,), (1.0, 0.0))
    with pytest.raises(ValueError, match=r"^positions.shape must be \[2, 2\], .*, got \[2, 3\]"):
        EmbeddingMap((0, 1), np.zeros((2, 3)), (0, 0), (1.0, 0.0))


def test_classes_share_it_in_a_file_and_after_loading(tmp_path):
    shared = Survey(**FACTS)
    Explanations({n: made_explanation(target=n, survey=shared) for n in (0, 1)}).save(tmp_path / "both.json")
    document = json.loads((tmp_path / "both.json").read_text())
    assert document["survey"]["places"] == [4, 7]
    assert all("survey" not in one for one in document["explanations"])
    again = pg.load(tmp_path / "both.json")
    assert again[0].survey is again[1].survey
    assert (again[0].survey.names, again[0].survey.graphs[1].num_nodes) == (("a", "b"), 3)
    assert again[0].survey.positions.tolist() == shared.positions.tolist()


@pytest.mark.parametrize(
    "origins",
    [
        [Origin(position=7, line=9, name="aspirin", smiles="CCO"), Origin(position=3, line=4, smiles="C")],
        [Origin(position=0, file="a.pt", file_position=0), Origin(position=1, file="b.pt", file_position=0)],
        [Origin(position=0), Origin(position=1)],
    ],
)
def test_an_origin_comes_back_as_it_was(origins):
    columns = origin_columns(origins)
    survey = Survey(predictions=(1, 0), **columns)
    assert [survey.origin(0), survey.origin(1)] == origins
    assert ("files" in columns) == bool(origins[0].file)  # what nothing is known of has no column


def test_wrong_graphs_come_first_and_all_classes_in_turn():
    predictions, labels = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 1, 0])
    first, second, *others = chosen_graphs(predictions, labels, 4)
    assert (first, second, sorted(predictions[others])) == (1, 5, [0, 1])
    assert sorted(chosen_graphs(predictions, labels, 99)) == [0, 1, 2, 3, 4, 5]
    assert len(set(chosen_graphs(np.zeros(1000, np.int64), None, 100))) == 100


def test_all_graphs_are_looked_over_once_and_patterns_taken_out():
    graphs = [ring(3 + index % 3) for index in range(12)] + [path(3 + index % 3) for index in range(12)]
    for index, graph in enumerate(graphs):
        graph.x, graph.name, graph.y = torch.ones(graph.num_nodes, 1), f"g{index}", int(index < 12)
        graph.edge_index = to_undirected(graph.edge_index, num_nodes=graph.num_nodes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        both = pg.PAGE(num_clusters=1).fit(NumEdges(), graphs).explain_all()
    survey = both[0].survey
    assert survey is both[1].survey
    assert survey.names == tuple(f"g{index}" for index in range(24))
    assert survey.labels == survey.predictions == (1,) * 12 + (0,) * 12
    assert survey.confusion == ((12, 0), (0, 12))
    assert set(survey.graphs) == set(range(24))
    assert set(survey.graphs[0].keys()) == {"x", "edge_index", "num_nodes"}
    for one in both.values():
        assert (one.num_graphs, one.num_predicted) == (24, 12)
        assert len(one.prototypes_taken_out) == len(one.prototypes)
        assert len(one.reasons_taken_out) == len(one.reasons)
        assert one.provenance.about["model"] == "NumEdges"
