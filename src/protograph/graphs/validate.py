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

# Tensors with a row a node, and with a row an edge, whose numbers are read.
OF_NODES, OF_EDGES = ("x", "pos"), ("edge_attr", "edge_weight")
FEATURES = ("x", *OF_EDGES, "pos")
# What features may be. Of other types torch can neither join nor compare numbers everywhere.
NUMBERS = frozenset(
    {
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
    }
)
INDEX_TYPES = (torch.int64, torch.int32)
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
    wanted = "graphs must be a sequence or iterable of graphs"
    if isinstance(graphs, BaseData):
        ways = {Batch: "graphs.to_data_list()", HeteroData: "[data.to_homogeneous()]"}
        way = next((way for kind, way in ways.items() if isinstance(graphs, kind)), "[data]")
        raise TypeError(f"{wanted}, got a single {type(graphs).__name__}; pass {way}")
    if isinstance(graphs, Mapping):
        raise TypeError(f"{wanted}, got {_a(graphs)}; pass list(graphs.values())")
    if isinstance(graphs, str):
        raise TypeError(f"{wanted}, got {_a(graphs)}; pass protograph.datasets.read_graphs(graphs)")
    if isinstance(graphs, Tensor | bytes) or not (is_sequence(graphs) or hasattr(graphs, "__iter__")):
        raise TypeError(f"{wanted}, got {type(graphs).__name__}; pass a list of torch_geometric.data.Data")


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
    return f"{' x '.join(map(str, layout[1])) or '1'} columns of {_plain_name(layout[0])}"


def _what_else(graph: Any) -> str:
    """What is there in place of a graph, and how to make graphs of it."""
    ways = {
        Batch: "take it apart by to_data_list()",
        HeteroData: "make it one kind of nodes and edges by to_homogeneous()",
        Mapping: "make it one by torch_geometric.data.Data(**graph)",
        list | tuple: "pass one list of all graphs",
    }
    way = next((way for kind, way in ways.items() if isinstance(graph, kind)), "leave it out")
    return f"{type(graph).__name__}; {way}"


def _check_features(values: Any, key: str, label: Callable[[], str]) -> None:
    """Check that an attribute is a dense tensor of usual numbers with rows."""
    if isinstance(values, Tensor) and is_plain(values) and not values.is_quantized and values.dim():
        return
    wanted = f"{key} of {label()} must be a tensor with a row for each {'node' if key in OF_NODES else 'edge'}"
    if not isinstance(values, Tensor):
        raise TypeError(f"{wanted}, got {_a(values)}; pass {_as_tensor(values, key)}")
    name = _plain_name(values.dtype)
    if values.is_meta:
        wrong = "got one on the device 'meta', which holds no numbers; load the graph's own"
    elif values.is_quantized:
        wrong = f"got a quantised one; pass {key}.dequantize()"
    elif values.layout is not torch.strided:
        wrong = f"got a sparse one ({_plain_name(values.layout)}); pass {key}.to_dense()"
    elif values.is_complex():
        wrong = f"of real numbers, got {name}; pass torch.view_as_real({key}).flatten(1)"
    elif values.dtype not in NUMBERS:
        way = f"{key}.float()" if values.is_floating_point() else f"{key}.long()"
        wrong = f"of a type that torch computes with, got {name}; pass {way}"
    else:
        wrong = f"got a single number; pass {key}.reshape(1, 1) if there is one"
    raise ValueError(f"{wanted}, {wrong}")


def _check_edge_index(graph: Data, given: Mapping[str, Any], label: Callable[[], str]) -> None:
    edge_index = given.get("edge_index")
    if edge_index is None:
        if "adj_t" in given or "adj" in given:
            _refuse_adjacency("adj_t" if "adj_t" in given else "adj", given, label)
        return
    is_strided = isinstance(edge_index, Tensor) and edge_index.layout is torch.strided and not edge_index.is_meta
    if is_strided and edge_index.dtype in INDEX_TYPES and edge_index.dim() == 2 and edge_index.size(0) == 2:
        return
    wanted = f"edge_index of {label()} must be whole numbers of shape [2, num_edges]"
    if not isinstance(edge_index, Tensor):
        raise TypeError(f"{wanted}, got {_a(edge_index)}; pass {_as_tensor(edge_index, 'edge_index')}")
    if edge_index.is_meta:
        raise ValueError(f"{wanted}, got a tensor on the device 'meta', which holds no numbers; load the graph's own")
    kind = _plain_name(edge_index.dtype if is_strided else edge_index.layout)
    came = f"{kind} of shape {list(edge_index.shape)}"
    raise ValueError(f"{wanted}, got {came}; {_way_to_edges(edge_index, graph)}")


def _refuse_adjacency(key: str, given: Mapping[str, Any], label: Callable[[], str]) -> None:
    if is_dense(given[key]):
        raise ValueError(f"{label()} has an adjacency ({key}) but no edge_index; set edge_index = {key}.nonzero().t()")
    raise ValueError(
        f"{label()} has a sparse adjacency ({key}) but no edge_index; pass graphs without ToSparseTensor, or set "
        f"edge_index = torch_geometric.utils.to_edge_index({key})[0]"
    )


def _way_to_edges(edge_index: Tensor, graph: Data) -> str:
    """What to write in place of an ``edge_index`` of another type or shape."""
    if edge_index.layout is not torch.strided:
        return "pass torch_geometric.utils.to_edge_index(edge_index)[0]"
    shape = tuple(edge_index.shape)
    if not edge_index.numel():
        return "for a graph without edges pass torch.empty(2, 0, dtype=torch.long)"
    rows = len(graph.x) if isinstance(graph.x, Tensor) else graph.get("num_nodes")
    if len(shape) == 2 and shape[0] == shape[1] and (shape[0] == rows or edge_index.dtype is torch.bool):
        return "that is an adjacency matrix: pass edge_index.nonzero().t()"
    if len(shape) == 2 and shape[1] == 2 and shape[0] != 2:
        return "pass edge_index.t().long()"
    if len(shape) == 2 and shape[0] == 2 and edge_index.dtype is not torch.bool:
        return "pass edge_index.long()"
    return "give the two ends of each edge as numbers of nodes"


def _check_counts(graph: Data, given: Mapping[str, Any], label: Callable[[], str], *, may_be_empty: bool) -> None:
    """Check that there are as many rows as nodes and edges."""
    stated = given.get("num_nodes")
    is_whole = isinstance(stated, int | np.integer) and not isinstance(stated, bool) and stated >= 0
    if stated is not None and not is_whole:
        raise ValueError(
            f"num_nodes of {label()} must be a whole number, got {_shown(stated)}; leave it out or pass one"
        )
    x, edge_index = given.get("x"), given.get("edge_index")
    num_nodes = node_count(graph) if x is None else len(x)
    if stated is not None and stated != num_nodes:
        raise ValueError(
            f"num_nodes of {label()} must be the number of rows of its x, {num_nodes}, got {stated}; leave it out"
        )
    if num_nodes == 0 and not may_be_empty:
        is_told = x is not None or stated is not None or edge_index is not None
        raise ValueError(f"{label()} has no nodes; {'' if is_told else 'give it x or num_nodes, or '}leave it out")
    num_edges = 0 if edge_index is None else edge_index.size(1)
    for key in FEATURES:
        wanted, of = (num_nodes, "nodes") if key in OF_NODES else (num_edges, "edges")
        if key in given and (came := given[key].size(0)) != wanted:
            raise ValueError(
                f"{key} of {label()} must have a row for each of its {wanted} {of}, got {came} row{'s' * (came != 1)}; "
                f"{'repeat or leave out rows' if wanted else 'leave it out or give it none'}"
            )


def _as_tensor(values: Any, key: str) -> str:
    """How to make a tensor of it."""
    if isinstance(values, np.ndarray | list | tuple):
        return f"torch.tensor({key})"
    return f"{key}.to_dense()" if hasattr(values, "to_dense") else "a tensor"


def _a(value: Any) -> str:
    return f"a {type(value).__name__}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 and "\n" not in text else _a(value)


def _plain_name(kind: torch.dtype | torch.layout) -> str:
    """Name of a type or layout, such as ``complex64``."""
    return str(kind).removeprefix("torch.")
