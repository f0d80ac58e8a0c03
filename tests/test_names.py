"""Names come from the data: whatever is in them, no text of ours has more than characters that can be seen."""

import html
import json
import re
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.evaluate import scores_text
from protograph.datasets import GraphDataset
from protograph.evaluation.evaluation import ClassScores
from protograph.explanation import EmbeddingMap, Evidence, Example, Explanations, Reason, Support
from protograph.explanation.prototype import describe_composition, figures_of
from protograph.graphs.conditions import Reading, equal_to
from protograph.graphs.variables import EDGE, ONE_HOT, Variable
from protograph.models.sensitivity import Effect, Sensitivity
from protograph.report.comparison import plot_comparison
from tests.made import made_explanation

NASTY = {
    "line breaks": "a\r\nb\u2028c\x85",
    "escape sequence": "\x1b[31mred\x1b[0m\x9b2J",
    "change of direction": "\u202egnp.exe\u2066",
    "bell and null": "\x07a\x00b",
    "mathematics": "$x^2$ \\frac{1}{2}",
    "markup": "[bold red]x[/] <script>alert(1)</script>",
    "blanks": " \t\u00a0",
    "half a character": "\ud83d",
    "empty": "",
    "long": "n" * 10_000,
}
RING = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])


def hidden(text):
    """What cannot be seen in a text, but for ends of lines."""
    return {character for character in text if character != "\n" and unicodedata.category(character)[0] == "C"}


def readings(name):
    """Of nodes and edges, by variables of this name."""
    one_hot = {"name": name, "kind": ONE_HOT}
    labels = ((0, name), (1, f"{name}2"))
    nodes = Variable(key="x", places=(0, 1), values=(0.0, 1.0), labels=labels, **one_hot)
    edges = Variable(key="edge_attr", of=EDGE, places=(0,), values=(0.0,), labels=labels[:1], **one_hot)
    return Reading(variables=(nodes,)), Reading(variables=(edges,))


def explanation(name):
    nodes, edges = readings(name)
    names = {"feature_names": (name, f"{name}2"), "edge_names": (name,)}
    evidence = Evidence(
        num_in_class=1,
        num_class=2,
        num_elsewhere=0,
        num_others=1,
        num_in_cluster=1,
        information=0.5,
        node_sources=(1, 1, 1),
        steps=(name,),
    )
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=RING, edge_attr=torch.ones(6, 1))
    pattern = pg.Pattern(
        graph=graph,
        node_reading=nodes,
        edge_reading=edges,
        node_conditions=tuple(equal_to([kind], nodes) for kind in (0.0, 1.0, 1.0)),
        edge_conditions=(equal_to([0.0], edges),) * 3,
    )
    prototype = pg.Prototype(
        graph=graph,
        pattern=pattern,
        probability=0.1,
        margin=-2.2,
        source=0,
        sources=[0],
        nodes=[0, 1, 2],
        cluster=0,
        evidence=evidence,
        node_rule=nodes,
        edge_rule=edges,
        target=0,
        predicted=1,
        **names,
    )
    few = Support(num_in_class=1, num_class=1, num_elsewhere=0, num_others=0)
    none = Support(num_in_class=0, num_class=0, num_elsewhere=0, num_others=1)
    reason = Reason(
        has=(replace(pattern, closed=(0,)),),
        lacks=(
            pg.Pattern(
                graph=Data(x=torch.eye(2)[[0]], num_nodes=1),
                at_least=2,
                node_reading=nodes,
                node_conditions=(equal_to([0.0], nodes),),
            ),
        ),
        example=Example(
            source=0, nodes=(0, 1, 2), graph=prototype.graph, marked=((0, 1, 2),), probability=0.9, is_whole=True
        ),
        searched=few,
        confirming=Support(num_in_class=0, num_class=1, num_elsewhere=0, num_others=0),
        kept_apart=none,
        holds_in_indices=(0,),
    )
    read = Effect(
        variable=nodes.variables[0],
        decisions=0.5,
        low=0.4,
        high=0.6,
        log_odds=0.5,
        log_odds_error=0.1,
        is_sufficient=True,
    )
    return made_explanation(
        target=0,
        prototypes=[prototype],
        reasons=(reason,),
        graph_predictions=(0, 0, 1),
        graph_parts=(0, 1, 2),
        typical_uncovered=(1,),
        fidelity_note=name,
        explainer=name,
        options={"match_features": name, name: {name: name}},
        source_graphs={0: prototype.graph},
        num_graphs=3,
        num_predicted=2,
        class_names=(name, f"{name}2"),
        confusion=((1, 1), (1, 0)),
        embedding_map=EmbeddingMap((0,), np.zeros((1, 2)), (0,), (1.0, 0.0)),
        timings={name: 1.0},
        versions={name: name},
        warnings=(f"the column {name} is odd",),
        sensitivity=Sensitivity(effects=(read,)),
        **names,
    )


class Page(HTMLParser):
    """All texts, attributes and tags of a page."""

    def __init__(self, content):
        super().__init__()
        self.texts, self.tags = [], set()
        self.feed(content)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.texts += [value or "" for _, value in attributes]

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(params=NASTY.values(), ids=NASTY)
def name(request):
    return request.param


# Pictures take a second each.
TOGETHER = {
    "all at once": "".join(text for text in NASTY.values() if len(text) < 100),
    "long": NASTY["long"],
}
few = pytest.mark.parametrize("name", TOGETHER.values(), ids=TOGETHER)


def test_text(name):
    of_class = explanation(name)
    prototype = of_class.prototypes[0]
    data = GraphDataset(graphs=[Data(y=torch.tensor([0]))], name=name, class_names=of_class.class_names)
    texts = [
        of_class.summary(),
        Explanations({0: of_class}).summary(),
        prototype.describe(name, class_names=of_class.class_names),
        figures_of(prototype),
        str(of_class.rule),
        *(reason.describe() for reason in of_class.reasons),
        describe_composition(prototype.graph, prototype.feature_names),
        *map(repr, (of_class, Explanations({0: of_class}), prototype, data)),
    ]
    assert [hidden(text) for text in texts] == [set()] * len(texts)
    # Two lines on the model with an empty one after each, a line a class, two a prototype, one each on rule, reason,
    # fidelity and what is not explained, one a note: no name begins a line of its own.
    assert len(of_class.summary().split("\n")) == 11
    assert all("\n" not in text for text in texts[2:])
    assert max(map(len, texts[2:])) < 1000


def test_evaluation(name):
    figures = dict.fromkeys(("coverage", "fidelity"), (0, 0, 1))
    scores = ClassScores(target=0, prototypes=(), accuracy=None, num_reasons=1, num_patterns=2, **figures)
    text = scores_text([scores], (name, "other"), "the 3 graphs")
    assert hidden(text) == set()
    assert text.splitlines()[-3] == "support, elsewhere, lift, coverage and fidelity are of the 3 graphs"
    assert max(map(len, text.splitlines())) <= 100


@few
def test_report(name, tmp_path):
    explanation(name).report(tmp_path / "report.html")
    content = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(re.sub(r"<style>.*?</style>", "", content, flags=re.DOTALL))
    assert hidden("".join(page.texts)) == set()
    assert hidden(html.unescape(content)) == set()
    # The report has its data and its script; a name adds none.
    assert content.count("<script") == 2


@few
def test_pictures(name, tmp_path):
    of_class = explanation(name)
    of_class.plot(tmp_path / "plot.svg")
    of_class.plot(tmp_path / "plot.pdf")
    plot_comparison(tmp_path / "compare.svg", {name: Explanations({0: of_class})}, {}, name)
    for file in ("plot.svg", "compare.svg"):
        assert hidden((tmp_path / file).read_text(encoding="utf-8")) == set()


def test_saved_files_keep_names_as_they_are(name, tmp_path):
    explanation(name).save(tmp_path / "e.json")
    text = (tmp_path / "e.json").read_text(encoding="utf-8")
    assert hidden(text) == set()
    assert json.loads(text)["explanation"]["names"]["classes"] == [name, f"{name}2"]
    # A terminal is not steered by what is loaded, whoever wrote the file.
    loaded = pg.load(tmp_path / "e.json").class_name
    assert loaded == name or (hidden(name) and not hidden(loaded) & {"\x1b", "\x07", "\0"})
