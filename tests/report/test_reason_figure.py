from dataclasses import replace

from protograph.explanation import Example, Pattern
from protograph.report.figure import classes_figure, plot
from protograph.report.scene import lay_out
from tests.explanation import by_hand
from tests.explanation.by_hand import reason
from tests.metrics.small_graphs import ring
from tests.report.test_reason_scene import of_reasons

TRIANGLE, SQUARE = Pattern(graph=ring(3)), Pattern(graph=ring(4), at_least=2)
EXAMPLE = Example(
    source=7, nodes=(0, 1, 2, 3, 4), graph=by_hand.house(), marked=((2, 3, 4),), probability=0.91, is_whole=True
)


def drawn(*some, examples=(), **options):
    (of_class,) = lay_out([of_reasons(*some, examples=examples)])
    return classes_figure([of_class], **options), of_class


def labels(axes):
    return {one.get_label() for one in (*axes.collections, *axes.patches, *axes.lines)}


def test_a_reason_has_its_words_its_patterns_and_its_example():
    figure, _ = drawn(reason(has=(TRIANGLE,), lacks=(SQUARE,)), examples=[EXAMPLE])
    texts = [text.get_text() for text in figure.texts]
    assert texts[0] == "Class 0"
    assert "Reason 1: a triangle, with a ring of four nodes in fewer than two places" in texts
    assert "a triangle" in texts
    assert "a ring of four nodes in fewer than" in texts
    assert "example: the whole of graph 7, since the model needs its context (p = 0.910)" in texts
    first, second, example = figure.axes
    assert "strike" not in labels(first)
    assert {"strike", "lacking"} <= labels(second)
    assert [text.get_text() for text in second.texts] == ["2 \N{MULTIPLICATION SIGN}"]
    assert {"halo", "pale nodes", "nodes"} <= labels(example)


def test_reasons_stand_below_prototypes(house, tmp_path):
    plain = replace(house, feature_names=(), source=None, sources=None, nodes=None, sessions=[])
    both = replace(of_reasons(reason(has=(TRIANGLE,)), examples=[EXAMPLE]), prototypes=[plain])
    titles = [text for text in classes_figure(lay_out([both])).texts if text.get_fontweight() == "bold"]
    assert [text.get_text().split(":")[0] for text in titles] == ["Class 0", "Prototype 1", "Reason 1"]
    heights = [text.get_position()[1] for text in titles]
    assert heights == sorted(heights, reverse=True)
    plot([both], tmp_path / "both.png")
    assert (tmp_path / "both.png").read_bytes().startswith(b"\x89PNG")
