import io
import pickle
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from protograph._utils import progress
from protograph._utils.progress import Reports, command_progress, shown, shown_in_notebook, timed

ODD = "counting [red]x[/blue]\n\x1b]0;title\x07"


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
            report(ODD, 3, None)
        return stream.getvalue()

    return draw


def test_a_callback_is_given_back_and_nothing_is_drawn(drawn):
    calls = []
    assert drawn(Terminal(), lambda *call: calls.append(call)) == ""
    assert calls == [
        ("first stage", 0, 10),
        ("first stage", 10, 10),
        (ODD, 3, None),
    ]


def test_bars_are_drawn_on_a_terminal_and_nowhere_else(drawn):
    assert drawn(io.StringIO()) == ""
    text = drawn(Terminal())
    assert "first stage" in text
    assert "10/10" in text
    assert "counting [red]x[/blue] ]0;title " in text  # as it is called
    assert "3/?" in text


@pytest.fixture
def lines(monkeypatch, capsys):
    """What a command writes to standard error when it reports so many seconds after it began."""
    now = [100.0]
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with command_progress() as report:

        def at(seconds, *step):
            now[0] = 100.0 + seconds
            report(*step)
            return capsys.readouterr().err.splitlines()

        yield at


def test_lines_come_every_few_seconds_and_say_how_far_it_is(lines):
    assert lines(4.9, "training", 1, 1000) == []
    assert lines(5.0, "training", 120, 1000) == ["training: 120 of 1,000, 0:00:05"]
    assert lines(9.9, "training", 300, 1000) == []
    assert lines(75.0, "explaining\x1b", 1, None) == ["explaining: 1, 0:01:15"]
    assert lines(3725.0, "explaining", 2, None) == ["explaining: 2, 1:02:05"]


def test_that_loops_are_compiled_is_told_at_once_and_then_like_anything_else(lines):
    assert lines(1.0, "compiling", 0, None) == ["compiling the search (once on this machine): 0, 0:00:01"]
    assert lines(5.9, "compiling", 6, None) == []
    assert lines(6.0, "compiling", 7, None) == ["compiling the search (once on this machine): 7, 0:00:06"]


def test_lines_can_be_kept_away(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    with command_progress() as report:
        report("compiling", 0, None)
    assert sys.stderr.getvalue() == ""


# --- notebooks ---


class Handle:
    """What a notebook shows, one line after the other."""

    def __init__(self):
        self.lines = []

    def display(self, content, raw, display_id):
        self.update(content, raw)
        return self

    def update(self, content, raw):
        self.lines.append(content["text/plain"])


@pytest.fixture
def notebook(monkeypatch):
    handle = Handle()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=handle.display))
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    monkeypatch.setattr(progress, "NOTEBOOK_SECONDS", 0.0)
    return handle


def test_a_notebook_shows_a_line_that_goes_at_the_end(notebook):
    with shown_in_notebook(None) as report:
        report("training\x1b", 3, None)
        report("training", 1200, 2000)
    assert notebook.lines == ["training: 3, 0:00:00", "training: 1,200 of 2,000, 0:00:00", ""]
    reports = pickle.loads(pickle.dumps(Reports()))
    with reports.run(1), reports.stage("searching", 2):
        pass
    assert notebook.lines[3:] == ["searching: 0 of 2, 0:00:00", "searching: 2 of 2, 0:00:00", ""]


def test_a_script_a_callback_or_a_variable_keep_the_line_away(notebook, monkeypatch):
    calls = []
    with shown_in_notebook(lambda *call: calls.append(call)) as report:
        report("training", 3, None)
    assert calls == [("training", 3, None)]
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    Reports()("training", 3, None)
    monkeypatch.setitem(sys.modules, "IPython", None)
    with shown_in_notebook(None) as report:
        report("training", 3, None)
    assert notebook.lines == []


# --- counts from several threads ---


@pytest.fixture
def told():
    return []


@pytest.fixture
def reports(told):
    return Reports(lambda *report: told.append(report))


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


def test_seconds_add_up():
    seconds = {}
    for _ in range(2):
        with timed(seconds, "selection"):
            pass
    assert 0 < seconds["selection"] < 1
