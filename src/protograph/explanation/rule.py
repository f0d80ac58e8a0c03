r"""The rule of a class: its reasons, one of which must hold, and how far that agrees with the model.

A rule that says of each graph which class it is, or none, is right where it says the class that the model predicts.
The shares of graphs for which it is right, one for each predicted class, weigh the same:

.. math:: \frac{1}{|C|} \sum_{c \in C} \frac{r_c}{n_c}, \qquad C = \{c : n_c > 0\}

with :math:`n_c` graphs predicted as class c, and :math:`r_c` of them right.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph._utils.intervals import wilson
from protograph.explanation.io import UnfitError, unfit
from protograph.explanation.pattern import Pattern, SearchedGraphs, as_searched
from protograph.graphs.validate import node_count

# What a graph was used for.
SEARCHED, CONFIRMING, KEPT_APART = range(3)
PART_NAMES = ("searched", "confirming", "kept apart")


class Fidelity(float):
    """A share of graphs for which rules say what the model predicts, every class weighing the same: a number.

    Args:
        num_right: For how many graphs of each class the rules are right.
        num_graphs: How many graphs of each class there are.

    Attributes:
        low: Lower end of its 95% interval: of Wilson's for each class, with the distances combined in quadrature.
        high: Upper end.
        counts: For each class for how many of its graphs the rules are right, and how many graphs it has. Of the rule
            of one class: first the class itself, then all others together.

    >>> fidelity = Fidelity([9, 30], [10, 60])
    >>> fidelity, round(fidelity.low, 3), round(fidelity.high, 3), fidelity.by_class
    (0.7, 0.536, 0.774, (0.9, 0.5))
    """

    low: float
    high: float
    counts: tuple[tuple[int, int], ...]

    def __new__(cls, num_right: Sequence[int], num_graphs: Sequence[int]) -> "Fidelity":
        """The number and its interval, worked out of the counts."""
        counts = tuple((int(right), int(total)) for right, total in zip(num_right, num_graphs, strict=True))
        shares = [(right / total, *wilson(right, total)) for right, total in counts if total]
        value = sum(share for share, _, _ in shares) / len(shares) if shares else math.nan
        made = super().__new__(cls, value)
        below = math.hypot(*(share - low for share, low, _ in shares)) / max(len(shares), 1)
        above = math.hypot(*(high - share for share, _, high in shares)) / max(len(shares), 1)
        made.low, made.high, made.counts = max(0.0, value - below), min(1.0, value + above), counts
        return made

    def __getnewargs__(self) -> Any:
        return [right for right, _ in self.counts], [total for _, total in self.counts]

    @property
    def num_graphs(self) -> int:
        """How many graphs it is of."""
        return sum(total for _, total in self.counts)

    @property
    def by_class(self) -> tuple[float, ...]:
        """The share of each class's graphs, as of :attr:`counts`; NaN for a class without graphs."""
        return tuple(right / total if total else math.nan for right, total in self.counts)


def fidelity_of_class(holds: Bools, is_class: Bools) -> Fidelity:
    """How well the rule of one class tells its graphs from all others.

    Args:
        holds: For each graph whether the rule holds.
        is_class: For each graph whether the model predicts it as the class.

    >>> fidelity_of_class(np.array([True, False, False]), np.array([True, True, False]))
    0.75
    """
    right, totals = holds == is_class, (is_class, ~is_class)
    return Fidelity([int(right[part].sum()) for part in totals], [int(part.sum()) for part in totals])


def fidelity_of_all(holds: Bools, predictions: Ints) -> Fidelity:
    """How well the rules of all classes tell them: exactly one rule holds, and it is that of the predicted class.

    Args:
        holds: For each graph and class whether the rule of the class holds, ``[num_graphs, num_classes]``.
        predictions: The class that the model predicts for each graph.

    >>> fidelity_of_all(np.array([[True, False], [True, True], [False, False]]), np.array([0, 0, 1]))
    0.25
    """
    num_classes = holds.shape[1]
    is_right = (holds.sum(axis=1) == 1) & holds[np.arange(len(predictions)), predictions]
    right = np.bincount(predictions[is_right], minlength=num_classes)
    return Fidelity(right.tolist(), np.bincount(predictions, minlength=num_classes).tolist())


@dataclass(frozen=True, kw_only=True)
class Support:
    """In how many graphs something holds.

    Attributes:
        num_in_class: In how many of the graphs predicted as the class.
        num_class: How many graphs are predicted as the class.
        num_elsewhere: In how many of the graphs predicted as another class.
        num_others: How many graphs are predicted as another class.
    """

    num_in_class: int
    num_class: int
    num_elsewhere: int
    num_others: int

    def __post_init__(self) -> None:
        for part, whole in (("num_in_class", "num_class"), ("num_elsewhere", "num_others")):
            total = getattr(self, whole)
            if not 0 <= getattr(self, part) <= total:
                raise unfit(part, f"in [0, {total}], which is {whole}", getattr(self, part))

    @classmethod
    def of(cls, holds: Bools, is_class: Bools) -> "Support":
        """Counted: for each graph whether it holds there, and whether the graph is predicted as the class."""
        return cls(
            num_in_class=int((holds & is_class).sum()),
            num_class=int(is_class.sum()),
            num_elsewhere=int((holds & ~is_class).sum()),
            num_others=int((~is_class).sum()),
        )

    def __add__(self, other: "Support") -> "Support":
        sums = {name: number + getattr(other, name) for name, number in vars(self).items()}
        return Support(**sums)

    @property
    def num_graphs(self) -> int:
        """In how many graphs it holds, of whichever class."""
        return self.num_in_class + self.num_elsewhere

    @property
    def share(self) -> float:
        """Share of the graphs predicted as the class; NaN where there are none."""
        return self.num_in_class / self.num_class if self.num_class else math.nan

    @property
    def share_elsewhere(self) -> float:
        """Share of the graphs predicted as another class; NaN where there are none."""
        return self.num_elsewhere / self.num_others if self.num_others else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval of :attr:`share`."""
        return wilson(self.num_in_class, self.num_class)

    @property
    def interval_elsewhere(self) -> tuple[float, float]:
        """Wilson's 95% interval of :attr:`share_elsewhere`."""
        return wilson(self.num_elsewhere, self.num_others)


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """A part of a source graph in which a reason holds, and which the model predicts as the class.

    No node can be left out of it.

    Attributes:
        source: Index of the graph.
        nodes: Its nodes there: node ``i`` of ``graph`` is node ``nodes[i]`` of that graph.
        graph: The part, with all edges between its nodes; it may be of several components.
        marked: For each pattern that the reason has, and each place in which that is asked for, the nodes of ``graph``
            that correspond to the pattern's, in the pattern's order.
        probability: The model's probability of the class for it.
        is_whole: Whether it is the whole graph: the model needs the context.
    """

    source: int
    nodes: tuple[int, ...]
    graph: Data
    marked: tuple[tuple[int, ...], ...]
    probability: float
    is_whole: bool = False

    def __post_init__(self) -> None:
        size = node_count(self.graph)
        if len(set(self.nodes)) != len(self.nodes) or len(self.nodes) != size:
            raise unfit("nodes", f"a list of {size} different ones, one for each node of graph", self.nodes)
        for place, nodes in enumerate(self.marked):
            if len(set(nodes)) != len(nodes) or not all(0 <= node < size for node in nodes):
                raise unfit(f"marked[{place}]", f"different nodes of graph, from 0 to {size - 1}", nodes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Reason:
    """Patterns that a graph has and patterns that it lacks: where both are so, the reason holds.

    Attributes:
        has: Patterns that are there.
        lacks: Patterns that are not there.
        unless: Reasons of the other classes, none of which holds: what is left when nothing marks another class; empty
            for all other reasons.
        example: A part of a graph in which it holds; ``None`` where none is known.
        searched: Where it holds among the graphs that were searched for it.
        confirming: Where it holds among the graphs that confirmed it.
        kept_apart: Where it holds among the graphs that were used for nothing else; ``None`` where there are none.
        holds_in_indices: The graphs given to ``fit`` in which it holds, ascending.
    """

    has: tuple[Pattern, ...] = ()
    lacks: tuple[Pattern, ...] = ()
    unless: tuple["Reason", ...] = ()
    example: Example | None = None
    searched: Support
    confirming: Support
    kept_apart: Support | None = None
    holds_in_indices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not (self.has or self.lacks or self.unless):
            raise UnfitError("has must have a pattern where lacks and unless have none, got none")
        if any(reason.unless for reason in self.unless):
            raise UnfitError("unless must be reasons without unless, got others")
        indices = self.holds_in_indices
        if any(index < 0 for index in indices[:1]) or any(first >= second for first, second in pairwise(indices)):
            raise UnfitError("holds_in_indices must be ascending and at least 0, got others")
        if len(indices) != self.support.num_graphs:
            wanted = f"a list of {self.support.num_graphs}, as many as the supports count"
            raise unfit("holds_in_indices", wanted, self.holds_in_indices)
        sizes = [pattern.num_nodes for pattern in self.has for _ in range(pattern.at_least)]
        if self.example is not None and [len(nodes) for nodes in self.example.marked] != sizes:
            raise UnfitError(
                f"example.marked must be lists of {sizes} nodes, one for each place of each pattern of has, got others"
            )

    @property
    def support(self) -> Support:
        """Where it holds among all graphs."""
        parts = self.searched + self.confirming
        return parts if self.kept_apart is None else parts + self.kept_apart

    @property
    def is_rest(self) -> bool:
        """Whether it is what is left when nothing marks another class."""
        return bool(self.unless)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The patterns of its own, those that are there first."""
        return (*self.has, *self.lacks)

    def describe(self) -> str:
        """Say in words what a graph must have and what it must lack: all that counts, and nothing else."""
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.rule_words import reason_words

        return reason_words(self)

    def holds(self, graphs: Iterable[Data] | SearchedGraphs) -> Bools:
        """In which graphs it holds, one answer a graph; no model is asked.

        Args:
            graphs: Graphs of the same columns as those it was found in; what they hold may be new.
        """
        searched = as_searched(graphs)
        present = [pattern.holds_in(searched) for pattern in self.has]
        absent = [one.holds_in(searched) for one in self.lacks] + [one.holds(searched) for one in self.unless]
        holds: Bools = np.all([*present, *np.logical_not(absent)], axis=0)
        return holds

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.notebook import reason_html

        return reason_html(self)

    def __repr__(self) -> str:
        parts = [("has", self.has), ("lacks", self.lacks), ("unless", self.unless)]
        return f"Reason({', '.join(f'{name}={list(items)}' for name, items in parts if items)})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """When a graph is of a class: one of its reasons holds. As text it is the reasons in words.

    Attributes:
        reasons: In the order of how many graphs each adds.
        parts: What each graph given to ``fit`` was used for: 0 searched for reasons, 1 confirming them, 2 kept apart
            for the fidelity; empty where nothing was kept apart.
        typical_uncovered: The most typical of the graphs of the class in which no reason holds, by index.
        fidelity_note: Why there is no fidelity; empty where there is.
    """

    reasons: tuple[Reason, ...] = ()
    parts: tuple[int, ...] = ()
    typical_uncovered: tuple[int, ...] = ()
    fidelity_note: str = ""

    def __post_init__(self) -> None:
        if not set(self.parts) <= {SEARCHED, CONFIRMING, KEPT_APART}:
            raise UnfitError("parts must be 0 (searched), 1 (confirming) or 2 (kept apart), got others")

    def __repr__(self) -> str:
        return f"Rule({str(self)!r})"

    def __str__(self) -> str:
        return "; or ".join(reason.describe() for reason in self.reasons)

    def predict(self, graphs: Iterable[Data] | SearchedGraphs, *, with_rest: bool = True) -> Bools:
        """Whether one of the reasons holds, one answer a graph, without the model.

        Args:
            graphs: Graphs of the same columns as those given to ``fit``; what they hold may be new.
            with_rest: Whether the reason "none of what marks the others" counts.
        """
        searched = as_searched(graphs)
        held = [reason.holds(searched) for reason in self.reasons if with_rest or not reason.is_rest]
        return np.any(held, axis=0) if held else np.zeros(len(searched), np.bool_)


def held_by(reasons: Iterable[Reason], num_graphs: int) -> Bools:
    """For each graph given to ``fit`` whether any of these reasons holds, as was counted."""
    holds = np.zeros(num_graphs, np.bool_)
    for reason in reasons:
        holds[list(reason.holds_in_indices)] = True
    return holds
