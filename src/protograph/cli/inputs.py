"""What the user names on the command line: graphs, models, classes, and code of one's own as ``module:attribute``."""

import importlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from protograph._utils.words import clean_name, count_of, write_csv
from protograph.cli.runs import Run, name_of

if TYPE_CHECKING:
    from torch import nn

    from protograph._utils.progress import Progress
    from protograph.datasets import GraphDataset
    from protograph.datasets.table import LeftOut
    from protograph.models.classifier import GraphClassifier

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
NAME_KEYS = ("feature_names", "edge_names", "class_names")
OTHER = "#8A8A8A"  # the colour of what does not occur
# Rows of a table that are listed on standard error.
NUM_SHOWN = 10


def load_graphs(
    run: Run, data_root: Path | None = None, progress: "Progress | None" = None
) -> "tuple[GraphDataset, tuple[LeftOut, ...]]":
    """The data set of that name, or the graphs in that file or folder; and the rows that were left out on the way.

    Args:
        run: What the user has named, and how to read it.
        data_root: Folder with the files of named data sets.
        progress: Told how far a download or a generated data set is.
    """
    from protograph import datasets

    if not run.data.strip():
        raise ValueError("NAME_OR_PATH must be a data set's name or a file or folder, got an empty text")
    path = Path(run.data)
    is_folder = path.is_dir() and "data" in run.inputs()
    is_table = path.name.lower().endswith(TABLES)
    is_file = path.suffix.lower() == ".pt"
    if run.names is not None and not (is_file or is_folder or is_table):
        raise ValueError(f"--names is for files and folders of yours, got {run.data}, which has names of its own")
    if is_table:
        columns = {"smiles_column": run.smiles_column, "label_column": run.label_column, "id_column": run.id_column}
        given = {name: column for name, column in columns.items() if column is not None}
        table = datasets.read_table(path, skip_invalid=run.skip_invalid, **given)
        if run.names is None:
            return table.dataset, table.left_out
        # Atoms and bonds have names of their own.
        names, wanted = read_names_file(Path(run.names)), table.dataset.class_names
        classes = names.get("class_names")
        if set(names) != {"class_names"} or not isinstance(classes, list) or len(classes) != len(wanted):
            raise ValueError(
                f"--names of a table must have class_names alone, a list of {len(wanted)}: one for each of "
                f"{', '.join(map(clean_name, wanted))}"
            )
        return replace(table.dataset, class_names=tuple(map(str, classes))), table.left_out
    if run.smiles_column or run.label_column or run.id_column or run.skip_invalid:
        raise ValueError(
            f"--smiles-column, --label-column, --id-column and --skip-invalid are for tables ({', '.join(TABLES)}), "
            f"got {run.data}"
        )
    if is_file or is_folder:
        graphs = datasets.read_graphs(path)
        names = {} if run.names is None else read_names_file(Path(run.names))
        try:
            return datasets.GraphDataset(graphs=graphs, name=name_of(run.data), source=path.name, **names), ()
        except (TypeError, ValueError) as error:
            if run.names is None:
                raise
            raise ValueError(f"--names {run.names}: {error}") from error
    if path.is_file():
        raise ValueError(
            f"{path} must be a .pt file with a list of graphs, a folder of such, or a table ({', '.join(TABLES)})"
        )
    if "/" in run.data:
        raise FileNotFoundError(f"there is no file or folder {path}")
    return datasets.load(run.data, data_root, random_state=run.seed, progress=progress), ()


def read_names_file(path: Path) -> dict[str, Any]:
    """The names in a JSON file, as ``fit`` and :class:`~protograph.datasets.GraphDataset` take them.

    Raises:
        ValueError: If there is no such file, it is not JSON, or it holds something else.
    """
    wanted = f"--names must be a JSON file with an object of {', '.join(NAME_KEYS)}"
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{wanted}, got {path}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{wanted}, got {path} with a {type(content).__name__}")
    if others := sorted(set(content) - set(NAME_KEYS)):
        raise ValueError(f"{wanted}, got {path} with {others[0]!r}")
    return content


def target_of(text: str, class_names: Sequence[str]) -> int:
    """The index of a class that is told by its number or its name.

    A number is the index, counted from 0, wherever there is such a class; a class that is called by another's number
    is meant only where no class has it as its index, and otherwise a line on standard error says which one is taken.

    Args:
        text: What the user gave.
        class_names: Names of the classes; empty where they are not known.

    Raises:
        ValueError: If no class is called so.

    >>> target_of("1", ("no", "yes")), target_of("yes", ("no", "yes")), target_of("2", ("1", "2"))
    (1, 1, 1)
    """
    if text.isdecimal() and (not class_names or int(text) < len(class_names)):
        number = int(text)
        if text in class_names and class_names.index(text) != number:
            taken, named = f"class {number} ({clean_name(class_names[number])})", class_names.index(text)
            typer.echo(f"--target {text} is {taken}; the class that is called {text} is --target {named}", err=True)
        return number
    if class_names.count(text) == 1:
        return class_names.index(text)
    classes = ", ".join(f"{number}: {name}" for number, name in enumerate(class_names))
    wanted = f"the number or the name of a class ({classes})" if classes else "the number of a class (from 0)"
    way_out = "" if classes else ", as classes have no names; give names in a file with --names"
    raise ValueError(f"--target must be {wanted}, got {text!r}{way_out}")


def tell_left_out(rows: "Sequence[LeftOut]", path: Path | None = None) -> dict[str, Any]:
    """Say on standard error which rows were left out, and give them as facts for scripts; nothing where none were.

    Args:
        rows: The rows.
        path: Where they are also written, as a table of line, smiles and reason.
    """
    if path is not None:
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            write_csv(file, ["line", "smiles", "reason"], ([row.line, row.smiles, row.reason] for row in rows))
    if not rows:
        return {}
    more = [f"and {len(rows) - NUM_SHOWN:,} more"] if len(rows) > NUM_SHOWN else []
    lines = [f"\n  {line}" for line in (*rows[:NUM_SHOWN], *more)]
    typer.echo(f"left out {count_of(len(rows), 'row')}:{''.join(lines)}", err=True)
    return {"left_out": [str(row) for row in rows]}


def is_attribute(spec: str) -> bool:
    """Whether a text has the form ``module:attribute``.

    >>> is_attribute("mine:build"), is_attribute("page"), is_attribute("mine:")
    (True, False, False)
    """
    module, _, attribute = spec.partition(":")
    return bool(module) and bool(attribute)


def imported(option: str, spec: str) -> Any:
    """What ``module:attribute`` names, looked for among what is installed and then in the working directory.

    Args:
        option: The option that names it, for messages.
        spec: Its name.

    Raises:
        ValueError: If there is no such thing, or its module fails.
    """
    module_name, _, attribute = spec.partition(":")
    here = os.getcwd()
    if here not in sys.path:  # last of all: none of its files takes the place of what is installed
        sys.path.append(here)
        importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        way_out = f"; give {module_name[:-3]}:{attribute}" if module_name.endswith(".py") else ""
        raise ValueError(f"{option} {spec!r}: there is no module {error.name!r}{way_out}") from None
    except (Exception, SystemExit) as error:
        raise ValueError(
            f"{option} {spec!r}: importing {module_name!r} failed with {type(error).__name__}: {error}"
        ) from error
    value = getattr(module, attribute, None)
    if value is None:
        # One that is installed comes before one of the same name that is here.
        file = getattr(module, "__file__", None) or "built in"
        raise ValueError(f"{option} {spec!r}: module {module_name!r} ({file}) has no {attribute!r}")
    return value


def is_model_file(spec: str) -> bool:
    """Whether a model is named by its file, which is read without running anything it holds."""
    return Path(spec).suffix == ".pt" or Path(spec).exists()


def load_classifier(spec: str, weights: str | None = None) -> "GraphClassifier":
    """Return the model in a file of ``protograph train``, or the one of ``module:attribute``, with the weights."""
    from torch import nn

    from protograph.models.classifier import GraphClassifier, as_classifier
    from protograph.models.model_state import load_weights
    from protograph.training import load_model

    if is_model_file(spec):
        if weights is not None:
            raise ValueError(
                f"--weights is for --model module:attribute, got --model {spec}, which has its own weights"
            )
        try:
            return as_classifier(load_model(spec))
        except ValueError as error:
            raise ValueError(f"{error}, or give weights as --model module:attribute --weights {spec}") from error
    if not is_attribute(spec):
        raise ValueError(f"--model must be a .pt file or module:attribute, got {spec!r}")
    model = imported("--model", spec)
    if callable(model) and not isinstance(model, nn.Module):
        try:
            model = model()  # without arguments
        except (Exception, SystemExit) as error:
            raise ValueError(f"--model {spec!r} failed with {type(error).__name__}: {error}") from error
    if not isinstance(model, nn.Module | GraphClassifier):
        raise ValueError(
            f"--model {spec!r} must be a torch.nn.Module or a GraphClassifier, or give one, got {type(model).__name__}"
        )
    classifier = as_classifier(model)
    if weights is not None:
        load_weights(classifier.model, weights)
    return classifier


def aligned(graphs: "GraphDataset", model: "nn.Module | None") -> "GraphDataset":
    """The graphs with the columns of ``x`` that the model was trained with, by their names, and its names of classes.

    Two tables of molecules have the columns of the atoms that occur in each. Graphs without names take those of the
    model; where it has none, the graphs come back as they are.

    Raises:
        ValueError: If the graphs have nodes of a kind that the model does not know, or other classes.
    """
    import torch
    from torch_geometric.data import Data

    from protograph.graphs.names import num_columns

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
    # A column of zeros behind the others stands for what does not occur.
    pad = torch.nn.functional.pad
    return replace(
        graphs,
        graphs=[Data(**graph.to_dict() | {"x": pad(graph.x, (0, 1))[:, columns]}) for graph in graphs],
        feature_names=wanted,
        colors=tuple(colors.get(name, OTHER) for name in wanted) if colors else (),
    )
