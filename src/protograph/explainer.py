"""What every explainer owes: fitting a model to its graphs, checking targets, assembling results."""

import inspect
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Data

from protograph._utils import __version__, ties
from protograph._utils.arrays import Floats, Ints
from protograph._utils.errors import NotFittedError, ProtographWarning
from protograph._utils.progress import Progress, Reports, timed
from protograph._utils.randomness import preserved_random_state
from protograph.engines.ray import opened
from protograph.explanation import Explanation, Explanations, Prototype, Provenance
from protograph.explanation.names import names_for
from protograph.explanation.pattern import Pattern, pattern_of_rows
from protograph.explanation.survey import surveyed
from protograph.graphs.conditions import Reading
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.graphs.variables import Variable, variables_of
from protograph.models.classifier import GraphClassifier, Precision, as_classifier
from protograph.models.performance import Performance, doubts_of, hard_to_explain, one_sided
from protograph.models.predictions import BATCH_SIZE, EmbeddedGraphs, Judge, Judgement, check_target, embed_all
from protograph.models.sensitivity import Sensitivity, num_shuffled, sensitivity_of
from protograph.molecules.functional_groups import PartNamer
from protograph.patterns.canonical import CanonicalGraph, canonical_graph
from protograph.patterns.enumerate import graph_codes

T = TypeVar("T")
# What an explainer may find: a graph, or the index of a graph given to fit and some of its nodes.
Found: TypeAlias = Data | tuple[int, Sequence[int]]
# Packages that decide a result.
_PACKAGES = ("torch", "torch_geometric", "scikit-learn", "numpy", "numba")


@dataclass(eq=False, repr=False)
class Explainer:
    """Base of all explainers: ``fit`` looks at the model and its graphs once, ``explain`` does the rest.

    What ``fit`` has learned ends in an underscore and is replaced as a whole by the next ``fit``.

    An explainer of one's own says how prototypes are found, in :meth:`find`; the constructor stores its options under
    their names and does nothing else. The contract that it owes is ``tests/contract.py`` of the repository.

    >>> class Whole(Explainer):
    ...     '''The graph of the class that the model is most certain of.'''
    ...
    ...     def find(self, target):
    ...         members = self.members(target)
    ...         best = members[self.judge([self.graphs_[i] for i in members], target).margins.argmax()]
    ...         return [(best, range(self.graphs_[best].num_nodes))]
    """

    def fit(
        self,
        model: nn.Module | GraphClassifier,
        graphs: Iterable[Data] | str | PathLike[str],
        *,
        batch_size: int = BATCH_SIZE,
        device: torch.device | str | None = None,
        engine: str = "local",
        address: str | None = None,
        precision: Precision = "double",
        progress: Progress | None = None,
        feature_names: Any = None,
        edge_names: Any = None,
        class_names: Sequence[str] | None = None,
        columns: Literal["pyg", "ogb"] | None = None,
        task: None = None,
    ) -> Self:
        """Classify and embed all graphs.

        Args:
            model: Any graph classifier, or a :class:`~protograph.GraphClassifier` around it.
            graphs: A list, a PyG data set, any iterable of ``Data``, or a folder of ``.pt`` files with lists of graphs.
            batch_size: How many graphs go through the model at a time, at most; left at the default, as many as suit
                the device. It makes no difference to the result.
            device: Where to run; the model's own device by default.
            engine: Where the work is done: ``"local"``, in this process, or ``"ray"``, by the workers of a Ray cluster.
                The result is the same.
            address: The Ray cluster to join, as ``ray.init`` takes it, ``"auto"`` for that of this machine. Without, it
                is the cluster that this process is in, or one that is started on this machine while it is needed.
            precision: ``"double"``, so that ties are told from rounding, or ``"model"``, the model's own, which is up
                to three times as quick, and may find other graphs where what tells them apart is rounding.
            progress: Called as ``progress(stage, done, total)``, here and while explaining: when a stage begins and
                after each of its steps, one call at a time from any thread. ``total`` is ``None`` where it is not
                known, as of ``"compiling"``, which comes once on a machine. Without, a notebook shows bars.
            feature_names: What the columns of ``x`` are called, a name a column. Of a single column of whole numbers
                the names of its values 0, 1, ..., or a mapping from values to names. Of several columns an entry a
                column, each its name or the names of its values, or a mapping from the columns' names to the names of
                their values, ``None`` where these have none: PyG's ``x_map`` is one. The data set's own by default.
            edge_names: The same of ``edge_attr``; PyG's ``e_map`` is one.
            class_names: A name for each class. The data set's own by default.
            columns: ``"pyg"`` or ``"ogb"``: the columns of ``x`` and ``edge_attr`` are those that
                ``torch_geometric.utils.from_smiles`` or OGB makes of molecules. Graphs with ``smiles`` need not say so.
            task: Comes with a later version: it must be ``None``. The column of a model of several tasks is named by
                ``GraphClassifier(model, task=...)``.

        Raises:
            ValueError: If names do not fit; names of a data set that do not are left out, with a warning.

        Warns:
            ProtographWarning: If there is reason to doubt that the model has learned anything; see ``doubts_``.
        """
        _check_fit(batch_size, precision, task)
        started, reports = time.perf_counter(), Reports(progress)
        cluster = opened(engine, address)
        graphs = Path(graphs) if isinstance(graphs, str) else graphs
        reports("embedding", 0, len(graphs) if isinstance(graphs, Sized) else None)
        try:
            with preserved_random_state():
                store, running, embedded = embed_all(
                    model,
                    graphs,
                    batch_size=None if batch_size == BATCH_SIZE else batch_size,
                    device=device,
                    precision=precision,
                    progress=reports,
                    cluster=cluster,
                )
        finally:
            reports.finish()
        self._store, self._running, self._progress = store, running, reports
        self._cluster = cluster
        self._used_in_fit = self._used_before = copy(running.usage)
        given = {
            "feature_names": feature_names,
            "edge_names": edge_names,
            "class_names": class_names,
            "columns": columns,
        }
        self._names, self._name_notes = names_for(graphs, store, embedded.num_classes, given)
        for message in self._name_notes:
            warnings.warn(message, ProtographWarning, stacklevel=2)
        # Of what is done once for all classes.
        self._seconds = {"fit": time.perf_counter() - started, "cleaning": store.seconds}
        self._cache: dict[str, Any] = {}  # what explainers work out of a fit on first use
        self._about = {"task": embedded.task, **_about(model, graphs)}
        if self._names.source:
            self._about["columns"] = self._names.source
        truths = getattr(graphs, "ground_truths", None)
        self._ground_truths: Mapping[int, Any] = truths if isinstance(truths, Mapping) else {}
        self.embedded_ = embedded
        for doubt in self.doubts_:
            warnings.warn(f"the model may have learned nothing: {doubt}", ProtographWarning, stacklevel=2)
        return self

    @property
    def embeddings_(self) -> Floats:
        """Graph embeddings, ``[num_graphs, dim]``."""
        return self._fitted().graph_embeddings

    @property
    def predictions_(self) -> Ints:
        """Predicted class of each graph."""
        return self._fitted().predictions

    @property
    def num_classes_(self) -> int:
        """Number of classes of the model."""
        return self._fitted().num_classes

    @property
    def doubts_(self) -> tuple[str, ...]:
        """Reasons to doubt that the model has learned to tell the classes apart, a sentence each; none where it has."""
        confusion, names = _confusion(self._fitted()), self._names.classes
        if confusion is None:
            return one_sided(self._predicted(), class_names=names)
        return doubts_of(Performance(confusion), class_names=names)

    def _predicted(self) -> list[int]:
        """How many graphs are predicted as each class."""
        embedded = self._fitted()
        return np.bincount(embedded.predictions, minlength=embedded.num_classes).tolist()  # type: ignore[no-any-return]

    @property
    def graphs_(self) -> GraphStore:
        """The graphs given to ``fit``, checked: ``graphs_[index]`` is one, and they have a length."""
        self._fitted()
        return self._store

    def members(self, target: int | str) -> Ints:
        """Indices of the graphs that are predicted as a class.

        Raises:
            ValueError: If there are none, or no such class.
        """
        target, embedded = self._checked_target(target), self._fitted()
        members = np.flatnonzero(embedded.predictions == target)
        if len(members) == 0:
            predicted = ", ".join(f"{c}: {n}" for c, n in enumerate(self._predicted()) if n)
            raise ValueError(
                f"no graph is predicted as class {target}, so it has no prototypes; the predictions are "
                f"{{{predicted}}}; pass graphs of that class, or a model that knows it"
            )
        return members

    def judge(self, graphs: Sequence[Data], target: int | str) -> Judgement:
        """What the model makes of graphs: ``.probabilities``, ``.margins`` and ``.predictions``, an entry a graph."""
        return self._judge(graphs, self._checked_target(target))

    def tell(self, stage: str, done: int, total: int | None = None) -> None:
        """Report progress to whoever gave a ``progress`` to ``fit``."""
        self._fitted()
        self._progress(stage, done, total)

    def find(self, target: int) -> Iterable[Found]:
        """The prototypes of a class, in any order; what an explainer of one's own defines.

        Each is the index of a graph given to ``fit`` and some of its nodes, whose induced subgraph is cut out, or a
        graph that was made: connected, with rows of ``x`` that occur in the data.

        Args:
            target: The class, which some graph is predicted as.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must say how prototypes are found: define find(self, target), which gives graphs, "
            f"or pairs of a graph's index and some of its nodes"
        )

    def explain(self, target: int | str) -> Explanation:
        """Explain a class, an index or a name, by what :meth:`find` finds, the highest margin first."""
        target = self._checked_target(target)
        self.members(target)
        timings: dict[str, float] = {}
        with self._reported(1), timed(timings, "finding"), preserved_random_state():
            prototypes = best_first(self._prototypes(list(self.find(target)), target), self._running.resolution)
        return self._explanation(
            target,
            prototypes=prototypes,
            source_graphs={one.source: self._store[one.source] for one in prototypes if one.source is not None},
            timings=timings,
        )

    def _prototypes(self, found: Sequence[Found], target: int) -> list[Prototype]:
        """What was found, judged by the model."""
        if not found:
            return []
        parts: list[tuple[Data, dict[str, Any]]] = []
        for one in found:
            if isinstance(one, Data):
                parts.append((one, {}))
                continue
            index, nodes = _checked_place(one, self._store, f"find of {type(self).__name__}")
            part = induced_subgraph(self._store[index], nodes)
            parts.append((part, {"source": index, "sources": [index], "nodes": nodes}))
        judged = self._judge([graph for graph, _ in parts], target)
        return [
            Prototype(
                graph=graph,
                target=target,
                pattern=self._pattern(graph),
                **vars(judged.of_one(at)),
                **place,
                **self._names.of_columns,
            )
            for at, (graph, place) in enumerate(parts)
        ]

    def _pattern(self, graph: Data) -> Pattern | None:
        """What a prototype asks of its nodes where they are counted by equal features."""
        return pattern_of_rows(graph, Reading.of_rows(self._variables(), "x"))

    def _options(self) -> Mapping[str, Any]:
        """The explainer's options, to be stored with its results: ``type(explainer)(**options)`` is one like it."""
        names = inspect.signature(type(self)).parameters
        missing = [name for name in names if not hasattr(self, name)]
        if missing:
            raise AttributeError(
                f"{type(self).__name__} has no attribute {missing[0]!r}; the constructor must store each option under "
                f"its name"
            )
        return {name: getattr(self, name) for name in names}

    def explain_all(self) -> Explanations:
        """Explain every class that some graph is predicted as; the others are in ``not_explained``, and warned of."""
        counts = self._predicted()
        predicted = [target for target, count in enumerate(counts) if count]
        others = {target: hard_to_explain(target, counts) for target, count in enumerate(counts) if not count}
        if others:
            warnings.warn(
                f"no graph is predicted as class {', '.join(map(str, others))}, so there is no explanation of it",
                ProtographWarning,
                stacklevel=2,
            )
        explanations = {}
        with self._reported(len(predicted)):
            self._progress("explaining", 0, len(predicted))
            one_by_one = map(self.explain, predicted) if self._cluster is None else self._by_workers(predicted)
            for done, (target, explanation) in enumerate(zip(predicted, one_by_one, strict=True), start=1):
                explanations[target] = explanation
                self._progress("explaining", done, len(predicted))
        return Explanations(explanations, not_explained=others)

    def _by_workers(self, targets: Sequence[int]) -> Iterator[Explanation]:
        """Explain classes by the workers of the cluster, which are sent this explainer."""
        assert self._cluster is not None
        self._prepare()
        twin = copy(self)
        twin._running = self._running.moved("cpu")
        code_of = [self, *self._running.model.modules(), *self._options().values()]
        found = self._cluster.map(_explained, twin, targets, name_of="class {}".format, code_of=code_of)
        for explanation, messages in found:
            for message in messages:
                warnings.warn(message, ProtographWarning, stacklevel=3)
            yield explanation

    def _prepare(self) -> None:
        """Work out what all classes share, before they are explained by workers."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cluster": None}  # which is of this process

    @contextmanager
    def _reported(self, num_classes: int) -> Iterator[None]:
        """Count anew what is done, for so many classes, and tell of loops that are compiled meanwhile."""
        # Imported here: Numba takes a while to load.
        from protograph._utils.compiling import compiling_told

        with self._progress.run(num_classes) as is_new:
            told = compiling_told(lambda done: self._progress("compiling", done, None))
            with told if is_new else nullcontext():
                yield

    def _fitted(self) -> EmbeddedGraphs:
        embedded: EmbeddedGraphs | None = getattr(self, "embedded_", None)
        if embedded is None:
            raise NotFittedError(f"this {type(self).__name__} has no model yet; call fit(model, graphs) first")
        return embedded

    @property
    def _namer(self) -> PartNamer:
        """Finds what parts of molecules are called."""
        return PartNamer(self._store.__getitem__, self._names.features, self._names.edges)

    @property
    def _judge(self) -> Judge:
        return Judge(return_type=self._fitted().return_type, classifier=self._running)

    def _checked_target(self, target: int | str) -> int:
        """The index of a class, by that or by its name."""
        num_classes = self._fitted().num_classes
        if not isinstance(target, str):
            check_target(target, num_classes)
            return int(target)
        names = list(self._names.classes)
        if names.count(target) != 1:
            known = f"one of the names {', '.join(map(repr, names))}" if names else "a name, and there are none"
            raise ValueError(
                f"target must be an index in [0, {num_classes}) or {known}, got {target!r}; classes are named "
                f"by fit(..., class_names=[...])"
            )
        return names.index(target)

    def _sensitivity(self) -> Sensitivity:
        """What the model reads of its input; found out once a fit."""
        return self._once("sensitivity", lambda: sensitivity_of(self._judge, self._shuffled(), self._variables()))

    def _variables(self) -> list[Variable]:
        """What the model may read of the graphs."""
        return self._once("variables", lambda: variables_of(self._store[:], self._names.features, self._names.edges))

    def _shuffled(self) -> list[Data]:
        """Graphs that show what the model reads: of each predicted class as many, chosen by what they hold."""

        def chosen() -> list[Data]:
            codes = graph_codes(EncodedGraphs(self._store, match_edges=self._store[0].edge_attr is not None))
            predictions = self._fitted().predictions
            number = num_shuffled(len(self._store), len(self._variables()))
            members = [np.flatnonzero(predictions == target) for target in np.unique(predictions)]
            ordered = [own[np.argsort(codes[own], kind="stable")] for own in members]
            in_turn = [int(own[at]) for at in range(max(map(len, ordered))) for own in ordered if at < len(own)]
            return [source.graph for source in self._canonical(in_turn[:number])]

        return self._once("shuffled graphs", chosen)

    def _canonical(self, indices: Sequence[int]) -> list[CanonicalGraph]:
        """Graphs with their nodes in canonical order; each is made once a fit."""
        made: dict[int, CanonicalGraph] = self._once("canonical graphs", dict)
        fresh = [index for index in dict.fromkeys(indices) if index not in made]
        made.update(zip(fresh, map(canonical_graph, self._store.take(fresh)), strict=True))
        return [made[index] for index in indices]

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """What ``make`` gives, made on first use after each fit; what it shows to the model counts as shown in fit."""
        if name not in self._cache:
            before, counted = copy(self._running.usage), self._used_in_fit
            with preserved_random_state():
                self._cache[name] = make()
            # What was made on the way has been counted.
            used = (self._running.usage - before) - (self._used_in_fit - counted)
            self._used_in_fit += used
            self._used_before += used
        made: T = self._cache[name]
        return made

    def _search(self, stage: str, total: int, unit: str, step: Callable[[int], int], best: Sized) -> list[str]:
        """Go on step by step, from how much is done to how much is done then, until ``total`` is.

        Ctrl-C ends it early where ``best`` holds something to keep by then, and a note says so.
        """
        done = 0
        try:
            while done < total:
                done = step(done)
                self._progress(stage, done, total)
        except KeyboardInterrupt:
            if not best:
                raise
            return [f"interrupted after {done} of {total} {unit}; these are the best until then"]
        return []

    def _explanation(self, target: int, *, notes: Sequence[str] = (), **parts: Any) -> Explanation:
        """Assemble a result: what is the same for all explainers is filled in here.

        Args:
            target: The class.
            notes: What went otherwise than asked for; each is warned of, and kept.
            parts: The other fields of the explanation.
        """
        for note in notes:
            warnings.warn(f"class {target}: {note}", ProtographWarning, stacklevel=3)
        # Before the model's calls are counted, which it adds to.
        embedded, predicted, sensitivity = self._fitted(), self._predicted(), self._sensitivity()
        # Kept without a warning: fit has warned of a model that predicts nearly all graphs as one class.
        hard = hard_to_explain(target, predicted)
        used, self._used_before = self._used_in_fit + self._running.usage - self._used_before, copy(self._running.usage)
        timings = {**self._seconds, "model": used.seconds, **parts.pop("timings", {})}
        return Explanation(
            target=int(target),
            provenance=Provenance(
                explainer=type(self).__name__,
                options=self._options(),
                about=self._about,
                model_calls=used.num_graphs,
                timings={stage: round(seconds, 6) for stage, seconds in timings.items()},
                versions=_versions(),
            ),
            doubts=self.doubts_,
            warnings=(*([hard] if hard else []), *embedded.warnings, *self._name_notes, *notes),
            sensitivity=sensitivity,
            truths=tuple(self._ground_truths.get(target, ())),  # what the data set says decides the class
            survey=self._once("survey", lambda: surveyed(self._store, embedded, _confusion(embedded))),
            **{"names": self._names, **parts},
        )


def _checked_place(found: Any, graphs: GraphStore, finder: str) -> tuple[int, list[int]]:
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
    size = node_count(graphs[place[0]])
    if not place[1] or len(set(place[1])) < len(place[1]) or not all(0 <= node < size for node in place[1]):
        raise ValueError(
            f"{finder} must give different nodes in [0, {size}), those of graph {place[0]}, got {place[1]}"
        )
    return place


def best_first(prototypes: Iterable[Prototype], resolution: float) -> list[Prototype]:
    """Prototypes by margin, the largest first; those that tie keep their order."""
    listed = list(prototypes)
    scale = max((abs(prototype.margin) for prototype in listed), default=0.0)
    return ties.best_first(listed, lambda one: one.margin, tolerance=ties.tolerance_for(scale, resolution))


def _explained(explainer: Explainer, target: int) -> tuple[Explanation, list[str]]:
    """The explanation of a class, made by a worker, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explainer.explain(target)
    return explanation, [str(one.message) for one in caught if issubclass(one.category, ProtographWarning)]


def _check_fit(batch_size: int, precision: str, task: object) -> None:
    """Raise where an argument of ``fit`` is none that it takes."""
    if isinstance(batch_size, bool) or not isinstance(batch_size, int | np.integer) or batch_size < 1:
        raise ValueError(f"batch_size must be a whole number of at least 1, got {batch_size!r}")
    if precision not in ("double", "model"):
        raise ValueError(f"precision must be 'double' or 'model', got {precision!r}")
    if task is not None:
        raise ValueError(
            f"task must be None, as tasks come with a later version, got {task!r}; for a column of a model of several "
            f"tasks pass GraphClassifier(model, task={task!r})"
        )


def _confusion(embedded: EmbeddedGraphs) -> tuple[tuple[int, ...], ...] | None:
    labels, predictions = embedded.labels, embedded.predictions
    if embedded.labels_of_some is not None:
        indices, labels = embedded.labels_of_some
        predictions = predictions[indices]
    if labels is None or labels.min() < 0 or labels.max() >= embedded.num_classes:
        return None
    return Performance.of(labels, predictions, embedded.num_classes).confusion


def _about(model: nn.Module | GraphClassifier, graphs: Any) -> dict[str, str]:
    """Name of the data set, if it has one, and of the model, and the time."""
    name, classifier = getattr(graphs, "name", None), as_classifier(model)
    data = {"data": name} if isinstance(name, str) and name else {}
    task = "" if classifier.task is None else f", task {classifier.task}"
    date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return {**data, "model": f"{type(classifier.model).__qualname__}{task}", "date": date}


def _versions() -> dict[str, str]:
    """Version of every package that decides a result."""
    return {"protograph": __version__, **{package: version(package) for package in _PACKAGES}}
