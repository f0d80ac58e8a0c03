"""What to say where a model's own code raises: to which graphs it was applied, and whether these fit its layers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb

from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._utils.words import count_of, cut, listed, one_line
from protograph.graphs.subgraph import roles_of
from protograph.graphs.validate import node_count

# Of what a model raised, so much is repeated.
_MAX_RAISED = 160
# Where layers say how many columns they take, and what their own code calls these.
_WIDTHS = ("in_features", "in_channels")
_GIVEN = ("input", "x")
# What layers raise where graphs do not fit them.
_OF_LAYERS = (AttributeError, TypeError, RuntimeError, ValueError, IndexError, AssertionError)


class UncutError(ValueError):
    """The model needs what parts of graphs cannot have."""


@contextmanager
def noted(graphs: Sequence[Data], uncut: Sequence[str] = ()) -> Iterator[None]:
    """Let an error of the model say how many graphs it was applied to, and how large they were.

    Args:
        graphs: The graphs.
        uncut: Names of what the model may read, and no part of a graph has.

    Raises:
        UncutError: If the graphs are parts, and have not what the model reads.
        ValueError: If the graphs have no ``x``, or one that a layer of the model cannot take.
    """
    try:
        yield
    except Exception as error:
        missing, text = [key for key in uncut if key not in graphs[0]], f"{type(error).__name__}: {error}"
        if missing := [key for key in missing if key in text] or (missing if "NoneType" in text else []):
            raise UncutError(
                f"the model fails on parts of graphs, which have no {listed(missing)}, as that cannot be cut out, and "
                f"prototypes are parts; let the model do without, or work it out of nodes and edges "
                f"({cut(one_line(text), _MAX_RAISED)})"
            ) from error
        if not is_of_model(error):
            raise
        if hint := _hint(error, graphs[0]):
            raise ValueError(f"{hint} ({cut(one_line(f'{type(error).__name__}: {error}'), _MAX_RAISED)})") from error
        sizes = sorted({node_count(graph) for graph in graphs})
        nodes = f"{sizes[0]} to {sizes[-1]} nodes" if len(sizes) > 1 else count_of(sizes[0], "node")
        error.add_note(f"the model was applied to {count_of(len(graphs), 'graph')} of {nodes}")
        raise


def is_of_model(error: BaseException) -> bool:
    """Whether an error came out of a model's own code, or of what that called."""
    return any(isinstance(frame.f_locals.get("self"), nn.Module) for frame, _ in walk_tb(error.__traceback__))


def _hint(error: Exception, graph: Data) -> str:
    """How the graphs' x differs from what the innermost layer takes; empty where that is not known, or not so."""
    x = graph.x
    if type(error) not in _OF_LAYERS:  # an error of the model's own has another reason
        return ""
    if x is None:
        is_by_none = type(error) in (AttributeError, TypeError, RuntimeError)
        way = "give every graph an x as the model was trained with"
        return f"the graphs have no x, on which the model fails; {way}" if is_by_none else ""
    came = f"x of the graphs has shape {list(x.shape)} of {str(x.dtype).removeprefix('torch.')}"
    if x.dim() != 2:
        return f"{came}, on which the model fails; pass x.reshape(len(x), -1), or what it was trained with"
    for frame, _ in reversed(list(walk_tb(error.__traceback__))):
        layer = frame.f_locals.get("self")
        given = next((own for name in _GIVEN if isinstance(own := frame.f_locals.get(name), Tensor)), None)
        if given is None or not isinstance(layer, nn.Module):
            continue
        name = type(layer).__name__
        width = next((own for name in _WIDTHS if type(own := getattr(layer, name, None)) is int and own > 0), None)
        if width is not None and given.shape[-1:] == x.shape[-1:] and x.size(1) != width:
            return f"{came}, but the model's layer {name} takes {width} columns; give every graph so many"
        if isinstance(layer, nn.Embedding) and not given.is_floating_point():
            return f"{came}, but the model's layer {name} knows the values 0 to {layer.num_embeddings - 1} alone"
    others = [key for key, role in roles_of(graph).items() if role == "graph" and isinstance(graph[key], Tensor)]
    if isinstance(error, IndexError) and (whole := [key for key in others if not graph[key].is_floating_point()]):
        return (
            f"an index is out of range in the model; where {listed(whole)} of the graphs numbers nodes, a part of a "
            f"graph cannot have it: say so by __inc__ of your own class of Data, as PyG's batches ask for"
        )
    return ""
