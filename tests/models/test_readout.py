import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import AttentionalAggregation, MaxAggregation, MeanAggregation, SumAggregation

from protograph import GraphClassifier
from protograph.models.readout import (
    AmbiguousReadoutError,
    Place,
    Readout,
    Tap,
    Tracer,
    is_index,
    reduced_source,
    tensors_in,
)
from tests import zoo

BATCH = torch.tensor([0, 0, 1])
NODES = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
SUMS, MEANS, HIGHEST = [[4.0, 6.0], [5.0, 6.0]], [[2.0, 3.0], [5.0, 6.0]], [[3.0, 4.0], [5.0, 6.0]]
OUT = torch.zeros(2, 2)


def test_batch_itself_and_batch_spread_over_columns_are_an_index():
    assert is_index(BATCH, BATCH)
    assert is_index(BATCH, BATCH.unsqueeze(1).expand(-1, 2))
    assert is_index(BATCH, BATCH.view(3, 1))


def test_equal_numbers_elsewhere_are_chance():
    assert not is_index(BATCH, BATCH.clone())
    assert not is_index(BATCH, BATCH[:2])
    assert not is_index(BATCH, BATCH[0])


@pytest.mark.parametrize("name", ["scatter_add_", "scatter_reduce", "index_add", "index_reduce_", "scatter"])
def test_a_reduction_over_batch_gives_what_it_reduces(name):
    index = BATCH.unsqueeze(1).expand(-1, 2)
    assert reduced_source(BATCH, name, (OUT, 0, index, NODES), {}) is NODES
    assert reduced_source(BATCH, name, (OUT, 0), {"index": index, "src": NODES}) is NODES
    assert reduced_source(BATCH, name, (OUT, 0), {"index": BATCH, "source": NODES}) is NODES


@pytest.mark.parametrize(
    ("name", "index", "source"),
    [
        ("add", BATCH, NODES),
        ("index_add", BATCH.clone(), NODES),  # messages between nodes
        ("index_add", BATCH, NODES.long()),  # a count of nodes
        ("index_add", BATCH, NODES[:2]),
        ("index_add", BATCH, torch.tensor(1.0)),
        ("index_add", BATCH, 1.0),
        ("index_add", None, NODES),
    ],
)
def test_other_operations_reduce_nothing(name, index, source):
    assert reduced_source(BATCH, name, (OUT, 0, index, source), {}) is None


def test_tensors_are_found_however_deep():
    first, second, third = torch.rand(1), torch.rand(1), torch.rand(1)
    found = list(tensors_in(([first, {"a": (second, 3)}], "text", None, third)))
    assert [id(tensor) for tensor in found] == [id(first), id(second), id(third)]


class Model(nn.Module):
    """Its readout is the given function; its layers leave what they get as it is."""

    def __init__(self, readout):
        super().__init__()
        self.layer, self.pool, self.head = nn.Identity(), SumAggregation(), nn.Identity()
        self.readout = readout

    def forward(self, x, batch):
        return self.head(self.readout(self, self.layer(x), batch))


def caught(readout_of_model, readout):
    model = Model(readout_of_model)
    with Tap(BATCH, readout).on(model) as tap:
        model(NODES, BATCH)
    nodes, graphs = tap.node_embeddings, tap.graph_embeddings
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    return None if nodes is None else nodes.tolist(), None if graphs is None else graphs.tolist()


@pytest.mark.parametrize(
    ("readout_of_model", "place", "expected"),
    [
        (lambda self, x, batch: global_add_pool(x, batch), Place(0), SUMS),
        (lambda self, x, batch: global_max_pool(x, batch), Place(0), HIGHEST),
        (lambda self, x, batch: self.pool(x, batch), Place(0, "pool"), SUMS),
        (lambda self, x, batch: global_add_pool(x, batch) / torch.tensor([[2.0], [1.0]]), Place(0, None, True), MEANS),
        (lambda self, x, batch: global_add_pool(x, batch) / torch.tensor([[2.0], [1.0]]), Place(0), SUMS),
        (lambda self, x, batch: global_add_pool(x, batch) + global_max_pool(x, batch), Place(1), HIGHEST),
        (lambda self, x, batch: self.pool(x, batch) + self.pool(x, batch), Place(1, "pool"), SUMS),
    ],
)
def test_what_the_readout_takes_and_gives_is_caught(readout_of_model, place, expected):
    assert caught(readout_of_model, Readout((place,))) == (NODES.tolist(), expected)


def test_several_readouts_of_the_same_nodes_stand_side_by_side():
    nodes, graphs = caught(
        lambda self, x, batch: torch.cat([global_max_pool(x, batch), self.pool(x, batch)], dim=1),
        Readout((Place(0), Place(0, "pool"))),
    )
    assert nodes == NODES.tolist()
    assert graphs == [high + total for high, total in zip(HIGHEST, SUMS, strict=True)]


def test_modules_that_the_user_named_come_first():
    readout = Readout((Place(0),), node_module="layer", graph_module="head")
    nodes, graphs = caught(lambda self, x, batch: 10 * global_mean_pool(x * 2, batch), readout)
    assert nodes == NODES.tolist()
    assert graphs == [[20 * value for value in row] for row in MEANS]


def test_a_readout_that_does_not_happen_is_not_there():
    assert caught(lambda self, x, batch: x, Readout((Place(0),))) == (None, None)


def test_the_hooks_go_away_when_the_model_raises():
    def broken(self, x, batch):
        raise RuntimeError("out of order")

    model = Model(broken)
    readout = Readout((Place(0, "pool"),), "layer", "head")
    with pytest.raises(RuntimeError, match=r"^out of order$"), Tap(BATCH, readout).on(model):
        model(NODES, BATCH)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def places_of(classify, model=None):
    """The steps of the readout that the output of ``classify(nodes, batch)`` rests on."""
    with Tracer(BATCH).on(model or nn.Module()) as tracer:
        output = classify(NODES * 1, BATCH)
    return tracer.readout_of(output).places


@pytest.mark.parametrize(
    ("classify", "expected"),
    [
        (global_add_pool, (Place(0),)),
        (global_max_pool, (Place(0),)),
        (lambda x, batch: global_add_pool(x, batch) * 2 + 1, (Place(0),)),
        (lambda x, batch: torch.zeros(2, 2).index_add(0, batch, x), (Place(0),)),
        (lambda x, batch: torch.cat([global_add_pool(x, batch), global_max_pool(x, batch)], 1), (Place(0), Place(1))),
        # A virtual node: the first sum goes back to the nodes, and only the second is the readout.
        (lambda x, batch: global_add_pool(x + global_add_pool(x, batch)[batch], batch), (Place(1),)),
    ],
)
def test_the_readout_is_what_the_output_rests_on(classify, expected):
    assert places_of(classify) == expected


def test_a_sum_divided_by_a_count_is_a_mean():
    (place,) = places_of(global_mean_pool)
    assert place.is_mean
    (place,) = places_of(lambda x, batch: global_add_pool(x, batch) / torch.tensor([[2.0], [1.0]]))
    assert place.is_mean
    (place,) = places_of(lambda x, batch: global_add_pool(x, batch) / x.sum())  # of the nodes: part of the head
    assert not place.is_mean


def test_what_an_aggregation_module_does_inside_is_its_own():
    model = nn.ModuleDict({"pool": AttentionalAggregation(nn.Linear(2, 1)), "other": SumAggregation()})
    with torch.no_grad():
        assert places_of(lambda x, batch: model["pool"](x, batch), model) == (Place(0, "pool"),)
        assert places_of(lambda x, batch: model["other"](x, batch), model) == (Place(0, "other"),)


@pytest.mark.parametrize(
    ("classify", "message"),
    [
        (lambda x, batch: x * 2, "no reduction over batch was seen that the output depends on"),
        (
            lambda x, batch: global_add_pool(x, batch) + global_add_pool(x * 2, batch),
            "the output rests on 2 readouts of different node embeddings",
        ),
        (
            lambda x, batch: torch.zeros(2, 2, 1).index_add(0, batch, x.unsqueeze(2)),
            "the readout does not take one vector a node",
        ),
    ],
)
def test_what_cannot_be_told_is_an_error(classify, message):
    with pytest.raises(AmbiguousReadoutError) as caught:
        places_of(classify)
    assert str(caught.value) == message


# Each node has its own number, so that an output says which nodes entered the readout.
GRAPHS = [
    Data(x=torch.tensor([[1.0], [2.0], [4.0]]), edge_index=torch.tensor([[0, 1], [1, 0]])),
    Data(x=torch.tensor([[8.0], [16.0]]), edge_index=torch.tensor([[0, 1], [1, 0]])),
]
KEEP = torch.tensor([True, False, True, False, True])


class Pooled(nn.Module):
    """The readout of the features themselves, beside its negative."""

    def __init__(self, pool):
        super().__init__()
        self.pool = pool

    def forward(self, x, batch):
        pooled = self.pool(x, batch)
        return torch.cat([pooled, -pooled], dim=1)


def started(model, graphs=GRAPHS):
    return GraphClassifier(model).start(graphs)


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        (global_add_pool, [5, 16]),
        (SumAggregation(), [5, 16]),
        (global_mean_pool, [5 / 3, 8]),  # a mean over all nodes, those left out counting as nothing
        (MeanAggregation(), [5 / 3, 8]),
        (global_max_pool, [4, 16]),
        (MaxAggregation(), [4, 16]),
    ],
    ids=["add", "SumAggregation", "mean", "MeanAggregation", "max", "MaxAggregation"],
)
def test_only_nodes_that_are_kept_enter_the_readout(pool, expected):
    outputs = started(Pooled(pool)).classify_without(GRAPHS, KEEP)
    assert outputs[:, 0].tolist() == pytest.approx(expected)
    assert outputs[:, 1].tolist() == pytest.approx([-value for value in expected])


def test_attention_is_paid_to_the_nodes_that_are_kept():
    gate = nn.Linear(1, 1)
    nn.init.zeros_(gate.weight)  # so that all nodes are given the same attention
    running = started(Pooled(AttentionalAggregation(gate)))
    assert running.classify_without(GRAPHS, KEEP)[:, 0].tolist() == pytest.approx([2.5, 16])


@pytest.mark.parametrize("pool", zoo.POOLS)
def test_leaving_out_nothing_changes_nothing(pool):
    graphs = zoo.random_graphs(5)
    running = started(zoo.make(pool=pool), graphs)
    keep = torch.ones(sum(graph.num_nodes for graph in graphs), dtype=torch.bool)
    torch.testing.assert_close(running.classify_without(graphs, keep), running.classify(graphs))
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in running.model.modules())


def test_embeddings_are_those_of_the_whole_graph():
    graphs = zoo.random_graphs(4)
    running = started(zoo.make(), graphs)
    nodes = running.embed(graphs, nodes=True).node_embeddings
    keep = torch.arange(len(nodes)) % 2 == 0
    graph_of = torch.cat([torch.full((graph.num_nodes,), i) for i, graph in enumerate(graphs)])
    sums = torch.zeros(4, nodes.size(1), dtype=torch.float64).index_add(0, graph_of[keep], nodes[keep])
    torch.testing.assert_close(running.classify_without(graphs, keep), running.model.head(sums).detach())


def test_a_readout_that_was_named_as_modules_is_refused():
    model = zoo.make()
    running = GraphClassifier(model, node_embeddings="conv2", graph_embeddings="head").start(zoo.random_graphs(3))
    with pytest.raises(ValueError, match=r"^the model's readout") as caught:
        running.classify_without(GRAPHS, KEEP)
    assert str(caught.value) == (
        "the model's readout was named as modules, so it is not known where nodes enter it and they cannot be left "
        "out; use GraphClassifier(model, ...) without node_embeddings or without graph_embeddings"
    )


class Overwrites(Pooled):
    def forward(self, x, batch):
        pooled = x.new_zeros(int(batch.max()) + 1, 1).scatter(0, batch.unsqueeze(1), x)
        return torch.cat([pooled, -pooled], dim=1)


def test_nodes_that_overwrite_one_another_cannot_be_left_out():
    with pytest.raises(ValueError, match=r"^the model's readout overwrites nodes by one another, so none of them can"):
        started(Overwrites(None)).classify_without(GRAPHS, KEEP)
