"""A run: what ``protograph explain`` was called with, and the folder that it wrote."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protograph._utils.run_folder import read_manifest, sha256_of

if TYPE_CHECKING:
    from torch import nn
    from torch_geometric.data import Data

    from protograph.models.classifier import GraphClassifier

EXPLANATION, REPORT, MODEL, SPLIT = "explanation.json", "report.html", "model.pt", "split.json"
LEFT_OUT = "left_out.csv"
MANIFEST = "run.json"
PARTS = ("train", "validation", "test")


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
    task: int | None = None

    def __post_init__(self) -> None:
        if self.model is None and (self.weights is not None or self._said):
            raise ValueError("--weights, --return-type and --task are for a model of yours; give it with --model")

    @property
    def _said(self) -> dict[str, Any]:
        """What was said of the model."""
        return {
            name: getattr(self, name) for name in ("return_type", "task") if getattr(self, name) not in (None, "auto")
        }

    def wrapped(self, model: "nn.Module | GraphClassifier") -> "GraphClassifier":
        """The model as explainers and metrics take it; what the command says of it goes before what the code says."""
        from protograph.models.classifier import GraphClassifier, as_classifier

        given = as_classifier(model)
        options = {"return_type", "node_embeddings", "graph_embeddings", "task"}
        return GraphClassifier(given.model, **{name: getattr(given, name) for name in options} | self._said)

    def default_folder(self) -> str:
        """Name of the folder for results: another one for each column of classes.

        >>> Run(data="data/tox21.csv.gz", seed=0, label_column="NR/AR").default_folder()
        'tox21-NR-AR'
        >>> Run(data="PTC_MR", seed=0).default_folder(), Run(data="folder/", seed=0).default_folder()
        ('PTC_MR', 'folder')
        """
        column = "" if self.label_column is None else f"-{self.label_column}"
        return name_of(self.data) + "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in column)

    def inputs(self) -> dict[str, Path]:
        """The files and folders that it names, by the name of the field."""
        from protograph.datasets.registry import is_known

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
        sums = {field: sha256_of(path) for field, path in inputs.items() if path.is_file()}
        return asdict(self) | {field: str(path.resolve()) for field, path in inputs.items()} | {"sums": sums}


def name_of(name_or_path: str) -> str:
    """What data are called, without folders and endings."""
    return Path(name_or_path).name.removesuffix(".gz").rsplit(".", 1)[0] or "graphs"


@dataclass(frozen=True)
class RunFolder:
    """A run as it was written.

    Attributes:
        path: The folder.
        run: What it was made of.
        files: The files of the run with their sums.
        sums: The sums of the files that it was made of, by the field of the run.
    """

    path: Path
    run: Run
    files: Mapping[str, str]
    sums: Mapping[str, str]

    def file(self, name: str) -> Path:
        """Path of a file that the run has, and that is as it was written.

        Raises:
            FileNotFoundError: If it is gone.
            ValueError: If the run has none of that name, or it was changed.
        """
        path = self.path / name
        if name not in self.files:
            raise ValueError(f"{self.path / MANIFEST} does not name {name}, so the run has none; explain again")
        if not path.is_file():
            raise FileNotFoundError(f"{path} is gone, which {MANIFEST} names; explain again")
        if sha256_of(path) != self.files[name]:
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
            if field in fields and path.is_file() and sha256_of(path) != self.sums.get(field):
                raise ValueError(f"{path} has changed since {self.path} was made of it; explain again")

    def parts(self, graphs: Any) -> "tuple[Sequence[Data], Sequence[Data]]":
        """The graphs explained, and those to judge by: the others, or the same where none were held out."""
        if SPLIT not in self.files:
            return graphs, graphs
        split = json.loads(self.file(SPLIT).read_text())
        return graphs[split["train"]], graphs[sorted(split["validation"] + split["test"])]


def read_run(folder: Path) -> RunFolder:
    """The run in a folder.

    Raises:
        FileNotFoundError: If the folder has no run.
        ValueError: If its file is damaged.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise FileNotFoundError(f"{folder} has no {path.name}; give a folder that `protograph explain` has written")
    try:
        content = read_manifest(folder, MANIFEST)
        run = Run(**{field.name: content[field.name] for field in fields(Run)})
        sums = {str(field): str(text) for field, text in content["sums"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged ({error}); explain again") from error
    return RunFolder(folder, run, content["files"], sums)
