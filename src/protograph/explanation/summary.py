"""Prototypes in a line of figures."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph._base.words import clean_name, count_of
from protograph.explanation.prototype import Prototype
from protograph.graphs.kinds import by_frequency, node_columns


def figures_of(prototype: Prototype, colors: Sequence[str] = ()) -> str:
    """Size, composition, probability, margin and source of a prototype, and its SMILES where it has one.

    >>> import torch
    >>> pair = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    >>> figures_of(Prototype(graph=pair, probability=0.5, margin=0.0, source=7))
    '2 nodes, 1 edge; p = 0.5000, margin 0.00; cut from graph 7'
    """
    size = f"{count_of(prototype.num_nodes, 'node')}, {count_of(prototype.num_edges, 'edge')}"
    composition = describe_composition(prototype.graph, prototype.feature_names, colors)
    parts = [
        f"{size} ({composition})" if composition else size,
        f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}",
    ]
    if prototype.source is not None:
        parts.append(f"cut from graph {prototype.source}")
    if (smiles := smiles_of(prototype)) is not None:
        parts.append(f"SMILES {smiles}")
    return "; ".join(parts)


def smiles_of(prototype: Prototype) -> str | None:
    """SMILES of a molecule's fragment; ``None`` where bonds or atoms are not known, or RDKit is not installed."""
    if not prototype.edge_names or not prototype.feature_names:
        return None
    try:
        return prototype.smiles
    except (ImportError, ValueError):
        return None


def describe_composition(graph: Data, feature_names: Sequence[str], colors: Sequence[str] = ()) -> str:
    """Count the nodes of each kind where features are one-hot, most frequent first.

    Columns whose colour is the empty text do not count.

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> describe_composition(Data(x=x), ("roof", "wall"))
    '2 wall, 1 roof'
    """
    columns = node_columns(graph, colors)
    if columns is None:
        return ""
    width = graph.x.size(1)
    names = feature_names if len(feature_names) == width else [f"feature {column}" for column in range(width)]
    return ", ".join(f"{number} {clean_name(names[column])}" for column, number in by_frequency(columns))
