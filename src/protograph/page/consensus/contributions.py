r"""What each node adds to the class margin in its own graph.

.. math:: c_v = m(V) - m(V \setminus \{v\})

with :math:`m(S)` the margin (log-odds) of the class when only the embeddings of the nodes in S enter the readout, all
embeddings being those of the whole graph. (Cutting the node out of the graph instead would change its neighbours'
embeddings too, and misleads.) A sum leaves out the node's term, and so does a mean, which still divides by all nodes.

Most classifiers end in a linear map of a sum or a mean. Then the margins follow from that map and the node embeddings,
exactly and at once; the map is read off the graphs that the model has already embedded. Others are run again, once a
node.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph._base.linear_algebra import one_thread
from protograph._base.ties import TOLERANCE
from protograph.graphs.cleaning import node_count
from protograph.models.classifier import ForwardResult
from protograph.models.judging import EmbeddedGraphs, Judge
from protograph.models.outputs import log_scores, margins
from protograph.page.consensus.counting import spread
from protograph.page.options import ConsensusOptions

# Rows of nodes that go through the model at a time where it is run again for every node.
_MAX_ROWS = 2**16


def linear_head(embedded: EmbeddedGraphs, resolution: float, options: ConsensusOptions | None = None) -> Floats | None:
    """Find the linear map that the model ends in; ``None`` where it does not, or the graphs cannot tell.

    It is fitted to some graphs, spread over all, and must give the scores of all. The embeddings must leave no choice:
    where a weight could be another and the scores the same, what a single node adds would be a guess.

    Returns:
        Weights, ``[dim, num_classes]``, that give the log scores up to a constant a graph; the first class's are 0.
    """
    options = options or ConsensusOptions()
    if not np.isfinite(embedded.scores).all():  # probabilities of 0
        return None
    embeddings, scores = embedded.graph_embeddings, embedded.scores - embedded.scores[:, :1]
    rows, dim = embeddings.shape
    if rows < 4 * (dim + 1) or not np.isfinite(scores).all():
        return None
    scale = np.abs(embeddings).max(axis=0)
    is_alive = scale > 0
    design = np.concatenate([embeddings[:, is_alive] / scale[is_alive], np.ones((rows, 1))], axis=1)
    chosen = spread(np.arange(rows), min(rows // 2, options.fitted_to * (dim + 1)))
    with one_thread():
        fitted, _, rank, _ = np.linalg.lstsq(design[chosen], scores[chosen], rcond=max(options.independent, resolution))
        error = np.abs(design @ fitted - scores).max()
    is_linear = error <= max(options.linear, 1e3 * resolution) * max(1e-300, float(np.abs(scores).max()))
    if not is_linear or rank < design.shape[1]:
        return None
    weights = np.zeros((dim, scores.shape[1]))
    weights[is_alive] = fitted[:-1] / scale[is_alive, None]
    return weights


def node_contributions(
    judge: Judge,
    graphs: Sequence[Data],
    forward: ForwardResult,
    node_embeddings: Sequence[Floats],
    target: int,
    head: Floats | None,
) -> list[Floats] | None:
    """Contributions of the nodes of each graph to the margin of ``target``; ``None`` where nodes cannot be left out.

    Args:
        judge: The model.
        graphs: The graphs.
        forward: What the model gives for them.
        node_embeddings: Their nodes' embeddings.
        target: The class.
        head: The weights of the linear map that the model ends in, if it does.
    """
    contributions = []
    for number, (graph, nodes) in enumerate(zip(graphs, node_embeddings, strict=True)):
        scores = log_scores(forward.outputs[number : number + 1], judge.return_type)
        embedding = forward.graph_embeddings[number].numpy()
        terms = None if head is None else _terms(nodes, embedding, judge.classifier.resolution)
        if head is not None and terms is not None:
            without = scores - torch.from_numpy(terms @ head)
        else:
            try:
                without = _without_each(judge, graph)
            except ValueError:  # nodes cannot be left out of this readout
                return None
        contributions.append((margins(scores, target) - margins(without, target)).numpy())
    return contributions


def _terms(nodes: Floats, graph: Floats, resolution: float) -> Floats | None:
    """What each node adds to the graph's embedding, if that is their sum or their mean."""
    tolerance = max(TOLERANCE, 1e2 * resolution) * max(1e-300, float(np.abs(nodes).sum(axis=0).max()))
    for terms in (nodes, nodes / len(nodes)):
        if terms.shape[1] == graph.shape[0] and np.abs(terms.sum(axis=0) - graph).max() <= tolerance:
            return terms
    return None


def _without_each(judge: Judge, graph: Data) -> torch.Tensor:
    """Log scores of the graph without each of its nodes in turn, by running the model on copies of it."""
    size = node_count(graph)
    at_a_time = max(1, _MAX_ROWS // size)
    outputs = []
    for first in range(0, size, at_a_time):
        left_out = torch.arange(first, min(first + at_a_time, size))
        keep = torch.ones(len(left_out), size, dtype=torch.bool)
        keep[torch.arange(len(left_out)), left_out] = False
        outputs.append(judge.classifier.classify_without([graph] * len(left_out), keep.flatten()))
    return log_scores(torch.cat(outputs), judge.return_type)
