"""Instance-level attributions of a prototype's nodes, and how far they lie on the ground truth.

The attributions are those of the explainers of PyTorch Geometric.
"""

import copy
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from protograph._utils.randomness import checked_seed, preserved_random_state, seed_generators
from protograph.explanation import Prototype
from protograph.metrics.intervals import Measure
from protograph.metrics.judging import Model, graphs_of, outputs_of
from protograph.models.calling import infer_call
from protograph.models.classifier import GraphClassifier, as_classifier, device_of
from protograph.models.outputs import AskedType, ReturnType, as_rows, checked_columns, log_scores
from protograph.models.predictions import check_target

Method = Literal[
    "InputXGradient",
    "GNNExplainer",
    "IntegratedGradients",
    "Saliency",
    "Deconvolution",
    "GuidedBackprop",
    "ShapleyValueSampling",
]
METHODS: tuple[str, ...] = get_args(Method)
# Which nodes belong to the ground truth.
Mask = Tensor | NDArray[Any] | Sequence[bool]
# Nodes that a model cannot tell apart have equal attributions up to rounding in float32.
DECIMALS = 6


def attribute(
    model: Model,
    graph: Data | Prototype,
    target: int,
    method: Method = "InputXGradient",
    *,
    num_epochs: int = 100,
    random_state: int = 0,
    return_type: AskedType = "auto",
    reference_graphs: Sequence[Data] | None = None,
) -> Tensor:
    r"""Share of each node in the attribution of a class (paper, Section on instance-level explanations).

    .. math:: \Lambda(v) = \frac{\sum_f |a_{vf}|}{\sum_w \sum_f |a_{wf}|}

    with :math:`a` what the method attributes to each feature of each node: for Input x Gradient
    :math:`x_{vf} \, \partial z_c / \partial x_{vf}`, with :math:`z_c` the logit of the class (the log probability where
    the model returns probabilities or has one output), for GNNExplainer the mask that it learns, together with one
    of the edges where the model passes messages. Shares are in [0, 1] and sum to 1; where nothing is attributed to
    any node they are all equal. Neither direction is better.

    Args:
        model: A graph classifier, or a :class:`~protograph.GraphClassifier` around it; a copy of it is used.
        graph: The prototype. Without ``x`` its features are constant; whole numbers are taken as floats, so a model
            that looks its features up in a table has no attribution.
        target: The class, as an index into the model's output.
        method: ``"GNNExplainer"``, or one of Captum that PyTorch Geometric knows.
        num_epochs: Steps of GNNExplainer.
        random_state: Seed of the methods that draw; global generators are left as they were.
        return_type: What the model returns; see :func:`protograph.metrics.judge`.
        reference_graphs: Graphs by which ``"auto"`` is decided too; see :func:`protograph.metrics.judge`.

    Returns:
        float64, ``[num_nodes]``.

    Raises:
        ImportError: If the method needs Captum and it is not installed.
        ValueError: If the method is unknown, or the attribution is NaN.
    """
    from torch_geometric.explain import CaptumExplainer, Explainer, GNNExplainer
    from torch_geometric.nn import MessagePassing

    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if num_epochs < 1:
        raise ValueError(f"num_epochs must be at least 1, got {num_epochs}")
    (single,) = graphs_of(graph)
    with preserved_random_state(), torch.enable_grad():
        _, outputs, kind = outputs_of(model, [single], return_type, reference_graphs)
        check_target(target, max(2, outputs.size(1)))
        wrapped = _TakesTensors(as_classifier(model), single, kind)
        seed_generators(checked_seed(random_state))
        batch, algorithm, edge_mask = wrapped.batch, GNNExplainer(epochs=num_epochs), None
        if method == "GNNExplainer":
            passes_messages = any(isinstance(module, MessagePassing) for module in wrapped.modules())
            edge_mask = "object" if batch.num_edges > 0 and passes_messages else None
        else:
            try:
                import captum.attr  # noqa: F401
            except ImportError as error:
                raise ImportError(
                    f"the attribution {method} needs captum; pip install 'protograph[attribution]'"
                ) from error
            algorithm = CaptumExplainer(method)
        explainer = Explainer(
            wrapped,
            algorithm=algorithm,
            explanation_type="phenomenon",
            node_mask_type="attributes",
            edge_mask_type=edge_mask,
            model_config={"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"},
        )
        x = batch.x.detach().clone().requires_grad_(method != "GNNExplainer")
        with warnings.catch_warnings():
            # Captum tells of hooks that it sets and removes again.
            warnings.filterwarnings("ignore", r"Setting (forward|backward)|Input Tensor", UserWarning)
            explained = explainer(x, batch.edge_index, target=torch.tensor([target], device=batch.x.device))
    sizes = explained.node_mask.detach().double().cpu().abs().sum(dim=1)
    if not bool(torch.isfinite(sizes).all()):
        raise ValueError(
            f"{method} gave an attribution that is NaN or infinite; where the model's probabilities are exactly 0 or "
            f"1, let it return logits"
        )
    total = sizes.sum()
    return sizes / total if float(total) > 0 else torch.full_like(sizes, 1 / len(sizes))


class _TakesTensors(nn.Module):
    """A copy of a model, called as ``(x, edge_index)`` on one graph, that returns log scores of all classes."""

    def __init__(self, classifier: GraphClassifier, graph: Data, return_type: ReturnType) -> None:
        super().__init__()
        self.model = copy.deepcopy(classifier.model).requires_grad_(False)
        self.call, self.task, self.return_type = infer_call(classifier.model, graph), classifier.task, return_type
        batch = Batch.from_data_list([graph])
        if batch.x is None:
            batch.x = torch.ones(batch.num_nodes, 1)
        if not batch.x.is_floating_point():  # whole numbers have no gradient
            batch.x = batch.x.to(torch.get_default_dtype())
        self.batch = batch.to(device_of(classifier.model))
        self.eval()

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Log scores, ``[1, num_classes]``."""
        batch = copy.copy(self.batch)
        batch.x, batch.edge_index = x, edge_index
        rows = as_rows(self.call(self.model, batch), num_graphs=1, num_nodes=x.size(0))
        rows = checked_columns(rows, None, self.task)
        scores = log_scores(rows, self.return_type)
        # Of one output the scores are (0, z), and the gradient of the first is 0.
        return scores.log_softmax(dim=1) if rows.size(1) == 1 else scores


def concentration(attribution: Tensor | NDArray[Any], truth_mask: Mask) -> float:
    r"""Concentration score of a prototype (paper, definition "Concentration score").

    .. math:: \alpha = \sum_{v \in V_T \cap V_l} \Lambda(v)

    with :math:`V_T` the nodes of the ground truth, :math:`V_l` those of the prototype, and :math:`\Lambda` the
    attribution, which sums to 1. In [0, 1], and higher is better; 0 where no node belongs to the truth.

    Args:
        attribution: One number a node of the prototype, as :func:`protograph.metrics.attribute` gives them.
        truth_mask: Which of these nodes belong to the ground truth, booleans.

    >>> round(concentration(torch.tensor([0.5, 0.3, 0.2]), [True, False, True]), 6)
    0.7
    """
    values, mask = _checked_pair(attribution, truth_mask)
    return float(values[mask].sum())


def auroc(attribution: Tensor | NDArray[Any], truth_mask: Mask) -> float:
    r"""Area under the receiver operating characteristic of an attribution against the ground truth's nodes.

    .. math:: \frac{1}{|T| |R|} \sum_{v \in T} \sum_{w \in R}
              \left([\Lambda(v) > \Lambda(w)] + \tfrac{1}{2} [\Lambda(v) = \Lambda(w)]\right)

    with :math:`T` the nodes of the truth and :math:`R` the others; attributions are compared at six decimals. In
    [0, 1], and higher is better; NaN where all nodes or none are of the truth.

    Args:
        attribution: One number a node, as :func:`protograph.metrics.attribute` gives them.
        truth_mask: Which nodes belong to the ground truth, booleans.

    >>> auroc(torch.tensor([0.5, 0.3, 0.2]), [True, False, True])
    0.5
    """
    values, mask = _checked_pair(attribution, truth_mask)
    if bool(mask.all()) or not bool(mask.any()):
        return math.nan
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(mask.numpy(), np.round(values.numpy(), DECIMALS)))


def _checked_pair(attribution: Any, truth_mask: Any) -> tuple[Tensor, Tensor]:
    """Attribution in float64 and mask, if each has one entry a node and the first sums to 1."""
    values = torch.as_tensor(attribution).detach().double().cpu()
    mask = torch.as_tensor(truth_mask).detach().cpu()
    if mask.dtype != torch.bool:
        raise TypeError(f"truth_mask must be booleans, one for each node, got {mask.dtype}")
    if values.dim() != 1 or values.shape != mask.shape:
        raise ValueError(
            f"attribution and truth_mask must have one entry for each node, got shapes {list(values.shape)} "
            f"and {list(mask.shape)}"
        )
    if bool((values < 0).any()) or abs(float(values.sum()) - 1) > 1e-4:
        raise ValueError(
            f"attribution must be at least 0 and sum to 1, got a smallest of {float(values.min()):.4g} and a sum of "
            f"{float(values.sum()):.4g}; use protograph.metrics.attribute"
        )
    return values, mask


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
    truth_mask: Mask,
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
    if initial == 0:
        return TrainingGain(math.nan if alpha == 0 else math.inf, alpha, initial)
    return TrainingGain(alpha / initial - 1, alpha, initial)
