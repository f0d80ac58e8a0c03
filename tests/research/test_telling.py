import io

import pytest

from research.paper.telling import Teller, telling


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_time_left_is_as_expected_at_first_and_then_as_this_machine_needs(clock):
    teller = Teller(total=100.0, num_tasks=10, jobs=2, clock=clock)
    assert teller.seconds_left() == 50.0
    clock.now = 30.0
    teller.finish("a", expected=5.0)
    assert teller.seconds_left() == 47.5  # a twentieth is done: too little to tell
    teller.finish("b", expected=15.0)
    # 20 expected seconds took 30 in two processes, where 10 were expected: the other 80 take three times 40.
    assert teller.seconds_left() == pytest.approx(120.0)
    clock.now = 50.0
    assert teller.seconds_left() == pytest.approx(100.0)
    clock.now = 500.0
    assert teller.seconds_left() == 0.0


def test_the_line_has_the_task_that_began_last_and_how_far_it_is(clock):
    teller = Teller(total=100.0, num_tasks=3, jobs=1, clock=clock)
    assert teller.line() == "0 of 3 done, about 1 min 40 s left: waiting"
    teller.begin("rq2, ba-house, seed 0")
    teller.begin("training, benzene, seed 1")
    teller.report("training, benzene, seed 1", "training 7")
    assert teller.line() == "0 of 3 done, about 1 min 40 s left: training, benzene, seed 1 (training 7)"
    clock.now = 30.0
    teller.finish("training, benzene, seed 1", expected=60.0)
    teller.report("training, benzene, seed 1", "too late")
    assert teller.line() == "1 of 3 done, about 20 s left: rq2, ba-house, seed 0"


def test_it_can_be_kept_quiet(clock, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    stream = io.StringIO()
    with telling(Teller(total=1.0, num_tasks=1, jobs=1, clock=clock), stream):
        pass
    assert stream.getvalue() == ""


def test_a_line_is_cleared_from_a_terminal_at_the_end(clock, monkeypatch):
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    stream = io.StringIO()
    stream.isatty = lambda: True
    with telling(Teller(total=1.0, num_tasks=1, jobs=1, clock=clock), stream):
        pass
    assert stream.getvalue().endswith("\r\x1b[K")
