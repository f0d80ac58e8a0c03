"""Solubility: does a molecule dissolve in water?

Class 0 hardly does, class 1 does well. Nodes are heavy atoms only.
"""

import csv
import io

import torch

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.molecules import CARBON_RING, Structure, molecule_dataset, read_molecules
from protograph.datasets.spec import DataFiles, DatasetSpec, PaperCounts, SourceFile
from protograph.molecules.reading import import_chem, molecule_graphs

FILE = SourceFile(
    relative="solubility/delaney-processed.csv",
    sha256="8c06a76f0c6487d29ab0f903e6a7a7139f189ab3c1178f159c8be8964602f189",
    url="https://raw.githubusercontent.com/baldassarreFe/graph-network-explainability/"
    "39f8dd1fa245545f54a9f29582d0cf85c681edec/data/delaney-processed.csv",
)
MEASURED = "measured log solubility in mols per litre"

CLASS_NAMES = ("insoluble", "soluble")
# What lies between, the limits included, is in neither class.
INSOLUBLE_BELOW, SOLUBLE_ABOVE = -4.0, -2.0

# What dissolves is said to have R-OH, which is C-O without hydrogens.
HYDROXYL: Structure = (("C", "O"), ((0, 1),))
RING_ATOMS, RING_BONDS = CARBON_RING
FUSED_RINGS: Structure = ((*RING_ATOMS, *("C",) * 4), (*RING_BONDS, (0, 6), (6, 7), (7, 8), (8, 9), (9, 1)))


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Solubility: 708 molecules, or the first so many.

    Those with a measured log solubility below -4 are class 0, above -2 class 1; the rest is left out. Each graph has
    the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple, aromatic), each atom's
    formal ``charge``, and the ``smiles`` it was made from. A molecule may occur twice, as it does in the file.
    """
    import_chem("the data set 'solubility'")  # before the download
    return from_table(files.read(FILE), num_graphs)


def from_table(content: bytes, num_graphs: int | None = None) -> GraphDataset:
    """The data set of the content of its file."""
    table = [(row["smiles"].strip(), float(row[MEASURED])) for row in csv.DictReader(io.StringIO(content.decode()))]
    rows = [(text, value) for text, value in table if value < INSOLUBLE_BELOW or value > SOLUBLE_ABOVE]
    smiles = [text for text, _ in rows]
    arrays = read_molecules("solubility", smiles)
    assert not arrays["wrong"].size
    labels = torch.tensor([int(value > SOLUBLE_ABOVE) for _, value in rows])
    return molecule_dataset(
        molecule_graphs(arrays, labels, smiles, num_graphs),
        atoms=arrays["atom_types"].tolist(),
        bonds=arrays["bond_types"].tolist(),
        truths={0: (FUSED_RINGS,), 1: (HYDROXYL,)},
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence="not stated by the source",
        source="Delaney 2004, ESOL: Estimating aqueous solubility directly from molecular structure; "
        "https://github.com/baldassarreFe/graph-network-explainability",
    )


SPEC = DatasetSpec(
    name="solubility",
    load=load,
    question="molecules that dissolve in water, or do not",
    num_graphs=708,
    num_classes=len(CLASS_NAMES),
    files=((FILE,),),
    extra="molecules",
    paper=PaperCounts(708, 9445, 9735, "undirected"),
)
