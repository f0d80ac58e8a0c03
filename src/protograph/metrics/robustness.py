"""Explanations under several models: how much their class probability varies, and if it goes with accuracy."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from torch import nn
from torch_geometric.data import Data

from protograph.metrics.intervals import Measure
from protograph.metrics.judging import Graphs, Judged, Model, graphs_of, judge
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
    judged = _judge_each(
        graphs, models, target, explain=explain, return_type=return_type, reference_graphs=reference_graphs
    )
    chances = [one.probability for one in judged]
    return Consistency(float(np.std(chances)), tuple(chances), float(np.mean(chances)))


@dataclass(frozen=True)
class Faithfulness(Measure):
    """Faithfulness and what it was computed from.

    Attributes:
        value: Kendall's tau-b, in [-1, 1]; higher is better. NaN where it has no value; ``note`` says why.
        probabilities: Class probability of the explanations under each model, the mean over prototypes.
        margins: Log-odds of these, which are what is ranked.
        test_accuracies: Test accuracy of each model.
        p_value: Of the two-sided test that the two are independent.
        note: Why there is no value; empty where there is one.
    """

    probabilities: tuple[float, ...]
    margins: tuple[float, ...]
    test_accuracies: tuple[float, ...]
    p_value: float
    note: str = ""


def faithfulness(
    graphs: Graphs | None,
    models: Iterable[Model],
    test_accuracies: Iterable[float],
    target: int,
    *,
    explain: Callable[[nn.Module], Graphs] | None = None,
    return_type: AskedType = "auto",
    reference_graphs: Sequence[Data] | None = None,
) -> Faithfulness:
    r"""Kendall's tau-b between class probability of explanations and test accuracy (paper, Section "Experiments").

    .. math:: \tau_b = \frac{C - D}{\sqrt{(C + D + T_p)(C + D + T_a)}}

    over pairs of models: :math:`C` that both order alike, :math:`D` that they order differently, :math:`T_p` and
    :math:`T_a` tied in the probability or the accuracy alone. In [-1, 1], and higher is better. The paper takes
    models trained on labels of which 0 to 50 percent are wrong. Probabilities become 1 in
    float64, so their log-odds are ranked, which is the same order.

    Args:
        graphs: The explanation of a reference model, or its prototypes; ``None`` with ``explain``.
        models: At least two models; a generator is read one at a time.
        test_accuracies: Test accuracy of each model, on right labels.
        target: The class that is explained.
        explain: Takes a model and returns its explanation, or prototypes.
        return_type: What the models return; see :func:`protograph.metrics.judge`.
        reference_graphs: Graphs by which ``"auto"`` is decided too; see :func:`protograph.metrics.judge`.

    Raises:
        ValueError: If there are fewer than two models, another number of accuracies, or both or neither of
            ``graphs`` and ``explain``.
    """
    accuracies = tuple(map(float, test_accuracies))
    if not all(map(math.isfinite, accuracies)):
        raise ValueError(f"test_accuracies must be numbers, got {next(a for a in accuracies if not math.isfinite(a))}")
    judged = _judge_each(
        graphs, models, target, explain=explain, return_type=return_type, reference_graphs=reference_graphs
    )
    if len(judged) != len(accuracies):
        raise ValueError(f"test_accuracies must be one for each of the {len(judged)} models, got {len(accuracies)}")
    chances, margins = tuple(one.probability for one in judged), tuple(one.margin for one in judged)
    for what, values in (("class probability", margins), ("test accuracy", accuracies)):
        if len(set(values)) == 1:
            note = f"the {what} is the same for all {len(values)} models, so there is no order"
            return Faithfulness(math.nan, chances, margins, accuracies, math.nan, note)
    from scipy.stats import kendalltau

    found = kendalltau(margins, accuracies, variant="b")
    return Faithfulness(float(found.statistic), chances, margins, accuracies, float(found.pvalue))


def _judge_each(
    graphs: Graphs | None,
    models: Iterable[Model],
    target: int,
    *,
    explain: Callable[..., Graphs] | None,
    return_type: AskedType,
    reference_graphs: Sequence[Data] | None,
) -> list[Judged]:
    """Judge the same graphs by every model, or by each model those that ``explain`` finds for it."""
    if (graphs is None) == (explain is None):
        given = "both" if explain is not None else "neither"
        raise ValueError(
            f"give either graphs, which all models judge, or explain=, which finds graphs for each model; got {given}"
        )
    fixed = [] if graphs is None else graphs_of(graphs)
    judged = [
        judge(
            model,
            fixed if explain is None else explain(model),
            target,
            return_type=return_type,
            reference_graphs=reference_graphs,
        )
        for model in models
    ]
    if len(judged) < 2:
        raise ValueError(f"models must be at least 2, got {len(judged)}")
    return judged
