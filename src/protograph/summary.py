"""Explanations in plain words."""

from collections import Counter
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
        lines.append(f"  {number}. {_describe(prototype, explanation.feature_names)}")
    if not explanation.prototypes:
        lines.append("  No prototype was found.")
    lines.extend(f"  Note: {warning}." for warning in explanation.warnings)
    return "\n".join(lines)


def _describe(prototype: "Prototype", feature_names: tuple[str, ...]) -> str:
    parts = [f"{prototype.num_nodes} nodes, {prototype.num_edges} edges"]
    composition = describe_composition(prototype.graph, feature_names)
    if composition:
        parts[0] += f" ({composition})"
    parts.append(f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}")
    if prototype.cluster is not None:
        parts.append(f"cluster {prototype.cluster}, {prototype.cluster_size} graphs")
    if prototype.source is not None:
        parts.append(f"cut from graph {prototype.source}")
    return "; ".join(parts)


def describe_composition(graph: Data, feature_names: tuple[str, ...]) -> str:
    """Count the nodes of each kind where features are one-hot, most frequent first.

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> describe_composition(Data(x=x), ("roof", "wall"))
    '2 wall, 1 roof'
    """
    x = graph.x
    if x is None or x.dim() != 2 or not is_one_hot(x):
        return ""
    names = feature_names or tuple(f"feature {column}" for column in range(x.size(1)))
    counts = Counter(x.argmax(dim=1).tolist())
    return ", ".join(f"{count} {names[column]}" for column, count in sorted(counts.items(), key=lambda c: (-c[1], c)))


def is_one_hot(x: torch.Tensor) -> bool:
    """Whether every row has a single 1 and otherwise zeros."""
    return x.dim() == 2 and x.size(1) > 1 and bool((((x == 0) | (x == 1)).all()) & (x.sum(dim=1) == 1).all())
