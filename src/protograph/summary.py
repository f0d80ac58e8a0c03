"""Explanations in plain words."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch_geometric.data import Data

if TYPE_CHECKING:
    from protograph.explanation import Explanation, Prototype


def summary_of_class(explanation: "Explanation") -> str:
    """Say what was found for a class: a line of words and a line of figures for each prototype."""
    # Imported here, as it imports this file: what a sentence counts is counted below.
    from protograph.describing import describe

    share = f"{explanation.num_predicted} of {explanation.num_graphs} graphs are predicted as it"
    name = "" if explanation.class_name == str(explanation.target) else f" ({explanation.class_name})"
    lines = [f"Class {explanation.target}{name}: {share}."]
    for number, prototype in enumerate(explanation.prototypes, start=1):
        words = describe(prototype, explanation.class_name, colors=explanation.feature_colors)
        lines.append(f"  {number}. {words}")
        lines.append(f"     {_figures(prototype, explanation)}")
    if not explanation.prototypes:
        lines.append("  No prototype was found.")
    lines.extend(f"  Note: {warning}." for warning in explanation.warnings)
    return "\n".join(lines)


def _figures(prototype: "Prototype", explanation: "Explanation") -> str:
    nodes, edges = prototype.num_nodes, prototype.num_edges
    parts = [f"{nodes} node{'s' * (nodes != 1)}, {edges} edge{'s' * (edges != 1)}"]
    composition = describe_composition(prototype.graph, explanation.feature_names, explanation.feature_colors)
    if composition:
        parts[0] += f" ({composition})"
    parts.append(f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}")
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
    columns = node_columns(graph, colors)
    if columns is None:
        return ""
    names = feature_names or tuple(f"feature {column}" for column in range(graph.x.size(1)))
    return ", ".join(f"{count} {names[column]}" for column, count in by_frequency(columns))


def node_columns(graph: Data, colors: Sequence[str] = ()) -> list[int] | None:
    """The column of ``x`` that each node's kind is; ``None`` where features are not one-hot.

    Columns whose colour is the empty text do not count.

    >>> node_columns(Data(x=torch.eye(3)[[2, 0]])), node_columns(Data(x=torch.rand(3, 2)))
    ([2, 0], None)
    """
    x = graph.x
    if x is None or x.dim() != 2:
        return None
    columns = shown_columns(colors) if len(colors) == x.size(1) else None
    chosen = tuple(range(x.size(1))) if columns is None else columns
    x = x[:, list(chosen)]
    return [chosen[column] for column in x.argmax(dim=1).tolist()] if is_one_hot(x) else None


def by_frequency(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Each column with how often it occurs, most frequent first.

    >>> by_frequency([1, 0, 2, 1])
    [(1, 2), (0, 1), (2, 1)]
    """
    return sorted(Counter(columns).items(), key=lambda item: (-item[1], item[0]))


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
