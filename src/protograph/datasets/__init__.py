"""Data sets loaded by name, with names, colours and ground truths; and graphs and molecules from files of one's own."""

from typing import TYPE_CHECKING

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.registry import fetch, is_known, load, names
from protograph.graphs.reading import read_graphs
from protograph.graphs.shards import ShardedGraphs

if TYPE_CHECKING:
    from protograph.molecules.table import MoleculeTable, read_table

__all__ = [
    "GraphDataset",
    "MoleculeTable",
    "ShardedGraphs",
    "fetch",
    "is_known",
    "load",
    "names",
    "read_graphs",
    "read_table",
]


def __getattr__(name: str) -> object:
    """Import tables on first use: their module imports this package."""
    if name not in ("MoleculeTable", "read_table"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from protograph.molecules import table

    return getattr(table, name)
