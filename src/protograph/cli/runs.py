"""What a run was made of: written beside its results, read to judge them."""

import json
from collections.abc import Sequence
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
