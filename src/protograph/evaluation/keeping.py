"""What a comparison keeps between runs: models and figures, found again only by all that they were made from."""

import hashlib
import inspect
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from protograph._base.files import atomic_path
from protograph._base.version import __version__
from protograph.datasets import GraphDataset
from protograph.datasets.dataset import LazyGraphs
from protograph.explainer import Explainer
from protograph.explanation import Explanations
from protograph.explanation.storage import load
from protograph.graphs.fingerprint import content_hash
from protograph.training import GCN, Trained, load_model
from protograph.training.gcn import load_facts, save_model

FORMAT = "protograph-comparison-figures"
# Another version of any of them may give another model, or other prototypes of it.
PACKAGES = ("torch", "torch_geometric", "numpy", "scikit-learn", "numba")
Rows = list[dict[str, Any]]
# Packages whose version tells their code.
OURS = ("protograph", "builtins", "abc")


def versions() -> dict[str, str]:
    """Versions of this package and of those that its answers depend on."""
    return {"protograph": __version__} | {name: _installed(name) for name in PACKAGES}


@cache
def _installed(name: str) -> str:
    """Read once: hundreds of kept models ask for it."""
    return metadata.version(name)


def fingerprint(data: GraphDataset) -> str:
    """Tells data sets apart by all their content: every graph, and all that is known of them.

    Graphs that are made when they are asked for are told apart by what they are made from.
    """
    facts = {field.name: getattr(data, field.name) for field in fields(data) if field.name != "graphs"}
    graphs = data.graphs.content if isinstance(data.graphs, LazyGraphs) else data.graphs
    return f"{data.name}, {len(data)} graphs, {content_hash(facts, graphs)}"


@dataclass(frozen=True, eq=False)
class KeptModel:
    """A model from its file, with what was written there beside it.

    Attributes:
        model: The model.
        train: Positions of the graphs it was trained on.
        rest: Positions of the others.
        test_accuracy: Its accuracy on the test graphs, if there are any.
        key: Tells it apart by its weights, by these facts, and by what it was made from.
    """

    model: GCN
    train: list[int]
    rest: list[int]
    test_accuracy: float | None
    key: str


def keep_model(path: Path, trained: Trained, made_from: Mapping[str, Any]) -> None:
    """Write a model and its facts to one file, whole or not at all."""
    split = trained.split
    facts = {
        "made_from": dict(made_from),
        "train": split.train.tolist(),
        "rest": sorted(split.validation.tolist() + split.test.tolist()),
        "test_accuracy": trained.test_accuracy,
    }
    save_model(trained, path, facts)


def kept_model(path: Path, made_from: Mapping[str, Any]) -> KeptModel | None:
    """The model in a file, unless it was made from something else or there is no such file."""
    facts = load_facts(path) if path.is_file() else None
    if facts is None or facts.get("made_from") != made_from:
        return None
    model = load_model(path)
    key = content_hash(facts, model.state_dict(), model.hidden, model.feature_names, model.class_names)
    return KeptModel(model, facts["train"], facts["rest"], facts["test_accuracy"], key)


def file_stem(name: str) -> str:
    """What the files of an explainer are called after.

    >>> file_stem("page"), file_stem("mine.deep:Mine2")
    ('page', 'mine-deep-mine2')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


@dataclass(frozen=True)
class ModelKey:
    """What tells a model apart, without the model."""

    key: str


class HasKey(Protocol):
    """A model that can be told apart."""

    @property
    def key(self) -> str:
        """Tells it apart from all others."""


def code_hash(thing: Any) -> str | None:
    """Tells code apart by the files that a function, or a class and its bases, are written in; ``None`` for our own.

    >>> import math
    >>> code_hash(Explainer) is None, code_hash(math.sin) == code_hash(math.sin)
    (True, False)
    """
    kinds = thing.__mro__ if isinstance(thing, type) else (thing,)
    others = [one for one in kinds if getattr(one, "__module__", "").partition(".")[0] not in OURS]
    if not others:
        return None
    contents = [str(getattr(one, "__qualname__", type(one))).encode() for one in others]
    for one in others:
        try:
            contents.append(Path(inspect.getfile(one)).read_bytes())
        except (TypeError, OSError):  # not written in a file that can be read: like nothing else
            contents.append(uuid4().bytes)
    return content_hash(contents)


@dataclass(frozen=True)
class KeptFigures:
    """The files of one explainer on one seed: its prototypes, and figures that name them by their checksum."""

    folder: Path
    name: str
    seed: int

    @property
    def figures(self) -> Path:
        """File of the figures."""
        return self.folder / f"{file_stem(self.name)}-seed{self.seed}.json"

    @property
    def prototypes(self) -> Path:
        """File of the prototypes."""
        return self.folder / f"{file_stem(self.name)}-seed{self.seed}-prototypes.json"

    def made_from(
        self,
        explainer: Explainer,
        model: HasKey,
        with_robustness: bool,
        metrics: Mapping[str, Any] | None = None,
        *,
        is_quick: bool = False,
        device: str | None = None,
    ) -> dict[str, Any]:
        """All that the figures depend on; code that is not of this package counts by its files.

        The device, where one was asked for, is what the seconds depend on.
        """
        kind = type(explainer)
        own = {"metrics": {name: code_hash(one) for name, one in metrics.items()}} if metrics else {}
        code = {} if (files := code_hash(kind)) is None else {"code": files}
        return (
            own
            | code
            | ({"is_quick": True} if is_quick else {})
            | ({} if device is None else {"device": device})
            | {
                "name": self.name,
                "seed": self.seed,
                "explainer": f"{kind.__module__}.{kind.__qualname__}",
                "options": content_hash(dict(explainer._options())),
                "model": model.key,
                "with_robustness": with_robustness,
                "versions": versions(),
            }
        )

    @property
    def model(self) -> ModelKey:
        """What tells the model apart that the figures in the file are of; empty where there are none."""
        made_from = _read_json(self.figures).get("made_from")
        return ModelKey(str(made_from["model"]) if isinstance(made_from, dict) and "model" in made_from else "")

    def read(self, made_from: Mapping[str, Any]) -> Rows | None:
        """The figures, unless they were made from something else or their prototypes are not beside them."""
        content = _read_json(self.figures)
        is_same = content.get("made_from") == made_from and content.get("prototypes") == _checksum(self.prototypes)
        return content["rows"] if is_same else None

    def write(self, made_from: Mapping[str, Any], rows: Rows, explanations: Explanations) -> None:
        """Write both; where only the prototypes could be written, the figures of others before them do not count."""
        explanations.save(self.prototypes)
        content = {
            "format": FORMAT,
            "made_from": made_from,
            "prototypes": _checksum(self.prototypes),
            "rows": rows,
        }
        with atomic_path(self.figures) as partial:
            partial.write_text(json.dumps(content))

    def explanations(self) -> Explanations:
        """The prototypes.

        Raises:
            ValueError: If they are not those that the figures are of.
        """
        if _read_json(self.figures).get("prototypes") != _checksum(self.prototypes):
            raise ValueError(f"{self.prototypes} has other prototypes than {self.figures.name} is of; compare again")
        loaded = load(self.prototypes)
        return loaded if isinstance(loaded, Explanations) else Explanations({loaded.target: loaded})


def check_ours(models: Iterable[Path], figures: Iterable[KeptFigures]) -> None:
    """Check that nothing but what a comparison wrote will be replaced.

    Raises:
        FileExistsError: If another file has the name of one that will be written; a damaged one may be another.
    """
    files = list(figures)
    foreign = [
        *(path for path in models if path.exists() and (not path.is_file() or load_facts(path) is None)),
        *(one.figures for one in files if one.figures.exists() and _read_json(one.figures).get("format") != FORMAT),
        *(one.prototypes for one in files if one.prototypes.exists() and not _is_explanation(one.prototypes)),
    ]
    if foreign:
        raise FileExistsError(
            f"{foreign[0]} is damaged, or not from a comparison, and would be replaced; move it away, or choose "
            f"another folder"
        )


def _is_explanation(path: Path) -> bool:
    try:
        load(path)
    except (ValueError, OSError):
        return False
    return True


def _read_json(path: Path) -> Mapping[str, Any]:
    """The object in a file; an empty one where there is none."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _checksum(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
