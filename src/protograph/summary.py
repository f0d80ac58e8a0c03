"""Explanations in plain words."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch_geometric.data import Data

if TYPE_CHECKING:
    from protograph.explanation import Explanation, Prototype


def summary_of_class(explanation: "Explanation") -> str:
    """Say what was found for a class, one line a prototype."""
    share = f"{explanation.num_predicted} of {explanation.num_graphs} graphs are predicted as it"
    name = "" if explanation.class_name == str(explanation.target) else f" ({explanation.class_name})"
    lines = [f"Class {explanation.target}{name}: {share}."]
    for number, prototype in enumerate(explanation.prototypes, start=1):
        lines.append(f"  {number}. {_describe(prototype, explanation)}")
    if not explanation.prototypes:
        lines.append("  No prototype was found.")
    lines.extend(f"  Note: {warning}." for warning in explanation.warnings)
    return "\n".join(lines)


def _describe(prototype: "Prototype", explanation: "Explanation") -> str:
    parts = [f"{prototype.num_nodes} nodes, {prototype.num_edges} edges"]
    composition = describe_composition(prototype.graph, explanation.feature_names, explanation.feature_colors)
    if composition:
        parts[0] += f" ({composition})"
    parts.append(f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}")
    if prototype.cluster is not None:
        parts.append(f"cluster {prototype.cluster}, {prototype.cluster_size} graphs")
    if prototype.source is not None:
        parts.append(f"cut from graph {prototype.source}")
    smiles = smiles_of(prototype)
    if smiles is not None:
        parts.append(f"SMILES {smiles}")
    return "; ".join(parts)


def smiles_of(prototype: "Prototype") -> str | None:
    """SMILES of a molecule's fragment; ``None`` where bonds or atoms are not known, or RDKit is not installed."""
    if not prototype.edge_names or not prototype.feature_names:
        return None
    try:
        return prototype.smiles
    except (ImportError, ValueError):
        return None


def describe_composition(graph: Data, feature_names: tuple[str, ...], colors: tuple[str, ...] = ()) -> str:
    """Count the nodes of each kind where features are one-hot, most frequent first.

    Columns whose colour is the empty text do not count.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> describe_composition(Data(x=x), ("roof", "wall"))
    '2 wall, 1 roof'
    """
    x = graph.x
    if x is None or x.dim() != 2:
        return ""
    names = feature_names or tuple(f"feature {column}" for column in range(x.size(1)))
    columns = shown_columns(colors)
    if columns is not None and len(colors) == x.size(1) == len(names):
        x, names = x[:, list(columns)], tuple(names[column] for column in columns)
    if not is_one_hot(x):
        return ""
    counts = Counter(x.argmax(dim=1).tolist())
    return ", ".join(f"{count} {names[column]}" for column, count in sorted(counts.items(), key=lambda c: (-c[1], c)))


def is_one_hot(x: torch.Tensor) -> bool:
    """Whether every row has a single 1 and otherwise zeros."""
    return x.dim() == 2 and x.size(1) > 1 and bool((((x == 0) | (x == 1)).all()) & (x.sum(dim=1) == 1).all())


def shown_columns(colors: Sequence[str]) -> tuple[int, ...] | None:
    """Columns that decide what kind a node is: those with a colour, where some have and some have none.

    >>> shown_columns(("#000000", "", "#FFFFFF")), shown_columns(("#000000", "#FFFFFF")), shown_columns(())
    ((0, 2), None, None)
    """
    chosen = tuple(column for column, color in enumerate(colors) if color)
    return chosen if 0 < len(chosen) < len(colors) else None
