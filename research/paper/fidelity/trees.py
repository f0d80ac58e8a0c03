"""Decision trees over the patterns of a rule: what else the same patterns could say of the model."""

from collections.abc import Sequence

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph.explanation import Pattern
from research.paper.fidelity.balanced import balanced

# A tree that can be read, and one with as much as it can use.
LEAVES = (8, 32)


def tree_fidelities(
    patterns: Sequence[Pattern],
    inside: Sequence[Data],
    outside: Sequence[Data],
    inside_classes: Ints,
    outside_classes: Ints,
) -> dict[str, float | None]:
    """Agreement with the model of trees that are learned inside, on the graphs outside; ``None`` without patterns.

    Args:
        patterns: What the trees ask for.
        inside: The graphs that the explanation is of.
        outside: Graphs that were kept apart.
        inside_classes: What the model predicts for each graph inside.
        outside_classes: The same outside.
    """
    if not patterns:
        return {f"tree_{leaves}": None for leaves in LEAVES}
    tables = [np.stack([one.holds_in(list(graphs)) for one in patterns], axis=1) for graphs in (inside, outside)]
    found: dict[str, float | None] = {}
    for leaves in LEAVES:
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, class_weight="balanced", random_state=0)
        tree.fit(tables[0], inside_classes)
        found[f"tree_{leaves}"] = balanced(tree.predict(tables[1]) == outside_classes, outside_classes)
    return found
