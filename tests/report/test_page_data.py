import json

import numpy as np

from protograph.explanation import Pattern
from protograph.explanation.survey import Survey
from protograph.report.page_data import as_script_data, page_data
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
    data = page_data([one], [], Thumbnails(one, palette_of(graphs), survey.graphs.items()))
    points = data["points"]
    assert points["reason"] == [0, 0, -1, -1]
    assert points["reasons"] == [{"words": "a triangle", "card": "class-0-reason-1"}]
    assert points["parting"] == [0, 0, 1, 2]
    assert points["probability"] == [1000, 500, 250, 123]
    assert (points["x"], points["y"]) == ([0, 4000, 0, 2000], [0, 0, 2000, 2000])
    assert data["graphs"] == {2: {"k": [0, 0, 0], "e": [0, 1, 1, 2]}}
