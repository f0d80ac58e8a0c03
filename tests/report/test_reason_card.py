import re
from dataclasses import replace

from protograph.explanation import Pattern
from protograph.report.figure import shared_palette
from protograph.report.reason_card import reason_cards, rule_box
from protograph.report.report import report_html
from protograph.report.scene import lay_out
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring
from tests.report.test_reason_figure import EXAMPLE

TRIANGLE, ENDS = Pattern(graph=ring(3)), Pattern(graph=path(2), closed=(1,))
WHOLE = [*[ring(3)] * 40, *[path(3)] * 40, *[ring(4)] * 10]
PREDICTIONS = [*[0] * 40, *[1] * 40, *[0] * 10]
PARTS = [number % 3 for number in range(90)]


def explanation(**facts):
    found = explained(0, [reason(has=(TRIANGLE,), lacks=(ENDS,))], WHOLE, PREDICTIONS, PARTS, **facts)
    (one,) = found.reasons
    return replace(found, reasons=(replace(one, example=EXAMPLE),))


def text_of(markup):
    return re.sub(r"\s+", " ", re.sub(r"<img[^>]*>|<[^>]+>", " ", markup)).strip()


def cards(one):
    (of_class,) = lay_out([one])
    return reason_cards(of_class, shared_palette([one]))


def test_a_card_has_words_support_fidelity_and_example():
    text = text_of(cards(explanation(typical_uncovered=(83, 80))))
    words = "Reason 1: a triangle, without a node with exactly one neighbour"
    assert text.startswith(
        f"{words} Ringed nodes have no other neighbours. What is red behind is not to be there. In the example the "
        "patterns are marked, and what carries them is paler."
    )
    assert "Searched 14 of 17 (95%: 59% to 94%) 0 of 13 (95%: 0% to 23%)" in text
    assert "All 40 of 50 (80%) 0 of 40 (none)" in text
    assert "Fidelity 0.882 (95%: " in text
    assert "Example the whole of graph 7, since the model needs its context (p = 0.910)" in text
    assert "Graphs for which rule and model part" in text
    assert "Most typical without a reason graph 83, graph 80" in text
    assert "Of the class, without a reason 80, 81, 82, 83, 84, 85, 86, 87, 88, 89" in text


def test_the_rule_stands_on_top_of_its_class():
    one = explanation()
    assert text_of(rule_box(one)).startswith(
        "Rule: a triangle, without a node with exactly one neighbour Fidelity of this class against the rest: 0.882 "
    )
    assert rule_box(replace(one, reasons=(), graph_predictions=(), graph_parts=())) == ""
    page = report_html(lay_out([one]))
    assert page.index('class="rule"') < page.index('class="reason"')
    assert "No prototype was found; 1 reason." in page


def test_text_from_the_data_is_escaped():
    named = replace(explanation(), fidelity_note="<script>", graph_parts=(), class_names=("<b>", "1"), reasons=())
    markup = rule_box(named)
    assert "<script>" not in markup
    assert "No fidelity: &lt;script&gt;." in markup
