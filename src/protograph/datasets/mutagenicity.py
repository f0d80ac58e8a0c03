"""Mutagenicity: does a molecule damage genes in bacteria?

Class 0 are the mutagens. Hydrogens are nodes. The data set is the one that the paper calls MUTAG.
"""

from pathlib import Path

import torch

from protograph.datasets.archives import check_sha256
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.location import find_file
from protograph.datasets.molecules import CARBON_RING, COLORS, molecule
from protograph.datasets.splitting import check_range, checked_count, one_hot, split_graphs
from protograph.datasets.tu import TUArrays, read_tu

FILE = "mutagenicity/Mutagenicity_tu_raw.zip"
SHA256 = "6eaf2cc8e034557e1b532aba1185b4abb1187118a27451d2041294ceaa42f2c9"

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


def load(root: Path | None = None, *, random_state: int = 0, num_graphs: int | None = None) -> GraphDataset:
    """Mutagenicity: 4,337 molecules, or the first so many; ``random_state`` is not read.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple), and
    ``edge_mask``, which marks the edges inside NO2 and NH2, in molecules of either class. Some molecules are
    in several parts. Edges are in the order of the file.

    Raises:
        FileNotFoundError: If the file is not there; see :func:`~protograph.datasets.location.find_file`.
        ValueError: If the file has another checksum.
    """
    path = find_file(root, FILE)
    check_sha256(path, SHA256)
    return from_arrays(read_tu(path, "Mutagenicity", edge_columns=("edge_labels", "edge_gt")), num_graphs)


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
    return GraphDataset(
        graphs=graphs,
        name="mutagenicity",
        class_names=CLASS_NAMES,
        feature_names=ATOM_NAMES,
        colors=tuple(COLORS[atom] for atom in ATOM_NAMES),
        ground_truths={0: tuple(molecule(atoms, bonds, ATOM_NAMES) for atoms, bonds in TRUTHS)},
        licence=LICENCE,
        source=SOURCE,
        hidden=(32, 32, 32),
    )
