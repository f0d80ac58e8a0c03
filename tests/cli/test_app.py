import os
import signal
import subprocess
import sys

import pytest

from protograph import __version__


@pytest.mark.parametrize("command", [[], ["explain"], ["train"], ["datasets"]])
def test_help_fits_a_screen(run_well, command):
    lines = run_well(*command, "--help").stdout.splitlines()
    assert len(lines) <= 41
    assert max(map(len, lines)) <= 80


def test_the_version(run_well):
    assert run_well("--version").stdout == f"protograph {__version__}\n"


def test_python_runs_the_package():
    command = [sys.executable, "-m", "protograph", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"protograph {__version__}\n"


@pytest.fixture
def interrupts():
    """The handlers of a program in a terminal: a background job ignores interrupts, ``nohup`` hang-ups."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL, signal.SIGTERM: signal.SIG_DFL}
    earlier = {one: signal.signal(one, handler) for one, handler in usual.items()}
    yield
    for one, handler in earlier.items():
        signal.signal(one, handler)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_an_interrupt_leaves_nothing_behind(run, folder, monkeypatch, interrupts, name):
    partial = []

    def interrupted(*arguments, **options):
        partial.extend(folder.glob(".stopped-*"))
        os.kill(os.getpid(), getattr(signal, name))

    monkeypatch.setattr("protograph.training.train", interrupted)
    earlier = signal.getsignal(getattr(signal, name))
    done = run("explain", "graphs.pt", "--out", "new/stopped")
    assert len(partial) == 1
    assert done.returncode == 130
    assert done.stderr.strip().splitlines()[-1] == "interrupted: no results were written"
    assert not (folder / "new").exists()
    assert not partial[0].exists()
    assert signal.getsignal(getattr(signal, name)) == earlier


def test_ray_s_way_to_end_on_sigterm_is_an_interrupt_too(run, folder, monkeypatch):
    """``ray.init`` puts a handler of its own in the place of ours, which leaves with the number of the signal."""
    monkeypatch.setattr("protograph.training.train", lambda *arguments, **options: sys.exit(signal.SIGTERM))
    done = run("explain", "graphs.pt", "--out", "new/stopped")
    assert (done.returncode, done.stderr) == (130, "interrupted: no results were written\n")
    assert not (folder / "new").exists()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device"), "cannot write: No space left on device"),
        (PermissionError(13, "Permission denied", "x.pt"), "x.pt: Permission denied"),
        (MemoryError(), "the memory is not enough; take fewer graphs at a time, such as a folder of smaller .pt files"),
        (RuntimeError("some\nlines \x1b[31m\u202e"), "RuntimeError: some lines [31m ; while loading"),
        (ImportError("no rdkit"), "no rdkit"),
    ],
    ids=repr,
)
def test_an_error_is_one_line(run, monkeypatch, error, message):
    if isinstance(error, RuntimeError):
        error.add_note("while\nloading")

    def fails(*arguments):
        raise error

    monkeypatch.setattr("protograph.cli.explain.read_run", fails)
    done = run("report", "somewhere")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"error: {message}\n")


def test_help_needs_no_torch_and_is_there_at_once():
    code = (
        "import sys\nsys.argv = ['protograph', '--help']\nfrom protograph.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    slow = {'torch', 'torch_geometric', 'scipy', 'sklearn', 'numba', 'rdkit', 'matplotlib', 'networkx'}\n"
        "    print(sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    before = os.times().children_user
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    assert os.times().children_user - before < 1
