"""Measures the cells that are missing, one after the other or several at once, and keeps each as it is finished."""

import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from protograph._base.errors import ProtographWarning
from protograph.reproduce.cells import CellStore
from protograph.reproduce.item import Cell, Item, Key, Need, Results
from protograph.reproduce.lab import Lab
from protograph.reproduce.sets import SETS
from protograph.reproduce.settings import Settings
from protograph.reproduce.sweeps import swept_models
from protograph.reproduce.telling import Teller, telling

# A training of a quick run, in seconds.
QUICK_TRAINING = 0.3


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
        return [*models, *(Task(item.name, cell.key, None, cell.seconds) for item, cell in cells)]

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
        return Results(values, self.settings, seconds, self.store.training_seconds(needs))


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
    return seconds * len(swept_models(need.name, need.kind, (32,) * one.num_layers, settings))


def measure(plan: Plan) -> list[Failure]:
    """Do all tasks of a plan; what failed is told, and keeps nothing else from being done."""
    teller = Teller(plan.seconds, len(plan.tasks), min(plan.settings.jobs, max(1, len(plan.tasks))))
    with telling(teller):
        if plan.settings.jobs == 1 or len(plan.tasks) < 2:
            return list(_one_by_one(plan, teller))
        return list(_several_at_once(plan, teller))


def _one_by_one(plan: Plan, teller: Teller) -> Iterator[Failure]:
    current = ""

    def progress(stage: str, done: int, total: int | None) -> None:
        teller.report(current, _stage(stage, done, total))

    lab = Lab(plan.folder, plan.settings, progress)
    for task in plan.tasks:
        current = str(task)
        teller.begin(current)
        error = _do(task, plan, lab)
        teller.finish(current, task.seconds)
        if error:
            yield Failure(current, error)


def _do(task: Task, plan: Plan, lab: Lab) -> str | None:
    """Do a task and keep what it gave; the error in words where it cannot be done."""
    try:
        if task.need is not None:
            begun = time.perf_counter()
            lab.make(task.need)
            plan.store.note_training(task.need, time.perf_counter() - begun)
            return None
        item = next(one for one in plan.items if one.name == task.item)
        cell = plan.cells[task.item][task.key]
        begun = time.perf_counter()
        result = cell.compute(lab)
        plan.store.write(item, cell, result, time.perf_counter() - begun)
    except Exception as error:
        if os.environ.get("PROTOGRAPH_TRACEBACK"):
            traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return None


def _stage(stage: str, done: int, total: int | None) -> str:
    return f"{stage} {done:,}" + ("" if total is None else f" of {total:,}")


def _several_at_once(plan: Plan, teller: Teller) -> Iterator[Failure]:
    """As above, in processes of their own: PyTorch must not be forked once its threads have started."""
    context = get_context("spawn")
    reports: Any = context.SimpleQueue()
    names = [item.name for item in plan.items]
    start = (names, plan.settings, plan.folder, reports)
    jobs = min(plan.settings.jobs, len(plan.tasks))
    with ProcessPoolExecutor(jobs, context, _start_worker, start) as pool, _listening(reports, teller):
        tasks = {pool.submit(_work, task): task for task in plan.tasks}
        try:
            yield from _finished(tasks, teller)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise


def _finished(tasks: dict[Future[str | None], Task], teller: Teller) -> Iterator[Failure]:
    left = set(tasks)
    while left:
        done, left = wait(left, return_when=FIRST_COMPLETED)
        for future in done:
            error = future.result()
            teller.finish(str(tasks[future]), tasks[future].seconds)
            if error:
                yield Failure(str(tasks[future]), error)


@contextmanager
def _listening(reports: Any, teller: Teller) -> Iterator[None]:
    """Hand what the processes report on to the teller."""

    def listen() -> None:
        for task, stage in iter(reports.get, None):
            if stage is None:
                teller.begin(task)
            else:
                teller.report(task, stage)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield
    finally:
        reports.put(None)
        thread.join()


class _Worker:
    """What a process of its own keeps between tasks."""

    plan: Plan
    lab: Lab
    report: Callable[[str | None], None]
    current = ""


def _start_worker(names: list[str], settings: Settings, folder: Path, reports: Any) -> None:
    import torch

    from protograph.reproduce.items import ITEMS

    torch.set_num_threads(1)
    warnings.simplefilter("ignore", ProtographWarning)  # as the command does in its own process
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was asked ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _Worker.plan = Plan([ITEMS[name] for name in names], settings, folder)
    _Worker.report = lambda stage: reports.put((_Worker.current, stage))

    def progress(stage: str, done: int, total: int | None) -> None:
        _Worker.report(_stage(stage, done, total))

    _Worker.lab = Lab(folder, settings, progress)


def _end_with_parent() -> None:
    """A process whose parent was killed must not work on beside the next run."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: Task) -> str | None:
    _Worker.current = str(task)
    _Worker.report(None)
    return _do(task, _Worker.plan, _Worker.lab)
