"""IMDB-BINARY: is a circle of actors of action films, or of romances?

Nodes are actors, joined where they played in the same film; each graph is the circle around one of them. Nodes have no
features of their own: ``x`` is how many neighbours they have.
"""

from pathlib import Path

import numpy as np
import torch
from torch_geometric.datasets import TUDataset

from protograph.datasets import tu
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import check_sum
from protograph.datasets.spec import DataFiles, DatasetSpec, SourceFile
from protograph.graphs.splitting import split_graphs

ARCHIVE = SourceFile("imdb-binary/IMDB-BINARY_tu_raw.zip", None, None)
# The collection's own, for which no checksum is published.
PUBLIC = SourceFile("tu/IMDB-BINARY.zip", None, f"{TUDataset.url}/IMDB-BINARY.zip")
# Of the texts in the first archive.
SUMS = {
    "A": "28846bc9e57f46248765211df251c11b8665d8fcfb246a174860e81095f45389",
    "graph_indicator": "415cc3ba25b8c647dcf34d3de034f675ee070616f3b803be939cb26773489f26",
    "graph_labels": "63a44411fd6342b9c4429828c16e144a2a11ef5244e25bb60f0ffa8b3ee2ffce",
}
CLASS_NAMES = ("0", "1")


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """IMDB-BINARY: 1,000 circles of actors, or the first so many.

    Each graph has a column ``x`` with the degree of each node.
    """
    path = files.find(ARCHIVE.relative)
    if path is None:
        path = files.get(PUBLIC)
        return from_texts(tu.read_texts(path, "IMDB-BINARY"), path, num_graphs)
    texts = tu.read_texts(path, "IMDB-BINARY")
    for ending in sorted(SUMS.keys() & texts.keys()):
        check_sum(texts[ending], SUMS[ending], f"{path}: {ending}")
    return from_texts(texts, path, num_graphs)


def from_texts(texts: tu.Texts, path: Path, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the contents of its files, by their endings; ``path`` says in messages where they are from."""
    tables = tu.parse(texts, path)
    degrees = np.bincount(tables["A"][:, 0], minlength=len(tables["graph_indicator"]))
    return GraphDataset(
        graphs=split_graphs(
            node_values={"x": torch.from_numpy(degrees).float()[:, None]},
            edge_values={"edge_index": torch.from_numpy(tables["A"].T)},
            labels=torch.from_numpy(tables["graph_labels"][:, 0]),
            sizes=np.bincount(tables["graph_indicator"][:, 0]),
            num_graphs=num_graphs,
        ),
        name=SPEC.name,
        class_names=CLASS_NAMES,
        feature_names=("degree",),
        licence="not stated by the source",
        source="Yanardag and Vishwanathan 2015, as in TUDataset; https://github.com/muhanzhang/pytorch_DGCNN",
    )


SPEC = DatasetSpec(
    name="imdb-binary",
    load=load,
    question="circles of actors of action films or of romances",
    num_graphs=1000,
    num_classes=len(CLASS_NAMES),
    files=((ARCHIVE,), (PUBLIC,)),
)
