"""What a page of the built site would load from elsewhere: nothing is to be, so that it reads without a network."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

# Tags and attributes that make a browser fetch something; where <a> leads is up to the reader.
LOADED = ("src", "srcset", "poster", "data", "href", "xlink:href", "background", "style")
NOT_LOADED = ("a", "area", "base")
# Links of these relations are only information.
SAID_ONLY = {"index", "search", "next", "prev", "canonical", "author", "license", "help", "top", "up"}
ELSEWHERE = re.compile(r"^\s*(?:https?:|wss?:|ftp:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)
IN_SCRIPTS = re.compile(r"(?:fetch|import|importScripts|open)\(\s*[\"'`]((?:https?:)?//[^\"'`]+)", re.IGNORECASE)


class _Page(HTMLParser):
    """Collects what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at what the tag refers to."""
        self._within = tag
        given = {name: value or "" for name, value in attrs}
        is_said = tag == "link" and set(given.get("rel", "").lower().split()) <= SAID_ONLY
        if tag in NOT_LOADED or is_said:
            return
        for name in LOADED:
            value = given.get(name, "")
            self.outside += [value] if ELSEWHERE.match(value) else IN_STYLES.findall(value)

    def handle_endtag(self, tag: str) -> None:
        """What comes next is no style or script."""
        self._within = ""

    def handle_data(self, data: str) -> None:
        """Look at styles and scripts that are written into the page."""
        if self._within in ("style", "script"):
            self.outside += IN_STYLES.findall(data) + IN_SCRIPTS.findall(data)


def loaded_from_elsewhere(folder: Path) -> Iterator[str]:
    """A line for everything that a file of a site would make a browser fetch from another host."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".html", ".svg", ".css", ".js"):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".html", ".svg"):
            page = _Page()
            page.feed(text)
            found = page.outside
        else:
            found = (IN_STYLES if path.suffix == ".css" else IN_SCRIPTS).findall(text)
        yield from (f"{path.relative_to(folder)} loads {address}" for address in found)
