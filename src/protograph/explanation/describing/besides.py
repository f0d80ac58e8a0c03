"""What counted besides what is said: features and attributes that neither the name of a prototype nor SMARTS tells."""

from collections.abc import Sequence

from torch import Tensor

from protograph._base.words import clean_name, listed
from protograph.explanation.prototype import Prototype
from protograph.graphs.names import ColumnNames, ValueNames, node_columns, shown_columns
from protograph.molecules.smarts import OTHER_BONDS, unsaid

FEATURES, ATTRIBUTES = "features", "edge attributes"
# A sentence names so many columns, and says how many others there are; longer formulas are left to the figures.
MOST_NAMES = 3
MOST_LETTERS = 40


def unsaid_by_smarts(prototype: Prototype) -> list[str]:
    """What SMARTS cannot say: columns that name no atom and, where edges were matched, no bond."""
    graph, feature_names, edge_names = prototype.named
    if prototype.edge_values:  # kinds of bonds that it does not have need no word
        has_bond = graph.edge_attr.any(dim=0).tolist()
        edge_names = tuple(name if has else OTHER_BONDS[0] for name, has in zip(edge_names, has_bond, strict=True))
    names = unsaid(graph, feature_names, edge_names, prototype.edge_rule)
    names += beside_values(prototype.feature_names, prototype.feature_values)
    if prototype.edge_rule.is_matched:
        names += beside_values(prototype.edge_names, prototype.edge_values)
    return names


def unsaid_by_name(prototype: Prototype, colors: Sequence[str] = ()) -> list[str]:
    """What the name of a prototype does not tell: features that are no kinds with names, and attributes of edges."""
    edges = []
    if prototype.edge_rule.is_matched and isinstance(prototype.graph.edge_attr, Tensor):
        edges = list(prototype.edge_names) or [ATTRIBUTES]
    return [*_unsaid_features(prototype, colors), *edges]


def _unsaid_features(prototype: Prototype, colors: Sequence[str]) -> list[str]:
    (graph, names, _), x = prototype.named, prototype.graph.x
    if not prototype.are_nodes_matched or not isinstance(x, Tensor):
        return []
    if node_columns(graph, colors) is None or graph.x.size(1) != len(names):
        is_constant = x.numel() == len(x) and bool((x == 0).all() or (x == 1).all())
        return [] if is_constant else [FEATURES]
    is_part = len(colors) == len(names) and shown_columns(colors) is not None
    if is_part:
        return [f"other {FEATURES}"]
    return beside_values(prototype.feature_names, prototype.feature_values)


def beside_values(columns: tuple[str, ...], values: ValueNames) -> list[str]:
    """Columns beside the one whose values have names, which is all that is told of them."""
    told = ColumnNames(columns, values).column
    return [name for number, name in enumerate(columns) if told not in (None, number)]


def besides(prototype: Prototype, smarts: str | None = None, colors: Sequence[str] = ()) -> str:
    """What counted besides its name, for the sentence; nothing where nothing did, or nothing was counted.

    Args:
        prototype: The prototype.
        smarts: Its SMARTS, which tells atoms and bonds.
        colors: Colours of the kinds of nodes; those with the empty text do not count.
    """
    if prototype.evidence is None:
        return ""
    if smarts is not None and prototype.edge_rule.is_matched:
        formula = smarts if len(smarts) <= MOST_LETTERS else "bonds as in its SMARTS"
        return f" ({', '.join([formula, *must_agree(unsaid_by_smarts(prototype))])})"
    return "".join(f" ({text})" for text in must_agree(unsaid_by_name(prototype, colors)))


def must_agree(names: Sequence[str]) -> list[str]:
    """The names in a part of a sentence, the first of them if they are many.

    >>> must_agree(["degree"]), must_agree([])
    (['whose degree must agree too'], [])
    >>> must_agree(["a", "b", "c", "d", "e"])
    ['whose a, b, c and 2 others must agree too']
    """
    shown = [clean_name(name) for name in names]
    if len(shown) > MOST_NAMES + 1:
        shown = [*shown[:MOST_NAMES], f"{len(shown) - MOST_NAMES} others"]
    return [f"whose {listed(shown)} must agree too"] if shown else []
