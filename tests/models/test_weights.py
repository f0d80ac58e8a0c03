import pickle
import re

import pytest
import torch
from torch import nn

from protograph.models.model_state import load_weights


class Trap:
    def __reduce__(self):
        return (print, ("code was run",))


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
        (lambda w: w.pop("0.bias"), "got no 0.bias; build the model"),
        (lambda w: w.update(extra=torch.ones(1)), "got extra, which the model has not; build"),
        (lambda w: w.update({"0.weight": torch.ones(4, 2)}), "got 0.weight of shape [4, 2] for [3, 2]; build"),
        (lambda w: w.clear(), "must hold weights by name"),
        (lambda w: w.update(epoch=3), "must hold weights by name, as torch.save"),
    ],
)
def test_weights_of_another_model(saved, change, message):
    weights, fresh = dict(model().state_dict()), model()
    before = {name: value.clone() for name, value in fresh.state_dict().items()}
    change(weights)
    with pytest.raises(ValueError, match=re.escape(message)):
        load_weights(fresh, saved(weights))
    assert all(torch.equal(before[name], value) for name, value in fresh.state_dict().items())


def test_a_model_that_learns_its_width_from_the_weights(saved):
    trained, fresh = nn.Sequential(nn.Linear(2, 3)), nn.Sequential(nn.LazyLinear(3))
    load_weights(fresh, saved(trained.state_dict()))
    assert torch.equal(fresh[0].weight, trained[0].weight)


def test_many_problems_are_cut_short(saved):
    with pytest.raises(ValueError, match=r"got no 0\.weight; no 0\.bias; no 1\.weight and 5 more; build"):
        load_weights(model(), saved({"other": torch.ones(1)}))


def test_nothing_in_a_file_is_run(saved, capsys, tmp_path):
    for path in (saved({"0.weight": Trap()}), tmp_path / "raw.pt"):
        if not path.exists():
            path.write_bytes(pickle.dumps(Trap()))
        with pytest.raises(ValueError, match=r"cannot be read as weights"):
            load_weights(model(), path)
    assert "code was run" not in capsys.readouterr().out


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no file"):
        load_weights(model(), tmp_path / "none.pt")
