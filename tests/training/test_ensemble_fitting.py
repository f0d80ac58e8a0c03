import torch

from protograph.training import GCN
from protograph.training.ensemble_fitting import Trainee, _stacked


def trainee(number, *hidden):
    model = GCN(3, 2, hidden).requires_grad_(True)
    return Trainee(number, model, torch.tensor([0, 1]), torch.ones(2), is_weighted=False)


def test_models_are_stacked_by_their_greatest_width():
    parts = _stacked([trainee(0, 4, 16), trainee(1, 32, 4), trainee(2, 8, 8), trainee(3, 17, 17)], patience=5)
    assert [part.stack.layout.widths for part in parts] == [(16, 16), (32, 32)]
    assert [[member.trainee.number for member in part.members] for part in parts] == [[0, 2], [1, 3]]


def test_models_that_go_on_keep_all_that_is_theirs():
    (part,) = _stacked([trainee(number, 4, 4) for number in range(3)], patience=5)
    layout = part.stack.layout
    for number, values in enumerate((part.best, part.moments.first, part.moments.second)):
        for weight in layout.weights(values, 3).by_model:
            for model in range(3):
                weight[model] = 10 * number + model
    kept = part.rows([2, 0])
    assert [member.trainee.number for member in kept.members] == [2, 0]
    for number, values in enumerate((kept.best, kept.moments.first, kept.moments.second)):
        for weight in layout.weights(values, 2).by_model:
            assert set(weight[0].flatten().tolist()) == {10 * number + 2}
            assert set(weight[1].flatten().tolist()) == {10 * number}


def test_only_the_models_that_got_better_have_new_best_weights():
    (part,) = _stacked([trainee(number, 4) for number in range(3)], patience=5)
    before = [weight.clone() for weight in part.stack.layout.weights(part.best, 3).by_model]
    part.stack.values.fill_(7)
    part.note_best([1])
    for old, new in zip(before, part.stack.layout.weights(part.best, 3).by_model, strict=True):
        assert torch.equal(new[[0, 2]], old[[0, 2]])
        assert set(new[1].flatten().tolist()) == {7}
