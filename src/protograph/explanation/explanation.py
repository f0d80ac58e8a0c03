"""What every explainer returns: prototypes of a class, with the evidence behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph._base.words import clean_name, count_of, one_line
from protograph.explanation.codec import UnfitError, pack, unfit
from protograph.explanation.figures import figures_of
from protograph.explanation.pattern import Pattern
from protograph.explanation.prototype import Prototype
from protograph.explanation.reason import Reason
from protograph.explanation.rule import ClassRule
from protograph.explanation.saving import write
from protograph.explanation.survey import Survey, TakenOut
from protograph.graphs.conditions import EdgeRule, NodeRule
from protograph.graphs.names import ColumnNames, NamedGraph, ValueNames, named_graph, rule_lines
from protograph.graphs.origins import Origin
from protograph.graphs.validate import node_count
from protograph.models.performance import Performance, doubts_box, figures_line


@dataclass(frozen=True)
class EmbeddingMap:
    """The graphs predicted as a class in two dimensions: their graph embeddings' principal components.

    Attributes:
        indices: Index of each graph.
        positions: ``[num_graphs, 2]``.
        clusters: Cluster of each graph, -1 where it is in none.
        explained: Share of the variance that each of the two dimensions has.
    """

    indices: tuple[int, ...]
    positions: Floats
    clusters: tuple[int, ...]
    explained: tuple[float, float]

    def __post_init__(self) -> None:
        size = len(self.indices)
        if len(self.clusters) != size:
            raise unfit("clusters", f"a list of {size}, one for each of indices", self.clusters)
        if self.positions.shape != (size, 2):
            raise unfit("positions.shape", f"[{size}, 2], one row for each of indices", self.positions.shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation(ClassRule):
    """Prototypes of one class, best first, its reasons, and everything needed to judge and show them.

    Attributes:
        target: The class.
        prototypes: Best first: by the class margin.
        reasons: The rule of the class: one of them holds. In the order of how many graphs each adds.
        graph_predictions: The class that the model predicts for each graph given to ``fit``; empty where reasons were
            not looked for, and the rule is to contain one of the prototypes.
        graph_parts: What each of these graphs was used for: 0 searched for reasons, 1 confirming them, 2 kept apart for
            :attr:`fidelity`; empty where nothing was kept apart.
        typical_uncovered: The most typical of the graphs of the class in which no reason holds, by index.
        fidelity_note: Why there is no :attr:`fidelity`; empty where there is.
        explainer: Name of the explainer.
        options: Its options.
        source_graphs: The graphs that prototypes and examples were cut from or matched with, by index.
        origins: Where the graphs came from that are spoken of, by index: place, line, name and SMILES.
        num_graphs: How many graphs were looked at.
        num_predicted: How many of them the model predicts as ``target``.
        class_names: Names of all classes; their numbers where the data has no names.
        feature_names: Names of the columns of ``x``; empty where the data has no names.
        feature_values: Names of the values of columns of whole numbers, by column and value.
        feature_colors: Colours of the kinds of nodes: of the columns of ``x``, or of the values of the first column
            whose values have names; empty where the data has none.
        edge_names: Names of the columns of ``edge_attr``; empty where the data has no names.
        edge_values: Names of the values of columns of whole numbers, by column and value.
        edge_rule: Which edges counted as the same, in matching and in counting.
        node_rule: Which nodes counted as the same, by their features: what ``match_features`` came to.
        confusion: ``confusion[i][j]`` graphs of class i are predicted as class j, of those that have a label; ``None``
            where none has.
        embedding_map: The class's graphs in two dimensions, ``None`` where the explainer has no use for it.
        model_calls: How many graphs the model was shown, those of ``fit`` included; ``None`` where it was not counted.
        timings: Seconds that each stage took. What is done once for all classes is told with each of them: ``fit``, of
            which ``cleaning`` is a part, and ``encoding``. ``model`` is what its passes took, in whichever stage; of a
            consensus, ``growing`` and ``trimming`` are parts of ``search``, and ``counting`` of these.
        versions: Versions of the packages that matter.
        warnings: What was done differently from what was asked, and why little can be said of the class.
        doubts: Reasons to doubt that the model has learned to tell the classes apart; the same for all its classes.
        survey: Where every graph came from, its label, what the model makes of it and where it lies on a map; the same
            for all classes, and ``None`` in files of older versions.
        prototypes_taken_out: For each prototype what becomes of the margin of some graphs without it; empty where that
            is not known.
        reasons_taken_out: The same of the patterns that each reason has.
        about: What was explained, by name: data, model, date.
        truths: Ground truths of the class, where the data set has such.
    """

    explainer: str
    options: Mapping[str, Any]
    source_graphs: Mapping[int, Data] = field(default_factory=dict)
    origins: Mapping[int, Origin] = field(default_factory=dict)
    num_graphs: int
    num_predicted: int
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...] = ()
    feature_values: ValueNames = field(default_factory=dict)
    feature_colors: tuple[str, ...] = ()
    edge_names: tuple[str, ...] = ()
    edge_values: ValueNames = field(default_factory=dict)
    edge_rule: EdgeRule = field(default_factory=EdgeRule)
    node_rule: NodeRule = field(default_factory=NodeRule)
    confusion: tuple[tuple[int, ...], ...] | None = None
    embedding_map: EmbeddingMap | None = None
    model_calls: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    survey: Survey | None = None
    prototypes_taken_out: tuple[tuple[TakenOut, ...], ...] = ()
    reasons_taken_out: tuple[tuple[TakenOut, ...], ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    truths: tuple[Data, ...] = ()

    def __post_init__(self) -> None:
        num_classes = len(self.class_names)
        if not 0 <= self.target < num_classes:
            raise unfit("target", f"in [0, {num_classes}), the number of class_names", self.target)
        rows = self.confusion or ()
        if any(len(row) != len(rows) for row in rows):
            raise UnfitError(f"confusion must have as many columns as rows ({len(rows)}), got others")
        for number, prototype in enumerate(self.prototypes):
            self._check_prototype(prototype, f"prototypes[{number}]")
        self._check_predictions()
        self._check_survey()
        super().__post_init__()
        for number, reason in enumerate(self.reasons):
            self._check_parts_of(reason, f"reasons[{number}]")

    def _check_predictions(self) -> None:
        predictions = self.graph_predictions
        if len(predictions) not in (0, self.num_graphs):
            wanted = f"empty or a list of {self.num_graphs}, one for each graph"
            raise unfit("graph_predictions", wanted, predictions)
        if max(predictions, default=0) >= len(self.class_names):
            wanted = f"below {len(self.class_names)}, the number of class_names"
            raise unfit("graph_predictions", wanted, max(predictions))
        num_class = predictions.count(self.target)
        if predictions and num_class != self.num_predicted:
            wanted = f"{self.target} for {self.num_predicted} graphs, which is num_predicted"
            raise unfit("graph_predictions", wanted, num_class)

    def _check_survey(self) -> None:
        if self.survey is not None:
            self._check_rows(self.survey)
        for name, of in (("prototypes_taken_out", self.prototypes), ("reasons_taken_out", self.reasons)):
            if len(getattr(self, name)) not in (0, len(of)):
                raise unfit(name, f"empty or a list of {len(of)}, one for each", getattr(self, name))

    def _check_rows(self, survey: Survey) -> None:
        if len(survey) != self.num_graphs:
            raise unfit("survey.places", f"a list of {self.num_graphs}, one for each graph", survey.places)
        if self.graph_predictions and survey.predictions != tuple(self.graph_predictions):
            raise UnfitError("survey.predictions must be graph_predictions, got others")
        if not all(0 <= prediction < len(self.class_names) for prediction in survey.predictions):
            raise UnfitError(f"survey.predictions must be in [0, {len(self.class_names)}), got others")

    def _check_prototype(self, prototype: Prototype, name: str) -> None:
        self._check_nodes(prototype.source, prototype.nodes or (), f"{name}.nodes")
        if prototype.target not in (None, self.target):
            raise unfit(f"{name}.target", f"None or {self.target}, that of the explanation", prototype.target)
        if prototype.predicted is not None and not 0 <= prototype.predicted < len(self.class_names):
            raise unfit(f"{name}.predicted", f"None or in [0, {len(self.class_names)})", prototype.predicted)
        self._check_names(prototype, name)

    def _check_parts_of(self, reason: Reason, name: str) -> None:
        for key, patterns in (("has", reason.has), ("lacks", reason.lacks)):
            for number, pattern in enumerate(patterns):
                self._check_names(pattern, f"{name}.{key}[{number}]")
        if reason.example is not None:
            self._check_nodes(reason.example.source, reason.example.nodes, f"{name}.example.nodes")
        for number, other in enumerate(reason.unless):
            self._check_parts_of(other, f"{name}.unless[{number}]")

    def _check_nodes(self, source: int | None, nodes: Sequence[int], name: str) -> None:
        whole = None if source is None else self.source_graphs.get(source)
        if whole is not None and not all(0 <= node < node_count(whole) for node in nodes):
            raise UnfitError(f"{name} must be nodes of graph {source}, got others")

    def _check_names(self, record: Prototype | Pattern, name: str) -> None:
        for key in ("feature_names", "edge_names"):
            names, ours = getattr(record, key), getattr(self, key)
            if tuple(names) not in ((), tuple(ours)):
                raise unfit(f"{name}.{key}", "empty or those of the explanation", names)
        for key in ("feature_values", "edge_values"):
            values = dict(getattr(record, key))
            if values not in ({}, dict(getattr(self, key))):
                raise UnfitError(f"{name}.{key} must be empty or those of the explanation, got others")

    @property
    def class_name(self) -> str:
        """Name of the target class."""
        return self.class_names[self.target]

    def graph_label(self, index: int) -> str:
        """What a graph is called in words and pictures: its place in the user's own data, line, name and SMILES.

        Args:
            index: Its index, as of :attr:`Prototype.source`.
        """
        return self.origin(index).label

    def origin(self, index: int) -> Origin:
        """Where a graph came from, by its index; its place among those given to ``fit`` where no more is known."""
        if index in self.origins or self.survey is None or index >= len(self.survey):
            return self.origins.get(index, Origin(position=index))
        return self.survey.origin(index)

    def named(self, graph: Data) -> NamedGraph:
        """A graph of the data as names tell it: kinds of nodes are one-hot where values, bins or kinds have names."""
        features = ColumnNames(self.feature_names, self.feature_values)
        return named_graph(graph, features, ColumnNames(self.edge_names, self.edge_values), self.node_rule)

    @property
    def feature_lines(self) -> list[str]:
        """Which nodes counted as the same, bins and kinds by name, a line each; none where features had to be equal."""
        return rule_lines(self.node_rule, ColumnNames(self.feature_names, self.feature_values))

    @property
    def rule(self) -> str:
        """When a graph is of the class, in words: its reasons, one of which holds; empty where there are none."""
        return "; or ".join(reason.describe(colors=self.feature_colors) for reason in self.reasons)

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the search before its time; a note among ``warnings`` says when."""
        return any(note.startswith("interrupted ") for note in self.warnings)

    def __repr__(self) -> str:
        reasons = f", {count_of(len(self.reasons), 'reason')}" if self.reasons else ""
        return f"Explanation(target={self.target}, {count_of(len(self.prototypes), 'prototype')}{reasons})"

    def summary(self) -> str:
        """Say in a few lines what was found: for each prototype a line of words and a line of figures, then the rule.

        Above them is how well the model does, and whether there is reason to doubt that it has learned anything.
        """
        return "\n\n".join([*self._about_the_model(), self._found()])

    def _about_the_model(self) -> list[str]:
        """What holds for all classes: doubts, and how predictions agree with labels; empty where neither is known."""
        counts = self.confusion or ()
        figures = [figures_line(Performance(counts))] if sum(map(sum, counts)) else []
        return [*([doubts_box(self.doubts)] if self.doubts else []), *figures]

    def _found(self) -> str:
        name = "" if self.class_name == str(self.target) else f" ({clean_name(self.class_name)})"
        verb = "is" if self.num_predicted == 1 else "are"
        lines = [f"Class {self.target}{name}: {self.num_predicted} of {self.num_graphs} graphs {verb} predicted as it."]
        for number, prototype in enumerate(self.prototypes, start=1):
            words = prototype.describe(self.class_name, class_names=self.class_names, colors=self.feature_colors)
            source = "" if prototype.source is None else self.graph_label(prototype.source)
            lines += [f"  {number}. {words}", f"     {figures_of(prototype, self.feature_colors, source)}"]
        if not self.prototypes:
            lines.append("  No prototype was found.")
        lines += [f"  Features: {'; '.join(self.feature_lines)}."] if self.feature_lines else []
        lines.extend(f"  {line}" for line in self._rule_lines())
        lines.extend(f"  Note: {one_line(warning)}." for warning in self.warnings)
        return "\n".join(lines)

    def _rule_lines(self) -> list[str]:
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.rule_words import rule_lines

        return rule_lines(self)

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
        from protograph.report.notebook import explanation_html

        return explanation_html(self)

    def to_frame(self, of: str = "prototypes") -> Any:
        """One tidy table as a :class:`pandas.DataFrame`, for whatever is next.

        Args:
            of: ``"prototypes"``, ``"reasons"`` or ``"graphs"``: what has a row.

        Raises:
            ValueError: If there is no such table.
            ImportError: If pandas is not installed.
        """
        # Imported on first use, since few need it.
        from protograph.explanation.frames import frame_of

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
        write({"kind": "explanation", "explanation": pack(self, Explanation, "explanation")}, path)
