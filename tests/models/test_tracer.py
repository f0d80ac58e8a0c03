import pytest
import torch
from torch import nn
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool
from torch_geometric.nn.aggr import AttentionalAggregation, SumAggregation

from protograph.models.reductions import Place
from protograph.models.tracer import AmbiguousReadoutError, Tracer

BATCH = torch.tensor([0, 0, 1])
NODES = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def places_of(classify, model=None):
    """The steps of the readout that the output of ``classify(nodes, batch)`` rests on."""
    tracer = Tracer(BATCH)
    with tracer.watching_aggregations(model or nn.Module()), tracer:
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
