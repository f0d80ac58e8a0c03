"""Pages from templates: everything from the data is escaped and on one line; our own styles and scripts are not."""

from base64 import b64encode
from collections.abc import Iterable
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


def table(rows: Iterable[str], *, head: str = "", caption: str = "", style: str = "") -> str:
    """A table, its rows and the cells of its head given as markup."""
    kind = f' class="{style}"' if style else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    above = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f'<div class="wide"><table{kind}>{title}{above}<tbody>{"".join(rows)}</tbody></table></div>'


def row(name: str, cells: str) -> str:
    """A row of a table that begins with its name, the cells given as markup."""
    return f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'


def picture(content: bytes, ending: str, words: str, style: str = "", caption: str = "") -> str:
    """A picture within the page, in the format of files with that ending; ``words`` stand in for it."""
    kind = {".svg": "svg+xml", ".png": "png"}[ending]
    data = b64encode(content).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    image = f'<img alt="{escape(words)}" src="data:image/{kind};base64,{data}">'
    return f'<figure class="{style}">{image}{below}</figure>'


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
