"""Relative training gain: what training adds to the concentration of an attribution."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation import Prototype
from protograph.metrics.attribution import Method, attribute
from protograph.metrics.concentration import concentration
from protograph.metrics.intervals import Measure
from protograph.metrics.judging import Model
from protograph.models.outputs import AskedType


@dataclass(frozen=True)
class TrainingGain(Measure):
    """Relative training gain and what it was computed from.

    Attributes:
        value: At least -1; higher is better. Infinite where the initial concentration is 0, NaN where both are.
        concentration: Of the trained model.
        initial_concentration: Of the model before training.
    """

    concentration: float
    initial_concentration: float


def training_gain(
    graph: Data | Prototype,
    model: Model,
    initial_model: Model,
    target: int,
    truth_mask: Tensor | NDArray[Any] | Sequence[bool],
    *,
    method: Method = "InputXGradient",
    num_epochs: int = 100,
    random_state: int = 0,
    return_type: AskedType = "auto",
    reference_graphs: Sequence[Data] | None = None,
) -> TrainingGain:
    r"""Relative training gain of a prototype (paper, definition "Relative training gain").

    .. math:: \beta = \frac{\alpha}{\alpha_0} - 1

    with :math:`\alpha` the concentration score under the trained model and :math:`\alpha_0` under the initial one,
    for the same prototype. In [-1, inf), and higher is better; 0 says that training changed nothing.

    Args:
        graph: The prototype.
        model: The trained model.
        initial_model: The same model before training (``trained.initial_model``).
        target: The class.
        truth_mask: Which nodes of the prototype belong to the ground truth, booleans.
        method: The instance-level method, and all that follows, as in :func:`protograph.metrics.attribute`.
        num_epochs: Steps of GNNExplainer.
        random_state: Seed, the same for both models.
        return_type: What the models return.
        reference_graphs: Graphs by which ``"auto"`` is decided too.
    """
    alpha, initial = (
        concentration(
            attribute(
                one,
                graph,
                target,
                method,
                num_epochs=num_epochs,
                random_state=random_state,
                return_type=return_type,
                reference_graphs=reference_graphs,
            ),
            truth_mask,
        )
        for one in (model, initial_model)
    )
    return TrainingGain(relative_gain(alpha, initial), alpha, initial)


def relative_gain(alpha: float, initial: float) -> float:
    """The gain of one concentration score over another.

    >>> relative_gain(0.75, 0.5), relative_gain(0.25, 0.0)
    (0.5, inf)
    """
    if initial == 0:
        return math.nan if alpha == 0 else math.inf
    return alpha / initial - 1
