"""NCI1: does a compound slow the growth of a lung cancer's cells?

Class 1 are the active compounds. Nodes are heavy atoms, bonds are not told apart.
"""

from pathlib import Path

import numpy as np
import torch

from protograph.datasets import tu
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import molecule_dataset
from protograph.datasets.spec import DataFiles, DatasetSpec, SourceFile
from protograph.graphs.splitting import one_hot, split_graphs

ARCHIVE = SourceFile("nci1/NCI1_tu_raw.zip", None, None)
MIRROR = "https://raw.githubusercontent.com/idea-iitd/GraphTrail/b288221d3e23267a93bc2eb9339c837fbf5845e5/data/NCI1/raw"
TEXTS = {
    ending: SourceFile(f"nci1/NCI1_{ending}.txt", sha256, f"{MIRROR}/NCI1_{ending}.txt")
    for ending, sha256 in {
        "A": "2c028eda59a5fe96e2265a63d9ac236901bd9a7dc658498be13cd704a703076d",
        "graph_indicator": "ffe5acfa754b057d5ce0dc725c5aadb631628161886cc040d38c719635257dc5",
        "graph_labels": "fae44681e70113f496256ae87eaac33b7836e3a97fe8e023933b84fde6a5c8a2",
        "node_labels": "dc0a22b6cbff0c939de00373e823977ba32b358f560e4288d7602f7b51407ee2",
    }.items()
}

CLASS_NAMES = ("inactive", "active")
NUM_LABELS = 37
# The collection does not name the labels, counted from 1. These follow from how many neighbours their nodes have, which
# ones, and how many there are of them: chlorine, bromine and iodine are ends or lone ions, and so on.
ATOMS = {1: "O", 2: "N", 3: "C", 4: "S", 5: "Cl", 6: "P", 7: "F", 14: "Br", 21: "I", 22: "Si"}
ATOM_NAMES = tuple(ATOMS.get(label, f"label {label}") for label in range(1, NUM_LABELS + 1))


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """NCI1: 4,110 compounds, or the first so many.

    Each graph has the atoms one-hot in ``x``; there are no edge attributes. Some compounds are in several parts. Edges
    are in the order of the file.
    """
    texts, path = tu.checked_texts(files, "NCI1", ARCHIVE, TEXTS)
    return from_texts(texts, path, num_graphs)


def from_texts(texts: tu.Texts, path: Path, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the contents of its files, by their endings; ``path`` says in messages where they are from."""
    tables = tu.parse(texts, path, needed=tuple(TEXTS))
    return molecule_dataset(
        split_graphs(
            node_values={"x": one_hot(tables["node_labels"][:, 0] - 1, NUM_LABELS, "node_labels less 1")},
            edge_values={"edge_index": torch.from_numpy(tables["A"].T)},
            labels=torch.from_numpy(tables["graph_labels"][:, 0]),
            sizes=np.bincount(tables["graph_indicator"][:, 0]),
            num_graphs=num_graphs,
        ),
        atoms=ATOM_NAMES,
        bonds=(),
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence="not stated by the source",
        source="Wale, Watson and Karypis 2008, as in TUDataset; https://github.com/idea-iitd/GraphTrail",
    )


SPEC = DatasetSpec(
    name="nci1",
    load=load,
    question="compounds that slow a lung cancer's cells, or not",
    num_graphs=4110,
    num_classes=len(CLASS_NAMES),
    files=((ARCHIVE,), tuple(TEXTS.values())),
)
