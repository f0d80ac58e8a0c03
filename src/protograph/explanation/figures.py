"""The line of figures on a prototype: its size, what the model says, and of molecules how to look for it."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph._base.words import clean_name, count_of, listed
from protograph.explanation.prototype import Prototype
from protograph.graphs.names import by_frequency, node_columns
from protograph.molecules.read import parse


def figures_of(prototype: Prototype, colors: Sequence[str] = (), source: str = "") -> str:
    """Size, composition, probability, margin and source of a prototype, and of molecules how to look for it.

    Args:
        prototype: The prototype.
        colors: Colours of the kinds of nodes; those with the empty text do not count.
        source: What the graph it was cut from is called; by its index if empty.

    >>> import torch
    >>> pair = Data(edge_index=torch.tensor([[0, 1], [1, 0]]), num_nodes=2)
    >>> figures_of(Prototype(graph=pair, probability=0.5, margin=0.0, source=7))
    '2 nodes, 1 edge; p = 0.5000, margin 0.00; cut from graph 7'
    """
    size = f"{count_of(prototype.num_nodes, 'node')}, {count_of(prototype.num_edges, 'edge')}"
    composition = describe_composition(prototype.named.graph, prototype.named.feature_names, colors)
    parts = [
        f"{size} ({composition})" if composition else size,
        f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}",
    ]
    if prototype.source is not None:
        parts.append(f"cut from {source or f'graph {prototype.source}'}")
    return "; ".join([*parts, *formulas_of(prototype)])


def formulas_of(prototype: Prototype) -> list[str]:
    """How to look for a prototype of molecules: its SMILES where edges were matched, its SMARTS, what counts besides.

    >>> import torch
    >>> pair = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))
    >>> formulas_of(Prototype(graph=pair, probability=0.5, margin=0.0, feature_names=("C", "O")))
    ['SMARTS [#6]~[#8]']
    """
    smarts = smarts_of(prototype)
    if smarts is None:
        return []
    # Without types of bonds SMARTS says the same, and exactly what was counted.
    smiles = smiles_of(prototype) if prototype.edge_rule.is_matched else None
    names = prototype.smarts_besides
    besides = f", where {listed([clean_name(name) for name in names])} must agree too" if names else ""
    return [*([] if smiles is None else [f"SMILES {smiles}"]), f"SMARTS {smarts}{besides}"]


def smiles_of(prototype: Prototype) -> str | None:
    """SMILES of a molecule's fragment; ``None`` where there is none that RDKit reads, or it is not installed."""
    has_bonds = bool(prototype.named.edge_names) or not prototype.edge_rule.is_matched
    # What is no molecule has no SMARTS, which is found out at once; writing its SMILES may take minutes.
    if not has_bonds or smarts_of(prototype) is None:
        return None
    try:
        smiles = prototype.smiles
        parse(smiles)
    except (ImportError, ValueError):
        return None
    return smiles


def smarts_of(prototype: Prototype) -> str | None:
    """SMARTS of a molecule's fragment; ``None`` where atoms are not known, or RDKit is not installed."""
    try:
        return prototype.smarts
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
