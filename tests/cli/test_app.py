import os
import signal

import pytest

from protograph import __version__


def test_commands_of_a_later_version_say_so(run):
    done = run("reproduce", "anything", "--option", 3)
    assert done.returncode == 1
    assert done.stderr == (
        "error: protograph reproduce is not available in this version; "
        "there are explain, train, evaluate, compare, report and datasets\n"
    )


@pytest.mark.parametrize("command", [[], ["explain"], ["train"], ["datasets"]])
def test_help_fits_a_screen(run_well, command):
    lines = run_well(*command, "--help").stdout.splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80


def test_the_version(run_well):
    assert run_well("--version").stdout == f"protograph {__version__}\n"


def test_an_interrupt_leaves_nothing_behind(run, folder, monkeypatch):
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores interrupts
    partial = []

    def interrupted(*arguments, **options):
        partial.extend(folder.glob(".stopped-*"))
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("protograph.cli.explain.train", interrupted)
    try:
        done = run("explain", "graphs.pt", "--out", "stopped")
    finally:
        signal.signal(signal.SIGINT, handler)
    assert len(partial) == 1
    assert done.returncode == 130
    assert done.stderr.strip().splitlines()[-1] == "interrupted: nothing was written"
    assert not list(folder.glob("*stopped*"))


def test_an_error_can_be_shown_with_its_traceback(run, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_TRACEBACK", "1")
    with pytest.raises(FileNotFoundError, match=r"^there is no file missing\.pt$"):
        run("explain", "missing.pt")


def test_errors_have_their_notes_and_the_type_of_unexpected_ones(run, monkeypatch):
    def fails(*arguments):
        error = KeyError("no such\nkey")
        error.add_note("while loading")
        raise error

    monkeypatch.setattr("protograph.cli.explain.load", fails)
    done = run("report", "somewhere")
    assert (done.returncode, done.stderr) == (1, "error: KeyError: 'no such\\nkey'; while loading\n")
