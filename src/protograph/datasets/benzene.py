"""Benzene: does a molecule contain a benzene ring?

Class 1 does. Nodes are heavy atoms only.
"""

import csv
import io
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import torch

from protograph._base.arrays import Arrays, Bools
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import CARBON_RING, molecule_dataset
from protograph.datasets.spec import DataFiles, DatasetSpec, PaperCounts, SourceFile
from protograph.molecules.reading import import_chem, molecule_arrays, molecule_graphs, parse

FILE = SourceFile(
    relative="benzene/benzene_smiles.csv",
    sha256="aa52389639d0989dc5bb726c364fbc38ed520468d6606d67679d24b7e6720a28",
    url="https://raw.githubusercontent.com/google-research/graph-attribution/"
    "03e7495379df26a21395b25c6a14d92dc27fc3b0/data/benzene/benzene_smiles.csv",
)
# The same graphs as plain arrays, for machines without RDKit; formal charges are not in it.
ARRAYS = SourceFile(
    relative="benzene/benzene_graphs.npz",
    sha256="b3f5a267ba63a51c067d3c234713b46fb94ea71e10f1c664c42ad79dee703a06",
    url=None,
)
PURPOSE = "the data set 'benzene'"
# Part of the cache's key: raised whenever the same table gives other arrays.
RECIPE = 2

CLASS_NAMES = ("no benzene", "benzene")
# As published, columns that no molecule uses included.
ATOM_TYPES = ("C", "N", "O", "S", "F", "P", "Cl", "Br", "Na", "Ca", "I", "B", "H", "*")
BOND_TYPES = ("single", "double", "triple", "aromatic", "unspecified")
NUM_TRAIN = 10_000


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Benzene: 12,000 molecules, or the first so many, made of the published SMILES by RDKit.

    Without RDKit the graphs come from ``benzene_graphs.npz``, if the data folder has it.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple,
    aromatic, unspecified), each atom's formal ``charge``, its ``smiles``, and ``attributions``, a boolean tensor of
    shape ``[num_nodes, 15]``: each column that is not empty is an acceptable explanation, one for every union of
    benzene rings. The published number of columns differs between molecules, which PyG cannot batch; here all have
    those of the largest, and the rest are empty. ``node_mask`` marks the atoms of all rings. ``splits`` has the
    published ``train`` and ``test``.
    """
    try:
        version = import_chem(PURPOSE).rdBase.rdkitVersion  # before the download
    except ImportError:
        if files.find(ARRAYS.relative) is None:
            raise
        version = None
    rows = list(csv.DictReader(io.StringIO(files.read(FILE).decode())))
    smiles = [row["smiles"] for row in rows]
    if version is None:
        arrays = published_arrays(files.read(ARRAYS))
    else:
        key = {"sha256": str(FILE.sha256), "recipe": RECIPE, "rdkit": version}
        arrays = cached_arrays(SPEC.name, key, lambda: make_arrays(smiles))
    return from_arrays(arrays, smiles, [int(float(row["label"])) for row in rows], num_graphs)


def published_arrays(content: bytes) -> Arrays:
    """What :func:`make_arrays` makes, without charges, of the file of arrays."""
    with np.load(io.BytesIO(content)) as arrays:
        file = {name: arrays[name].astype(np.int64) for name in arrays.files if arrays[name].dtype.kind != "U"}
        types = arrays["atom_types"]
    widths = file["att_k"]
    # Attributions lie graph after graph, node after node, then column after column.
    graph = np.repeat(np.arange(len(widths)), np.diff(file["att_ptr"]))
    row, column = np.divmod(np.arange(len(graph)) - file["att_ptr"][graph], widths[graph])
    attributions = np.zeros((len(file["atom"]), int(widths.max())), dtype=np.bool_)
    attributions[row + file["node_ptr"][graph], column] = file["att"] != 0
    return {
        "atom": file["atom"],
        "atom_types": types,
        "bond": file["bond"],
        "edge_index": np.stack([file["senders"], file["receivers"]])
        + np.repeat(file["node_ptr"][:-1], np.diff(file["edge_ptr"])),
        "sizes": np.diff(file["node_ptr"]),
        "attributions": attributions,
    }


def make_arrays(smiles: Sequence[str]) -> Arrays:
    """Arrays of the molecules, and the ``attributions`` of all their atoms, padded to the same number of columns.

    >>> arrays = make_arrays(["c1ccccc1O", "CO"])
    >>> arrays["attributions"].T.tolist()
    [[True, True, True, True, True, True, False, False, False]]
    """
    molecules = [parse(text) for text in smiles]
    ring = import_chem(PURPOSE).MolFromSmarts("c1ccccc1")
    unions = [ring_unions(molecule.GetSubstructMatches(ring), molecule.GetNumAtoms()) for molecule in molecules]
    width = max(columns.shape[1] for columns in unions)
    padded = [np.pad(columns, ((0, 0), (0, width - columns.shape[1]))) for columns in unions]
    return molecule_arrays(molecules) | {"attributions": np.concatenate(padded)}


def ring_unions(rings: Sequence[Sequence[int]], num_atoms: int) -> Bools:
    """A column for every union of rings, those of fewer rings first.

    >>> ring_unions([[0, 1], [1, 2]], 3).astype(int)
    array([[1, 0, 1],
           [1, 1, 1],
           [0, 1, 1]])
    """
    unions = [union for size in range(1, len(rings) + 1) for union in combinations(rings, size)]
    columns = np.zeros((num_atoms, len(unions)), dtype=np.bool_)
    for number, union in enumerate(unions):
        columns[[atom for ring in union for atom in ring], number] = True
    return columns


def from_arrays(
    arrays: Arrays, smiles: Sequence[str], labels: Sequence[int], num_graphs: int | None = None
) -> GraphDataset:
    """The data set of what :func:`make_arrays` gives."""
    column = np.array([ATOM_TYPES.index(symbol) for symbol in arrays["atom_types"]])
    published = {"atom": column[arrays["atom"]], "atom_types": np.array(ATOM_TYPES), "bond_types": np.array(BOND_TYPES)}
    attributions = torch.from_numpy(arrays["attributions"])
    graphs = molecule_graphs(
        arrays | published,
        torch.tensor(labels),
        smiles,
        num_graphs,
        attributions=attributions,
        node_mask=attributions.any(dim=1),
    )
    train = torch.arange(min(len(graphs), NUM_TRAIN))
    return molecule_dataset(
        graphs,
        atoms=ATOM_TYPES,
        bonds=BOND_TYPES,
        truths={1: (CARBON_RING,)},
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence="Apache-2.0; molecules from ZINC12, distributed there with John Irwin's permission",
        source="Sanchez-Lengeling et al. 2020, Evaluating attribution for graph neural networks; "
        "https://github.com/google-research/graph-attribution",
        splits={"train": train, "test": torch.arange(len(train), len(graphs))},
    )


SPEC = DatasetSpec(
    name="benzene",
    load=load,
    question="molecules with and without a benzene ring",
    num_graphs=12_000,
    num_classes=len(CLASS_NAMES),
    files=((FILE,),),
    extra="molecules",
    paper=PaperCounts(12_000, 246_993, 523_842, "directed"),
)
