import io
import subprocess
import sys
from pathlib import Path

import pytest

from protograph._base.progress import shown


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
    module = Path(__file__).parents[2] / "src" / "protograph" / "_base" / "progress.py"
    script = "import runpy, sys; runpy.run_path(sys.argv[1]); assert 'rich' not in sys.modules"
    subprocess.run([sys.executable, "-c", script, module], check=True)
