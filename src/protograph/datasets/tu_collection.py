"""Any data set of TU Dortmund's collection by its name, with the graphs that PyG's ``TUDataset`` has."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import one_hot
from torch_geometric.datasets import TUDataset
from torch_geometric.utils import coalesce, remove_self_loops

from protograph.datasets import tu
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.sources import DataFiles, SourceFile
from protograph.datasets.spec import DatasetSpec, key_of
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
    """The data set of that name: ``name/raw/name_A.txt`` and so on, or ``tu/name.zip``, which can be downloaded.

    No checksums are published for the collection.
    """
    text = SourceFile(f"{name}/raw/{name}_A.txt", None, None)
    archive = SourceFile(f"tu/{name}.zip", None, f"{TUDataset.url}/{name}.zip")

    def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
        """The data set.

        Node labels are the features, one-hot; where there are none, the node attributes; where there are neither,
        graphs have no ``x``. Classes are numbered in the order of their labels.
        """
        first = files.find(text.relative)
        path = first.parent if first is not None else files.get(archive)
        return _dataset(name, tu.read_texts(path, name), path, num_graphs)

    return DatasetSpec(name=name, load=load, files=((text,), (archive,)))


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


def _dataset(name: str, texts: tu.Texts, path: Path, num_graphs: int | None) -> GraphDataset:
    tables, names = tu.parse(texts, path), _names_in(texts.get("label_readme", b""))
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
            num_graphs=checked_count(num_graphs, len(labels)),
        ),
        name=name,
        class_names=tuple(classes[label] if 0 <= label < len(classes) else str(label) for label in values.tolist()),
        feature_names=features,
        colors=tuple(COLORS[atom] for atom in features) if set(features) <= set(COLORS) else (),
        edge_names=_feature_names(tables.get("edge_labels"), names.get("Edge", ())),
        licence="not stated by the source",
        source=f"TUDataset, Morris et al. 2020; {TUDataset.url}/{name}.zip",
    )


def _edges(tables: tu.Tables) -> dict[str, Tensor]:
    """Edges and what is known of them, without self-loops and repeated ones, as PyG leaves them out."""
    edge_index, edge_attr = remove_self_loops(torch.from_numpy(tables["A"]).T, _features(tables, "edge"))
    edge_index, edge_attr = coalesce(edge_index, edge_attr, len(tables["graph_indicator"]))
    return {"edge_index": edge_index} | ({} if edge_attr is None else {"edge_attr": edge_attr})


def _features(tables: tu.Tables, what: str) -> Tensor | None:
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
