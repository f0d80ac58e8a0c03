"""Consistency: how much the class probability of explanations varies over models of the same task."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import nn
from torch_geometric.data import Data

from protograph.metrics.intervals import Measure
from protograph.metrics.judging import Graphs, Model, judge_each
from protograph.models.outputs import AskedType


@dataclass(frozen=True)
class Consistency(Measure):
    """Consistency and what it was computed from.

    Attributes:
        value: Standard deviation over the models, in [0, 0.5]; lower is better.
        probabilities: Class probability of the explanations under each model, the mean over prototypes.
        mean: Mean of these. A low ``value`` says little where it is near 0: no model then accepts the explanations.
    """

    probabilities: tuple[float, ...]
    mean: float


def consistency(
    graphs: Graphs | None,
    models: Iterable[Model],
    target: int,
    *,
    explain: Callable[[nn.Module], Graphs] | None = None,
    return_type: AskedType = "auto",
    reference_graphs: Sequence[Data] | None = None,
) -> Consistency:
    r"""Standard deviation, over models, of the class probability of explanations (paper, Section "Experiments").

    .. math:: \sqrt{\frac{1}{M} \sum_{m=1}^{M} (p_m - \bar p)^2}, \qquad
              p_m = \frac{1}{|P|} \sum_{g \in P} p_\mathrm{GNN}^{(m)}(c \mid g)

    In [0, 0.5], and lower is better. The paper takes models of different widths. What it says of XGNN only fits
    explanations :math:`P` of one reference model that all models judge, so these are ``graphs``; with ``explain``
    every model judges its own explanations instead.

    Args:
        graphs: The explanation of a reference model, or its prototypes; ``None`` with ``explain``.
        models: At least two models of the same task; a generator is read one at a time.
        target: The class that is explained.
        explain: Takes a model and returns its explanation, or prototypes.
        return_type: What the models return; see :func:`protograph.metrics.judge`.
        reference_graphs: Graphs by which ``"auto"`` is decided too; see :func:`protograph.metrics.judge`.

    Raises:
        ValueError: If there are fewer than two models, or both or neither of ``graphs`` and ``explain``.
    """
    judged = judge_each(
        graphs, models, target, explain=explain, return_type=return_type, reference_graphs=reference_graphs
    )
    chances = [one.probability for one in judged]
    return Consistency(float(np.std(chances)), tuple(chances), float(np.mean(chances)))
