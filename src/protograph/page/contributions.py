r"""What each node adds to the class margin in its own graph.

.. math:: c_v = m(V) - m(V \setminus \{v\})

with :math:`m(S)` the margin (log-odds) of the class when only the embeddings of the nodes in S enter the readout, all
embeddings being those of the whole graph. (Cutting the node out of the graph instead would change its neighbours'
embeddings too, and misleads; it is done only where nobody can tell how nodes enter the readout.) A sum leaves out the
node's term, and so does a mean, which still divides by all nodes.

Most classifiers end in a linear map of a sum or a mean. Then the margins follow from that map and the node embeddings,
exactly and at once; the map is read off the graphs that the model has already embedded. Others are run again, once a
node; where that would take too long, contributions are not known.
"""

from collections.abc import Sequence

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph._utils.ties import TOLERANCE
from protograph.models.inference import ForwardResult
from protograph.models.outputs import log_scores, margins
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.page.counting import spread

LINEAR = 1e-7  # relative error up to which scores are a linear map of the embeddings
INDEPENDENT = 1e-9  # embeddings that vary less in some direction leave its weight open
FITTED_TO = 64  # graphs that the map is fitted to, for each of its weights; it must give the scores of as many others
LEFT_OUT_ROWS = 2**23  # nodes and edges that go through the model to leave nodes out; more take minutes
_MAX_ROWS = 2**16  # nodes that go through it at a time


def linear_head(embedded: EmbeddedGraphs, resolution: float) -> Floats | None:
    """Find the linear map that the model ends in; ``None`` where it does not, or the graphs do not tell all weights.

    It is fitted to half of the graphs, or of some that are spread over very many, and must give the scores of the
    others too.

    Returns:
        ``[dim, num_classes]``; they give the log scores up to a constant a graph; the first class's are 0.
    """
    rows, dim = embedded.graph_embeddings.shape
    if rows < 4 * (dim + 1):  # to fit it to half of them, and to see whether it gives the others
        return None
    some = spread(np.arange(rows), 2 * FITTED_TO * (dim + 1))
    embeddings, scores = embedded.graph_embeddings[some], embedded.scores[some]
    if not np.isfinite(scores).all():  # probabilities of 0
        return None
    scores = scores - scores[:, :1]
    chosen = spread(np.arange(some.size), some.size // 2)
    scale = np.abs(embeddings).max(axis=0)
    is_alive = scale > 0
    design = np.concatenate([embeddings[:, is_alive] / scale[is_alive], np.ones((some.size, 1))], axis=1)
    with threadpool_limits(limits=1, user_api="blas"):
        fitted, _, rank, _ = np.linalg.lstsq(design[chosen], scores[chosen], rcond=max(INDEPENDENT, resolution))
        error = np.abs(design @ fitted - scores).max()
    if rank < design.shape[1] or error > max(LINEAR, 1e3 * resolution) * max(1e-300, float(np.abs(scores).max())):
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
    """Contributions of the nodes of each graph to the margin of ``target``.

    ``None`` where nodes cannot be left out, or where it would take too long.

    Args:
        judge: The model.
        graphs: The graphs.
        forward: What the model gives for them.
        node_embeddings: Their nodes' embeddings.
        target: The class.
        head: The linear map that the model ends in, if it does.
    """
    terms = _terms(forward, node_embeddings, judge.classifier.resolution)
    scores, pairs = log_scores(forward.outputs, judge.return_type), list(zip(graphs, node_embeddings, strict=True))
    try:
        if head is not None and terms is not None:
            without = [own - torch.from_numpy(part @ head) for own, part in zip(scores, terms, strict=True)]
        elif sum(len(one) * (len(one) + graph.num_edges) for graph, one in pairs) > LEFT_OUT_ROWS:
            return None
        else:
            without = [_without_each(judge, graph, one) for graph, one in pairs]
    except ValueError:  # nodes cannot be left out of this readout
        return None
    margin = margins(scores, target)
    return [(own - margins(rest, target)).numpy() for own, rest in zip(margin, without, strict=True)]


def _terms(forward: ForwardResult, node_embeddings: Sequence[Floats], resolution: float) -> list[Floats] | None:
    """What each node adds to its graph's embedding, if that is a sum or mean of nodes' embeddings, column by column."""
    terms = []
    for nodes, graph in zip(node_embeddings, forward.graph_embeddings.numpy(), strict=True):
        if nodes.shape[1] != graph.shape[0]:
            return None
        tolerance = max(TOLERANCE, 1e2 * resolution) * max(1e-300, float(np.abs(nodes).sum(axis=0).max()))
        sums = nodes.sum(axis=0)
        divisors = np.where(np.abs(sums - graph) <= tolerance, 1.0, len(nodes))
        if np.abs(sums / divisors - graph).max() > tolerance:
            return None
        terms.append(nodes / divisors)
    return terms


def _without_each(judge: Judge, graph: Data, nodes: Floats) -> torch.Tensor:
    """Log scores of the graph without each of its nodes in turn, by running the model on copies of it.

    Nodes with one embedding, as the leaves of a star, are left out once for all of them.
    """
    size, at_a_time, outputs = len(nodes), max(1, _MAX_ROWS // len(nodes)), []
    _, firsts, kinds = np.unique(nodes, axis=0, return_index=True, return_inverse=True)
    for first in range(0, len(firsts), at_a_time):
        left_out = torch.from_numpy(firsts[first : first + at_a_time])
        keep = torch.ones(len(left_out), size, dtype=torch.bool)
        keep[torch.arange(len(left_out)), left_out] = False
        outputs.append(judge.classifier.classify_without([graph] * len(left_out), keep.flatten()))
    return log_scores(torch.cat(outputs)[kinds.reshape(-1)], judge.return_type)
