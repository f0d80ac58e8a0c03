"""A pattern in words that a person can check: all that counts, and nothing else."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import networkx
import numpy as np
import torch
from torch_geometric.data import Data

from protograph._utils.words import counted, listed, number_word, with_article
from protograph.explanation.describing.kind_words import KindWords, NodeWords, is_told_by_nouns, kind_words
from protograph.explanation.describing.motifs import counts_of_kinds, find_motif
from protograph.explanation.describing.sentences import everywhere, name_of
from protograph.explanation.pattern import Pattern
from protograph.graphs.encoding import EncodedGraph
from protograph.graphs.names import node_columns
from protograph.patterns.canonical import canonical_order

Edge = tuple[int, int]


def trails(num_nodes: int, edges: Sequence[Edge]) -> list[list[int]]:
    """Walks that together use each edge of a connected graph once; the graph is told by them.

    A walk begins at a node where an odd number of edges is left, if there is one, and goes on as long as it can.

    >>> trails(4, [(0, 1), (1, 2), (0, 2), (2, 3)])
    [[2, 0, 1, 2, 3]]
    >>> trails(1, [])
    [[0]]
    """
    left: dict[int, list[int]] = {node: [] for node in range(num_nodes)}
    for u, v in sorted((min(edge), max(edge)) for edge in edges):
        left[u].append(v)
        left[v].append(u)
    walks = []
    seen: set[int] = set()
    while any(left.values()):
        # What was met before comes first, so that the walks hang together.
        starts = [node for node in left if left[node] and (node in seen or not seen)]
        node = min(starts, key=lambda one: (len(left[one]) % 2 == 0, -len(left[one]), one))
        walk = [node]
        while left[node]:
            following = left[node][0]
            left[node].remove(following)
            left[following].remove(node)
            node = following
            walk.append(node)
        seen.update(walk)
        walks.append(walk)
    return walks or [[0]]


# Larger patterns are not written out edge by edge.
MOST_EDGES = 24
# More letters of nodes with long names, such as ranges of several columns, nobody reads either.
MOST_LETTERS = 200


@dataclass(frozen=True)
class PatternWords:
    """A pattern in words.

    Attributes:
        one: What one is, without "a" or "an".
        several: What several are; the empty text where that is said by places.
        at_least: How many there are at least.
    """

    one: str
    several: str = ""
    at_least: int = 1

    @property
    def present(self) -> str:
        """That it is there."""
        if self.at_least == 1:
            return with_article(self.one)
        number = number_word(self.at_least)
        if self.several:
            return f"at least {number} {self.several}"
        return f"{with_article(self.one)}, in at least {number} places"

    @property
    def absent(self) -> str:
        """That it is not there."""
        if self.at_least == 1:
            return f"no {self.one}"
        number = number_word(self.at_least)
        if self.several:
            return f"fewer than {number} {self.several}"
        return f"{with_article(self.one)} in fewer than {number} places"


def pattern_words(pattern: Pattern) -> PatternWords:
    """Say what a pattern is, how it must lie in a graph, and in how many places.

    Args:
        pattern: The pattern.
    """
    shape = _Shape(pattern, kind_words(pattern))
    is_directed = bool(shape.kinds.arrows)  # then only a formula says which edge goes which way
    shapes = (shape.node, shape.star, shape.ring, shape.path, shape.motif, shape.with_a_leaf)
    ways = (shape.node, shape.path) if is_directed else shapes
    words = next((words for way in ways if (words := way()) is not None), None) or shape.written_out()
    named = everywhere(pattern.named_parts, words.one)
    # Two places differ unless they have the same nodes: three rings of four lie on four nodes, and have one place.
    several = f"{words.several}{named}" if words.several and shape.has_one_on_its_nodes else ""
    return PatternWords(f"{words.one}{named}", several, pattern.at_least)


@dataclass(frozen=True)
class _Shape:
    """A pattern that is looked at for what it is; what it is not gives ``None``."""

    pattern: Pattern
    kinds: KindWords

    @cached_property
    def graph(self) -> Any:
        result = networkx.empty_graph(self.pattern.num_nodes)
        result.add_edges_from(self.pattern.edges)
        return result

    @cached_property
    def degrees(self) -> list[int]:
        return [degree for _, degree in self.graph.degree]

    @property
    def closed(self) -> frozenset[int]:
        return frozenset(self.pattern.closed)

    @property
    def is_of_one_kind(self) -> bool:
        return len(set(self.kinds.nodes)) == 1

    @property
    def is_complete(self) -> bool:
        return bool(self.graph.size() == len(self.graph) * (len(self.graph) - 1) // 2)

    @property
    def has_one_on_its_nodes(self) -> bool:
        """Whether no two of its kind, closed nodes apart, lie on the same nodes."""
        return self.is_complete or (self.pattern.is_induced and set(self.degrees) == {2})

    def node(self) -> PatternWords | None:
        if self.pattern.num_nodes > 1:
            return None
        words, alone = self.kinds.nodes[0], " without neighbours" if self.closed else ""
        return PatternWords(f"{words.one}{alone}", f"{words.several}{alone}")

    def star(self) -> PatternWords | None:
        size = self.pattern.num_nodes
        if size < 2 or max(self.degrees) < size - 1 or len(self.pattern.edges) > size - 1:
            return None
        if size == 2:
            return self._pair()
        center = self.degrees.index(size - 1)
        leaves = [node for node in range(size) if node != center]
        apart = ", none of them joined to each other" if self.pattern.is_induced else ""
        words = self._plain_star(center, len(leaves)) or PatternWords(self._around(center, leaves))
        return replace(words, one=f"{words.one}{apart}")

    def _plain_star(self, center: int, number: int) -> PatternWords | None:
        """Nodes and edges of any kind, the leaves open."""
        is_plain = self.is_of_one_kind and not self.kinds.nodes[0].short and not any(self.kinds.edges.values())
        if not is_plain or self.closed - {center}:
            return None
        if center in self.closed:
            return PatternWords(f"node with exactly {counted(number, 'neighbour')}")
        if self.pattern.at_least > 1 or self.pattern.is_induced:
            return PatternWords(f"node joined to {number_word(number)} others")
        return PatternWords(f"node with at least {counted(number, 'neighbour')}")

    def _pair(self) -> PatternWords:
        first, second = sorted(range(2), key=lambda node: (node not in self.closed, self.kinds.nodes[node].one, node))
        noun, kind = self.kinds.nodes[first], self.kinds.edges[0, 1]
        is_plain, both = not noun.short and not kind and self.is_of_one_kind, len(self.closed) == 2
        if len(self.closed) == 1:
            around = "node with exactly one neighbour" if is_plain else self._around(first, [second])
            return PatternWords(around)
        alone = " and to nothing else" if both else ""
        if is_plain:
            return PatternWords(f"pair of nodes joined to each other{alone}") if both else PatternWords("edge", "edges")
        if self.is_of_one_kind:
            joined = f"{noun.several} joined {self._by(kind)}to each other{alone}"
            return PatternWords(f"pair of {joined}", f"pairs of {joined}")
        return PatternWords(f"{self._around(first, [second], frozenset())}{alone}")

    def _around(self, center: int, leaves: Sequence[int], closed: frozenset[int] | None = None) -> str:
        """A node and those that it is joined to, some of them closed."""
        closed = self.closed if closed is None else closed
        is_closed = center in closed
        ends = Counter((self._kind(center, leaf), self.kinds.nodes[leaf], leaf in closed) for leaf in leaves)
        # Rare ones first, then by name: the order of nodes does not matter.
        ordered = sorted(ends.items(), key=lambda item: (item[1], item[0][1].one, item[0][0], item[0][2]))
        parts = [(edge, self._several(noun, number, is_end)) for (edge, noun, is_end), number in ordered]
        own, has_kinds = self.kinds.nodes[center].one, any(edge for edge, _ in parts)
        if is_closed and not has_kinds:
            verb = "neighbour is" if len(leaves) == 1 else "neighbours are"
            return f"{own} whose only {verb} {listed([text for _, text in parts])}"
        by_kind = [f"{self._by(edge)}to {text}" for edge, text in parts]
        joined = listed(by_kind) if has_kinds else f"to {listed([text for _, text in parts])}"
        return f"{own} joined {joined}{', with no other neighbour' if is_closed else ''}"

    def _kind(self, first: int, second: int) -> str:
        return self.kinds.edges[min(first, second), max(first, second)]

    def _way(self, first: int, second: int) -> tuple[str, str]:
        return self._kind(first, second), self.kinds.arrows.get((first, second), "")

    def _by(self, kind: str) -> str:
        name, _, others = kind.partition("(")
        noun = with_article(f"{name.strip()} {self.kinds.edge_noun}".strip())
        return f"by {noun} {others and f'({others} '}" if kind else ""

    def _several(self, noun: NodeWords, number: int, is_closed: bool) -> str:
        text = with_article(noun.one) if number == 1 else f"{number_word(number)} {noun.several}"
        return f"{text} that {_have_no_other(number)}" if is_closed else text

    def ring(self) -> PatternWords | None:
        size = self.pattern.num_nodes
        if size < 3 or set(self.degrees) != {2}:
            return None
        order = [node for node, _ in networkx.find_cycle(self.graph)]
        chordless = " without a chord" if self.pattern.is_induced and size > 3 else ""
        closed = self._closed_words(can_be_any=len(self.closed) == 1 or size == 3)
        edges = self._edges_alike()
        if closed is None or edges is None:
            return None
        counts = Counter(self.kinds.nodes[node] for node in order)
        rest = f"{chordless}{edges}{closed}"
        is_aromatic = self.kinds.are_atoms and set(self.kinds.edges.values()) == {"aromatic"}
        is_benzene = size == 6 and self.is_of_one_kind and is_aromatic and self.kinds.nodes[0].short == "C"
        name = "triangle" if size == 3 else "ring"
        if is_benzene:
            return PatternWords(f"benzene ring{chordless}{closed}", f"benzene rings{chordless}{closed}")
        if size == 3 and not self.kinds.nodes[0].short and self.is_of_one_kind:
            return PatternWords(f"{name}{rest}", f"{name}s{rest}")
        if len(counts) == 1 or size == 3 or (len(counts) == 2 and min(counts.values()) == 1):
            most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0].one))
            nodes = listed([counted(number, noun.one, noun.several) for noun, number in most_first])
            return PatternWords(f"{name} of {nodes}{rest}", f"{name}s of {nodes}{rest}")
        around = _least_turn([self.kinds.nodes[node].short or "node" for node in order])
        return PatternWords(f"ring {'-'.join(around)}{rest}", f"rings {'-'.join(around)}{rest}")

    def _edges_alike(self) -> str | None:
        """What all edges are; ``None`` where they differ."""
        names = set(self.kinds.edges.values())
        if len(names) > 1:
            return None
        (name,) = names
        return f", all its {self.kinds.edge_noun}s {name}" if name else ""

    def _closed_words(self, *, can_be_any: bool = False) -> str | None:
        """Which nodes have no other neighbours; ``None`` where words do not tell them from others."""
        closed, nodes = self.closed, self.kinds.nodes
        if not closed:
            return ""
        if len(closed) == len(nodes):
            return ", none of whose nodes has another neighbour"
        kinds = {nodes[node] for node in closed}
        if len(kinds) == 1 and closed == {node for node in self.graph if nodes[node] in kinds}:
            (noun,) = kinds
            return f" whose {noun.one if len(closed) == 1 else noun.several} {_have_no_other(len(closed))}"
        if self.is_of_one_kind and can_be_any:
            return f", {number_word(len(closed))} of whose nodes {_have_no_other(len(closed))}"
        return None

    def path(self) -> PatternWords | None:
        size = self.pattern.num_nodes
        if sorted(self.degrees) != [1, 1, *[2] * (size - 2)]:
            return None
        ends = [node for node, degree in enumerate(self.degrees) if degree == 1]
        order = networkx.shortest_path(self.graph, *ends)
        closed = self._closed_ends(ends)
        if closed is None:
            return None
        apart = ", with no other edge between its nodes" if self.pattern.is_induced else ""
        if self.is_of_one_kind and self._edges_alike() is not None and not self.kinds.arrows:
            nodes = counted(size, self.kinds.nodes[0].one, self.kinds.nodes[0].several)
            rest = f"{self._edges_alike()}{apart}{closed}"
            return PatternWords(f"path of {nodes}{rest}", f"paths of {nodes}{rest}")
        text = min(self._formula(order), self._formula(order[::-1]))
        return PatternWords(f"path {text}{apart}{closed}")

    def _formula(self, order: Sequence[int]) -> str:
        text = self.kinds.nodes[order[0]].short or "node"
        for first, second in pairwise(order):
            text += f"{self.kinds.sign(first, second)}{self.kinds.nodes[second].short or 'node'}"
        return text

    def _closed_ends(self, ends: Sequence[int]) -> str | None:
        if self.closed == set(ends) and len(self.graph) > len(ends):
            return ", whose ends have no other neighbours"
        if (
            len(self.closed) == 1
            and self.closed <= set(ends)
            and self.is_of_one_kind
            and not any(self.kinds.edges.values())
        ):
            return ", one of whose ends has no other neighbour"
        return self._closed_words()

    def motif(self) -> PatternWords | None:
        motif, edges = find_motif(self.graph), self._edges_alike()
        closed = self._closed_words(can_be_any=self.is_complete)
        if motif is None or not motif.is_exact or not self.is_of_one_kind or closed is None or edges is None:
            return None
        apart = ", with no other edge between its nodes" if self.pattern.is_induced and not self.is_complete else ""
        noun = self.kinds.nodes[0]
        of_kind = f", all of its nodes {noun.several}" if noun.short else ""
        rest = f"{of_kind}{edges}{apart}{closed}"
        # One may be called "two fused rings of six".
        name = motif.name.removeprefix("a ") if motif.name.startswith("a ") else f"part made of {motif.name}"
        return PatternWords(f"{name}{rest}", f"{motif.plural}{rest}")

    def with_a_leaf(self) -> PatternWords | None:
        """A ring or a clique of one kind and a node joined to it: it does not matter where."""
        leaves = [node for node, degree in enumerate(self.degrees) if degree == 1]
        if len(leaves) != 1 or self.closed - set(leaves) or self.pattern.is_induced:
            return None
        (leaf,) = leaves
        others = [node for node in self.graph if node != leaf]
        if len({self.degrees[node] - self.graph.has_edge(node, leaf) for node in others}) > 1:
            return None
        number = {node: place for place, node in enumerate(others)}
        edges = {(number[u], number[v]): kind for (u, v), kind in self.kinds.edges.items() if leaf not in (u, v)}
        core = Data(edge_index=torch.tensor(list(edges)).T, num_nodes=len(others))
        nodes = tuple(self.kinds.nodes[node] for node in others)
        inner = _Shape(Pattern(graph=core), replace(self.kinds, nodes=nodes, edges=edges))
        words = (inner.ring() or inner.motif()) if inner.is_of_one_kind else None
        if words is None:
            return None
        kind = self._kind(leaf, next(iter(self.graph[leaf])))
        return PatternWords(
            f"{words.one} joined {self._by(kind)}to {self._several(self.kinds.nodes[leaf], 1, leaf in self.closed)}"
        )

    def written_out(self) -> PatternWords:
        """What has no words of its own: what it is made of, and all of its edges."""
        apart = ", with no other edge between its nodes" if self.pattern.is_induced else ""
        as_drawn = f"{self._made_of()}, joined as drawn{self._tally()}{apart}"
        as_drawn += ", of whose nodes some have no other neighbours" if self.closed else ""
        if len(self.pattern.edges) > MOST_EDGES:
            return PatternWords(as_drawn)
        # Each node has a number in the order in which the walks come to it, from 1.
        order = self._canonical()
        place = {node: number for number, node in enumerate(order)}
        walks = trails(len(order), [(place[u], place[v]) for u, v in self.pattern.edges])
        names = {}
        for number, node in enumerate(dict.fromkeys(order[step] for walk in walks for step in walk), start=1):
            short = self.kinds.nodes[node].short
            # A number behind hydrogens would be one of them.
            is_symbol = self.kinds.are_atoms and not short[-1:].isdigit() and (short == "H" or not short.endswith("H"))
            names[node] = f"{short}{'' if is_symbol else ' #'}{number}" if short else str(number)
        texts = []
        for walk in walks:
            nodes = [order[step] for step in walk]
            steps = (f"{self.kinds.sign(first, second)}{names[second]}" for first, second in pairwise(nodes))
            texts.append(f"{names[nodes[0]]}{''.join(steps)}")
        text = ", ".join(texts)
        if len(text) > MOST_LETTERS:
            return PatternWords(as_drawn)
        ends = [name for node, name in names.items() if node in self.closed]
        closed = f", where {listed(ends)} {_have_no_other(len(ends))}" if ends else ""
        if len(ends) == len(names):
            closed = ", none of whose nodes has another neighbour"
        return PatternWords(f"{self._made_of()} ({text}){apart}{closed}")

    def _tally(self) -> str:
        """How many nodes and edges of each kind there are, where what it is made of does not tell that."""
        signs = [min(self.kinds.sign(u, v), self.kinds.sign(v, u)) for u, v in self.pattern.edges]
        sides = {"nodes": [noun.short for noun in self.kinds.nodes], f"{self.kinds.edge_noun}s": signs}
        if is_told_by_nouns(self.pattern) and set(signs) <= {"-"}:
            return ""
        told = {
            name: sorted(Counter(kind for kind in own if kind not in ("", "-")).items()) for name, own in sides.items()
        }
        texts = [
            f"{name}: {', '.join(f'{number} {kind}' for kind, number in own)}" for name, own in told.items() if own
        ]
        return f" ({'; '.join(texts)})"

    def _made_of(self) -> str:
        graph, feature_names, _ = self.pattern.named
        columns = node_columns(graph)
        if self.kinds.are_atoms and columns is not None:
            return f"part made of {listed(counts_of_kinds(columns, feature_names))}"
        is_named = columns is not None
        name = name_of(graph, feature_names)
        if name.startswith(("a ", "an ")) and " and " not in name:
            return name.split(" ", 1)[1].replace("ring of three nodes", "triangle")
        return f"part made of {name}" if is_named and feature_names else f"part of {counted(len(self.graph), 'node')}"

    def _canonical(self) -> list[int]:
        """The nodes in an order that does not depend on their numbers."""
        kinds = [(noun.short, node in self.closed) for node, noun in enumerate(self.kinds.nodes)]
        ranks = {kind: rank for rank, kind in enumerate(sorted(set(kinds)))}
        told = sorted({self._way(*ends) for u, v in self.pattern.edges for ends in ((u, v), (v, u))})
        edge_ranks = {kind: rank for rank, kind in enumerate(told)}
        rows = [sorted(self.graph[node]) for node in self.graph]
        encoded = EncodedGraph(
            np.array([ranks[kind] for kind in kinds], dtype=np.int32),
            np.cumsum([0, *map(len, rows)]),
            np.array([other for row in rows for other in row], dtype=np.int32),
            np.array([edge_ranks[self._way(u, v)] for u, row in enumerate(rows) for v in row], dtype=np.int32),
        )
        return [int(node) for node in canonical_order(encoded).nodes]


def _have_no_other(number: int) -> str:
    return "has no other neighbour" if number == 1 else "have no other neighbours"


def _least_turn(labels: Sequence[str]) -> list[str]:
    """A ring of labels, begun and gone around so that it comes first by the alphabet.

    >>> _least_turn(["O", "C", "N", "C"])
    ['C', 'N', 'C', 'O']
    """
    turns = [[*way[start:], *way[:start]] for way in (list(labels), list(labels)[::-1]) for start in range(len(labels))]
    return min(turns)
