"""What a cell is given to work with: data sets, trained models, sweeps and explanations, each made once and kept."""

import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import joblib
from filelock import FileLock

import protograph as pg
from research.certificate import versions
from research.paper.corrupted import corrupted
from research.paper.settings import SETS, Settings
from research.worlds.catalogue import WORLDS
from research.worlds.nets import WorldModel, world_model

# What the paper gives a class: two prototypes.
NUM_PROTOTYPES = 2
# A quick run has generators stop early: it shows that all works, not what comes out.
QUICK_OPTIONS = {
    "xgnn": {"num_epochs": 1, "num_rollouts": 1, "max_nodes": 5},
    "gnninterpreter": {"num_iterations": 10, "max_nodes": 5},
}
TITLES = {
    "walk": "PAGE (walk)",
    "page": "PAGE (default)",
    "xgnn": "XGNN",
    "gnninterpreter": "GNNInterpreter",
    "random": "random subgraphs",
}
# The same where rules are measured too: our default with all that it gives.
WITH_RULES = {"rules" if name == "page" else name: title for name, title in TITLES.items()}
# What the paper calls the ones that it has.
IN_PAPER = {"walk": "PAGE", "page": "PAGE", "xgnn": "XGNN"}


def explainer_of(method: str, seed: int, is_quick: bool = False) -> pg.Explainer:
    """The explainer of that name with its defaults, and with the paper's two prototypes where it cannot tell."""
    options = QUICK_OPTIONS.get(method, {}) if is_quick else {}
    two: Any = {"num_prototypes": NUM_PROTOTYPES, "random_state": seed}
    makers: Mapping[str, Callable[[], pg.Explainer]] = {
        "walk": lambda: pg.PAGE(search="walk", num_clusters=NUM_PROTOTYPES, random_state=seed),
        # Its prototypes do not depend on reasons, which take longer than they do.
        "page": lambda: pg.PAGE(max_reasons=0, random_state=seed),
        "rules": lambda: pg.PAGE(random_state=seed),
        "xgnn": lambda: pg.baselines.XGNN(**two, **options),
        "gnninterpreter": lambda: pg.baselines.GNNInterpreter(**two, **options),
        "random": lambda: pg.baselines.RandomSubgraph(**two),
    }
    return makers[method]()


@dataclass(frozen=True)
class ModelSpec:
    """A model of a data set: the paper's GCN, or one of a sweep.

    Attributes:
        name: The data set.
        seed: Of data, split and weights, and of the choice of wrong labels.
        hidden: Widths of its layers; the paper's if ``None``.
        wrong_percent: How many of its training labels are wrong.
    """

    name: str
    seed: int
    hidden: tuple[int, ...] | None = None
    wrong_percent: int = 0


@dataclass(frozen=True, eq=False)
class Explained:
    """What an explainer gave for a model, and its seconds, those of ``fit`` apart."""

    explanations: pg.Explanations
    seconds: float
    fit_seconds: float


class Lab:
    """Gives cells what they work with; files in one folder, shared by all processes of a run.

    Args:
        folder: For models, explanations and results.
        settings: What was asked to be measured.
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        self.folder, self.settings = folder, settings
        # So many stay in memory, the last used.
        self.data = lru_cache(maxsize=2)(self._data)
        self.model = lru_cache(maxsize=32)(self._model)

    def kept(self, kind: str, name: str, facts: Mapping[str, Any], make: Callable[[], Any]) -> Any:
        """What ``make`` gives, from its file if it was made before: from the same facts, by the same versions.

        Another process that wants the same waits. A file appears whole or not at all.
        """
        whole = {"kind": kind, "name": name, "is_quick": self.settings.is_quick, "versions": versions(), **facts}
        path = self.folder / kind / f"{name}-{joblib.hash(whole)[:12]}.joblib"
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                partial = path.with_suffix(f".{os.getpid()}.tmp")
                joblib.dump(make(), partial)
                partial.replace(path)
        return joblib.load(path)

    def _data(self, name: str, seed: int) -> pg.datasets.GraphDataset:
        """A data set, all of it or as much as the settings take; only generated ones depend on the seed."""
        whole = pg.datasets.load(name, self.settings.data_root, random_state=seed, num_graphs=self.settings.num_graphs)
        stride = self.settings.stride(name)
        return whole[::stride] if stride > 1 else whole

    def _model(self, spec: ModelSpec) -> pg.Trained:
        """The model, trained once and kept. Its split is that of the paper's GCN with the same seed."""
        label = "x".join(map(str, (*(spec.hidden or ("paper",)), spec.wrong_percent)))
        facts = {"spec": spec, "max_epochs": self.settings.max_epochs, "stride": self.settings.stride(spec.name)}
        return self.kept("models", f"{spec.name}-seed{spec.seed}-{label}", facts, lambda: self._train(spec))

    def _train(self, spec: ModelSpec) -> pg.Trained:
        data = self.data(spec.name, spec.seed)
        if spec.wrong_percent:  # of training graphs alone: test accuracies are on right labels
            train = self.model(ModelSpec(spec.name, spec.seed)).split.train
            data = replace(data, graphs=corrupted(data, spec.wrong_percent / 100, spec.seed, among=train))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pg.ProtographWarning)
            return pg.train(
                data,
                hidden=spec.hidden or data.hidden,
                random_state=spec.seed,
                max_epochs=self.settings.max_epochs,
                device=self.settings.device,
            )

    def train_graphs(self, name: str, seed: int) -> pg.datasets.GraphDataset:
        """The graphs that the paper's GCN was trained on: what it is explained with."""
        return self.data(name, seed)[self.model(ModelSpec(name, seed)).split.train]

    def rest(self, name: str, seed: int) -> pg.datasets.GraphDataset:
        """The graphs that it was not trained on."""
        split = self.model(ModelSpec(name, seed)).split
        return self.data(name, seed)[sorted([*split.validation.tolist(), *split.test.tolist()])]

    def explained(self, name: str, method: str, seed: int) -> Explained:
        """What an explainer gives for the paper's GCN on its training graphs, made once and kept."""
        targets = SETS[name].targets if name in SETS else None

        def explain() -> Explained:
            model, graphs = self.model(ModelSpec(name, seed)).model, self.train_graphs(name, seed)
            return explain_model(explainer_of(method, seed, self.settings.is_quick), model, graphs, targets)

        facts = {"spec": ModelSpec(name, seed), "max_epochs": self.settings.max_epochs, "method": method}
        facts["stride"] = self.settings.stride(name)
        return self.kept("explained", f"{name}-{method}-seed{seed}", facts, explain)

    def world_model(self, name: str, seed: int) -> WorldModel | None:
        """The model of a planted world, trained once and kept; ``None`` where none has learned it."""
        world, settings = WORLDS[name], self.settings
        if settings.is_quick:
            world = replace(world, num_graphs=settings.num_graphs)
        return self.kept(
            "worlds", f"{name}-seed{seed}", {}, lambda: world_model(world, seed, settings.is_quick, settings.device)
        )


def swept(name: str, seed: int, settings: Settings) -> tuple[list[ModelSpec], list[ModelSpec]]:
    """The models of the sweeps: every combination of widths (consistency), every level of wrong labels (faithfulness).

    >>> [len(one) for one in swept("benzene", 0, Settings())]
    [64, 11]
    """
    widths = product(settings.widths(name), repeat=SETS[name].num_layers)
    wrong = settings.wrong_percent(name)
    return [ModelSpec(name, seed, one) for one in widths], [ModelSpec(name, seed, None, one) for one in wrong]


def explain_model(explainer: pg.Explainer, model: Any, graphs: Any, targets: tuple[int, ...] | None) -> Explained:
    """The explanations of some classes, or of all; those that could not be explained with the reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        begun = time.perf_counter()
        explainer.fit(model, graphs)
        fitted = time.perf_counter()
        found, not_explained = {}, {}
        if targets is None:
            explanations = explainer.explain_all()
        else:
            for target in targets:
                try:
                    found[target] = explainer.explain(target)
                except ValueError as error:  # such as a model that predicts no graph as the class
                    not_explained[target] = str(error)
            explanations = pg.Explanations(found, not_explained=not_explained)
        return Explained(explanations, time.perf_counter() - fitted, fitted - begun)
