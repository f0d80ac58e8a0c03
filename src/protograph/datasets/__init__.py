"""Data sets loaded by name, with names, colours and ground truths; and graphs and molecules from files of one's own."""

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.registry import fetch, is_known, load, names
from protograph.datasets.table import BadRowsError, LeftOut, MoleculeTable, read_table
from protograph.graphs.files import ShardedGraphs, read_graphs

__all__ = [
    "BadRowsError",
    "GraphDataset",
    "LeftOut",
    "MoleculeTable",
    "ShardedGraphs",
    "fetch",
    "is_known",
    "load",
    "names",
    "read_graphs",
    "read_table",
]
