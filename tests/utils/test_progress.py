import copy
import io
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from protograph._utils import progress
from protograph._utils.progress import ProgressLines, Reports, command_progress, shown, shown_in_notebook, timed


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
    script = "import sys, protograph; print('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"


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
    assert notebook.lines == ["training : 3, 0 s", "training: 1,200 of 2,000, 0 s", ""]
    reports = Reports()
    assert isinstance(pickle.loads(pickle.dumps(reports)), Reports)
    with reports.run(1), reports.stage("searching", 2):
        pass
    assert notebook.lines[3:] == ["searching: 0 of 2, 0 s", "searching: 2 of 2, 0 s", ""]


def test_a_callback_or_a_variable_keeps_the_line_away(notebook, monkeypatch):
    calls = []
    with shown_in_notebook(lambda *call: calls.append(call)) as report:
        report("training", 3, None)
    assert calls == [("training", 3, None)]
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    with shown_in_notebook(None) as report:
        assert report is None
    Reports()("training", 3, None)
    assert notebook.lines == []


def test_a_script_stays_quiet():
    with shown_in_notebook(None) as report:
        assert report is None


# --- counts from several threads ---


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


def test_seconds_add_up():
    seconds = {}
    for _ in range(2):
        with timed(seconds, "selection"):
            pass
    assert 0 < seconds["selection"] < 1
    assert progress.summed([{"a": 1.0}, {"a": 2.0, "b": 3.0}]) == {"a": 3.0, "b": 3.0}
