"""The report: one HTML file that needs nothing else and asks for nothing outside it."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from os import PathLike

from protograph._utils.files import atomic_path
from protograph.explanation import Explanation
from protograph.report.markup import CSS
from protograph.report.page import page_of
from protograph.report.page_data import as_script_data
from protograph.report.templating import asset, rendered, trusted

# In the order in which they build on each other.
SCRIPTS = ("sketch.js", "cards.js", "map.js", "page.js")
# The one script is known by its sum; nothing else runs, and nothing is fetched or sent.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{}'; "
    "base-uri 'none'; form-action 'none'"
)


def write_report(
    explanations: Sequence[Explanation], path: str | PathLike[str], *, not_explained: Mapping[int, str] | None = None
) -> None:
    """Write one self-contained HTML file on some classes: verdict, cards, map, errors, and how it was made.

    Args:
        explanations: The explanations, one a class.
        path: The file; an existing one is replaced.
        not_explained: Why other classes have no explanation, by class.

    Raises:
        ImportError: If Jinja2 is not installed.
        ValueError: If there is nothing to report.
        OSError: If the file cannot be written there.
    """
    if not explanations:
        raise ValueError("explanations must have at least one class to report, got none")
    content = report_html(explanations, not_explained)
    with atomic_path(path) as temporary:
        temporary.write_text(content, encoding="utf-8", errors="replace")


def report_html(explanations: Sequence[Explanation], not_explained: Mapping[int, str] | None = None) -> str:
    """The report as text; see :func:`write_report`."""
    script = "\n".join(asset(name) for name in SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = page_of(explanations, not_explained or {})
    return rendered(
        "report.html",
        **page,
        policy=POLICY.format(digest),
        styles=trusted(CSS + asset("report.css")),
        script=trusted(script),
        script_data=as_script_data(page["data"]),
    )
