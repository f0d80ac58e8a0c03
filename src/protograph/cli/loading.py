"""What the user names on the command line: graphs and models."""

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from torch import nn
from torch_geometric.data import Data

from protograph import datasets
from protograph._base.progress import Progress
from protograph.datasets.table import cut
from protograph.models.weights import load_weights
from protograph.training import load_model

TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


@dataclass(frozen=True)
class DataOptions:
    """How to read what is named.

    Attributes:
        data_root: Folder with the files of named data sets.
        smiles_column: Column of a table that has SMILES; the default of tables if ``None``.
        label_column: Column of a table that has labels; the default of tables if ``None``.
        skip_invalid: Whether to leave out the rows of a table that cannot be read.
        random_state: Seed of a generated data set.
    """

    data_root: Path | None = None
    smiles_column: str | None = None
    label_column: str | None = None
    skip_invalid: bool = False
    random_state: int = 0


@dataclass(frozen=True)
class Loaded:
    """The graphs, and what was left out on the way, a line each."""

    graphs: Sequence[Data]
    left_out: tuple[str, ...] = ()


def load_graphs(name_or_path: str, options: DataOptions, progress: Progress | None = None) -> Loaded:
    """Return the data set of that name, or the graphs in that file or folder."""
    if not name_or_path.strip():
        raise ValueError("NAME_OR_PATH must be a data set's name or a file or folder, got an empty text")
    path = Path(name_or_path)
    if path.name.lower().endswith(TABLES):
        return _table(path, options)
    if options.smiles_column or options.label_column or options.skip_invalid:
        raise ValueError(
            f"--smiles-column, --label-column and --skip-invalid are for tables ({', '.join(TABLES)}), "
            f"got {name_or_path}"
        )
    if path.suffix.lower() == ".pt":
        return Loaded(datasets.read_graphs(path))
    # A data set's name wins over a folder that is called the same; ./name is the folder.
    if path.is_dir() and ("/" in name_or_path or not datasets.is_known(name_or_path)):
        return Loaded(datasets.ShardedGraphs(path))
    if path.is_file():
        raise ValueError(
            f"{path} must be a .pt file with a list of graphs, a folder of such, or a table ({', '.join(TABLES)})"
        )
    if "/" in name_or_path:
        raise FileNotFoundError(f"there is no file or folder {path}")
    return Loaded(datasets.load(name_or_path, options.data_root, random_state=options.random_state, progress=progress))


def _table(path: Path, options: DataOptions) -> Loaded:
    columns = {"smiles_column": options.smiles_column, "label_column": options.label_column}
    given = {name: column for name, column in columns.items() if column is not None}
    table = datasets.read_table(path, skip_invalid=options.skip_invalid, **given)
    left_out = tuple(f"line {row.line}: {cut(row.smiles)!r}: {row.reason}" for row in table.left_out)
    return Loaded(table.dataset, left_out)


def name_of(name_or_path: str) -> str:
    """Name of the folder for results.

    >>> name_of("data/molecules.csv.gz"), name_of("PTC_MR"), name_of("shards/")
    ('molecules', 'PTC_MR', 'shards')
    """
    name = Path(name_or_path).name
    return name.removesuffix(".gz").rsplit(".", 1)[0] or "graphs"


def load_classifier(spec: str, weights: Path | None = None) -> nn.Module:
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
    module_name, separator, attribute = spec.partition(":")
    if not separator or not module_name or not attribute:
        raise ValueError(f"--model must be a .pt file or module:attribute, got {spec!r}")
    module = _imported(module_name, spec)
    found = getattr(module, attribute, None)
    if found is None:
        raise ValueError(f"--model {spec!r}: module {module_name!r} has no {attribute!r}")
    model = _built(found, spec)
    if weights is not None:
        load_weights(model, weights)
    return model


def _imported(name: str, spec: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ValueError(f"--model {spec!r}: there is no module {error.name!r}") from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"--model {spec!r}: importing {name!r} failed with {_named(error)}") from error


def _built(found: object, spec: str) -> nn.Module:
    if callable(found) and not isinstance(found, nn.Module):
        try:
            inspect.signature(found).bind()
        except TypeError as error:
            raise ValueError(f"--model {spec!r} must give a model when called without arguments: {error}") from error
        except ValueError:  # a builtin has no signature
            pass
        try:
            found = found()
        except (Exception, SystemExit) as error:
            raise ValueError(f"--model {spec!r} failed with {_named(error)}") from error
    if not isinstance(found, nn.Module):
        raise ValueError(f"--model {spec!r} must be a torch.nn.Module or give one, got {type(found).__name__}")
    return found


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
