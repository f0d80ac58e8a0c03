"""What every explainer returns: prototypes and the rule of a class, with the evidence behind them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools
from protograph._utils.words import clean_name, count_of, one_line
from protograph.explanation.io import UnfitError, pack, unfit, write_document
from protograph.explanation.names import Names
from protograph.explanation.pattern import SearchedGraphs, as_searched
from protograph.explanation.prototype import Prototype, TakenOut, figures_of
from protograph.explanation.rule import KEPT_APART, Fidelity, Reason, Rule, fidelity_of_class, held_by
from protograph.explanation.survey import EmbeddingMap, Survey
from protograph.explanation.tables import frame_of
from protograph.graphs.conditions import Reading
from protograph.graphs.named_graph import NamedGraph, named_graph
from protograph.graphs.origins import Origin
from protograph.graphs.validate import node_count
from protograph.models.performance import Performance, doubts_box, figures_line
from protograph.models.sensitivity import Sensitivity


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """How an explanation was made.

    Attributes:
        explainer: Name of the explainer.
        options: Its options.
        about: What was explained, by name: task, data, model, date.
        model_calls: How many graphs the model was shown, those of ``fit`` included; ``None`` where it was not counted.
        timings: Seconds that each stage took. What is done once for all classes is told with each of them: ``fit``, of
            which ``cleaning`` is a part, and ``encoding``. ``model`` is what its passes took, in whichever stage.
        versions: Versions of the packages that matter.
    """

    explainer: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    model_calls: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation:
    """Prototypes of one class, best first, its rule, and everything needed to judge and show them.

    Attributes:
        target: The class.
        prototypes: Best first: by the class margin.
        rule: When a graph is of the class, by reasons; as text it says so in words. ``None`` where reasons were not
            looked for; then the rule that :meth:`predict` goes by is to contain one of the prototypes.
        survey: All graphs given to ``fit``: where each came from, its label, what the model makes of it and where it
            lies on a map. The same for all classes.
        names: What classes, features and attributes of edges are called, and the colours of kinds of nodes.
        node_rule: Which nodes counted as the same, by their features: what ``match_features`` came to.
        edge_rule: Which edges counted as the same, in matching and in counting.
        sensitivity: How much of what the model decides depends on each part of its input.
        source_graphs: The graphs that prototypes and examples were cut from or matched with, by index.
        embedding_map: The class's graphs in two dimensions, ``None`` where the explainer has no use for it.
        prototypes_taken_out: For each prototype what becomes of the margin of some graphs without it; empty where that
            is not known.
        reasons_taken_out: The same of the patterns that each reason has.
        truths: Ground truths of the class, where the data set has such.
        provenance: Who explained what, with which options, when and in how many seconds.
        warnings: What was done differently from what was asked, and why little can be said of the class.
        doubts: Reasons to doubt that the model has learned to tell the classes apart; the same for all its classes.
    """

    target: int
    prototypes: list[Prototype]
    rule: Rule | None = None
    survey: Survey
    names: Names
    node_rule: Reading = field(default_factory=lambda: Reading(rows="x"))
    edge_rule: Reading = field(default_factory=Reading)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    source_graphs: Mapping[int, Data] = field(default_factory=dict)
    embedding_map: EmbeddingMap | None = None
    prototypes_taken_out: tuple[tuple[TakenOut, ...], ...] = ()
    reasons_taken_out: tuple[tuple[TakenOut, ...], ...] = ()
    truths: tuple[Data, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        num_classes, num_graphs = len(self.class_names), self.num_graphs
        if not 0 <= self.target < num_classes:
            raise unfit("target", f"in [0, {num_classes}), the number of classes", self.target)
        if max(self.survey.predictions, default=0) >= num_classes:
            raise unfit(
                "survey.predictions", f"below {num_classes}, the number of classes", max(self.survey.predictions)
            )
        for name, of in (("prototypes_taken_out", self.prototypes), ("reasons_taken_out", self.reasons)):
            if len(getattr(self, name)) not in (0, len(of)):
                raise unfit(name, f"empty or a list of {len(of)}, one for each", getattr(self, name))
        for number, prototype in enumerate(self.prototypes):
            if prototype.predicted is not None and not 0 <= prototype.predicted < num_classes:
                raise unfit(f"prototypes[{number}].predicted", f"in [0, {num_classes})", prototype.predicted)
            self._check_nodes(prototype.source, prototype.nodes or (), f"prototypes[{number}].nodes")
        if self.rule is None:
            return
        if len(self.rule.parts) not in (0, num_graphs):
            raise unfit("rule.parts", f"empty or a list of {num_graphs}, one for each graph", self.rule.parts)
        for number, reason in enumerate(self.reasons):
            if max(reason.holds_in_indices, default=-1) >= num_graphs:
                wanted = f"below {num_graphs}, the number of graphs"
                raise unfit(f"rule.reasons[{number}].holds_in_indices", wanted, max(reason.holds_in_indices))
            if reason.example is not None:
                self._check_nodes(reason.example.source, reason.example.nodes, f"rule.reasons[{number}].example.nodes")

    def _check_nodes(self, source: int | None, nodes: Sequence[int], name: str) -> None:
        whole = None if source is None else self.source_graphs.get(source)
        if whole is not None and not all(0 <= node < node_count(whole) for node in nodes):
            raise UnfitError(f"{name} must be nodes of graph {source}, got others")

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of all classes; their numbers where the data has no names."""
        return self.names.classes

    @property
    def class_name(self) -> str:
        """Name of the target class."""
        return self.class_names[self.target]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of ``x``; empty where the data has no names."""
        return self.names.features.columns

    @property
    def edge_names(self) -> tuple[str, ...]:
        """Names of the columns of ``edge_attr``; empty where the data has no names."""
        return self.names.edges.columns

    @property
    def feature_colors(self) -> tuple[str, ...]:
        """Colours of the kinds of nodes; empty where the data has none."""
        return self.names.colors

    @property
    def explainer(self) -> str:
        """Name of the explainer."""
        return self.provenance.explainer

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of the explainer."""
        return self.provenance.options

    @property
    def timings(self) -> Mapping[str, float]:
        """Seconds that each stage took; see :class:`Provenance`."""
        return self.provenance.timings

    @property
    def num_graphs(self) -> int:
        """How many graphs were looked at."""
        return len(self.survey)

    @property
    def num_predicted(self) -> int:
        """How many of them the model predicts as the class."""
        return self.survey.predictions.count(self.target)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The reasons of the rule, in the order of how many graphs each adds; empty where there are none."""
        return () if self.rule is None else self.rule.reasons

    @property
    def typical_uncovered(self) -> tuple[int, ...]:
        """The most typical of the graphs of the class in which no reason holds, by index."""
        return () if self.rule is None else self.rule.typical_uncovered

    @property
    def fidelity_note(self) -> str:
        """Why there is no :attr:`fidelity` though reasons were looked for; empty where there is."""
        return "" if self.rule is None else self.rule.fidelity_note

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search before its time; a note among ``warnings`` says when."""
        return any(note.startswith("interrupted ") for note in self.warnings)

    def graph_label(self, index: int) -> str:
        """What a graph is called in words and pictures: its place in the user's own data, line, name and SMILES.

        Args:
            index: Its index, as of :attr:`Prototype.source`.
        """
        return self.origin(index).label

    def origin(self, index: int) -> Origin:
        """Where a graph came from, by its index; its place among those given to ``fit`` where no more is known."""
        return self.survey.origin(index)

    def named(self, graph: Data) -> NamedGraph:
        """A graph of the data as names tell it, one-hot; without names by what nodes are told apart by."""
        return named_graph(graph, self.names.features, self.names.edges, self.node_rule)

    def predict(self, graphs: Iterable[Data] | SearchedGraphs, *, with_rest: bool = True) -> Bools:
        """Whether the rule holds, one answer a graph, without the model.

        One of the reasons must hold. Where reasons were not looked for, as with ``search="walk"``, the graph must
        contain one of the prototypes, with the features and the edges that these were counted by.

        Args:
            graphs: Graphs of the same columns as those given to ``fit``; what they hold may be new.
            with_rest: Whether the reason "none of what marks the others" counts.
        """
        searched = as_searched(graphs)
        if self.rule is not None:
            return self.rule.predict(searched, with_rest=with_rest)
        held = [
            searched.contain(one.pattern or one.graph, nodes=one.node_rule, edges=one.edge_rule)
            for one in self.prototypes
        ]
        return np.any(held, axis=0) if held else np.zeros(len(searched), np.bool_)

    @property
    def fidelity(self) -> Fidelity | None:
        """How well the rule tells this class from the rest, each weighing half, on the graphs kept apart.

        ``None`` where none were kept apart; :attr:`fidelity_note` then says why.
        """
        return self._fidelity(self.reasons)

    @property
    def fidelity_without_rest(self) -> Fidelity | None:
        """The same without the reason "none of what marks the others", if there is one."""
        return self._fidelity([reason for reason in self.reasons if not reason.is_rest])

    @property
    def fidelity_curve(self) -> tuple[Fidelity, ...]:
        """The same with the first reason, with the first two, ...; empty where no graphs were kept apart."""
        curve = [self._fidelity(self.reasons[: number + 1]) for number in range(len(self.reasons))]
        return tuple(fidelity for fidelity in curve if fidelity is not None)

    def _fidelity(self, reasons: Sequence[Reason]) -> Fidelity | None:
        if self.rule is None or KEPT_APART not in self.rule.parts:
            return None
        chosen = np.array(self.rule.parts) == KEPT_APART
        return fidelity_of_class(held_by(reasons, self.num_graphs)[chosen], self._is_class[chosen])

    @property
    def uncovered(self) -> tuple[int, ...]:
        """Graphs predicted as the class in which no reason holds, by index; empty where none were looked for."""
        if self.rule is None:
            return ()
        return tuple(np.flatnonzero(self._is_class & ~held_by(self.reasons, self.num_graphs)).tolist())

    @property
    def uncovered_share(self) -> float:
        """Their share of the graphs predicted as the class; NaN where no reasons were looked for."""
        return math.nan if self.rule is None or not self.num_predicted else len(self.uncovered) / self.num_predicted

    @property
    def disagreements(self) -> tuple[int, ...]:
        """Graphs, by index, for which the rule says something else than the model; empty without reasons."""
        if self.rule is None:
            return ()
        return tuple(np.flatnonzero(self._is_class != held_by(self.reasons, self.num_graphs)).tolist())

    @property
    def _is_class(self) -> Bools:
        is_class: Bools = np.asarray(self.survey.predictions, dtype=np.int64) == self.target
        return is_class

    def __repr__(self) -> str:
        reasons = f", {count_of(len(self.reasons), 'reason')}" if self.reasons else ""
        return f"Explanation(target={self.target}, {count_of(len(self.prototypes), 'prototype')}{reasons})"

    def summary(self) -> str:
        """Say in a few lines what was found: for each prototype a line of words and a line of figures, then the rule.

        Above them is what the model tells apart, how well, and whether there is reason to doubt that it has learned
        anything.
        """
        return "\n\n".join([*self.about_the_model(), self.found()])

    def about_the_model(self) -> list[str]:
        """What holds for all classes: doubts, task, inputs, and how predictions agree with labels; what is known."""
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.sentences import sensitivity_lines

        about, counts = self.provenance.about, self.survey.confusion or ()
        *first, inputs = sensitivity_lines(self.sensitivity) or [""]
        task = [f"Task: {one_line(about['task'])}."] if "task" in about else []
        columns = [f"The columns of nodes and edges are those of {about['columns']}."] if "columns" in about else []
        figures = [figures_line(Performance(counts))] if sum(map(sum, counts)) else []
        lines = [*first, *task, *figures, *columns, inputs]
        return list(filter(None, [doubts_box(self.doubts) if self.doubts else "", "\n".join(filter(None, lines))]))

    def found(self) -> str:
        """What was found for the class: the lower part of :meth:`summary`."""
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.rule_words import rule_lines

        name = "" if self.class_name == str(self.target) else f" ({clean_name(self.class_name)})"
        verb = "is" if self.num_predicted == 1 else "are"
        lines = [f"Class {self.target}{name}: {self.num_predicted} of {self.num_graphs} graphs {verb} predicted as it."]
        for number, prototype in enumerate(self.prototypes, start=1):
            words = prototype.describe(self.class_name, class_names=self.class_names)
            source = "" if prototype.source is None else self.graph_label(prototype.source)
            lines += [f"  {number}. {words}", f"     {figures_of(prototype, self.feature_colors, source)}"]
        if not self.prototypes:
            lines.append("  No prototype was found.")
        lines.extend(f"  {line}" for line in rule_lines(self))
        lines.extend(f"  Note: {one_line(warning)}." for warning in self.warnings)
        return "\n".join(lines)

    def plot(self, path: str | PathLike[str] | None = None) -> None:
        """Draw each prototype beside the graph it was cut from, and each reason beside its example.

        Args:
            path: Where to save the picture, PNG, SVG or PDF by its ending; ``None`` shows it.
        """
        from protograph.report.figure import plot

        plot([self], path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file."""
        from protograph.report.report import write_report

        write_report([self], path)

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.notebook import explanations_html

        return explanations_html([self], {})

    def to_frame(self, of: str = "prototypes") -> Any:
        """One tidy table as a :class:`pandas.DataFrame`, for whatever is next.

        Args:
            of: ``"prototypes"``, ``"reasons"`` or ``"graphs"``: what has a row.

        Raises:
            ValueError: If there is no such table.
            ImportError: If pandas is not installed.
        """
        return frame_of(of, [self])

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, whole or not at all, to be read again by :func:`protograph.load`.

        Of graphs, tensors, nested graphs, texts and numbers are kept. Options that JSON has no value for, such as a
        function, are kept by name.

        Args:
            path: The file; an existing one is replaced.

        Raises:
            ValueError: If a field is of another type than its own, which the message names.
            OSError: If the file cannot be written there.
        """
        write_document({"explanation": pack(self, Explanation, "explanation")}, path)
