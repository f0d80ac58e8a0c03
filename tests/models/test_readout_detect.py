import pytest
import torch
from torch import nn
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import AttentionalAggregation, SumAggregation

from protograph.models.readout import Place
from protograph.models.readout.detect import Tracer

BATCH = torch.tensor([0, 0, 1])
NODES = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def places_of(classify, model=None):
    """The steps of the readout that the output of ``classify(nodes, batch)`` rests on."""
    with Tracer(BATCH).on(model or nn.Module()) as tracer:
        output = classify(NODES * 1, BATCH)
    readout, problem = tracer.readout_of(output)
    assert problem == ""
    return readout.places


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
    ("classify", "reason"),
    [
        (lambda x, batch: x * 2, "no reduction over nodes was seen that the output depends on"),
        (
            lambda x, batch: global_add_pool(x, batch) + x[:2],
            "the output depends on nodes by a way without a reduction that was seen",
        ),
        (
            lambda x, batch: global_add_pool(x[[0, 0, 2]], batch[[0, 0, 2]]),
            "the output rests on a readout of edges",
        ),
    ],
)
def test_why_a_readout_cannot_be_told(classify, reason):
    nodes = NODES.clone()
    with Tracer(BATCH, [nodes]).on(nn.Module()) as tracer:
        output = classify(nodes, BATCH)
    assert tracer.readout_of(output)[1] == reason
    assert tracer.graph_modules(output) == []


def test_a_readout_of_what_is_left_is_found_and_known_as_such():
    keep = torch.tensor([2, 0])
    with Tracer(BATCH).on(nn.Module()) as tracer:
        output = global_mean_pool((NODES * 1)[keep], BATCH[keep])
        readout, _ = tracer.readout_of(output)
    assert readout.is_pooled
    assert [place.is_mean for place in readout.places] == [True]


class Heads(nn.Module):
    """No reduction that can be seen; what the first head takes is all that the output rests on."""

    def __init__(self):
        super().__init__()
        self.layer, self.other = nn.Linear(2, 2), nn.Linear(2, 2)
        self.head = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.last = nn.Linear(3, 2)

    def forward(self, x, batch):
        pooled = torch.eye(2)[batch].t() @ self.layer(x)
        return self.last(self.head(pooled + self.other(pooled)))


def test_modules_to_choose_from_take_one_vector_a_graph_that_all_rests_on():
    nodes, model = NODES.clone(), Heads()
    tracer = Tracer(BATCH, [nodes])
    with tracer.on(model):
        output = model(nodes, BATCH)
    # What "other" takes, "head" takes too, with more; so all of the output rests on it.
    assert tracer.graph_modules(output) == ["other", "head", "last"]
    assert tracer.readout_of(output)[1].startswith("no reduction over nodes was seen")


def test_the_last_operation_is_known_however_its_result_was_laid_out():
    nodes = NODES.clone()
    tracer = Tracer(BATCH, [nodes])
    with tracer.on(nn.Module()):
        scores = nodes.sigmoid()
        laid_out = torch.cat([scores[:, :1], scores[:, 1:]], dim=1).reshape(3, 2)
        other = (nodes.sigmoid() * 2).reshape(3, 2)
    assert tracer.ends_in(laid_out, {"sigmoid"})
    assert not tracer.ends_in(other, {"sigmoid"})
