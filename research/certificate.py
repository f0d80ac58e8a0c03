"""Birth certificates: every file in ``results/`` says how it came about, and whether its limits hold.

A file is ``{"certificate": ..., "results": ...}``. Its certificate has

- ``runs``: for each run that the results are of, the command, commit, date, machine and versions. A benchmark that goes
  on where it was broken off adds a run. One that was written down afterwards from the history is ``reconstructed`` and
  says what is not known, ``null`` standing for it.
- ``seeds``: of all results in the file.
- ``limits``: what was measured against which limit, and whether it holds; recomputed from the results by a test.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
# When the process began: a run that writes after every seed has one certificate.
STARTED = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
PACKAGES = ("protograph", "torch", "torch_geometric", "numpy", "numba", "scikit-learn", "rdkit")


def write(
    path: Path,
    results: Any,
    *,
    seeds: Iterable[int],
    limits: Sequence[dict] = (),
    device: str = "cpu",
    earlier: Sequence[dict] = (),
) -> None:
    """Write results with their certificate, whole or not at all.

    Args:
        path: The file; an existing one is replaced.
        results: What was measured.
        seeds: Of all that was measured.
        limits: What :func:`limit` gave.
        device: Where the model ran.
        earlier: Runs that some of the results are of, as :func:`runs_of` gives them.
    """
    run = this_run(device)
    runs = [*(one for one in earlier if one != run), run]
    content = {"certificate": {"runs": runs, "seeds": sorted(set(seeds)), "limits": list(limits)}, "results": results}
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".tmp")
    partial.write_text(as_text(content))
    partial.replace(path)


def read(path: Path, otherwise: Any = None) -> Any:
    """The results in a file, or ``otherwise`` where there is no such file."""
    return json.loads(path.read_text())["results"] if path.exists() else otherwise


def runs_of(path: Path) -> list[dict]:
    """The runs that the results in a file are of; none where there is no such file."""
    return json.loads(path.read_text())["certificate"]["runs"] if path.exists() else []


def limit(what: str, value: float, *, at_most: float | None = None, at_least: float | None = None) -> dict:
    """One line of ``limits``: what was measured, against which limit, and whether it holds."""
    assert (at_most is None) != (at_least is None)
    if at_most is not None:
        return {"what": what, "limit": at_most, "bound": "at most", "value": value, "holds": value <= at_most}
    return {"what": what, "limit": at_least, "bound": "at least", "value": value, "holds": value >= at_least}


def this_run(device: str) -> dict:
    """Command, commit, date, machine and versions of the process that asks."""
    return {
        "command": command(),
        "commit": commit(),
        "date": STARTED,
        "machine": {"cpu": processor(), "cores": os.cpu_count(), "device": device},
        "versions": versions(),
    }


def commit() -> str | None:
    """The commit of this checkout, with a remark if its code was changed since; ``None`` without git."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
        return done.stdout.strip()

    try:
        name, changed = git("rev-parse", "--short", "HEAD"), git("status", "--porcelain", "--", "src", "research")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{name} with uncommitted changes" if changed else name


def processor() -> str:
    """The processor's model, as the system names it."""
    try:
        models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        models = []
    return models[0].strip() if models else platform.processor() or platform.machine()


def command() -> str:
    """The command line, without the folders of whoever ran it."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    program = f"-m {spec.name.removesuffix('.__main__')}" if spec else Path(sys.argv[0]).name
    arguments = [Path(word).name if Path(word).is_absolute() else word for word in sys.argv[1:]]
    return " ".join(["python", program, *arguments])


def versions() -> dict[str, str | None]:
    """Python's version and those of the packages that results depend on; ``None`` for one that is not installed."""
    return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def version(name: str) -> str | None:
    """The version of an installed package."""
    if name == "protograph":  # it need not be installed to run from a checkout
        import protograph

        return protograph.__version__
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def as_text(content: Any) -> str:
    """JSON with an entry a line, and numbers in a row where a list holds nothing else."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    # Outside of strings only: a string that holds such a list would have its brackets on one line already.
    rows = re.compile(r"\[\n\s*((?:-?\d[\d.eE+-]*|null)(?:,\n\s*(?:-?\d[\d.eE+-]*|null))*)\n\s*\]")
    return rows.sub(lambda row: "[" + re.sub(r",\s+", ", ", row[1]) + "]", text) + "\n"
