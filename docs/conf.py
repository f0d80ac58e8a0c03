"""How Sphinx makes the site of these pages (`make docs`): all of it is local, for building and for reading."""

import re
import sys
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.nodes import make_refnode

from protograph import __version__

sys.path.insert(0, str(Path(__file__).parent))
from offline import loaded_from_elsewhere

project = "Protograph"
author = "The Protograph developers"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
nitpicky = True

# Pages are written for GitHub too, so headings have the anchors that GitHub gives them.
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"Protograph {version}"
html_static_path = ["static"]
html_css_files, html_js_files = ["site.css"], ["site.js"]
html_logo = html_favicon = "static/logo.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0B5C9E", "color-brand-content": "#0B5C9E"},
    "dark_css_variables": {"color-brand-primary": "#74B9F0", "color-brand-content": "#74B9F0"},
}
html_copy_source = False
html_show_sphinx = False
# To show where words were found, the search would have to read other pages, which browsers do not let files do.
html_show_search_summary = False
# Formulas are MathML, which docutils makes and browsers draw: MathJax would have to be fetched.
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
napoleon_use_ivar = True
napoleon_use_rtype = False
# Pages that are files of the repository.
INCLUDED = {"../CONTRIBUTING.md": "contributing.md", "../CHANGELOG.md": "changes.md"}
# Where the names of the API reference are, for types that are written as the module that defines them has them.
PUBLIC = ("protograph", "protograph.baselines", "protograph.datasets", "protograph.metrics")


def setup(app: Sphinx) -> None:
    """Connect what these pages need besides Sphinx's own."""
    app.connect("source-read", add_contents)
    app.connect("source-read", lead_into_the_site, priority=400)
    app.connect("missing-reference", public_name)
    app.connect("doctree-read", call_attributes_so)
    app.connect("build-finished", check_is_local)
    app.add_html_math_renderer("mathml", inline_renderers=(math, None), block_renderers=(math_block, None))


def check_is_local(app: Sphinx, error: Exception | None) -> None:
    """Fail where a page would load anything from elsewhere."""
    outside = [] if error else list(loaded_from_elsewhere(Path(app.outdir)))
    if outside:
        raise ExtensionError("the site must need no network: " + "; ".join(outside))


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Make the site's contents of the lists of links in index.md, which GitHub shows as they are."""
    if docname != "index":
        return
    for section in re.split(r"^## ", source[0], flags=re.MULTILINE)[1:]:
        links = re.findall(r"^- \[(.*?)\]\((.*?)\.md\)", section, re.MULTILINE)
        pages = [f"{title} <{page}>" for title, page in links]
        caption = section.splitlines()[0]
        source[0] += "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def lead_into_the_site(app: Sphinx, docname: str, source: list[str]) -> None:
    """Links out of docs/ go where GitHub shows them: of files that have a page here to it, of folders nowhere."""

    def led(link: re.Match[str]) -> str:
        if (Path(app.srcdir) / link[2]).is_dir():
            return link[1]
        return f"[{link[1]}]({INCLUDED.get(link[2], link[2])})"

    source[0] = re.sub(r"\[([^\]\n]*)\]\((\.\./[^)\s]*)\)", led, source[0])


def call_attributes_so(app: Sphinx, doctree: nodes.document) -> None:
    """Docstrings speak of attributes, which Sphinx calls variables."""
    for name in doctree.findall(nodes.field_name):
        if name.astext() == "Variables":
            name.children = [nodes.Text("Attributes")]


def public_name(app: Sphinx, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """A link to the public name of what is ours; what is elsewhere or not public is words; what is nowhere, a fault."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    for place in PUBLIC:
        entry = env.domains["py"].objects.get(f"{place}.{target.rpartition('.')[2]}")
        if entry is not None:
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, contnode)
    return contnode if not target.startswith("protograph.") or is_there(target) else None


def is_there(name: str) -> bool:
    """Whether a dotted name of ours is that of anything."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


def math(writer: Any, node: nodes.math) -> None:
    """A formula within a line."""
    writer.body.append(mathml(node.astext(), is_block=False))
    raise nodes.SkipNode


def math_block(writer: Any, node: nodes.math_block) -> None:
    """A formula on lines of its own."""
    writer.body.append(f'<div class="math">{mathml(node.astext(), is_block=True)}</div>')
    raise nodes.SkipNode


def mathml(tex: str, *, is_block: bool) -> str:
    """MathML of a formula in LaTeX."""
    from docutils.utils.math.latex2mathml import tex2mathml

    return str(tex2mathml(tex.replace(r"\dots", r"\ldots"), as_block=is_block))  # docutils has no \dots
