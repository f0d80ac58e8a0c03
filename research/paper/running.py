"""Measures the cells that are missing, one after the other or several at once, and keeps each as it is finished."""

import os
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from protograph._base.processes import in_processes
from research.paper.cells import CellStore
from research.paper.item import Cell, Item, Key, Need, Results
from research.paper.lab import Lab
from research.paper.sets import SETS
from research.paper.settings import Settings
from research.paper.sweeps import swept_models
from research.paper.telling import Teller, telling
from research.paper.warming import warm_up

# Of many models trained at once, one takes this share of the time that it takes by itself.
SHARE_OF_STACKED = 0.2
# A training and a cell of a quick run, in seconds.
QUICK_TRAINING, QUICK_CELL = 0.3, 0.2


@dataclass(frozen=True)
class Task:
    """A cell to measure, or models to train that cells need.

    Attributes:
        item: Name of the item; empty for models.
        key: Of the cell.
        need: The models.
        seconds: What it is expected to take.
    """

    item: str
    key: Key
    need: Need | None
    seconds: float

    def __str__(self) -> str:
        return str(self.need) if self.need else ", ".join((self.item, *self.key))


@dataclass(frozen=True)
class Report:
    """What is told of a task: that it has begun, how far it is, or that it has ended."""

    task: Task
    stage: str = ""
    has_ended: bool = False


@dataclass(frozen=True)
class Failure:
    """A task that could not be done, and why."""

    task: str
    error: str


class Plan:
    """What is finished of the items asked for, and what is to be done.

    Args:
        items: The items.
        settings: What to measure.
        folder: Of the cells.
    """

    def __init__(self, items: Sequence[Item], settings: Settings, folder: Path) -> None:
        self.items, self.settings, self.folder = list(items), settings, folder
        self.store = CellStore(folder, settings)
        self.cells = {item.name: _by_key(item, settings) for item in self.items}
        self.tasks = self._missing()

    def _missing(self) -> list[Task]:
        """Models first: then no two cells wait for the same one."""
        cells = [
            (item, cell)
            for item in self.items
            for cell in self.cells[item.name].values()
            if self.store.read(item, cell) is None
        ]
        needs = dict.fromkeys(need for _, cell in cells for need in cell.needs)
        models = [Task("", (), need, _training_seconds(need, self.settings)) for need in needs]
        # A sweep has the split of the model, so that models come before sweeps; the longest first, lest one is left
        # to a single process at the end.
        models.sort(key=lambda task: (task.need is not None and task.need.kind != "model", -task.seconds))
        is_quick = self.settings.is_quick
        return [
            *models,
            *(Task(item.name, cell.key, None, QUICK_CELL if is_quick else cell.seconds) for item, cell in cells),
        ]

    @property
    def seconds(self) -> float:
        """About how long it takes on one core."""
        return sum(task.seconds for task in self.tasks)

    def results(self, item: Item) -> Results | None:
        """What the cells of an item gave; ``None`` if some are missing."""
        found = {key: self.store.read(item, cell) for key, cell in self.cells[item.name].items()}
        whole = {key: one for key, one in found.items() if one is not None}
        if len(whole) < len(found):
            return None
        values, seconds = {k: one.result for k, one in whole.items()}, {k: one.seconds for k, one in whole.items()}
        needs = {need for cell in self.cells[item.name].values() for need in cell.needs}
        origins = [one.origin for one in whole.values()]
        return Results(values, self.settings, seconds, self.store.training_seconds(needs), origins)


def _by_key(item: Item, settings: Settings) -> dict[Key, Cell]:
    cells = list(item.cells(settings))
    by_key = {cell.key: cell for cell in cells}
    if len(by_key) < len(cells):
        raise ValueError(f"item {item.name} must have cells with different keys, got {[cell.key for cell in cells]}")
    return by_key


def _training_seconds(need: Need, settings: Settings) -> float:
    """What a training is expected to take; unknown sets count as small ones."""
    if settings.is_quick:
        return QUICK_TRAINING * (1 if need.kind == "model" else 4)
    one = SETS.get(need.name)
    seconds = one.train_seconds if one else 5.0
    if need.kind == "model" or one is None:
        return seconds
    return SHARE_OF_STACKED * seconds * len(swept_models(need.name, need.kind, (32,) * one.num_layers, settings))


def measure(plan: Plan) -> list[Failure]:
    """Do all tasks of a plan; what failed is told, and keeps nothing else from being done."""
    jobs = max(1, min(plan.settings.jobs, len(plan.tasks)))
    teller = Teller(plan.seconds, len(plan.tasks), jobs)
    with telling(teller):
        errors = in_processes(Bench(plan), plan.tasks, jobs, lambda report: _hear(report, teller))
    return [Failure(str(task), error) for task, error in zip(plan.tasks, errors, strict=True) if error]


def _hear(report: Report, teller: Teller) -> None:
    task = str(report.task)
    if report.has_ended:
        teller.finish(task, report.task.seconds)
    elif report.stage:
        teller.report(task, report.stage)
    else:
        teller.begin(task)


class Bench:
    """Does tasks of a plan with one lab; in another process with that process's own, which stays from task to task."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.lab = plan, Lab(plan.folder, plan.settings, self._progress)
        self._tell: Callable[[str], None] = lambda stage: None
        self._is_warm = plan.settings.is_quick  # whose times mean nothing

    def __reduce__(self) -> tuple[Any, ...]:
        return bench_of, (tuple(item.name for item in self.plan.items), self.plan.settings, self.plan.folder)

    def _progress(self, stage: str, done: int, total: int | None) -> None:
        self._tell(f"{stage} {done:,}" + ("" if total is None else f" of {total:,}"))

    def __call__(self, task: Task, tell: Callable[[Report], None]) -> str | None:
        """Do a task and keep what it gave; the error in words where it cannot be done."""
        self._tell = lambda stage: tell(Report(task, stage))
        tell(Report(task))
        try:
            self._do(task)
        except Exception as error:
            if os.environ.get("PROTOGRAPH_TRACEBACK"):
                traceback.print_exc()
            return f"{type(error).__name__}: {error}"
        finally:
            tell(Report(task, has_ended=True))
        return None

    def _do(self, task: Task) -> None:
        begun = time.perf_counter()
        if task.need is not None:
            self.lab.make(task.need)
            self.plan.store.note_training(task.need, time.perf_counter() - begun)
            return
        if not self._is_warm:
            warm_up()
            self._is_warm, begun = True, time.perf_counter()
        item = next(one for one in self.plan.items if one.name == task.item)
        cell = self.plan.cells[task.item][task.key]
        result = cell.compute(self.lab)
        self.plan.store.write(item, cell, result, time.perf_counter() - begun)


@lru_cache(maxsize=1)
def bench_of(names: tuple[str, ...], settings: Settings, folder: Path) -> Bench:
    """The bench of a process of its own."""
    from research.paper.items import ITEMS

    torch.set_num_threads(1)  # the others have the other cores
    return Bench(Plan([ITEMS[name] for name in names], settings, folder))
