import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.report import comparison
from protograph.report.comparison import plot_comparison
from tests.made import made_explanation

EDGE = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))


def explanations(count, **facts_of_each):
    prototypes = [pg.Prototype(graph=EDGE, probability=0.5, margin=0.0, **facts_of_each) for _ in range(count)]
    facts = {"explainer": "X", "options": {}, "num_graphs": 2, "num_predicted": 1, "class_names": ("no", "$y$es")}
    return pg.Explanations({1: made_explanation(target=1, prototypes=prototypes, feature_names=("a", "b"), **facts)})


@pytest.fixture
def drawn(monkeypatch):
    figures = []
    monkeypatch.setattr(comparison, "save_figure", lambda figure, path: figures.append(figure))
    return figures


def test_a_column_for_the_truths_and_one_for_each_explainer(drawn):
    explained = {"page": explanations(2), "xgnn": explanations(1), "random": pg.Explanations({})}
    plot_comparison("x.png", explained, {1: (EDGE,)}, "mine")
    (figure,) = drawn
    texts = [text.get_text() for text in figure.texts]
    headings = [text for text in texts if text in ("ground truth", "page", "xgnn", "random")]
    assert headings == ["ground truth", "page", "xgnn", "random"]
    assert texts.count("p = 0.500, 2 nodes, 1 edge") == 3
    assert texts.count("nothing found") == 1
    assert "class 1: $y$es" in texts
    pictures = [axes for axes in figure.axes if axes.collections]
    assert len(pictures) == 4


def test_pictures_do_not_overlap(drawn):
    plot_comparison("x.png", {"page": explanations(3), "xgnn": explanations(3)}, {}, "mine")
    boxes = [axes.get_position() for axes in drawn[0].axes if axes.collections]
    assert len(boxes) == 6
    for number, one in enumerate(boxes):
        assert 0 <= one.x0 < one.x1 <= 1
        assert 0 <= one.y0 < one.y1 <= 1
        for other in boxes[number + 1 :]:
            assert one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
