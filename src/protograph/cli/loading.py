"""What the user names on the command line: graphs and models."""

import importlib
from collections.abc import Sequence
from pathlib import Path

from torch import nn
from torch_geometric.data import Data

from protograph import datasets
from protograph.graphs.reading import read_graphs
from protograph.training import load_model


def load_graphs(name_or_path: str, random_state: int) -> Sequence[Data]:
    """Return the data set of that name, or the graphs in that file."""
    path = Path(name_or_path)
    if path.suffix == ".pt":
        return read_graphs(path)
    if path.suffix == ".csv":
        raise ValueError("SMILES tables are not available in this version; pass a .pt file or a data set's name")
    if path.exists():
        raise ValueError(f"{path} must be a .pt file with a list of graphs")
    graphs: Sequence[Data] = datasets.load(name_or_path, random_state=random_state)
    return graphs


def name_of(name_or_path: str) -> str:
    """Name of the folder for results."""
    return Path(name_or_path).stem if Path(name_or_path).suffix else name_or_path


def load_classifier(spec: str) -> nn.Module:
    """Return the model in a file written by ``protograph train``, or the one that ``module:attribute`` names."""
    if Path(spec).suffix == ".pt" or Path(spec).exists():
        return load_model(spec)
    module_name, separator, attribute = spec.partition(":")
    if not separator or not module_name or not attribute:
        raise ValueError(f"--model must be a .pt file or module:attribute, got {spec!r}")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"--model {spec!r}: there is no module {error.name!r}") from None
    found = getattr(module, attribute, None)
    if found is None:
        raise ValueError(f"--model {spec!r}: module {module_name!r} has no {attribute!r}")
    model = found if isinstance(found, nn.Module) else found() if callable(found) else found
    if not isinstance(model, nn.Module):
        raise ValueError(f"--model {spec!r} must be a torch.nn.Module or give one, got {type(model).__name__}")
    return model
