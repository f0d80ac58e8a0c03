"""Data sets loaded by name, with names, colours and ground truths; and graphs and molecules from files of one's own."""

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.registry import fetch, load, names
from protograph.datasets.table import read_table
from protograph.graphs.files import read_graphs

__all__ = [
    "GraphDataset",
    "fetch",
    "load",
    "names",
    "read_graphs",
    "read_table",
]
