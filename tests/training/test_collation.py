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


@settings(deadline=None, max_examples=20)
@given(indices=st.lists(st.integers(0, 39), min_size=1, max_size=20), batch_size=st.integers(1, 25))
def test_mini_batches_are_pygs_in_the_given_order(graphs, indices, batch_size):
    flat = collate(graphs)
    for part in torch.split(torch.tensor(indices), batch_size):
        assert_is_batch(flat.take(part), graphs[part])


def test_graphs_without_edges_or_features():
    lonely = graph(edge_index=torch.empty(2, 0, dtype=torch.long))
    assert_is_batch(collate([lonely, graph(), lonely]).take(torch.tensor([2, 1, 0])), [lonely, graph(), lonely])
    assert collate([graph(edge_index=None)]).edge_index.shape == (2, 0)
    bare = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=3, y=torch.tensor([0]))
    assert torch.equal(collate([bare, bare]).take(torch.tensor([1, 0])).x, torch.ones(6, 1))


def test_features_of_a_batch_are_floats_without_gradients():
    x = torch.rand(2, 3, requires_grad=True)
    for other in (torch.ones(2, 3, dtype=torch.long), torch.tensor([[1.0, 0.0, 0.5], [2.0, 0.0, 0.0]])):
        flat = collate([graph(x=x), graph(x=other), graph()])
        assert flat.take(torch.tensor([1])).x.tolist() == other.float().tolist()
        assert not flat.x.requires_grad
    assert collate([graph(), graph(x=torch.eye(3)[:2])]).x.dtype == torch.uint8  # a quarter of the memory


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": None}, r"y must be one integer label of at least 0, got None; set y = torch.tensor\(\[label\]\)"),
        ({"y": torch.tensor([0.5])}, r"y must be one integer label of at least 0, got \[0.5\]"),
        ({"y": torch.tensor([0, 1])}, r"y must be one integer label of at least 0, got \[0, 1\]"),
        ({"y": "yes"}, r"y must be one integer label of at least 0, got yes"),
        ({"y": -1}, r"y must be one integer label of at least 0, got -1"),
        (
            {"x": torch.ones(2, 4)},
            r"x must have shape \[num_nodes, 3\], got \[2, 4\]; give every graph",
        ),
        ({"x": torch.ones(2)}, r"x must have shape \[num_nodes, 3\], got \[2\]"),
        ({"x": None, "num_nodes": 2}, r"x must have shape \[num_nodes, 3\], got \[2, 1\]; .* or none"),
        ({"x": torch.ones(0, 3)}, "has no nodes; leave it out"),
        ({"x": torch.tensor([[0, 0, 0], [0, torch.nan, 0]])}, "x must be finite, got nan; clean the features first"),
        ({"x": torch.tensor([[-torch.inf, 0, 0], [0, 0, 0]])}, "x must be finite, got -inf"),
        ({"edge_index": torch.zeros(3, 2)}, r"must be whole numbers .* got float32 of shape \[3, 2\]"),
        ({"edge_index": torch.tensor([[0], [2]])}, r"edge_index must lie in \[0, 2\), got 0 to 2"),
        ({"edge_index": torch.tensor([[-1], [0]])}, r"edge_index must lie in \[0, 2\), got -1 to 0"),
    ],
)
def test_an_unfit_graph_is_named(changes, message):
    with pytest.raises(ValueError, match=r"graphs\[1\]") as error:
        collate([graph(), graph(**changes), graph()])
    assert error.match(message)


def test_no_graphs():
    with pytest.raises(ValueError, match=r"graphs must not be empty; give a sequence of labelled graphs"):
        collate([])


def odd_graphs():
    generator = torch.Generator().manual_seed(0)
    edges = [
        [[0, 1, 1, 2], [1, 0, 2, 1]],
        [[0, 0, 1], [1, 2, 2]],  # directed
        [[0, 0, 1, 1], [0, 1, 0, 1]],  # self-loops
        [[0, 1, 0, 1], [1, 0, 1, 0]],  # an edge twice
        [[], []],
    ]
    # The last node has no edge.
    return [
        Data(x=torch.rand(4, 3, generator=generator), edge_index=torch.tensor(ends, dtype=torch.long), y=0)
        for ends in edges
    ]


@pytest.mark.parametrize("kind", ["house", "odd"])
def test_logits_and_gradients_are_the_models(kind, graphs):
    model = GCN(3, num_classes=3, hidden=(8, 6, 4))
    flat = collate(graphs if kind == "house" else odd_graphs())
    order = torch.arange(len(flat)).flip(0)
    plain = flat.take(order)
    weights = list(model.parameters())
    expected = model(plain.x, plain.edge_index, plain.batch)
    gradients = torch.autograd.grad(expected[:, 0].sum(), weights)
    once, each_time = propagated(flat), propagated(flat, most_bytes=0)
    assert (once.is_propagated, each_time.is_propagated) == (True, False)
    for prepared in (once, each_time):
        logits = logits_of(model, prepared.take(order))
        assert torch.allclose(logits, expected, atol=1e-5)
        for one, other in zip(torch.autograd.grad(logits[:, 0].sum(), weights), gradients, strict=True):
            assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)
