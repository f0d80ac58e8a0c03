"""GNNInterpreter: prototype graphs drawn from a distribution of graphs that is optimised for a class."""

import inspect
from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid
from torch_geometric.data import Data
from torch_geometric.nn import FAConv, MessagePassing
from torch_geometric.utils import scatter

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.options import check_options
from protograph._utils.ties import TOLERANCE
from protograph.baselines.generation import GeneratingExplainer, Vocabulary, assembled, bare
from protograph.explanation import Prototype
from protograph.models.outputs import ReturnType, log_scores
from protograph.models.predictions import Judgement
from protograph.patterns.canonical import canonical_graph

# Relaxed samples in each step of Adam, and its step size.
NUM_SAMPLES, LEARNING_RATE = 16, 0.1
# Of the relaxation: at the start samples say something about every edge, at the end they are all but graphs.
FIRST_TEMPERATURE, LAST_TEMPERATURE = 1.0, 0.1
# The graphs behind the samples are judged once in so many steps, and in the last one.
JUDGED_EVERY = 5
# An edge less probable in a sample is left out of it, so that layers see sparse graphs as they are used to.
NEGLIGIBLE = 0.01
# Weights of the terms of the loss; those of likeness, the score function and the size are 1.
CONNECTIVITY_WEIGHT, REGULARIZATION = 0.01, 0.001
TINY = 1e-12
# Outputs between which log scores and their gradients are finite.
FINITE: dict[ReturnType, tuple[float, float]] = {
    "raw": (-np.inf, np.inf),
    "probs": (1e-12, 1 - 1e-12),
    "log_probs": (-1e3, -1e-12),
}


@dataclass(kw_only=True, eq=False)
class GNNInterpreter(GeneratingExplainer):
    r"""Model-level explanations by a probabilistic generative model (Wang and Shen, ICLR 2023).

    Edges between ``max_nodes`` candidate nodes are Bernoulli variables, types of nodes categorical ones. Relaxed
    samples (Gumbel-softmax, fresh noise each time) go through the model, and Adam raises

    .. math:: \mathbb E\left[\log p_c(G) + \lambda_s \cos(h_G, \bar h_c)\right] - \lambda_b R_b - \lambda_c R_c
              - \lambda_r R_r

    where :math:`\bar h_c` is the mean embedding of the graphs predicted as the class, :math:`R_b` punishes more
    expected edges than ``max_edges``, :math:`R_c` edges of a node with unlike probabilities, and :math:`R_r` large
    logits. Samples are judged by the model on the way as the graphs they stand for, and the best is the prototype.

    Unlike in the paper a sample is cut down to its largest connected part before the model sees it, so that candidate
    nodes without edges do not count in a readout. Gradients do not see which nodes that leaves, nor features that are
    whole numbers, so a score-function term (REINFORCE) is added. Nodes have no more neighbours than in the data, and
    only types that are neighbours there; and the graph seen with the largest margin is returned, not the last.

    Args:
        num_prototypes: How many graphs, each optimised from another start, no two of them isomorphic.
        max_nodes: Number of candidate nodes.
        max_edges: Most edges of a graph; ``None``: as many a node as the class's graphs have, but enough to connect.
        num_iterations: Steps of Adam for each prototype.
        random_state: Seed of the start and of the samples.

    >>> GNNInterpreter(num_iterations=0)
    Traceback (most recent call last):
    ...
    ValueError: num_iterations must be at least 1, got 0
    """

    max_edges: int | None = None
    num_iterations: int = 300

    def __post_init__(self) -> None:
        check_options(self)

    def _generate(self, target: int) -> tuple[list[Prototype], list[str]]:
        model = self._running.model
        if not any(isinstance(module, MessagePassing) for module in model.modules()):
            raise ValueError(
                f"GNNInterpreter needs a model of torch_geometric.nn.MessagePassing layers, whose edges it can weight; "
                f"{type(model).__name__} has none; use PAGE"
            )
        self._check_accepted(bare(self._store[0]))
        generator = torch.Generator().manual_seed(int(self.random_state))
        searches: list[_Search] = []
        best: list[Prototype] = []

        def iterate(done: int) -> int:
            number, iteration = divmod(done, self.num_iterations)
            if iteration == 0:
                searches.append(_Search(self, target, {one.key for one in searches}, generator))
            searches[number].step(iteration)
            best[:] = [one.best for one in searches if one.best]
            return done + 1

        notes = self._search("generating", self.num_prototypes * self.num_iterations, "iterations", iterate, best)
        if not best:
            raise ValueError("the model's output for all generated graphs is NaN or infinite; it must take small ones")
        return best, notes


class _Search:
    """The optimisation of one distribution for a class, and the best graph that it has shown.

    Attributes:
        taken: Canonical keys of graphs that earlier searches ended with.
        key: Canonical key of the best graph.
    """

    def __init__(self, explainer: GNNInterpreter, target: int, taken: Set[bytes], generator: torch.Generator) -> None:
        self.options, self.target, self.taken, self.generator = explainer, target, taken, generator
        self.vocabulary, self.judge, size = explainer.vocabulary_, explainer._judge, explainer.max_nodes
        members = explainer.members(target)
        self.mean_embedding = torch.from_numpy(explainer.embeddings_[members].mean(axis=0))
        self.pairs = torch.triu_indices(size, size, 1)
        num_pairs = self.pairs.size(1)
        usual = round(float(self.vocabulary.edges_per_node[members].mean()) * size)
        self.max_edges = min(explainer.max_edges or max(usual, size - 1), num_pairs)
        # Every edge begins with about the probability that fills the budget, neither certain nor out of reach.
        share = min(0.5, max(0.01, self.max_edges / max(1, num_pairs)))
        edges = torch.randn(num_pairs, generator=generator, dtype=torch.float64) + np.log(share / (1 - share))
        types = torch.randn(size, len(self.vocabulary.counts), generator=generator, dtype=torch.float64)
        self.edges, self.types = edges.requires_grad_(), types.requires_grad_()
        self.optimizer = torch.optim.Adam([self.edges, self.types], lr=LEARNING_RATE)
        classifier = self.judge.classifier
        own = (values.dtype for values in classifier.model.parameters() if values.is_floating_point())
        self.dtype = next(own, torch.float64 if classifier.is_double else torch.float32)
        self.best: Prototype | None = None
        self.key = b""

    def step(self, iteration: int) -> None:
        """One step of Adam; now and then, and at last, the samples are judged as graphs."""
        last = self.options.num_iterations - 1
        cooling = LAST_TEMPERATURE / FIRST_TEMPERATURE
        tau = FIRST_TEMPERATURE * cooling ** (iteration / max(1, last))
        # Relaxed edges, [num_samples, num_pairs], and types, [num_samples, max_nodes, num_types].
        edge_noise, type_noise = (
            torch.rand(NUM_SAMPLES, *like.shape, generator=self.generator, dtype=torch.float64).clamp(1e-12, 1 - 1e-12)
            for like in (self.edges, self.types)
        )
        gumbel = -(-type_noise.log()).log()
        weights = ((self.edges + edge_noise.logit()) / tau).sigmoid()
        types = ((self.types + gumbel) / tau).softmax(dim=-1)
        parts = self._parts(weights, types)
        if iteration % JUDGED_EVERY == 0 or iteration == last:
            # The last of these is the most probable graph.
            self._judge_as_graphs(parts, self._parts(self.edges.sigmoid()[None], self.types[None]))
        loss = self._loss(weights, types, parts)
        gradients = torch.autograd.grad(loss, [self.edges, self.types], allow_unused=True)
        for values, gradient in zip((self.edges, self.types), gradients, strict=True):
            values.grad = torch.zeros_like(values) if gradient is None else torch.nan_to_num(gradient, 0.0, 0.0, 0.0)
        self.optimizer.step()

    def _parts(self, weights: Tensor, types: Tensor) -> "Parts":
        rows, kinds = weights.detach().numpy(), types.detach().argmax(dim=-1).numpy()
        return largest_parts(rows, kinds, self.vocabulary, self.max_edges, NEGLIGIBLE)

    def _judge_as_graphs(self, *samples: "Parts") -> None:
        """Let the model judge graphs, and keep the best that no earlier search ended with."""
        # As a dictionary, since the order must be that of the samples.
        distinct = dict.fromkeys(parts.graph(number) for parts in samples for number in range(len(parts.kinds)))
        graphs = [self.vocabulary.graph(*content) for content in distinct]
        outputs = self.judge.classifier.classify(graphs)
        judged = Judgement.of(log_scores(outputs, self.judge.return_type), self.target)
        # A distribution has other samples where the model cannot take one.
        valid = ~(outputs.isnan() | outputs.isposinf()).any(dim=1)
        for number in np.argsort(-judged.margins, kind="stable").tolist():
            bar = -np.inf if self.best is None else self.best.margin
            if judged.margins[number] <= bar + TOLERANCE * max(1.0, abs(bar)):
                return
            if valid[number] and (key := canonical_graph(graphs[number]).key) not in self.taken:
                self.key = key
                self.best = self.options._prototype(graphs[number], self.target, judged, number)

    def _loss(self, weights: Tensor, types: Tensor, parts: "Parts") -> Tensor:
        classifier = self.judge.classifier
        graphs, strengths = relaxed_graphs(weights.to(self.dtype), types, parts, self.vocabulary)
        with soft_edges(classifier.model, strengths.to(classifier.device)):
            outputs, embeddings = classifier.differentiable(graphs)
        kind = self.judge.return_type
        # Gradients are finite also at probabilities of exactly 0 and 1.
        scores = log_scores(outputs.cpu().double().clamp(*FINITE[kind]), kind)
        gains = scores.log_softmax(dim=1)[:, self.target]
        likeness = torch.cosine_similarity(embeddings.cpu().double(), self.mean_embedding[None], dim=1)
        gains = torch.nan_to_num(gains + likeness, 0.0, 0.0, 0.0)
        excess = torch.relu(self.edges.sigmoid().sum() - self.max_edges)
        logits = torch.cat([self.edges, self.types.flatten()])
        price = (
            excess**2
            + CONNECTIVITY_WEIGHT * unlikeness(self.edges, self.pairs, self.options.max_nodes)
            + REGULARIZATION * (logits.abs().mean() + logits.square().mean())
        )
        # Score-function estimate: make the graphs behind the better samples more probable.
        advantage = (gains.detach() - gains.detach().mean()) / (gains.detach().std() + 1e-6)
        edges_of_graphs = logsigmoid(torch.where(weights.detach() > 0.5, self.edges, -self.edges)).sum(dim=1)
        kinds = types.argmax(dim=-1)
        types_of_graphs = self.types.log_softmax(dim=1)[torch.arange(len(self.types)), kinds].sum(dim=1)
        return price - gains.mean() - (advantage * (edges_of_graphs + types_of_graphs)).mean()


@dataclass(frozen=True, eq=False)
class Parts:
    """What is left of each sample; pairs of candidates are in the order of :func:`numpy.triu_indices`.

    Attributes:
        kinds: Type of each candidate, ``[num_samples, num_candidates]``.
        is_node: Which candidates are nodes of the largest part, ``[num_samples, num_candidates]``.
        is_edge: Which pairs are its edges, ``[num_samples, num_pairs]``.
        is_kept: Which pairs a relaxed sample may keep: all inside but those against the rules and negligible ones.
    """

    kinds: Ints
    is_node: Bools
    is_edge: Bools
    is_kept: Bools

    def graph(self, sample: int) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        """The graph behind a sample: type of each node, and edges between nodes numbered from 0."""
        place = self.is_node[sample].cumsum() - 1
        ends = place[_pairs(self.kinds.shape[1])[:, self.is_edge[sample]]]
        return tuple(self.kinds[sample, self.is_node[sample]].tolist()), tuple(map(tuple, ends.T.tolist()))


def largest_parts(weights: Floats, kinds: Ints, vocabulary: Vocabulary, max_edges: int, negligible: float) -> Parts:
    """The largest connected part of each sample, the most probable edges first, as far as the rules of the data allow.

    Args:
        weights: Probability of each pair of candidates, ``[num_samples, num_pairs]``.
        kinds: Type of each candidate, ``[num_samples, num_candidates]``.
        vocabulary: No node gets more neighbours than its type has in the data, and only of types it is joined with.
        max_edges: No more edges than this.
        negligible: A relaxed sample does not keep pairs less probable than this.

    >>> from torch_geometric.data import Data
    >>> from protograph.baselines.generation import learn
    >>> path = Data(x=torch.ones(3, 1), edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    >>> kinds = np.zeros((1, 3), dtype=int)
    >>> parts = largest_parts(np.array([[0.9, 0.8, 0.7]]), kinds, learn([path]), max_edges=2, negligible=0.01)
    >>> parts.graph(0), parts.is_kept.tolist()
    (((0, 0, 0), ((0, 1), (0, 2))), [[True, True, False]])
    """
    pairs = _pairs(kinds.shape[1])
    is_allowed = vocabulary.joined[kinds[:, pairs[0]], kinds[:, pairs[1]]] > 0
    is_edge, part_of = np.zeros_like(is_allowed), np.empty(kinds.shape, np.int64)
    for sample, order in enumerate(np.argsort(-weights, axis=1, kind="stable")):
        room, parts = vocabulary.max_degree[kinds[sample]].tolist(), list(range(kinds.shape[1]))
        for pair in order[((weights > 0.5) & is_allowed)[sample, order]].tolist():
            u, v = pairs[:, pair].tolist()
            if room[u] and room[v] and is_edge[sample].sum() < max_edges:
                room[u], room[v] = room[u] - 1, room[v] - 1
                is_edge[sample, pair] = True
                low, high = sorted((parts[u], parts[v]))
                parts = [low if part == high else part for part in parts]
        part_of[sample] = parts
    # Parts are known by their first nodes; of those of one size the first is taken.
    sizes = (part_of[:, :, None] == part_of[:, None, :]).sum(axis=2)
    is_node = part_of == part_of[np.arange(len(kinds)), sizes.argmax(axis=1)][:, None]
    is_inside = is_node[:, pairs[0]] & is_node[:, pairs[1]]
    is_refused = (weights > 0.5) & ~is_edge
    is_kept = is_inside & is_allowed & ~is_refused & (weights > negligible)
    return Parts(kinds, is_node, is_edge & is_inside, is_kept)


@cache
def _pairs(num_candidates: int) -> Ints:
    return np.stack(np.triu_indices(num_candidates, 1))


def relaxed_graphs(weights: Tensor, types: Tensor, parts: Parts, vocabulary: Vocabulary) -> tuple[list[Data], Tensor]:
    """Samples as graphs with soft features, and the weights of all their edges one after the other, both directions.

    Args:
        weights: Of each pair of candidates, ``[num_samples, num_pairs]``, of the precision of the model.
        types: Shares that each candidate has in the types, ``[num_samples, num_candidates, num_types]``.
        parts: What is left of them.
        vocabulary: Features of types, attributes of edges.
    """
    graphs, strengths = [], []
    pairs, places = torch.from_numpy(_pairs(parts.kinds.shape[1])), torch.from_numpy(parts.is_node.cumsum(axis=1) - 1)
    for sample, place in enumerate(places):
        kept = torch.from_numpy(parts.is_kept[sample])
        shares = types[sample, torch.from_numpy(parts.is_node[sample])]
        ends = place[pairs[:, kept]]
        edge_index = torch.stack([ends, ends.flip(0)], dim=2).flatten(1)  # both directions follow each other
        strengths.append(weights[sample, kept].repeat_interleave(2))
        x, edge_attr = vocabulary.x, vocabulary.edge_attr
        graphs.append(
            assembled(
                len(shares),
                None if x is None else mixed(x, shares),
                edge_index,
                None if edge_attr is None else mixed(edge_attr, *shares[edge_index]),
            )
        )
    return graphs, torch.cat(strengths)


@contextmanager
def soft_edges(model: nn.Module, weights: Tensor) -> Iterator[None]:
    r"""Let every edge of the batch that the model is called on count only as much as its weight says.

    A layer that takes ``edge_weight`` and sums its messages is given the weights, so that a normalisation such as
    GCN's sees soft degrees. In other layers messages :math:`m_{ij}` are multiplied by their weights where they are
    made, as in :mod:`torch_geometric.explain`, and a mean is divided by their sum:

    .. math::
        \text{sum: } \textstyle\sum_j w_{ij} m_{ij}, \quad
        \text{mean: } \frac{\sum_j w_{ij} m_{ij}}{\sum_j w_{ij}}

    so that in layers that sum or average, weights of 0 and 1 give what the model makes of the graph without the edges
    of weight 0, provided that no node loses all of them. Self-loops that a layer adds have weight 1.

    Args:
        model: Any model of ``MessagePassing`` layers; hooks are on it inside the ``with`` block only.
        weights: One for each column of the batch's ``edge_index``, ``[num_edges]``.

    >>> from torch_geometric.nn import SimpleConv
    >>> ends = torch.tensor([[0, 1], [2, 2]])
    >>> conv = SimpleConv(aggr="mean")
    >>> with soft_edges(conv, torch.tensor([1.0, 0.5])):
    ...     conv(torch.tensor([[1.0], [4.0], [0.0]]), ends)[2]
    tensor([2.])
    """
    with ExitStack() as stack:
        layers: list[Any] = [module for module in model.modules() if isinstance(module, MessagePassing)]
        for layer in layers:
            soft = _SoftLayer(layer, weights)
            # FAConv takes weights only where it is told not to normalise.
            takes_weights = "edge_weight" in soft.signature.parameters and not isinstance(layer, FAConv)
            if takes_weights and layer.aggr in ("add", "sum"):
                handles = [layer.register_forward_pre_hook(soft.before_forward, with_kwargs=True)]
            else:
                handles = [
                    layer.register_propagate_forward_pre_hook(soft.before_propagate),
                    layer.register_message_forward_hook(soft.after_message),
                    layer.register_aggregate_forward_hook(soft.after_aggregate),
                ]
            for handle in handles:
                stack.callback(handle.remove)
        yield


class _SoftLayer:
    """The hooks of one layer, with the weights of the edges that it was called on last."""

    def __init__(self, layer: Any, weights: Tensor) -> None:
        self.signature = inspect.signature(layer.forward)
        self._given, self._weights, self._index = weights, weights, weights

    def before_forward(self, layer: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        bound = self.signature.bind_partial(*args, **kwargs)
        own, ends = bound.arguments.get("edge_weight"), bound.arguments.get("edge_index")
        weights = self._given if ends is None else self._weights_of(layer, ends)
        bound.arguments["edge_weight"] = weights if own is None else own * weights
        return bound.args, bound.kwargs

    def before_propagate(self, layer: Any, inputs: Any) -> None:
        """Find the weights of the edges that the layer really uses."""
        self._weights = self._weights_of(layer, inputs[0])
        self._index = inputs[0][1 if layer.flow == "source_to_target" else 0]

    def after_message(self, layer: Any, inputs: Any, messages: Tensor) -> Tensor:
        return _like(self._weights, messages, layer.node_dim) * messages

    def after_aggregate(self, layer: Any, inputs: Any, result: Tensor) -> Tensor:
        """Divide a mean by the sum of the weights rather than by the number of edges."""
        if layer.aggr != "mean":
            return result
        size = result.size(layer.node_dim)
        total, count = (
            scatter(values, self._index, dim=0, dim_size=size, reduce="sum")
            for values in (self._weights, torch.ones_like(self._weights))
        )
        return result * _like(count / total.clamp(min=TINY), result, layer.node_dim)

    def _weights_of(self, layer: Any, edge_index: Any) -> Tensor:
        given = self._given
        is_list = isinstance(edge_index, Tensor) and not edge_index.is_sparse
        if is_list and edge_index.size(1) >= len(given):
            rest = edge_index[:, len(given) :]
            if bool((rest[0] == rest[1]).all()):
                return torch.cat([given, given.new_ones(rest.size(1))])
        got = f"{edge_index.size(-1)} edges" if is_list else f"a {type(edge_index).__name__}"
        raise ValueError(
            f"{type(layer).__name__} does not get the graph's own edges, one column of edge_index each, but "
            f"{got} where the graphs have {len(given)}; models that pool, drop or rewire edges "
            f"inside, or turn them into sparse matrices, cannot be differentiated by their edges"
        )


def _like(values: Tensor, other: Tensor, dim: int) -> Tensor:
    """Shape a vector so that it multiplies ``other`` along one dimension."""
    shape = [1] * other.dim()
    shape[dim] = -1
    return values.to(other.dtype).view(shape)


def mixed(values: Tensor, *shares: Tensor) -> Tensor:
    """Values of types mixed by ``shares``, or those of pairs of types by two of these.

    Whole numbers cannot be mixed, so there the largest share counts.

    >>> mixed(torch.tensor([[0.0, 4.0], [2.0, 0.0]]), torch.tensor([[0.5, 0.5]]))
    tensor([[1., 2.]])
    """
    if not values.is_floating_point():
        return values[tuple(share.argmax(dim=-1) for share in shares)]
    flat = values.reshape(*values.shape[: len(shares)], -1).to(shares[0].dtype)
    mix = shares[0] @ flat if len(shares) == 1 else torch.einsum("ea,eb,abd->ed", *shares, flat)
    return mix.reshape(len(mix), *values.shape[len(shares) :]).to(values.dtype)


def unlikeness(logits: Tensor, pairs: Tensor, num_nodes: int) -> Tensor:
    r"""Mean divergence between the probabilities of two edges with a node in common (the paper's connectivity).

    .. math:: \mathrm{KL}(p \,\|\, q) = p \log\frac pq + (1 - p) \log\frac{1 - p}{1 - q}

    >>> unlikeness(torch.zeros(3), torch.triu_indices(3, 3, 1), 3)
    tensor(0.)
    """
    if num_nodes < 3:
        return logits.new_zeros(())
    first, second = pairs
    rows = logits.new_zeros(num_nodes, num_nodes)
    rows = rows.index_put((first, second), logits).index_put((second, first), logits)
    mine = rows[~torch.eye(num_nodes, dtype=torch.bool)].view(num_nodes, num_nodes - 1, 1)
    theirs = mine.transpose(1, 2)
    # log p = -softplus(-z), log(1 - p) = -softplus(z) = log p - z
    log_p, log_q = logsigmoid(mine), logsigmoid(theirs)
    divergence = log_p - log_q - (1 - mine.sigmoid()) * (mine - theirs)
    return divergence.sum() / (num_nodes * (num_nodes - 1) * (num_nodes - 2))
