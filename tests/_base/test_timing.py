import pytest

from protograph._base import timing
from protograph._base.timing import timed


def test_seconds_are_added_also_where_the_block_fails(monkeypatch):
    clock = iter([1.0, 1.5, 4.0, 6.0])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    seconds = {"here": 2.0}
    with timed(seconds, "here"):
        pass
    with pytest.raises(KeyError), timed(seconds, "there"):
        raise KeyError
    assert seconds == {"here": 2.5, "there": 2.0}
