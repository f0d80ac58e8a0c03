"""Data sets of TU Dortmund's collection: any by its name, with the graphs that PyG's ``TUDataset`` has.

The text format is described in Morris et al., TUDataset: A collection of benchmark datasets for learning with
graphs, 2020, and at https://chrsmrrs.github.io/datasets/docs/format/; nodes and graphs are counted from 1.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import coalesce, remove_self_loops

from protograph._base.arrays import Arrays, Ints
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import check_sum
from protograph.datasets.spec import DataFiles, DatasetSpec, SourceFile, key_of
from protograph.datasets.unpacking import read_members
from protograph.graphs.splitting import split_graphs
from protograph.molecules.elements import COLORS

NEEDED = ("A", "graph_indicator", "graph_labels")
# Texts that have a line for each line of another.
LINES_OF = {
    "node_labels": "graph_indicator",
    "node_attributes": "graph_indicator",
    "edge_labels": "A",
    "edge_attributes": "A",
    "edge_gt": "A",
}

# The names of labels.
README = "label_readme"
MOST_README = 1 << 20
# Numbers in the one-hot features of all nodes or edges, 1 GiB: a single label may stand for as many columns as it says.
MOST_ENTRIES = 1 << 28

Texts = Mapping[str, bytes]


def read_texts(path: Path, name: str) -> dict[str, bytes]:
    """Contents of the texts of the data set ``name`` in a folder, or anywhere in a zip archive, by their endings.

    Only those that are read at all: no other text of the archive is unpacked.

    Raises:
        ValueError: If the archive is damaged, or a text is too large.
    """
    endings = (*NEEDED, *LINES_OF, README)
    if path.is_dir():
        files = {ending: path / f"{name}_{ending}.txt" for ending in endings}
        texts = {ending: file.read_bytes() for ending, file in files.items() if file.is_file()}
    else:
        pattern = re.compile(rf"(?:.*/)?{re.escape(name)}_({'|'.join(endings)})\.txt")
        texts = read_members(path, lambda member: (match := pattern.fullmatch(member)) and match[1])
    if len(texts.get(README, b"")) > MOST_README:
        raise ValueError(
            f"{path}: {README} must have at most {MOST_README:,} bytes, which is enough for a name of every label, "
            f"got {len(texts[README]):,}; get the data set again"
        )
    return texts


def parse(texts: Texts, path: Path, needed: Sequence[str] = NEEDED) -> Arrays:
    r"""Tables of a data set's texts, which are checked to fit each other.

    Args:
        texts: Content of its files, by their endings.
        path: Where they come from, for messages.
        needed: Endings of those that must be there.

    Returns:
        By ending, a row for each line: integers, or real numbers for attributes. Nodes and graphs are counted from 0.

    Raises:
        ValueError: If one is missing, or they do not fit.

    >>> parse({"A": b"1, 2", "graph_indicator": b"1\n1", "graph_labels": b"0", "node_labels": b"7"}, Path("X"))
    Traceback (most recent call last):
    ValueError: X: node_labels must have as many lines as graph_indicator, 2, got 1
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
    _check_nodes(tables["graph_indicator"][:, 0], len(tables["graph_labels"]), path)
    _check_edges(tables["A"], tables["graph_indicator"][:, 0], path)
    return tables | {ending: tables[ending] - 1 for ending in ("A", "graph_indicator")}


def _table(text: bytes, path: Path, ending: str) -> NDArray[Any]:
    if not text.strip():
        raise ValueError(f"{path}: {ending} must have a line for each entry, got an empty text")
    kind, dtype = ("numbers", np.float32) if ending.endswith("attributes") else ("integers", np.int64)
    try:
        return np.loadtxt(text.decode().splitlines(), dtype=dtype, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: {ending} must have {kind} divided by commas: {error}") from error


def _check_nodes(graph_of: Ints, num_graphs: int, path: Path) -> None:
    numbers = np.unique(graph_of)
    if (np.diff(graph_of) < 0).any() or not np.array_equal(numbers, np.arange(1, num_graphs + 1)):
        raise ValueError(
            f"{path}: graph_indicator must name the {num_graphs} graphs of graph_labels in order, "
            f"got {len(numbers)} from {numbers[0]} to {numbers[-1]}"
        )


def _check_edges(edges: Ints, graph_of: Ints, path: Path) -> None:
    if edges.shape[1] != 2 or edges.min() < 1 or edges.max() > len(graph_of):
        raise ValueError(
            f"{path}: A must have two nodes from 1 to {len(graph_of)} a line, "
            f"got {edges.shape[1]} from {edges.min()} to {edges.max()}"
        )
    crossing = np.flatnonzero(graph_of[edges[:, 0] - 1] != graph_of[edges[:, 1] - 1])
    if crossing.size:
        raise ValueError(f"{path}: A must join nodes of one graph, got two graphs in line {crossing[0] + 1}")


def checked_texts(
    files: DataFiles, name: str, archive: SourceFile, texts: Mapping[str, SourceFile]
) -> tuple[Texts, Path]:
    """Contents of a data set's texts, by their endings, whose checksums are known; and where they are from.

    Args:
        files: Where to look.
        name: What the collection calls the data set.
        archive: One file with all texts, which is looked for first.
        texts: The texts themselves, which are what can be downloaded.

    Raises:
        FileNotFoundError: If the named folder has neither.
        ConnectionError: If a text cannot be downloaded.
        ValueError: If one is damaged or has another checksum.
    """
    path = files.find(archive.relative)
    if path is None:
        return {ending: files.read(file) for ending, file in texts.items()}, Path(archive.relative).parent
    contents = read_texts(path, name)
    for ending in sorted(texts.keys() & contents.keys()):
        check_sum(contents[ending], texts[ending].sha256, f"{path}: {ending}")
    return contents, path


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
    # Not a path: a name from outside never leaves the folder.
    return spec(name) if re.fullmatch(r"[\w.-]+", name) and spec(name).state(root) == "here" else None


def spec(name: str) -> DatasetSpec:
    """The data set of that name: ``name/raw/name_A.txt`` and so on, an archive of these, or ``tu/name.zip``.

    The last can be downloaded; the archive of the texts is ``name/name_tu_raw.zip``, its folder in small letters.

    No checksums are published for the collection.
    """
    text = SourceFile(f"{name}/raw/{name}_A.txt", None, None)
    packed = SourceFile(f"{key_of(name)}/{name}_tu_raw.zip", None, None)
    archive = SourceFile(f"tu/{name}.zip", None, f"{TUDataset.url}/{name}.zip")

    def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
        """The data set.

        Node labels are the features, one-hot; where there are none, the node attributes; where there are neither,
        graphs have no ``x``. Classes are numbered in the order of their labels.
        """
        first = files.find(text.relative)
        path = first.parent if first is not None else files.find(packed.relative) or files.get(archive)
        return _dataset(name, read_texts(path, name), path, num_graphs)

    return DatasetSpec(name=name, load=load, files=((text,), (packed,), (archive,)))


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


def _dataset(name: str, texts: Texts, path: Path, num_graphs: int | None) -> GraphDataset:
    tables, names = parse(texts, path), _names_in(texts.get(README, b""))
    for ending in ("node_labels", "edge_labels"):
        _check_width(tables.get(ending), path, ending)
    classes = names.get("Class", ())
    values, labels = np.unique(tables["graph_labels"][:, 0], return_inverse=True)
    x = _features(tables, "node")
    features = _feature_names(tables.get("node_labels"), names.get("Node", ()))
    return GraphDataset(
        graphs=split_graphs(
            node_values={} if x is None else {"x": x},
            edge_values=_edges(tables),
            labels=torch.from_numpy(labels),
            sizes=np.bincount(tables["graph_indicator"][:, 0]),
            num_graphs=num_graphs,
        ),
        name=name,
        class_names=tuple(classes[label] if 0 <= label < len(classes) else str(label) for label in values.tolist()),
        feature_names=features,
        colors=tuple(COLORS[atom] for atom in features) if set(features) <= set(COLORS) else (),
        edge_names=_feature_names(tables.get("edge_labels"), names.get("Edge", ())),
        licence="not stated by the source",
        source=f"TUDataset, Morris et al. 2020; {TUDataset.url}/{name}.zip",
    )


def _check_width(labels: Ints | None, path: Path, ending: str) -> None:
    if labels is None:
        return
    width = sum(int(column.max()) - int(column.min()) + 1 for column in labels.T)
    if width * len(labels) > MOST_ENTRIES:
        raise ValueError(
            f"{path}: {ending} must be few enough for a column of features each, got {width:,} from the lowest to the "
            f"highest for {len(labels):,} lines; at most {MOST_ENTRIES:,} entries in all are made"
        )


def _edges(tables: Arrays) -> dict[str, Tensor]:
    """Edges and what is known of them, without self-loops and repeated ones, as PyG leaves them out."""
    edge_index, edge_attr = remove_self_loops(torch.from_numpy(tables["A"]).T, _features(tables, "edge"))
    edge_index, edge_attr = coalesce(edge_index, edge_attr, len(tables["graph_indicator"]))
    return {"edge_index": edge_index} | ({} if edge_attr is None else {"edge_attr": edge_attr})


def _features(tables: Arrays, what: str) -> Tensor | None:
    """Labels of nodes or edges one-hot, counted from the lowest as PyG does; where there are none, their attributes."""
    labels, attributes = tables.get(f"{what}_labels"), tables.get(f"{what}_attributes")
    if labels is not None:
        columns = torch.from_numpy(labels - labels.min(axis=0)).unbind(dim=1)
        return torch.cat([one_hot(column) for column in columns], dim=1).float()
    return None if attributes is None else torch.from_numpy(attributes)


def _feature_names(labels: NDArray[Any] | None, named: tuple[str, ...]) -> tuple[str, ...]:
    if labels is None:
        return ()
    lowest = labels.min(axis=0)
    width = int((labels.max(axis=0) - lowest + 1).sum())
    first = int(lowest[0]) if len(lowest) == 1 else 0
    return named if len(named) == width else tuple(f"label {first + number}" for number in range(width))
