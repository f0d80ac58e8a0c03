"""What the nodes and edges of a pattern are called, and what counts of them that has no words."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from protograph._base.words import clean_name
from protograph.explanation.describing.besides import ATTRIBUTES, FEATURES, beside_values
from protograph.explanation.pattern import Pattern
from protograph.graphs.names import is_one_hot, node_columns, shown_columns
from protograph.molecules.elements import COUNTABLE, OTHER, are_atoms, element_name
from protograph.molecules.smarts import SIGNS


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
