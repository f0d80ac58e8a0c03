"""What the user names on the command line: graphs and models, and whether they fit together."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch_geometric.data import Data

from protograph import datasets
from protograph._base.progress import Progress
from protograph._base.words import clean_name
from protograph.cli.importing import error_text, imported, is_attribute
from protograph.cli.names import read_names_file
from protograph.cli.runs import Run
from protograph.graphs.names import num_columns
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.models.model_state import load_weights
from protograph.training import load_model

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
OTHER = "#8A8A8A"  # the colour of what does not occur


@dataclass(frozen=True)
class Loaded:
    """The graphs, and the rows that were left out on the way."""

    graphs: datasets.GraphDataset
    left_out: tuple[datasets.LeftOut, ...] = ()


def load_graphs(run: Run, data_root: Path | None = None, progress: Progress | None = None) -> Loaded:
    """Return the data set of that name, or the graphs in that file or folder.

    Args:
        run: What the user has named, and how to read it.
        data_root: Folder with the files of named data sets.
        progress: Told how far a download or a generated data set is.
    """
    if not run.data.strip():
        raise ValueError("NAME_OR_PATH must be a data set's name or a file or folder, got an empty text")
    path = Path(run.data)
    is_folder = path.is_dir() and "data" in run.inputs()
    is_table = path.name.lower().endswith(TABLES)
    if run.names is not None and path.suffix.lower() != ".pt" and not is_folder and not is_table:
        raise ValueError(f"--names is for files and folders of yours, got {run.data}, which has names of its own")
    if is_table:
        columns = {"smiles_column": run.smiles_column, "label_column": run.label_column, "id_column": run.id_column}
        given = {name: column for name, column in columns.items() if column is not None}
        table = datasets.read_table(path, skip_invalid=run.skip_invalid, **given)
        return Loaded(_with_class_names(run, table.dataset), table.left_out)
    if run.smiles_column or run.label_column or run.id_column or run.skip_invalid:
        raise ValueError(
            f"--smiles-column, --label-column, --id-column and --skip-invalid are for tables ({', '.join(TABLES)}), "
            f"got {run.data}"
        )
    if path.suffix.lower() == ".pt":
        return Loaded(_named(run, datasets.read_graphs(path)))
    if is_folder:
        return Loaded(_named(run, datasets.ShardedGraphs(path)))
    if path.is_file():
        raise ValueError(
            f"{path} must be a .pt file with a list of graphs, a folder of such, or a table ({', '.join(TABLES)})"
        )
    if "/" in run.data:
        raise FileNotFoundError(f"there is no file or folder {path}")
    return Loaded(datasets.load(run.data, data_root, random_state=run.seed, progress=progress))


def _with_class_names(run: Run, dataset: datasets.GraphDataset) -> datasets.GraphDataset:
    """A table's molecules, whose atoms and bonds have names of their own, with the names of classes that were given."""
    if run.names is None:
        return dataset
    names = read_names_file(Path(run.names))
    given, wanted = names.get("class_names"), len(dataset.class_names)
    if set(names) != {"class_names"} or not isinstance(given, list) or len(given) != wanted:
        raise ValueError(
            f"--names of a table must have class_names alone, a list of {wanted}: one for each of "
            f"{', '.join(map(clean_name, dataset.class_names))}"
        )
    return replace(dataset, class_names=tuple(map(str, given)))


def _named(run: Run, graphs: Sequence[Data]) -> datasets.GraphDataset:
    """Graphs from files, with the names that the user gave for them."""
    names = {} if run.names is None else read_names_file(Path(run.names))
    try:
        return datasets.GraphDataset(graphs=graphs, name=name_of(run.data), source=Path(run.data).name, **names)
    except (TypeError, ValueError) as error:
        if run.names is None:
            raise
        raise ValueError(f"--names {run.names}: {error}") from error


def name_of(name_or_path: str) -> str:
    """Name of the folder for results.

    >>> name_of("data/molecules.csv.gz"), name_of("PTC_MR"), name_of("shards/")
    ('molecules', 'PTC_MR', 'shards')
    """
    return Path(name_or_path).name.removesuffix(".gz").rsplit(".", 1)[0] or "graphs"


def is_model_file(spec: str) -> bool:
    """Whether a model is named by its file, which is read without running anything it holds."""
    return Path(spec).suffix == ".pt" or Path(spec).exists()


def module_of(model: nn.Module | GraphClassifier | None) -> nn.Module | None:
    """The module itself, where more was said of it too."""
    return model.model if isinstance(model, GraphClassifier) else model


def load_classifier(spec: str, weights: str | None = None) -> nn.Module | GraphClassifier:
    """Return the model in a file of ``protograph train``, or the one of ``module:attribute``, with the weights."""
    if is_model_file(spec):
        if weights is not None:
            raise ValueError(
                f"--weights is for --model module:attribute, got --model {spec}, which has its own weights"
            )
        try:
            return load_model(spec)
        except ValueError as error:
            raise ValueError(f"{error}, or give weights as --model module:attribute --weights {spec}") from error
    if not is_attribute(spec):
        raise ValueError(f"--model must be a .pt file or module:attribute, got {spec!r}")
    model = _built(imported("--model", spec), spec)
    if weights is not None:
        load_weights(as_classifier(model).model, weights)
    return model


def _built(model: Any, spec: str) -> nn.Module | GraphClassifier:
    if callable(model) and not isinstance(model, nn.Module):
        try:
            inspect.signature(model).bind()
        except TypeError as error:
            raise ValueError(f"--model {spec!r} must give a model when called without arguments: {error}") from error
        except ValueError:  # a builtin has no signature
            pass
        try:
            model = model()
        except (Exception, SystemExit) as error:
            raise ValueError(f"--model {spec!r} failed with {error_text(error)}") from error
    if not isinstance(model, nn.Module | GraphClassifier):
        raise ValueError(
            f"--model {spec!r} must be a torch.nn.Module or a GraphClassifier, or give one, got {type(model).__name__}"
        )
    return model


def aligned(graphs: datasets.GraphDataset, model: nn.Module | None) -> datasets.GraphDataset:
    """The graphs with the columns of ``x`` that the model was trained with, by their names, and its names of classes.

    Two tables of molecules have the columns of the atoms that occur in each. Graphs without names take those of the
    model; where it has none, the graphs come back as they are.

    Raises:
        ValueError: If the graphs have nodes of a kind that the model does not know, or other classes.
    """
    wanted: tuple[str, ...] = getattr(model, "feature_names", ())
    classes: tuple[str, ...] = getattr(model, "class_names", ())
    if not graphs.class_names and classes:
        graphs = replace(graphs, class_names=classes)
    if not wanted:
        return graphs
    if classes and graphs.class_names != classes:
        raise ValueError(
            f"the model tells apart the classes {', '.join(map(clean_name, classes))}, but the graphs have "
            f"{', '.join(map(clean_name, graphs.class_names))}; give graphs with the same classes, or train a model "
            f"on these"
        )
    own = graphs.feature_names
    if not own and num_columns(graphs[0].x) == len(wanted):
        return replace(graphs, feature_names=wanted)
    if not own or own == wanted:
        return graphs
    unknown = [column for column, name in enumerate(own) if name not in wanted]
    used = [own[column] for column in unknown if any(bool(graph.x[:, column].any()) for graph in graphs)]
    if used:
        raise ValueError(
            f"the model was trained on nodes of {', '.join(map(clean_name, wanted))}, but the graphs also have "
            f"{', '.join(map(clean_name, used))}; "
            f"give graphs without them, or train a model on these"
        )
    columns = torch.tensor([own.index(name) if name in own else len(own) for name in wanted])
    colors = dict(zip(own, graphs.colors, strict=True)) if graphs.colors else {}
    return replace(
        graphs,
        # A column of zeros behind the others stands for what does not occur.
        graphs=[Data(**graph.to_dict() | {"x": nn.functional.pad(graph.x, (0, 1))[:, columns]}) for graph in graphs],
        feature_names=wanted,
        colors=tuple(colors.get(name, OTHER) for name in wanted) if colors else (),
    )
