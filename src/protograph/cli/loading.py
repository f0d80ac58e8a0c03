"""What the user names on the command line: graphs and models."""

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn
from torch_geometric.data import Data

from protograph import datasets
from protograph._base.progress import Progress
from protograph.cli.runs import Run
from protograph.datasets.table import cut
from protograph.models.weights import load_weights
from protograph.training import load_model

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True)
class Loaded:
    """The graphs, and what was left out on the way, a line each."""

    graphs: Sequence[Data]
    left_out: tuple[str, ...] = ()


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
        left_out = tuple(f"line {row.line}: {cut(row.smiles)!r}: {row.reason}" for row in table.left_out)
        return Loaded(table.dataset, left_out)
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
    name = Path(name_or_path).name
    return name.removesuffix(".gz").rsplit(".", 1)[0] or "graphs"


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
