import re

import pytest
import torch
from torch import nn

from protograph.models.model_state import load_weights


def model():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


@pytest.fixture
def saved(tmp_path):
    def write(content):
        torch.save(content, tmp_path / "weights.pt")
        return tmp_path / "weights.pt"

    return write


@pytest.mark.parametrize(
    "wrap",
    [
        lambda w: w,
        lambda w: {"state_dict": w, "epoch": 3},
        lambda w: {"model": w},
        lambda w: {f"module.{name}": value for name, value in w.items()},
    ],
)
def test_weights_come_back(saved, wrap):
    trained, fresh = model(), model()
    load_weights(fresh, saved(wrap(trained.state_dict())))
    for name, value in trained.state_dict().items():
        assert torch.equal(fresh.state_dict()[name], value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop("0.bias"), 'got Missing key(s) in state_dict: "0.bias"; build the model'),
        (lambda w: w.update(extra=torch.ones(1)), 'got Unexpected key(s) in state_dict: "extra"; build'),
        (lambda w: w.update({"0.weight": torch.ones(4, 2)}), "got size mismatch for 0.weight: copying a param with"),
        (lambda w: w.clear(), "must hold weights by name"),
        (lambda w: w.update(epoch=3), "must hold weights by name, as torch.save"),
    ],
)
def test_weights_of_another_model(saved, change, message):
    weights = dict(model().state_dict())
    change(weights)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_weights(model(), saved(weights))


def test_a_model_that_learns_its_width_from_the_weights(saved):
    trained, fresh = nn.Sequential(nn.Linear(2, 3)), nn.Sequential(nn.LazyLinear(3))
    load_weights(fresh, saved(trained.state_dict()))
    assert torch.equal(fresh[0].weight, trained[0].weight)
