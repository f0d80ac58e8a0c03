"""PAGE: prototype graphs by clustering graph embeddings and matching node embeddings."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.options import check_count
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explainer import Explainer, content_key, timed
from protograph.explanation.explanation import EmbeddingMap, Explanation, Prototype
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.clusters.projection import project
from protograph.page.clusters.selection import Cluster, Selection, select
from protograph.page.consensus.contributions import LinearHead, linear_head
from protograph.page.consensus.prototype import consensus_prototype
from protograph.page.evidence import Ground, encode, gather
from protograph.page.merging import merged
from protograph.page.subject import Draft, NoPrototypeError, Subject
from protograph.page.walk.prototype import walk_prototype
from protograph.page.walk.retrieval import best_first
from protograph.page.walk.scoring import SCORINGS, Scoring
from protograph.page.walk.search import SearchOptions
from protograph.patterns.agreement import must_be_equal


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
        decay: What a matching score is divided by for each of its nodes that has been chosen before. Walk only, as are
            ``max_iterations``, ``scoring`` and ``distinct_starts``.
        max_iterations: Most steps of a session.
        max_nodes: Most nodes of a prototype. ``None``: for a walk, as many as the largest connected pattern that the
            cluster's ``num_graphs`` graphs have in common; a consensus needs no limit.
        scoring: ``"product"``, or the means over pairs: ``"arithmetic"``, ``"geometric"``.
        match_features: ``True``: nodes match only with equal features. ``False``: any. A number: features may differ by
            that much. A function of two rows of ``x``: it decides. Unless features must be equal, graphs that contain a
            pattern are counted by structure alone.
        match_edges: Whether edges that correspond must have equal ``edge_attr``.
        distinct_starts: Whether a start's nodes are barred from later starts.
        search: ``"consensus"`` or ``"walk"``.
        random_state: Seed of the mixture.

    >>> PAGE(num_graphs=0)
    Traceback (most recent call last):
    ...
    ValueError: num_graphs must be at least 1, got 0
    """

    num_clusters: int | Literal["auto"] = "auto"
    num_graphs: int = 3
    budget: int = 5
    decay: float = 10.0
    max_iterations: int = 1000
    max_nodes: int | None = None
    scoring: Scoring = "product"
    match_features: bool | float | Callable[[Tensor, Tensor], bool] = True
    match_edges: bool = False
    distinct_starts: bool = True
    search: Literal["walk", "consensus"] = "consensus"
    random_state: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.num_clusters, str) and self.num_clusters != "auto":
            raise ValueError(f"num_clusters must be a number or 'auto', got {self.num_clusters!r}")
        for name in ("num_clusters", "num_graphs", "budget", "max_iterations", "max_nodes"):
            if (name, getattr(self, name)) not in (("num_clusters", "auto"), ("max_nodes", None)):
                check_count(name, getattr(self, name))
        if isinstance(self.decay, bool) or not isinstance(self.decay, int | float) or not 1 <= self.decay < np.inf:
            raise ValueError(f"decay must be a number of at least 1, which scores are divided by, got {self.decay!r}")
        if self.scoring not in SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(map(repr, SCORINGS))}, got {self.scoring!r}")
        if self.scoring != "product" and self.num_graphs < 2:
            raise ValueError(f"scoring={self.scoring!r} needs num_graphs of at least 2, got {self.num_graphs}")
        self._check_rules()
        checked_seed(self.random_state)

    def _check_rules(self) -> None:
        rule = self.match_features
        is_tolerance = isinstance(rule, int | float) and not isinstance(rule, bool)
        if not (isinstance(rule, bool) or callable(rule) or is_tolerance):
            raise TypeError(f"match_features must be True, False, a tolerance or a function of two rows, got {rule!r}")
        if is_tolerance and not 0 <= rule < np.inf:  # type: ignore[operator]
            raise ValueError(f"match_features as a tolerance must be at least 0, got {rule!r}")
        for name in ("match_edges", "distinct_starts"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if self.search not in ("walk", "consensus"):
            raise ValueError(f"search must be 'walk' or 'consensus', got {self.search!r}")

    def _search_options(self) -> SearchOptions:
        return SearchOptions(
            budget=self.budget,
            decay=self.decay,
            max_iterations=self.max_iterations,
            scoring=self.scoring,
            match_features=self.match_features,
            match_edges=self.match_edges,
            distinct_starts=self.distinct_starts,
        )

    def representatives(self, target: int) -> Selection:
        """Phase 1 alone: the clusters of a class, largest first, with the graphs nearest their means."""
        members = self._members(target)
        with preserved_random_state():
            return select(
                self._fitted().graph_embeddings[members],
                members,
                num_clusters=self.num_clusters,
                num_graphs=self.num_graphs,
                random_state=self.random_state,
                resolution=self._classifier().resolution,
                content_key=lambda index: content_key(self._store[index]),
            )

    def explain(self, target: int, *, representatives: Sequence[int] | None = None) -> Explanation:
        """Discover the prototypes of a class.

        Args:
            target: The class, as an index into the model's output.
            representatives: Indices of graphs to match instead of Phase 1's choice, for the setting with few graphs.
        """
        target = self._checked_target(target)
        timings: dict[str, float] = {}
        with preserved_random_state():
            with timed(timings, "selection"):
                selection = self.representatives(target) if representatives is None else self._given(representatives)
            notes = list(selection.notes)
            with timed(timings, "search"):
                drafts = self._drafts(self._subject(target), selection, notes)
            is_counted = must_be_equal(self.match_features) or self.match_features is False
            if self.num_clusters == "auto" and representatives is None and is_counted:
                drafts = merged(drafts, self._encoded(), notes, is_labelled=must_be_equal(self.match_features))
            with timed(timings, "evidence"):
                found = [self._prototype(target, n, len(drafts), *pair) for n, pair in enumerate(drafts)]
        for note in notes:
            warnings.warn(f"class {target}: {note}", ProtographWarning, stacklevel=2)
        prototypes = best_first(found, self._classifier().resolution)
        clusters = [cluster for cluster, _ in drafts]
        return self._explanation(
            target,
            prototypes=prototypes,
            source_graphs=self._sources(prototypes),
            embedding_map=self._map(target, clusters) if representatives is None else None,
            timings=timings,
            warnings=notes,
        )

    def _options(self) -> Mapping[str, Any]:
        options = asdict(self)
        if callable(options["match_features"]):
            options["match_features"] = getattr(options["match_features"], "__qualname__", "a function")
        return options

    def _given(self, representatives: Sequence[int]) -> Selection:
        """The user's own representatives as the only cluster."""
        if not hasattr(representatives, "__iter__"):
            raise TypeError(f"representatives must be a list of graph indices, got {representatives!r}")
        chosen = [checked_index(index) for index in representatives]
        total = len(self._store)
        outside = [index for index in chosen if not 0 <= index < total]
        if outside:
            raise ValueError(f"representatives must be indices of graphs in [0, {total}), got {outside[0]}")
        if not chosen or len(set(chosen)) < len(chosen):
            raise ValueError(f"representatives must be different graphs, at least one, got {chosen}")
        if self.scoring != "product" and len(chosen) < 2:
            raise ValueError(f"scoring={self.scoring!r} needs at least 2 representatives, got {len(chosen)}")
        mean = self._fitted().graph_embeddings[chosen].mean(axis=0)
        return Selection((Cluster(tuple(chosen), (), tuple(chosen), mean),), ())

    def _subject(self, target: int) -> Subject:
        return Subject(
            classifier=self._classifier(),
            store=self._store,
            embedded=self._fitted(),
            target=target,
            encoded=self._encoded,
            head=self._head,
        )

    def _encoded(self) -> EncodedGraphs:
        """All graphs as the counting reads them; made once a fit for each way to read them."""
        key = f"encoded, features {must_be_equal(self.match_features)}, edges {self.match_edges}"
        known: EncodedGraphs | None = self._cache.get(key)
        if known is None:
            known = self._cache[key] = encode(self._store, self.match_features, match_edges=self.match_edges)
        return known

    def _head(self) -> LinearHead | None:
        """The linear map that the model ends in, if it does; looked for once a fit."""
        if "head" not in self._cache:
            self._cache["head"] = linear_head(self._fitted(), self._classifier().resolution)
        head: LinearHead | None = self._cache["head"]
        return head

    def _drafts(self, subject: Subject, selection: Selection, notes: list[str]) -> list[tuple[Cluster, Draft]]:
        """Phase 2 for each cluster; those without a prototype are said in the notes."""
        find = walk_prototype if self.search == "walk" else consensus_prototype
        found = []
        for cluster in selection.clusters:
            try:
                found.append((cluster, find(subject, cluster, self._search_options(), self.max_nodes)))
            except NoPrototypeError as error:
                notes.append(f"a cluster of {len(cluster.members)} graphs has no prototype: {error}")
        return found

    def _prototype(self, target: int, number: int, num_clusters: int, cluster: Cluster, draft: Draft) -> Prototype:
        """A draft with its evidence."""
        prototype = Prototype(
            graph=draft.graph,
            probability=draft.probability,
            margin=draft.margin,
            cluster=number,
            cluster_size=len(cluster.members),
            num_clusters=num_clusters,
            sources=draft.sources,
            source=draft.source,
            nodes=draft.nodes,
            matches=draft.matches,
            sessions=draft.sessions,
            feature_names=self._names["feature_names"],
            edge_names=self._names["edge_names"],
        )
        ground = Ground(
            store=self._store,
            encoded=self._encoded(),
            predictions=self._fitted().predictions,
            target=target,
            cluster=cluster.members,
            sources=[self._store[index] for index in draft.sources],
            match_features=self.match_features,
            match_edges=self.match_edges,
            # A walk takes along what hangs on its way, so that most of its nodes are found nowhere else.
            is_looked_up=self.search == "consensus",
        )
        evidence = replace(
            gather(draft.graph, prototype.edges, draft.matches, ground),
            contributions=draft.contributions,
            contribution_share=draft.contribution_share,
            steps=draft.steps,
        )
        return replace(prototype, evidence=evidence)

    def _sources(self, prototypes: Sequence[Prototype]) -> dict[int, Data]:
        indices = sorted({index for prototype in prototypes for index in prototype.sources or ()})
        return {index: self._store[index] for index in indices}

    def _map(self, target: int, clusters: Sequence[Cluster]) -> EmbeddingMap:
        members = self._members(target)
        cluster_of = {index: n for n, cluster in enumerate(clusters) for index in cluster.members}
        positions, explained = project(self._fitted().graph_embeddings[members])
        return EmbeddingMap(
            indices=tuple(members.tolist()),
            positions=positions,
            clusters=tuple(cluster_of.get(index, -1) for index in members.tolist()),
            explained=explained,
        )


def checked_index(index: Any) -> int:
    """Return a graph's index as a plain number."""
    if isinstance(index, Tensor) and index.numel() == 1:
        index = index.item()
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise TypeError(f"representatives must be indices of graphs, got {index!r}")
    return int(index)
