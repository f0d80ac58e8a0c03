"""Data sets with names, colours and ground truths, loaded by name."""

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.registry import fetch, load, names

__all__ = ["GraphDataset", "fetch", "load", "names"]
