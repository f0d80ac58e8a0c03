"""Where a pattern lies in graphs: as a part, induced, with closed nodes, in at least so many places.

:func:`contained_in` counts a pattern in a data set with the compiled search of :mod:`.isomorphism_kernels`, and
:class:`PatternStore` remembers what was counted; :func:`places_of` names the nodes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph._utils.options import check_count
from protograph.graphs.conditions import Match
from protograph.graphs.encoding import MAX_CALLS, EncodedGraph, EncodedGraphs

if TYPE_CHECKING:
    from protograph.patterns.isomorphism_kernels import Graphs, Plan

# Answers beyond this are not kept: with 100,000 graphs those of some thousand patterns.
MAX_BYTES = 2**27
_NOT_ASKED = -2
_FIRST = np.zeros(1, np.int64)


class Asked(NamedTuple):
    """A pattern whose nodes and edges need not be of one kind.

    Attributes:
        shape: The pattern, with the class of each node and edge in place of its kind: what it accepts.
        accepts: Which kinds of nodes each class accepts, ``[num_kinds, num_classes]``.
        accepts_edges: The same of edges.
    """

    shape: EncodedGraph
    accepts: Bools
    accepts_edges: Bools


def of_one_kind(pattern: EncodedGraph, num_kinds: int, num_edge_kinds: int) -> Asked:
    """A pattern of which each node and edge accepts only its own kind; of kinds below 0 there are none."""
    nodes, node_classes = np.unique(pattern.node_kinds, return_inverse=True)
    edges, edge_classes = np.unique(pattern.edge_kinds, return_inverse=True)
    shape = pattern._replace(node_kinds=node_classes.astype(np.int32), edge_kinds=edge_classes.astype(np.int32))
    return Asked(shape, np.arange(num_kinds)[:, None] == nodes, np.arange(num_edge_kinds)[:, None] == edges)


# ---- counting -------------------------------------------------------------------------------------------------------


def contains(
    graph: EncodedGraph,
    pattern: EncodedGraph,
    max_calls: int = MAX_CALLS,
    *,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
) -> int:
    """Whether a graph has a pattern, kinds included.

    Args:
        graph: The graph, as :class:`~protograph.graphs.encoding.EncodedGraphs` gives it.
        pattern: The pattern, encoded by the same object. Without nodes it is in every graph.
        max_calls: Most nodes to place before giving up.
        induced: Whether nodes that are not joined in the pattern must not be joined in the graph.
        closed: Nodes of the pattern that must have no other neighbours in the graph.
        at_least: In how many different places it must lie; two places differ unless they have the same nodes.

    Returns:
        1 if it has, 0 if not, -1 if ``max_calls`` was reached before that was known.
    """
    own, wanted = _numbered_alike(graph, pattern)
    plan = _planned(wanted, np.bincount(own.node_kinds), induced, closed, at_least)
    return int(_searched(_searchable(own), plan, _FIRST, max_calls)[0])


def contained_in(
    pattern: Data | EncodedGraph | Asked,
    graphs: EncodedGraphs,
    *,
    indices: Sequence[int] | Ints | None = None,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
    max_calls: int = MAX_CALLS,
) -> NDArray[np.int8]:
    """Which graphs contain a pattern: 1, 0 or -1 for each, as of :func:`contains`.

    Args:
        pattern: The pattern.
        graphs: The data set.
        indices: The graphs to look at, in this order; all where ``None``.
        induced: As of :func:`contains`.
        closed: As of :func:`contains`.
        at_least: As of :func:`contains`.
        max_calls: As of :func:`contains`, for each graph.
    """
    check_count("max_calls", max_calls)
    encoded = graphs.encode(pattern) if isinstance(pattern, Data) else pattern
    plan = _planned(_asked(encoded, graphs), graphs.kind_counts, induced, closed, at_least)
    chosen = np.arange(len(graphs)) if indices is None else np.asarray(indices, dtype=np.int64)
    return _searched(_searchable(graphs), plan, chosen, max_calls)


def image_of(pattern: EncodedGraph, graph: EncodedGraph, max_calls: int = MAX_CALLS) -> list[int] | None:
    """A node of the graph for each node of a pattern that lies in it as a part; ``None`` where none was found in time.

    Args:
        pattern: The pattern, encoded as the graph is.
        graph: The graph.
        max_calls: Most nodes to place before giving up.
    """
    from protograph.patterns.isomorphism_kernels import IMAGE, scratch_for, search_all

    own, wanted = _numbered_alike(graph, pattern)
    plan = _planned(wanted, np.bincount(own.node_kinds))
    scratch, answers = scratch_for(plan, graph.num_nodes), np.zeros(1, np.int8)
    search_all(_searchable(own), plan, _FIRST, 0, max_calls, answers, scratch)
    image = dict(zip(plan.order.tolist(), scratch.steps[IMAGE].tolist(), strict=True))
    return [image[node] for node in range(pattern.num_nodes)] if answers[0] > 0 else None


def is_isomorphic(first: EncodedGraph, second: EncodedGraph, max_calls: int = MAX_CALLS) -> bool:
    """Whether two graphs, encoded by the same object, are the same up to the numbers of their nodes."""
    sizes = [(graph.num_nodes, graph.num_edges) for graph in (first, second)]
    return sizes[0] == sizes[1] and contains(first, second, max_calls) == 1


def same_graph(first: Data, second: Data, *, match_features: Match = True, match_edges: Match = False) -> bool:
    """Whether two graphs are isomorphic, their features and edges' attributes compared where asked for.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> same_graph(path, Data(edge_index=torch.tensor([[0, 0], [1, 2]]), num_nodes=3))
    True
    """
    encoded = EncodedGraphs([first, second], match_features=match_features, match_edges=match_edges)
    return is_isomorphic(encoded[0], encoded[1])


def neighbours_of(graph: EncodedGraph) -> list[dict[int, int]]:
    """For each node its neighbours, with the kinds of the edges to them."""
    pairs, starts = list(zip(graph.neighbours.tolist(), graph.edge_kinds.tolist(), strict=True)), graph.starts.tolist()
    return [dict(pairs[first:last]) for first, last in pairwise(starts)]


def are_twins(
    kinds: Sequence[int] | NDArray[np.integer], edges: Sequence[dict[int, int]], node: int, other: int
) -> bool:
    """Whether two nodes could be swapped: of one kind, with the same neighbours but for the two themselves."""
    if kinds[node] != kinds[other] or len(edges[node]) != len(edges[other]):
        return False
    around, around_other = dict(edges[node]), dict(edges[other])
    return around.pop(other, None) == around_other.pop(node, None) and around == around_other


def _numbered_alike(graph: EncodedGraph, pattern: EncodedGraph) -> tuple[EncodedGraph, Asked]:
    """Both with the kinds of nodes and edges that they have numbered from 0 on."""
    nodes, kinds = np.unique(np.concatenate([graph.node_kinds, pattern.node_kinds]), return_inverse=True)
    edges, edge_kinds = np.unique(np.concatenate([graph.edge_kinds, pattern.edge_kinds]), return_inverse=True)
    own, wanted = np.split(kinds.astype(np.int32), [graph.num_nodes])
    own_edges, wanted_edges = np.split(edge_kinds.astype(np.int32), [graph.edge_kinds.size])
    asked = of_one_kind(pattern._replace(node_kinds=wanted, edge_kinds=wanted_edges), nodes.size, edges.size)
    return graph._replace(node_kinds=own, edge_kinds=own_edges), asked


def _asked(pattern: EncodedGraph | Asked, graphs: EncodedGraphs) -> Asked:
    return pattern if isinstance(pattern, Asked) else of_one_kind(pattern, graphs.num_kinds, graphs.num_edge_kinds)


def _searchable(graphs: EncodedGraph | EncodedGraphs) -> "Graphs":
    """Graphs, or a single one, as the compiled search takes them."""
    from protograph.patterns.isomorphism_kernels import Graphs

    nodes = graphs.nodes if isinstance(graphs, EncodedGraphs) else np.array([0, graphs.num_nodes])
    return Graphs(nodes, graphs.node_kinds, graphs.starts, graphs.neighbours, graphs.edge_kinds)


def _searched(graphs: "Graphs", plan: "Plan", indices: Ints, max_calls: int) -> NDArray[np.int8]:
    """Search some of the graphs for what was planned: 1, 0 or -1 for each, as of :func:`contains`.

    The compiled search comes back every now and then, so that Python hears of Ctrl-C.
    """
    from protograph.patterns.isomorphism_kernels import scratch_for, search_all

    answers = np.zeros(indices.size, np.int8)
    sizes = graphs.nodes[indices + 1] - graphs.nodes[indices]
    scratch, done = scratch_for(plan, int(sizes.max(initial=0))), 0
    while done < indices.size:
        done = search_all(graphs, plan, indices, done, max_calls, answers, scratch)
    return answers


def _planned(
    pattern: Asked,
    kind_counts: Ints,
    induced: bool = False,
    closed: Collection[int] = (),
    at_least: int = 1,
) -> "Plan":
    """Order a pattern's nodes, those that accept few nodes first, and say what each of them needs.

    In plain numbers, since patterns are small and thousands are planned.
    """
    from protograph.patterns.isomorphism_kernels import JOINED, SEVERAL, Plan

    check_count("at_least", at_least)
    shape, accepts = pattern.shape, pattern.accepts
    size, num_classes = shape.num_nodes, accepts.shape[1]
    if not set(closed) <= set(range(size)):
        raise ValueError(f"closed must be nodes of the pattern, below {size}, got {sorted(closed)}")
    edges, own = neighbours_of(shape), shape.node_kinds.tolist()
    number = accepts.sum(axis=1)
    lookup = np.where(number > 1, SEVERAL, np.where(number == 1, accepts.argmax(axis=1) if num_classes else 0, -1))
    frequency = (kind_counts[:, None] * accepts[: kind_counts.size]).sum(axis=0).tolist()
    order = sorted(range(size), key=lambda node: (frequency[own[node]], -len(edges[node])))
    place = {node: position for position, node in enumerate(order)}
    least, rows = [0] * num_classes, []
    for position, node in enumerate(order):
        joined, around = [0] * size, [0] * num_classes
        for other, kind in edges[node].items():
            joined[place[other]] = 1 + kind
            around[own[other]] += 1
        twins = [
            at
            for at, other in enumerate(order)
            if at != position and (other in closed) == (node in closed) and are_twins(own, edges, node, other)
        ]
        before, after = [at for at in twins if at < position], [at for at in twins if at > position]
        least[own[node]] += 1
        degree = len(edges[node]) if node in closed else -1
        rows.append([own[node], degree, max(before, default=-1), min(after, default=-1), *joined, *around])
    return Plan(
        positions=np.array(rows, dtype=np.int64).reshape(size, JOINED + size + num_classes),
        least=np.array(least, dtype=np.int64),
        lookup=lookup.astype(np.int64),
        accepts=np.ascontiguousarray(accepts),
        accepts_edges=np.ascontiguousarray(pattern.accepts_edges),
        order=np.array(order, dtype=np.int64),
        is_induced=induced,
        at_least=at_least,
    )


# ---- remembering ----------------------------------------------------------------------------------------------------


class StoredPattern:
    """A pattern, and what is known of it.

    Attributes:
        plan: How it is looked for.
        answers: For each graph the answer of the search, or that it was not asked for.
    """

    def __init__(self, plan: "Plan", num_graphs: int) -> None:
        self.plan = plan
        self.answers: NDArray[np.int8] = np.full(num_graphs, _NOT_ASKED, np.int8)


class PatternStore:
    """Answers whether graphs contain patterns; each is looked for once, whichever copy of it is asked for.

    Args:
        graphs: The graphs.
        max_calls: Most nodes to place in one graph; a pattern that needs more counts as not lying there.

    Attributes:
        num_asked: How many graphs were searched for patterns.
        num_given_up: In how many of these the search was given up.
    """

    def __init__(self, graphs: EncodedGraphs, max_calls: int = MAX_CALLS) -> None:
        self._graphs, self._searchable, self._max_calls = graphs, _searchable(graphs), max_calls
        self._stored: dict[tuple[int, ...], list[StoredPattern]] = {}
        self._num_kept = 0
        self.num_asked = self.num_given_up = 0

    def answers(self, pattern: StoredPattern, indices: Ints) -> NDArray[np.int8]:
        """Which of the graphs contain the pattern: 1, 0, or -1 where the search was given up."""
        answers = pattern.answers[indices]
        open_ones = np.flatnonzero(answers == _NOT_ASKED)
        if open_ones.size:
            asked = indices[open_ones]
            fresh = _searched(self._searchable, pattern.plan, asked, self._max_calls)
            answers[open_ones] = pattern.answers[asked] = fresh
            self.num_asked += fresh.size
            self.num_given_up += int(np.count_nonzero(fresh < 0))
        return answers

    def stored(self, pattern: EncodedGraph) -> StoredPattern:
        """What is known of a pattern, encoded as the graphs are, or of one with other numbers of its nodes."""
        alike: list[StoredPattern] = []
        if not (pattern.node_kinds < 0).any() and not (pattern.edge_kinds < 0).any():  # a kind that no graph has
            alike = self._stored.setdefault(_signature(pattern.node_kinds.tolist(), neighbours_of(pattern)), alike)
        for known in alike:
            # Of as many nodes and edges, what contains the other is the other.
            if _searched(_searchable(pattern), known.plan, _FIRST, MAX_CALLS)[0] == 1:
                return known
        fresh = StoredPattern(_planned(_asked(pattern, self._graphs), self._graphs.kind_counts), len(self._graphs))
        if self._num_kept * len(self._graphs) < MAX_BYTES:
            self._num_kept += 1
            alike.append(fresh)
        return fresh


def _signature(colors: list[int], edges: Sequence[Mapping[int, int]]) -> tuple[int, ...]:
    """Equal for patterns that differ only in the numbers of their nodes, and for few others: colours refined twice."""
    for _ in range(2):
        around = [sorted((kind, colors[other]) for other, kind in row.items()) for row in edges]
        colors = [hash((color, *row)) for color, row in zip(colors, around, strict=True)]
    return tuple(sorted(colors))


# ---- locating -------------------------------------------------------------------------------------------------------


def places_of(
    pattern: EncodedGraph | Asked,
    graph: EncodedGraph,
    *,
    induced: bool = False,
    closed: Collection[int] = (),
    max_calls: int = 20_000,
) -> Iterator[tuple[int, ...]]:
    """The places of a small pattern in a graph, one for each set of nodes, until so many nodes have been placed.

    Each is given as the nodes of the graph in the order of the pattern's nodes.

    Args:
        pattern: A connected pattern, encoded as the graph is.
        graph: The graph.
        induced: Whether nodes that are not joined in the pattern must not be joined in the graph.
        closed: Nodes of the pattern that must have no other neighbours in the graph.
        max_calls: Most nodes to place.
    """
    own, asked = (graph, pattern) if isinstance(pattern, Asked) else _numbered_alike(graph, pattern)
    wanted, there = neighbours_of(asked.shape), neighbours_of(own)
    wanted_kinds, kinds = asked.shape.node_kinds.tolist(), own.node_kinds.tolist()
    accepts, accepts_edges = asked.accepts.tolist(), asked.accepts_edges.tolist()
    order = _connected_order(wanted)
    seen, left = set[frozenset[int]](), max_calls

    def fits(node: int, choice: int, image: Mapping[int, int]) -> bool:
        degree, needed = len(there[choice]), len(wanted[node])
        if not accepts[kinds[choice]][wanted_kinds[node]] or degree < needed or (node in closed and degree > needed):
            return False
        return choice not in image.values() and all(
            place in there[choice] and accepts_edges[there[choice][place]][wanted[node][other]]
            if other in wanted[node]
            else not (induced and place in there[choice])
            for other, place in image.items()
        )

    def images(image: dict[int, int]) -> Iterator[tuple[int, ...]]:
        nonlocal left
        if len(image) == len(order):
            yield tuple(image[node] for node in range(len(image)))
            return
        node = order[len(image)]
        earlier = [other for other in wanted[node] if other in image]
        for choice in sorted(there[image[earlier[0]]]) if earlier else range(len(there)):
            if left <= 0:
                return
            left -= 1
            if fits(node, choice, image):
                yield from images({**image, node: choice})

    for image in images({}):
        if (nodes := frozenset(image)) not in seen:
            seen.add(nodes)
            yield image


def _connected_order(edges: Sequence[Mapping[int, int]]) -> list[int]:
    """The nodes of a connected pattern, each next to an earlier one, first the one with the most neighbours."""
    order = [max(range(len(edges)), key=lambda node: len(edges[node]), default=0)]
    while len(order) < len(edges):
        near = {other for node in order for other in edges[node]} - set(order)
        order.append(max(sorted(near), key=lambda node: len(edges[node].keys() & set(order))))
    return order
