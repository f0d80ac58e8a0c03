"""Items and their cells: what is missing is measured, one cell after the other or several at once, and kept."""

import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import track

import protograph as pg
from research.paper.lab import WITH_RULES, Lab, ModelSpec, explain_model, explainer_of
from research.paper.settings import QUICK_EPOCHS, QUICK_GRAPHS, Settings
from research.paper.sheet import Sheet

Key = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The unit that is kept: a run that was broken off goes on after the last finished cell.

    Attributes:
        key: Unique within the item, such as ``("ba-house", "page", "seed 3")``.
        compute: Measures it; plain data, without numbers that are not finite.
        options: What the result depends on beyond the key, versions and whether the run is quick.
        needs: Models that it works with, which are trained before all cells. Others are trained when asked for.
    """

    key: Key
    compute: Callable[[Lab], Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: Sequence[ModelSpec] = ()

    def __str__(self) -> str:
        return ", ".join(self.key)


class Results(dict[Key, Any]):
    """What the cells of an item gave, by key."""

    def __init__(self, values: Mapping[Key, Any], settings: Settings, seconds: float = 0.0) -> None:
        super().__init__(values)
        self.settings, self.seconds = settings, seconds

    def under(self, *start: str) -> dict[Key, Any]:
        """Results whose keys begin so, by the rest of their keys.

        >>> Results({("a", "x"): 1, ("b", "x"): 2}, Settings()).under("a")
        {('x',): 1}
        """
        return {key[len(start) :]: value for key, value in self.items() if key[: len(start)] == start}

    def names(self, *start: str) -> list[str]:
        """The different next parts of these keys, in their order."""
        return list(dict.fromkeys(key[0] for key in self.under(*start)))

    def seeds(self, *start: str) -> list[Any]:
        """What the seeds under a key gave, in their order."""
        return list(self.under(*start).values())


@dataclass(frozen=True, kw_only=True)
class Item:
    """One table, figure or question of the paper.

    Attributes:
        name: What it is asked for by, in small letters.
        title: Its headline.
        question: What the paper asks.
        cells: What there is to measure; cheap.
        write: Turns the cells' results into tables, figures and findings.
    """

    name: str
    title: str
    question: str
    cells: Callable[[Settings], Sequence[Cell]]
    write: Callable[[Results, Sheet], None]


def measure(items: Sequence[Item], settings: Settings, folder: Path, jobs: int) -> tuple[dict[str, Results], list[str]]:
    """What the cells of each item give, and what failed; an item with a cell that failed has no results."""
    cells = {item.name: {str(cell): cell for cell in item.cells(settings)} for item in items}
    needs = dict.fromkeys(need for own in cells.values() for cell in own.values() for need in cell.needs)
    # The models of the paper come before those with wrong labels, which have their split.
    tasks: list[Any] = sorted(needs, key=lambda need: need.wrong_percent > 0)
    tasks += [(name, key) for name, own in cells.items() for key in own]
    done: dict[Any, Any] = {}
    failures = []
    for task, result in finished(tasks, settings, folder, jobs):
        if isinstance(result, Exception):
            failures.append(f"{task}: {type(result).__name__}: {result}")
        done[task] = result
    found = {}
    for name, own in cells.items():
        results = [done[name, key] for key in own]
        if not any(isinstance(one, Exception) for one in results):
            values = {cell.key: value for cell, (value, _) in zip(own.values(), results, strict=True)}
            found[name] = Results(values, settings, sum(seconds for _, seconds in results))
    return found, failures


def finished(tasks: Sequence[Any], settings: Settings, folder: Path, jobs: int) -> Iterator[tuple[Any, Any]]:
    """Each task with what it gave, or the error."""
    console = Console(stderr=True)
    if jobs == 1:
        for task in track(tasks, "measuring", console=console, transient=True):
            yield task, do_task(task, settings, folder)
        return
    context = multiprocessing.get_context("spawn")  # forked ones would share what torch's threads hold
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=warm_up) as pool:
        running = {pool.submit(do_task, task, settings, folder): task for task in tasks}
        for one in track(as_completed(running), "measuring", total=len(tasks), console=console, transient=True):
            yield running[one], one.exception() or one.result()


@cache
def lab_of(settings: Settings, folder: Path) -> Lab:
    """The lab of this process, which stays from task to task."""
    return Lab(folder, settings)


def do_task(task: Any, settings: Settings, folder: Path) -> Any:
    """Train a model; or what a cell gives, with its seconds. An error is given back, so that others are still done."""
    from research.paper.items import ITEMS

    lab = lab_of(settings, folder)
    try:
        if isinstance(task, ModelSpec):
            lab.model(task)
            return None
        name, key = task
        cell = next(one for one in ITEMS[name].cells(settings) if str(one) == key)

        def compute() -> tuple[Any, float]:
            begun = time.perf_counter()
            return cell.compute(lab), time.perf_counter() - begun

        return lab.kept(name, key.replace(", ", "-").replace(" ", ""), {"key": key, "options": cell.options}, compute)
    except Exception as error:
        return error


def warm_up() -> None:
    """Let every explainer explain a small model of few graphs, so that no time that is measured has compiling in it."""
    torch.set_num_threads(1)  # the others have the other cores
    graphs = pg.datasets.load("ba-house", num_graphs=QUICK_GRAPHS)
    model = pg.train(graphs, hidden=graphs.hidden, max_epochs=QUICK_EPOCHS).model
    for method in WITH_RULES:
        explain_model(explainer_of(method, 0, is_quick=True), model, graphs, None)
