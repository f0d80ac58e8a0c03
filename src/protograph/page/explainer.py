"""PAGE: prototype graphs by clustering graph embeddings and matching node embeddings."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from protograph._utils.arrays import Floats
from protograph._utils.progress import timed
from protograph._utils.randomness import preserved_random_state
from protograph.explainer import Explainer, best_first
from protograph.explanation import Explanation, Prototype
from protograph.graphs.conditions import Reading
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.clustering import Selection, class_map, given_cluster, select
from protograph.page.consensus import POOL, consensus_of
from protograph.page.contributions import linear_head
from protograph.page.evidence import (
    asked_of,
    gather,
    merged,
    named_parts,
    next_best,
    taken_out_fields,
    undecided,
)
from protograph.page.match_rules import Readings, readings_of
from protograph.page.options import SearchOptions, Walk, check_options, walk_of
from protograph.page.reasons.conditions import FULL, MAIN, SHAPE
from protograph.page.reasons.reasons import FittedGraphs, FoundReasons, find_reasons
from protograph.page.search import ClusterResult, FittedClass, NoPrototypeError
from protograph.page.walk import walked_prototype


@dataclass(kw_only=True, eq=False)
class PAGE(Explainer):
    """Prototype-based model-level explanations of graph classifiers (Shin, Kim and Shin).

    Phase 1 clusters the graph embeddings of a class and takes the ``num_graphs`` graphs nearest each cluster's mean.
    Phase 2 finds what these graphs have in common and trims it to what belongs to the class (``search="consensus"``),
    or, as the paper does, walks them in step along the nodes whose embeddings match best, cuts out what was walked, and
    lets the model choose among the candidates (``search="walk"``).

    Args:
        num_clusters: L of the paper: into how many clusters, each with a prototype, a class is divided. ``"auto"``:
            as many as two halves of the class agree on, clusters with the same prototype counting once.
        num_graphs: k of the paper: how many graphs of a cluster are matched.
        budget: Number of search sessions, each from another start (walk) or with other graphs near the mean
            (consensus).
        max_nodes: Most nodes of a prototype. ``None``: for a walk, as many as the largest connected pattern that the
            cluster's ``num_graphs`` graphs have in common; a consensus needs no limit.
        match_features: Which nodes match. ``"auto"``: those that agree in what suffices for the model's decisions; a
            walk is the paper's, for which rows of ``x`` must be equal. ``True``: with equal rows. ``False``: any. What
            it came to is the ``node_rule`` of an explanation.
        match_edges: Which edges match: the same of edges and ``edge_attr``; a walk does not look at them. What it came
            to is the ``edge_rule`` of an explanation.
        search: ``"consensus"``, or ``"walk"`` for the paper's; :class:`Walk` is that with options of its own.
        max_reasons: Most reasons of a class; 0: none are looked for. A walk has none.
        random_state: Seed of the mixture.

    >>> PAGE(num_graphs=0)
    Traceback (most recent call last):
    ...
    ValueError: num_graphs must be at least 1, got 0
    """

    num_clusters: int | Literal["auto"] = "auto"
    num_graphs: int = 3
    budget: int = 5
    max_nodes: int | None = None
    match_features: bool | Literal["auto"] = "auto"
    match_edges: bool | Literal["auto"] = "auto"
    search: Literal["walk", "consensus"] | Walk | Mapping[str, Any] = "consensus"
    max_reasons: int = 8
    random_state: int = 0

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def _walk(self) -> Walk | None:
        """The options of a walk; ``None`` where the search is our own."""
        return walk_of(self.search)

    def representatives(self, target: int | str) -> Selection:
        """Phase 1 alone: the clusters of a class, largest first, with the graphs nearest their means."""
        members, near = self.members(target), POOL * self.budget * self.num_graphs
        with preserved_random_state():
            return select(
                self._fitted().graph_embeddings[members],
                members,
                num_clusters=self.num_clusters,
                num_graphs=self.num_graphs,
                random_state=self.random_state,
                num_nearest=near if self._walk is None else 0,
                resolution=self._running.resolution,
                content_keys=lambda indices: [source.order for source in self._canonical(indices)],
                graph_label=self._store.label,
            )

    def explain(self, target: int | str, *, representatives: Sequence[int] | None = None) -> Explanation:
        """Discover the prototypes of a class.

        Args:
            target: The class, as an index into the model's output or by its name.
            representatives: Indices of graphs to match instead of Phase 1's choice, for the setting with few graphs.
        """
        target = self._checked_target(target)
        timings: dict[str, float] = {}
        with preserved_random_state(), self._reported(1):
            with timed(timings, "selection"), self._progress.stage("clustering", 1):
                selection = self._selected(target, representatives)
            fitted = self._fitted_class(target)
            with timed(timings, "search"):
                results, notes = self._results(fitted, selection)
                if self.num_clusters == "auto" and representatives is None:
                    results, merges = merged(results, self._encoded())
                    notes += merges
            with timed(timings, "evidence"), self._progress.stage("counting", len(results)) as step:
                prototypes = []
                for number, result in enumerate(results):
                    prototypes.append(self._prototype(number, len(results), result, fitted))
                    step()
            reasons = self._reasons() if representatives is None else None
            clusters = [result.cluster for result in results]
            prototypes = best_first(prototypes, self._running.resolution)
            shown = reasons.shown(target) if reasons else set()
            return self._explanation(
                target,
                prototypes=prototypes,
                **taken_out_fields(fitted, prototypes, reasons.of_class[target] if reasons else ()),
                source_graphs={i: self._store[i] for i in sorted(_sources(prototypes) | shown)},
                edge_rule=self._encoded().edge_rule,
                node_rule=self._encoded().node_rule,
                embedding_map=class_map(self._fitted(), self.members(target), clusters)
                if representatives is None
                else None,
                timings={**timings, **(reasons.seconds if reasons else {})},
                rule=reasons.rule(target) if reasons else None,
                notes=[
                    *selection.notes,
                    *notes,
                    *self._order_notes(prototypes),
                    *undecided(prototypes),
                    *(reasons.notes if reasons else ()),
                ],
            )

    def _reasons(self) -> FoundReasons | None:
        """The reasons of all classes, which are found together, once a fit; ``None`` where none are looked for."""
        if self._walk or not self.max_reasons:
            return None
        with self._progress.stage("reasoning", 1):
            return self._once(f"reasons, {self.max_reasons}", lambda: find_reasons(self._to_reason()))

    def _prepare(self) -> None:
        self._reasons()

    def _to_reason(self) -> FittedGraphs:
        graphs = self._encoded()
        if graphs.node_rule.rows or graphs.edge_rule.rows:  # of which no pattern can speak
            nodes, edges = (Reading() if one.rows else one for one in (graphs.node_rule, graphs.edge_rule))
            graphs = EncodedGraphs(self._store, match_features=nodes, match_edges=edges)
        if len(graphs.node_rule.variables) > 1:
            readings = {FULL: graphs, MAIN: graphs.read_by(graphs.node_rule.main)}
        else:
            readings = {MAIN: graphs}
        if graphs.num_kinds > 1:
            readings[SHAPE] = graphs.read_by(Reading())
        return FittedGraphs(
            judge=self._judge,
            embedded=self._fitted(),
            readings=readings,
            graph=self._store.__getitem__,
            namer=self._namer,
            max_reasons=self.max_reasons,
        )

    def _options(self) -> Mapping[str, Any]:
        options = {option.name: getattr(self, option.name) for option in fields(self)}
        if self._walk:
            options["search"] = "walk" if self._walk == Walk() else asdict(self._walk)
        return options

    def _selected(self, target: int, representatives: Sequence[int] | None) -> Selection:
        if representatives is None:
            return self.representatives(target)
        scoring = self._walk.scoring if self._walk else "product"
        least = 1 if scoring == "product" else 2
        return given_cluster(representatives, len(self._store), least, f"scoring={scoring!r}")

    def _fitted_class(self, target: int) -> FittedClass:
        return FittedClass(
            judge=self._judge,
            embedded=self._fitted(),
            store=self._store,
            encoded=self._encoded(),
            canonical=self._canonical,
            target=target,
            match_features=self._readings().nodes,
            namer=self._namer,
        )

    def _encoded(self) -> EncodedGraphs:
        """All graphs as the counting reads them; made once a fit for each way to read them."""
        nodes, edges = self._readings()

        def encoded() -> EncodedGraphs:
            with timed(self._seconds, "encoding"):
                return EncodedGraphs(self._store, match_features=nodes, match_edges=edges)

        return self._once(f"encoded, features {nodes}, edges {edges}", encoded)

    def _readings(self) -> Readings:
        """Which nodes and edges count as the same; found out once a fit. A walk is the paper's: equal rows."""
        nodes: Any = True if self._walk and self.match_features == "auto" else self.match_features
        edges: Any = False if self._walk and self.match_edges == "auto" else self.match_edges

        def readings() -> Readings:
            found, variables = self._sensitivity(), self._variables()
            return readings_of(nodes, edges, self._judge, self._store, found, variables, self._shuffled())

        return self._once(f"readings, {nodes}, {edges}", readings)

    def _head(self) -> Floats | None:
        """The linear map that the model ends in, if it does; looked for once a fit."""
        resolution = self._running.resolution
        return self._once("head", lambda: linear_head(self._fitted(), resolution))

    def _results(self, fitted: FittedClass, selection: Selection) -> tuple[list[ClusterResult], list[str]]:
        """Phase 2 for each cluster, and notes on those without a prototype."""
        results, notes = [], []
        options = SearchOptions(
            budget=self.budget,
            max_nodes=self.max_nodes,
            match_features=fitted.match_features,
            match_edges=self._encoded().edge_rule,
            walk=self._walk or Walk(),
        )
        self._progress.expect("searching", self.budget * len(selection.clusters))
        for cluster in selection.clusters:
            with self._progress.part("searching", self.budget) as session_done:
                try:
                    told = replace(fitted, session_done=session_done)
                    if self._walk:
                        results.append(walked_prototype(told, cluster, options))
                    else:
                        results.append(consensus_of(told, cluster, options, self._head()))
                    notes += [note for note in results[-1].notes if note not in notes]
                except NoPrototypeError as error:
                    notes.append(f"a cluster of {len(cluster.members)} graphs has no prototype: {error}")
        return results, notes

    def _prototype(self, number: int, num_clusters: int, result: ClusterResult, fitted: FittedClass) -> Prototype:
        """The prototype of a cluster, whole, with its evidence."""
        candidate, members = result.candidate, result.cluster.members
        # A walk takes along what hangs on its way, so that most of its nodes are found nowhere else.
        evidence = gather(candidate, members, fitted, is_looked_up=self._walk is None)
        return Prototype(
            graph=candidate.graph,
            probability=candidate.session.probability,
            margin=candidate.session.margin,
            node_rule=fitted.encoded.node_rule,
            target=fitted.target,
            predicted=candidate.predicted,
            cluster=number,
            cluster_size=len(members),
            num_clusters=num_clusters,
            sources=list(candidate.sources),
            source=candidate.source,
            nodes=list(candidate.nodes),
            matches=candidate.matches,
            sessions=[one.session for one in result.candidates],
            evidence=evidence,
            edge_rule=fitted.encoded.edge_rule,
            pattern=asked_of(candidate.graph, fitted, is_relaxed=self._walk is None),
            named_parts=named_parts(candidate.graph, fitted),
            next_best=next_best(result, fitted.encoded) if self._walk is None else (),
            **self._names.of_columns,
        )

    def _order_notes(self, prototypes: Sequence[Prototype]) -> list[str]:
        """Say of which sources the canonical order is not known."""
        sources = sorted(_sources(prototypes))
        return [
            f"{self._store.label(index)} has so many nodes that look alike that no order of its nodes could be told "
            f"from the others in reasonable time; numbered otherwise, it may give another prototype"
            for index, source in zip(sources, self._canonical(sources), strict=True)
            if not source.is_canonical
        ]


def _sources(prototypes: Sequence[Prototype]) -> set[int]:
    """The graphs that prototypes were found in."""
    return {index for prototype in prototypes for index in prototype.sources or ()}
