import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import torch

from protograph.explanation import EmbeddingMap, Pattern, Prototype
from protograph.explanation.prototype import NextBest, TakenOut
from protograph.explanation.survey import Survey
from protograph.report.report import report_html, write_report
from tests.explanation.by_hand import explained, reason
from tests.made import with_reasons
from tests.metrics.small_graphs import path, ring
from tests.report.test_reason_figure import EXAMPLE

VOID = {"meta", "img", "br", "input"}
TRIANGLE, ENDS = Pattern(graph=ring(3)), Pattern(graph=path(2), closed=(1,))
GRAPHS = [*[ring(3)] * 40, *[path(3)] * 40, *[ring(4)] * 10]
PREDICTIONS = [*[0] * 40, *[1] * 40, *[0] * 10]
PARTS = [number % 3 for number in range(90)]


class Page(HTMLParser):
    """What a browser sees: text, tags, links, data of the scripts; fails on tags that are not closed."""

    def __init__(self, content):
        super().__init__()
        self.open, self.tags, self.texts, self.links, self.labels, self.ids = [], [], [], [], [], []
        self.scripts = {}
        self.feed(content)
        self.close()
        assert self.open == []
        self.data = json.loads(self.scripts["data"])
        self.text = " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on")]
        self.links += [attributes[name] for name in ("src", "href") if name in attributes]
        self.labels += [attributes["aria-label"]] if "aria-label" in attributes else []
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag not in VOID:
            self.open.append((tag, attributes))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script":
            self.scripts[attributes.get("id", "code")] = data
        elif data.strip() and tag != "style":
            self.texts.append(data.strip())


@pytest.fixture
def survey():
    """Six graphs: four predicted as class 1, of which one is labelled 0, and two as class 0."""
    graphs = {index: ring(3) if index < 3 else path(3) for index in range(5)}
    return Survey(
        places=(10, 11, 12, 13, 14, 15),
        names=("a", "b", "", "<i>d</i>", "e", "f"),
        labels=(1, 1, 1, 0, 0, 0),
        predictions=(1, 1, 1, 1, 0, 0),
        probabilities=(0.9, 0.8, 0.7, 0.6, 0.95, 0.99),
        positions=np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0], [4.0, 2.0], [4.0, 0.0]]),
        explained=(0.6, 0.3),
        graphs=graphs,
    )


def reasoned(**facts):
    found = explained(0, [reason(has=(TRIANGLE,), lacks=(ENDS,))], GRAPHS, PREDICTIONS, PARTS, **facts)
    (one,) = found.reasons
    return with_reasons(found, [replace(one, example=EXAMPLE)])


def test_the_report_holds_everything(explain):
    about = {"data": "houses", "model": "GCN", "date": "2026-01-02"}
    page = Page(report_html([explain(warnings=("2 graphs have directed edges",), about=about)]))
    for text in (
        "What the model has learned",
        "Class 1: house",
        "455 of 2,000 graphs are predicted as it; found by PAGE.",
        "Note: 2 graphs have directed edges",
        "Data houses Model GCN Explainer PAGE Made 2026-01-02",
        "99.0% accuracy of the model guessing the largest class: 66.9%",
        "99.1% balanced accuracy",
        "contains one of the prototypes",
        "Prototype 1 · p more than 0.999 a house of four body nodes and one head node",
        "Probability of the class 0.9998400",
        "Margin (log-odds) 8.5170",
        "Size 5 nodes, 6 edges (4 body, 1 head)",
        "Cluster size 312 of 455 graphs predicted as the class",
        "Representatives (sources) graph 17, graph 4, graph 9",
        "Its nodes there 0, 1, 2, 3, 4",
        "Search sessions",
        "Session 1: 5 nodes, p = 0.980, margin 3.90, stopped: full",
        "1,782 of 1,800 graphs (99.0%) are predicted as they are labelled.",
        "no house 1,190 15 house 3 592",
        "num_clusters 2 search walk",
        "fit 12.3",
        "torch 2.13.0",
    ):
        assert text in page.text, text
    assert "Prototype 1: a house of four body nodes and one head node" in page.labels
    assert {"verdict", "class-1", "class-1-prototype-1", "errors", "making"} <= set(page.ids)
    assert "map" not in page.ids  # files of older versions do not have all graphs


def test_a_card_shows_the_evidence(explain, house, evidence):
    other = NextBest(graph=path(2), probability=0.7, margin=0.85)
    matches = torch.tensor([[0], [1], [2], [3], [4]])
    supported = replace(house, evidence=evidence, num_clusters=2, sources=[17], matches=matches, next_best=(other,))
    out = (TakenOut(index=17, nodes=(0, 1), margin=4.0, margin_without=-1.5),)
    page = Page(report_html([explain(prototypes=[supported], prototypes_taken_out=(out,))]))
    for text in (
        "found in 88% of the graphs predicted as house and in 0.3% of the others",
        "Predicted as the class 88% 400 of 455",
        "Predicted otherwise 0.3% 4 of 1,545",
        "Its cluster 96% 300 of 312",
        "Information 0.81 of 1 bit",
        "Contribution share 62%",
        "In 1 graph of the class the margin goes from 4.00 to -1.50 on average when it is taken out",
        "4.0 → -1.5",
        "Next best, not taken",
        "2 nodes, 1 edge; p = 0.700, margin 0.85",
        "left out 2 nodes that the other classes have too",
        "1 (head) 2 of 1 30 of 40 +1.500 0",
        "1 (head) and 2 (body)",
        "Node of graph 17",
        "1 (head): in 30 of 40 graphs looked at; adds +1.50 to the margin",
    ):
        assert text in page.text, text
    assert "Predicted as the class: 88%, 95% interval 85% to 91%" in page.labels
    assert "graph 17" in page.labels
    copies = page.data["cards"]["class-1-prototype-1"]["copies"]
    assert list(copies) == ["JSON", "Python"]
    assert json.loads(copies["JSON"])["num_nodes"] == 5


def test_what_is_to_be_doubted_stands_on_top(explain, house):
    odd = replace(house, target=1, predicted=0)
    page = Page(report_html([explain(prototypes=[odd], doubts=("it guesses",))], not_explained={0: "no graph"}))
    head = page.text[: page.text.index("455 of 2,000")]
    for text in (
        "What to doubt it guesses.",
        "Class 0 (no house) is not explained: no graph.",
        "Prototype 1 of class 1 (house): by itself the model takes this for class 0 (no house)",
    ):
        assert text in head, text
    assert "#class-1-prototype-1" in page.links
    assert "What to doubt Nothing stands out" in Page(report_html([explain()])).text


def test_a_reason_has_its_rule_support_fidelity_and_example():
    page = Page(report_html([reasoned(typical_uncovered=(83, 80))]))
    words = "a triangle, without a node with exactly one neighbour"
    for text in (
        f"Rule: {words} Fidelity of this class against the rest: 0.882 (95%: ",
        f"Reason 1 {words}",
        "Ringed nodes have no other neighbours. What is hatched is not to be there.",
        "Predicted as the class, kept apart 76% 13 of 17",
        "Searched 14 of 17 of the class, 0 of 13 others",
        "example: the whole of graph 7, since the model needs its context (p = 0.910)",
        "Most typical without a reason graph 83, graph 80",
        "Of the class, without a reason 80, 81, 82, 83, 84, 85, 86, 87, 88, 89",
        "No reason covers 20% of the graphs predicted as class 0 .",
    ):
        assert text in page.text, text


def test_all_graphs_are_on_the_map_and_some_are_examples(explain, house, survey):
    asked = Pattern(graph=ring(3))
    alike = replace(house, graph=ring(3), nodes=None, source=None, sources=[0], feature_names=(), pattern=asked)
    placed = EmbeddingMap((0, 1, 2, 3), np.zeros((4, 2)), (0, 0, 0, -1), (0.6, 0.3))
    one = explain(
        prototypes=[alike], survey=survey, num_graphs=6, num_predicted=4, embedding_map=placed, feature_names=(),
        feature_colors=(), source_graphs={}, confusion=((2, 1), (0, 3)),
    )  # fmt: skip
    page = Page(report_html([one]))
    points = page.data["points"]
    assert (points["x"], points["y"]) == ([0, 1000, 2000, 3000, 4000, 4000], [0, 0, 1000, 1000, 2000, 0])
    assert points["name"][3] == "<i>d</i>"
    assert (points["cluster"], points["clusters"][0]["card"]) == ([0, 0, 0, -1, -1, -1], "class-1-prototype-1")
    assert points["marks"] == [{"index": 0, "source": False, "card": "class-1-prototype-1"}]
    assert page.data["graphs"]["0"] == {"k": [0, 0, 0], "e": [0, 1, 0, 2, 1, 2]}
    card = page.data["cards"]["class-1-prototype-1"]
    assert (card["having"], card["lacking"], card["marks"]["0"]) == ([0, 1, 2], [3], [0, 1, 2])
    assert "Each point is one of 6 graphs" in page.text
    assert "1 graphs are predicted as another class than their label" in page.text
    assert "<i>d</i> class 0 (no house) class 1 (house) 0.600 none" in page.text


def test_two_classes_stand_beside_each_other():
    first, second = reasoned(), explained(1, [reason(has=(ENDS,))], GRAPHS, PREDICTIONS, PARTS)
    content = report_html([first, second])
    assert 'data-shares="80.0,0.0"' in content
    assert 'data-shares="0.0,100.0"' in content
    assert "contrast" not in Page(report_html([first])).ids


def test_text_from_the_data_is_escaped(explain, house, evidence, survey):
    evil = "</script><script>alert('1')</script>\"&"
    names = ("head", evil, "backbone")
    explanation = explain(
        prototypes=[replace(house, evidence=replace(evidence, steps=(evil,)), feature_names=names)],
        class_names=("no house", evil),
        feature_names=names,
        warnings=(evil,),
        options={evil: evil, "function": test_text_from_the_data_is_escaped},
        versions={evil: evil},
        timings={evil: 1.0},
        explainer=evil,
        about={"data": evil},
        doubts=(evil,),
        survey=replace(survey, names=(evil,) * 6, graphs={}),
        num_graphs=6,
        num_predicted=4,
        embedding_map=None,
    )
    other = explain(target=0, num_graphs=6, num_predicted=2, embedding_map=None)
    content = report_html([explanation, other])
    assert content.count("<script") == 2
    page = Page(content)
    assert page.tags.count("script") == 2
    assert page.data["points"]["name"][0] == evil
    assert f"Class 1: {evil}" in page.texts
    assert f"Note: {evil}" in page.texts
    assert "function tests.report" in page.text


def test_nothing_outside_the_file_is_needed(explain):
    content = report_html([explain(), explain(target=0)])
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', content).group(1)
    page = Page(content)
    digest = base64.b64encode(hashlib.sha256(page.scripts["code"].encode()).digest()).decode()
    assert policy.replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        f"script-src 'sha256-{digest}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    content = content.replace('xmlns="http://www.w3.org/2000/svg"', "")  # a name that nothing is fetched from
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttpRequest|innerHTML|eval\(", content)
    assert not set(page.tags) & {"link", "iframe", "object", "form", "img"}
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)


def test_what_all_classes_share_is_said_once(explain):
    same = Page(report_html([explain(), explain(target=0)]))
    assert same.text.count("Rows: label. Columns: prediction.") == same.texts.count("Options") == 1
    page = Page(report_html([explain(), explain(target=0, options={"num_clusters": 3})]))
    assert (page.texts.count("Options"), page.texts.count("Seconds")) == (2, 1)


def test_a_report_without_the_optional_parts(explain, house):
    made = Prototype(graph=house.graph, probability=0.5, margin=0.0)
    bare = explain(prototypes=[made], confusion=None, embedding_map=None, timings={}, versions={}, options={})
    page = Page(report_html([bare]))
    assert not {"Cluster", "Options", "Seconds", "Versions", "label"} & set(page.texts)
    page = Page(report_html([explain(prototypes=[], confusion=((0, 0), (0, 0)))]))
    assert "0 of 0 graphs are predicted as they are labelled." in page.text
    assert "No prototype was found." in page.text


def test_the_report_is_always_the_same_and_readable_as_utf8(explain, tmp_path):
    explanation = explain(class_names=("no", "Häuser \ud800"))
    write_report([explanation], tmp_path / "a.html")
    write_report([explanation], tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert ">Class 1: Häuser</h2>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_missing_folder_is_named_and_an_error_leaves_the_earlier_report(explain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"^cannot write no/a\.html: the folder no does not exist$"):
        explain().report("no/a.html")
    (tmp_path / "a.html").write_text("earlier")
    monkeypatch.setattr("protograph.report.report.page_of", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explain().report("a.html")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.html", "earlier")]


def test_nothing_to_report(tmp_path):
    with pytest.raises(ValueError, match=r"^explanations must have at least one class to report, got none$"):
        write_report([], tmp_path / "a.html")
    assert not list(tmp_path.iterdir())
