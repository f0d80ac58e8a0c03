"""Explanations in plain words."""

from typing import TYPE_CHECKING

from torch_geometric.data import Data

from protograph.graphs.kinds import by_frequency, node_columns

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation, Prototype


def summary_of_class(explanation: "Explanation") -> str:
    """Say what was found for a class: a line of words and a line of figures for each prototype."""
    # Imported here, as it imports this file: what a sentence counts is counted below.
    from protograph.explanation.describing import describe

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

    >>> import torch
    >>> x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> describe_composition(Data(x=x), ("roof", "wall"))
    '2 wall, 1 roof'
    """
    columns = node_columns(graph, colors)
    if columns is None:
        return ""
    names = feature_names or tuple(f"feature {column}" for column in range(graph.x.size(1)))
    return ", ".join(f"{count} {names[column]}" for column, count in by_frequency(columns))
