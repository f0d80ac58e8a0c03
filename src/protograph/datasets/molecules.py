"""Data sets of molecules, made of SMILES by RDKit: Benzene, BBBP and Solubility. Nodes are heavy atoms only."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, compress
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._utils.arrays import Arrays
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import DataFiles, SourceFile
from protograph.datasets.spec import DatasetSpec, PaperCounts
from protograph.graphs.elements import COLORS
from protograph.molecules.read import PURPOSE, import_chem, molecule_arrays, molecule_graphs, parse

# Symbols of the atoms, and which of them are joined.
Structure = tuple[Sequence[str], Sequence[tuple[int, int]]]

CARBON_RING: Structure = (("C",) * 6, tuple((atom, (atom + 1) % 6) for atom in range(6)))


def molecule(atoms: Sequence[str], bonds: Sequence[tuple[int, int]], feature_names: Sequence[str]) -> Data:
    """A molecule as a graph, each bond in both directions, the atoms one-hot in the columns of those names.

    >>> molecule(("N", "O"), [(0, 1)], ("C", "N", "O")).x
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    columns = torch.tensor([feature_names.index(atom) for atom in atoms])
    edges = sorted([*bonds, *((v, u) for u, v in bonds)])
    return Data(x=torch.eye(len(feature_names))[columns], edge_index=torch.tensor(edges).T.contiguous())


def molecule_dataset(
    graphs: Sequence[Data],
    *,
    atoms: Sequence[str],
    bonds: Sequence[str],
    truths: Mapping[int, Sequence[Structure]] | None = None,
    **facts: Any,
) -> GraphDataset:
    """A data set of molecules: names, colours and ground truths follow from the atoms and bonds.

    Args:
        graphs: The molecules.
        atoms: Symbol of each column of ``x``; one without a colour of its own gets that of ``"*"``.
        bonds: Name of each column of ``edge_attr``.
        truths: The structures that decide a class, for the classes that have such.
        facts: All else that a :class:`~protograph.datasets.GraphDataset` knows.

    >>> dataset = molecule_dataset([], atoms=("C", "Se"), bonds=("single",), name="mine", class_names=("no", "yes"))
    >>> dataset.colors
    ('#4D4D4D', '#8A8A8A')
    """
    return GraphDataset(
        graphs=graphs,
        feature_names=tuple(atoms),
        edge_names=tuple(bonds),
        colors=tuple(COLORS.get(atom, COLORS["*"]) for atom in atoms),
        ground_truths={
            label: tuple(molecule(*structure, atoms) for structure in structures)
            for label, structures in (truths or {}).items()
        },
        **facts,
    )


def read_molecules(smiles: Sequence[str]) -> tuple[Arrays, dict[int, str]]:
    """What :func:`~protograph.molecules.read.molecule_arrays` gives of those SMILES that are molecules.

    Also the positions of the others, with what is wrong with each.
    """
    problems: dict[int, str] = {}

    def molecules() -> Iterator[Any]:  # one by one, so that not all of them are in memory
        for position, text in enumerate(smiles):
            try:
                yield parse(text)
            except ValueError as error:
                problems[position] = str(error)

    return molecule_arrays(molecules()), problems


def _table(files: DataFiles, name: str, file: SourceFile) -> list[dict[str, str]]:
    """The rows of a data set's table; that RDKit is missing is said before it is downloaded."""
    import_chem(f"the data set {name!r}")
    return list(csv.DictReader(io.StringIO(files.read(file).decode())))


def from_smiles(
    name: str, rows: Sequence[tuple[str, int]], num_graphs: int | None = None, **facts: Any
) -> GraphDataset:
    """A data set of SMILES with their classes; those that are no molecules are left out.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple, aromatic),
    each atom's formal ``charge``, and the ``smiles`` it was made from.
    """
    arrays, problems = read_molecules([smiles for smiles, _ in rows])
    kept = [row for position, row in enumerate(rows) if position not in problems]
    return molecule_dataset(
        molecule_graphs(arrays, torch.tensor([label for _, label in kept]), [text for text, _ in kept], num_graphs),
        atoms=arrays["atom_types"].tolist(),
        bonds=arrays["bond_types"].tolist(),
        name=name,
        **facts,
    )


BBBP_FILE = SourceFile(
    relative="bbbp/BBBP.csv",
    sha256="34c10e0f0b15dbc178c3ce4ad9774decc6a202776a31763f5a899309c97497ee",
    url="https://raw.githubusercontent.com/OpenDrugAI/AttentiveFP/"
    "dda6708342ffe255ded73c459ad64214a4615542/data/BBBP.csv",
)


def load_bbbp(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """BBBP: does a molecule pass from the blood into the brain (class 1)? 2,039 molecules, or the first so many.

    The file has 2,050 rows; eleven are no molecules, their nitrogens having too many bonds, and are left out. Salts are
    in several parts.
    """
    return from_smiles(
        BBBP.name,
        [(row["smiles"].strip(), int(row["BBBP"])) for row in _table(files, BBBP.name, BBBP_FILE)],
        num_graphs,
        class_names=("kept out", "passes"),
        licence="not stated by the source",
        source="Martins et al. 2012, as in MoleculeNet; https://github.com/OpenDrugAI/AttentiveFP",
    )


BBBP = DatasetSpec(
    name="bbbp",
    load=load_bbbp,
    question="molecules that pass into the brain, or not",
    num_graphs=2039,
    num_classes=2,
    files=((BBBP_FILE,),),
)

SOLUBILITY_FILE = SourceFile(
    relative="solubility/delaney-processed.csv",
    sha256="8c06a76f0c6487d29ab0f903e6a7a7139f189ab3c1178f159c8be8964602f189",
    url="https://raw.githubusercontent.com/baldassarreFe/graph-network-explainability/"
    "39f8dd1fa245545f54a9f29582d0cf85c681edec/data/delaney-processed.csv",
)
MEASURED = "measured log solubility in mols per litre"
# What lies between, the limits included, is in neither class.
INSOLUBLE_BELOW, SOLUBLE_ABOVE = -4.0, -2.0

# What dissolves is said to have R-OH, which is C-O without hydrogens.
HYDROXYL: Structure = (("C", "O"), ((0, 1),))
RING_ATOMS, RING_BONDS = CARBON_RING
FUSED_RINGS: Structure = ((*RING_ATOMS, *("C",) * 4), (*RING_BONDS, (0, 6), (6, 7), (7, 8), (8, 9), (9, 1)))


def load_solubility(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Solubility: does a molecule dissolve in water? 708 molecules, or the first so many.

    Those with a measured log solubility below -4 are class 0, above -2 class 1; the rest is left out. A molecule may
    occur twice, as it does in the file.
    """
    table = [(row["smiles"].strip(), float(row[MEASURED])) for row in _table(files, SOLUBILITY.name, SOLUBILITY_FILE)]
    is_clear = [not INSOLUBLE_BELOW <= value <= SOLUBLE_ABOVE for _, value in table]
    rows = [(smiles, int(value > SOLUBLE_ABOVE)) for smiles, value in compress(table, is_clear)]
    return from_smiles(
        SOLUBILITY.name,
        rows,
        num_graphs,
        truths={0: (FUSED_RINGS,), 1: (HYDROXYL,)},
        class_names=("insoluble", "soluble"),
        licence="not stated by the source",
        source="Delaney 2004, ESOL: Estimating aqueous solubility directly from molecular structure; "
        "https://github.com/baldassarreFe/graph-network-explainability",
    )


SOLUBILITY = DatasetSpec(
    name="solubility",
    load=load_solubility,
    question="molecules that dissolve in water, or do not",
    num_graphs=708,
    num_classes=2,
    files=((SOLUBILITY_FILE,),),
    paper=PaperCounts(708, 9445, 9735, "undirected"),
)

BENZENE_FILE = SourceFile(
    relative="benzene/benzene_smiles.csv",
    sha256="aa52389639d0989dc5bb726c364fbc38ed520468d6606d67679d24b7e6720a28",
    url="https://raw.githubusercontent.com/google-research/graph-attribution/"
    "03e7495379df26a21395b25c6a14d92dc27fc3b0/data/benzene/benzene_smiles.csv",
)
# As published, columns that no molecule uses included.
BENZENE_ATOMS = ("C", "N", "O", "S", "F", "P", "Cl", "Br", "Na", "Ca", "I", "B", "H", "*")
BENZENE_BONDS = ("single", "double", "triple", "aromatic", "unspecified")
BENZENE_TRAIN = 10_000


def load_benzene(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Benzene: does a molecule contain a benzene ring (class 1)? 12,000 molecules, or the first so many.

    Each graph has the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple,
    aromatic, unspecified), each atom's formal ``charge``, its ``smiles``, and ``node_mask``, which marks the atoms of
    all benzene rings. ``splits`` has the published ``train`` and ``test``.
    """
    rows = _table(files, BENZENE.name, BENZENE_FILE)
    smiles, labels = [row["smiles"] for row in rows], [int(float(row["label"])) for row in rows]
    molecules = [parse(text) for text in smiles]
    ring = import_chem(PURPOSE).MolFromSmarts("c1ccccc1")
    masks = [torch.zeros(molecule.GetNumAtoms(), dtype=torch.bool) for molecule in molecules]
    for mask, molecule in zip(masks, molecules, strict=True):
        mask[list(chain(*molecule.GetSubstructMatches(ring)))] = True
    arrays = molecule_arrays(molecules)
    column = np.array([BENZENE_ATOMS.index(symbol) for symbol in arrays["atom_types"]])
    published = {
        "atom": column[arrays["atom"]],
        "atom_types": np.array(BENZENE_ATOMS),
        "bond_types": np.array(BENZENE_BONDS),
    }
    graphs = molecule_graphs(arrays | published, torch.tensor(labels), smiles, num_graphs, node_mask=torch.cat(masks))
    train = torch.arange(min(len(graphs), BENZENE_TRAIN))
    return molecule_dataset(
        graphs,
        atoms=BENZENE_ATOMS,
        bonds=BENZENE_BONDS,
        truths={1: (CARBON_RING,)},
        name=BENZENE.name,
        class_names=("no benzene", "benzene"),
        licence="Apache-2.0; molecules from ZINC12, distributed there with John Irwin's permission",
        source="Sanchez-Lengeling et al. 2020, Evaluating attribution for graph neural networks; "
        "https://github.com/google-research/graph-attribution",
        splits={"train": train, "test": torch.arange(len(train), len(graphs))},
    )


BENZENE = DatasetSpec(
    name="benzene",
    load=load_benzene,
    question="molecules with and without a benzene ring",
    num_graphs=12_000,
    num_classes=2,
    files=((BENZENE_FILE,),),
    paper=PaperCounts(12_000, 246_993, 523_842, "directed"),
)
