from types import SimpleNamespace

import pytest
import torch

from protograph.engines import ray_work
from protograph.engines.ray_work import Finished, Put, Unfinished, in_a_line, outcome_of


class Reference:
    def __init__(self, number):
        self.number = number

    def binary(self):
        return bytes([self.number])


@pytest.fixture
def fetched(monkeypatch):
    """What is fetched from the object store, in this order."""
    fetched = []

    def get(reference):
        fetched.append(reference.number)
        return [reference.number]

    monkeypatch.setitem(ray_work.sys.modules, "ray", SimpleNamespace(get=get))
    monkeypatch.setattr(ray_work, "_kept", {})
    return fetched


def test_what_is_kept_is_fetched_once(fetched):
    model = Put(Reference(1), is_kept=True)
    assert model.get() is model.get()
    assert fetched == [1]
    for number in range(2, 6):  # no more than four are kept
        Put(Reference(number), is_kept=True).get()
    model.get()
    assert fetched == [1, 2, 3, 4, 5, 1]


def test_what_is_not_kept_is_read_in_place_each_time(fetched):
    shard = Put(Reference(1), is_kept=False)
    assert shard.get() == shard.get() == [1]
    assert fetched == [1, 1]


def test_work_is_done_by_one_thread():
    before = torch.get_num_threads()
    try:
        assert outcome_of(lambda item: (item, torch.get_num_threads()), 7) == Finished((7, 1))
    finally:
        torch.set_num_threads(before)


def test_errors_become_a_line():
    assert outcome_of(int, "x") == Unfinished("ValueError: invalid literal for int() with base 10: 'x'")
    assert in_a_line(KeyError()) == "KeyError: "
