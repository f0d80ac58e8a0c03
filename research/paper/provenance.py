"""Where results come from: versions, commit and hardware, of a process and of all that several have measured."""

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import torch

from protograph.evaluation.keeping import versions


def provenance(device: str, jobs: int = 1) -> dict[str, Any]:
    """Versions, commit, date and hardware of this process, and how many of its kind work at once."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit_at_first(),
        "versions": {"python": platform.python_version(), **versions()},
        "hardware": {"cpu": processor(), "cores": os.cpu_count(), "device": _named(device), "jobs": jobs},
    }


def measured_by(origins: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Which commits, versions and machines have measured how many cells, from when to when; the earliest first.

    Args:
        origins: What :func:`provenance` was at each cell.
    """
    groups: dict[str, dict[str, Any]] = {}
    for origin in sorted(origins, key=lambda origin: str(origin["date"])):
        same = {key: origin[key] for key in ("commit", "versions", "hardware")}
        group = groups.setdefault(repr(same), {**same, "num_cells": 0, "first": origin["date"]})
        group["num_cells"] += 1
        group["last"] = origin["date"]
    return list(groups.values())


@cache
def _commit_at_first() -> str | None:
    """The commit when it was first asked for: what is running is what was there then."""
    return commit()


def _named(device: str) -> str:
    """A device with the name of its make, where that can be told."""
    if not device.startswith("cuda") or not torch.cuda.is_available():
        return device
    return f"{device} ({torch.cuda.get_device_name(device)})"


def commit(parts: Sequence[str] = ("src",)) -> str | None:
    """The commit of the checkout that this package is run from, with a remark if these parts were changed since.

    ``None`` for an installed one.
    """
    root = Path(__file__).parents[2]
    if not (root / ".git").exists() or not (root / "pyproject.toml").is_file():
        return None
    try:
        name = _git(root, "rev-parse", "--short", "HEAD")
        changed = _git(root, "status", "--porcelain", "--", *parts)
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{name} with uncommitted changes" if changed else name


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.strip()


def processor() -> str:
    """The processor's model, as the system names it."""
    try:
        models = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        models = []
    return models[0].strip() if models else platform.processor() or platform.machine()
