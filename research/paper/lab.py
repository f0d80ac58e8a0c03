"""What a cell is given to work with: data sets, trained models, sweeps and explanations, each made once and kept."""

import json
import os
import time
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from protograph import datasets
from protograph._base.errors import ProtographWarning
from protograph._base.files import atomic_path
from protograph._base.locking import HeldError, locked_file
from protograph._base.progress import Progress
from protograph.datasets import GraphDataset
from protograph.datasets.registry import SPECS
from protograph.evaluation.keeping import KeptModel, fingerprint, keep_model, kept_model, versions
from protograph.explainer import Explainer
from protograph.explanation import Explanations
from protograph.explanation.storage import load
from protograph.training import Trained, train
from research.paper.item import Need
from research.paper.methods import explainer_of
from research.paper.sets import SETS, stride_of
from research.paper.settings import Settings
from research.paper.sweeps import swept_models, train_swept
from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.keeping import world_model
from research.paper.worlds.models import WorldModel

Value = TypeVar("Value")
# So many data sets, models and sweeps stay in memory, the last used.
NUM_SETS, NUM_MODELS, NUM_SWEEPS = 2, 32, 2
# Seconds between two looks whether another process has finished what is waited for.
LOOK = 0.2


@dataclass(frozen=True, eq=False)
class Explained:
    """What an explainer gave for a model.

    Attributes:
        explanations: By class.
        seconds: How long finding them took after ``fit``.
        fit_seconds: How long ``fit`` took.
    """

    explanations: Explanations
    seconds: float
    fit_seconds: float


class Lab:
    """Gives cells what they work with; files in one folder, shared by all processes of a run.

    Args:
        folder: For models, explanations and other files.
        settings: What was asked to be measured.
        progress: Called as ``progress(stage, done, total)``.
    """

    def __init__(self, folder: Path, settings: Settings, progress: Progress | None = None) -> None:
        self.folder, self.settings = folder, settings
        self._progress = progress
        self._data: dict[Hashable, tuple[GraphDataset, str]] = {}
        self._models: dict[Hashable, KeptModel] = {}
        self._sweeps: dict[Hashable, list[KeptModel]] = {}

    def progress(self, stage: str, done: int, total: int | None) -> None:
        """Tell how far a cell is."""
        if self._progress is not None:
            self._progress(stage, done, total)

    def file(self, relative: str) -> Path:
        """A file or folder for what a cell leaves besides its result; the folder around it is there."""
        path = self.folder / "files" / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def data(self, name: str, seed: int) -> GraphDataset:
        """A data set, all of it or as much as the settings take; only generated ones depend on the seed."""
        return self._with_fingerprint(name, seed)[0]

    def _with_fingerprint(self, name: str, seed: int) -> tuple[GraphDataset, str]:
        key = (name, None if name in SPECS and SPECS[name].files else seed)
        return _remembered(self._data, key, NUM_SETS, lambda: self._load(name, seed))

    def _load(self, name: str, seed: int) -> tuple[GraphDataset, str]:
        loaded = datasets.load(
            name,
            self.settings.data_root,
            random_state=seed,
            num_graphs=self.settings.num_graphs,
            progress=self.progress,
        )
        stride = stride_of(name, self.settings)
        loaded = loaded[::stride] if stride > 1 else loaded
        return loaded, fingerprint(loaded)

    def model(self, name: str, seed: int) -> KeptModel:
        """The paper's GCN on a data set, trained once and kept."""
        return _remembered(self._models, (name, seed), NUM_MODELS, lambda: self._model(name, seed))

    def _model(self, name: str, seed: int) -> KeptModel:
        path = self._path("models", f"{name}-seed{seed}.pt")
        made_from = self._made_from(name, seed)
        with _alone(path):
            kept = kept_model(path, made_from)
            if kept is None:
                data = self.data(name, seed)
                trained = train(
                    data,
                    hidden=data.hidden,
                    random_state=seed,
                    max_epochs=self.settings.max_epochs,
                    device=self.settings.device,
                    progress=self.progress,
                )
                keep_model(path, trained, made_from)
                kept = kept_model(path, made_from)
        assert kept is not None
        return kept

    def sweep(self, name: str, kind: str, seed: int) -> list[KeptModel]:
        """The models of a sweep, each kept as soon as it is trained.

        Args:
            name: The data set.
            kind: ``"widths"`` (consistency) or ``"wrong labels"`` (faithfulness).
            seed: Of data, split, weights and the choice of wrong labels.
        """
        return _remembered(self._sweeps, (name, kind, seed), NUM_SWEEPS, lambda: self._sweep(name, kind, seed))

    def _sweep(self, name: str, kind: str, seed: int) -> list[KeptModel]:
        data = self.data(name, seed)
        models = swept_models(name, kind, data.hidden, self.settings)
        folder = self._path("sweeps", f"{name}-{kind.replace(' ', '-')}-seed{seed}", "lock").parent
        paths = [folder / f"{number}.pt" for number in range(len(models))]
        made_from = [self._made_from(name, seed) | {"swept": str(one)} for one in models]
        with _alone(folder / "sweep"):
            missing = [n for n, path in enumerate(paths) if kept_model(path, made_from[n]) is None]
            done = len(models) - len(missing)

            def keep(number: int, trained: Trained) -> None:
                nonlocal done
                keep_model(paths[missing[number]], trained, made_from[missing[number]])
                done += 1
                self.progress(f"{kind} of {name}", done, len(models))

            train_swept(data, [models[n] for n in missing], seed, self.settings, keep)
        kept = [kept_model(path, facts) for path, facts in zip(paths, made_from, strict=True)]
        return [one for one in kept if one is not None]

    def explained(self, name: str, method: str, seed: int) -> Explained:
        """What an explainer gives for the paper's GCN on its training graphs, made once and kept.

        Args:
            name: The data set.
            method: A name of :mod:`research.paper.methods`.
            seed: Of data, model and explainer.
        """
        model = self.model(name, seed)
        folder = self._path("explained", f"{name}-{method}-seed{seed}", "lock").parent
        facts, file = folder / "facts.json", folder / "explanations.json"
        made_from = {
            "model": model.key,
            "method": method,
            "seed": seed,
            "is_quick": self.settings.is_quick,
            "versions": versions(),
        }
        with _alone(folder / "explained"):
            found = _read_json(facts)
            if found.get("made_from") != made_from or not file.is_file():
                found = self._explain(name, method, seed, model, file) | {"made_from": made_from}
                with atomic_path(facts) as temporary:
                    temporary.write_text(json.dumps(found), encoding="utf-8")
        loaded = load(file)
        explanations = loaded if isinstance(loaded, Explanations) else Explanations({loaded.target: loaded})
        return Explained(explanations, found["seconds"], found["fit_seconds"])

    def _explain(self, name: str, method: str, seed: int, model: KeptModel, file: Path) -> dict[str, Any]:
        data, explainer = self.data(name, seed), explainer_of(method, seed, self.settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ProtographWarning)
            begun = time.perf_counter()
            explainer.fit(model.model, data[model.train])
            fitted = time.perf_counter()
            explanations = explain_each(explainer, SETS[name].targets if name in SETS else None)
            ended = time.perf_counter()
        explanations.save(file)
        return {"fit_seconds": fitted - begun, "seconds": ended - fitted}

    def world_model(self, name: str, seed: int) -> WorldModel | None:
        """The model of a planted world, trained once and kept; ``None`` where none has learned it."""
        path = self._path("worlds", f"{name}-seed{seed}.pt")
        with _alone(path):
            return world_model(path, WORLDS[name], seed, self.settings)

    def make(self, need: Need) -> None:
        """Train what a cell needs, unless it is there."""
        if need.kind == "model":
            self.model(need.name, need.seed)
        else:
            self.sweep(need.name, need.kind, need.seed)

    def _made_from(self, name: str, seed: int) -> dict[str, Any]:
        return {
            "data": self._with_fingerprint(name, seed)[1],
            "seed": seed,
            "max_epochs": self.settings.max_epochs,
            "versions": versions(),
        }

    def _path(self, *parts: str) -> Path:
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def _remembered(memory: dict[Hashable, Value], key: Hashable, most: int, make: Callable[[], Value]) -> Value:
    """What is in memory, or else made; the one that was used longest ago goes where there would be too many."""
    value = memory.pop(key) if key in memory else make()
    while len(memory) >= most:
        del memory[next(iter(memory))]
    memory[key] = value
    return value


def explain_each(explainer: Explainer, targets: tuple[int, ...] | None) -> Explanations:
    """The explanations of some classes, or of all; those that could not be explained with the reason."""
    if targets is None:
        return explainer.explain_all()
    found, not_explained = {}, {}
    for target in targets:
        try:
            found[target] = explainer.explain(target)
        except ValueError as error:  # such as a model that predicts no graph as the class
            not_explained[target] = str(error)
    return Explanations(found, not_explained=not_explained)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep other processes from making the same, and wait while one does."""
    lock = path.with_suffix(".lock")
    while True:
        try:
            held = locked_file(lock)
            break
        except HeldError:
            time.sleep(LOOK)
    try:
        yield
    finally:
        if held is not None:
            os.close(held)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
