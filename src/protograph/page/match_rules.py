"""What ``match_features`` and ``match_edges`` come to: which nodes and edges count as the same for a model."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from torch_geometric.data import Data

from protograph.graphs.conditions import Reading
from protograph.graphs.dataset import GraphStore
from protograph.graphs.variables import EDGE, NODE, Variable
from protograph.models.predictions import Judge
from protograph.models.sensitivity import Sensitivity, cuts_of


class Readings(NamedTuple):
    """What nodes and edges are told apart by."""

    nodes: Reading
    edges: Reading


def readings_of(
    asked_nodes: bool | str,
    asked_edges: bool | str,
    judge: Judge,
    store: GraphStore,
    sensitivity: Sensitivity,
    variables: Sequence[Variable],
    graphs: Sequence[Data],
) -> Readings:
    """What nodes and edges are told apart by: under ``"auto"`` by what suffices for the model's decisions.

    Args:
        asked_nodes: ``match_features``.
        asked_edges: ``match_edges``.
        judge: The model.
        store: All graphs.
        sensitivity: What the model reads.
        variables: What it may read.
        graphs: Those that were shuffled for that.

    Raises:
        ValueError: If attributes of edges must agree and the graphs have none.
    """
    if asked_edges is True and store[0].edge_attr is None:
        raise ValueError("match_edges=True needs edge_attr on every graph; the graphs have none")
    own = [variable for variable in sensitivity.sufficient if variable.is_expressible]

    def reading(asked: bool | str, of: str, key: str) -> Reading:
        if asked == "auto":
            return Reading(variables=tuple(cut for one in own if one.of == of and (cut := _cut(one, judge, graphs))))
        return Reading.of_rows(variables, key) if asked else Reading()

    return Readings(reading(asked_nodes, NODE, "x"), reading(asked_edges, EDGE, "edge_attr"))


def _cut(variable: Variable, judge: Judge, graphs: Sequence[Data]) -> Variable | None:
    """The variable with cuts where it needs them; ``None`` where the model's response to it has no step."""
    if not variable.is_quantity:
        return variable
    cuts = cuts_of(judge, graphs, variable)
    return replace(variable, cuts=cuts, values=(-inf, *cuts)) if cuts else None
