from protograph.explanation.difference import diff
from protograph.report.difference_page import difference_page
from tests.explanation.told import HAS_PATH, HAS_TRIANGLE, told
from tests.report.test_notebook import Tags


def changed():
    return diff(told(), told({0: (HAS_PATH,), 1: (HAS_TRIANGLE,)}, predictions=[1, 0, 1, 0, 0]))


def test_the_page_is_static_and_asks_for_nothing(tmp_path):
    changed().report(tmp_path / "page.html", names=("run <a>", "b&c"))
    text = (tmp_path / "page.html").read_text()
    page = Tags(text)
    assert not {"script", "img", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") or name == "src" for _, some in page.tags for name in some)
    assert all(some["href"].startswith("#") for _, some in page.tags if "href" in some)
    assert "From run &lt;a&gt; to b&amp;c" in text
    assert "default-src &#39;none&#39;" in text


def test_text_from_the_data_is_escaped():
    text = difference_page(changed(), ("a", "b"))
    assert "<b>three" not in text
    assert "<e>" not in text
    assert "graph 14 (line 6, &lt;e&gt;)" in text
    assert "class 1 (&lt;b&gt;three&lt;/b&gt;) → class 0 (plain)" in text


def test_what_is_shown():
    texts = [text.strip() for text in Tags(difference_page(changed(), ("a", "b"))).texts if text.strip()]
    assert texts[texts.index("− went") :][:7] == [  # noqa: RUF001
        "− went",  # noqa: RUF001
        "reason 2",
        "without a node with at least two neighbours",
        "Of the class",
        "50%",
        "Elsewhere",
        "0%",
    ]
    assert ("− 1" in texts, "+ 0" in texts, "of 5 graphs predicted otherwise" in texts) == (True,) * 3  # noqa: RUF001


def test_a_notebook_shows_the_same():
    html = changed()._repr_html_()
    assert "<script" not in html
    assert "Difference(0 came, 1 went" in html
    assert "&lt;e&gt;" in html


def test_what_changed_is_drawn():
    difference = changed()
    tags = [some.get("class", "") for _, some in Tags(difference_page(difference, ("a", "b"))).tags]
    drawn = sum(name.startswith("pg-picture") for name in tags)
    # One pattern a reason, and a prototype: of all that came, went, changed or stayed.
    assert drawn == sum(len(one.changes) for one in difference.classes)
