import json

import numpy as np

from protograph.explanation import Pattern
from protograph.explanation.survey import Survey
from protograph.report.page_data import as_script_data, page_data, shown_graphs
from protograph.report.palette import palette_of
from protograph.report.thumbnails import Thumbnails
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring


def test_data_cannot_end_its_element():
    text = as_script_data({"name": "</script><!-- & -->"})
    assert not set(text) & set("<>&")
    assert json.loads(text) == {"name": "</script><!-- & -->"}


def test_each_graph_has_its_reason_and_whether_rule_and_model_part():
    graphs, predictions = [ring(3), ring(3), path(3), ring(3)], [0, 0, 0, 1]
    survey = Survey(
        places=(0, 1, 2, 3),
        predictions=tuple(predictions),
        probabilities=(1.0, 0.5, 0.25, 0.1234),
        positions=np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        explained=(1.0, 0.0),
        graphs={2: path(3)},
    )
    one = explained(0, [reason(has=(Pattern(graph=ring(3)),))], graphs, predictions, [0, 1] * 2, survey=survey)
    thumbnails = Thumbnails(one, palette_of(graphs), survey.graphs.items())
    data = page_data([one], [], thumbnails, shown_graphs([one], [], thumbnails))
    points = data["points"]
    assert points["reason"] == [0, 0, -1, -1]
    assert points["reasons"] == [{"words": "a triangle", "card": "class-0-reason-1"}]
    assert points["parting"] == [0, 0, 1, 2]
    assert points["probability"] == [1000, 500, 250, 123]
    assert (points["x"], points["y"]) == ([0, 4000, 0, 2000], [0, 0, 2000, 2000])
    assert data["graphs"] == {2: {"k": [0, 0, 0], "e": [0, 1, 1, 2]}}


def test_of_very_many_graphs_a_sample_is_numbered_anew_with_all_that_the_page_speaks_of(monkeypatch):
    monkeypatch.setattr("protograph.report.page_data.MAX_POINTS", 2)
    graphs, predictions = [ring(3), path(3)] * 3, [0, 1] * 3
    survey = Survey(
        places=tuple(range(10, 16)),
        predictions=tuple(predictions),
        probabilities=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
        positions=np.arange(12.0).reshape(6, 2),
        explained=(1.0, 0.0),
        graphs={4: ring(3)},
    )
    one = explained(0, [reason(has=(Pattern(graph=ring(3)),))], graphs, predictions, [0, 1] * 3, survey=survey)
    thumbnails = Thumbnails(one, palette_of(graphs), survey.graphs.items())
    shown = shown_graphs([one], [], thumbnails, others=[5])
    assert shown.indices.tolist() == [0, 3, 4, 5]  # every third, the one that is drawn, and the other
    data = page_data([one], [], thumbnails, shown)
    assert list(data["graphs"]) == [2]
    assert data["points"]["place"] == [10, 13, 14, 15]
    assert data["points"]["reason"] == [0, -1, 0, -1]
    assert shown.number(5) == 3
