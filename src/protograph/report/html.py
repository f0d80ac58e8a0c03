"""Pieces of HTML; whatever text they are given is escaped."""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from html import escape


def facts(rows: Mapping[str, str], caption: str = "") -> str:
    """A table of names and values."""
    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    body = [f'<tr><th scope="row">{escape(k)}</th><td>{escape(v)}</td></tr>' for k, v in rows.items()]
    return f'<div class="wide"><table>{head}<tbody>{"".join(body)}</tbody></table></div>'


def table(header: Iterable[str], rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """A table with a heading for each column."""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def details(title: str, content: str) -> str:
    """Markup that is folded up until it is asked for."""
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def figure(content: bytes, kind: str, words: str, style: str = "", caption: str = "") -> str:
    """A picture, within the page; ``kind`` is that of ``image/kind``, ``words`` stand in for it."""
    data = b64encode(content).decode("ascii")
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    image = f'<img alt="{escape(words)}" src="data:image/{kind};base64,{data}">'
    return f'<figure class="{style}">{image}{below}</figure>'
