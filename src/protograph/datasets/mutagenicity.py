"""Mutagenicity: does a molecule damage genes in bacteria?

Class 0 are the mutagens. Hydrogens are nodes. The data set is the one that the paper calls MUTAG.
"""

from pathlib import Path

import numpy as np
import torch

from protograph.datasets import tu
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import CARBON_RING, molecule_dataset
from protograph.datasets.spec import DataFiles, DatasetSpec, PaperCounts, SourceFile
from protograph.graphs.splitting import one_hot, split_graphs

# One archive with all texts, or the texts themselves, which are what can be downloaded.
ARCHIVE = SourceFile("mutagenicity/Mutagenicity_tu_raw.zip", None, None)
MIRROR = (
    "https://raw.githubusercontent.com/LarsHoldijk/RE-ParameterizedExplainerForGraphNeuralNetworks/"
    "46870bddd8da22ebbd28c9eaff78514790753e64/ExplanationEvaluation/datasets/Mutagenicity"
)
TEXTS = {
    ending: SourceFile(f"mutagenicity/Mutagenicity_{ending}.txt", sha256, f"{MIRROR}/Mutagenicity_{ending}.txt")
    for ending, sha256 in {
        "A": "ae85e22b4b898ebd819d2ed3adc8f06a7bf1cda746b333086472d19b36711145",
        "graph_indicator": "88b2d83ff10fad75b3280654061e965976f74e75620058c371ed23567236b4bc",
        "graph_labels": "b604c7dcbfdf89193901e32abdcbf9b5b92137414ce22231f00ed65d48ec48f9",
        "node_labels": "b429ec418c831d02dc3088b2fe08d11214627850d2bbdacfa9797c0510e70ae7",
        "edge_labels": "bf8e783386ac22e6033bbce56d765c0a4336649bd590a6f1e467b27b549f2114",
        "edge_gt": "d520a35eb480a94a36ff257d9a653d9bcd1fb8adae7698bfe72cc2c101cbce01",
    }.items()
}

# In the order of the file's labels.
CLASS_NAMES = ("mutagen", "nonmutagen")
ATOM_NAMES = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
BOND_NAMES = ("single", "double", "triple")

RING_ATOMS, RING_BONDS = CARBON_RING
NITRO = (("N", "O", "O"), ((0, 1), (0, 2)))
AMINO = (("N", "H", "H"), ((0, 1), (0, 2)))
# The groups hang on a carbon of the ring, whose hydrogens are left out: what else the ring carries is open.
RING_NITRO = ((*RING_ATOMS, "N", "O", "O"), (*RING_BONDS, (0, 6), (6, 7), (6, 8)))
RING_AMINO = ((*RING_ATOMS, "N", "H", "H"), (*RING_BONDS, (0, 6), (6, 7), (6, 8)))


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Mutagenicity: 4,337 molecules, or the first so many.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple), and
    ``edge_mask``, which marks the edges inside NO2 and NH2, in molecules of either class. Some molecules are
    in several parts. Edges are in the order of the file.
    """
    texts, path = tu.checked_texts(files, "Mutagenicity", ARCHIVE, TEXTS)
    return from_texts(texts, path, num_graphs)


def from_texts(texts: tu.Texts, path: Path, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the contents of its files, by their endings; ``path`` says in messages where they are from."""
    tables = tu.parse(texts, path, needed=tuple(TEXTS))
    labels, atoms, bonds, marks = (
        tables[ending][:, 0] for ending in ("graph_labels", "node_labels", "edge_labels", "edge_gt")
    )
    return molecule_dataset(
        split_graphs(
            node_values={"x": one_hot(atoms, len(ATOM_NAMES), "node_labels")},
            edge_values={
                "edge_index": torch.from_numpy(tables["A"].T),
                "edge_attr": one_hot(bonds, len(BOND_NAMES), "edge_labels"),
                "edge_mask": torch.from_numpy(marks == 1),
            },
            labels=torch.from_numpy(labels),
            sizes=np.bincount(tables["graph_indicator"][:, 0]),
            num_graphs=num_graphs,
        ),
        atoms=ATOM_NAMES,
        bonds=BOND_NAMES,
        truths={0: (NITRO, AMINO, RING_NITRO, RING_AMINO)},
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence="not stated by the source",
        source="Kazius, McGuire and Bursi 2005, as in TUDataset, with the edges of NO2 and NH2 marked by Luo et al. "
        "2020; https://github.com/flyingdoog/PGExplainer",
    )


SPEC = DatasetSpec(
    name="mutagenicity",
    load=load,
    question="molecules that damage genes, or not (MUTAG)",
    num_graphs=4337,
    num_classes=len(CLASS_NAMES),
    files=((ARCHIVE,), tuple(TEXTS.values())),
    paper=PaperCounts(4337, 131_488, 266_894, "directed"),
)
