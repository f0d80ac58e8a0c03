"""What the user names on the command line: graphs and models, and whether they fit together."""

import importlib
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
from protograph.cli.runs import Run
from protograph.models.weights import load_weights
from protograph.training import load_model

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
OTHER = "#8A8A8A"  # the colour of what does not occur


@dataclass(frozen=True)
class Loaded:
    """The graphs, and the rows that were left out on the way."""

    graphs: Sequence[Data]
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
    if path.name.lower().endswith(TABLES):
        columns = {"smiles_column": run.smiles_column, "label_column": run.label_column}
        given = {name: column for name, column in columns.items() if column is not None}
        table = datasets.read_table(path, skip_invalid=run.skip_invalid, **given)
        return Loaded(table.dataset, table.left_out)
    if run.smiles_column or run.label_column or run.skip_invalid:
        raise ValueError(
            f"--smiles-column, --label-column and --skip-invalid are for tables ({', '.join(TABLES)}), got {run.data}"
        )
    if path.suffix.lower() == ".pt":
        return Loaded(datasets.read_graphs(path))
    # A data set's name wins over a folder that is called the same; ./name is the folder.
    if path.is_dir() and ("/" in run.data or not datasets.is_known(run.data)):
        return Loaded(datasets.ShardedGraphs(path))
    if path.is_file():
        raise ValueError(
            f"{path} must be a .pt file with a list of graphs, a folder of such, or a table ({', '.join(TABLES)})"
        )
    if "/" in run.data:
        raise FileNotFoundError(f"there is no file or folder {path}")
    return Loaded(datasets.load(run.data, data_root, random_state=run.seed, progress=progress))


def name_of(name_or_path: str) -> str:
    """Name of the folder for results.

    >>> name_of("data/molecules.csv.gz"), name_of("PTC_MR"), name_of("shards/")
    ('molecules', 'PTC_MR', 'shards')
    """
    return Path(name_or_path).name.removesuffix(".gz").rsplit(".", 1)[0] or "graphs"


def load_classifier(spec: str, weights: str | None = None) -> nn.Module:
    """Return the model in a file of ``protograph train``, or the one of ``module:attribute``, with the weights."""
    if Path(spec).suffix == ".pt" or Path(spec).exists():
        if weights is not None:
            raise ValueError(
                f"--weights is for --model module:attribute, got --model {spec}, which has its own weights"
            )
        try:
            return load_model(spec)
        except ValueError as error:
            raise ValueError(f"{error}, or give weights as --model module:attribute --weights {spec}") from error
    module_name, _, attribute = spec.partition(":")
    if not module_name or not attribute:
        raise ValueError(f"--model must be a .pt file or module:attribute, got {spec!r}")
    model = _built(_imported(spec, module_name, attribute), spec)
    if weights is not None:
        load_weights(model, weights)
    return model


def _imported(spec: str, module_name: str, attribute: str) -> Any:
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"--model {spec!r}: there is no module {error.name!r}") from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"--model {spec!r}: importing {module_name!r} failed with {_named(error)}") from error
    value = getattr(module, attribute, None)
    if value is None:
        raise ValueError(f"--model {spec!r}: module {module_name!r} has no {attribute!r}")
    return value


def _built(model: Any, spec: str) -> nn.Module:
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
            raise ValueError(f"--model {spec!r} failed with {_named(error)}") from error
    if not isinstance(model, nn.Module):
        raise ValueError(f"--model {spec!r} must be a torch.nn.Module or give one, got {type(model).__name__}")
    return model


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def aligned(graphs: Sequence[Data], model: nn.Module) -> Sequence[Data]:
    """The graphs with the columns of ``x`` that the model was trained with, by their names.

    Two tables of molecules have the columns of the atoms that occur in each. Where names are not known on either side,
    the graphs come back as they are.

    Raises:
        ValueError: If the graphs have nodes of a kind that the model does not know, or other classes.
    """
    wanted: tuple[str, ...] = getattr(model, "feature_names", ())
    if not isinstance(graphs, datasets.GraphDataset) or not wanted:
        return graphs
    classes: tuple[str, ...] = getattr(model, "class_names", ())
    if classes and graphs.class_names != classes:
        raise ValueError(
            f"the model tells apart the classes {', '.join(classes)}, but the graphs have "
            f"{', '.join(graphs.class_names)}; give graphs with the same classes, or train a model on these"
        )
    own = graphs.feature_names
    if not own or own == wanted:
        return graphs
    unknown = [column for column, name in enumerate(own) if name not in wanted]
    used = [own[column] for column in unknown if any(bool(graph.x[:, column].any()) for graph in graphs)]
    if used:
        raise ValueError(
            f"the model was trained on nodes of {', '.join(wanted)}, but the graphs also have {', '.join(used)}; "
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
