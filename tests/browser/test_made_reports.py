"""Reports of real explanations in a real browser: BA-house, a table of molecules, 12,000 graphs, another explainer."""

import re
from itertools import combinations

import pytest

import protograph as pg
from protograph.explanation.difference import diff
from tests.browser import axe, made
from tests.colour_blind import SEEN_AS, distance

REPORTS = ("house", "molecules", "large", "peer")
NARROW = {"width": 390, "height": 844}
# Bytes that a report may have, and milliseconds until its first card can be read.
MOST_BYTES, SOON = 5_000_000, 1000
LASSO = ((0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9), (0.1, 0.1))


@pytest.fixture(scope="session")
def report(browser, tmp_path_factory):
    """A report by its name, made once; nothing is made where there is no browser."""
    folder, files = tmp_path_factory.mktemp("reports"), {}

    def of(name):
        if name not in files:
            files[name] = made.quietly(getattr(made, name), folder / f"{name}.html")
        return files[name]

    return of


def open_all(page):
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_timeout(300)


@pytest.mark.parametrize("name", REPORTS)
def test_the_first_card_can_be_read_within_a_second(visit, report, name):
    assert report(name).stat().st_size < MOST_BYTES
    ready = (
        "() => { const [one] = performance.getEntriesByType('navigation'); "
        "const paint = performance.getEntriesByName('first-contentful-paint')[0]; "
        "return Math.max(one.domContentLoadedEventEnd, paint ? paint.startTime : 0); }"
    )
    times = []
    for _ in range(3):  # the best of three: other work on the machine is not the page's
        page = visit(report(name))
        page.locator(".card h3").first.wait_for()
        times.append(page.evaluate(ready))
    assert min(times) < SOON


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_opens_at_390_pixels_and_nothing_sticks_out(visit, report, name, scheme):
    page = visit(report(name), viewport=NARROW, color_scheme=scheme)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, report, name, scheme):
    page = visit(report(name), color_scheme=scheme)
    for card in page.locator("details.more > summary").all()[:3]:
        card.click()
    assert axe.serious(page) == {}


def test_axe_would_see_what_is_wrong(visit, tmp_path):
    (tmp_path / "bad.html").write_text("<!doctype html><html><title>a</title><button></button></html>")
    assert {"button-name", "html-has-lang"} <= set(axe.serious(visit(tmp_path / "bad.html")))


@pytest.mark.parametrize("name", ["house", "molecules"])
def test_counterparts_light_up_in_every_source(visit, report, name):
    page = visit(report(name))
    card = page.locator("article.prototype").first
    card.locator("details.more > summary").click()
    sources = card.locator(".sources").first.locator("figure")
    node = sources.first.locator(".pg-node[data-match='0']")
    node.hover()
    # In each source, and in the prototype by itself.
    assert card.locator(".pg-hot").count() == sources.count() + 1
    card.locator(".counterparts button").nth(1).focus()
    assert {one.get_attribute("data-match") for one in card.locator(".pg-hot").all()} == {"1"}


def test_molecules_are_drawn_by_rdkit_with_their_names_and_smiles(visit, report):
    page = visit(report("molecules"))
    reason = page.locator("article.card").first
    reason.locator("details.more > summary").click()
    reason.locator("[data-examples=having] svg.pg-molecule").first.wait_for()
    assert reason.locator("[data-examples] figure").count() >= 12
    prototype = page.locator("article.prototype").first
    prototype.locator("details.more > summary").click()
    captions = prototype.locator(".sources").first.locator("figcaption").all_inner_texts()
    assert all(re.search(r"graph \d+ \(line \d+, .*\)", text) for text in captions)
    assert prototype.locator(".sources code").count() == len(captions)
    assert prototype.locator("[data-copy=SMARTS]").count() == 1
    assert page.locator("img").count() == 0  # a hostile name is no element


def test_the_map_of_12000_graphs_is_smooth_and_gathers_them(visit, report):
    page = visit(report("large"))
    canvas = page.locator("#points")
    canvas.evaluate("element => element.scrollIntoView({block: 'center', behavior: 'instant'})")
    milliseconds = page.evaluate(
        "() => { const begin = performance.now(); for (let k = 0; k < 10; k += 1) { GraphMap.draw(); } "
        "return (performance.now() - begin) / 10; }"
    )
    assert milliseconds < 60
    box = canvas.bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in LASSO]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    number = int(
        re.match(r"([\d,]+) graphs in the lasso", page.locator("#members h3").inner_text()).group(1).replace(",", "")
    )
    assert 100 < number <= 12_000
    assert page.locator("#members tbody tr").count() == min(number, 500)
    assert "graphs are drawn when pointed at, the others named" in page.locator("#map").inner_text()


def test_a_point_is_drawn_and_leads_to_the_card_of_its_cluster(visit, report):
    page = visit(report("molecules"))
    page.locator("#points").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip svg.pg-molecule").count() == 1
    page.keyboard.press("Enter")
    assert re.fullmatch(r"#class-\d+-prototype-\d+", page.evaluate("location.hash"))
    assert page.locator(f"{page.evaluate('location.hash')} details.more").get_attribute("open") is not None


def test_the_theme_changes_drawings_too(visit, report):
    page = visit(report("molecules"), color_scheme="light")
    ink = "() => getComputedStyle(document.querySelector('svg.pg-molecule .pg-N, svg.pg-molecule .pg-O')).color"
    light = page.evaluate(ink)
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert page.evaluate(ink) != light


@pytest.mark.parametrize("name", ["house", "molecules"])
def test_it_is_printed_dark_on_white_without_what_can_be_touched(visit, report, name):
    page = visit(report(name), color_scheme="dark")
    page.click("#theme")
    page.click("#theme")  # dark by choice, too
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    red, green, blue = map(int, re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).color")))
    assert max(red, green, blue) < 80
    assert not page.locator(".top").is_visible()
    assert page.locator(".card h3").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_colours_of_the_map_are_told_apart_in_either_theme(visit, report):
    for scheme in ("light", "dark"):
        page = visit(report("house"), color_scheme=scheme)
        page.check("[name=colour][value=cluster]")
        dots = page.locator("#map-legend .dot").all()
        shown = [dot.evaluate("dot => getComputedStyle(dot).backgroundColor") for dot in dots]
        colors = ["#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", color)) for color in shown]
        assert len(colors) >= 3
        for sight in SEEN_AS:
            assert min(distance(one, other, sight) for one, other in combinations(set(colors), 2)) > 10


def test_two_models_have_a_page_too(visit, tmp_path):
    explanations = made.quietly(made.small_explanations, None)
    few = pg.Explanations(dict(list(explanations.items())[:1]))
    diff(explanations, few).report(tmp_path / "two.html")
    page = visit(tmp_path / "two.html", viewport=NARROW)
    open_all(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    assert axe.serious(page) == {}
