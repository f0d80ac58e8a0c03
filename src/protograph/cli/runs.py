"""What a run was made of: written beside its results, read to judge them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from torch_geometric.data import Data

from protograph.datasets import GraphDataset

FILE = "run.json"


@dataclass(frozen=True, kw_only=True)
class Run:
    """What ``protograph explain`` was called with, as far as data and model go.

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

    def write(self, folder: Path) -> None:
        """Write it into the folder of the run."""
        (folder / FILE).write_text(json.dumps(asdict(self)))

    def has_split(self, folder: Path) -> bool:
        """Whether graphs were held out."""
        return (folder / "split.json").is_file()

    def parts(self, folder: Path, graphs: Sequence[Data]) -> tuple[Sequence[Data], Sequence[Data]]:
        """The graphs that were explained, and those to judge by: the others, or the same where none were held out."""
        if not self.has_split(folder):
            return graphs, graphs
        split = json.loads((folder / "split.json").read_text())
        rest = sorted(split["validation"] + split["test"])
        return _selected(graphs, split["train"]), _selected(graphs, rest)


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


def _selected(graphs: Sequence[Data], chosen: Sequence[int]) -> Sequence[Data]:
    return graphs[chosen] if isinstance(graphs, GraphDataset) else [graphs[index] for index in chosen]
