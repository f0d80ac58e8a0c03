"""GNNInterpreter: prototype graphs drawn from a distribution of graphs that is optimised for a class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid
from torch_geometric.data import Data

from protograph._base.options import check_count, check_number
from protograph._base.ties import TOLERANCE
from protograph.models.classifier import RunningClassifier
from protograph.models.judging import Judge, Judgement
from protograph.models.outputs import log_scores
from protograph.peers.generating import GeneratedGraph, GeneratingExplainer
from protograph.peers.relaxation import (
    Part,
    largest_part,
    message_passing_layers,
    mixed,
    mixed_pairs,
    safe_log_scores,
    soft_edges,
    unlikeness,
)
from protograph.peers.vocabulary import Vocabulary, assembled, bare

_POSITIVE = ("learning_rate", "first_temperature", "last_temperature")
_NOT_NEGATIVE = (
    *("similarity_weight", "sampling_weight", "size_weight", "connectivity_weight", "regularization"),
    "negligible",
)


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
        num_samples: Relaxed samples in each step.
        first_temperature: Of the relaxation at the start, where samples say something about every edge.
        last_temperature: At the end, where samples are all but graphs.
        judged_every: The graphs behind the samples are judged once in so many steps, and in the last one.
        negligible: An edge less probable than this in a sample is left out of it, so that layers see sparse graphs as
            they are used to.
        learning_rate: Step size of Adam.
        similarity_weight: :math:`\lambda_s`.
        sampling_weight: Weight of the score-function term.
        size_weight: :math:`\lambda_b`.
        connectivity_weight: :math:`\lambda_c`.
        regularization: :math:`\lambda_r`.
        max_types: Most types of nodes that graphs are made of, the most frequent ones: continuous features give one for
            every node.
        random_state: Seed of the start and of the samples.

    >>> GNNInterpreter(num_samples=0)
    Traceback (most recent call last):
    ...
    ValueError: num_samples must be at least 1, got 0
    """

    max_edges: int | None = None
    num_iterations: int = 300
    num_samples: int = 16
    first_temperature: float = 1.0
    last_temperature: float = 0.1
    judged_every: int = 5
    negligible: float = 0.01
    learning_rate: float = 0.1
    similarity_weight: float = 1.0
    sampling_weight: float = 1.0
    size_weight: float = 1.0
    connectivity_weight: float = 0.01
    regularization: float = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("num_iterations", "num_samples", "judged_every"):
            check_count(name, getattr(self, name))
        if self.max_edges is not None:
            check_count("max_edges", self.max_edges)
        for name in (*_POSITIVE, *_NOT_NEGATIVE):
            check_number(name, getattr(self, name), above=0 if name in _POSITIVE else None)

    def _generate(self, target: int) -> tuple[list[GeneratedGraph], list[str]]:
        problem = self._problem(target)
        generator = torch.Generator().manual_seed(int(self.random_state))
        searches: list[_Search] = []
        best: list[GeneratedGraph] = []

        def iterate(done: int) -> int:
            number, iteration = divmod(done, self.num_iterations)
            if iteration == 0:
                searches.append(_Search(self, problem, [one.best for one in searches if one.best], generator))
            searches[number].step(iteration)
            best[:] = [one.best for one in searches if one.best]
            return done + 1

        notes = self._search("generating", self.num_prototypes * self.num_iterations, "iterations", iterate, best)
        if not best:
            raise ValueError("the model's output for all generated graphs is NaN or infinite; it must take small ones")
        return best, notes

    def _problem(self, target: int) -> "_Problem":
        members = self._members(target)
        model = self._classifier().model
        if not message_passing_layers(model):
            raise ValueError(
                f"GNNInterpreter needs a model of torch_geometric.nn.MessagePassing layers, whose edges it can weight; "
                f"{type(model).__name__} has none; use PAGE"
            )
        self._check_accepted(bare(self._store[0]))
        num_pairs = self.max_nodes * (self.max_nodes - 1) // 2
        usual = round(float(self.vocabulary_.edges_per_node[members].mean()) * self.max_nodes)
        limit = max(usual, self.max_nodes - 1) if self.max_edges is None else int(self.max_edges)
        return _Problem(
            judge=self._judge,
            vocabulary=self.vocabulary_,
            target=target,
            mean_embedding=torch.from_numpy(self._fitted().graph_embeddings[members].mean(axis=0)),
            max_edges=min(limit, num_pairs),
        )


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is optimised: one class of one model."""

    judge: Judge
    vocabulary: Vocabulary
    target: int
    mean_embedding: Tensor
    max_edges: int


class _Search:
    """The optimisation of one distribution, and the best graph that it has shown."""

    def __init__(
        self, options: GNNInterpreter, problem: _Problem, earlier: Sequence[GeneratedGraph], generator: torch.Generator
    ) -> None:
        self.options, self.problem, self.earlier, self.generator = options, problem, earlier, generator
        self.best: GeneratedGraph | None = None
        size = options.max_nodes
        self.pairs = torch.triu_indices(size, size, 1)
        num_pairs = self.pairs.size(1)
        # Every edge begins with about the probability that fills the budget, neither certain nor out of reach.
        share = min(0.5, max(0.01, problem.max_edges / max(1, num_pairs)))
        edges = torch.randn(num_pairs, generator=generator, dtype=torch.float64) + np.log(share / (1 - share))
        types = torch.randn(size, problem.vocabulary.num_types, generator=generator, dtype=torch.float64)
        self.edges, self.types = edges.requires_grad_(), types.requires_grad_()
        self.optimizer = torch.optim.Adam([self.edges, self.types], lr=options.learning_rate)
        self.dtype = _dtype_of(problem.judge.classifier)

    def step(self, iteration: int) -> None:
        """One step of Adam; now and then, and at last, the samples are judged as graphs."""
        options, last = self.options, self.options.num_iterations - 1
        cooling = options.last_temperature / options.first_temperature
        tau = options.first_temperature * cooling ** (iteration / max(1, last))
        weights, types = self._sample(tau)
        parts = self._parts(weights, types)
        if iteration % options.judged_every == 0 or iteration == last:
            self._judge([*parts, self._mode()])
        loss = self._loss(weights, types, parts)
        gradients = torch.autograd.grad(loss, [self.edges, self.types], allow_unused=True)
        for values, gradient in zip((self.edges, self.types), gradients, strict=True):
            values.grad = torch.zeros_like(values) if gradient is None else torch.nan_to_num(gradient, 0.0, 0.0, 0.0)
        self.optimizer.step()

    def _sample(self, tau: float) -> tuple[Tensor, Tensor]:
        """Relaxed edges ``[num_samples, num_pairs]`` and types ``[num_samples, max_nodes, num_types]``."""

        def uniform(like: Tensor) -> Tensor:
            shape = (self.options.num_samples, *like.shape)
            noise = torch.rand(shape, generator=self.generator, dtype=torch.float64)
            return noise.clamp(1e-12, 1 - 1e-12)

        edges = ((self.edges + uniform(self.edges).logit()) / tau).sigmoid()
        gumbel = -(-uniform(self.types).log()).log()
        return edges, ((self.types + gumbel) / tau).softmax(dim=-1)

    def _parts(self, weights: Tensor, types: Tensor) -> list[Part]:
        rows, kinds = weights.detach().numpy(), types.detach().argmax(dim=-1).numpy()
        problem, negligible = self.problem, self.options.negligible
        return [
            largest_part(*sample, problem.vocabulary, problem.max_edges, negligible)
            for sample in zip(rows, kinds, strict=True)
        ]

    def _mode(self) -> Part:
        """The most probable graph."""
        return self._parts(self.edges.sigmoid()[None], self.types[None])[0]

    def _judge(self, parts: Sequence[Part]) -> None:
        """Let the model judge graphs, and keep the best that is not known yet."""
        problem, judge = self.problem, self.problem.judge
        distinct = list({(part.kinds, part.edges): part for part in parts}.values())
        graphs = [problem.vocabulary.graph(part.kinds, part.edges) for part in distinct]
        outputs = judge.classifier.classify(graphs)
        judged = Judgement.of(log_scores(outputs, judge.return_type), problem.target)
        # A distribution has other samples where the model cannot take one.
        valid = ~(outputs.isnan() | outputs.isposinf()).any(dim=1)
        for number in np.argsort(-judged.margins, kind="stable").tolist():
            probability, margin = float(judged.probabilities[number]), float(judged.margins[number])
            bar = -np.inf if self.best is None else self.best.margin
            if margin <= bar + TOLERANCE * max(1.0, abs(bar)):
                return
            offered = GeneratedGraph(graphs[number], probability, margin)
            if valid[number] and offered.key not in {one.key for one in self.earlier}:
                self.best = offered

    def _loss(self, weights: Tensor, types: Tensor, parts: Sequence[Part]) -> Tensor:
        problem, options, classifier = self.problem, self.options, self.problem.judge.classifier
        relaxed = [self._relaxed(*sample) for sample in zip(weights, types, parts, strict=True)]
        is_passed = "edge_weight" in (classifier.call.attributes or ())
        if is_passed:
            for graph, strengths in relaxed:
                graph.edge_weight = strengths
        joined = torch.cat([strengths for _, strengths in relaxed]).to(classifier.device)
        with soft_edges(classifier.model, joined, is_passed=is_passed):
            outputs, embeddings = classifier.differentiable([graph for graph, _ in relaxed])
        scores = safe_log_scores(outputs.cpu(), problem.judge.return_type)
        gains = scores.log_softmax(dim=1)[:, problem.target]
        likeness = torch.cosine_similarity(embeddings.cpu().double(), problem.mean_embedding[None], dim=1)
        gains = torch.nan_to_num(gains + options.similarity_weight * likeness, 0.0, 0.0, 0.0)
        sampling = self._sampling_gain(gains.detach(), weights.detach(), types.argmax(dim=-1))
        return self._price() - gains.mean() - options.sampling_weight * sampling

    def _relaxed(self, weights: Tensor, types: Tensor, part: Part) -> tuple[Data, Tensor]:
        """A sample as a graph with soft features, and the weights of its edges."""
        vocabulary, nodes, kept = self.problem.vocabulary, torch.tensor(part.nodes), torch.tensor(part.kept).long()
        ends = torch.searchsorted(nodes, self.pairs[:, kept].contiguous())
        edge_index, kinds = torch.cat([ends, ends.flip(0)], dim=1), types[nodes]
        x, edge_attr = vocabulary.x, vocabulary.edge_attr
        x = None if x is None else mixed(x, kinds)
        edge_attr = None if edge_attr is None else mixed_pairs(edge_attr, *kinds[edge_index])
        return assembled(len(nodes), x, edge_index, edge_attr), weights[kept].repeat(2).to(self.dtype)

    def _sampling_gain(self, gains: Tensor, weights: Tensor, kinds: Tensor) -> Tensor | float:
        """Score-function estimate: make the graphs behind the better samples more probable."""
        if len(gains) < 2:
            return 0.0
        advantage = (gains - gains.mean()) / (gains.std() + 1e-6)
        edges = logsigmoid(torch.where(weights > 0.5, self.edges, -self.edges)).sum(dim=1)
        types = self.types.log_softmax(dim=1)[torch.arange(len(self.types)), kinds].sum(dim=1)
        return (advantage * (edges + types)).mean()

    def _price(self) -> Tensor:
        """Size, connectivity and regularisation."""
        options, chance = self.options, self.edges.sigmoid()
        excess = torch.relu(chance.sum() - self.problem.max_edges)
        logits = torch.cat([self.edges, self.types.flatten()])
        return (
            options.size_weight * excess**2
            + options.connectivity_weight * unlikeness(self.edges, self.pairs, options.max_nodes)
            + options.regularization * (logits.abs().mean() + logits.square().mean())
        )


def _dtype_of(classifier: RunningClassifier) -> torch.dtype:
    own = (values.dtype for values in classifier.model.parameters() if values.is_floating_point())
    return torch.float64 if classifier.is_double else next(own, torch.float32)
