"""Where finished cells are: one file each, taken only where all that it was made from is the same."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from protograph._base.files import atomic_path
from protograph.evaluation.keeping import versions
from research.paper.item import JSON, Cell, Item, Need
from research.paper.provenance import provenance
from research.paper.settings import Settings

FORMAT = "protograph-cell-2"
# What takes fewer seconds was no training: the models were there.
LEAST_TRAINING = 0.2


@dataclass(frozen=True)
class FinishedCell:
    """A cell from its file.

    Attributes:
        result: What it gave.
        seconds: How long it took.
        origin: Versions, commit and hardware of the process that measured it.
    """

    result: JSON
    seconds: float
    origin: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class CellStore:
    """The folder of all cells.

    Attributes:
        folder: The folder; each item has one inside.
        settings: What was asked to be measured.
    """

    folder: Path
    settings: Settings

    def path(self, item: Item, cell: Cell) -> Path:
        """File of a cell: its key for people, and a sum of it since a file name cannot have all signs."""
        readable = re.sub(r"[^a-z0-9]+", "-", " ".join(cell.key).lower()).strip("-")[:80]
        total = hashlib.sha256(json.dumps(cell.key).encode()).hexdigest()[:8]
        return self.folder / item.name / f"{readable}-{total}.json"

    def made_from(self, item: Item, cell: Cell) -> dict[str, Any]:
        """All that a result depends on; where it was measured does not count, it is only written down."""
        return {
            "item": item.name,
            "key": list(cell.key),
            "options": _plain(cell.made_from, cell),
            "is_quick": self.settings.is_quick,
            "versions": versions(),
        }

    def read(self, item: Item, cell: Cell) -> FinishedCell | None:
        """A finished cell, unless it was made from something else."""
        try:
            content = json.loads(self.path(item, cell).read_bytes())
        except (OSError, ValueError):
            return None
        wanted, found = self.made_from(item, cell), dict(content.get("made_from", {}))
        if self.settings.any_versions:
            found["versions"] = wanted["versions"]
        is_same = content.get("format") == FORMAT and found == wanted
        return FinishedCell(content["result"], content["seconds"], content["origin"]) if is_same else None

    def note_training(self, need: Need, seconds: float) -> None:
        """Write down how long models took; what was there already does not count."""
        path = self._training_path(need)
        path.parent.mkdir(parents=True, exist_ok=True)
        if seconds >= LEAST_TRAINING or not path.exists():
            with atomic_path(path) as temporary:
                temporary.write_text(json.dumps({"seconds": round(seconds, 3)}), encoding="utf-8")

    def training_seconds(self, needs: Iterable[Need]) -> float:
        """How long these models took to train, as far as it was written down."""
        paths = [self._training_path(need) for need in set(needs)]
        return float(sum(json.loads(path.read_bytes())["seconds"] for path in paths if path.is_file()))

    def _training_path(self, need: Need) -> Path:
        return self.folder / "trainings" / f"{need.kind.replace(' ', '-')}-{need.name}-seed{need.seed}.json"

    def write(self, item: Item, cell: Cell, result: JSON, seconds: float) -> None:
        """Keep a result, whole or not at all."""
        content = {
            "format": FORMAT,
            "made_from": self.made_from(item, cell),
            "origin": provenance(self.settings.device, self.settings.jobs),
            "seconds": round(seconds, 3),
            "result": _plain(result, cell),
        }
        path = self.path(item, cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")


def _plain(value: JSON, cell: Cell) -> JSON:
    """The value as it comes back from a file, so that a fresh cell and a kept one are the same."""
    _check_plain(value, cell)
    return json.loads(json.dumps(value))


def _check_plain(value: JSON, cell: Cell) -> None:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise TypeError(f"cell {cell.key} must have text as keys, got {name!r}")
            _check_plain(inner, cell)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_plain(inner, cell)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"cell {cell.key} must have finite numbers, got {value}; give None where there is none")
    elif value is not None and not isinstance(value, str | int):
        raise TypeError(f"cell {cell.key} must give plain data, got {type(value).__name__}")
