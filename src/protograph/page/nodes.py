"""What ``match_features`` comes to: which nodes count as the same for a model and its graphs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.words import count_of, listed, one_line
from protograph.graphs.bins import (
    NodeSample,
    compact_clusters,
    divided,
    even_cuts,
    evenest_cuts,
    gap_clusters,
    gap_cuts,
    node_sample,
)
from protograph.graphs.conditions import ColumnGroup, NodeRule, interval_cuts
from protograph.graphs.dataset import GraphStore
from protograph.graphs.names import ColumnNames, column_name, group_names
from protograph.graphs.validate import node_count
from protograph.models.predictions import Judge
from protograph.models.sensitivity import column_effects, looked_up_columns, node_views, spread_places
from protograph.page.options import NodeOptions
from protograph.patterns.joint import MatchFeatures


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
    asked: Literal["auto", "model"], judge: Judge, store: GraphStore, names: ColumnNames, options: NodeOptions
) -> ResolvedNodes:
    """Find out which nodes count as the same.

    Args:
        asked: ``match_features``.
        judge: The model.
        store: All graphs.
        names: Names of the columns of ``x``.
        options: How to find out.
    """
    sample = node_sample(store.blocks(), options.sample)
    if sample is None:
        return ResolvedNodes(True)
    columns = _Columns(sample, judge, store, names, options)
    rule = columns.as_the_model_sees() if asked == "model" else columns.resolved()
    return ResolvedNodes(True if rule.is_plain else rule, tuple(columns.notes))


@dataclass(eq=False)
class _Columns:
    """The columns of ``x``: what each of them is, found out one step after the other."""

    sample: NodeSample
    judge: Judge
    store: GraphStore
    names: ColumnNames
    options: NodeOptions
    notes: list[str] = field(default_factory=list)

    def resolved(self) -> NodeRule:
        """The rule of ``"auto"``."""
        rows, options = self.sample.rows, self.options
        fine = [column for column in range(rows.shape[1]) if len(np.unique(rows[:, column])) > options.max_values]
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
        return self.store.take(self.sample.graphs[: self.options.num_graphs])

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
        least = max(self.options.least_effect, self.options.least_effect_share * total)
        small = [column for column, effect in zip(columns, effects, strict=True) if effect < least]
        # Each of several columns may be told by the others, and all of them together matter nevertheless.
        return small if len(small) < 2 or column_effects(self.judge, self._graphs(), [small])[0] < least else []

    def _binned(self, columns: Sequence[int]) -> tuple[dict[int, tuple[float, ...]], list[ColumnGroup], list[str]]:
        """Cuts of columns, groups of others, and what they are in words."""
        gaps = {column: self._gaps(column) for column in columns}
        lattices = [column for column in columns if len(gaps[column]) >= self.options.max_bins]
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
            regions = divided(self._scaled(plain), self.options.num_regions)
            group = self._group(plain, regions, "division")
            return cuts, [group], [*reasons, self._told(group)]
        (column,) = plain
        cuts[column] = even_cuts(self._finite(column), self.options.num_bins)
        number = len(cuts[column]) + 1
        return cuts, [], [*reasons, f"{self._name(column)} is cut into {number} bins with about as many nodes each"]

    def _finite(self, column: int) -> Floats:
        values = self.sample.rows[:, column]
        return values[np.isfinite(values)]

    def _gaps(self, column: int) -> tuple[float, ...]:
        o = self.options
        return gap_cuts(self._finite(column), depth=o.depth, certainty=o.certainty, least_share=o.least_share)

    def _evenest(self, column: int, cuts: tuple[float, ...]) -> tuple[float, ...]:
        """Of the gaps of a lattice those that divide it most evenly."""
        return evenest_cuts(self._finite(column), cuts, self.options.num_bins)

    def _clusters(self, columns: Sequence[int]) -> Ints:
        """The cluster of each row that clusters are looked for among."""
        o = self.options
        return gap_clusters(self._scaled(columns), max_clusters=o.max_clusters, depth=o.depth, certainty=o.certainty)

    @cached_property
    def _few(self) -> Floats:
        """Rows of the sample that clusters are looked for among."""
        rows, most = self.sample.rows, self.options.cluster_sample
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
        return bool(table.max(axis=1).sum() >= self.options.purity * len(clusters))

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
            rows = self._rows_to_show(columns, self.options.max_known_types if is_of_types else self.options.num_rows)
            graphs = self._graphs()
            places = spread_places(graphs, self.options.num_places)
            most = self.options.max_nodes_shown // max(sum(node_count(graphs[graph]) for graph, _ in places), 1)
            if len(rows) > most:
                if is_of_types:  # each is by itself, so that none can stand for others
                    return None
                rows = rows[np.unique(np.linspace(0, len(rows) - 1, max(most, 1)).astype(int))]
            views = node_views(self.judge, graphs, places, columns, rows)
        except Exception as error:  # as above
            self._failed(error)
            return None
        kinds = compact_clusters(views, max_clusters=self.options.max_clusters, least=self.options.least_silhouette)
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
