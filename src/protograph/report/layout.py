"""Where nodes go: by stress, so that distances on paper are those in the graph."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.projection import fitted_places
from protograph.graphs.validate import node_count

# Up to this size several starts are tried, and the one with the fewest crossings is kept.
SMALL = 60
NUM_RANDOM_STARTS = 4
# A layout ends where nothing moves, or after so many steps, each of which takes work by the square of the nodes.
MAX_STEPS = 600
MAX_WORK = 25_000_000
# Pairs inside the prototype weigh this much more: its shape comes first.
CORE_WEIGHT = 50.0
# Room between parts that no edge joins, in edge lengths.
GAP = 0.8
# Pictures are about a third wider than tall, and nothing shrinks that is at most this tall (in edge lengths).
ASPECT = 4 / 3
FREE_HEIGHT = 2.4


def undirected_edges(graph: Data) -> tuple[Ints, Ints]:
    """Each pair of joined nodes once, as ``[num_edges, 2]``, and the nodes that are joined to themselves.

    >>> import torch
    >>> pairs, loops = undirected_edges(Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 1, 1]])))
    >>> pairs.tolist(), loops.tolist()
    ([[0, 1], [1, 2]], [1])
    """
    ends = np.empty((2, 0)) if graph.edge_index is None else graph.edge_index.detach().cpu().numpy()
    pairs = np.unique(np.sort(ends.astype(np.int64).T, axis=1), axis=0)
    is_loop = pairs[:, 0] == pairs[:, 1]
    return pairs[~is_loop], pairs[is_loop, 0]


def layout(graph: Data, nodes: Sequence[int] = (), lines: Ints | None = None) -> Floats:
    """Positions ``[num_nodes, 2]`` in which an edge is about 1 long.

    Stress majorization (Gansner, Koren and North, Graph drawing by stress majorization, 2004): the function that
    Kamada and Kawai minimise, but some pairs may weigh more, and large graphs take a fraction of the time.
    A graph that has positions of its own (``pos`` with two columns) keeps them.

    Args:
        graph: The graph.
        nodes: A part of the graph that is to keep its shape: its nodes.
        lines: Its edges, ``[num_edges, 2]``, which are to lie level or upright where possible; ``None`` for all edges.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> (abs(layout(path)) + 1e-9).round(1).tolist()
    [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    size = node_count(graph)
    own = _own_positions(graph)
    edges, _ = undirected_edges(graph)
    if own is not None:
        return _scaled(own, edges)
    if not size:
        return np.zeros((0, 2))
    distances = graph_distances(edges, size)
    lines = edges if lines is None else lines
    core = np.asarray(nodes, dtype=np.int64)
    importance = np.ones_like(distances)
    importance[np.ix_(core, core)] = CORE_WEIGHT
    variants = _variants(distances, core, lines)
    first_node = np.isfinite(distances).argmax(axis=1)  # of the part that each node is in
    parts = sorted((np.flatnonzero(first_node == node) for node in np.unique(first_node)), key=lambda part: -len(part))
    return _packed(parts, [_placed(part, variants, importance, edges, lines) for part in parts])


def layout_around(graph: Data, nodes: Sequence[int], places: Floats, lines: Ints | None = None) -> Floats:
    """As :func:`layout`, but some nodes are where they are wanted, so that what matches in two pictures lies alike.

    The free layout is turned onto these places; then stress is lowered with them held. A graph that has positions of
    its own keeps them.

    Args:
        graph: The graph.
        nodes: Some of its nodes.
        places: Where they are wanted, ``[num_nodes, 2]``.
        lines: Edges that are to keep their shape, ``[num_edges, 2]``; ``None`` for all.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> layout_around(path, [1, 2], np.array([[0.0, 0.0], [0.0, 1.0]])).round(2).tolist()[1:]
    [[0.0, 0.0], [0.0, 1.0]]
    """
    free, held = layout(graph, nodes, lines), np.asarray(nodes, dtype=np.int64)
    if not len(held) or _own_positions(graph) is not None:
        return free
    positions = fitted_places(free, free[held], places)
    positions[held] = places
    distances = graph_distances(undirected_edges(graph)[0], len(positions))
    moving = np.setdiff1d(np.flatnonzero(np.isfinite(distances[held]).any(axis=0)), held)
    return _settled(positions, distances, moving) if len(moving) else positions


def _settled(positions: Floats, distances: Floats, moving: Ints) -> Floats:
    """Stress lowered by moving some nodes, the others held; what no path joins does not pull."""
    distances = np.where(np.isfinite(distances), distances, 0.0)
    weights = 1 / np.where(distances > 0, distances, np.inf) ** 2
    laplacian = np.diag(weights.sum(axis=1)) - weights
    others = np.setdiff1d(np.arange(len(positions)), moving)
    inverse = np.linalg.inv(laplacian[np.ix_(moving, moving)])
    held = laplacian[np.ix_(moving, others)] @ positions[others]
    for _ in range(max(30, min(MAX_STEPS, MAX_WORK // len(positions) ** 2))):
        ratio = weights * distances / np.maximum(pairwise_gaps(positions), 1e-9)
        pulled = ratio.sum(axis=1)[:, None] * positions - ratio @ positions
        moved = inverse @ (pulled[moving] - held)
        change = np.abs(moved - positions[moving]).max()
        positions[moving] = moved
        if change < 2e-4:
            break
    return positions


def _own_positions(graph: Data) -> Floats | None:
    size, own = node_count(graph), graph.get("pos")
    is_placed = isinstance(own, Tensor) and own.shape == (size, 2) and size and bool(own.isfinite().all())
    return own.detach().cpu().double().numpy() if is_placed else None


def graph_distances(edges: Ints, size: int, nodes: Sequence[int] | None = None) -> Floats:
    """How many edges away all nodes are from each of the given ones, or of all; infinite where no path leads there."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    adjacency = csr_array((np.ones(len(edges)), edges.T), shape=(size, size))
    return np.asarray(shortest_path(adjacency, directed=False, unweighted=True, indices=nodes))


def _inside(edges: Ints, nodes: Ints, size: int) -> Ints:
    """The edges between some of the nodes, these numbered in their order."""
    number = np.full(size, -1)
    number[nodes] = np.arange(len(nodes))
    inside: Ints = number[edges]
    return inside[(inside >= 0).all(axis=1)]


def _variants(distances: Floats, core: Ints, lines: Ints) -> list[Floats]:
    """How far apart nodes are to be: by their distances in the graph, and those inside a part by the part alone.

    The first keeps a ring round whose last node is outside; the second unfolds what the graph around would squeeze.
    """
    if not len(core):
        return [distances]
    place = np.ix_(core, core)
    alone = graph_distances(_inside(lines, core, len(distances)), len(core))
    unfolded = distances.copy()
    unfolded[place] = np.where(np.isfinite(alone), alone, distances[place])
    return [distances] if np.array_equal(unfolded, distances) else [distances, unfolded]


def _placed(part: Ints, variants: list[Floats], importance: Floats, edges: Ints, lines: Ints) -> Floats:
    if len(part) == 1:
        return np.zeros((1, 2))
    edges, lines = (_inside(some, part, len(importance)) for some in (edges, lines))
    lines = lines if len(lines) else edges
    pairs = np.ix_(part, part)
    distances = [variant[pairs] for variant in variants]
    return _turned(_best(distances, importance[pairs], edges, lines), lines)


def _best(variants: list[Floats], importance: Floats, edges: Ints, lines: Ints) -> Floats:
    num_steps = max(30, min(MAX_STEPS, MAX_WORK // len(importance) ** 2))
    ends, inner = np.unique(lines, return_inverse=True)
    inner = inner.reshape(-1, 2)
    candidates = []
    for rank, distances in enumerate(variants):
        # A pair weighs by its distance to the power of -2; a node and itself weigh nothing.
        weights = importance * (1 / np.where(distances > 0, distances, np.inf) ** 2)
        for start in _starts(distances, edges):
            positions = _majorized(start, distances, weights, num_steps)
            stress = float((weights * (pairwise_gaps(positions) - distances) ** 2).sum())
            faults = _disorder(positions[ends], inner), rank, _disorder(positions, edges), stress
            candidates.append((faults, positions))
    return min(candidates, key=lambda candidate: candidate[0])[1]


def _starts(distances: Floats, edges: Ints) -> list[Floats]:
    size = len(distances)
    rng = np.random.default_rng(0)
    # The first by multidimensional scaling. Nodes that only differ in name fall on one point; the noise lets them part.
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    scaled = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    starts = [np.asarray(scaled + rng.normal(scale=0.01, size=(size, 2)))]
    if size > SMALL:
        return starts
    angles = 2 * np.pi * np.arange(size) / size
    starts.append(np.stack([np.cos(angles), np.sin(angles)], axis=1) * size / 6)
    starts.extend(rng.normal(scale=distances.max() / 3, size=(size, 2)) for _ in range(NUM_RANDOM_STARTS))
    return [*starts, *_planar(size, edges)]


def _planar(size: int, edges: Ints) -> list[Floats]:
    import networkx as nx

    network = nx.empty_graph(size)
    network.add_edges_from(edges.tolist())
    is_planar, embedding = nx.check_planarity(network)
    if not is_planar or size < 4:
        return []
    grid = nx.combinatorial_embedding_to_pos(embedding)
    return [_scaled(np.array([grid[node] for node in range(size)], dtype=float), edges)]


def _scaled(positions: Floats, edges: Ints) -> Floats:
    lengths = np.linalg.norm(positions[edges[:, 0]] - positions[edges[:, 1]], axis=1) if len(edges) else np.ones(1)
    typical = float(np.median(lengths))
    return positions / typical if np.isfinite(typical) and typical > 0 else positions


def pairwise_gaps(positions: Floats) -> Floats:
    """Distance on paper between each two nodes."""
    x, y = np.ascontiguousarray(positions.T)
    squares: Floats = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    return np.sqrt(squares, out=squares)


def _majorized(positions: Floats, distances: Floats, weights: Floats, num_steps: int) -> Floats:
    # The inverse of the Laplacian; the constant makes it invertible and changes nothing for centred positions.
    inverse = np.linalg.inv(np.diag(weights.sum(axis=1)) - weights + 1 / len(weights))
    pull = weights * distances
    for _ in range(num_steps):
        before = positions
        ratio = pull / np.maximum(pairwise_gaps(before), 1e-9)
        positions = inverse @ (ratio.sum(axis=1)[:, None] * before - ratio @ before)
        if np.abs(positions - before).max() < 2e-5:
            break
    return positions


def _disorder(positions: Floats, edges: Ints) -> int:
    """Edges that cross, and nodes that lie on an edge of others."""
    if len(positions) > SMALL:
        return 0
    start, end = positions[edges[:, 0]], positions[edges[:, 1]]
    is_split = _side(start[None], end[None], start[:, None]) * _side(start[None], end[None], end[:, None]) < 0
    crossings = int((is_split & is_split.T).sum()) // 2
    along = end - start
    share = ((positions[:, None] - start[None]) * along).sum(-1) / np.maximum((along**2).sum(-1), 1e-9)
    nearest = start[None] + share.clip(0, 1)[..., None] * along[None]
    is_close = np.hypot(*(positions[:, None] - nearest).transpose(2, 0, 1)) < 0.25
    is_end = (edges[None] == np.arange(len(positions))[:, None, None]).any(-1)
    return crossings + 2 * int((is_close & ~is_end).sum())


def _side(start: Floats, end: Floats, point: Floats) -> Floats:
    """On which side of a line a point lies, by its sign; 0 on the line."""
    ahead, there = end - start, point - start
    area = ahead[..., 0] * there[..., 1] - ahead[..., 1] * there[..., 0]
    return np.where(np.abs(area) < 1e-9, 0.0, area)


def _turned(positions: Floats, lines: Ints) -> Floats:
    """Turn the picture so that it fills its frame, and the given edges lie level or upright, the wide end below."""
    centred = positions - positions.mean(axis=0)
    along = centred[lines[:, 1]] - centred[lines[:, 0]]
    directions = np.arctan2(along[:, 1], along[:, 0])
    angles = np.concatenate([-directions, np.pi / 2 - directions, np.linspace(0, np.pi, 24, endpoint=False)])
    ends = np.unique(lines)

    def worth(angle: float) -> float:
        turned = centred @ _rotation(angle).T
        width, height = np.maximum(np.ptp(turned, axis=0), 1e-9)
        fit = min(1, ASPECT * FREE_HEIGHT / width, FREE_HEIGHT / height)
        level = float(np.mean(np.cos(4 * (directions + angle)).clip(0) ** 16))
        # Rounded, since equally good angles must not be told apart by noise.
        return float(round(fit * (1 + level) * (1 + 2 * abs(_top_heaviness(turned, ends))), 6))

    turned: Floats = centred @ _rotation(max(angles, key=worth)).T
    return turned * [1, -1] if _top_heaviness(turned, ends) > 1e-6 else turned


def _top_heaviness(positions: Floats, nodes: Ints) -> float:
    """How far above the middle the mean of some nodes is, as a share of their height."""
    heights = positions[nodes, 1]
    return float((heights.mean() - (heights.max() + heights.min()) / 2) / max(np.ptp(heights), 0.5))


def _rotation(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _packed(parts: list[Ints], places: list[Floats]) -> Floats:
    """Put the parts on shelves, the largest first, in about the shape of a picture."""
    positions = np.zeros((sum(map(len, parts)), 2))
    boxes = [np.ptp(place, axis=0) + GAP for place in places]
    width = max(boxes[0][0], np.sqrt(ASPECT * sum(box[0] * box[1] for box in boxes)))
    left = top = shelf = 0.0
    for nodes, place, box in zip(parts, places, boxes, strict=True):
        if left and left + box[0] > width + 1e-9:
            left, top, shelf = 0.0, top - shelf, 0.0
        positions[nodes] = place + (np.array([left, top]) - [place[:, 0].min(), place[:, 1].max()])
        left, shelf = left + box[0], max(shelf, box[1])
    centred: Floats = positions - (positions.max(axis=0) + positions.min(axis=0)) / 2
    return centred
