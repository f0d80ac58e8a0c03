import os

import pytest
import torch

from protograph.training import GCN, load_model, save_model


@pytest.fixture
def model():
    return GCN(num_features=3, num_classes=2, hidden=(4, 5)).eval()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.pt"


def content(model):
    return {
        "format": "protograph-model",
        "version": 1,
        "config": {"num_features": 3, "num_classes": 2, "hidden": [4, 5]},
        "names": {"features": [], "classes": []},
        "state_dict": model.state_dict(),
    }


def assert_same(first, second):
    assert (first.num_features, first.num_classes, first.hidden) == (3, 2, second.hidden)
    for (name, one), (other_name, other) in zip(first.state_dict().items(), second.state_dict().items(), strict=True):
        assert name == other_name
        assert torch.equal(one, other)


def refused(path, given):
    with pytest.raises(ValueError, match=f"must be a model file .*, got {given} at {path}; train the model"):
        load_model(path)


def test_round_trip(model, path):
    save_model(model, path)
    again = load_model(str(path))
    assert_same(again, model)
    x, edge_index = torch.rand(4, 3), torch.tensor([[0, 1], [1, 0]])
    assert torch.equal(again(x, edge_index), model(x, edge_index))
    assert not any(module.training for module in again.modules())
    assert all(weight.requires_grad and weight.device.type == "cpu" for weight in again.parameters())


def test_the_file_is_weights_and_plain_values(model, path):
    save_model(model, path)
    written, expected = torch.load(path, weights_only=True), content(model)
    assert written.pop("state_dict").keys() == expected.pop("state_dict").keys()
    assert written == expected


def test_a_failed_save_leaves_the_old_file(model, path, monkeypatch):
    save_model(model, path)

    def fail(content, file):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(GCN(1, 2, (2,)), path)
    assert_same(load_model(path), model)
    assert os.listdir(path.parent) == ["model.pt"]


def test_only_a_gcn_can_be_saved(path):
    with pytest.raises(
        TypeError, match=r"^model must be a GCN or a Trained, got Linear; save other modules with torch.save$"
    ):
        save_model(torch.nn.Linear(2, 2), path)
    assert not path.exists()


@pytest.mark.parametrize("data", [b"", b"no model", b"\x80\x02}q\x00.", b"PK\x03\x04 cut"])
def test_foreign_bytes(path, data):
    path.write_bytes(data)
    refused(path, "a damaged or foreign file")


@pytest.mark.parametrize("share", [0.1, 0.999])
def test_truncated_file(model, path, share):
    save_model(model, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    refused(path, "a damaged or foreign file")


class Harmful:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (str(self.marker),)


def test_nothing_in_a_file_is_run(path, tmp_path, model):
    torch.save(content(model) | {"extra": Harmful(tmp_path / "ran")}, path)
    refused(path, "a damaged or foreign file")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("found", [[1, 2], {}, {"format": "other"}, {"format": "protograph-model"}, {"state_dict": {}}])
def test_another_kind_of_file(path, found):
    torch.save(found, path)
    refused(path, "another kind of file")


def test_newer_file(path, model):
    torch.save(content(model) | {"version": 2}, path)
    with pytest.raises(ValueError, match=f"version 1 or lower, got version 2 at {path}; upgrade protograph"):
        load_model(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {"num_features": 3, "num_classes": 2, "hidden": [4, 6]}},
        {"config": {"num_features": 3, "num_classes": 2, "hidden": [4, 5, 5]}},
        {"config": {"num_features": -1, "num_classes": 2, "hidden": [4, 5]}},
        {"config": {"num_features": 3, "num_classes": 2, "hidden": [10**15, 10**15]}},
        {"config": {"num_features": "3", "num_classes": 2, "hidden": [4, 5]}},
        {"config": {"num_features": 3, "num_classes": 2, "hidden": [4, 5], "dropout": 0.5}},
        {"config": None},
        {"state_dict": None},
        {"state_dict": {"head.bias": 3}},
        {"names": None},
    ],
)
def test_weights_that_do_not_fit(path, model, changes):
    torch.save(content(model) | changes, path)
    refused(path, "weights that do not fit their configuration")
    torch.save(content(model.double()), path)
    refused(path, "weights that do not fit their configuration")


def test_names_are_kept(path):
    model = GCN(2, 2, (4,))
    model.feature_names, model.class_names = ("C", "N"), ("no", "yes")
    save_model(model, path)
    again = load_model(path)
    assert (again.feature_names, again.class_names) == (("C", "N"), ("no", "yes"))
