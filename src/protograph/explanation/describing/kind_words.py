"""What the nodes and edges of a pattern are called, and what counts of them that has no words."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from protograph._utils.words import clean_name, listed
from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Prototype
from protograph.graphs.names import ColumnNames, ValueNames, is_one_hot, node_columns, shown_columns
from protograph.molecules.elements import COUNTABLE, OTHER, are_atoms, element_name
from protograph.molecules.smarts import OTHER_BONDS, SIGNS, unsaid

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
    (graph, names, _), x, features, edges = prototype.named, prototype.graph.x, list[str](), list[str]()
    if prototype.edge_rule.is_matched and isinstance(prototype.graph.edge_attr, Tensor):
        edges = list(prototype.edge_names) or [ATTRIBUTES]
    if not prototype.are_nodes_matched or not isinstance(x, Tensor):
        return edges
    if node_columns(graph, colors) is None or graph.x.size(1) != len(names):
        is_constant = x.numel() == len(x) and bool((x == 0).all() or (x == 1).all())
        features = [] if is_constant else [FEATURES]
    elif len(colors) == len(names) and shown_columns(colors) is not None:
        features = [f"other {FEATURES}"]
    else:
        features = beside_values(prototype.feature_names, prototype.feature_values)
    return [*features, *edges]


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


@dataclass(frozen=True)
class NodeWords:
    """A kind of nodes: what one is called, what several are, and in short; all nodes alike have no short name."""

    one: str = "node"
    several: str = "nodes"
    short: str = ""


@dataclass(frozen=True)
class KindWords:
    """The kinds of a pattern in words.

    Attributes:
        nodes: Of each node.
        edges: Of each edge, by its two nodes, ascending; the empty text where edges are not told apart.
        are_atoms: Whether it is of a molecule.
        unsaid: What counts besides and has no words.
    """

    nodes: tuple[NodeWords, ...]
    edges: dict[tuple[int, int], str]
    are_atoms: bool
    unsaid: tuple[str, ...]

    @property
    def edge_noun(self) -> str:
        """What an edge is called."""
        return "bond" if self.are_atoms else "edge"

    def sign(self, first: int, second: int) -> str:
        """An edge between two nodes in a formula."""
        name = self.edges[min(first, second), max(first, second)]
        return "-" if not name else SIGNS.get(name, "-") if self.are_atoms and name in SIGNS else f"-[{name}]-"


def kind_words(pattern: Pattern, colors: Sequence[str] = ()) -> KindWords:
    """What the nodes and edges of a pattern are called.

    Args:
        pattern: The pattern.
        colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.
    """
    nodes, unsaid = _nodes(pattern, colors)
    edges, unsaid_of_edges = _edges(pattern)
    graph, names, _ = pattern.named
    is_molecule = pattern.are_nodes_matched and graph.x.size(-1) == len(names) and are_atoms(names)
    return KindWords(nodes, edges, is_molecule, (*unsaid, *unsaid_of_edges))


def _nodes(pattern: Pattern, colors: Sequence[str]) -> tuple[tuple[NodeWords, ...], list[str]]:
    size, any_node = pattern.num_nodes, NodeWords()
    (graph, names, _), x = pattern.named, pattern.graph.x
    if not isinstance(x, Tensor):
        return (any_node,) * size, []
    columns = node_columns(graph, colors)
    if columns is not None:
        is_part = len(colors) == graph.x.size(1) and shown_columns(colors) is not None
        others = [f"other {FEATURES}"] if is_part else beside_values(pattern.feature_names, pattern.feature_values)
        has_names = len(names) == graph.x.size(1)
        named = _ruled if not pattern.node_rule.is_plain else _named
        words = [named(names[column], names) if has_names else _numbered(column) for column in columns]
        return tuple(words), others
    x = graph.x
    if x.numel() == size and not pattern.feature_values:
        if bool((x == 0).all() or (x == 1).all()):  # a constant, for want of features
            return (any_node,) * size, []
        column = clean_name(pattern.feature_names[0]) if pattern.feature_names else ""
        return tuple(_valued(column, value) for value in x.flatten().tolist()), []
    return (any_node,) * size, [FEATURES]


def _named(name: str, names: Sequence[str]) -> NodeWords:
    if not are_atoms(names):
        shown = clean_name(name)
        return NodeWords(f"{shown} node", f"{shown} nodes", shown)
    element = element_name(name)
    several = f"{element}s" if name in COUNTABLE else f"{element} atoms"
    return NodeWords(element if name != OTHER else f"{element} atom", several, name)


def _ruled(name: str, names: Sequence[str]) -> NodeWords:
    """A kind by a rule: in short without what is in brackets."""
    if are_atoms(names):
        return _named(name, names)
    shown = clean_name(name)
    return NodeWords(f"node of {shown}", f"nodes of {shown}", shown.split(" (")[0])


def _numbered(column: int) -> NodeWords:
    return NodeWords(f"node of feature {column}", f"nodes of feature {column}", f"feature {column}")


def _valued(column: str, value: float) -> NodeWords:
    shown = f"{column} {value:g}" if column else f"x = {value:g}"
    preposition = "of" if column else "with"
    return NodeWords(f"node {preposition} {shown}", f"nodes {preposition} {shown}", shown)


def _edges(pattern: Pattern) -> tuple[dict[tuple[int, int], str], list[str]]:
    plain, attr = dict.fromkeys(pattern.edges, ""), pattern.graph.edge_attr
    if not pattern.edge_rule.is_matched or not isinstance(attr, Tensor) or not plain:
        return plain, []
    graph, _, names = pattern.named
    rows = graph.edge_attr if graph.edge_attr.dim() == 2 else graph.edge_attr[:, None]
    words = _edge_names(rows, names) if not any(pattern.edge_rule.cuts) else None
    if words is None:
        return plain, list(pattern.edge_names) or [ATTRIBUTES]
    found = dict[tuple[int, int], str]()
    for (u, v), word in zip(graph.edge_index.T.tolist(), words, strict=True):
        if u != v and found.setdefault((min(u, v), max(u, v)), word) != word:
            # It is told by what it is there and back.
            return plain, list(pattern.edge_names) or [ATTRIBUTES]
    return found, beside_values(pattern.edge_names, pattern.edge_values)


def _edge_names(rows: torch.Tensor, names: Sequence[str]) -> list[str] | None:
    """A name for each row; ``None`` where rows are neither one-hot nor one number."""
    if is_one_hot(rows):
        has_names = len(names) == rows.size(1)
        columns = rows.argmax(dim=1).tolist()
        return [clean_name(names[c]).lower() if has_names else f"attribute {c}" for c in columns]
    if rows.size(1) == 1:
        column = clean_name(names[0]) if len(names) == 1 else "attribute"
        return [f"{column} {value:g}" for value in rows.flatten().tolist()]
    return None
