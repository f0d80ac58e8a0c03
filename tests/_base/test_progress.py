import io
import sys
import threading

import pytest

from protograph._base import progress
from protograph._base.progress import ProgressLines, command_progress, shown
from tests.datasets import light_process


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def drawn(monkeypatch):
    """What stage texts reach a standard error of that kind."""
    # rich lets these say what the stream itself cannot know.
    for variable in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm")

    def draw(stream, progress=None):
        monkeypatch.setattr(sys, "stderr", stream)
        with shown(progress) as report:
            report("first stage", 0, 10)
            report("first stage", 10, 10)
            report("second stage", 3, None)
        return stream.getvalue()

    return draw


def test_a_callback_is_given_back_and_nothing_is_drawn(drawn):
    calls = []
    assert drawn(Terminal(), lambda *call: calls.append(call)) == ""
    assert calls == [("first stage", 0, 10), ("first stage", 10, 10), ("second stage", 3, None)]


def test_bars_are_drawn_on_a_terminal(drawn):
    text = drawn(Terminal())
    assert "first stage" in text
    assert "10/10" in text
    assert "second stage" in text
    assert "3/?" in text


def test_a_stage_is_drawn_as_it_is_called(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with shown(None) as report:
        report("counting [red]x[/blue]\n\x1b]0;title\x07", 1, 2)
    assert "counting [red]x[/blue] ]0;title " in stream.getvalue()


def test_nothing_is_drawn_elsewhere(drawn):
    assert drawn(io.StringIO()) == ""


def test_nothing_is_drawn_without_rich(drawn, monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "rich", None)  # importing it now raises ImportError
    assert drawn(Terminal()) == ""


def test_an_error_in_the_block_is_passed_on(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())

    def work():
        with shown(None) as report:
            report("stage", 1, 2)
            raise ImportError("of the block")

    with pytest.raises(ImportError, match=r"^of the block$"):
        work()


def test_rich_is_imported_late():
    script = "import protograph._base.progress; print('rich' in sys.modules)"
    assert light_process.start(script).communicate() == ("False\n", None)


def test_lines_come_every_few_seconds_and_say_how_far_it_is():
    now, stream = [100.0], io.StringIO()
    lines = ProgressLines(lambda: now[0])

    def at(seconds):
        now[0] = 100.0 + seconds
        lines.tick(stream)
        return stream.getvalue().splitlines()

    assert at(4.9) == []
    assert at(5.0) == ["working, 5 s"]
    lines.report("training", 120, 1000)
    assert at(9.9) == ["working, 5 s"]
    assert at(10.0)[1:] == ["training: 120 of 1,000, 10 s"]
    lines.report("explaining", 1, None)
    assert at(75.0)[2:] == ["explaining: 1, 1 min 15 s"]
    assert at(3725.0)[3:] == ["explaining: 1, 1 h 2 min"]


def test_that_loops_are_compiled_is_told_at_once_and_then_like_anything_else():
    now, stream = [0.0], io.StringIO()
    lines = ProgressLines(lambda: now[0])

    def at(seconds):
        now[0] = seconds
        lines.tick(stream)
        return stream.getvalue().splitlines()

    lines.report("compiling", 0, None)
    assert at(1.0) == ["compiling the search (once on this machine): 0, 1 s"]
    lines.report("compiling", 7, None)
    assert len(at(5.9)) == 1
    assert at(6.0)[1:] == ["compiling the search (once on this machine): 7, 6 s"]


class Told(io.StringIO):
    """A stream that says when a stage was written."""

    def __init__(self):
        super().__init__()
        self.is_written = threading.Event()

    def write(self, text):
        size = super().write(text)
        if "training: 3" in text:
            self.is_written.set()
        return size


def test_a_command_goes_on_being_seen_without_a_terminal(monkeypatch):
    stream = Told()
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "SECONDS", 0.005)
    with command_progress() as report:
        report("training", 3, None)
        assert stream.is_written.wait(60)
    assert "training: 3, 0 s" in stream.getvalue()
    assert not [thread for thread in threading.enumerate() if "watch" in thread.name]


def test_quick_commands_stay_quiet_and_lines_can_be_kept_away(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    with command_progress() as report:
        report("training", 3, None)
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    monkeypatch.setattr(progress, "ProgressLines", None)
    with command_progress() as report:
        report("training", 3, None)
    assert sys.stderr.getvalue() == ""


def test_a_command_draws_bars_on_a_terminal(drawn, monkeypatch):
    monkeypatch.setattr(progress, "ProgressLines", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with command_progress() as report:
        report("training", 3, None)
    assert "training" in sys.stderr.getvalue()


def test_the_rate_of_a_stage_goes_on_whatever_is_in_brackets():
    times = iter([0.0, 2.0])
    rates = progress.Rates(lambda: next(times))
    assert rates.text("embedding (1 of 4 shards)", 1000, 4000) == ""
    assert rates.text("embedding (2 of 4 shards)", 2000, 4000) == "500 graphs a second, 4 s left"
