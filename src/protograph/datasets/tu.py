"""Data sets of TU Dortmund's collection: any by its name, with the graphs that PyG's ``TUDataset`` has.

Of three of them more is known: names, colours, checksums and ground truths. The text format is described in Morris et
al., TUDataset: A collection of benchmark datasets for learning with graphs, 2020, and at
https://chrsmrrs.github.io/datasets/docs/format/; nodes and graphs are counted from 1.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import coalesce, degree, remove_self_loops

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import DataFiles, SourceFile, check_sum, read_members
from protograph.datasets.molecules import RING_ATOMS, RING_BONDS, molecule_dataset
from protograph.datasets.spec import DatasetSpec, PaperCounts, key_of
from protograph.graphs.elements import COLORS
from protograph.graphs.splitting import one_hot, split_graphs

NEEDED = ("A", "graph_indicator", "graph_labels")
# Texts that have a line for each line of another; the last marks the edges of Mutagenicity's ground truth.
LINES_OF = {
    "node_labels": "graph_indicator",
    "node_attributes": "graph_indicator",
    "edge_labels": "A",
    "edge_attributes": "A",
    "edge_gt": "A",
}
# The names of labels.
README = "label_readme"
# Numbers in the one-hot features of all nodes or edges, 1 GiB: a single label may stand for as many columns as it says.
MOST_ENTRIES = 1 << 28

UNSTATED = "not stated by the source"


def read_texts(path: Path, name: str) -> dict[str, bytes]:
    """Contents of the texts of the data set ``name`` in a folder, or anywhere in a zip archive, by their endings.

    Only those that are read at all: no other text of the archive is unpacked.

    Raises:
        ValueError: If the archive is damaged, or a text is too large.
    """
    endings = (*NEEDED, *LINES_OF, README)
    if path.is_dir():
        files = {ending: path / f"{name}_{ending}.txt" for ending in endings}
        return {ending: file.read_bytes() for ending, file in files.items() if file.is_file()}
    pattern = re.compile(rf"(?:.*/)?{re.escape(name)}_({'|'.join(endings)})\.txt")
    return read_members(path, lambda member: (match := pattern.fullmatch(member)) and match[1])


def parse(name: str, texts: Mapping[str, bytes], path: Path, needed: Sequence[str] = NEEDED) -> Data:
    r"""Read the texts of a data set as PyG does, after a look at whether they fit each other.

    Args:
        name: What the collection calls it.
        texts: Content of its files, by their endings.
        path: Where they come from, for messages.
        needed: Endings of those that must be there.

    Returns:
        All graphs end to end as one, without self-loops and repeated edges. Labels of nodes and edges are one-hot in
        ``x`` and ``edge_attr``; where there are none, these are the attributes, if there are such. ``y`` has the class
        of each graph, numbered in the order of the labels; ``sizes`` the number of nodes of each; ``lines`` the line of
        ``A`` that each edge stands on, counted from 0; and ``tables`` the rows of each text by its ending.

    Raises:
        ValueError: If one is missing or damaged, or they do not fit.

    >>> texts = {"A": b"1, 2", "graph_indicator": b"1\n1", "graph_labels": b"0", "node_labels": b"7"}
    >>> parse("X", texts, Path("x.zip"))
    Traceback (most recent call last):
    ValueError: x.zip: node_labels must have as many lines as graph_indicator, 2, got 1
    """
    missing = [ending for ending in needed if ending not in texts]
    if missing == ["graph_labels"]:
        raise ValueError(f"{path}: there are no graph_labels, so no classes to explain; take a classification set")
    if missing:
        raise ValueError(f"{path}: the text {missing[0]} is missing; get the data set again")
    tables = {ending: _table(texts[ending], path, ending) for ending in (*NEEDED, *LINES_OF) if ending in texts}
    for ending, other in LINES_OF.items():
        if ending in tables and len(tables[ending]) != len(tables[other]):
            raise ValueError(
                f"{path}: {ending} must have as many lines as {other}, {len(tables[other])}, got {len(tables[ending])}"
            )
    graph_of, ends = tables["graph_indicator"][:, 0], tables["A"] - 1
    numbers, num_graphs = np.unique(graph_of), len(tables["graph_labels"])
    if (np.diff(graph_of) < 0).any() or not np.array_equal(numbers, np.arange(1, num_graphs + 1)):
        raise ValueError(
            f"{path}: graph_indicator must name the {num_graphs} graphs of graph_labels in order, "
            f"got {len(numbers)} from {numbers[0]} to {numbers[-1]}"
        )
    if ends.shape[1] != 2 or ends.min() < 0 or ends.max() >= len(graph_of):
        raise ValueError(
            f"{path}: A must have two nodes from 1 to {len(graph_of)} a line, "
            f"got {ends.shape[1]} from {ends.min() + 1} to {ends.max() + 1}"
        )
    crossing = np.flatnonzero(graph_of[ends[:, 0]] != graph_of[ends[:, 1]])
    if crossing.size:
        raise ValueError(f"{path}: A must join nodes of one graph, got two graphs in line {crossing[0] + 1}")
    x, edge_attr = (_features(tables, what, path) for what in ("node", "edge"))
    edge_index, edge_attr = remove_self_loops(torch.from_numpy(ends.T), edge_attr)
    edge_index, edge_attr = coalesce(edge_index, edge_attr, len(graph_of))
    # The lines of these edges, in their order: by the first node, then the second.
    _, lines = np.unique(ends[:, 0] * len(graph_of) + ends[:, 1], return_index=True)
    _, classes = np.unique(tables["graph_labels"][:, 0], return_inverse=True)
    return Data(
        x=x,
        edge_index=edge_index,
        edge_attr=edge_attr,
        y=torch.from_numpy(classes),
        sizes=np.bincount(graph_of - 1),
        lines=lines[ends[lines, 0] != ends[lines, 1]],
        tables=tables,
    )


def _table(text: bytes, path: Path, ending: str) -> NDArray[Any]:
    if not text.strip():
        raise ValueError(f"{path}: {ending} must have a line for each entry, got an empty text")
    kind, dtype = ("numbers", np.float32) if ending.endswith("attributes") else ("integers", np.int64)
    try:
        return np.loadtxt(text.decode().splitlines(), dtype=dtype, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: {ending} must have {kind} divided by commas: {error}") from error


def _features(tables: Mapping[str, NDArray[Any]], what: str, path: Path) -> Tensor | None:
    """Labels of nodes or edges one-hot, a column for each from the lowest to the highest; or else the attributes."""
    labels = tables.get(f"{what}_labels")
    if labels is None:
        attributes = tables.get(f"{what}_attributes")
        return None if attributes is None else torch.from_numpy(attributes)
    labels = labels - labels.min(axis=0)
    widths = labels.max(axis=0) + 1
    if widths.sum() * len(labels) > MOST_ENTRIES:
        raise ValueError(
            f"{path}: {what}_labels must be few enough for a column of features each, got {widths.sum():,} from the "
            f"lowest to the highest for {len(labels):,} lines; at most {MOST_ENTRIES:,} entries in all are made"
        )
    columns = zip(labels.T, widths, strict=True)
    return torch.cat([one_hot(column, width, f"{what}_labels") for column, width in columns], dim=1)


def _graphs(
    collection: Data, num_graphs: int | None, *, as_in_file: bool = False, **edge_values: Tensor
) -> tuple[Data, ...]:
    """The first graphs, their edges in PyG's order or in that of the file, with further values of the edges."""
    edges = {"edge_index": collection.edge_index}
    if collection.edge_attr is not None:
        edges["edge_attr"] = collection.edge_attr
    edges |= edge_values
    if as_in_file:
        order = torch.from_numpy(np.argsort(collection.lines))
        edges = {key: value.T[order].T if key == "edge_index" else value[order] for key, value in edges.items()}
    return split_graphs(
        node_values={} if collection.x is None else {"x": collection.x},
        edge_values=edges,
        labels=collection.y,
        sizes=collection.sizes,
        num_graphs=num_graphs,
    )


# The classification sets of the collection, as https://chrsmrrs.github.io/datasets/docs/datasets/ spells them.
NAMES = tuple(
    """
    AIDS BZR BZR_MD COX2 COX2_MD DHFR DHFR_MD ER_MD FRANKENSTEIN MCF-7 MCF-7H MOLT-4 MOLT-4H Mutagenicity MUTAG NCI1
    NCI109 NCI-H23 NCI-H23H OVCAR-8 OVCAR-8H P388 P388H PC-3 PC-3H PTC_FM PTC_FR PTC_MM PTC_MR SF-295 SF-295H SN12C
    SN12CH SW-620 SW-620H Tox21_AhR_training Tox21_AR_training Tox21_AR-LBD_training Tox21_ARE_training
    Tox21_aromatase_training Tox21_ATAD5_training Tox21_ER_training Tox21_ER_LBD_training Tox21_HSE_training
    Tox21_MMP_training Tox21_p53_training Tox21_PPAR-gamma_training UACC257 UACC257H Yeast YeastH
    DD ENZYMES KKI OHSU Peking_1 PROTEINS PROTEINS_full
    COIL-DEL COIL-RAG Cuneiform Fingerprint FIRSTMM_DB Letter-high Letter-low Letter-med MSRC_9 MSRC_21 MSRC_21C
    COLLAB dblp_ct1 dblp_ct2 DBLP_v1 deezer_ego_nets facebook_ct1 facebook_ct2 github_stargazers highschool_ct1
    highschool_ct2 IMDB-BINARY IMDB-MULTI infectious_ct1 infectious_ct2 mit_ct1 mit_ct2 REDDIT-BINARY REDDIT-MULTI-5K
    REDDIT-MULTI-12K reddit_threads tumblr_ct1 tumblr_ct2 twitch_egos TWITTER-Real-Graph-Partial
    COLORS-3 SYNTHETIC SYNTHETICnew Synthie TRIANGLES
    """.split()  # noqa: SIM905 - a hundred quotes and commas would only be in the way
)


def find(name: str, root: Path | None = None) -> DatasetSpec | None:
    """The data set of that name, in any case, or of exactly that name where a folder has its files; else ``None``.

    >>> find("imdb_binary").name, find("house-prices")
    ('IMDB-BINARY', None)
    """
    by_key = {key_of(other): other for other in NAMES}
    if key_of(name) in by_key:
        return spec(by_key[key_of(name)])
    # Neither a path nor longer than a file's name may be: a name from outside never leaves the folder.
    return spec(name) if re.fullmatch(r"[\w.-]{1,100}", name) and spec(name).state(root) == "here" else None


def plain(name: str) -> SourceFile:
    """The first of the texts of a data set, as PyG unpacks them."""
    return SourceFile(f"{name}/raw/{name}_A.txt")


def packed(name: str) -> SourceFile:
    """The archive with the texts of a data set in a folder of its own."""
    return SourceFile(f"{key_of(name)}/{name}_tu_raw.zip")


def public(name: str) -> SourceFile:
    """The archive of the collection, which can be downloaded; no checksums are published."""
    return SourceFile(f"tu/{name}.zip", url=f"{TUDataset.url}/{name}.zip")


def spec(name: str) -> DatasetSpec:
    """The data set of that name: ``name/raw/name_A.txt`` and so on, an archive of these, or ``tu/name.zip``.

    The last can be downloaded; the archive of the texts is ``name/name_tu_raw.zip``, its folder in small letters.
    """

    def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
        """The data set.

        Node labels are the features, one-hot; where there are none, the node attributes; where there are neither,
        graphs have no ``x``. Classes are numbered in the order of their labels.
        """
        path = _place(files, name)
        texts = read_texts(path, name)
        collection, names = parse(name, texts, path), _names_in(texts.get(README, b""))
        classes = names.get("Class", ())
        features = _feature_names(collection.tables.get("node_labels"), names.get("Node", ()))
        return GraphDataset(
            graphs=_graphs(collection, num_graphs),
            name=name,
            class_names=tuple(
                classes[label] if 0 <= label < len(classes) else str(label)
                for label in np.unique(collection.tables["graph_labels"]).tolist()
            ),
            feature_names=features,
            colors=tuple(COLORS[atom] for atom in features) if set(features) <= set(COLORS) else (),
            edge_names=_feature_names(collection.tables.get("edge_labels"), names.get("Edge", ())),
            licence=UNSTATED,
            source=f"TUDataset, Morris et al. 2020; {TUDataset.url}/{name}.zip",
        )

    return DatasetSpec(name=name, load=load, files=((plain(name),), (packed(name),), (public(name),)))


def _place(files: DataFiles, name: str) -> Path:
    """Folder or archive with the texts of a data set, which is downloaded where it is not there."""
    first = files.find(plain(name).relative)
    return first.parent if first is not None else files.find(packed(name).relative) or files.get(public(name))


def _names_in(readme: bytes) -> dict[str, tuple[str, ...]]:
    r"""Names that the collection's readme gives to labels of nodes, edges and classes.

    >>> _names_in(b"Node labels were converted to integer values using this map:\n\n\t0\tC\n\t1\tN\n")
    {'Node': ('C', 'N')}
    """
    names = {}
    for part in re.split(
        r"(?=^(?:Node|Edge|Class) labels were converted)", readme.decode(errors="replace"), flags=re.M
    ):
        kind = re.match(r"(Node|Edge|Class) labels were converted", part)
        rows = re.findall(r"^\t(\d+)\t(\S.*?)\s*$", part, flags=re.M)
        if kind and rows and [int(number) for number, _ in rows] == list(range(len(rows))):
            names[kind.group(1)] = tuple(text for _, text in rows)
    return names


def _feature_names(labels: NDArray[Any] | None, named: tuple[str, ...]) -> tuple[str, ...]:
    if labels is None:
        return ()
    lowest = labels.min(axis=0)
    width = int((labels.max(axis=0) - lowest + 1).sum())
    first = int(lowest[0]) if len(lowest) == 1 else 0
    return named if len(named) == width else tuple(f"label {first + number}" for number in range(width))


def _known_texts(name: str, mirror: str, sums: Mapping[str, str]) -> dict[str, SourceFile]:
    """The texts of a data set by their endings, with their checksums, which can be downloaded one by one."""
    return {
        ending: SourceFile(f"{name.lower()}/{name}_{ending}.txt", sha256, f"{mirror}/{name}_{ending}.txt")
        for ending, sha256 in sums.items()
    }


def _known(files: DataFiles, name: str, texts: Mapping[str, SourceFile]) -> Data:
    """The collection of texts whose checksums are known: in an archive, or else as they can be downloaded.

    Raises:
        FileNotFoundError: If the named folder has neither.
        ConnectionError: If they cannot be downloaded.
        ValueError: If one is damaged, or has another checksum.
    """
    path = files.find(packed(name).relative)
    if path is None:
        path = Path(packed(name).relative).parent
        contents = {ending: files.read(file) for ending, file in texts.items()}
    else:
        contents = read_texts(path, name)
        for ending in sorted(texts.keys() & contents.keys()):
            check_sum(contents[ending], texts[ending].sha256, f"{path}: {ending}")
    return parse(name, contents, path, needed=tuple(texts))


MUTAGENICITY_TEXTS = _known_texts(
    "Mutagenicity",
    "https://raw.githubusercontent.com/LarsHoldijk/RE-ParameterizedExplainerForGraphNeuralNetworks/"
    "46870bddd8da22ebbd28c9eaff78514790753e64/ExplanationEvaluation/datasets/Mutagenicity",
    {
        "A": "ae85e22b4b898ebd819d2ed3adc8f06a7bf1cda746b333086472d19b36711145",
        "graph_indicator": "88b2d83ff10fad75b3280654061e965976f74e75620058c371ed23567236b4bc",
        "graph_labels": "b604c7dcbfdf89193901e32abdcbf9b5b92137414ce22231f00ed65d48ec48f9",
        "node_labels": "b429ec418c831d02dc3088b2fe08d11214627850d2bbdacfa9797c0510e70ae7",
        "edge_labels": "bf8e783386ac22e6033bbce56d765c0a4336649bd590a6f1e467b27b549f2114",
        "edge_gt": "d520a35eb480a94a36ff257d9a653d9bcd1fb8adae7698bfe72cc2c101cbce01",
    },
)
# In the order of the file's labels.
MUTAGENICITY_ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
MUTAGENICITY_BONDS = ("single", "double", "triple")

NITRO = (("N", "O", "O"), ((0, 1), (0, 2)))
AMINO = (("N", "H", "H"), ((0, 1), (0, 2)))
# The groups hang on a carbon of the ring, whose hydrogens are left out: what else the ring carries is open.
RING_NITRO = ((*RING_ATOMS, "N", "O", "O"), (*RING_BONDS, (0, 6), (6, 7), (6, 8)))
RING_AMINO = ((*RING_ATOMS, "N", "H", "H"), (*RING_BONDS, (0, 6), (6, 7), (6, 8)))


def load_mutagenicity(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Mutagenicity: does a molecule damage genes in bacteria? 4,337 molecules, or the first so many.

    Class 0 are the mutagens. Hydrogens are nodes. The data set is the one that the paper calls MUTAG. Each graph has
    the atoms one-hot in ``x``, the bonds one-hot in ``edge_attr`` (single, double, triple), and ``edge_mask``, which
    marks the edges inside NO2 and NH2, in molecules of either class. Some molecules are in several parts. Edges are in
    the order of the file.
    """
    collection = _known(files, "Mutagenicity", MUTAGENICITY_TEXTS)
    marks = torch.from_numpy(collection.tables["edge_gt"][collection.lines, 0] == 1)
    return molecule_dataset(
        _graphs(collection, num_graphs, as_in_file=True, edge_mask=marks),
        atoms=MUTAGENICITY_ATOMS,
        bonds=MUTAGENICITY_BONDS,
        truths={0: (NITRO, AMINO, RING_NITRO, RING_AMINO)},
        name=MUTAGENICITY.name,
        class_names=("mutagen", "nonmutagen"),
        licence=UNSTATED,
        source="Kazius, McGuire and Bursi 2005, as in TUDataset, with the edges of NO2 and NH2 marked by Luo et al. "
        "2020; https://github.com/flyingdoog/PGExplainer",
    )


MUTAGENICITY = DatasetSpec(
    name="mutagenicity",
    load=load_mutagenicity,
    question="molecules that damage genes, or not (MUTAG)",
    num_graphs=4337,
    num_classes=2,
    files=((packed("Mutagenicity"),), tuple(MUTAGENICITY_TEXTS.values())),
    paper=PaperCounts(4337, 131_488, 266_894, "directed"),
)

NCI1_TEXTS = _known_texts(
    "NCI1",
    "https://raw.githubusercontent.com/idea-iitd/GraphTrail/b288221d3e23267a93bc2eb9339c837fbf5845e5/data/NCI1/raw",
    {
        "A": "2c028eda59a5fe96e2265a63d9ac236901bd9a7dc658498be13cd704a703076d",
        "graph_indicator": "ffe5acfa754b057d5ce0dc725c5aadb631628161886cc040d38c719635257dc5",
        "graph_labels": "fae44681e70113f496256ae87eaac33b7836e3a97fe8e023933b84fde6a5c8a2",
        "node_labels": "dc0a22b6cbff0c939de00373e823977ba32b358f560e4288d7602f7b51407ee2",
    },
)
# The collection does not name the 37 labels. These follow from how many neighbours their nodes have, which ones, and
# how many there are of them: chlorine, bromine and iodine are ends or lone ions, and so on.
NCI1_ATOMS = {1: "O", 2: "N", 3: "C", 4: "S", 5: "Cl", 6: "P", 7: "F", 14: "Br", 21: "I", 22: "Si"}


def load_nci1(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """NCI1: does a compound slow the growth of a lung cancer's cells? 4,110 compounds, or the first so many.

    Class 1 are the active compounds. Nodes are heavy atoms, one-hot in ``x``; bonds are not told apart. Some compounds
    are in several parts. Edges are in the order of the file.
    """
    return molecule_dataset(
        _graphs(_known(files, "NCI1", NCI1_TEXTS), num_graphs, as_in_file=True),
        atoms=tuple(NCI1_ATOMS.get(label, f"label {label}") for label in range(1, 38)),
        bonds=(),
        name=NCI1.name,
        class_names=("inactive", "active"),
        licence=UNSTATED,
        source="Wale, Watson and Karypis 2008, as in TUDataset; https://github.com/idea-iitd/GraphTrail",
    )


NCI1 = DatasetSpec(
    name="nci1",
    load=load_nci1,
    question="compounds that slow a lung cancer's cells, or not",
    num_graphs=4110,
    num_classes=2,
    files=((packed("NCI1"),), tuple(NCI1_TEXTS.values())),
)


def load_imdb(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """IMDB-BINARY: is a circle of actors of action films, or of romances? 1,000 circles, or the first so many.

    Nodes are actors, joined where they played in the same film; each graph is the circle around one of them. Nodes have
    no features of their own: ``x`` is how many neighbours they have.
    """
    path = _place(files, "IMDB-BINARY")
    collection = parse("IMDB-BINARY", read_texts(path, "IMDB-BINARY"), path)
    collection.x = degree(collection.edge_index[0], int(collection.sizes.sum()))[:, None]
    return GraphDataset(
        graphs=_graphs(collection, num_graphs),
        name=IMDB_BINARY.name,
        class_names=("0", "1"),
        feature_names=("degree",),
        licence=UNSTATED,
        source="Yanardag and Vishwanathan 2015, as in TUDataset; https://github.com/muhanzhang/pytorch_DGCNN",
    )


IMDB_BINARY = DatasetSpec(
    name="imdb-binary",
    load=load_imdb,
    question="circles of actors of action films or of romances",
    num_graphs=1000,
    num_classes=2,
    files=((packed("IMDB-BINARY"),), (public("IMDB-BINARY"),)),
)
