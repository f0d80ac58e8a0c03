"""What ``match_features`` and ``match_edges`` come to: which nodes and edges count as the same for a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.words import count_of, listed, one_line
from protograph.graphs.bins import (
    NodeSample,
    compact_clusters,
    divided,
    edge_cuts,
    even_cuts,
    evenest_cuts,
    gap_clusters,
    gap_cuts,
    node_sample,
)
from protograph.graphs.conditions import ColumnGroup, EdgeRule, NodeRule, interval_cuts
from protograph.graphs.dataset import GraphStore
from protograph.graphs.names import ColumnNames, column_name, group_names
from protograph.graphs.validate import node_count
from protograph.models.inference import RunningClassifier
from protograph.models.predictions import Judge
from protograph.models.sensitivity import (
    EdgeReading,
    column_effects,
    edge_reading,
    looked_up_columns,
    node_views,
    spread_places,
)
from protograph.patterns.joint import MatchFeatures

NODE_SAMPLE = 20_000  # nodes that all of this is taken from; quartiles are then known to half a per cent
MAX_VALUES = 20  # more different values in a column are continuous, or quantities; so many must be equal
MAX_KNOWN_TYPES = 2000  # of a column that the model looks up, which it is asked about; more must be equal
NUM_BINS = 4  # bins of a continuous column without gaps, with about as many nodes each
NUM_REGIONS = 8  # kinds that several continuous columns without gaps are divided into together
DEPTH = 0.6  # of the lower of two peaks: what lies between them is a gap if its density is no more
CERTAINTY = 3.0  # standard deviations by which a gap must be less than its peaks; of fewer nodes it is chance
LEAST_SHARE = 0.01  # of the nodes that a bin or a kind between gaps holds
MAX_BINS = 8  # of a column with gaps; of a lattice of more, only NUM_BINS - 1 gaps that halve and quarter it
MAX_CLUSTERS = 12  # most kinds of rows of several columns with gaps between them
CLUSTER_SAMPLE = 4000  # nodes that these are looked for among
PURITY = 0.98  # share of the nodes whose kind is known by the bins of their columns, so that these are enough
NUM_GRAPHS = 64  # graphs that show whether a column is read, and what the model makes of other rows
LEAST_EFFECT = 0.01  # in mean probability: a continuous column that changes less when shuffled is ignored
LEAST_EFFECT_SHARE = 0.1  # ... or less than this share of what all columns change: a model reads noise a little
NUM_ROWS = 256  # rows that the model is asked about where its own view is taken ...
NUM_PLACES = 96  # ... each in so many places of the graphs
LEAST_SILHOUETTE = 0.65  # of the kinds that the model sees; an even spread, cut in two, has up to 0.63
MAX_NODES_SHOWN = 2**21  # nodes that go through the model for that; larger graphs are asked about fewer rows
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


def resolved_nodes(
    asked: Literal["auto", "model"], judge: Judge, store: GraphStore, names: ColumnNames
) -> ResolvedNodes:
    """Find out which nodes count as the same.

    Args:
        asked: ``match_features``.
        judge: The model.
        store: All graphs.
        names: Names of the columns of ``x``.
    """
    sample = node_sample(store[:], NODE_SAMPLE)
    if sample is None:
        return ResolvedNodes(True)
    columns = _Columns(sample, judge, store, names)
    rule = columns.as_the_model_sees() if asked == "model" else columns.resolved()
    return ResolvedNodes(True if rule.is_plain else rule, tuple(columns.notes))


@dataclass(eq=False)
class _Columns:
    """The columns of ``x``: what each of them is, found out one step after the other."""

    sample: NodeSample
    judge: Judge
    store: GraphStore
    names: ColumnNames
    notes: list[str] = field(default_factory=list)

    def resolved(self) -> NodeRule:
        """The rule of ``"auto"``."""
        rows = self.sample.rows
        fine = [column for column in range(rows.shape[1]) if len(np.unique(rows[:, column])) > MAX_VALUES]
        if not fine:
            return NodeRule()
        whole = [column for column in fine if bool((rows[:, column] == np.trunc(rows[:, column])).all())]
        types = sorted(set(whole) & self._looked_up()) if whole else []
        amounts = [column for column in fine if column not in types]
        ignored = self._not_read(amounts)
        read = [column for column in amounts if column not in ignored]
        cuts, groups, reasons = self._binned(read)
        reasons = [f"{self._name(column)} is ignored: the model does not read it" for column in ignored] + reasons
        for column in types:
            group = self._seen([column], is_of_types=True)
            if group is not None:
                groups.append(group)
                reasons.append(self._told(group))
        if not any(cuts.values()) and not groups and not ignored:
            return NodeRule()
        told = {*fine} - {*types} | {column for group in groups for column in group.columns}
        return NodeRule(
            cuts=tuple(cuts.get(column, ()) for column in range(rows.shape[1])),
            ignored=tuple(ignored),
            groups=tuple(groups),
            values=tuple(
                () if column in told or column in types else tuple(np.unique(rows[:, column]).tolist())
                for column in range(rows.shape[1])
            ),
            whole=tuple(column for column in whole if cuts.get(column)),
            sample=self.sample.words,
            reasons=tuple(reasons),
        )

    def as_the_model_sees(self) -> NodeRule:
        """The rule of ``"model"``: all columns are one group, of what the model makes of their rows."""
        every = list(range(self.sample.rows.shape[1]))
        group = self._seen(every)
        if group is None:
            self.notes.append(
                "match_features='model' comes to equal features: the model sees no few kinds of rows of x, but tells "
                "them apart too finely or not at all"
            )
            return NodeRule()
        return NodeRule(
            cuts=((),) * len(every), groups=(group,), sample=self.sample.words, reasons=(self._told(group),)
        )

    def _name(self, column: int) -> str:
        return column_name(self.names, column, self.sample.rows.shape[1])

    def _graphs(self) -> list[Data]:
        return self.store.take(self.sample.graphs[:NUM_GRAPHS])

    def _looked_up(self) -> frozenset[int]:
        try:
            return looked_up_columns(self.judge.classifier, self._graphs()[:1])
        except Exception as error:  # whatever a model does, it must not keep its graphs from being explained
            self._failed(error)
            return frozenset()

    def _failed(self, error: Exception) -> None:
        reason = one_line(f"{type(error).__name__}: {error}")
        self.notes.append(f"what the model makes of features is not known: with others it failed ({reason})")

    def _not_read(self, columns: Sequence[int]) -> list[int]:
        """Continuous columns that make no difference to the model."""
        if not columns:
            return []
        try:
            every = list(range(self.sample.rows.shape[1]))
            lots = [*([column] for column in columns), every]
            *effects, total = column_effects(self.judge, self._graphs(), lots).tolist()
        except Exception as error:  # as above
            self._failed(error)
            return []
        least = max(LEAST_EFFECT, LEAST_EFFECT_SHARE * total)
        small = [column for column, effect in zip(columns, effects, strict=True) if effect < least]
        # Each of several columns may be told by the others, and all of them together matter nevertheless.
        return small if len(small) < 2 or column_effects(self.judge, self._graphs(), [small])[0] < least else []

    def _binned(self, columns: Sequence[int]) -> tuple[dict[int, tuple[float, ...]], list[ColumnGroup], list[str]]:
        """Cuts of columns, groups of others, and what they are in words."""
        gaps = {column: self._gaps(column) for column in columns}
        lattices = [column for column in columns if len(gaps[column]) >= MAX_BINS]
        cuts = gaps | {column: self._evenest(column, gaps[column]) for column in lattices}
        # On a lattice every place is a cluster of its own.
        if len(columns) > 1 and not lattices and not self._are_enough(cuts, together := self._clusters(columns)):
            group = self._group(columns, together, "clusters")
            return {}, [group], [self._told(group)]
        reasons = [f"{self._name(column)} is cut at the gaps between its values" for column in columns if cuts[column]]
        plain = [column for column in columns if not cuts[column]]
        if not plain:
            return cuts, [], reasons
        if (seen := self._seen(plain)) is not None:
            if between := interval_cuts(seen):
                cuts[plain[0]] = between
                return cuts, [], [*reasons, f"{self._name(plain[0])} is cut where the model's answers change"]
            return cuts, [seen], [*reasons, self._told(seen)]
        if len(plain) > 1:
            regions = divided(self._scaled(plain), NUM_REGIONS)
            group = self._group(plain, regions, "division")
            return cuts, [group], [*reasons, self._told(group)]
        (column,) = plain
        cuts[column] = even_cuts(self._finite(column), NUM_BINS)
        number = len(cuts[column]) + 1
        return cuts, [], [*reasons, f"{self._name(column)} is cut into {number} bins with about as many nodes each"]

    def _finite(self, column: int) -> Floats:
        values = self.sample.rows[:, column]
        return values[np.isfinite(values)]

    def _gaps(self, column: int) -> tuple[float, ...]:
        return gap_cuts(self._finite(column), depth=DEPTH, certainty=CERTAINTY, least_share=LEAST_SHARE)

    def _evenest(self, column: int, cuts: tuple[float, ...]) -> tuple[float, ...]:
        """Of the gaps of a lattice those that divide it most evenly."""
        return evenest_cuts(self._finite(column), cuts, NUM_BINS)

    def _clusters(self, columns: Sequence[int]) -> Ints:
        """The cluster of each row that clusters are looked for among."""
        return gap_clusters(self._scaled(columns), max_clusters=MAX_CLUSTERS, depth=DEPTH, certainty=CERTAINTY)

    @cached_property
    def _few(self) -> Floats:
        """Rows of the sample that clusters are looked for among."""
        rows, most = self.sample.rows, CLUSTER_SAMPLE
        chosen = np.random.default_rng(0).permutation(len(rows))[:most]
        return rows[np.sort(chosen)]

    def _scaled(self, columns: Sequence[int]) -> Floats:
        return np.asarray(np.nan_to_num(self._few[:, list(columns)]) / np.array(self._scales(columns)))

    def _scales(self, columns: Sequence[int]) -> tuple[float, ...]:
        """The spread of each column; of one without any, 1."""
        spreads = np.nan_to_num(self.sample.rows[:, list(columns)]).std(axis=0)
        return tuple(float(spread) if spread > 0 else 1.0 for spread in spreads)

    def _are_enough(self, cuts: dict[int, tuple[float, ...]], clusters: Ints) -> bool:
        """Whether bins of single columns tell the cluster that a row is in."""
        if clusters.max() == 0:
            return True
        uncut = tuple(place for place, own in enumerate(cuts.values()) if not own)
        rule = NodeRule(cuts=tuple(cuts.values()), ignored=uncut)
        bins = np.unique(rule.compared(self._few[:, list(cuts)]), axis=0, return_inverse=True)[1].reshape(-1)
        table = np.zeros((bins.max() + 1, clusters.max() + 1))
        np.add.at(table, (bins, clusters), 1)
        return bool(table.max(axis=1).sum() >= PURITY * len(clusters))

    def _group(self, columns: Sequence[int], kinds: Ints, origin: str) -> ColumnGroup:
        """Columns with the mean of each kind as what stands for it."""
        rows = np.nan_to_num(self._few[:, list(columns)])
        anchors = [rows[kinds == kind].mean(axis=0) for kind in range(kinds.max() + 1)]
        return self._named_group(columns, np.array(anchors), np.arange(len(anchors)), origin)

    def _named_group(self, columns: Sequence[int], anchors: Floats, kinds: Ints, origin: str) -> ColumnGroup:
        group = ColumnGroup(
            columns=tuple(columns),
            anchors=tuple(tuple(row) for row in anchors.tolist()),
            kinds=tuple(kinds.tolist()),
            scales=self._scales(columns),
            origin=origin,
        )
        return replace(group, names=group_names(group, self.sample.rows, self.names))

    def _seen(self, columns: Sequence[int], *, is_of_types: bool = False) -> ColumnGroup | None:
        """Columns as the model sees them; ``None`` where it does not see a few kinds in them."""
        try:
            rows = self._rows_to_show(columns, MAX_KNOWN_TYPES if is_of_types else NUM_ROWS)
            graphs = self._graphs()
            places = spread_places(graphs, NUM_PLACES)
            most = MAX_NODES_SHOWN // max(sum(node_count(graphs[graph]) for graph, _ in places), 1)
            if len(rows) > most:
                if is_of_types:  # each is by itself, so that none can stand for others
                    return None
                rows = rows[np.unique(np.linspace(0, len(rows) - 1, max(most, 1)).astype(int))]
            views = node_views(self.judge, graphs, places, columns, rows)
        except Exception as error:  # as above
            self._failed(error)
            return None
        kinds = compact_clusters(views, max_clusters=MAX_CLUSTERS, least=LEAST_SILHOUETTE)
        if kinds.max() == 0:
            return None
        return self._named_group(columns, rows, kinds, "model")

    def _rows_to_show(self, columns: Sequence[int], most: int) -> Floats:
        """Different rows, evenly from all."""
        rows: Floats = np.unique(self.sample.rows[:, list(columns)], axis=0)
        if len(columns) == 1:
            return np.asarray(rows[np.unique(np.linspace(0, len(rows) - 1, most).astype(int))])
        return np.asarray(rows[np.sort(np.random.default_rng(0).permutation(len(rows))[:most])])

    def _told(self, group: ColumnGroup) -> str:
        names = [self._name(column) for column in group.columns]
        shown = listed(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} others"
        number = count_of(group.num_kinds, "kind")
        how = {
            "clusters": f"{shown} are told together, as {number} of rows with gaps between them",
            "division": f"{shown} are told together, as {number} of rows that are near each other",
            "model": f"{shown}: {number}, of rows that the model makes the same of",
        }
        return how[group.origin]


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
