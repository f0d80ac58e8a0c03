"""Labels of graphs, of which all, some or none may have one."""

import pytest
import torch

import protograph as pg
from tests import zoo

GRAPHS = zoo.random_graphs(9)
NOTE = "4 of 9 graphs have a label (y): how well the model does is told of these"


def labelled(*labels):
    """The graphs with these labels; ``None`` for none."""
    own = [graph.clone() for graph in GRAPHS]
    for graph, label in zip(own, labels, strict=True):
        graph.y = None if label is None else torch.tensor([label])
    return own


def test_the_confusion_is_of_the_graphs_that_have_a_label(tmp_path):
    labels = [1, None, 0, None, None, 1, None, 0, None]
    with pytest.warns(pg.ProtographWarning) as seen:
        explainer = pg.baselines.RandomSubgraph(num_candidates=4).fit(zoo.make(), labelled(*labels))
    assert [str(one.message) for one in seen] == [NOTE]
    predicted = explainer.predictions_.tolist()
    expected = [[0, 0], [0, 0]]
    for label, prediction in zip(labels, predicted, strict=True):
        if label is not None:
            expected[label][prediction] += 1
    explanation = explainer.explain(predicted[0])
    assert list(map(list, explanation.survey.confusion)) == expected
    assert NOTE in explanation.warnings
    explanation.report(tmp_path / "report.html")
    right = expected[0][0] + expected[1][1]
    words = f"{right} of 4 graphs ({right / 4:.1%}) are predicted as they are labelled. 5 others have no label."
    assert words in (tmp_path / "report.html").read_text()
