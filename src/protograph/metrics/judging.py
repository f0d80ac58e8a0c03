"""What models make of a few graphs: the class probability and margin of each, and what nodes carry of the margin."""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph._utils.errors import ProtographWarning
from protograph._utils.randomness import preserved_random_state
from protograph.explanation import Explanation, Prototype
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.models.inference import RunningClassifier
from protograph.models.outputs import AskedType, ReturnType, decided_type, log_scores
from protograph.models.predictions import Judgement, checked_outputs

Model = nn.Module | GraphClassifier
# An explanation, or graphs and prototypes one by one.
Graphs = Explanation | Iterable[Data | Prototype]


@dataclass(frozen=True, eq=False)
class Judged:
    """What one model makes of some graphs.

    Attributes:
        probabilities: Probability of the target class for each graph, float64, ``[num_graphs]``.
        margins: Log-odds of the target class, float64, ``[num_graphs]``; see :mod:`protograph.models.outputs`.
        return_type: What the model's outputs were taken for.
    """

    probabilities: Floats
    margins: Floats
    return_type: ReturnType

    @property
    def probability(self) -> float:
        """Mean probability over the graphs."""
        return float(self.probabilities.mean())

    @property
    def margin(self) -> float:
        r"""Log-odds of the mean probability, :math:`\log \bar p - \log (1 - \bar p)`; for one graph its margin.

        It orders models as :attr:`probability` does, and still tells them apart where that is 1 in float64.
        """
        odds = torch.from_numpy(self.margins)
        log_sigmoid = nn.functional.logsigmoid
        return float(torch.logsumexp(log_sigmoid(odds), 0) - torch.logsumexp(log_sigmoid(-odds), 0))


def judge(
    model: Model,
    graphs: Graphs,
    target: int,
    *,
    return_type: AskedType = "auto",
    reference_graphs: Sequence[Data] | None = None,
) -> Judged:
    r"""Class probability and margin of several graphs under a model, which is left as found.

    .. math:: p_c = \mathrm{softmax}(z)_c, \qquad \mathrm{margin}_c = \log \frac{p_c}{1 - p_c}

    Probabilities are in [0, 1]; margins are real, and 1000 in size at most.

    Args:
        model: A graph classifier, or a :class:`~protograph.GraphClassifier` around it.
        graphs: An explanation, or graphs and prototypes.
        target: The class, as an index into the model's output.
        return_type: What the model returns; a :class:`~protograph.GraphClassifier` that states it goes first.
        reference_graphs: Further graphs, such as the training graphs, by whose outputs ``"auto"`` is decided too:
            the output for a single prototype may look like probabilities by chance.

    Raises:
        ValueError: If there are no graphs, the target is no class, or an output is NaN.
    """
    chosen = graphs_of(graphs)
    with preserved_random_state():
        running, outputs, kind = outputs_of(model, chosen, return_type, reference_graphs)
    for message in running.warnings:
        warnings.warn(message, ProtographWarning, stacklevel=2)
    judgement = Judgement.of(log_scores(outputs, kind), target)
    return Judged(judgement.probabilities, judgement.margins, kind)


# What a prototype's nodes and the others do to the margin may cancel out. Where less than a fifth of it is left, a
# share of what is left says nothing: it would be a large number of either sign.
LEAST_LEFT = 0.2


def margin_share(
    prototype: Prototype,
    explanation: Explanation,
    model: Model,
    target: int | None = None,
    *,
    reference_graphs: Sequence[Data] | None = None,
) -> float:
    r"""Share of the class margin of its source graph that a prototype's nodes carry.

    .. math:: \frac{m(V) - m(V \setminus V_p)}{m(V) - m(\emptyset)}

    with :math:`m(S)` the margin (log-odds) of the class when only the embeddings :math:`h_v, v \in S` enter the
    readout, all embeddings being those of the whole graph, and the rest of the model running on as it is. A sum
    leaves out the other nodes' terms, and so does a mean, which still divides by all nodes: with a linear head of two
    classes the share is then exactly :math:`\sum_{v \in V_p} w \cdot h_v / \sum_{v \in V} w \cdot h_v`, and shares of
    disjoint sets of nodes add up. Any other readout (maximum, attention, Set2Set) is applied to the nodes left;
    what it gives for no nodes is the baseline :math:`m(\emptyset)`, usually zeros.

    Higher says that the decision rests more on these nodes, and the nodes of the whole graph have 1. It lies outside
    [0, 1] where the prototype's nodes or the others speak against the class. There is no share, and it is nan, where
    the graph's nodes do not raise the margin above that of no nodes (:math:`m(V) \le m(\emptyset)`), or by less than a
    fifth of what the two parts do, :math:`|m(V) - m(V \setminus V_p)| + |m(V \setminus V_p) - m(\emptyset)|`: they
    cancel out. So it is in [-2, 3].

    Args:
        prototype: A prototype that was cut from a graph.
        explanation: The explanation it is from.
        model: The model that was explained.
        target: The class; the explanation's by default.
        reference_graphs: Further graphs by whose outputs the kind of output is told, beside the explanation's.

    Raises:
        ValueError: If the prototype was cut from no graph, or nodes cannot be left out of the model's readout.
    """
    target = explanation.target if target is None else target
    if prototype.source is None or prototype.nodes is None:
        raise ValueError(
            "prototype must be cut from a graph, got one without source and nodes, such as a generated one"
        )
    if prototype.source not in explanation.source_graphs:
        raise ValueError(
            f"prototype must be of this explanation, whose source graphs are {sorted(explanation.source_graphs)}, "
            f"got one cut from graph {prototype.source}"
        )
    graph, classifier = explanation.source_graphs[prototype.source], as_classifier(model)
    references = [*explanation.source_graphs.values(), *(reference_graphs or ())]
    with preserved_random_state():
        running = classifier.start([graph])
        kind, _ = decided_type(checked_outputs(running, references), classifier.return_type)
        keeps = torch.ones(3, int(graph.num_nodes or 0), dtype=torch.bool)
        keeps[1, prototype.nodes] = False
        keeps[2] = False
        outputs = torch.cat([running.classify_without([graph], keep) for keep in keeps])
    whole, without, none = Judgement.of(log_scores(outputs, kind), target).margins.tolist()
    return share_of_margin(whole, without, none, resolution=running.resolution * max(1.0, abs(whole)))


def share_of_margin(whole: float, without: float, none: float, *, resolution: float = 0.0) -> float:
    """The share of a margin by its three figures; nan where the nodes do not raise it, or cancel out.

    Args:
        whole: Margin of the whole graph.
        without: Margin without the nodes.
        none: Margin without any node.
        resolution: Differences up to it are none.

    >>> share_of_margin(4.0, 1.0, 0.0), share_of_margin(-1.0, 1.0, 0.0), share_of_margin(0.1, -5.0, 0.0)
    (0.75, nan, nan)
    """
    own, others, raised = whole - without, without - none, whole - none
    is_there = raised > resolution and raised >= LEAST_LEFT * (abs(own) + abs(others))
    return own / raised if is_there else math.nan


def graphs_of(given: Graphs | Data | Prototype) -> list[Data]:
    """The graphs in an explanation or in a list of graphs and prototypes.

    >>> graphs_of([Data(num_nodes=2)])
    [Data(num_nodes=2)]
    """
    items: Any = [given] if isinstance(given, Data | Prototype) else given
    if isinstance(given, Explanation):
        items = given.prototypes
    graphs = [item.graph if isinstance(item, Prototype) else item for item in items]
    for graph in graphs:
        if not isinstance(graph, Data):
            raise TypeError(f"graphs must be an explanation, or graphs and prototypes, got {type(graph).__name__}")
    if not graphs:
        raise ValueError("graphs is empty; pass at least one graph or prototype")
    return graphs


def outputs_of(
    model: Model, graphs: Sequence[Data], asked: AskedType, reference_graphs: Sequence[Data] | None
) -> tuple[RunningClassifier, Tensor, ReturnType]:
    """A model that is ready to classify, its outputs for ``graphs``, and what they are to be taken for."""
    if not isinstance(model, GraphClassifier):
        # Any model can judge, also one whose readout cannot be told: the name of the model itself stops the search.
        model = GraphClassifier(model, asked, node_embeddings="", graph_embeddings="")
    asked = asked if model.return_type == "auto" else model.return_type
    running = model.start(graphs)
    outputs = checked_outputs(running, graphs)
    also = [checked_outputs(running, reference_graphs)] if asked == "auto" and reference_graphs is not None else []
    return running, outputs, decided_type(torch.cat([outputs, *also]), asked, stacklevel=4)[0]
