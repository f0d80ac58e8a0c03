import multiprocessing
import os
import pickle
import signal
import time

import pytest
import torch

from research.paper import running
from research.paper.item import Cell, Item, Need
from research.paper.items import ITEMS
from research.paper.running import Bench, Failure, Plan, measure
from research.paper.settings import Settings
from tests.research.small import squares


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    monkeypatch.setattr(running, "warm_up", lambda: None)


def planned(item, folder, **settings):
    return Plan([item], Settings(**settings), folder)


def test_all_cells_are_measured_and_a_second_run_has_nothing_to_do(tmp_path):
    measured = []
    plan = planned(squares(measured), tmp_path)
    assert plan.results(plan.items[0]) is None
    assert measure(plan) == []
    assert dict(plan.results(plan.items[0])) == {(str(n),): {"square": n * n} for n in range(4)}
    again = planned(squares(measured), tmp_path)
    assert (again.tasks, again.seconds, measured) == ([], 0, [0, 1, 2, 3])


def test_loops_are_compiled_once_before_the_first_cell_and_not_in_its_time(tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(running, "warm_up", lambda: (order.append("warm"), time.sleep(0.5)))
    plan = planned(squares([], before=order.append), tmp_path / "whole")
    measure(plan)
    assert order == ["warm", 0, 1, 2, 3]
    assert max(plan.results(plan.items[0]).seconds.values()) < 0.5
    order.clear()
    measure(planned(squares([], before=order.append), tmp_path / "quick", is_quick=True))
    assert order == [0, 1, 2, 3]


def test_results_know_where_each_cell_was_measured(tmp_path):
    plan = planned(squares([]), tmp_path, device="cuda", jobs=1)
    measure(plan)
    origins = plan.results(plan.items[0]).origins
    assert [origin["hardware"]["device"] for origin in origins] == ["cuda"] * 4


def test_what_is_broken_off_goes_on_after_the_last_finished_cell(tmp_path):
    def interrupt(number):
        if number == 2:
            raise KeyboardInterrupt

    measured = []
    with pytest.raises(KeyboardInterrupt):
        measure(planned(squares(measured, before=interrupt), tmp_path))
    measure(planned(squares(measured), tmp_path))
    assert measured == [0, 1, 2, 3]


def test_a_killed_run_loses_nothing_that_was_finished(tmp_path):
    def kill(number):
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)

    plan = planned(squares([], before=kill), tmp_path)
    child = multiprocessing.get_context("fork").Process(target=measure, args=(plan,))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    measured = []
    plan = planned(squares(measured), tmp_path)
    assert measure(plan) == []
    assert (measured, len(plan.results(plan.items[0]))) == ([2, 3], 4)


def test_a_cell_that_fails_keeps_no_other_from_being_measured(tmp_path):
    def fail(number):
        if number == 1:
            raise ValueError("no such file")

    measured = []
    plan = planned(squares(measured, before=fail), tmp_path)
    assert measure(plan) == [Failure("squares, 1", "ValueError: no such file")]
    assert (measured, plan.results(plan.items[0])) == ([0, 2, 3], None)


def test_models_come_first_each_once_and_the_longest_before_the_others(tmp_path):
    def cell(key, *needs):
        return Cell(key=(key,), compute=lambda lab: None, needs=needs, seconds=2.0)

    house, benzene = Need("model", "ba-house", 0), Need("model", "benzene", 0)
    sweep, other = Need("widths", "ba-house", 0), Need("wrong labels", "ba-house", 0)
    cells = [cell("a", house, sweep, other), cell("b", house, benzene)]
    item = Item(name="i", title="", question="", cells=lambda settings: cells, write=lambda results, sheet: None)
    plan = planned(item, tmp_path)
    assert [str(task) for task in plan.tasks] == [
        "training, benzene, seed 0",
        "training, ba-house, seed 0",
        "training a sweep of widths, ba-house, seed 0",
        "training a sweep of wrong labels, ba-house, seed 0",
        "i, a",
        "i, b",
    ]
    assert plan.seconds == pytest.approx(40 + 6 + (25 + 11) * 6 * 0.2 + 2 * 2)


def test_keys_are_unique_within_an_item(tmp_path):
    cells = [Cell(key=("a",), compute=lambda lab: None)] * 2
    item = Item(name="i", title="", question="", cells=lambda settings: cells, write=lambda results, sheet: None)
    with pytest.raises(ValueError, match=r"item i must have cells with different keys, got \[\('a',\), \('a',\)\]$"):
        planned(item, tmp_path)


def test_a_process_of_its_own_has_the_same_plan_and_one_lab_for_all_tasks(tmp_path):
    plan = Plan([ITEMS["table1"], ITEMS["rq6"]], Settings(seeds=(3,), is_quick=True), tmp_path)
    threads = torch.get_num_threads()
    try:
        first, second = (pickle.loads(pickle.dumps(Bench(plan))) for _ in range(2))
    finally:
        torch.set_num_threads(threads)
    assert first is second
    assert (first.plan.tasks, first.plan.settings, first.lab.folder) == (plan.tasks, plan.settings, tmp_path)
