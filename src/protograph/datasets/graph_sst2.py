"""Graph-SST2: is a sentence about a film positive or negative?

Nodes are words, and edges come from a parse of the sentence.
"""

import warnings
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protograph._base.progress import Progress
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.sst2_published import file_of, published_name, read_published
from protograph.datasets.sst2_sentences import SHA256, SentenceArrays, read_sentences
from protograph.graphs.splitting import checked_count, split_graphs

CLASS_NAMES = ("negative", "positive")
# In the order in which the sources number them.
PARTS = ("train", "validation", "test")


def load(
    root: Path | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """Graph-SST2: 70,042 sentences, or the first so many; ``random_state`` is not read.

    The published files are read where they are there, in DIG's layout: ``Graph-SST2/raw/Graph-SST2_*``, or
    ``graph_sst2/raw/graph_sst2_*``; ``x`` then has 768 columns. They have edges one way or both; here all go both
    ways, without loops, as PAGE takes graphs.

    Elsewhere the graphs are built from the folder ``sst2``, with other edges and features than the published: ``x``
    has the word's GloVe vector in 25 columns and a 26th that is 1 for words without one (a quarter of all), and the
    edges come from constituency trees; see :func:`~protograph.datasets.sst2_sentences.read_sentences`.

    Each graph has its ``sentence``, the ``tokens`` that are its nodes, and ``parsed``, a boolean tensor of
    shape ``[1]``: false where no parse was found and each word is joined with the next. A graph with a
    single word has no edge. ``splits`` has ``train``, ``validation`` and ``test``.

    Raises:
        FileNotFoundError: If neither source is there.
        ValueError: If a file is damaged.
    """
    try:
        name = published_name(root)
        arrays = read_sentences(root, progress) if name is None else read_published(root, name)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{error}; {_wanted()}") from error
    return from_arrays(arrays, num_graphs)


def _wanted() -> str:
    sentences = ", ".join(SHA256)
    return (
        f"graph-sst2 is not downloaded: the folder must have {file_of('Graph-SST2', '*')} as DIG publishes them, "
        f"or {sentences}, each plain or with .gz"
    )


def from_arrays(arrays: SentenceArrays, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the first sentences."""
    count = checked_count(num_graphs, len(arrays.labels))
    node_bounds = _bounds(arrays.num_words)
    edges = both_ways(arrays.edges, int(node_bounds[-1]))
    edge_graph = np.repeat(np.arange(len(arrays.num_words)), arrays.num_words)[edges[0]]
    graphs = split_graphs(
        node_values={"x": _tensor(arrays.x)},
        edge_values={"edge_index": torch.from_numpy(edges - node_bounds[edge_graph])},
        labels=torch.from_numpy(arrays.labels.astype(np.int64)),
        node_bounds=node_bounds,
        edge_bounds=_bounds(np.bincount(edge_graph, minlength=len(arrays.labels))),
        num_graphs=count,
    )
    for graph, words, parsed in zip(graphs, arrays.tokens, arrays.parsed.tolist(), strict=False):
        graph.sentence = " ".join(words)
        graph.tokens = list(words)
        graph.parsed = torch.tensor([parsed])
    return GraphDataset(
        graphs=graphs,
        name="graph-sst2",
        class_names=CLASS_NAMES,
        licence=arrays.licence,
        source=arrays.source,
        hidden=(32, 32, 32),
        splits={
            part: torch.from_numpy(np.flatnonzero(arrays.parts[:count] == number)) for number, part in enumerate(PARTS)
        },
    )


def both_ways(edges: NDArray[np.integer], num_nodes: int) -> NDArray[np.int64]:
    """Each edge in both directions and once, without loops, sorted.

    >>> both_ways(np.array([[2, 0, 1, 1], [1, 1, 0, 1]]), 3)
    array([[0, 1, 1, 2],
           [1, 0, 2, 1]])
    """
    u, v = edges[:, edges[0] != edges[1]].astype(np.int64)
    # Quicker than numpy.unique, which hashes.
    keys = np.sort(np.concatenate([u * num_nodes + v, v * num_nodes + u]))
    return np.stack(np.divmod(keys[np.diff(keys, prepend=-1) > 0], num_nodes))


def _tensor(array: NDArray[np.float32]) -> Tensor:
    with warnings.catch_warnings():
        # What is read from a pickle may not be written to, and nothing is: each graph gets a copy of its own.
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(array)


def _bounds(sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
