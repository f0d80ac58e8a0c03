"""The report in a real browser: every part that can be touched is touched, and nothing goes wrong."""

from dataclasses import replace

import numpy as np
import pytest

from protograph.explanation import EmbeddingMap, Explanations, Pattern, Prototype, Session
from protograph.explanation.prototype import TakenOut
from protograph.explanation.survey import Survey
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import path, ring

EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
WIDTHS = {"wide": {"width": 1280, "height": 900}, "narrow": {"width": 390, "height": 844}}


def explanations(names=(), class_names=("ring", "path")):
    """Two classes, each with a reason and a prototype, of rings and paths in turns, which lie on a spiral."""
    graphs, kinds, turns = [ring(5), path(4)] * 30, np.arange(60) % 2, np.linspace(0, 20, 60)
    survey = Survey(
        places=tuple(range(60)),
        names=names,
        labels=tuple(np.where(np.arange(60) % 10, kinds, 1 - kinds).tolist()),  # every tenth has the wrong one
        confusion=((27, 3), (3, 27)),
        predictions=tuple(kinds.tolist()),
        probabilities=(0.875,) * 60,
        positions=np.stack([turns * np.cos(turns), turns * np.sin(turns)], axis=1),
        explained=(0.5, 0.25),
        graphs=dict(enumerate(graphs)),
    )
    items = {}
    for target, graph in enumerate(graphs[:2]):
        why = reason(has=(Pattern(graph=graph),))
        one = explained(target, [why], graphs, [0, 1] * 30, [0, 1, 2] * 20, class_names=class_names)
        session = Session(
            start=(0,), probability=0.9, margin=2.0, size=4, source=target, stopped="consensus", num_iterations=1
        )
        prototype = Prototype(
            graph=graph, probability=0.9, margin=2.0, cluster=0, cluster_size=30, num_clusters=1, sources=[target],
            source=target, nodes=list(range(graph.num_nodes)), sessions=[session, replace(session, margin=1.0)],
        )  # fmt: skip
        items[target] = replace(
            one,
            prototypes=[prototype],
            prototypes_taken_out=((TakenOut(index=target, nodes=(0,), margin=2.0, margin_without=-1.0),),),
            source_graphs={target: graph},
            survey=survey,
            embedding_map=EmbeddingMap(tuple(range(target, 60, 2)), np.zeros((30, 2)), (0,) * 30, (0.5, 0.25)),
        )
    return Explanations(items)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "small.html"
    explanations().report(file)
    return file


def test_a_card_opens_and_shows_examples_and_counterparts(visit, small):
    page = visit(small)
    card = page.locator("#class-0-prototype-1")
    card.locator("details.more > summary").click()
    card.locator("[data-examples=having] svg").first.wait_for()
    assert card.locator("[data-examples=having] figure").count() == 12
    assert card.locator(".strip li").count() == 2
    assert "goes from 2.00 to -1.00" in card.inner_text()
    card.locator("[data-copy=Python]").click()
    assert "from torch_geometric.data import Data" in card.locator(".copied").inner_text()


def test_the_map_names_colours_and_gathers_graphs(visit, small):
    page = visit(small)
    canvas = page.locator("#points")
    canvas.scroll_into_view_if_needed()
    for colour, entries in (("cluster", 2), ("reason", 2), ("parting", 2), ("class", 2)):
        page.check(f"[name=colour][value={colour}]")
        assert page.locator("#map-legend li").count() == entries, colour
    canvas.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = canvas.bounding_box()
    right, low = box["width"] - 9, box["height"] - 9
    # Not in the very corners, which are round.
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.down()
    for x, y in ((right, 9), (right, low), (9, low), (9, 9)):
        page.mouse.move(box["x"] + x, box["y"] + y, steps=3)
    page.mouse.up()
    assert page.locator("#members h3").inner_text() == "60 graphs in the lasso"
    assert page.locator("#members tbody tr").count() == 60
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert "predicted" in page.locator("#tip").inner_text()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash").startswith("#class-")


def test_two_classes_are_put_in_order_and_the_theme_changes(visit, small):
    page = visit(small, color_scheme="light")
    assert page.locator(".contrasts li").first.locator(".figure").all_inner_texts() == ["100%", "0%"]
    page.select_option("#left", "1")
    page.select_option("#right", "0")
    assert page.locator(".contrasts li").first.locator(".figure").all_inner_texts() == ["0%", "100%"]
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light


@pytest.mark.parametrize("width", list(WIDTHS))
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_at_any_width(visit, small, width, scheme):
    page = visit(small, viewport=WIDTHS[width], color_scheme=scheme)
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width]["width"]


def test_a_hostile_name_does_not_run(visit, tmp_path):
    explanations(names=(EVIL,) * 60, class_names=(EVIL, "path")).report(tmp_path / "evil.html")
    page = visit(tmp_path / "evil.html")
    page.locator("#class-0-prototype-1 details.more > summary").click()
    page.locator("#points").focus()
    page.keyboard.press("ArrowRight")
    assert EVIL[:20] in page.locator("#tip").inner_text()
    assert page.locator("img").count() == 0
