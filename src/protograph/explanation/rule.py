"""The rule of a class: its reasons, one of which must hold, and how far that agrees with the model."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools, Ints
from protograph.explanation.codec import UnfitError, unfit
from protograph.explanation.fidelity import Fidelity, fidelity_of_class
from protograph.explanation.prototype import Prototype
from protograph.explanation.reason import Reason, Support
from protograph.explanation.searched_graphs import SearchedGraphs, as_searched

# What a graph was used for.
SEARCHED, CONFIRMING, KEPT_APART = range(3)
PART_NAMES = ("searched", "confirming", "kept apart")


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassRule:
    """What of an explanation says when a graph is of the class; the fields are told of there."""

    target: int
    prototypes: list[Prototype]
    reasons: tuple[Reason, ...] = ()
    graph_predictions: tuple[int, ...] = ()
    graph_parts: tuple[int, ...] = ()
    typical_uncovered: tuple[int, ...] = ()
    fidelity_note: str = ""

    def __post_init__(self) -> None:
        size = len(self.graph_predictions)
        if self.reasons and not size:
            raise unfit("graph_predictions", "the class of each graph where there are reasons", self.graph_predictions)
        if min(self.graph_predictions, default=0) < 0:
            raise UnfitError("graph_predictions must be classes, from 0, got others")
        if len(self.graph_parts) not in (0, size):
            wanted = f"empty or a list of {size}, one for each of graph_predictions"
            raise unfit("graph_parts", wanted, self.graph_parts)
        if not set(self.graph_parts) <= {SEARCHED, CONFIRMING, KEPT_APART}:
            raise UnfitError("graph_parts must be 0 (searched), 1 (confirming) or 2 (kept apart), got others")
        for number, reason in enumerate(self.reasons):
            self._check_reason(reason, f"reasons[{number}]")
        if not set(self.typical_uncovered) <= set(self.uncovered):
            raise unfit("typical_uncovered", "graphs of the class in which no reason holds", self.typical_uncovered)

    def _check_reason(self, reason: Reason, name: str) -> None:
        """Whether a reason's figures are those that its indices come to."""
        size = len(self.graph_predictions)
        if max(reason.holds_in_indices, default=-1) >= size:
            raise unfit(f"{name}.holds_in_indices", f"below {size}, the number of graphs", max(reason.holds_in_indices))
        if not self.graph_parts:
            return self._check_support(reason.support, f"{name}.support", reason, np.ones(size, np.bool_))
        parts = np.array(self.graph_parts)
        self._check_support(reason.searched, f"{name}.searched", reason, parts == SEARCHED)
        self._check_support(reason.confirming, f"{name}.confirming", reason, parts == CONFIRMING)
        self._check_support(reason.kept_apart, f"{name}.kept_apart", reason, parts == KEPT_APART)
        return None

    def _check_support(self, stated: Support | None, name: str, reason: Reason, chosen: Bools) -> None:
        counted = Support.of(self._holds_by(reason)[chosen], self._is_class[chosen])
        if stated != (counted if stated is not None or chosen.any() else None):
            wanted = ", ".join(f"{key} {number}" for key, number in vars(counted).items())
            raise UnfitError(f"{name} must be what holds_in_indices comes to ({wanted}), got others")

    @property
    def is_rule_of_prototypes(self) -> bool:
        """Whether no reasons were looked for, so that the rule is to contain one of the prototypes."""
        return not self.graph_predictions

    def predict(self, graphs: Iterable[Data] | SearchedGraphs) -> Bools:
        """Whether the rule holds, one answer a graph, without the model.

        One of the reasons must hold. Where reasons were not looked for, as with ``search="walk"``, the graph must
        contain one of the prototypes, with the features and the edges that these were counted by.

        Args:
            graphs: Graphs of the same columns as those given to ``fit``; what they hold may be new.
        """
        return self._predict(as_searched(graphs))

    def _predict(self, graphs: SearchedGraphs, *, with_rest: bool = True) -> Bools:
        holds = np.zeros(len(graphs), np.bool_)
        for reason in self.reasons:
            if with_rest or not reason.is_rest:
                holds |= reason.holds(graphs)
        for one in self.prototypes if self.is_rule_of_prototypes else ():
            holds |= graphs.contain(one.graph, match_features=one.match_features, edge_rule=one.edge_rule)
        return holds

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

    def _fidelity(self, reasons: Iterable[Reason]) -> Fidelity | None:
        chosen = self._kept_apart
        return fidelity_of_class(self._holds_by(*reasons)[chosen], self._is_class[chosen]) if chosen.size else None

    @property
    def uncovered(self) -> tuple[int, ...]:
        """Graphs predicted as the class in which no reason holds, by index; empty where none were looked for."""
        return tuple(np.flatnonzero(self._is_class & ~self._holds_by(*self.reasons)).tolist())

    @property
    def uncovered_share(self) -> float:
        """Their share of the graphs predicted as the class; NaN where no reasons were looked for."""
        num_class = int(self._is_class.sum())
        return len(self.uncovered) / num_class if num_class else math.nan

    @property
    def disagreements(self) -> tuple[int, ...]:
        """Graphs, by index, for which the rule says something else than the model; empty without reasons."""
        return tuple(np.flatnonzero(self._is_class != self._holds_by(*self.reasons)).tolist())

    @property
    def _is_class(self) -> Bools:
        is_class: Bools = np.asarray(self.graph_predictions, dtype=np.int64) == self.target
        return is_class

    @property
    def _kept_apart(self) -> Ints:
        """Indices of the graphs that were used for nothing but the printed fidelity."""
        return np.flatnonzero(np.asarray(self.graph_parts, dtype=np.int64) == KEPT_APART)

    def _holds_by(self, *reasons: Reason) -> Bools:
        """For each graph given to ``fit`` whether any of these reasons holds, as was counted."""
        holds = np.zeros(len(self.graph_predictions), np.bool_)
        for reason in reasons:
            holds[list(reason.holds_in_indices)] = True
        return holds
