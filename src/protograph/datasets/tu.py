"""Data sets in the text format of TU Dortmund's collection.

The format is described in Morris et al., TUDataset: A collection of benchmark datasets for learning with
graphs, 2020, and at https://chrsmrrs.github.io/datasets/docs/format/; nodes and graphs are counted from 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from protograph.datasets.archives import read_zip

Integers = NDArray[np.int64]

ENDINGS = ("A", "graph_indicator", "graph_labels", "node_labels")


@dataclass(frozen=True, eq=False)
class TUArrays:
    """A data set's graphs end to end, each edge beside those of its graph.

    Attributes:
        graph_labels: Label of each graph, ``[num_graphs]``.
        node_labels: Label of each node, ``[num_nodes]``.
        edge_index: Edges, ``[2, num_edges]``, their nodes counted from 0 within each graph.
        edge_columns: What each further file about edges says, ``[num_edges]``.
        node_bounds: Nodes ``node_bounds[i]`` to ``node_bounds[i + 1]`` are those of graph ``i``.
        edge_bounds: The same for edges.
    """

    graph_labels: Integers
    node_labels: Integers
    edge_index: Integers
    edge_columns: Mapping[str, Integers]
    node_bounds: Integers
    edge_bounds: Integers

    def flat(self) -> dict[str, Integers]:
        """All arrays by name, to be kept; :meth:`of` is the way back."""
        own = {name: value for name, value in vars(self).items() if name != "edge_columns"}
        return own | {f"edge_columns.{name}": column for name, column in self.edge_columns.items()}

    @classmethod
    def of(cls, arrays: Mapping[str, Integers]) -> Self:
        """What :meth:`flat` was called on."""
        columns = {name: array for name, array in arrays.items() if name.startswith("edge_columns.")}
        own = {name: array for name, array in arrays.items() if name not in columns}
        return cls(edge_columns={name.removeprefix("edge_columns."): a for name, a in columns.items()}, **own)


def read_tu(path: Path, name: str, *, edge_columns: Sequence[str] = ("edge_labels",)) -> TUArrays:
    """Read the data set ``name`` from a zip archive that has its files in ``name/raw``; see :func:`parse_tu`.

    Raises:
        ValueError: If the archive is damaged, lacks a file, or its files do not fit each other.
    """
    endings = (*ENDINGS, *edge_columns)
    texts = read_zip(path, [f"{name}/raw/{name}_{ending}.txt" for ending in endings])
    return parse_tu(dict(zip(endings, texts, strict=True)), path, edge_columns=edge_columns)


def parse_tu(texts: Mapping[str, bytes], path: Path, *, edge_columns: Sequence[str] = ("edge_labels",)) -> TUArrays:
    """Graphs of a data set's texts.

    Args:
        texts: Content of its files, by their endings.
        path: Where they come from, for messages.
        edge_columns: Endings of the files that have a line for each edge.

    Raises:
        ValueError: If the texts do not fit each other.
    """
    arrays = {ending: _parse(texts[ending], path, ending) for ending in (*ENDINGS, *edge_columns)}
    edges = arrays["A"] - 1
    graph_of = arrays["graph_indicator"] - 1
    num_graphs = len(arrays["graph_labels"])
    _check_lengths(arrays, edge_columns, path)
    _check_nodes(graph_of, num_graphs, path)
    _check_edges(edges, graph_of, path)
    edge_graph = graph_of[edges[:, 0]]
    order = np.argsort(edge_graph, kind="stable")
    node_bounds = _bounds(graph_of, num_graphs)
    local = edges - node_bounds[edge_graph][:, None]
    return TUArrays(
        graph_labels=arrays["graph_labels"],
        node_labels=arrays["node_labels"],
        edge_index=np.ascontiguousarray(local[order].T),
        edge_columns={column: arrays[column][order] for column in edge_columns},
        node_bounds=node_bounds,
        edge_bounds=_bounds(edge_graph, num_graphs),
    )


def _parse(text: bytes, path: Path, ending: str) -> Integers:
    num_columns = 2 if ending == "A" else 1
    if not text.strip():
        raise ValueError(f"{path}: {ending} must have a line for each entry, got an empty file")
    try:
        table = np.loadtxt(text.decode().splitlines(), dtype=np.int64, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: {ending} must have integers divided by commas: {error}") from error
    if table.shape[1] != num_columns:
        raise ValueError(f"{path}: {ending} must have {num_columns} column(s), got {table.shape[1]}")
    return table if num_columns > 1 else table[:, 0]


def _check_lengths(arrays: Mapping[str, Integers], edge_columns: Sequence[str], path: Path) -> None:
    pairs = [("node_labels", "graph_indicator"), *((column, "A") for column in edge_columns)]
    for ending, other in pairs:
        if len(arrays[ending]) != len(arrays[other]):
            raise ValueError(
                f"{path}: {ending} must have as many lines as {other}, {len(arrays[other])}, got {len(arrays[ending])}"
            )


def _check_nodes(graph_of: Integers, num_graphs: int, path: Path) -> None:
    if not np.array_equal(np.unique(graph_of), np.arange(num_graphs)):
        raise ValueError(
            f"{path}: graph_indicator must name each of the {num_graphs} graphs of graph_labels, "
            f"got {len(np.unique(graph_of))} from {graph_of.min() + 1} to {graph_of.max() + 1}"
        )
    if (np.diff(graph_of) < 0).any():
        raise ValueError(f"{path}: graph_indicator must be sorted, got a graph after a later one")


def _check_edges(edges: Integers, graph_of: Integers, path: Path) -> None:
    if edges.min() < 0 or edges.max() >= len(graph_of):
        raise ValueError(
            f"{path}: A must have nodes from 1 to {len(graph_of)}, got {edges.min() + 1} to {edges.max() + 1}"
        )
    crossing = np.flatnonzero(graph_of[edges[:, 0]] != graph_of[edges[:, 1]])
    if crossing.size:
        raise ValueError(f"{path}: A must join nodes of one graph, got two graphs in line {crossing[0] + 1}")


def _bounds(graph_of: Integers, num_graphs: int) -> Integers:
    return np.concatenate([[0], np.cumsum(np.bincount(graph_of, minlength=num_graphs))])
