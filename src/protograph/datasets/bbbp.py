"""BBBP: does a molecule pass from the blood into the brain?

Class 1 passes. Nodes are heavy atoms only.
"""

import csv
import io

import torch

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import molecule_dataset, read_molecules
from protograph.datasets.spec import DataFiles, DatasetSpec, SourceFile
from protograph.molecules.reading import import_chem, molecule_graphs

FILE = SourceFile(
    relative="bbbp/BBBP.csv",
    sha256="34c10e0f0b15dbc178c3ce4ad9774decc6a202776a31763f5a899309c97497ee",
    url="https://raw.githubusercontent.com/OpenDrugAI/AttentiveFP/"
    "dda6708342ffe255ded73c459ad64214a4615542/data/BBBP.csv",
)
CLASS_NAMES = ("kept out", "passes")


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """BBBP: 2,039 molecules, or the first so many.

    The file has 2,050 rows; eleven are no molecules, their nitrogens having too many bonds, and are left out. Each
    graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple, aromatic), each
    atom's formal ``charge``, and the ``smiles`` it was made from. Salts are in several parts.
    """
    import_chem("the data set 'bbbp'")  # before the download
    return from_table(files.read(FILE), num_graphs)


def from_table(content: bytes, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the content of its file."""
    rows = [(row["smiles"].strip(), int(row["BBBP"])) for row in csv.DictReader(io.StringIO(content.decode()))]
    arrays = read_molecules("bbbp", [smiles for smiles, _ in rows])
    wrong = set(arrays["wrong"].tolist())
    kept = [row for position, row in enumerate(rows) if position not in wrong]
    labels = torch.tensor([label for _, label in kept])
    return molecule_dataset(
        molecule_graphs(arrays, labels, [smiles for smiles, _ in kept], num_graphs),
        atoms=arrays["atom_types"].tolist(),
        bonds=arrays["bond_types"].tolist(),
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence="not stated by the source",
        source="Martins et al. 2012, as in MoleculeNet; https://github.com/OpenDrugAI/AttentiveFP",
    )


SPEC = DatasetSpec(
    name="bbbp",
    load=load,
    question="molecules that pass into the brain, or not",
    num_graphs=2039,
    num_classes=len(CLASS_NAMES),
    files=((FILE,),),
    extra="molecules",
)
