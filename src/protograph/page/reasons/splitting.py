"""A pattern that is only what several reasons share: graphs that the model sees alike have more in common."""

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph._base.ties import TOLERANCE, first_best
from protograph.page.counting import information
from protograph.page.reasons.conditions import Condition
from protograph.page.reasons.growing import Grower
from protograph.page.reasons.scope import Scope, nearest_rows
from protograph.patterns.pattern import Subgraph


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
        kin = _nearest(source, there, least, scope)
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
    if (num_nodes, num_edges) != (1, 1):
        return num_edges > 0
    own, shared = (_nodes_by_kind(one, scope) for one in (grown, condition))
    fresh = next(nodes[0] for kind, nodes in own.items() if len(nodes) > len(shared.get(kind, ())))
    node = Condition(grown.source, Subgraph(frozenset([fresh]), frozenset()), grown.has_kinds)
    inside, outside = (float(scope.reader.holds(node, side).mean()) for side in (kin, elsewhere))
    return information(inside, outside) > scope.options.least_information


def _nodes_by_kind(condition: Condition, scope: Scope) -> dict[int, list[int]]:
    kinds = scope.reader.readings[condition.has_kinds][condition.source].node_kinds
    nodes: dict[int, list[int]] = {}
    for node in sorted(condition.pattern.nodes):
        nodes.setdefault(int(kinds[node]), []).append(node)
    return nodes


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
    points = scope.rows(indices)
    chosen = nearest_rows(points, points.mean(axis=0), 1).tolist()
    nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < min(scope.options.num_far_apart, indices.size):
        chosen.append(first_best(nearest, TOLERANCE * float(nearest.max())))
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return indices[chosen].tolist()  # type: ignore[no-any-return]


def _nearest(source: int, indices: Ints, number: int, scope: Scope) -> Ints:
    """So many graphs that the model sees most like one of them, that one included."""
    return indices[nearest_rows(scope.rows(indices), scope.embeddings[source], number)]
