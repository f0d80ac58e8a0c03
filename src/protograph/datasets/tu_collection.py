"""Any data set of TU Dortmund's collection by its name, read as PyG reads it.

The texts are checked first, since PyG takes files that do not fit each other without a word.
"""

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric import __version__ as pyg_version
from torch_geometric.datasets import TUDataset
from torch_geometric.io import read_tu_data

from protograph._base.progress import Progress
from protograph.datasets import sources
from protograph.datasets.archives import reading
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.sources import SourceFile
from protograph.graphs.splitting import checked_count, split_graphs
from protograph.molecules.elements import COLORS

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
# Texts that have a line for each line of another.
LINES_OF = {
    "node_labels": "graph_indicator",
    "node_attributes": "graph_indicator",
    "edge_labels": "A",
    "edge_attributes": "A",
}
NEEDED = ("A", "graph_indicator", "graph_labels")
README = "label_readme"


def spelled(name: str, root: Path | None = None) -> str | None:
    """The name as the collection spells it, or as it is where a folder has its files; ``None`` if it is unknown.

    >>> spelled("imdb_binary"), spelled("house-prices")
    ('IMDB-BINARY', None)
    """
    key = name.lower().replace("_", "-")
    known = {other.lower().replace("_", "-"): other for other in NAMES}
    if key in known:
        return known[key]
    # Not a path: a name from outside never leaves the folder.
    if re.fullmatch(r"[\w.-]+", name) is None:
        return None
    try:
        return name if sources.find(root, _first_text(name)) is not None else None
    except FileNotFoundError:  # the folder is none; what matters here is that the name is unknown
        return None


def archive(name: str) -> SourceFile:
    """The archive of a data set; no checksums are published for the collection."""
    return SourceFile(f"tu/{name}.zip", None, f"{TUDataset.url}/{name}.zip")


def load(
    name: str, root: Path | None = None, *, num_graphs: int | None = None, progress: Progress | None = None
) -> GraphDataset:
    """A data set of the collection: ``name/raw/name_A.txt`` and so on of the folder, or ``tu/name.zip``.

    Node labels are the features, one-hot; where there are none, the node attributes; where there are neither, graphs
    have no ``x``. Classes are numbered in the order of their labels.

    Raises:
        FileNotFoundError: If the folder that is named has not the files.
        ConnectionError: If no folder is named, and they cannot be downloaded.
        ValueError: If the files are damaged, do not fit each other, or give no classes.
    """
    first = sources.find(root, _first_text(name))
    path = first.parent if first is not None else sources.fetch(archive(name), root, progress)
    texts = _texts_in_folder(path, name) if first is not None else _texts_in_zip(path, name)
    check(texts, path)
    key = {ending: hashlib.sha256(text).hexdigest() for ending, text in sorted(texts.items())}
    arrays = cached_arrays(f"tu-{name}", key | {"pyg": pyg_version, "recipe": 2}, lambda: _read(texts, name, path))
    return _dataset(name, arrays, _names_in(texts.get(README, b"")), num_graphs)


def check(texts: Mapping[str, bytes], path: Path) -> None:
    r"""Check that no text is missing and that they have fitting numbers of lines.

    Raises:
        ValueError: If one is missing, or they do not fit.

    >>> check({"A": b"1, 2", "graph_indicator": b"1\n1", "graph_labels": b"0", "node_labels": b"7"}, Path("X"))
    Traceback (most recent call last):
    ValueError: X: node_labels must have as many lines as graph_indicator, 2, got 1
    """
    missing = [ending for ending in NEEDED if ending not in texts]
    if missing == ["graph_labels"]:
        raise ValueError(f"{path}: there are no graph_labels, so no classes to explain; take a classification set")
    if missing:
        raise ValueError(f"{path}: the text {missing[0]} is missing; get the data set again")
    lines = {ending: _num_lines(text) for ending, text in texts.items()}
    for ending, other in LINES_OF.items():
        if ending in lines and lines[ending] != lines[other]:
            raise ValueError(
                f"{path}: {ending} must have as many lines as {other}, {lines[other]}, got {lines[ending]}"
            )
    graphs = _integers(texts["graph_indicator"], path, "graph_indicator")[:, 0]
    if (np.diff(graphs) < 0).any() or not np.array_equal(np.unique(graphs), np.arange(1, lines["graph_labels"] + 1)):
        raise ValueError(
            f"{path}: graph_indicator must name the {lines['graph_labels']} graphs of graph_labels in order, "
            f"got {len(np.unique(graphs))} from {graphs.min()} to {graphs.max()}"
        )
    edges = _integers(texts["A"], path, "A")
    if edges.shape[1] != 2 or edges.min() < 1 or edges.max() > len(graphs):
        raise ValueError(f"{path}: A must have two nodes from 1 to {len(graphs)} a line, got others")
    if (graphs[edges[:, 0] - 1] != graphs[edges[:, 1] - 1]).any():
        raise ValueError(f"{path}: A must join nodes of one graph, got an edge between two graphs")


def _first_text(name: str) -> str:
    return f"{name}/raw/{name}_A.txt"


def _texts_in_folder(folder: Path, name: str) -> dict[str, bytes]:
    start = len(name) + 1
    return {path.stem[start:]: path.read_bytes() for path in sorted(folder.glob(f"{name}_*.txt"))}


def _texts_in_zip(path: Path, name: str) -> dict[str, bytes]:
    pattern = re.compile(rf"(?:.*/)?{re.escape(name)}_(\w+)\.txt")
    with path.open("rb") as file, reading(path), zipfile.ZipFile(file) as archive:
        found = {member: pattern.fullmatch(member) for member in archive.namelist()}
        return {match.group(1): archive.read(member) for member, match in found.items() if match}


def _num_lines(text: bytes) -> int:
    return sum(1 for line in text.splitlines() if line.strip())


def _integers(text: bytes, path: Path, ending: str) -> NDArray[np.int64]:
    try:
        table: NDArray[np.int64] = np.loadtxt(text.decode().splitlines(), dtype=np.int64, delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path}: {ending} must have integers divided by commas: {error}") from error
    if table.size == 0:
        raise ValueError(f"{path}: {ending} must have a line for each entry, got an empty text")
    return table


def _read(texts: Mapping[str, bytes], name: str, path: Path) -> dict[str, NDArray[np.generic]]:
    """What PyG reads, as arrays; the original labels beside."""
    labels = _integers(texts["graph_labels"], path, "graph_labels")[:, 0]
    with tempfile.TemporaryDirectory() as folder:
        for ending, text in texts.items():
            if ending != README and not ending.startswith("graph_attributes"):
                # PyG stumbles over blank lines.
                lines = [line for line in text.splitlines() if line.strip()]
                (Path(folder) / f"{name}_{ending}.txt").write_bytes(b"\n".join(lines) + b"\n")
        with reading(path):
            data, slices, sizes = read_tu_data(folder, name)
    graph_of = _integers(texts["graph_indicator"], path, "graph_indicator")[:, 0] - 1
    arrays = {
        "labels": data.y.numpy(),
        "label_values": np.unique(labels),
        "edge_index": data.edge_index.numpy(),
        "node_bounds": np.concatenate([[0], np.cumsum(np.bincount(graph_of))]),
        "edge_bounds": _padded(slices["edge_index"].numpy(), len(labels) + 1),
    }
    for key, what in (("x", "node"), ("edge_attr", "edge")):
        values, attributes = data.get(key), sizes[f"num_{what}_attributes"]
        if values is not None:
            has_labels = values.shape[1] > attributes
            arrays[key] = values[:, attributes if has_labels else 0 :].float().numpy()
            arrays[f"{key}_is_one_hot"] = np.array(has_labels)
            if has_labels:  # PyG counts labels from their lowest
                arrays[f"{key}_lowest"] = _integers(texts[f"{what}_labels"], path, f"{what}_labels").min(axis=0)
    return arrays


def _padded(bounds: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Bounds of all graphs: PyG's end with the last graph that has an edge."""
    return np.concatenate([bounds, np.full(length - len(bounds), bounds[-1])])


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


def _dataset(
    name: str, arrays: Mapping[str, NDArray[np.generic]], names: Mapping[str, tuple[str, ...]], num_graphs: int | None
) -> GraphDataset:
    values = {key: torch.from_numpy(arrays[key]) for key in ("x", "edge_attr") if key in arrays}
    node_bounds, edge_bounds = (arrays[key].astype(np.int64) for key in ("node_bounds", "edge_bounds"))
    graphs = split_graphs(
        node_values={"x": values["x"]} if "x" in values else {},
        edge_values={"edge_index": torch.from_numpy(arrays["edge_index"])}
        | ({"edge_attr": values["edge_attr"]} if "edge_attr" in values else {}),
        labels=torch.from_numpy(arrays["labels"]),
        node_bounds=node_bounds,
        edge_bounds=edge_bounds,
        num_graphs=checked_count(num_graphs, len(arrays["labels"])),
    )
    if "x" not in values:
        for graph, count in zip(graphs, np.diff(node_bounds).tolist(), strict=False):
            graph.num_nodes = count
    features = _feature_names(arrays, "x", names.get("Node", ()))
    return GraphDataset(
        graphs=graphs,
        name=name,
        class_names=_class_names(arrays["label_values"].tolist(), names.get("Class", ())),
        feature_names=features,
        colors=tuple(COLORS[atom] for atom in features) if set(features) <= set(COLORS) else (),
        edge_names=_feature_names(arrays, "edge_attr", names.get("Edge", ())),
        licence="not stated by the source",
        source=f"TUDataset, Morris et al. 2020; {archive(name).url}",
    )


def _class_names(labels: list[int], named: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(named[label] if 0 <= label < len(named) else str(label) for label in labels)


def _feature_names(arrays: Mapping[str, NDArray[np.generic]], key: str, named: tuple[str, ...]) -> tuple[str, ...]:
    if key not in arrays or not bool(arrays[f"{key}_is_one_hot"]):
        return ()
    width = arrays[key].shape[1]
    lowest = arrays[f"{key}_lowest"]
    if len(named) == width or len(lowest) > 1:
        return named if len(named) == width else tuple(f"label {number}" for number in range(width))
    return tuple(f"label {number + int(lowest[0])}" for number in range(width))
