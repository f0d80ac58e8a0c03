"""Instance-level attributions of a prototype's nodes, by the explainers of PyTorch Geometric."""

import copy
import random
import warnings
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explanation import Prototype
from protograph.metrics.judging import Model, graphs_of, outputs_of
from protograph.models.calling import Call, infer_call
from protograph.models.classifier import as_classifier, device_of
from protograph.models.judging import check_target
from protograph.models.outputs import AskedType, ReturnType, as_rows, log_scores

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
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if num_epochs < 1:
        raise ValueError(f"num_epochs must be at least 1, got {num_epochs}")
    (single,) = graphs_of(graph)
    with preserved_random_state(), torch.enable_grad():
        wrapped = _adapted(model, single, target, return_type, reference_graphs)
        _seed(checked_seed(random_state), wrapped.batch.edge_index.device)
        values = _explained(wrapped, target, method, num_epochs)
    return _normalised(values.detach().double().cpu(), method)


def _normalised(values: Tensor, method: str) -> Tensor:
    sizes = values.abs().sum(dim=1)
    if not bool(torch.isfinite(sizes).all()):
        raise ValueError(
            f"{method} gave an attribution that is NaN or infinite; where the model's probabilities are exactly 0 or "
            f"1, let it return logits"
        )
    total = sizes.sum()
    return sizes / total if float(total) > 0 else torch.full_like(sizes, 1 / len(sizes))


class _TakesTensors(nn.Module):
    """A model that is called as ``model(x, edge_index)`` on one graph and returns log scores of all classes."""

    def __init__(self, model: nn.Module, call: Call, batch: Batch, return_type: ReturnType) -> None:
        super().__init__()
        self.model = model
        self.call = call
        self.batch = batch
        self.return_type = return_type

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Log scores, ``[1, num_classes]``."""
        batch = copy.copy(self.batch)
        batch.x, batch.edge_index = x, edge_index
        rows = as_rows(self.call(self.model, batch), num_graphs=1, num_nodes=x.size(0))
        scores = log_scores(rows, self.return_type)
        # Of one output the scores are (0, z), and the gradient of the first is 0.
        return scores.log_softmax(dim=1) if rows.size(1) == 1 else scores


def _adapted(
    model: Model, graph: Data, target: int, asked: AskedType, reference_graphs: Sequence[Data] | None
) -> _TakesTensors:
    """A copy of the model around the one graph, in evaluation mode and on its own device."""
    _, outputs, kind = outputs_of(model, [graph], asked, reference_graphs)
    check_target(target, max(2, outputs.size(1)))
    inner = as_classifier(model).model
    batch = Batch.from_data_list([graph])
    if batch.x is None:
        batch.x = torch.ones(batch.num_nodes, 1)
    if not batch.x.is_floating_point():  # whole numbers have no gradient
        batch.x = batch.x.to(torch.get_default_dtype())
    twin = copy.deepcopy(inner).eval().requires_grad_(False)
    return _TakesTensors(twin, infer_call(inner, graph), batch.to(device_of(inner)), kind).eval()


def _explained(wrapped: _TakesTensors, target: int, method: str, num_epochs: int) -> Tensor:
    """What the method attributes to each feature of each node, ``[num_nodes, num_features]``."""
    from torch_geometric.explain import Explainer, GNNExplainer
    from torch_geometric.nn import MessagePassing

    batch = wrapped.batch
    passes_messages = batch.num_edges > 0 and any(isinstance(module, MessagePassing) for module in wrapped.modules())
    algorithm: Any = GNNExplainer(epochs=num_epochs) if method == "GNNExplainer" else _captum(method)
    explainer = Explainer(
        wrapped,
        algorithm=algorithm,
        explanation_type="phenomenon",
        node_mask_type="attributes",
        edge_mask_type="object" if method == "GNNExplainer" and passes_messages else None,
        model_config={"mode": "multiclass_classification", "task_level": "graph", "return_type": "raw"},
    )
    x = batch.x.detach().clone().requires_grad_(method != "GNNExplainer")
    with warnings.catch_warnings():
        # Captum tells of hooks that it sets and removes again.
        warnings.filterwarnings("ignore", r"Setting (forward|backward)|Input Tensor", UserWarning)
        explained = explainer(x, batch.edge_index, target=torch.tensor([target], device=batch.x.device))
    values: Tensor = explained.node_mask
    return values


def _captum(method: str) -> Any:
    try:
        import captum.attr  # noqa: F401
    except ImportError as error:
        raise ImportError(f"the attribution {method} needs captum; pip install 'protograph[attribution]'") from error
    from torch_geometric.explain import CaptumExplainer

    return CaptumExplainer(method)


def _seed(seed: int, device: torch.device) -> None:
    """Seed what the explainers draw from; to be called where the state is restored afterwards."""
    random.seed(seed)
    np.random.seed(seed)
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.manual_seed(seed)
