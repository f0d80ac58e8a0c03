"""Pieces of HTML; whatever text they are given is on one line, without what cannot be seen, and escaped."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape as escape_markup

from protograph._base.words import one_line


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
