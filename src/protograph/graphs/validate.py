"""Whether a graph can be used as it is: what its tensors must be, and what to do about those that are not so.

Everything else that a graph holds, whatever its type, is left alone.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.data.data import BaseData

from protograph._utils.words import count_of, cut

# Tensors with a row a node, and with a row an edge, whose numbers are read.
OF_NODES, OF_EDGES = ("x", "pos"), ("edge_attr", "edge_weight")
FEATURES = ("x", *OF_EDGES, "pos")
# What features may be. Of other types torch can neither join nor compare numbers everywhere.
WHOLE = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
NUMBERS = frozenset({*WHOLE, torch.float16, torch.bfloat16, torch.float32, torch.float64})
INDEX_TYPES = (torch.int64, torch.int32)
# What to do about heterogeneous graphs, and about pairs of graphs.
HETERO_WAY = (
    "make each graph one kind of nodes and edges by graph.to_homogeneous(), and pass a model that takes x, edge_index, "
    "node_type and edge_type of these"
)
_PAIR_WAY = (
    "join each pair into one graph: x and edge_index of both, the second's nodes numbered after the first's, and a "
    "tensor that says whose each node is, by which the model takes them apart"
)
# Type and width of each tensor of features that a graph has.
Layout = Mapping[str, tuple[torch.dtype, torch.Size]]


def node_count(graph: Data) -> int:
    """Number of nodes; quicker than PyG's own where there are features."""
    x = graph.x
    return int(x.size(0)) if isinstance(x, Tensor) else int(graph.num_nodes or 0)


def is_dense(value: Any) -> bool:
    """Whether a value is a tensor whose entries can be taken one by one, of whatever type they are."""
    is_strided = isinstance(value, Tensor) and value.layout is torch.strided
    return is_strided and not value.is_meta and not value.is_quantized


def is_plain(values: Tensor) -> bool:
    """Whether a tensor holds numbers that can be read as they are: dense, of a usual type, and in memory."""
    return values.dtype in NUMBERS and values.layout is torch.strided and not values.is_meta


def is_sequence(graphs: Any) -> bool:
    """Whether graphs can be read again by their places."""
    return hasattr(graphs, "__getitem__") and hasattr(graphs, "__len__")


def check_container(graphs: Any) -> None:
    """Check that graphs came in something that can be gone through.

    >>> check_container({"a": 1})
    Traceback (most recent call last):
    ...
    TypeError: graphs must be a sequence or iterable of graphs, got a dict; pass list(graphs.values())
    """
    ways = {
        Batch: "graphs.to_data_list()",
        HeteroData: f"a list of graphs; {HETERO_WAY}",
        BaseData: "[graphs]",
        Mapping: "list(graphs.values())",
        str: "protograph.datasets.read_graphs(graphs)",
        Tensor | bytes: "a list of torch_geometric.data.Data",
    }
    way = next((way for kind, way in ways.items() if isinstance(graphs, kind)), None)
    if way is not None or not (is_sequence(graphs) or hasattr(graphs, "__iter__")):
        way = way or "a list of torch_geometric.data.Data"
        raise TypeError(f"graphs must be a sequence or iterable of graphs, got {_a(graphs)}; pass {way}")


def validate(graph: Any, label: Callable[[], str], *, may_be_empty: bool = False) -> None:
    """Check a graph by itself, but for the numbers in its tensors.

    Args:
        graph: What the user gave.
        label: Gives what messages call it.
        may_be_empty: Whether it may have no nodes.

    Raises:
        TypeError: If it is no graph, or something in it is no tensor.
        ValueError: If a tensor is of a type or shape that cannot be used.

    >>> graph = Data(x=torch.ones(2, 3), edge_attr=torch.ones(1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> validate(graph, lambda: "graph 7")
    Traceback (most recent call last):
    ...
    ValueError: edge_attr of graph 7 must have a row for each of its 2 edges, got 1 row; repeat or leave out rows
    """
    if not isinstance(graph, Data) or isinstance(graph, Batch):
        raise TypeError(f"{label()} must be a single torch_geometric.data.Data, got {_what_else(graph)}")
    given = graph.to_dict()
    for key in FEATURES:
        if key in given:
            _check_features(given[key], key, label)
    _check_edge_index(graph, given, label)
    _check_counts(graph, given, label, may_be_empty=may_be_empty)


def layout_of(graph: Data) -> Layout:
    """Type and width of each tensor of features that a graph has."""
    features = ((key, graph.get(key)) for key in FEATURES)
    return {key: (value.dtype, value.shape[1:]) for key, value in features if isinstance(value, Tensor)}


def check_alike(graph: Data, wanted: Layout, label: Callable[[], str]) -> None:
    """Check that the features of a graph are of the types and widths of the first one's."""
    came = layout_of(graph)
    if came != wanted:
        key = next(k for k in FEATURES if came.get(k) != wanted.get(k))
        raise ValueError(
            f"all graphs must have the same kind of {key}; the first graph has {_columns(wanted.get(key))}, "
            f"{label()} has {_columns(came.get(key))}; make them alike, or leave the graph out"
        )


def _columns(layout: tuple[torch.dtype, torch.Size] | None) -> str:
    if layout is None:
        return "none"
    return f"{' x '.join(map(str, layout[1])) or '1'} columns of {str(layout[0]).removeprefix('torch.')}"


def _what_else(graph: Any) -> str:
    """What is there in place of a graph, and how to make graphs of it."""
    ways = {
        Batch: "take it apart by to_data_list()",
        HeteroData: HETERO_WAY,
        Mapping: "make it one by torch_geometric.data.Data(**graph)",
        list: "pass one list of all graphs",
        tuple: f"pass one list of all graphs; if it is a pair, {_PAIR_WAY}",
    }
    way = next((way for kind, way in ways.items() if isinstance(graph, kind)), "leave it out")
    return f"{type(graph).__name__}; {way}"


def _check_features(values: Any, key: str, label: Callable[[], str]) -> None:
    """Check that an attribute is a dense tensor of usual numbers with rows."""
    if isinstance(values, Tensor) and is_plain(values) and values.dim():
        return
    of = "node" if key in OF_NODES else "edge"
    wanted = f"{key} of {label()} must be a dense tensor of numbers with a row for each {of}"
    if not isinstance(values, Tensor):
        raise TypeError(f"{wanted}, got {_a(values)}; pass torch.tensor({key})")
    ways = (
        (values.is_meta, "load the graph's own, which holds numbers"),
        (values.is_quantized, f"pass {key}.dequantize()"),
        (values.layout is not torch.strided, f"pass {key}.to_dense()"),
        (values.is_complex(), f"pass torch.view_as_real({key}).flatten(1)"),
        (values.dim() == 0, f"pass {key}.reshape(1, 1) if there is one row"),
        (True, f"pass {key}.float()"),
    )
    raise ValueError(f"{wanted}, got {_described(values)}; {next(way for is_so, way in ways if is_so)}")


def _check_edge_index(graph: Data, given: Mapping[str, Any], label: Callable[[], str]) -> None:
    ends = given.get("edge_index")
    if ends is None:
        if key := next((key for key in ("adj_t", "adj") if key in given), None):
            raise ValueError(
                f"{label()} has an adjacency ({key}) but no edge_index; set edge_index = "
                f"torch_geometric.utils.to_edge_index({key}.to_sparse())[0]"
            )
        if len(several := [key for key in given if "edge_index" in key]) > 1:
            raise ValueError(f"{label()} is several graphs ({', '.join(several)}) and no edge_index; {_PAIR_WAY}")
        return
    if is_dense(ends) and ends.dtype in INDEX_TYPES and ends.dim() == 2 and ends.size(0) == 2:
        return
    wanted = f"edge_index of {label()} must be whole numbers of shape [2, num_edges]"
    if not isinstance(ends, Tensor):
        raise TypeError(f"{wanted}, got {_a(ends)}; pass torch.tensor(edge_index)")
    shape, is_matrix = tuple(ends.shape), ends.dim() == 2
    is_square = is_matrix and shape[0] == shape[1] and (shape[0] == node_count(graph) or ends.dtype is torch.bool)
    ways = (
        (ends.is_meta, "load the graph's own, which holds numbers"),
        (ends.layout is not torch.strided, "pass torch_geometric.utils.to_edge_index(edge_index)[0]"),
        (not ends.numel(), "for a graph without edges pass torch.empty(2, 0, dtype=torch.long)"),
        (is_square, "that is an adjacency matrix: pass edge_index.nonzero().t()"),
        (is_matrix and shape[1] == 2 != shape[0], "pass edge_index.t().long()"),
        (is_matrix and shape[0] == 2, "pass edge_index.long()"),
        (True, "give the two ends of each edge as numbers of nodes"),
    )
    raise ValueError(f"{wanted}, got {_described(ends)}; {next(way for is_so, way in ways if is_so)}")


def _check_counts(graph: Data, given: Mapping[str, Any], label: Callable[[], str], *, may_be_empty: bool) -> None:
    """Check that there are as many rows as nodes and edges."""
    stated, x, edge_index = given.get("num_nodes"), given.get("x"), given.get("edge_index")
    is_whole = isinstance(stated, int | np.integer) and not isinstance(stated, bool) and stated >= 0
    if stated is not None and not (is_whole and (x is None or stated == len(x))):
        wanted = "a whole number" if x is None else f"the number of rows of its x, {len(x)}"
        raise ValueError(f"num_nodes of {label()} must be {wanted}, got {cut(repr(stated), 40)}; leave it out")
    num_nodes = node_count(graph)
    if num_nodes == 0 and not may_be_empty:
        raise ValueError(f"{label()} has no nodes; leave it out, or give it x or num_nodes")
    num_edges = 0 if edge_index is None else edge_index.size(1)
    for key in FEATURES:
        number, of = (num_nodes, "nodes") if key in OF_NODES else (num_edges, "edges")
        if key in given and (came := given[key].size(0)) != number:
            raise ValueError(
                f"{key} of {label()} must have a row for each of its {number} {of}, got {count_of(came, 'row')}; "
                f"repeat or leave out rows"
            )


def _a(value: Any) -> str:
    return f"a {type(value).__name__}"


def _described(values: Tensor) -> str:
    names = [str(one).removeprefix("torch.") for one in (values.dtype, values.layout, values.device)]
    return f"{names[0]} of shape {list(values.shape)} ({names[1]} on {names[2]})"
