import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from protograph.graphs import cleaning
from protograph.graphs.cleaning import Findings, check_each, clean, undirected, without_repeated_edges
from tests import zoo


def data(edges, num_nodes=4, **more):
    return Data(x=torch.eye(4)[:num_nodes], edge_index=torch.tensor(edges).reshape(-1, 2).t().contiguous(), **more)


def cleaned(graphs):
    findings = Findings()
    return clean(graphs, range(len(graphs)), None, findings), findings


@st.composite
def edge_lists(draw):
    """Edges of a graph of four nodes: both directions of some, and perhaps one that is alone, repeated or outside."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique_by=frozenset, max_size=4))
    both = [edge for u, v in pairs for edge in {(u, v), (v, u)}]
    more = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 4)), max_size=draw(st.integers(0, 1))))
    return draw(st.permutations(both + more))


def outcome(graphs):
    try:
        result, findings = cleaned(graphs)
    except ValueError as error:
        return str(error)
    return [graph.edge_index.tolist() for graph in result], findings.directed, findings.repeated


@settings(max_examples=100, deadline=None)
@given(st.lists(edge_lists(), min_size=1, max_size=4))
def test_a_look_at_all_graphs_finds_what_a_look_at_each_finds(lists):
    graphs = [data(edges) for edges in lists]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cleaning, "joined", lambda graphs: None)
        expected = outcome(graphs)
    assert outcome(graphs) == expected


def test_good_graphs_are_not_looked_at_one_by_one(monkeypatch):
    monkeypatch.setattr(cleaning, "_cleaned", None)
    graphs = zoo.random_graphs(5)
    assert list(cleaned(graphs)[0]) == graphs


def test_good_graphs_are_the_same_objects():
    graphs = zoo.random_graphs(5)
    result, findings = cleaned(graphs)
    assert all(a is b for a, b in zip(graphs, result, strict=True))
    assert findings.messages() == []


def test_reverse_edges_are_added_with_their_attributes():
    graph = data([[0, 1], [1, 0], [1, 2], [3, 3]], edge_attr=torch.tensor([[1.0], [1.0], [2.0], [3.0]]))
    (result,), findings = cleaned([graph])
    assert result.edge_index.tolist() == [[0, 1, 1, 3, 2], [1, 0, 2, 3, 1]]
    assert result.edge_attr.flatten().tolist() == [1, 1, 2, 3, 2]
    assert graph.edge_index.size(1) == 4  # the user's own graph is untouched
    assert findings.messages() == [
        "graph 0 has directed edges; PAGE works on undirected graphs, so each missing reverse edge was added, "
        "for the model too"
    ]


def test_repeated_edges_are_merged_and_keep_the_first_ones_attributes():
    graph = data([[0, 1], [1, 0], [0, 1], [1, 0]], edge_attr=torch.tensor([5, 6, 7, 8]))
    (result,), findings = cleaned([graph])
    assert result.edge_index.tolist() == [[0, 1], [1, 0]]
    assert result.edge_attr.tolist() == [5, 6]
    assert findings.repeated == [0]
    assert findings.directed == []


def test_several_are_counted_and_the_first_is_named():
    graphs = [data([[0, 1], [1, 0]]), data([[0, 1]]), data([[2, 1]])]
    _, findings = cleaned(graphs)
    assert findings.messages()[0].startswith("2 graphs (the first is graph 1) have directed edges;")


def test_a_graph_may_be_directed_and_have_repeated_edges():
    (result,), _ = cleaned([data([[0, 1], [0, 1], [2, 3]])])
    assert result.edge_index.tolist() == [[0, 2, 1, 3], [1, 3, 0, 2]]


def test_a_graph_without_edge_index_has_no_edges():
    (result,), _ = cleaned([Data(x=torch.ones(2, 3))])
    assert result.edge_index.shape == (2, 0)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (
            [data([[0, 1]]), data([[0, 7], [7, 0]])],
            "edge_index of graph 1 has the edge 0 -> 7, but its nodes are numbered 0 to 3",
        ),
        ([data([[0, -1]])], "edge_index of graph 0 has the edge 0 -> -1, but its nodes are numbered 0 to 3"),
        (
            [data([[0, 1]]), Data(x=torch.ones(2, 9), edge_index=torch.empty(2, 0, dtype=torch.long))],
            "all graphs must have the same kind of x; the first graph has 4 columns of float32, "
            "graph 1 has 9 columns of float32; make them alike, or leave the graph out",
        ),
        (
            [data([[0, 1]]), Data(num_nodes=2, edge_index=torch.empty(2, 0, dtype=torch.long))],
            "all graphs must have the same kind of x; the first graph has 4 columns of float32, graph 1 has none; "
            "make them alike, or leave the graph out",
        ),
        (
            [data([[0, 1]]), Data(x=torch.full((2, 4), float("nan")))],
            "x of graph 1 has NaN or infinite values; replace them or leave the graph out",
        ),
        (
            [data([[0, 1], [1, 0]], edge_attr=torch.tensor([1.0, float("inf")]))],
            "edge_attr of graph 0 has NaN or infinite values; replace them or leave the graph out",
        ),
        ([data([[0, 1]]), Data(x=torch.ones(0, 4))], "graph 1 has no nodes; leave it out"),
        (
            [data([[0, 1], [1, 0]]), data([[0, 1], [1, 0]], edge_attr=torch.ones(2, 3))],
            "all graphs must have the same kind of edge_attr; the first graph has none, "
            "graph 1 has 3 columns of float32; make them alike, or leave the graph out",
        ),
        (
            [data([[0, 1]]), Data(x=torch.ones(2, 4, dtype=torch.long))],
            "all graphs must have the same kind of x; the first graph has 4 columns of float32, "
            "graph 1 has 4 columns of int64; make them alike, or leave the graph out",
        ),
    ],
)
def test_bad_graphs_are_named(graphs, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        cleaned(graphs)
    assert str(caught.value) == message


def test_what_is_not_a_graph_is_named():
    with pytest.raises(TypeError, match=r"^graph 1 must be a single torch_geometric.data.Data, got int; leave it out$"):
        cleaned([data([[0, 1]]), 3])
    with pytest.raises(TypeError, match=r"^graph 0 must be a single torch_geometric.data.Data, got DataBatch; "):
        cleaned([Batch.from_data_list([data([[0, 1]])])])


def test_gradients_end_at_the_graphs_which_keep_theirs():
    weights = torch.ones(4, 4, requires_grad=True)
    graph = Data(x=weights * 2, edge_index=torch.tensor([[0, 1], [1, 0]]), extra=weights)
    (result,), _ = cleaned([graph])
    assert (result.x.requires_grad, result.extra.requires_grad) == (False, False)
    assert (graph.x.requires_grad, graph.extra is weights) == (True, True)
    assert list(result.to_dict()) == list(graph.to_dict())
    assert result.x.data_ptr() == graph.x.data_ptr()


def test_each_graph_by_itself_may_be_unlike_the_others():
    check_each([data([[0, 1]]), Data(x=torch.ones(2, 9)), Data(num_nodes=3)])
    with pytest.raises(ValueError, match=r"^x of graph 1 must be a tensor with a row for each node, .* got complex64"):
        check_each([data([[0, 1]]), Data(x=torch.ones(2, 1, dtype=torch.complex64))])


def test_both_helpers_carry_every_edge_tensor():
    graph = data([[0, 1], [0, 1]], edge_attr=torch.tensor([1, 2]), edge_label=torch.tensor([3, 4]))
    assert without_repeated_edges(graph).edge_label.tolist() == [3]
    assert undirected(without_repeated_edges(graph)).edge_label.tolist() == [3, 3]
    assert Batch.from_data_list([undirected(graph)]).num_graphs == 1


def test_graphs_that_are_asked_for_their_tensors_stay_as_they_are():
    graph = data([[0, 1], [1, 0]], edge_attr=torch.tensor([1, 2]), y=torch.tensor([0]))
    before = set(vars(graph._store))
    assert (cleaning.node_keys(graph), cleaning.edge_keys(graph)) == (["x"], ["edge_index", "edge_attr"])
    assert set(vars(graph._store)) == before


def test_the_label_of_a_graph_with_a_single_edge_is_not_taken_for_that_edges():
    one_way = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([1]))
    both = undirected(one_way)
    assert both.edge_index.tolist() == [[0, 1], [1, 0]]
    assert both.y.tolist() == [1]


def test_labels_come_along_where_all_are_one_whole_number():
    graphs = [*zoo.random_graphs(3)]
    for number, graph in enumerate(graphs):
        graph.y = torch.tensor([number])
    assert clean(graphs, range(3), None, Findings("graph {}".format)).labels.tolist() == [0, 1, 2]
    graphs[1].y = 1.0
    assert clean(graphs, range(3), None, Findings("graph {}".format)).labels is None
