"""The folder of a run: it appears whole or not at all, and says what the run was made of."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from torch import nn
from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.models.classifier import GraphClassifier
from protograph.training.split import PARTS, Split

FILE = "run.json"
SPLIT_FILE = "split.json"
# What a run may leave out, so that an earlier run's files must not stay beside it.
OWN_FILES = ("class*-prototype*.png", "model.pt", SPLIT_FILE, "left-out.csv")


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
        skip_invalid: Whether rows of a table were left out.
        return_type: What the model's outputs were said to be.
    """

    data: str
    seed: int
    model: str | None = None
    weights: str | None = None
    smiles_column: str | None = None
    label_column: str | None = None
    skip_invalid: bool = False
    return_type: str = "auto"

    def __post_init__(self) -> None:
        if self.model is None and (self.weights is not None or self.return_type != "auto"):
            raise ValueError("--weights and --return-type are for a model of yours; give it with --model")

    def wrapped(self, model: nn.Module) -> GraphClassifier:
        """The model as explainers and metrics take it."""
        return_type: Any = self.return_type
        return GraphClassifier(model, return_type=return_type)

    def write(self, folder: Path) -> None:
        """Write it into the folder of the run; paths hold wherever the next command is called."""
        content = asdict(self)
        for name in ("data", "model", "weights"):
            if content[name] is not None and Path(content[name]).exists():
                content[name] = str(Path(content[name]).resolve())
        (folder / FILE).write_text(json.dumps(content))


def read_run(folder: Path) -> Run:
    """What :meth:`Run.write` wrote.

    Raises:
        FileNotFoundError: If the folder has no run.
        ValueError: If its file is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {FILE}; give a folder that `protograph explain` has written")
    try:
        content = json.loads(path.read_text())
        return Run(**{field.name: content[field.name] for field in fields(Run)})
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is damaged ({error}); explain again") from error


def write_split(split: Split, folder: Path) -> None:
    """Write into the folder of a run which graphs were trained on."""
    (folder / SPLIT_FILE).write_text(json.dumps({part: getattr(split, part).tolist() for part in PARTS}))


def read_parts(folder: Path, graphs: Any) -> tuple[Sequence[Data], Sequence[Data]]:
    """The graphs that were explained, and those to judge by: the others, or the same where none were held out."""
    if not (folder / SPLIT_FILE).is_file():
        return graphs, graphs
    split = json.loads((folder / SPLIT_FILE).read_text())
    take = graphs.__getitem__ if isinstance(graphs, GraphDataset) else lambda part: [graphs[i] for i in part]
    return take(split["train"]), take(sorted(split["validation"] + split["test"]))


@contextmanager
def whole_folder(folder: Path, keep: str | None = None) -> Iterator[Path]:
    """Yield a temporary folder whose files move to ``folder`` at the end, and vanish on any error.

    It is made at once: whether it can be written is known before hours of work, not after. What an earlier run has
    left is removed, except for the file ``keep``; all else stays.
    """
    made = [parent for parent in folder.parents if not parent.exists()]
    if folder.exists() and not folder.is_dir():
        raise OSError(f"cannot write to {folder}: it is a file, not a folder; choose another --out")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(folder if folder.exists() else folder.parent, os.W_OK):
            raise PermissionError("no permission")
        partial = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise OSError(f"cannot write to {folder}: {error.strerror or error}; choose another --out") from None
    try:
        yield partial
        folder.mkdir(exist_ok=True)
        for stale in [path for pattern in OWN_FILES for path in folder.glob(pattern)]:
            if keep is None or stale.resolve() != Path(keep).resolve():
                stale.unlink()
        for file in sorted(partial.iterdir()):
            os.replace(file, folder / file.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        for parent in made:
            if not any(parent.iterdir()):
                parent.rmdir()
