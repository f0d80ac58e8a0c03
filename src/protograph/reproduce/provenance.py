"""Where results come from: versions, commit and hardware."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protograph.evaluation.keeping import versions


def provenance(device: str) -> dict[str, Any]:
    """Versions, commit, date and hardware of this process."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "versions": {"python": platform.python_version(), **versions()},
        "hardware": {"cpu": processor(), "cores": os.cpu_count(), "device": device},
    }


def commit() -> str | None:
    """The commit of the checkout that this package is run from; ``None`` for an installed one."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists() or not (root / "pyproject.toml").is_file():
        return None
    try:
        name = _git(root, "rev-parse", "--short", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", "src")
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{name} with uncommitted changes" if changed else name


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.strip()


def processor() -> str:
    """The processor's model, as the system names it."""
    try:
        models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        models = []
    return models[0].strip() if models else platform.processor() or platform.machine()
