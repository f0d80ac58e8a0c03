"""The reasons of numbers, which stand as comments behind them in the source."""

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import Any


def numbers_of(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, default and reason of every annotated field with a default in a class's source."""
    lines = io.StringIO(source).readline
    comments = {one.start[0]: one.string for one in tokenize.generate_tokens(lines) if one.type == tokenize.COMMENT}
    body: Any = ast.parse(source).body[0]
    for field in body.body:
        if isinstance(field, ast.AnnAssign) and field.value is not None:
            said = [comments[line] for line in range(field.lineno, (field.end_lineno or 0) + 1) if line in comments]
            yield ast.unparse(field.target), ast.unparse(field.value), " ".join(text.lstrip("# ") for text in said)
