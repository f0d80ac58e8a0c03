"""Whose error it is: one of our own checks, the user's code, or nobody's, which is a failure."""

import ast
import inspect
import linecache
import re
import traceback
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Batch

import protograph
from protograph.models.error_hints import is_of_model
from research.fuzz.odd_graphs import BrokenSourceError

PACKAGE = str(Path(protograph.__file__).parent)
# A message of ours names what it is about.
_NAMED = re.compile(r"\bgraphs?\b|\bmodel\b|\breadout\b|\btarget\b|\bedge_attr\b|\bx\b|_embeddings\b|\bfit\b")


def problem_with(error: BaseException, model: nn.Module, graphs: list[Any]) -> str:
    """What is wrong with an error; the empty text where it is as it should be."""
    text, notes = str(error), " ".join(getattr(error, "__notes__", ()))
    if re.search(r"(graph|item) \d+ of graphs was read", notes):  # by the user's own iterator, such as a loader
        return ""
    if isinstance(error, BrokenSourceError):
        return "the user's source raised: no place named"
    if is_of_model(error) and not is_raised_by_us(error):
        if "graph" not in notes:
            return f"the model raised {_brief(error)}, no graph named"
        if re.search(r"graph \d", notes) and runs(model, graphs):
            return f"the model raised {_brief(error)}, but runs on these graphs"
        return ""
    if not is_raised_by_us(error):
        return f"{_brief(error)} at {innermost(error)}"
    if not isinstance(error, ValueError | TypeError | FileNotFoundError):  # the last where graphs are a path
        return f"{_brief(error)} is neither a ValueError nor a TypeError"
    if "\n" in text or not _NAMED.search(text):
        return f"the message is not one line that names something: {text[:200]!r}"
    is_misfit = isinstance(error.__cause__, Exception) and is_of_model(error.__cause__) and "generated" not in text
    if is_misfit and runs(model, graphs):
        return f"refused as a misfit, but the model runs on these graphs: {text[:200]}"
    return ""


def _brief(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:150] if str(error) else ''}"


def innermost(error: BaseException) -> str:
    """Where in the package it was, and what was called from there."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(PACKAGE)]
    if not own:
        return f"{frames[-1].filename}:{frames[-1].lineno}"
    return f"{Path(own[-1].filename).relative_to(PACKAGE)}:{own[-1].lineno} ({own[-1].line})"


def is_raised_by_us(error: BaseException) -> bool:
    """Whether a ``raise`` in the package itself raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return frame.filename.startswith(PACKAGE) and frame.lineno in _raises(frame.filename)


@cache
def _raises(filename: str) -> frozenset[int]:
    """Lines of all statements that raise something new."""
    tree = ast.parse("".join(linecache.getlines(filename)))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    return frozenset(line for node in statements for line in range(node.lineno, node.end_lineno + 1))


def runs(model: nn.Module, graphs: list[Any]) -> bool:
    """Whether a user could apply the model to the graphs, as a loader gives them, without us."""
    try:
        batch = Batch.from_data_list(graphs)
        names = list(inspect.signature(model.forward).parameters)
        was_training = model.training
        with torch.no_grad():
            model.eval()
            if names in (["data"], ["batch"]):
                model(batch)
            else:
                known = {"features": "x", "batch_index": "batch"}
                model(**{name: batch.get(known.get(name, name)) for name in names})
            model.train(was_training)
    except Exception:
        return False
    return True
