import pickle
import sys
from types import SimpleNamespace

import pytest

from protograph._base import notebook_progress
from protograph._base.notebook_progress import NotebookBars, bars_html, notebook_bars, shown_in_notebook
from protograph._base.reports import Reports


class Output:
    """What a notebook shows, drawing by drawing."""

    def __init__(self):
        self.drawn = []

    def show(self, html):
        self.drawn.append(html)
        return self.drawn.append


@pytest.fixture
def output(monkeypatch):
    """A notebook's output, where drawings come without a pause."""
    output = Output()
    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.delenv("PROTOGRAPH_PROGRESS", raising=False)
    monkeypatch.setattr(notebook_progress, "_show", output.show)
    monkeypatch.setattr(notebook_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook_progress, "PAUSE", 0.0)
    return output


def test_what_is_quick_is_not_drawn():
    output, times = Output(), iter([0.0, 0.2, 0.49])
    bars = NotebookBars(output.show, lambda: next(times))
    for done in range(3):
        bars("searching", done, 3)
    bars.close()
    assert output.drawn == []


def test_drawings_have_a_pause_and_go_at_the_end():
    output, times = Output(), iter([0.0, 0.5, 0.55, 0.7])
    bars = NotebookBars(output.show, lambda: next(times))
    for done in range(4):
        bars("searching", done, 3)
    bars.close()
    assert ["1 of 3" in output.drawn[0], "3 of 3" in output.drawn[1]] == [True, True]
    assert output.drawn[2:] == [""]


def test_a_bar_without_an_end_and_a_hostile_stage():
    html = bars_html({"<b>": ("<b>", 1200, None), "compiling": ("compiling", 2, None)})
    assert "&lt;b&gt;" in html
    assert "1,200" in html
    assert "value=" not in html
    assert "compiling the search (once on this machine)" in html
    assert "<script" not in html


def test_bars_only_in_a_notebook(monkeypatch, output):
    assert isinstance(notebook_bars(), NotebookBars)
    monkeypatch.setenv("PROTOGRAPH_PROGRESS", "off")
    assert notebook_bars() is None
    monkeypatch.delenv("PROTOGRAPH_PROGRESS")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: object()))  # a terminal's
    assert notebook_bars() is None


def test_reports_show_bars_and_end_them(output):
    reports = Reports()
    with reports.run(1), reports.stage("counting", 2) as step:
        step()
    assert "counting" in output.drawn[0]
    assert output.drawn[-1] == ""
    assert pickle.loads(pickle.dumps(reports)) is not None


def test_a_callback_of_the_users_own_goes_first(output):
    told = []
    with shown_in_notebook(lambda *call: told.append(call)) as progress:
        progress("training", 1, None)
    assert (told, output.drawn) == ([("training", 1, None)], [])
    with shown_in_notebook(None) as progress:
        progress("training", 1, None)
    assert output.drawn[-1] == ""
