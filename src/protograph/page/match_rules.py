"""What ``match_features`` and ``match_edges`` come to: which nodes and edges count as the same for a model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.words import count_of, listed, one_line
from protograph.graphs.bins import (
    NodeSample,
    divided,
    edge_cuts,
    even_cuts,
    evenest_cuts,
    gap_cuts,
    node_sample,
)
from protograph.graphs.conditions import ColumnGroup, EdgeRule, NodeRule
from protograph.graphs.dataset import GraphStore
from protograph.graphs.names import ColumnNames, column_name, group_names
from protograph.models.inference import RunningClassifier
from protograph.models.predictions import Judge
from protograph.models.sensitivity import EdgeReading, column_effects, edge_reading, looked_up_columns
from protograph.patterns.joint import MatchFeatures

NODE_SAMPLE = 20_000  # nodes that all of this is taken from; quartiles are then known to half a per cent
MAX_VALUES = 20  # more different values in a column are continuous, or quantities; so many must be equal
NUM_BINS = 4  # bins of a continuous column without gaps, with about as many nodes each
NUM_REGIONS = 8  # kinds that several continuous columns without gaps are divided into together
REGION_SAMPLE = 4000  # nodes that these are divided by
DEPTH = 0.6  # of the lower of two peaks: what lies between them is a gap if its density is no more
CERTAINTY = 3.0  # standard deviations by which a gap must be less than its peaks; of fewer nodes it is chance
LEAST_SHARE = 0.01  # of the nodes that a bin between gaps holds
MAX_BINS = 8  # of a column with gaps; of a lattice of more, only NUM_BINS - 1 gaps that halve and quarter it
NUM_GRAPHS = 64  # graphs that show whether a column is read
LEAST_EFFECT = 0.01  # in mean probability: a continuous column that changes less when shuffled is ignored
LEAST_EFFECT_SHARE = 0.1  # ... or less than this share of what all columns change: a model reads noise a little
EDGE_CANDIDATES = 256  # graphs among which those with the most different attributes are chosen
EDGE_GRAPHS = 32  # graphs whose attributes are changed: one would do for most models, of each class some
EDGE_ROWS = 8  # attributes that all edges of a graph are given at once, so that a rare kind is tried too


@dataclass(frozen=True)
class ResolvedNodes:
    """Which nodes count as the same.

    Attributes:
        match_features: A rule; or ``True``, ``False``, a tolerance or a function, as they were asked for.
        notes: What was taken for granted.
    """

    match_features: MatchFeatures
    notes: tuple[str, ...] = ()

    @property
    def rule(self) -> NodeRule:
        """The rule; the plain one where there is none."""
        return self.match_features if isinstance(self.match_features, NodeRule) else NodeRule()


def resolved_nodes(judge: Judge, store: GraphStore, names: ColumnNames) -> ResolvedNodes:
    """Find out which nodes count as the same: those with equal rows, or in the same bins of continuous columns.

    Args:
        judge: The model.
        store: All graphs.
        names: Names of the columns of ``x``.
    """
    sample = node_sample(store[:], NODE_SAMPLE)
    if sample is None:
        return ResolvedNodes(True)
    rows = sample.rows
    fine = [column for column in range(rows.shape[1]) if len(np.unique(rows[:, column])) > MAX_VALUES]
    whole = [column for column in fine if bool((rows[:, column] == np.trunc(rows[:, column])).all())]
    if not fine:
        return ResolvedNodes(True)
    types, ignored, notes = _read(judge, store.take(sample.graphs[:NUM_GRAPHS]), rows.shape[1], fine, whole)
    binned = [column for column in fine if column not in types and column not in ignored]
    cuts = {column: _cuts(_finite(rows, column)) for column in binned}
    named = {column: column_name(names, column, rows.shape[1]) for column in fine}
    reasons = [f"{named[column]} is ignored: the model does not read it" for column in ignored]
    reasons += [f"{named[column]} is cut at the gaps between its values" for column in binned if cuts[column]]
    plain = [column for column in binned if not cuts[column]]
    groups = []
    if len(plain) > 1:
        groups.append(_regions(sample, plain, names))
        own = [named[column] for column in plain]
        shown = listed(own) if len(own) <= 4 else f"{', '.join(own[:3])} and {len(own) - 3} others"
        kinds = count_of(groups[0].num_kinds, "kind")
        reasons.append(f"{shown} are told together, as {kinds} of rows that are near each other")
    elif plain:
        cuts[plain[0]] = even_cuts(_finite(rows, plain[0]), NUM_BINS)
        number = len(cuts[plain[0]]) + 1
        reasons.append(f"{named[plain[0]]} is cut into {number} bins with about as many nodes each")
    if not any(cuts.values()) and not groups and not ignored:
        return ResolvedNodes(True, notes)
    values = {column: np.unique(rows[:, column]).tolist() for column in range(rows.shape[1]) if column not in fine}
    rule = NodeRule(
        cuts=tuple(cuts.get(column, ()) for column in range(rows.shape[1])),
        ignored=tuple(ignored),
        groups=tuple(groups),
        values=tuple(tuple(values.get(column, ())) for column in range(rows.shape[1])),
        whole=tuple(column for column in whole if cuts.get(column)),
        sample=sample.words,
        reasons=tuple(reasons),
    )
    return ResolvedNodes(True if rule.is_plain else rule, notes)


def _read(
    judge: Judge, graphs: Sequence[Data], num_columns: int, fine: Sequence[int], whole: Sequence[int]
) -> tuple[list[int], list[int], tuple[str, ...]]:
    """Columns that the model looks up, as types; continuous ones that make no difference to it; and what failed."""
    types: list[int] = []
    try:
        types = sorted(set(whole) & looked_up_columns(judge.classifier, graphs[:1])) if whole else []
        columns = [column for column in fine if column not in types]
        *effects, total = column_effects(
            judge, graphs, [*([column] for column in columns), range(num_columns)]
        ).tolist()
        least = max(LEAST_EFFECT, LEAST_EFFECT_SHARE * total)
        ignored = [column for column, effect in zip(columns, effects, strict=True) if effect < least]
        # Each of several columns may be told by the others, and all of them together matter nevertheless.
        if len(ignored) > 1 and column_effects(judge, graphs, [ignored])[0] >= least:
            ignored = []
    except Exception as error:  # whatever a model does, it must not keep its graphs from being explained
        reason = one_line(f"{type(error).__name__}: {error}")
        return types, [], (f"what the model makes of features is not known: with others it failed ({reason})",)
    return types, ignored, ()


def _finite(rows: Floats, column: int) -> Floats:
    values = rows[:, column]
    return values[np.isfinite(values)]


def _cuts(values: Floats) -> tuple[float, ...]:
    """The gaps between the values of a column; of a lattice those that divide it most evenly."""
    gaps = gap_cuts(values, depth=DEPTH, certainty=CERTAINTY, least_share=LEAST_SHARE)
    return evenest_cuts(values, gaps, NUM_BINS) if len(gaps) >= MAX_BINS else gaps


def _regions(sample: NodeSample, columns: Sequence[int], names: ColumnNames) -> ColumnGroup:
    """Several columns without gaps, divided into regions of rows near each other; their means stand for them."""
    every = np.nan_to_num(sample.rows[:, list(columns)])
    scales = np.where(every.std(axis=0) > 0, every.std(axis=0), 1.0)
    rows = every[np.sort(np.random.default_rng(0).permutation(len(every))[:REGION_SAMPLE])]
    kinds = divided(rows / scales, NUM_REGIONS)
    anchors = [rows[kinds == kind].mean(axis=0) for kind in range(kinds.max() + 1)]
    group = ColumnGroup(
        columns=tuple(columns),
        anchors=tuple(tuple(anchor.tolist()) for anchor in anchors),
        kinds=tuple(range(len(anchors))),
        scales=tuple(scales.tolist()),
        origin="division",
    )
    return replace(group, names=group_names(group, sample.rows, names))


@dataclass(frozen=True)
class ResolvedEdges:
    """Which edges count as the same.

    Attributes:
        rule: The rule.
        notes: What was taken for granted.
    """

    rule: EdgeRule
    notes: tuple[str, ...] = ()


def resolved_edges(
    asked: bool | Literal["auto"],
    classifier: RunningClassifier,
    store: GraphStore,
    predictions: Ints,
) -> ResolvedEdges:
    """Attributes of edges must agree where that is asked for, or under ``"auto"`` where the model reads them.

    Args:
        asked: ``match_edges``.
        classifier: The model.
        store: All graphs.
        predictions: Their predicted classes.

    Raises:
        ValueError: If attributes must agree and the graphs have none.
    """
    if asked is True and store[0].edge_attr is None:
        raise ValueError("match_edges=True needs edge_attr on every graph; the graphs have none")
    reading = EdgeReading(is_read=asked is True)
    if asked == "auto":
        reading = edge_reading(
            classifier,
            store,
            predictions,
            num_candidates=EDGE_CANDIDATES,
            num_graphs=EDGE_GRAPHS,
            num_rows=EDGE_ROWS,
        )
    if not reading.is_read:
        return ResolvedEdges(EdgeRule())
    cuts = edge_cuts(store[:], max_values=MAX_VALUES, num_bins=NUM_BINS)
    return ResolvedEdges(EdgeRule(is_matched=True, cuts=cuts), (reading.note,) if reading.note else ())
