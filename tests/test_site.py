"""The documentation as a site: its pages hang together, every name is in it, and it needs no network to be read."""

import re
import tomllib
from collections import Counter
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import protograph

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")])
PUBLIC_MODULES = ("protograph.baselines", "protograph.datasets", "protograph.metrics")
IDS = [path.relative_to(ROOT).as_posix() for path in PAGES]


def of_docs(name):
    """A module of docs/, which is no package."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


loaded_from_elsewhere = of_docs("offline").loaded_from_elsewhere


def prose(path):
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "``", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE))


def anchors(path):
    """The anchors that GitHub, and the site after it, give the headings of a page."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    plain = [re.sub(r"[`*]|\[(.*?)\]\(.*?\)", r"\1", one) for one in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain]
    seen = Counter()
    for place, slug in enumerate(slugs):
        slugs[place] = f"{slug}-{seen[slug]}" if seen[slug] else slug
        seen[slug] += 1
    return slugs


def broken_links(path):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        page = path.parent / file if file else path
        if not page.exists():
            yield f"{target}: there is no such file"
        elif anchor and anchor not in anchors(page):
            yield f"{target}: there is no such heading"


@pytest.mark.parametrize("path", PAGES, ids=IDS)
def test_links_lead_somewhere(path):
    assert list(broken_links(path)) == []


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One\n[a](#one) [b](#two) [c](none.md) [d](page.md#one) [e](https://a.b) `[f](g.md)`\n")
    assert list(broken_links(page)) == ["#two: there is no such heading", "none.md: there is no such file"]


def test_every_page_is_in_the_contents_once():
    listed = re.findall(r"^- \[.*?\]\((.*?)\)", (DOCS / "index.md").read_text(), re.MULTILINE)
    pages = [path.name for path in DOCS.glob("*.md") if path.name not in ("index.md", "contributing.md", "changes.md")]
    assert sorted(listed) == sorted([*pages, "../CONTRIBUTING.md", "../CHANGELOG.md"])


def test_every_picture_is_shown_and_says_what_it_shows():
    shown = [
        picture for path in PAGES for picture in re.findall(r"!\[(.*?)\]\((?:docs/)?images/(.*?)\)", path.read_text())
    ]
    assert {name for _, name in shown} == {path.name for path in (DOCS / "images").iterdir()}
    assert [name for words, name in shown if len(words) < 20] == []


def test_every_public_name_is_in_the_api_reference():
    reference = "\n".join(path.read_text() for path in DOCS.glob("api*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (protograph\.[\w.]+)$", reference, re.MULTILINE))
    records = {name for name in documented if name.rpartition(".")[0] not in ("protograph", *PUBLIC_MODULES)}
    assert all(name.rpartition(".")[2] in vars(import_module(name.rpartition(".")[0])) for name in records)
    modules = {name: import_module(name) for name in PUBLIC_MODULES}
    names = {f"protograph.{name}" for name in protograph.__all__} - set(modules)
    names |= {f"{module}.{name}" for module, value in modules.items() for name in value.__all__}
    assert documented - records == names


def test_what_builds_the_site_is_pinned():
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["docs"]
    pinned = {line.partition("==")[0].lower() for line in (ROOT / "constraints.txt").read_text().splitlines()}
    assert {re.split(r"[<>=]", one)[0] for one in extra} <= pinned


# Nothing is loaded from elsewhere


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("page.html", '<script src="https://a.b/c.js"></script>', "https://a.b/c.js"),
        ("page.html", '<img alt="" src="HTTP://a.b/c.png">', "HTTP://a.b/c.png"),
        ("page.html", '<style>@import "https://a.b/c.css";</style>', "https://a.b/c.css"),
        ("page.html", "<script>fetch('https://a.b')</script>", "https://a.b"),
        ("a/style.css", "@font-face { src: url('https://a.b/c.woff2') }", "https://a.b/c.woff2"),
        ("a/code.js", "import('https://a.b/c.js')", "https://a.b/c.js"),
        ("page.html", '<a href="https://a.b">a link</a> <link rel="next" href="b.html">', None),
        ("a/style.css", "/* https://a.b */ a { background: url(data:image/png;base64,AA) }", None),
    ],
)
def test_what_a_page_would_load_is_found(tmp_path, name, content, found):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    assert list(loaded_from_elsewhere(tmp_path)) == ([f"{name} loads {found}"] if found else [])
