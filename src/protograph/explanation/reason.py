"""A reason of a class: patterns that a graph has and patterns that it lacks, with where that holds."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph._base.intervals import wilson
from protograph.explanation.codec import UnfitError, unfit
from protograph.explanation.pattern import Pattern
from protograph.explanation.searched_graphs import SearchedGraphs, as_searched
from protograph.graphs.validate import node_count


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
                raise unfit(part, f"in [0, {total}], {total} being {whole}", getattr(self, part))

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

    def __repr__(self) -> str:
        return f"Example(source={self.source}, {len(self.nodes)} nodes, probability={self.probability:.4f})"


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
        if self.example is not None:
            self._check_marked(self.example)

    def _check_marked(self, example: Example) -> None:
        sizes = [pattern.num_nodes for pattern in self.has for _ in range(pattern.at_least)]
        if [len(nodes) for nodes in example.marked] != sizes:
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

    def describe(self, *, colors: Sequence[str] = ()) -> str:
        """Say in words what a graph must have and what it must lack: all that counts, and nothing else.

        Args:
            colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.
        """
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.reason_words import reason_words

        return reason_words(self, colors)

    def holds(self, graphs: Iterable[Data] | SearchedGraphs) -> Bools:
        """In which graphs it holds, one answer a graph; no model is asked.

        Args:
            graphs: Graphs of the same columns as those it was found in; what they hold may be new.
        """
        searched = as_searched(graphs)
        holds = np.ones(len(searched), np.bool_)
        for pattern in self.has:
            holds &= pattern.holds_in(searched)
        for pattern in self.lacks:
            holds &= ~pattern.holds_in(searched)
        for reason in self.unless:
            holds &= ~reason.holds(searched)
        return holds

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.notebook import reason_html

        return reason_html(self)

    def __repr__(self) -> str:
        parts = [("has", self.has), ("lacks", self.lacks), ("unless", self.unless)]
        return f"Reason({', '.join(f'{name}={list(items)}' for name, items in parts if items)})"
