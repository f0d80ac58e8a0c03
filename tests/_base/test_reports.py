import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from protograph._base.reports import Reports


@pytest.fixture
def told():
    return []


@pytest.fixture
def reports(told):
    return Reports(lambda *report: told.append(report))


def test_a_report_is_passed_on(reports, told):
    reports("embedding", 3, None)
    assert told == [("embedding", 3, None)]


def test_nobody_need_listen():
    reports = Reports()
    reports("embedding", 1, 2)
    with reports.run(1), reports.stage("searching", 2) as step:
        step()


def test_classes_that_have_not_asked_count_as_the_mean_of_those_that_have(reports, told):
    with reports.run(3):
        reports.expect("searching", 5)
        reports.expect("searching", 10)
        reports.expect("searching", 10)
    assert told == [("searching", 0, 15), ("searching", 0, 23), ("searching", 0, 25)]


def test_a_part_ends_by_itself_and_counts_no_more_than_it_has(reports, told):
    with reports.run(1):
        reports.expect("searching", 3)
        with reports.part("searching", 3) as step:
            step()
        with reports.part("searching", 0) as step:
            step()
    assert told == [("searching", 0, 3), ("searching", 1, 3), ("searching", 3, 3)]


def test_what_fails_is_not_done(reports, told):
    def fail():
        with reports.stage("searching", 3) as step:
            step()
            raise ValueError("no")

    with reports.run(1), pytest.raises(ValueError, match=r"^no$"):
        fail()
    assert told == [("searching", 0, 3), ("searching", 1, 3)]


def test_a_run_begins_anew_unless_it_is_inside_another(reports, told):
    for _ in range(2):
        with reports.run(2) as is_new:
            assert is_new
            for _ in range(2):
                with reports.run(1) as is_new, reports.stage("clustering", 1):
                    assert not is_new
    once = [("clustering", 0, 2), ("clustering", 1, 2), ("clustering", 1, 2), ("clustering", 2, 2)]
    assert told == 2 * once


def test_an_error_ends_a_run(reports, told):
    with pytest.raises(KeyboardInterrupt), reports.run(2), reports.stage("clustering", 1):
        raise KeyboardInterrupt
    with reports.run(1) as is_new:
        assert is_new


def test_threads_report_one_at_a_time_and_counts_ascend():
    told, inside = [], threading.Lock()

    def progress(*report):
        assert inside.acquire(blocking=False), "two reports at once"
        told.append(report)
        inside.release()

    reports, together = Reports(progress), threading.Barrier(4)

    def explain(_):
        together.wait()
        with reports.run(1), reports.stage("searching", 50) as step:
            for _ in range(50):
                step()

    with reports.run(4), ThreadPoolExecutor(4) as pool:
        list(pool.map(explain, range(4)))
    counts = [done for _, done, _ in told]
    assert counts == sorted(counts)
    assert {total for _, _, total in told} == {200}
    assert set(counts) == set(range(201))


def test_a_callback_may_report_by_itself():
    told = []

    def progress(stage, done, total):
        told.append(stage)
        if stage == "outer":
            reports("inner", 1, 1)

    reports = Reports(progress)
    reports("outer", 1, 1)
    assert told == ["outer", "inner"]


def test_it_can_be_copied_and_pickled():
    reports = Reports(print)
    assert isinstance(copy.deepcopy(reports), Reports)
    assert isinstance(pickle.loads(pickle.dumps(reports)), Reports)
