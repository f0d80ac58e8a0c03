"""Mutagenicity: does a molecule damage genes in bacteria?

Class 0 are the mutagens. Hydrogens are nodes. The data set is the one that the paper calls MUTAG.
"""

from pathlib import Path

import torch

from protograph._base.progress import Progress
from protograph.datasets import sources
from protograph.datasets.archives import check_sha256
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import CARBON_RING, molecule_dataset
from protograph.datasets.sources import SourceFile
from protograph.datasets.tu import TUArrays, parse_tu, read_tu
from protograph.graphs.splitting import check_range, checked_count, one_hot, split_graphs

# One archive with all texts, or the texts themselves, which are what can be downloaded.
FILE = "mutagenicity/Mutagenicity_tu_raw.zip"
SHA256 = "6eaf2cc8e034557e1b532aba1185b4abb1187118a27451d2041294ceaa42f2c9"
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
FILES = tuple(TEXTS.values())
EDGE_COLUMNS = ("edge_labels", "edge_gt")

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
TRUTHS = (NITRO, AMINO, RING_NITRO, RING_AMINO)

SOURCE = (
    "Kazius, McGuire and Bursi 2005, as in TUDataset, with the edges of NO2 and NH2 marked by Luo et al. 2020; "
    "https://github.com/flyingdoog/PGExplainer"
)
LICENCE = "not stated by the source"


def load(
    root: Path | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """Mutagenicity: 4,337 molecules, or the first so many; ``random_state`` is not read.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple), and
    ``edge_mask``, which marks the edges inside NO2 and NH2, in molecules of either class. Some molecules are
    in several parts. Edges are in the order of the file.

    Raises:
        FileNotFoundError: If the folder that is named does not have the files.
        ConnectionError: If no folder is named and they cannot be downloaded.
        ValueError: If a file has another checksum.
    """
    archive = sources.find(root, FILE)
    if archive is not None:
        check_sha256(archive, SHA256)
        key = {"archive": SHA256}
    else:
        for file in FILES:
            sources.fetch(file, root, progress)  # what is kept does not stand in for files that are not there
        key = {ending: str(file.sha256) for ending, file in TEXTS.items()}

    def build() -> TUArrays:
        if archive is not None:
            return read_tu(archive, "Mutagenicity", edge_columns=EDGE_COLUMNS)
        texts = {ending: sources.read(file, root, progress) for ending, file in TEXTS.items()}
        return parse_tu(texts, Path(TEXTS["A"].relative).parent, edge_columns=EDGE_COLUMNS)

    arrays = cached_arrays("mutagenicity", key, lambda: build().flat())
    return from_arrays(TUArrays.of(arrays), num_graphs)


def from_arrays(arrays: TUArrays, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the arrays of its files."""
    check_range(arrays.graph_labels, len(CLASS_NAMES), "graph_labels")
    check_range(arrays.edge_columns["edge_gt"], 2, "edge_gt")
    graphs = split_graphs(
        node_values={"x": one_hot(arrays.node_labels, len(ATOM_NAMES), "node_labels")},
        edge_values={
            "edge_index": torch.from_numpy(arrays.edge_index),
            "edge_attr": one_hot(arrays.edge_columns["edge_labels"], len(BOND_NAMES), "edge_labels"),
            "edge_mask": torch.from_numpy(arrays.edge_columns["edge_gt"] == 1),
        },
        labels=torch.from_numpy(arrays.graph_labels),
        node_bounds=arrays.node_bounds,
        edge_bounds=arrays.edge_bounds,
        num_graphs=checked_count(num_graphs, len(arrays.graph_labels)),
    )
    return molecule_dataset(
        graphs,
        atoms=ATOM_NAMES,
        bonds=BOND_NAMES,
        truths={0: TRUTHS},
        name="mutagenicity",
        class_names=CLASS_NAMES,
        licence=LICENCE,
        source=SOURCE,
        hidden=(32, 32, 32),
    )
