"""Errors of a model's own code: told from ours, and passed on with what the model was applied to."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import nn
from torch_geometric.data import Data

from protograph._base.words import count_of
from protograph.graphs.checking import node_count


def frames_of(error: BaseException) -> Iterator[Any]:
    """What was running when an error was raised, the outermost first."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def is_of_model(error: BaseException) -> bool:
    """Whether an error came out of a model's own code, or of what that called."""
    return any(frame.f_code is nn.Module._call_impl.__code__ for frame in frames_of(error))


@contextmanager
def noted(graphs: Sequence[Data]) -> Iterator[None]:
    """Let an error of the model say how many graphs it was applied to, and how large they were."""
    try:
        yield
    except Exception as error:
        if is_of_model(error):
            sizes = sorted({node_count(graph) for graph in graphs})
            nodes = f"{sizes[0]} to {sizes[-1]} nodes" if len(sizes) > 1 else count_of(sizes[0], "node")
            error.add_note(f"the model was applied to {count_of(len(graphs), 'graph')} of {nodes}")
        raise
