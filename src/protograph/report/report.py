"""The report: one HTML file that needs nothing else and asks for nothing outside it."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from protograph._base.files import atomic_path
from protograph._base.words import one_line
from protograph.explanation import Explanation
from protograph.report.markup import CSS
from protograph.report.page import page_of
from protograph.report.page_data import as_script_data

if TYPE_CHECKING:
    from jinja2 import Environment

EMPTY: Mapping[int, str] = MappingProxyType({})
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
    content = report_html(explanations, not_explained or {})
    with atomic_path(path) as temporary:
        temporary.write_text(content, encoding="utf-8", errors="replace")


def report_html(explanations: Sequence[Explanation], not_explained: Mapping[int, str] = EMPTY) -> str:
    """The report as text; see :func:`write_report`."""
    script = "\n".join(_asset(name) for name in SCRIPTS)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page = page_of(explanations, not_explained)
    template = _environment().get_template("report.html")
    content: str = template.render(
        page,
        policy=POLICY.format(digest),
        styles=_trusted(CSS + _asset("report.css")),
        script=_trusted(script),
        script_data=as_script_data(page["data"]),
    )
    return content


@cache
def _asset(name: str) -> str:
    return files("protograph.report").joinpath("assets", name).read_text(encoding="utf-8")


def _trusted(text: str) -> Any:
    """Our own text, which is not escaped."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("protograph.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_on_one_line,
    )


def _on_one_line(value: Any) -> Any:
    """Text from the data without line breaks, control characters and changes of direction."""
    return one_line(value) if type(value) is str else value
