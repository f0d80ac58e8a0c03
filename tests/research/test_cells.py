import json

import pytest

from research.paper import cells
from research.paper.cells import CellStore, FinishedCell
from research.paper.item import Cell, Need
from research.paper.settings import Settings
from tests.research.small import squares

ITEM = squares([])


def cell(key=("ba-house", "seed 3"), **made_from):
    return Cell(key=key, compute=lambda lab: None, made_from=made_from)


@pytest.fixture
def store(tmp_path):
    return CellStore(tmp_path, Settings())


def test_a_cell_comes_back_as_it_was_written(store):
    store.write(ITEM, cell(), {"a": [1, 0.5, None], "b": (True, "x")}, 1.23456)
    assert store.read(ITEM, cell()) == FinishedCell({"a": [1, 0.5, None], "b": [True, "x"]}, 1.235)
    assert [path.name for path in (store.folder / "squares").iterdir()] == [store.path(ITEM, cell()).name]


@pytest.mark.parametrize(
    "other",
    [cell(stride=2), cell(key=("ba-house", "seed-3"))],
    ids=["other options", "a key that reads the same"],
)
def test_a_cell_made_from_something_else_is_not_taken(store, other):
    store.write(ITEM, cell(), 1, 0.0)
    assert store.read(ITEM, other) is None


def test_a_quick_cell_is_no_whole_one_and_the_device_does_not_count(store):
    store.write(ITEM, cell(), 1, 0.0)
    assert CellStore(store.folder, Settings(is_quick=True)).read(ITEM, cell()) is None
    assert CellStore(store.folder, Settings(device="cuda", jobs=2)).read(ITEM, cell()) == FinishedCell(1, 0.0)


def test_a_cell_of_other_versions_is_not_taken(store, monkeypatch):
    store.write(ITEM, cell(), 1, 0.0)
    monkeypatch.setattr(cells, "versions", lambda: {"torch": "0"})
    assert store.read(ITEM, cell()) is None
    taken = CellStore(store.folder, Settings(any_versions=True))
    assert taken.read(ITEM, cell()) == FinishedCell(1, 0.0)
    assert taken.read(ITEM, cell(stride=2)) is None


def test_a_damaged_cell_is_measured_again(store):
    store.write(ITEM, cell(), 1, 0.0)
    store.path(ITEM, cell()).write_text('{"format"')
    assert store.read(ITEM, cell()) is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"a": float("nan")}, ValueError, "must have finite numbers, got nan; give None where there is none"),
        ({1: 2}, TypeError, "must have text as keys, got 1"),
        ([object()], TypeError, "must give plain data, got object"),
    ],
)
def test_what_is_not_plain_is_refused(store, value, error, message):
    with pytest.raises(error, match=rf"^cell \('ba-house', 'seed 3'\) {message}$"):
        store.write(ITEM, cell(), value, 0.0)
    assert store.read(ITEM, cell()) is None


def test_trainings_count_once_and_not_where_models_were_there(store):
    model, sweep = Need("model", "ba-house", 0), Need("wrong labels", "ba-house", 0)
    store.note_training(model, 2.0)
    store.note_training(model, 0.01)
    store.note_training(sweep, 10.0)
    assert store.training_seconds([model, sweep, model, Need("model", "benzene", 0)]) == 12.0
    assert json.loads((store.folder / "trainings" / "wrong-labels-ba-house-seed0.json").read_text()) == {
        "seconds": 10.0
    }
