import base64
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from protograph.explanation import EmbeddingMap, Prototype
from protograph.report import report
from protograph.report.report import write_report
from protograph.report.scene import lay_out

VOID = {"meta", "img", "br"}


def report_html(explanations):
    return report.report_html(lay_out(explanations))


class Page(HTMLParser):
    """What a browser sees: text, tags, pictures; fails on tags that are not closed."""

    def __init__(self, content):
        super().__init__()
        self.open, self.tags, self.images, self.texts, self.links = [], [], [], [], []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attributes = dict(attrs)
        assert not [name for name in attributes if name.startswith("on")]
        self.links += [attributes[name] for name in ("src", "href") if name in attributes]
        if tag == "img":
            self.images.append(attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip() and self.open[-1] != "style":
            self.texts.append(data.strip())


def pictures(page):
    return [base64.b64decode(image["src"].split(",", 1)[1]) for image in page.images]


def test_the_report_holds_everything(explain):
    page = Page(report_html([explain(warnings=("2 graphs have directed edges",))]))
    for text in (
        "What the model has learned",
        "Class 1: house",
        "455 of 2,000 graphs are predicted as it; found by PAGE. 1 prototype, best first.",
        "Note: 2 graphs have directed edges",
        "Prototype 1: p = 0.9998, margin 8.52",
        "0.9998400",
        "8.5170",
        "5 nodes, 6 edges (4 body, 1 head)",
        "312 of 455 graphs predicted as the class",
        "graph 17, graph 4, graph 9",
        "0, 1, 2, 3, 4",
        "1 search session",
        "0, 3",
        "full",
        "Graph embeddings of the class",
        "1,782 of 1,800 graphs (99.0%) are predicted as they are labelled.",
        "1,190",
        "num_clusters",
        "walk",
        "12.3",
        "2.13.0",
    ):
        assert text in page.texts
    assert [image["alt"] for image in page.images] == [
        "Prototype 1 of Class 1: house: cluster 1, 312 graphs · 5 nodes, 6 edges · cut from graph 17",
        "Map of the 2 graphs predicted as Class 1: house, by cluster",
    ]
    assert all(picture.startswith(b"<?xml") for picture in pictures(page))


def test_the_report_shows_the_evidence(explain, house, evidence):
    supported = replace(house, evidence=evidence, num_clusters=2)
    page = Page(report_html([explain(prototypes=[supported])]))
    for text in (
        "a house of four body nodes and one head node; found in 88% of the graphs predicted as house and in 0.3% of "
        "the others; p more than 0.999; cluster 1 of 2, 312 graphs",
        "paler nodes and thinner edges are found in fewer of the 40 graphs of its cluster that were looked at",
        "Evidence: graphs that contain it",
        "400 of 455 (88%)",
        "4 of 1,545 (0.3%)",
        "300 of 312 (96%)",
        "0.81 of 1 bit",
        "62%",
        "1 of 2",
        "2 steps that led to it",
        "left out 2 nodes that the other classes have too",
        "Evidence node by node and edge by edge",
        "0 (head)",
        "30 of 40",
        "+1.500",
        "-0.250",
        "0 (head) and 1 (body)",
        "2 of 3",
        "20 of 40",
        "Node of graph 17",
    ):
        assert text in page.texts, text
    assert page.tags.count("details") == 3  # steps, node by node, sessions


def test_the_report_says_what_the_model_takes_a_prototype_for_and_how_few_graphs_there_are(explain, house, evidence):
    pytest.importorskip("rdkit")
    names = ("C", "N", "O")
    few = replace(evidence, num_in_class=2, num_class=3, num_elsewhere=0, num_others=1)
    odd = replace(house, target=1, predicted=0, evidence=few, feature_names=names)
    page = Page(report_html([explain(prototypes=[odd], feature_names=names)]))
    for text in (
        "Prototype 1: p = 0.9998, margin 8.52, taken for class 0",
        "The model takes it for",
        "class 0 (no house)",
        "2 of 3 (95%: 21% to 94%)",
        "0 of 1 (95%: 0% to 79%)",
        "300 of 312 (96%)",
        "To look for it",
        "SMARTS [#6]1~[#7]2~[#7]~[#7]~[#7]~1~2",
    ):
        assert text in page.texts, text
    (sentence,) = [text for text in page.texts if "by itself the model takes this for" in text]
    assert sentence.endswith(
        "p more than 0.999; by itself the model takes this for class 0 (no house); it counts only inside a graph; "
        "cluster 1, 312 graphs"
    )


def test_the_report_leaves_out_evidence_that_is_not_known(explain, house, evidence):
    little = replace(
        evidence,
        num_others=0,
        num_elsewhere=0,
        information=-0.5,
        node_sources=(),
        edge_sources=(),
        node_graphs=(),
        edge_graphs=(),
        num_looked_at=0,
        contributions=(),
        contribution_share=None,
        steps=(),
    )
    made = Prototype(graph=house.graph, probability=0.5, margin=0.0, evidence=little)
    page = Page(report_html([explain(prototypes=[made])]))
    assert {"400 of 455 (88%)", "-0.50 of 1 bit"} <= set(page.texts)
    assert not {"Predicted otherwise", "Its cluster", "Contribution share"} & set(page.texts)
    assert "details" not in page.tags
    # Features without names, and edges that were not counted.
    plain = replace(house, evidence=replace(little, node_sources=(3,) * 5), sources=None, nodes=None, feature_names=())
    page = Page(report_html([explain(prototypes=[plain], feature_names=())]))
    assert {"0", "0 and 1", "In sources"} <= set(page.texts)
    assert not {"In graphs looked at", "Adds to the margin"} & set(page.texts)


def test_text_from_the_data_is_escaped(explain, house, evidence):
    evil = "<script>alert('1')</script>\"&"
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
    )
    content = report_html([explanation, explain(target=0)])
    assert "<script" not in content
    page = Page(content)
    assert "script" not in page.tags
    assert f"Class 1: {evil}" in page.texts
    assert f"Note: {evil}" in page.texts
    assert any(text.endswith(".test_text_from_the_data_is_escaped") for text in page.texts)
    assert all(b"<script" not in picture for picture in pictures(page))


def test_nothing_outside_the_file_is_needed(explain):
    content = report_html([explain(), explain(target=0)])
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', content).group(1)
    assert policy.split("; ")[:3] == ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    assert not re.search(r"https?://|//|@import|url\(", re.sub(r'base64,[^"]*', "", content))
    page = Page(content)
    assert not set(page.tags) & {"script", "link", "iframe", "object", "form"}
    assert all(link.startswith(("data:image/svg+xml;base64,", "#class-")) for link in page.links)
    for picture in pictures(page):
        assert all(link.startswith(b"#") for link in re.findall(rb'href="([^"]*)"', picture))


def test_what_all_classes_share_is_said_once(explain):
    same = report_html([explain(), explain(target=0)])
    assert same.count("Rows: label. Columns: prediction.") == 1
    assert same.count("<caption>Options</caption>") == 1
    page = Page(report_html([explain(), explain(target=0, options={"num_clusters": 3})]))
    assert page.texts.count("Options") == 2
    assert page.texts.count("Class 0: no house") == 3  # contents, its section, how it was made
    assert page.links.count("#class-0") == 1


def test_a_report_without_the_optional_parts(explain, house):
    made = Prototype(graph=house.graph, probability=0.5, margin=0.0)
    bare = explain(prototypes=[made], confusion=None, embedding_map=None, timings={}, versions={}, options={})
    page = Page(report_html([bare]))
    assert len(page.images) == 1
    assert not {"Cluster", "Options", "Seconds", "Versions", "label"} & set(page.texts)
    empty = EmbeddingMap((), np.empty((0, 2)), (), (0.0, 0.0))
    page = Page(report_html([explain(prototypes=[], embedding_map=empty, confusion=((0, 0), (0, 0)))]))
    assert page.images == []
    assert "0 of 0 graphs are predicted as they are labelled." in page.texts
    assert any(text.endswith("No prototype was found.") for text in page.texts)


def test_large_maps_are_pixels(explain):
    size = 3000
    embeddings = EmbeddingMap(tuple(range(size)), np.random.default_rng(0).random((size, 2)), (0,) * size, (0.5, 0.2))
    page = Page(report_html([explain(prototypes=[], embedding_map=embeddings)]))
    assert page.images[0]["src"].startswith("data:image/png;base64,")


def test_the_report_is_always_the_same_and_readable_as_utf8(explain, tmp_path):
    explanation = explain(class_names=("no", "Häuser \ud800"))
    write_report([explanation], tmp_path / "a.html")
    write_report([explanation], tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert "Class 1: Häuser</h2>" in (tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_missing_folder_is_named_and_an_error_leaves_the_earlier_report(explain, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"^cannot write no/a\.html: the folder no does not exist$"):
        explain().report("no/a.html")
    (tmp_path / "a.html").write_text("earlier")
    monkeypatch.setattr("protograph.report.report.classes_figure", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        explain().report("a.html")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.html", "earlier")]


def test_doubts_and_classes_without_an_explanation_stand_on_top(explain):
    doubted = [
        explain(doubts=("all 9 graphs are <b>alike</b>",)),
        explain(target=0, doubts=("all 9 graphs are <b>alike</b>",)),
    ]
    content = report.report_html(lay_out(doubted), {2: "no graph is predicted as it"})
    top = content[content.index("<h1>") : content.index("<nav>")]
    page = Page(top)
    assert page.texts[2:] == [
        "The model may have learned nothing",
        "all 9 graphs are <b>alike</b>",
        "Not explained: class 2: no graph is predicted as it",
    ]
    assert 'class="doubt"' not in report_html([explain()])


def test_nothing_to_report_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"^explanations must have at least one class to report, got none$"):
        write_report([], tmp_path / "a.html")
