import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.transforms import ToSparseTensor
from torch_geometric.utils import to_edge_index

from protograph.graphs.validate import HETERO_WAY, check_container, validate

X = torch.eye(3)
ENDS = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
ROW = "of it must be a dense tensor of numbers with a row for each"
EDGES = "edge_index of it must be whole numbers of shape [2, num_edges], got"


def graph(**changes):
    content = {"x": X, "edge_index": ENDS} | changes
    return Data(**{key: value for key, value in content.items() if value is not None})


def quantised(values):
    return torch.quantize_per_tensor(values, 0.1, 0, torch.quint8)


# What is refused, what is said, and what the advice comes to.
REFUSED = {
    "complex": (
        lambda: graph(x=X.to(torch.complex64)),
        f"x {ROW} node, got complex64 of shape [3, 3] (strided on cpu); pass torch.view_as_real(x).flatten(1)",
        lambda g: {"x": torch.view_as_real(g.x).flatten(1)},
    ),
    "sparse": (
        lambda: graph(x=X.to_sparse()),
        f"x {ROW} node, got float32 of shape [3, 3] (sparse_coo on cpu); pass x.to_dense()",
        lambda g: {"x": g.x.to_dense()},
    ),
    "an array": (
        lambda: graph(x=X.numpy()),
        f"x {ROW} node, got a ndarray; pass torch.tensor(x)",
        lambda g: {"x": torch.tensor(g.x)},
    ),
    "a number": (
        lambda: graph(x=torch.tensor(1.0), edge_index=None),
        f"x {ROW} node, got float32 of shape [] (strided on cpu); pass x.reshape(1, 1) if there is one row",
        lambda g: {"x": g.x.reshape(1, 1)},
    ),
    "ends as a list": (
        lambda: graph(edge_index=ENDS.tolist()),
        f"{EDGES} a list; pass torch.tensor(edge_index)",
        lambda g: {"edge_index": torch.tensor(g.edge_index)},
    ),
    "ends as floats": (
        lambda: graph(edge_index=ENDS.float()),
        f"{EDGES} float32 of shape [2, 4] (strided on cpu); pass edge_index.long()",
        lambda g: {"edge_index": g.edge_index.long()},
    ),
    "transposed": (
        lambda: graph(edge_index=ENDS.t()),
        f"{EDGES} int64 of shape [4, 2] (strided on cpu); pass edge_index.t().long()",
        lambda g: {"edge_index": g.edge_index.t().long()},
    ),
    "adjacency": (
        lambda: graph(edge_index=torch.ones(3, 3)),
        f"{EDGES} float32 of shape [3, 3] (strided on cpu); that is an adjacency matrix: pass edge_index.nonzero().t()",
        lambda g: {"edge_index": g.edge_index.nonzero().t()},
    ),
    "no ends": (
        lambda: graph(edge_index=torch.tensor([])),
        f"{EDGES} float32 of shape [0] (strided on cpu); for a graph without edges pass "
        "torch.empty(2, 0, dtype=torch.long)",
        lambda g: {"edge_index": torch.empty(2, 0, dtype=torch.long)},
    ),
    "adj_t alone": (
        lambda: ToSparseTensor(layout=torch.sparse_csr)(graph()),
        "it has an adjacency (adj_t) but no edge_index; set edge_index = "
        "torch_geometric.utils.to_edge_index(adj_t.to_sparse())[0]",
        lambda g: {"edge_index": to_edge_index(g.adj_t.to_sparse())[0]},
    ),
    "num_nodes": (
        lambda: graph(num_nodes=4),
        "num_nodes of it must be the number of rows of its x, 3, got 4; leave it out",
        lambda g: {"num_nodes": None},
    ),
    "positions": (
        lambda: graph(pos=torch.ones(2, 3)),
        "pos of it must have a row for each of its 3 nodes, got 2 rows; repeat or leave out rows",
        lambda g: {"pos": g.pos[[0, 1, 1]]},
    ),
    "nothing": (
        lambda: Data(),
        "it has no nodes; leave it out, or give it x or num_nodes",
        lambda g: {"num_nodes": 2},
    ),
}


# torch warns of what it will no longer have one day, or is new.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused_and_the_advice_works(name):
    make, message, advice = REFUSED[name]
    odd = make()
    with pytest.raises((TypeError, ValueError)) as caught:
        validate(odd, lambda: "it")
    assert str(caught.value) == message
    content = odd.to_dict() | advice(odd)
    validate(Data(**{key: value for key, value in content.items() if value is not None}), lambda: "it")


@pytest.mark.parametrize("key", ["x", "edge_attr", "edge_index"])
def test_tensors_without_numbers_are_refused(key):
    with pytest.raises(ValueError, match=rf"^{key} of it .* on meta\); load the graph's own, which holds numbers"):
        validate(graph(**{key: ENDS.to("meta")}), lambda: "it")


def test_a_number_of_nodes_is_whole():
    with pytest.raises(ValueError, match=r"^num_nodes of it must be a whole number, got 'many'; leave it out$"):
        validate(graph(x=None, num_nodes="many"), lambda: "it")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (HeteroData(), f"HeteroData; {HETERO_WAY}"),
        (Batch.from_data_list([graph()]), "DataBatch; take it apart by to_data_list()"),
        ({"x": X}, "dict; make it one by torch_geometric.data.Data(**graph)"),
        ([graph()], "list; pass one list of all graphs"),
        (None, "NoneType; leave it out"),
    ],
)
def test_what_is_no_graph_is_refused(other, message):
    with pytest.raises(TypeError) as caught:
        validate(other, lambda: "graph 3")
    assert str(caught.value) == f"graph 3 must be a single torch_geometric.data.Data, got {message}"


@pytest.mark.parametrize(
    "dtype",
    [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16],
)
def test_usual_numbers_of_any_shape_are_taken(dtype):
    for x in (X, X[0], X[:, :, None], X[:, :0]):
        validate(graph(x=x.to(dtype), edge_attr=torch.ones(4).to(dtype)), lambda: "it")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_not_read_may_be_anything():
    others = {"y": "toxic", "mask": torch.ones(5, device="meta"), "kept": {1: None}, "more": np.array([None])}
    validate(graph(**others, far=X.to_sparse(), near=quantised(X), thing=object()), lambda: "it")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (graph(), r"got a Data; pass \[graphs\]"),
        (Batch.from_data_list([graph()]), r"got a DataBatch; pass graphs.to_data_list\(\)"),
        (HeteroData(), r"got a HeteroData; pass a list of graphs; make each .* by graph.to_homogeneous\(\)"),
        ({0: graph()}, r"got a dict; pass list\(graphs.values\(\)\)"),
        ("graphs.pt", r"got a str; pass protograph.datasets.read_graphs"),
        (torch.ones(2), "got a Tensor; pass a list of"),
        (None, "got a NoneType; pass a list of"),
    ],
)
def test_what_holds_no_graphs_is_refused_with_what_to_pass(given, message):
    with pytest.raises(TypeError, match=f"^graphs must be a sequence or iterable of graphs, {message}"):
        check_container(given)
