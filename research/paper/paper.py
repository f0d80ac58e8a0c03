"""The paper's own numbers, and under ``logicxgnn`` those that LogicXGNN's authors print of their rules."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _content() -> Any:
    return json.loads(Path(__file__).with_name("paper.json").read_text(encoding="utf-8"))


def paper(*path: str) -> Any:
    """What the paper has at a place of ``paper.json``; ``None`` where it has nothing there.

    >>> paper("table1", "ba-house", "num_graphs")
    2000
    >>> paper("table2", "accuracy", "PAGE", "mnist-sp") is None
    True
    """
    content = _content()
    for name in path:
        if not isinstance(content, dict) or name not in content:
            return None
        content = content[name]
    return content
