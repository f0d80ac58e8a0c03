"""Benzene: does a molecule contain a benzene ring?

Class 1 does. Nodes are heavy atoms only.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from protograph._base.progress import Progress
from protograph.datasets import benzene_smiles
from protograph.datasets.archives import read_npz
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import CARBON_RING, molecule_dataset
from protograph.datasets.sources import find
from protograph.graphs.splitting import check_range, checked_count, one_hot, split_graphs
from protograph.molecules.elements import COLORS
from protograph.molecules.toolkit import import_chem

FILE = "benzene/benzene_graphs.npz"
CLASS_NAMES = ("no benzene", "benzene")
SOURCE = (
    "Sanchez-Lengeling et al. 2020, Evaluating attribution for graph neural networks; "
    "https://github.com/google-research/graph-attribution"
)
LICENCE = "Apache-2.0; molecules from ZINC12, distributed there with John Irwin's permission"

# The arrays of the file that have one entry a node, an edge and a graph, and those where each part begins.
NODE_ARRAYS = ("atom",)
EDGE_ARRAYS = ("senders", "receivers", "bond")
GRAPH_ARRAYS = ("y", "att_k")
BOUNDS = {"node_ptr": "atom", "edge_ptr": "senders", "att_ptr": "att"}
SPLITS = {"train": "train_index", "test": "test_index"}
KINDS = ("atom_types", "bond_types")

Arrays = Mapping[str, NDArray[Any]]


def load(
    root: Path | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """Benzene: 12,000 molecules, or the first so many; ``random_state`` is not read.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple,
    aromatic, unspecified), and ``attributions``, a boolean tensor of shape ``[num_nodes, 15]``: each column that
    is not empty is an acceptable explanation, one for every union of benzene rings. The published number of
    columns differs between molecules, which PyG cannot batch; here all have those of the largest, and the
    rest are empty. ``node_mask`` marks the atoms of all rings. ``splits`` has the published ``train`` and ``test``.

    The graphs are read from ``benzene_graphs.npz`` where that is there, and have their ``smiles`` where the published
    table lies beside it, and each atom's formal ``charge`` if RDKit is installed too. Elsewhere RDKit makes the same
    graphs of the table, which is downloaded if need be.

    Raises:
        ImportError: If RDKit is needed and not installed.
        FileNotFoundError: If the named folder does not have the files.
        ConnectionError: If no folder is named and the download fails.
        ValueError: If a file is damaged.
    """
    path = find(root, FILE)
    if path is None:
        import_chem(benzene_smiles.PURPOSE)  # before the download
        table = benzene_smiles.read_table(root, progress)
        return from_arrays(benzene_smiles.read_arrays(table), num_graphs, table.smiles)
    arrays = read_npz(path, (*NODE_ARRAYS, *EDGE_ARRAYS, *GRAPH_ARRAYS, *BOUNDS, "att", *SPLITS.values(), *KINDS))
    try:
        check(arrays)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if find(root, benzene_smiles.FILE.relative) is None:
        return from_arrays(arrays, num_graphs)
    table = benzene_smiles.read_table(root)
    return from_arrays({**arrays, **benzene_smiles.read_charges(table, len(arrays["atom"]))}, num_graphs, table.smiles)


def from_arrays(arrays: Arrays, num_graphs: int | None = None, smiles: Sequence[str] = ()) -> GraphDataset:
    """The data set of the arrays of its file, which :func:`check` has seen; ``smiles`` are those of all its graphs."""
    count = checked_count(num_graphs, len(arrays["y"]))
    attributions = padded_attributions(arrays)
    edge_index = np.stack([arrays["senders"], arrays["receivers"]]).astype(np.int64)
    charge = {"charge": torch.from_numpy(arrays["charge"].astype(np.int64))} if "charge" in arrays else {}
    graphs = split_graphs(
        node_values={
            "x": one_hot(arrays["atom"], len(arrays["atom_types"]), "atom"),
            "attributions": attributions,
            "node_mask": attributions.any(dim=1),
            **charge,
        },
        edge_values={
            "edge_index": torch.from_numpy(edge_index),
            "edge_attr": one_hot(arrays["bond"], len(arrays["bond_types"]), "bond"),
        },
        labels=torch.from_numpy(arrays["y"].astype(np.int64)),
        node_bounds=arrays["node_ptr"],
        edge_bounds=arrays["edge_ptr"],
        num_graphs=count,
    )
    if len(smiles) == len(arrays["y"]):
        for graph, text in zip(graphs, smiles, strict=False):
            graph.smiles = text
    indices = {split: torch.from_numpy(arrays[name].astype(np.int64)) for split, name in SPLITS.items()}
    return molecule_dataset(
        graphs,
        atoms=arrays["atom_types"].tolist(),
        bonds=[name.lower() for name in arrays["bond_types"].tolist()],
        truths={1: (CARBON_RING,)},
        name="benzene",
        class_names=CLASS_NAMES,
        licence=LICENCE,
        source=SOURCE,
        hidden=(32, 32, 32),
        splits={split: index[index < count] for split, index in indices.items()},
    )


def padded_attributions(arrays: Arrays) -> Tensor:
    """Attributions of all nodes, ``[num_nodes, widest]``, with empty columns where a graph has fewer.

    >>> two_graphs = {
    ...     "att": np.array([1, 0, 1]),
    ...     "att_k": np.array([1, 2]),
    ...     "att_ptr": np.array([0, 1, 3]),
    ...     "node_ptr": np.array([0, 1, 2]),
    ... }
    >>> padded_attributions(two_graphs)
    tensor([[ True, False],
            [False,  True]])
    """
    # The file has them graph after graph, node after node, then column after column.
    starts, widths = arrays["att_ptr"][:-1].astype(np.int64), arrays["att_k"].astype(np.int64)
    graph_of = np.repeat(np.arange(len(widths)), np.diff(arrays["att_ptr"]))
    row, column = np.divmod(np.arange(len(graph_of)) - starts[graph_of], widths[graph_of])
    padded = np.zeros((int(arrays["node_ptr"][-1]), int(widths.max())), dtype=np.bool_)
    padded[row + arrays["node_ptr"][graph_of], column] = arrays["att"] != 0
    return torch.from_numpy(padded)


def check(arrays: Arrays) -> None:
    """Check that the arrays of the file fit each other.

    Raises:
        ValueError: If they do not.
    """
    num_graphs = len(arrays["y"])
    _check_shapes(arrays, num_graphs)
    for name, held in BOUNDS.items():
        bounds = arrays[name]
        if bounds[0] != 0 or bounds[-1] != len(arrays[held]) or (np.diff(bounds) < 0).any():
            raise ValueError(f"{name} must rise from 0 to the length of {held}, {len(arrays[held])}")
    num_nodes = np.diff(arrays["node_ptr"])
    if not np.array_equal(np.diff(arrays["att_ptr"]), num_nodes * arrays["att_k"]) or arrays["att_k"].min() < 1:
        raise ValueError("att_ptr must leave att_k entries, at least 1, for each node of each graph")
    check_range(arrays["y"], len(CLASS_NAMES), "y")
    check_range(arrays["atom"], len(arrays["atom_types"]), "atom")
    check_range(arrays["bond"], len(arrays["bond_types"]), "bond")
    for name in SPLITS.values():
        check_range(arrays[name], num_graphs, name)
    room = np.repeat(num_nodes, np.diff(arrays["edge_ptr"]))
    for name in ("senders", "receivers"):
        if ((arrays[name] < 0) | (arrays[name] >= room)).any():
            raise ValueError(f"{name} must be nodes of their graph, got one that it does not have")
    unknown = sorted(set(arrays["atom_types"].tolist()) - set(COLORS))
    if unknown:
        raise ValueError(f"atom_types must be among {', '.join(COLORS)}, got {unknown[0]!r}")


def _check_shapes(arrays: Arrays, num_graphs: int) -> None:
    wanted = dict.fromkeys(EDGE_ARRAYS, len(arrays["senders"]))
    wanted |= dict.fromkeys(GRAPH_ARRAYS, num_graphs) | dict.fromkeys(BOUNDS, num_graphs + 1)
    for name, array in arrays.items():
        if array.ndim != 1 or len(array) != wanted.get(name, len(array)):
            raise ValueError(f"{name} must have one dimension of {wanted.get(name, 'any')} entries, got {array.shape}")
        if array.dtype.kind not in ("U" if name in KINDS else "iu"):
            raise ValueError(f"{name} must have {'texts' if name in KINDS else 'integers'}, got {array.dtype}")
