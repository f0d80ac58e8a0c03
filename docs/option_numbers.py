"""A directive for the API reference: numbers of option objects, each with the comment that gives its reason."""

import inspect
from dataclasses import is_dataclass
from importlib import import_module

from docutils import nodes
from docutils.parsers.rst import Directive
from option_comments import numbers_of


class Numbers(Directive):
    """``{numbers} module``: a table for each dataclass of the module whose numbers have reasons."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The tables, each below the name of its class and what it is for."""
        module = import_module(self.arguments[0])
        kinds = [one for name, one in vars(module).items() if is_dataclass(one) and not name.startswith("_")]
        return [node for kind in kinds if has_reasons(kind) for node in section_of(kind)]


def has_reasons(kind: type) -> bool:
    """Whether each number of a class has one; others are said in its docstring."""
    return all(reason for _, _, reason in numbers_of(inspect.getsource(kind)))


def section_of(kind: type) -> list[nodes.Node]:
    """The name of a class, its docstring's first line, and a table of its numbers."""
    rows = list(numbers_of(inspect.getsource(kind)))
    heading = nodes.paragraph("", "", nodes.strong("", kind.__name__), nodes.Text(f": {inspect.getdoc(kind)}"))
    return [heading, table_of(["number", "default", "why"], rows)]


def table_of(names: list[str], rows: list[tuple[str, str, str]]) -> nodes.table:
    """A table, its first two columns in the type of code."""
    group = nodes.tgroup(cols=len(names))
    group += [nodes.colspec(colwidth=width) for width in (25, 15, 60)]
    head = nodes.row("", *(nodes.entry("", nodes.paragraph("", name)) for name in names))
    group += nodes.thead("", head)
    group += nodes.tbody("", *(nodes.row("", *map(cell, row, (True, True, False))) for row in rows))
    return nodes.table("", group)


def cell(text: str, is_code: bool) -> nodes.entry:
    """One cell."""
    return nodes.entry("", nodes.paragraph("", "", nodes.literal("", text) if is_code else nodes.Text(text)))
