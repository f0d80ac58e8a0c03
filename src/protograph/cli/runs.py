"""The folder of a run: it appears whole or not at all, and says what the run was made of."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from torch import nn
from torch_geometric.data import Data

from protograph._base.manifest import Files, FolderKind, facts_of, read_manifest
from protograph._base.publishing import OpenFolder, open_folder, settle
from protograph.datasets import is_known
from protograph.explanation.codec import read
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.training import load_model
from protograph.training.split import PARTS, Split

EXPLANATION, REPORT, MODEL, SPLIT = "explanation.json", "report.html", "model.pt", "split.json"
LEFT_OUT = "left_out.csv"
KIND = FolderKind(
    manifest="run.json",
    format="protograph-run",
    names=re.compile(
        r"run\.json|explanation\.json|report\.html|prototypes\.png|class\d+-prototype\d+\.png|model\.pt|split\.json|"
        r"prototypes\.csv|prototypes\.sdf|reasons\.csv|graphs\.csv|left[-_]out\.csv"  # an older run has left-out.csv
    ),
)
OTHER_OUT = "choose another --out"
_OPTIONS_OF_A_MODEL = ("return_type", "node_embeddings", "graph_embeddings", "task")
# What runs of an earlier version do not say.
_LATER = frozenset({"node_embeddings", "graph_embeddings", "task"})


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a command was called with, as far as data and model go.

    Attributes:
        data: Name of the data set, or the path of a file.
        seed: Seed of data, training and explainer.
        model: The model that was given; ``None`` where one was trained.
        weights: The weights that were given.
        smiles_column: Column of SMILES of a table.
        label_column: Column of classes of a table.
        id_column: Column of a table that says what each molecule is called.
        skip_invalid: Whether rows of a table were left out.
        names: File with names of columns and classes.
        return_type: What the model's outputs were said to be.
        node_embeddings: Module whose output was said to be the node embeddings.
        graph_embeddings: Module whose input was said to be the graph embeddings.
        task: The task that was explained, of a model of several.
    """

    data: str
    seed: int
    model: str | None = None
    weights: str | None = None
    smiles_column: str | None = None
    label_column: str | None = None
    id_column: str | None = None
    skip_invalid: bool = False
    names: str | None = None
    return_type: str = "auto"
    node_embeddings: str | None = None
    graph_embeddings: str | None = None
    task: int | None = None

    def __post_init__(self) -> None:
        if self.model is None and (self.weights is not None or self._said):
            raise ValueError(
                "--weights, --return-type, --node-embeddings, --graph-embeddings and --task are for a model of yours; "
                "give it with --model"
            )

    @property
    def _said(self) -> dict[str, Any]:
        """What was said of the model."""
        options = {name: getattr(self, name) for name in _OPTIONS_OF_A_MODEL}
        return {name: value for name, value in options.items() if value not in (None, "auto")}

    def wrapped(self, model: nn.Module | GraphClassifier) -> GraphClassifier:
        """The model as explainers and metrics take it; what the command says of it goes before what the code says."""
        given = as_classifier(model)
        return GraphClassifier(given.model, **{name: getattr(given, name) for name in _OPTIONS_OF_A_MODEL} | self._said)

    def inputs(self) -> dict[str, Path]:
        """The files and folders that it names, by the name of the field."""
        # A data set's name wins over a folder that is called the same; ./name is the folder.
        is_name = "/" not in self.data and not Path(self.data).is_file() and is_known(self.data)
        named = {"data": None if is_name else self.data}
        named |= {field: getattr(self, field) for field in ("model", "weights", "names")}
        return {field: Path(text) for field, text in named.items() if text and Path(text).exists()}

    def as_json(self) -> dict[str, Any]:
        """What the folder of the run keeps of it.

        Paths hold wherever the next command is called, and the sums of files tell whether they are the same then.
        """
        inputs = self.inputs()
        sums = {field: facts.sha256 for field, path in inputs.items() if (facts := facts_of(path.resolve()))}
        return asdict(self) | {field: str(path.resolve()) for field, path in inputs.items()} | {"sums": sums}


@dataclass(frozen=True)
class RunFolder:
    """A run as it was written.

    Attributes:
        path: The folder.
        run: What it was made of.
        files: The files of the run.
        content: What is kept of the run besides, as :meth:`Run.as_json` gave it.
    """

    path: Path
    run: Run
    files: Files
    content: Mapping[str, Any]

    def file(self, name: str) -> Path:
        """Path of a file that the run has, and that is as it was written.

        Raises:
            FileNotFoundError: If it is gone.
            ValueError: If the run has none of that name, or it was changed.
        """
        path = self.path / name
        if name not in self.files:
            raise ValueError(f"{self.path / KIND.manifest} does not name {name}, so the run has none; explain again")
        if not path.exists():
            raise FileNotFoundError(f"{path} is gone, which {KIND.manifest} names; explain again")
        if facts_of(path) != self.files[name]:
            raise ValueError(f"{path} is not the file that the run wrote, it was changed since; explain again")
        return path

    def check_inputs(self, fields: Collection[str]) -> None:
        """Check that the files that the run was made of are still the same, as far as they are there.

        Args:
            fields: Those of the run whose files count.

        Raises:
            ValueError: If one has changed.
        """
        for field, path in self.run.inputs().items():
            facts = facts_of(path) if field in fields else None
            if facts is not None and facts.sha256 != self.content["sums"].get(field, facts.sha256):
                raise ValueError(f"{path} has changed since {self.path} was made of it; explain again")

    def parts(self, graphs: Any) -> tuple[Sequence[Data], Sequence[Data]]:
        """The graphs explained, and those to judge by: the others, or the same where none were held out."""
        if SPLIT not in self.files:
            return graphs, graphs
        split = json.loads(self.file(SPLIT).read_text())
        return graphs[split["train"]], graphs[sorted(split["validation"] + split["test"])]


def read_run(folder: Path) -> RunFolder:
    """The run in a folder; what a killed command began there is finished or undone first.

    Raises:
        FileNotFoundError: If the folder has no run.
        ValueError: If its file is damaged.
    """
    if folder.is_dir():
        settle(folder, KIND)
    path = folder / KIND.manifest
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {path.name}; give a folder that `protograph explain` has written")
    try:
        content = read_manifest(folder, KIND)
        earlier = {name: None for name in _LATER if name not in content}
        run = read({field.name: (content | earlier)[field.name] for field in fields(Run)}, Run, "the run")
        content["sums"] = read(content["sums"], Mapping[str, str], "sums")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged ({error}); explain again") from error
    return RunFolder(folder, run, content.pop("files"), content)


def split_text(split: Split) -> str:
    """Which graphs were trained on, as the folder of a run keeps it."""
    return json.dumps({part: getattr(split, part).tolist() for part in PARTS})


def check_model_out(out: Path, inputs: Iterable[Path]) -> None:
    """Check that a model may be written to a file: to a new one, or in place of a model that no run needs.

    Args:
        out: The file.
        inputs: Files and folders that are read.

    Raises:
        ValueError: If it may not.
    """
    for path in inputs:
        place = out.parent if path.is_dir() else out
        if place.exists() and path.samefile(place):
            raise ValueError(f"--out {out} is or would be part of the data in {path}; {OTHER_OUT}")
    if not out.exists() or out.is_dir():  # a folder is refused where the file is made
        return
    try:
        is_of_a_run = out.name in read_run(out.parent).files
    except (OSError, ValueError):
        is_of_a_run = False
    if is_of_a_run:
        raise ValueError(f"--out {out} is part of the run in {out.parent}; {OTHER_OUT}")
    try:
        load_model(out)
    except (OSError, ValueError):
        raise ValueError(f"--out {out} is there and is not a model of `protograph train`; {OTHER_OUT}") from None


def open_run(folder: Path, inputs: Iterable[Path]) -> AbstractContextManager[OpenFolder]:
    """Open a folder to write a run to; nothing that the command reads may be lost by it.

    Args:
        folder: The folder.
        inputs: Files and folders that are read.
    """
    for path in inputs if folder.is_dir() else ():
        if path.is_dir() and path.samefile(folder):
            raise ValueError(f"--out {folder} is a folder that is read from; {OTHER_OUT}")
        real = path.resolve()
        if real.parent.samefile(folder) and KIND.names.fullmatch(real.name.lower()):
            raise ValueError(f"{path} is read, but --out {folder} may replace or remove it; {OTHER_OUT}")
    return open_folder(folder, KIND, way_out=OTHER_OUT)
