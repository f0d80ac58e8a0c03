"""Pages from templates: everything from the data is escaped and on one line; our own styles and scripts are not."""

from functools import cache
from html import escape as escape_markup
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from protograph._utils.words import one_line
from protograph.explanation.difference import percent

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def escape(text: object) -> str:
    r"""A text as HTML shows it as it is: without line breaks, control characters and changes of direction.

    >>> escape("a <b>\u202e\n\x1b[2J")
    'a &lt;b&gt; [2J'
    """
    return escape_markup(one_line(text))


def rendered(template: str, **values: Any) -> str:
    """A page made of a template of ours.

    Raises:
        ImportError: If Jinja2 is not installed.
    """
    content: str = _environment().get_template(template).render(values)
    return content


@cache
def asset(name: str) -> str:
    """The text of a script or a style sheet of ours."""
    return files("protograph.report").joinpath("assets", name).read_text(encoding="utf-8")


def trusted(text: str) -> "Markup":
    """Our own text, or a picture whose text is escaped, which is not escaped again."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("protograph.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_on_one_line,
    )
    environment.filters["percent"] = percent
    return environment


def _on_one_line(value: Any) -> Any:
    """Text from the data without line breaks, control characters and changes of direction."""
    return one_line(value) if type(value) is str else value
