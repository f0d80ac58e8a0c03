"""A pattern grows to what every graph in which it holds has besides, or splits into what several share."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import comb

import numpy as np

from protograph._utils.arrays import Bools, Ints
from protograph._utils.ties import TOLERANCE, first_best
from protograph.page.counting import information, spread
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.page.reasons.scope import ReasonOptions, Scope, nearest_rows
from protograph.patterns.pattern import Edge, Subgraph, edge
from protograph.patterns.rings import wholes_of

# Nodes to place before no more places of a pattern are looked for in a graph.
_PLACE_CALLS = 20_000


class Grower:
    """Grows conditions.

    Args:
        reader: Tells in which graphs conditions hold.
        options: How far to grow.
    """

    def __init__(self, reader: ConditionReader, options: ReasonOptions) -> None:
        self._reader, self._options = reader, options

    def grown(self, condition: Condition, sources: Ints, there: Ints, elsewhere: Ints) -> Condition:
        """The largest condition that a condition grows to in some source graphs.

        Args:
            condition: The condition.
            sources: Graphs in which it holds, to grow it in.
            there: Graphs in which it holds, and in nearly all of which what it grows to must hold too.
            elsewhere: Graphs of the other side, which what is added must tell from these.
        """
        there, elsewhere = spread(there, self._options.sample), spread(elsewhere, self._options.sample)
        best, tries = condition, self._tries()
        for place in self._places(condition, sources):
            grown = self._grown_at(place, there, elsewhere, tries)
            if len(grown.pattern.edges) > len(best.pattern.edges):
                best = grown
        return best

    def _tries(self) -> Iterator[int]:
        """So many larger patterns are tried while a condition grows, and no more: dense graphs have very many."""
        return iter(range(self._options.max_tried))

    def _places(self, condition: Condition, sources: Ints) -> Iterator[Condition]:
        """The condition as it lies in other graphs, a few places of it in each."""
        order = sorted(condition.pattern.nodes)
        for source in sources.tolist():
            places = self._reader.places(condition, source, _PLACE_CALLS)
            for place in islice(places, self._options.num_places):
                at = dict(zip(order, place, strict=True))
                edges = frozenset(edge(at[u], at[v]) for u, v in condition.pattern.edges)
                closed_there = frozenset(at[node] for node in condition.closed)
                yield replace(condition, source=source, pattern=Subgraph(frozenset(place), edges), closed=closed_there)

    def _grown_at(self, condition: Condition, there: Ints, elsewhere: Ints, tries: Iterator[int]) -> Condition:
        """All that belongs to a condition, step by step what tells the most."""
        surroundings = _Surroundings(self._reader, condition, self._options.max_pattern_nodes)
        least = np.ceil((1 - self._options.loss) * self._reader.holds(condition, there).sum())
        # Of a larger pattern there may be more places: a node with two neighbours is one, and two joined pairs.
        most_elsewhere = self._reader.holds(condition, elsewhere).sum()
        while len(condition.pattern) < self._options.max_pattern_nodes:
            best, most = None, self._options.least_information
            for (larger, addition), _ in zip(surroundings.additions(condition), tries, strict=False):
                bits = self._told_by(addition, condition.pattern, there, elsewhere)
                if bits <= most or self._reader.holds(larger, there).sum() < least:
                    continue
                if self._reader.holds(larger, elsewhere).sum() <= most_elsewhere:
                    best, most = larger, bits
            if best is None:
                break
            condition = best
        return condition

    def _told_by(self, addition: Condition, pattern: Subgraph, there: Ints, elsewhere: Ints) -> float:
        """Bits that an addition tells of the side beyond what a node tells that it hangs on."""
        hung_on = addition.pattern.nodes & pattern.nodes
        if hung_on == addition.pattern.nodes:
            return 1.0  # an edge that is always there as well
        single = (replace(addition, pattern=Subgraph(frozenset([node]), frozenset())) for node in hung_on)
        known = max(information(*self._shares(node, there, elsewhere)) for node in single)
        return information(*self._shares(addition, there, elsewhere)) - max(0.0, known)

    def one_for_many(self, condition: Condition, sources: Ints, there: Ints, elsewhere: Ints) -> Condition | None:
        """A larger pattern in the place of several places of a smaller one; ``None`` where none does as well.

        The places of a ring in a grid are one grid. So a place of the pattern grows by what nearly all graphs of this
        side have there, whatever is rarest on the other, until it is as rare there as so many places are.
        """
        if condition.at_least > comb(self._options.max_pattern_nodes, len(condition.pattern)):
            return None  # so few nodes have no room for so many places
        there, elsewhere = spread(there, self._options.sample), spread(elsewhere, self._options.sample)
        most, tries = int(self._reader.holds(condition, elsewhere).sum()), self._tries()
        grown = (
            self._grown_until(place, there, elsewhere, most, tries)
            for place in self._places(replace(condition, at_least=1), sources)
        )
        return next((larger for larger in grown if larger is not None), None)

    def _grown_until(
        self, condition: Condition, there: Ints, elsewhere: Ints, most: int, tries: Iterator[int]
    ) -> Condition | None:
        surroundings = _Surroundings(self._reader, condition, self._options.max_pattern_nodes)
        least = np.ceil((1 - self._options.loss) * there.size)
        while self._reader.holds(condition, elsewhere).sum() > most:
            larger = [
                one
                for (one, _), _ in zip(surroundings.additions(condition), tries, strict=False)
                if len(one.pattern) <= self._options.max_pattern_nodes and self._reader.holds(one, there).sum() >= least
            ]
            if not larger:
                return None
            condition = min(larger, key=lambda one: int(self._reader.holds(one, elsewhere).sum()))
        return condition

    def loosened(self, condition: Condition, there: Ints, elsewhere: Ints) -> Condition:
        """A condition that asks for less of its nodes and edges, as long as it tells the two sides apart as well."""
        there, elsewhere = (spread(side, self._options.loosened_sample) for side in (there, elsewhere))
        graphs = self._reader.readings[condition.level]
        names = [[variable.name for variable in rule.variables] for rule in (graphs.node_rule, graphs.edge_rule)]
        nodes = sorted(condition.pattern.nodes)
        left: list[tuple[int | Edge, str]] = [(node, name) for node in nodes for name in names[0]]
        left += [(ends, name) for ends in sorted(condition.pattern.edges) for name in names[1]]
        lead = self._lead(condition, there, elsewhere)
        while left:
            looser = [replace(condition, open=condition.open | {one}) for one in left]
            leads = [self._lead(one, there, elsewhere) for one in looser]
            best = int(np.argmax(leads))
            if leads[best] < lead:
                break
            condition, lead = looser[best], leads[best]
            left.pop(best)
        return condition

    def narrowed(self, condition: Condition, sources: Ints, there: Ints, elsewhere: Ints) -> Condition:
        """What a condition grows to in some source graphs as long as it tells the two sides apart ever better."""
        there, elsewhere = spread(there, self._options.sample), spread(elsewhere, self._options.sample)
        best, most, tries = condition, -1.0, self._tries()
        for place in self._places(condition, sources):
            narrowed, lead = self._narrowed_at(place, there, elsewhere, tries)
            if lead > most:
                best, most = narrowed, lead
        return best

    def _narrowed_at(
        self, condition: Condition, there: Ints, elsewhere: Ints, tries: Iterator[int]
    ) -> tuple[Condition, float]:
        surroundings = _Surroundings(self._reader, condition, self._options.max_pattern_nodes)
        lead = self._lead(condition, there, elsewhere)
        while len(condition.pattern) < self._options.max_pattern_nodes:
            best, most = None, lead + self._options.least_gain
            for (larger, _), _ in zip(surroundings.additions(condition), tries, strict=False):
                if (value := self._lead(larger, there, elsewhere)) > most:
                    best, most = larger, value
            if best is None:
                break
            condition, lead = best, most
        return condition, lead

    def _lead(self, condition: Condition, there: Ints, elsewhere: Ints) -> float:
        inside, outside = self._shares(condition, there, elsewhere)
        return inside - outside

    def _shares(self, condition: Condition, there: Ints, elsewhere: Ints) -> tuple[float, float]:
        inside, outside = (
            float(self._reader.holds(condition, indices).mean()) if indices.size else 0.0
            for indices in (there, elsewhere)
        )
        return inside, outside


class _Surroundings:
    """What a condition can grow by in its source."""

    def __init__(self, reader: ConditionReader, condition: Condition, max_nodes: int) -> None:
        graph = reader.readings[condition.level][condition.source]
        neighbours, starts = graph.neighbours.tolist(), graph.starts.tolist()
        rows = range(len(starts) - 1)
        ends = ((node, other) for node in rows for other in neighbours[starts[node] : starts[node + 1]] if node < other)
        whole = Subgraph(frozenset(rows), frozenset(ends))
        # What lies around the pattern, up to twice as many nodes as it may have.
        near, frontier = set(condition.pattern.nodes), set(condition.pattern.nodes)
        while frontier and len(near) < 2 * max_nodes:
            frontier = {other for node in frontier for other in whole.neighbours[node]} - near
            near |= set(sorted(frontier)[: max(0, 2 * max_nodes - len(near))])
        self._source = whole.within(near)
        self._wholes = wholes_of(self._source, graph.node_kinds.tolist())

    def additions(self, condition: Condition) -> Iterator[tuple[Condition, Condition]]:
        """Larger conditions, each with what was added and the nodes that it hangs on."""
        for grown, addition in self._larger(condition.pattern, is_induced=condition.is_induced):
            yield replace(condition, pattern=grown), Condition(condition.source, addition, condition.level)

    def _larger(self, pattern: Subgraph, *, is_induced: bool) -> Iterator[tuple[Subgraph, Subgraph]]:
        """Larger patterns, each with what was added and the nodes that it hangs on: an edge, a whole, or a node."""
        source = self._source
        if not is_induced:
            for ends in sorted(source.within(pattern.nodes).edges - pattern.edges):
                grown = pattern.grown((), [ends])
                yield grown, grown
        for whole in self._wholes:
            if whole & pattern.nodes and not whole <= pattern.nodes:
                yield pattern.grown_in(source, whole), source.within(whole)
        around = frozenset().union(*(source.neighbours[node] for node in pattern.nodes)) - pattern.nodes
        for node in sorted(around):
            grown = pattern.grown_in(source, frozenset([node]))
            addition = grown.within(frozenset([node]) | (source.neighbours[node] & pattern.nodes))
            yield grown, addition if addition.is_connected else grown


def shared_by(condition: Condition, target: int, scope: Scope, grower: Grower, most: int) -> list[Condition]:
    """The larger conditions, one of which holds wherever this one does; none where there are not several.

    Triangles that are all of houses or of cliques are no reason, the house and the clique are: it would be strange if
    graphs with a triangle never had it otherwise. So the condition is grown in graphs far from each other as the model
    sees them, each time to what those next to the graph have in common. A few of what comes of it must hold in nearly
    all graphs in which the condition does, and by themselves be more of the class to the model than the condition is.
    """
    is_class = scope.predictions[scope.searched] == target
    there = scope.searched[is_class & scope.reader.holds(condition, scope.searched)]
    elsewhere = scope.searched[~is_class]
    least = max(scope.min_graphs, round(scope.options.least_part * is_class.sum()))
    if there.size < 2 * least:
        return []
    larger: dict[bytes, tuple[Condition, Bools]] = {}
    for source in _far_apart(there, scope):
        # So many graphs that the model sees most like this one, that one included.
        kin = there[nearest_rows(scope.embeddings[there], scope.embeddings[source], least)]
        grown = grower.grown(condition, np.array([source]), kin, elsewhere)
        if _is_more(grown, condition, kin, elsewhere, scope):
            holds = scope.reader.holds(grown, there)
            larger.setdefault(np.packbits(holds).tobytes(), (grown, holds))
    parts = _covering(list(larger.values()), least, (1 - scope.options.loss) * there.size, most)
    if len(parts) < 2:
        return []
    is_ahead = np.mean([scope.alone(part, target) for part in parts]) > scope.alone(condition, target)
    return parts if is_ahead else []


def _is_more(grown: Condition, condition: Condition, kin: Ints, elsewhere: Ints, scope: Scope) -> bool:
    """Whether more has grown than a neighbour of a kind that tells nothing: a motif hangs on its graph somewhere."""
    num_nodes = len(grown.pattern) - len(condition.pattern)
    num_edges = len(grown.pattern.edges) - len(condition.pattern.edges)
    if (num_nodes, num_edges) != (1, 1) or condition.open:  # of nodes that may be anything, none is of a new kind
        return num_edges > 0
    graphs = scope.reader.readings[condition.level]
    kinds = graphs[grown.source].node_kinds
    known = graphs[condition.source].node_kinds[sorted(condition.pattern.nodes)]
    ((kind, _),) = (Counter(kinds[sorted(grown.pattern.nodes)].tolist()) - Counter(known.tolist())).items()
    fresh = min(node for node in grown.pattern.nodes if kinds[node] == kind)
    node = Condition(grown.source, Subgraph(frozenset([fresh]), frozenset()), grown.level)
    inside, outside = (float(scope.reader.holds(node, side).mean()) for side in (kin, elsewhere))
    return information(inside, outside) > scope.options.least_information


def _covering(larger: list[tuple[Condition, Bools]], least: int, enough: float, most: int) -> list[Condition]:
    """Conditions that together hold in enough graphs, each in so many more; none where that takes too many."""
    if not larger:
        return []
    covered, parts = np.zeros_like(larger[0][1]), list[Condition]()
    while covered.sum() < enough and len(parts) < most:
        condition, holds = max(larger, key=lambda one: int((one[1] & ~covered).sum()))
        if (holds & ~covered).sum() < least:
            return []
        covered |= holds
        parts.append(condition)
    return parts if covered.sum() >= enough else []


def _far_apart(indices: Ints, scope: Scope) -> list[int]:
    """The graph nearest the mean of the embeddings, and then each time the one farthest from those before it."""
    points = scope.embeddings[indices]
    chosen = nearest_rows(points, points.mean(axis=0), 1).tolist()
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < min(scope.options.num_far_apart, indices.size):
        chosen.append(first_best(nearest, TOLERANCE * float(nearest.max())))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return indices[chosen].tolist()  # type: ignore[no-any-return]
