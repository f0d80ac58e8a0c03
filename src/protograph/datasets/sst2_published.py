"""Graph-SST2 as its authors publish it: six files in the folder layout of DIG.

Yuan, Yu, Gui and Ji, Explainability in graph neural networks: a taxonomic survey, 2020. The words' vectors come from
BERT, the edges from a dependency parser.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph.datasets.safe_pickle import read_array
from protograph.datasets.sources import Root, SourceFile, find, find_file, read
from protograph.datasets.sst2_sentences import SentenceArrays
from protograph.graphs.splitting import check_range

# How the folder and the files may begin.
NAMES = ("Graph-SST2", "graph_sst2")
SOURCE = (
    "Yuan, Yu, Gui and Ji 2020, Explainability in graph neural networks: a taxonomic survey; "
    "https://github.com/divelab/DIG"
)
LICENCE = "not stated for the data"

Integers = NDArray[np.int64]


def file_of(name: str, ending: str) -> str:
    """A file of the data set within a data folder.

    >>> file_of("Graph-SST2", "edge_index.txt")
    'Graph-SST2/raw/Graph-SST2_edge_index.txt'
    """
    return f"{name}/raw/{name}_{ending}"


def published_name(root: Root) -> str | None:
    """How the published files begin that are there; ``None`` if they are not."""
    there = (name for name in NAMES if find(root, file_of(name, "node_features.pkl")) is not None)
    return next(there, None)


def read_published(root: Root, name: str) -> SentenceArrays:
    """Arrays of the published files that begin with ``name``.

    Raises:
        FileNotFoundError: If one of the files is not there.
        ValueError: If a file is damaged, or does not fit the others.
    """
    path = find_file(root, file_of(name, "node_features.pkl"))
    x = read_array(path)
    if x.ndim != 2 or x.dtype.kind != "f":
        raise ValueError(f"{path} must have real numbers of two dimensions, got {x.ndim} of {x.dtype}")
    edges = _table(root, name, "edge_index.txt", num_columns=2)
    graph_of, labels, parts = (
        _table(root, name, ending, num_columns=1)[:, 0] - first
        for ending, first in (("node_indicator.txt", 1), ("graph_labels.txt", 0), ("split_indices.txt", 0))
    )
    try:
        _check_nodes(graph_of, len(labels), len(x))
        _check_graphs(labels, parts)
        _check_edges(edges, graph_of)
        num_words = np.bincount(graph_of, minlength=len(labels))
        tokens = _tokens(root, name, num_words)
    except ValueError as error:
        raise ValueError(f"{path.parent}: {error}") from error
    return SentenceArrays(
        x=x.astype(np.float32, copy=False),
        edges=edges.T,
        num_words=num_words,
        labels=labels,
        parts=parts,
        parsed=np.ones(len(labels), dtype=np.bool_),
        tokens=tokens,
        source=SOURCE,
        licence=LICENCE,
    )


def _table(root: Root, name: str, ending: str, *, num_columns: int) -> Integers:
    content, path = _content(root, name, ending)
    # The columns are divided by commas, blanks or both.
    lines = content.replace(b",", b" ").decode("ascii", "replace").splitlines()
    if not any(map(str.strip, lines)):
        return np.empty((0, num_columns), dtype=np.int64)  # numpy would warn
    try:
        table = np.loadtxt(lines, dtype=np.float64, ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path} must have whole numbers: {error}") from error
    if not ((table == np.rint(table)) & (np.abs(table) < 2**53)).all():
        raise ValueError(f"{path} must have whole numbers, got others")
    if table.shape[1] != num_columns:
        raise ValueError(f"{path} must have {num_columns} column(s), got {table.shape[1]}")
    return table.astype(np.int64)


def _content(root: Root, name: str, ending: str) -> tuple[bytes, Path]:
    relative = file_of(name, ending)
    return read(SourceFile(relative, sha256=None, url=None), root), find_file(root, relative)


def _check_nodes(graph_of: Integers, num_graphs: int, num_nodes: int) -> None:
    if len(graph_of) != num_nodes:
        raise ValueError(
            f"node_indicator must have a line for each of the {num_nodes} rows of node_features, got {len(graph_of)}"
        )
    if (np.diff(graph_of) < 0).any():
        raise ValueError("node_indicator must be sorted, got a graph after a later one")
    if not np.array_equal(np.unique(graph_of), np.arange(num_graphs)):
        raise ValueError(
            f"node_indicator must name each of the {num_graphs} graphs of graph_labels, counted from 1, "
            f"got {len(np.unique(graph_of))} of them"
        )


def _check_graphs(labels: Integers, parts: Integers) -> None:
    check_range(labels, 2, "graph_labels")
    check_range(parts, 3, "split_indices")
    if len(parts) != len(labels):
        raise ValueError(f"split_indices must have a line for each of the {len(labels)} graphs, got {len(parts)}")


def _check_edges(edges: Integers, graph_of: Integers) -> None:
    check_range(edges, len(graph_of), "edge_index")
    crossing = np.flatnonzero(graph_of[edges[:, 0]] != graph_of[edges[:, 1]])
    if crossing.size:
        raise ValueError(f"edge_index must join nodes of one graph, got two graphs in edge {crossing[0] + 1}")


def _tokens(root: Root, name: str, num_words: Integers) -> list[list[str]]:
    content, path = _content(root, name, "sentence_tokens.json")
    try:
        by_graph = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path.name} must be JSON: {error}") from error
    if not isinstance(by_graph, dict):
        raise ValueError(f"{path.name} must have an object of texts by graph, got {type(by_graph).__name__}")
    return [_checked_tokens(by_graph.get(str(graph)), graph, int(count)) for graph, count in enumerate(num_words)]


def _checked_tokens(tokens: Any, graph: int, num_words: int) -> list[str]:
    is_list = isinstance(tokens, Sequence) and not isinstance(tokens, str) and all(isinstance(t, str) for t in tokens)
    if not is_list or len(tokens) != num_words:
        came = f"{len(tokens)} texts" if is_list else type(tokens).__name__
        raise ValueError(f'sentence_tokens must have {num_words} texts for graph "{graph}", got {came}')
    return list(tokens)
