"""A part of a graph told by its place: the index of the graph, and some of its nodes."""

from typing import Any

from protograph.graphs.store import GraphStore


def checked_place(found: Any, graphs: GraphStore, finder: str) -> tuple[int, list[int]]:
    """An index of a graph and different nodes of it.

    Args:
        found: What was found.
        graphs: The graphs that it was found in.
        finder: Who has found it, for the message.

    Raises:
        TypeError: If it is something else.
        ValueError: If there is no such graph, or it has no such nodes.
    """
    try:
        index, nodes = found
        place = int(index), [int(node) for node in nodes]
    except (TypeError, ValueError):
        raise TypeError(
            f"{finder} must give graphs (torch_geometric.data.Data), or pairs of a graph's index and some of its "
            f"nodes, got {type(found).__name__}"
        ) from None
    if not 0 <= place[0] < len(graphs):
        raise ValueError(f"{finder} must give indices in [0, {len(graphs)}), got {place[0]}")
    size = int(graphs[place[0]].num_nodes or 0)
    if not place[1] or len(set(place[1])) < len(place[1]) or not all(0 <= node < size for node in place[1]):
        raise ValueError(
            f"{finder} must give different nodes in [0, {size}), those of graph {place[0]}, got {place[1]}"
        )
    return place
