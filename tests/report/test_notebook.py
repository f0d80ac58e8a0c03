import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.explanation.told import HAS_TRIANGLE, IS_SHORT, told


class Tags(HTMLParser):
    """Every tag with its attributes, and all text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def shown():
    explanations = told()
    several = replace(explanations[1], doubts=("<script>alert(1)</script>",), warnings=("<img src=x onerror=y>",))
    return {
        "explanations": explanations,
        "explanation": several,
        "prototype": explanations[1].prototypes[0],
        "reason": explanations[0].reasons[1],
    }


@pytest.mark.parametrize("what", ["explanations", "explanation", "prototype", "reason"])
def test_it_is_static_and_asks_for_nothing(what):
    page = Tags(shown()[what]._repr_html_())
    assert {tag for tag, _ in page.tags} <= {"div", "span", "h4", "b", "br", "p", "img", "code"}
    for tag, attributes in page.tags:
        assert set(attributes) <= {"style", "alt", "title", "width", "height", "src"}
        assert tag != "img" or attributes["src"].startswith("data:image/svg+xml;base64,")


def test_text_from_the_data_is_escaped():
    html = shown()["explanation"]._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "Class 1: &lt;b&gt;three&lt;/b&gt;" in html
    assert "Note: &lt;img src=x onerror=y&gt;" in html


def test_a_class_has_its_rule_and_a_card_each():
    text = "".join(Tags(told()._repr_html_()).texts)
    assert "Rule: a triangle" in text
    assert "Prototype 1: a ring of three nodes" in text
    assert "Reason 2: without a node with at least two neighbours" in text
    assert text.count("Reason 1: ") == 2
    assert re.search(r"fidelity 0\.\d{3} \(95%: ", text)


def test_what_is_not_to_be_there_is_framed_and_said():
    assert "not to be there" in IS_SHORT._repr_html_()
    assert "not to be there" not in HAS_TRIANGLE._repr_html_()


def test_colours_are_named_where_there_are_several(house, explain):
    text = Tags(explain()._repr_html_()).texts
    assert [name for name in ("head", "body", "backbone") if f" {name}" in text] == ["head", "body", "backbone"]
    assert " head" in Tags(house._repr_html_()).texts
    assert "border-radius:50%" not in HAS_TRIANGLE._repr_html_()


def test_a_prototype_that_is_taken_for_a_class_of_a_higher_number_shows_itself(house):
    prototype = replace(house, target=0, predicted=3)
    assert "by itself the model takes this for class 3" in "".join(Tags(prototype._repr_html_()).texts)
