"""An explainer that is checked, and how it is asked."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.explainer import Explainer
from protograph.explanation import Explanation, Prototype
from protograph.testing.cases import small_graphs, small_model

# Of two margins that are the same: what the order of additions may change.
TOLERANCE = 1e-6


class ContractError(AssertionError):
    """An explainer does not keep the contract; the message says what was wanted, and what came."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What makes the explainer, and the graphs that it is fitted to."""

    make: Callable[[], Explainer]
    graphs: list[Data] = field(default_factory=small_graphs)
    _explained: dict[str, Explanation] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """What messages call it."""
        return getattr(self.make, "__name__", None) or type(self.made()).__name__

    def made(self, **options: Any) -> Explainer:
        """A new explainer; options that it has may be other than its own."""
        explainer = self.make()
        if not isinstance(explainer, Explainer):
            raise ContractError(f"wanted a protograph.Explainer, got {type(explainer).__name__}")
        own = dict(explainer._options())
        changed = {name: value for name, value in options.items() if name in own}
        return type(explainer)(**own | changed) if changed else explainer

    def fitted(self, model: Any = None, graphs: Any = None, **options: Any) -> Explainer:
        """A new explainer that is fitted, to a small model if no other is given."""
        chosen = small_model() if model is None else model
        return self.made(**options).fit(chosen, self.graphs if graphs is None else graphs)

    def explained(self, convolution: str = "gcn") -> Explanation:
        """An explanation of the class that most graphs are predicted as by a small model; made once for all checks."""
        if convolution not in self._explained:
            self._explained[convolution] = of_most(self.fitted(small_model(convolution)))
        return self._explained[convolution]


Check = Callable[[Subject], None]


def of_most(explainer: Explainer) -> Explanation:
    """The explanation of the class that most graphs are predicted as."""
    explanation = explainer.explain(most_predicted(explainer))
    owed(isinstance(explanation, Explanation), "explain to give a protograph.Explanation", type(explanation).__name__)
    owed(bool(explanation.prototypes), "at least one prototype", "none")
    return explanation


def most_predicted(explainer: Explainer) -> int:
    """The class that most graphs are predicted as."""
    return int(np.bincount(explainer.predictions_).argmax())


def owed(is_kept: bool, wanted: str, came: object) -> None:
    """Raise unless a part of the contract is kept."""
    if not is_kept:
        raise ContractError(f"wanted {wanted}, got {came}")


def difference(one: Explanation, other: Explanation) -> str:
    """How the prototypes of two explanations differ; empty where they do not."""
    if len(one.prototypes) != len(other.prototypes):
        return f"{len(one.prototypes)} prototypes and {len(other.prototypes)}"
    for number, (first, second) in enumerate(zip(one.prototypes, other.prototypes, strict=True)):
        if not _is_same(first, second):
            return (
                f"as prototype {number} {_told(first)} and then {_told(second)}, or the same size with other nodes or "
                f"edges"
            )
    return ""


def _is_same(one: Prototype, other: Prototype) -> bool:
    return (
        torch.equal(one.graph.x, other.graph.x)
        and torch.equal(one.graph.edge_index, other.graph.edge_index)
        and abs(one.margin - other.margin) <= TOLERANCE * max(1.0, abs(one.margin))
    )


def _told(prototype: Prototype) -> str:
    return f"{prototype.num_nodes} nodes, {prototype.num_edges} edges with margin {prototype.margin:.6f}"
