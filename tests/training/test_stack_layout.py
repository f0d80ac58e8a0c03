import torch

from protograph.training import GCN
from protograph.training.stack_layout import StackLayout

LAYOUT = StackLayout(3, (16, 16), 2)


def test_weights_come_back_as_they_were():
    models = [GCN(3, 2, hidden) for hidden in ((4, 16), (5, 2), (16, 16))]
    values = LAYOUT.values_of(models)
    for number, model in enumerate(models):
        empty = GCN(3, 2, model.hidden)
        LAYOUT.load_into(empty, values, 3, number)
        for name, weight in model.state_dict().items():
            assert torch.equal(empty.state_dict()[name], weight)


def test_padding_is_zero():
    model = GCN(3, 2, (4, 5))
    values = LAYOUT.values_of([model])
    first, conv, bias, second_bias, head, head_bias = (each[0] for each in LAYOUT.weights(values, 1).by_model)
    assert torch.equal(first[:, :4], model.convs[0].lin.weight.T)
    assert torch.equal(conv[:4, :5], model.convs[1].lin.weight.T)
    assert torch.equal(head[:5], model.head.weight.T)
    assert torch.equal(head_bias, model.head.bias)
    padding = first[:, 4:], conv[4:], conv[:, 5:], bias[4:], second_bias[5:], head[5:]
    assert [int(each.count_nonzero()) for each in padding] == [0] * 6


def test_weights_begin_where_a_register_does():
    values = LAYOUT.values_of([GCN(3, 2, (4, 4))] * 3)
    assert [each.storage_offset() % 16 for each in LAYOUT.weights(values, 3).by_model] == [0] * 6


def test_some_models_of_a_stack():
    models = [GCN(3, 2, (4, 4)) for _ in range(3)]
    values = LAYOUT.values_of(models)
    assert torch.equal(LAYOUT.rows(values, 3, [2, 0]), LAYOUT.values_of([models[2], models[0]]))
