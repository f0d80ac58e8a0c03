r"""What each node adds to the class margin in its own graph.

.. math:: c_v = m(V) - m(V \setminus \{v\})

with :math:`m(S)` the margin (log-odds) of the class when only the embeddings of the nodes in S enter the readout, all
embeddings being those of the whole graph. (Cutting the node out of the graph instead would change its neighbours'
embeddings too, and misleads; it is done only where nobody can tell how nodes enter the readout.) A sum leaves out the
node's term, and so does a mean, which still divides by all nodes.

Most classifiers end in a linear map of a sum or a mean. Then the margins follow from that map and the node embeddings,
exactly and at once; the map is read off the graphs that the model has already embedded, or off some runs in which
random halves of the nodes are left out. Others are run again, once a node; where that would take too long, what counts
is how the margin changes with the weight by which a node enters the readout.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph._base.ties import TOLERANCE
from protograph.graphs.validate import node_count
from protograph.models.inference import ForwardResult
from protograph.models.outputs import log_scores, margins
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.page.consensus.counting import spread
from protograph.page.options import ConsensusOptions

# Rows of nodes that go through the model at a time where it is run again for every node.
_MAX_ROWS = 2**16
# Of more graphs the linear map is looked for in some that are spread over all.
_MANY = 5_000


@dataclass(frozen=True, eq=False)
class LinearHead:
    """The linear map that a model ends in, as far as embeddings tell it.

    Attributes:
        weights: ``[dim, num_classes]``; they give the log scores up to a constant a graph; the first class's are 0.
        undecided: Directions in which the embeddings do not vary, so that any weights would do, ``[dim, number]``; in
            units of the largest embeddings.
        tolerance: How far a term may reach in these directions, in the same units, for rounding.
    """

    weights: Floats
    undecided: Floats
    tolerance: float

    def decides(self, terms: Sequence[Floats]) -> bool:
        """Whether it is known what such terms of embeddings add to the scores; else it would be a guess."""
        if not self.undecided.shape[1]:
            return True
        return all(np.abs(part @ self.undecided).max(initial=0.0) <= self.tolerance for part in terms)


def linear_head(
    embedded: EmbeddedGraphs, resolution: float, options: ConsensusOptions | None = None
) -> LinearHead | None:
    """Find the linear map that the model ends in; ``None`` where it does not, or the graphs are too few to tell.

    It is fitted to half of the graphs, or of some that are spread over very many, and must give the scores of the
    others too.
    """
    options = options or ConsensusOptions()
    rows, dim = embedded.graph_embeddings.shape
    if rows < _num_rows(dim):
        return None
    embeddings, scores = embedded.graph_embeddings, embedded.scores
    if rows > _MANY:
        some = spread(np.arange(rows), 2 * options.exact_for * (dim + 1))
        scores, embeddings, rows = scores[some], embeddings[some], some.size
    if not np.isfinite(scores).all():  # probabilities of 0
        return None
    chosen = spread(np.arange(rows), min(rows // 2, options.fitted_to * (dim + 1)))
    return _fitted_map(embeddings, scores, chosen, resolution, options)


def _num_rows(dim: int) -> int:
    """How many embeddings it takes to fit a linear map to half of them, and to see whether it gives the others."""
    return 4 * (dim + 1)


def _fitted_map(
    embeddings: Floats, log_scores: Floats, chosen: Ints, resolution: float, options: ConsensusOptions
) -> LinearHead | None:
    """The linear map from embeddings to scores, fitted to the chosen rows, if it gives those of all."""
    scores = log_scores - log_scores[:, :1]
    if not np.isfinite(scores).all():
        return None
    scale, independent = np.abs(embeddings).max(axis=0), max(options.independent, resolution)
    is_alive = scale > 0
    design = np.concatenate([embeddings[:, is_alive] / scale[is_alive], np.ones((len(embeddings), 1))], axis=1)
    with threadpool_limits(limits=1, user_api="blas"):
        fitted, _, rank, _ = np.linalg.lstsq(design[chosen], scores[chosen], rcond=independent)
        error = np.abs(design @ fitted - scores).max()
        is_linear = error <= max(options.linear, 1e3 * resolution) * max(1e-300, float(np.abs(scores).max()))
        if not is_linear:
            return None
        num_open = design.shape[1] - rank
        # Of the last column, the constant, a single term has nothing.
        directions = np.linalg.svd(design[chosen], full_matrices=False)[2][rank:, :-1] if num_open else None
    weights = np.zeros((embeddings.shape[1], scores.shape[1]))
    weights[is_alive] = fitted[:-1] / scale[is_alive, None]
    undecided = np.zeros((embeddings.shape[1], num_open))
    if directions is not None:
        undecided[is_alive] = directions.T / scale[is_alive, None]
    return LinearHead(weights, undecided, independent)


def probed_head(
    judge: Judge, graphs: Sequence[Data], terms: Sequence[Floats], options: ConsensusOptions | None = None
) -> LinearHead | None:
    """As :func:`linear_head`, by leaving random halves of the nodes out: for data sets of few graphs.

    Weights that these graphs leave open do not matter to what their nodes add. ``None`` also where it would take more
    runs of the model than leaving out node by node, or too many.
    """
    options, dim = options or ConsensusOptions(), terms[0].shape[1]
    num_runs, sizes = -(-_num_rows(dim) // len(graphs)), [len(part) for part in terms]
    rows = num_runs * sum(size + graph.num_edges for size, graph in zip(sizes, graphs, strict=True))
    if num_runs >= sum(sizes) // len(graphs) or rows > options.left_out_rows:
        return None
    generator = np.random.default_rng(0)
    embeddings, outputs = [], []
    for _ in range(num_runs):
        keep = generator.random(sum(sizes)) < 0.5
        halves = np.split(keep, np.cumsum(sizes)[:-1])
        embeddings += [part[half].sum(axis=0) for part, half in zip(terms, halves, strict=True)]
        outputs.append(judge.classifier.classify_without(graphs, torch.from_numpy(keep)))
    scores = log_scores(torch.cat(outputs), judge.return_type).numpy()
    every_other = np.arange(0, len(embeddings), 2)
    resolution = judge.classifier.resolution
    return _fitted_map(np.stack(embeddings), scores, every_other, resolution, options)


@dataclass(frozen=True)
class Contributions:
    """What nodes add to the margin.

    Attributes:
        by_graph: For each graph an entry a node; ``None`` where even an estimate is not known.
        are_exact: Whether nodes were left out; else, by what their weights in the readout change at once.
    """

    by_graph: list[Floats] | None
    are_exact: bool = True


def node_contributions(
    judge: Judge,
    graphs: Sequence[Data],
    forward: ForwardResult,
    node_embeddings: Sequence[Floats],
    target: int,
    head: LinearHead | None,
    options: ConsensusOptions | None = None,
) -> Contributions | None:
    """Contributions of the nodes of each graph to the margin of ``target``; ``None`` where nodes cannot be left out.

    Args:
        judge: The model.
        graphs: The graphs.
        forward: What the model gives for them.
        node_embeddings: Their nodes' embeddings.
        target: The class.
        head: The linear map that the model ends in, if it does.
        options: How much to run the model.
    """
    options = options or ConsensusOptions()
    terms = _all_terms(forward, node_embeddings, judge.classifier.resolution)
    scores = log_scores(forward.outputs, judge.return_type)
    try:
        if terms is not None and (head is None or not head.decides(terms)):
            head = probed_head(judge, graphs, terms, options)
        if head is not None and terms is not None:
            without = [own - torch.from_numpy(part @ head.weights) for own, part in zip(scores, terms, strict=True)]
        elif _num_rows_left_out(graphs, node_embeddings) > options.left_out_rows:
            return _by_gradients(judge, graphs, target)
        else:
            without = [_without_each(judge, *pair) for pair in zip(graphs, node_embeddings, strict=True)]
    except ValueError:  # nodes cannot be left out of this readout
        return None
    margin = margins(scores, target)
    return Contributions([(own - margins(rest, target)).numpy() for own, rest in zip(margin, without, strict=True)])


def _num_rows_left_out(graphs: Sequence[Data], node_embeddings: Sequence[Floats]) -> int:
    """Nodes and edges that go through the model when nodes are left out one by one."""
    return sum(
        len(nodes) * (len(nodes) + graph.num_edges) for graph, nodes in zip(graphs, node_embeddings, strict=True)
    )


def _by_gradients(judge: Judge, graphs: Sequence[Data], target: int) -> Contributions:
    """What each node's weight in the readout changes in the margin at once; a maximum knows no weights."""
    result = []
    for graph in graphs:
        weights = torch.ones(node_count(graph), dtype=torch.float64, device=judge.classifier.device, requires_grad=True)
        outputs = judge.classifier.weighed([graph], weights)
        margin = margins(log_scores(outputs, judge.return_type), target).sum()
        (gradient,) = torch.autograd.grad(margin, weights, allow_unused=True) if margin.requires_grad else (None,)
        if gradient is None:
            return Contributions(None, are_exact=False)
        result.append(gradient.cpu().numpy())
    return Contributions(result, are_exact=False)


def _all_terms(forward: ForwardResult, nodes: Sequence[Floats], resolution: float) -> list[Floats] | None:
    """What each node adds to its graph's embedding, if these are sums or means of their nodes' embeddings."""
    terms = []
    for number, (own, graph) in enumerate(zip(nodes, forward.graph_embeddings.numpy(), strict=True)):
        num_left = None if forward.num_left is None else forward.num_left[number].numpy()
        terms.append(_terms(own, graph, resolution, num_left))
        if terms[-1] is None:
            return None
    return [part for part in terms if part is not None]


def _terms(nodes: Floats, graph: Floats, resolution: float, num_left: Floats | None = None) -> Floats | None:
    """What each node adds to the graph's embedding, if that is their sum or their mean, each column on its own.

    Args:
        nodes: The nodes' embeddings.
        graph: The graph's.
        resolution: Relative precision of both.
        num_left: How many nodes each column is of, where that is not all of them.
    """
    if nodes.shape[1] != graph.shape[0]:
        return None
    tolerance = max(TOLERANCE, 1e2 * resolution) * max(1e-300, float(np.abs(nodes).sum(axis=0).max()))
    sums = nodes.sum(axis=0)
    divisors = np.where(np.abs(sums - graph) <= tolerance, 1.0, len(nodes) if num_left is None else num_left)
    return nodes / divisors if np.abs(sums / divisors - graph).max() <= tolerance else None


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
