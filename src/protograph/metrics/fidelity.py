"""How far the rules of explanations agree with the model, on any graphs."""

from collections.abc import Iterable

import numpy as np
from torch import nn
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.randomness import preserved_random_state
from protograph.explanation import Explanation, Explanations, Fidelity
from protograph.explanation.fidelity import fidelity_of_all, fidelity_of_class
from protograph.explanation.searched_graphs import SearchedGraphs
from protograph.graphs.dataset import GraphStore
from protograph.metrics.judging import Model, outputs_of
from protograph.metrics.support import Predictions, checked_predictions
from protograph.models.classifier import GraphClassifier
from protograph.models.outputs import log_scores


def fidelity(
    explanations: Explanations | Explanation, graphs: Iterable[Data] | SearchedGraphs, predictions: Predictions | Model
) -> Fidelity:
    r"""Share of graphs of which the rules say what the model predicts, every predicted class weighing the same.

    .. math:: \frac{1}{|C|} \sum_{c \in C} \frac{|\{G : f(G) = c, R(G) = \{c\}\}|}{|\{G : f(G) = c\}|}

    with :math:`R(G)` the classes whose rule holds in the graph and C the classes that are predicted: exactly one rule
    must hold, and it must be that of the predicted class. For the explanation of a single class its rule is held
    against all others: it must hold in the graphs of the class, and in no other.

    In [0, 1], higher is better; nan without graphs. It speaks of new graphs only if the explanations were found in
    others than ``graphs``. The rule of an explanation without reasons is to contain one of its prototypes.

    Args:
        explanations: The explanations of all classes, or of one.
        graphs: The graphs.
        predictions: The class that the model predicts for each graph; or the model.

    >>> import torch
    >>> from protograph.explanation import Prototype
    >>> edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    >>> facts = {"explainer": "PAGE", "options": {}, "num_graphs": 2, "num_predicted": 1, "class_names": ("0", "1")}
    >>> prototypes = [Prototype(graph=edge, probability=0.9, margin=2.2)]
    >>> fidelity(Explanation(target=1, prototypes=prototypes, **facts), [edge, node, edge], [1, 0, 0])
    0.75
    """
    searched = graphs if isinstance(graphs, SearchedGraphs) else SearchedGraphs(graphs)
    if isinstance(predictions, nn.Module | GraphClassifier):
        predictions = _predicted(predictions, searched)
    classes = checked_predictions(predictions, len(searched))
    if isinstance(explanations, Explanation):
        return fidelity_of_class(explanations.predict(searched), classes == explanations.target)
    holds = explanations.predict(searched)
    if classes.size and classes.max() >= holds.shape[1]:
        raise ValueError(f"predictions must be in [0, {holds.shape[1]}), the classes of the model, got {classes.max()}")
    return fidelity_of_all(holds, classes)


def _predicted(model: Model, graphs: SearchedGraphs) -> Ints:
    if not len(graphs):
        return np.zeros(0, np.int64)
    # As fit shows them to the model: undirected.
    checked = GraphStore(graphs.graphs).take(range(len(graphs)))
    with preserved_random_state():
        _, outputs, kind = outputs_of(model, checked, "auto", None)
    predicted: Ints = log_scores(outputs, kind).argmax(dim=1).cpu().numpy()
    return predicted
