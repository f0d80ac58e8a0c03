import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Batch, Data

from protograph import datasets
from protograph.training import GCN
from protograph.training.collation import collate, logits_of, propagated


@pytest.fixture(scope="module")
def graphs():
    return datasets.load("ba-house", num_graphs=40)


def graph(**changes):
    fields = {"x": torch.ones(2, 3), "edge_index": torch.tensor([[0, 1], [1, 0]]), "y": torch.tensor([1])}
    return Data(**(fields | changes))


def assert_is_batch(mini, graphs):
    batch = Batch.from_data_list(graphs)
    assert torch.equal(mini.x, batch.x)
    assert torch.equal(mini.edge_index, batch.edge_index)
    assert torch.equal(mini.batch, batch.batch)
    assert torch.equal(mini.y, batch.y)
    assert torch.equal(mini.edge_weight, torch.ones(batch.num_edges))


@settings(deadline=None, max_examples=25)
@given(indices=st.lists(st.integers(0, 39), min_size=1, max_size=20))
def test_a_mini_batch_is_pygs_batch(graphs, indices):
    mini = collate(graphs).take(torch.tensor(indices))
    assert_is_batch(mini, [graphs[index] for index in indices])


@pytest.mark.parametrize("batch_size", [1, 7, 40, 64])
def test_batches_are_pygs_batches_in_the_given_order(graphs, batch_size):
    order = torch.randperm(40, generator=torch.Generator().manual_seed(0))
    batches = list(collate(graphs).batches(order, batch_size))
    parts = torch.split(order, batch_size)
    assert len(batches) == len(parts)
    for mini, part in zip(batches, parts, strict=True):
        assert_is_batch(mini, graphs[part])


def test_more_batches_than_a_chunk_holds(graphs):
    order = torch.arange(40).repeat(4)
    batches = list(collate(graphs).batches(order, 1))
    assert len(batches) == 160
    for number in (63, 64, 65, 127, 128, 159):
        assert_is_batch(batches[number], [graphs[number % 40]])


def test_no_edge_index_is_no_edges():
    assert collate([graph(edge_index=None)]).edge_index.shape == (2, 0)


def test_graphs_without_edges():
    lonely = graph(edge_index=torch.empty(2, 0, dtype=torch.long))
    flat = collate([lonely, graph(), lonely])
    assert_is_batch(flat.take(torch.tensor([2, 1, 0])), [lonely, graph(), lonely])


def test_no_features_become_ones():
    bare = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3, y=torch.tensor([0]))
    assert torch.equal(collate([bare, bare]).x, torch.ones(6, 1))


@pytest.mark.parametrize("y", [1, torch.tensor(1), torch.tensor([[1]]), torch.tensor([True])])
def test_labels_of_many_shapes(y):
    assert collate([graph(y=y)]).y.tolist() == [1]


def test_features_of_a_batch_are_floats():
    for x in (torch.ones(2, 3, dtype=torch.long), torch.tensor([[1.0, 0.0, 0.5], [2.0, 0.0, 0.0]])):
        batch = collate([graph(x=x)]).take(torch.tensor([0]))
        assert batch.x.dtype == torch.float32
        assert torch.equal(batch.x, x.float())


def test_gradients_do_not_reach_the_user_s_graphs():
    x = torch.rand(2, 3, requires_grad=True)
    assert not collate([graph(x=x)]).x.requires_grad


def test_zeros_and_ones_are_kept_as_bytes():
    assert collate([graph(x=torch.eye(3)[:2]), graph(x=torch.ones(2, 3))]).x.dtype == torch.uint8
    for other in (torch.full((2, 3), 2.0), torch.full((2, 3), 257.0), torch.full((2, 3), 0.5)):
        mixed = collate([graph(x=torch.eye(3)[:2]), graph(x=other)]).x
        assert torch.equal(mixed, torch.cat([torch.eye(3)[:2], other]))
        assert mixed.dtype == torch.float32


def test_features_after_graphs_without():
    bare = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3, y=torch.tensor([0]))
    with pytest.raises(ValueError, match=r"^graphs\[1\].x must be None as graphs\[0\].x is; give every graph features"):
        collate([bare, graph()])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": None}, r"graphs[1].y must be one integer label, got None; set y = torch.tensor([label])"),
        (
            {"y": torch.tensor([0.5])},
            "graphs[1].y must be one integer label, got torch.float32 of shape [1]; set y = torch.tensor([label])",
        ),
        (
            {"y": torch.tensor([0, 1])},
            "graphs[1].y must be one integer label, got torch.int64 of shape [2]; set y = torch.tensor([label])",
        ),
        ({"y": "yes"}, "graphs[1].y must be one integer label, got yes; set y = torch.tensor([label])"),
        ({"y": -1}, "graphs[1].y must be at least 0, got -1; number the classes 0, 1, ..."),
        ({"x": torch.ones(2, 4)}, "graphs[1].x must have 3 columns as graphs[0].x has, got 4"),
        (
            {"x": torch.ones(2)},
            "graphs[1].x must have shape [num_nodes, num_features], got [2]; give every graph features, or none",
        ),
        (
            {"x": None, "num_nodes": 2},
            "graphs[1].x must have shape [num_nodes, num_features], got None; give every graph features, or none",
        ),
        ({"x": torch.ones(0, 3)}, "graphs[1] has no nodes; leave it out"),
        (
            {"x": torch.tensor([[0, 0, 0], [0, torch.nan, 0]])},
            "graphs[1].x must be finite, got nan; clean the features first",
        ),
        (
            {"x": torch.tensor([[-torch.inf, 0, 0], [0, 0, 0]])},
            "graphs[1].x must be finite, got -inf; clean the features first",
        ),
        (
            {"edge_index": torch.zeros(3, 2)},
            "edge_index of graphs[1] must be whole numbers of shape [2, num_edges], got float32 of shape [3, 2]; "
            "pass edge_index.t().long()",
        ),
        ({"edge_index": torch.tensor([[0], [2]])}, "graphs[1].edge_index must lie in [0, 2), got 2"),
        ({"edge_index": torch.tensor([[-1], [0]])}, "graphs[1].edge_index must lie in [0, 2), got -1"),
    ],
)
def test_an_unfit_graph_is_named(changes, message):
    with pytest.raises(ValueError, match=r"graphs\[1\]") as error:
        collate([graph(), graph(**changes), graph()])
    assert str(error.value) == message


def test_no_graphs():
    with pytest.raises(ValueError, match=r"^graphs must not be empty; give a sequence of labelled graphs$"):
        collate([])


def assert_same_logits(graphs, num_features):
    model = GCN(num_features, num_classes=3, hidden=(8, 6, 4))
    flat = collate(graphs)
    order = torch.arange(len(flat)).flip(0)
    plain = flat.take(order)
    expected = model(plain.x, plain.edge_index, plain.batch)
    once, each_time = propagated(flat), propagated(flat, most_bytes=0)
    assert (once.is_propagated, each_time.is_propagated) == (True, False)
    for prepared in (once, each_time):
        assert torch.allclose(logits_of(model, prepared.take(order)), expected, atol=1e-5)
        (batch,) = prepared.batches(order, batch_size=len(order))
        assert torch.allclose(logits_of(model, batch), expected, atol=1e-5)


def test_logits_are_the_models():
    assert_same_logits(datasets.load("ba-house", num_graphs=30), num_features=3)


def test_logits_are_the_models_on_odd_graphs():
    generator = torch.Generator().manual_seed(0)
    edges = [
        [[0, 1, 1, 2], [1, 0, 2, 1]],
        [[0, 0, 1], [1, 2, 2]],  # directed
        [[0, 0, 1, 1], [0, 1, 0, 1]],  # self-loops
        [[0, 1, 0, 1], [1, 0, 1, 0]],  # an edge twice
        [[], []],
    ]
    graphs = [
        Data(
            x=torch.rand(4, 2, generator=generator),  # the last node has no edge
            edge_index=torch.tensor(ends, dtype=torch.long),
            y=0,
        )
        for ends in edges
    ]
    assert_same_logits(graphs, num_features=2)


def test_gradients_are_the_models():
    graphs = datasets.load("ba-grid", num_graphs=10)
    flat, model = collate(graphs), GCN(3, 2, (8, 8))
    everything = torch.arange(10)
    plain = flat.take(everything)
    weights = list(model.parameters())
    expected = torch.autograd.grad(model(plain.x, plain.edge_index, plain.batch)[:, 0].sum(), weights)
    gradients = torch.autograd.grad(logits_of(model, propagated(flat).take(everything))[:, 0].sum(), weights)
    for one, other in zip(expected, gradients, strict=True):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)
