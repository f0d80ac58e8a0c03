"""Data sets in the text format of TU Dortmund's collection.

The format is described in Morris et al., TUDataset: A collection of benchmark datasets for learning with
graphs, 2020, and at https://chrsmrrs.github.io/datasets/docs/format/; nodes and graphs are counted from 1.
"""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Ints
from protograph.datasets.archives import reading

NEEDED = ("A", "graph_indicator", "graph_labels")
# Texts that have a line for each line of another.
LINES_OF = {
    "node_labels": "graph_indicator",
    "node_attributes": "graph_indicator",
    "edge_labels": "A",
    "edge_attributes": "A",
    "edge_gt": "A",
}

Texts = Mapping[str, bytes]
Tables = dict[str, NDArray[Any]]


def read_texts(path: Path, name: str) -> dict[str, bytes]:
    """Contents of the texts of the data set ``name`` in a folder, or anywhere in a zip archive, by their endings.

    Raises:
        ValueError: If the archive is damaged.
    """
    if path.is_dir():
        return {file.stem[len(name) + 1 :]: file.read_bytes() for file in sorted(path.glob(f"{name}_*.txt"))}
    pattern = re.compile(rf"(?:.*/)?{re.escape(name)}_(\w+)\.txt")
    # Opened before: a file that may not be read is not a damaged one.
    with path.open("rb") as file, reading(path), zipfile.ZipFile(file) as archive:
        matches = [match for member in archive.namelist() if (match := pattern.fullmatch(member))]
        return {match[1]: archive.read(match[0]) for match in matches}


def parse(texts: Texts, path: Path, needed: Sequence[str] = NEEDED) -> Tables:
    r"""Tables of a data set's texts, which are checked to fit each other.

    Args:
        texts: Content of its files, by their endings.
        path: Where they come from, for messages.
        needed: Endings of those that must be there.

    Returns:
        By ending, a row for each line: integers, or real numbers for attributes. Nodes and graphs are counted from 0.

    Raises:
        ValueError: If one is missing, or they do not fit.

    >>> parse({"A": b"1, 2", "graph_indicator": b"1\n1", "graph_labels": b"0", "node_labels": b"7"}, Path("X"))
    Traceback (most recent call last):
    ValueError: X: node_labels must have as many lines as graph_indicator, 2, got 1
    """
    missing = [ending for ending in needed if ending not in texts]
    if missing == ["graph_labels"]:
        raise ValueError(f"{path}: there are no graph_labels, so no classes to explain; take a classification set")
    if missing:
        raise ValueError(f"{path}: the text {missing[0]} is missing; get the data set again")
    tables = {ending: _table(texts[ending], path, ending) for ending in (*NEEDED, *LINES_OF) if ending in texts}
    for ending, other in LINES_OF.items():
        if ending in tables and len(tables[ending]) != len(tables[other]):
            raise ValueError(
                f"{path}: {ending} must have as many lines as {other}, {len(tables[other])}, got {len(tables[ending])}"
            )
    _check_nodes(tables["graph_indicator"][:, 0], len(tables["graph_labels"]), path)
    _check_edges(tables["A"], tables["graph_indicator"][:, 0], path)
    return tables | {ending: tables[ending] - 1 for ending in ("A", "graph_indicator")}


def _table(text: bytes, path: Path, ending: str) -> NDArray[Any]:
    if not text.strip():
        raise ValueError(f"{path}: {ending} must have a line for each entry, got an empty text")
    kind, dtype = ("numbers", np.float32) if ending.endswith("attributes") else ("integers", np.int64)
    try:
        return np.loadtxt(text.decode().splitlines(), dtype=dtype, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: {ending} must have {kind} divided by commas: {error}") from error


def _check_nodes(graph_of: Ints, num_graphs: int, path: Path) -> None:
    numbers = np.unique(graph_of)
    if (np.diff(graph_of) < 0).any() or not np.array_equal(numbers, np.arange(1, num_graphs + 1)):
        raise ValueError(
            f"{path}: graph_indicator must name the {num_graphs} graphs of graph_labels in order, "
            f"got {len(numbers)} from {numbers[0]} to {numbers[-1]}"
        )


def _check_edges(edges: Ints, graph_of: Ints, path: Path) -> None:
    if edges.shape[1] != 2 or edges.min() < 1 or edges.max() > len(graph_of):
        raise ValueError(
            f"{path}: A must have two nodes from 1 to {len(graph_of)} a line, "
            f"got {edges.shape[1]} from {edges.min()} to {edges.max()}"
        )
    crossing = np.flatnonzero(graph_of[edges[:, 0] - 1] != graph_of[edges[:, 1] - 1])
    if crossing.size:
        raise ValueError(f"{path}: A must join nodes of one graph, got two graphs in line {crossing[0] + 1}")
