"""Benzene from its SMILES: the arrays of ``benzene_graphs.npz``, made anew with RDKit."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._base.progress import Progress
from protograph.datasets.cache import cached_arrays
from protograph.datasets.sources import SourceFile, read
from protograph.molecules.reading import molecule_arrays, parse
from protograph.molecules.toolkit import import_chem

FILE = SourceFile(
    relative="benzene/benzene_smiles.csv",
    sha256="aa52389639d0989dc5bb726c364fbc38ed520468d6606d67679d24b7e6720a28",
    url="https://raw.githubusercontent.com/google-research/graph-attribution/"
    "03e7495379df26a21395b25c6a14d92dc27fc3b0/data/benzene/benzene_smiles.csv",
)
PURPOSE = "the data set 'benzene' without benzene_graphs.npz"
RECIPE = 1

# As published, columns that no molecule uses included.
ATOM_TYPES = ("C", "N", "O", "S", "F", "P", "Cl", "Br", "Na", "Ca", "I", "B", "H", "*")
BOND_TYPES = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC", "UNSPECIFIED")
RING = "c1ccccc1"
NUM_TRAIN = 10_000


@dataclass(frozen=True)
class Table:
    """The published table.

    Attributes:
        smiles: SMILES of each molecule.
        labels: Label of each molecule.
    """

    smiles: tuple[str, ...]
    labels: tuple[int, ...]


def read_table(root: Path | None, progress: Progress | None = None) -> Table:
    """The published table from ``root``, or downloaded.

    Raises:
        FileNotFoundError: If the named folder does not have the file.
        ConnectionError: If no folder is named and the download fails.
        ValueError: If the file has another checksum.
    """
    rows = list(csv.DictReader(io.StringIO(read(FILE, root, progress).decode())))
    return Table(tuple(row["smiles"] for row in rows), tuple(int(float(row["label"])) for row in rows))


def read_arrays(table: Table) -> dict[str, NDArray[Any]]:
    """Arrays of the table as :func:`~protograph.datasets.benzene.from_arrays` takes them, kept in the cache.

    They equal those of ``benzene_graphs.npz``, and have each atom's formal ``charge`` besides.

    Raises:
        ImportError: If RDKit is not installed.
    """
    version = import_chem(PURPOSE).rdBase.rdkitVersion
    key = {"sha256": str(FILE.sha256), "recipe": RECIPE, "rdkit": version}
    return cached_arrays("benzene", key, lambda: make_arrays(table))


def read_charges(table: Table, num_atoms: int) -> dict[str, NDArray[Any]]:
    """Formal charges of all atoms, kept in the cache; nothing without RDKit, or if there are not so many atoms."""
    try:
        chem = import_chem(PURPOSE)
    except ImportError:
        return {}

    def build() -> dict[str, NDArray[Any]]:
        # Charges are as written: nothing has to be worked out.
        molecules = (chem.MolFromSmiles(text, sanitize=False) for text in table.smiles)
        charges = [atom.GetFormalCharge() for molecule in molecules for atom in molecule.GetAtoms()]
        return {"charge": np.array(charges, dtype=np.int8)}

    key = {"sha256": str(FILE.sha256), "recipe": RECIPE, "rdkit": chem.rdBase.rdkitVersion}
    arrays = cached_arrays("benzene-charges", key, build)
    return arrays if len(arrays["charge"]) == num_atoms else {}


def make_arrays(table: Table, num_train: int = NUM_TRAIN) -> dict[str, NDArray[Any]]:
    """Arrays of the molecules of a table, of which the first ``num_train`` are the training split.

    >>> arrays = make_arrays(Table(("c1ccccc1O", "CO"), (1, 0)), num_train=1)
    >>> arrays["att"].tolist(), arrays["att_k"].tolist()
    ([1, 1, 1, 1, 1, 1, 0, 0, 0], [1, 1])
    """
    attributions: list[NDArray[np.int8]] = []
    arrays = molecule_arrays(_explained(table.smiles, attributions), ATOM_TYPES)
    senders, receivers = arrays["edge_index"]
    return {
        "atom": arrays["atom"],
        "charge": arrays["charge"],
        "senders": senders,
        "receivers": receivers,
        "bond": arrays["bond"],
        "node_ptr": arrays["node_bounds"],
        "edge_ptr": arrays["edge_bounds"],
        "y": np.array(table.labels, dtype=np.int8),
        "att": np.concatenate([columns.ravel() for columns in attributions]),
        "att_k": np.array([columns.shape[1] for columns in attributions]),
        "att_ptr": np.cumsum([0, *(columns.size for columns in attributions)]),
        "train_index": np.arange(num_train),
        "test_index": np.arange(num_train, len(table.smiles)),
        "atom_types": np.array(ATOM_TYPES),
        "bond_types": np.array(BOND_TYPES),
    }


def _explained(smiles: Sequence[str], attributions: list[NDArray[np.int8]]) -> Iterator[Any]:
    """The molecules one by one; the attributions of each are appended as they are made."""
    ring = import_chem(PURPOSE).MolFromSmarts(RING)
    for text in smiles:
        molecule = parse(text)
        attributions.append(ring_unions(molecule.GetSubstructMatches(ring), molecule.GetNumAtoms()))
        yield molecule


def ring_unions(rings: Sequence[Sequence[int]], num_atoms: int) -> NDArray[np.int8]:
    """A column for every union of rings, those of fewer rings first, and an empty one where there is no ring.

    >>> ring_unions([[0, 1], [1, 2]], 3)
    array([[1, 0, 1],
           [1, 1, 1],
           [0, 1, 1]], dtype=int8)
    """
    unions = [union for size in range(1, len(rings) + 1) for union in combinations(rings, size)]
    columns = np.zeros((num_atoms, max(1, len(unions))), dtype=np.int8)
    for number, union in enumerate(unions):
        columns[[atom for ring in union for atom in ring], number] = 1
    return columns
