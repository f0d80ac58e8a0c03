"""GNNInterpreter: prototype graphs drawn from a distribution of graphs that is optimised for a class."""

from collections.abc import Set
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from protograph._base.options import check_options
from protograph._base.ties import TOLERANCE
from protograph.explanation import Prototype
from protograph.models.judging import Judgement
from protograph.models.outputs import log_scores
from protograph.patterns.canonical import canonical_graph
from protograph.peers.generating import GeneratingExplainer, bare
from protograph.peers.parts import Parts, largest_parts, relaxed_graphs
from protograph.peers.relaxation import message_passing_layers, safe_log_scores, soft_edges, unlikeness


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
        check_options(self, above_zero=("learning_rate", "first_temperature", "last_temperature"))

    def _generate(self, target: int) -> tuple[list[Prototype], list[str]]:
        model = self._classifier().model
        if not message_passing_layers(model):
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
        members = explainer._members(target)
        self.mean_embedding = torch.from_numpy(explainer.embeddings_[members].mean(axis=0))
        self.pairs = torch.triu_indices(size, size, 1)
        num_pairs = self.pairs.size(1)
        usual = round(float(self.vocabulary.edges_per_node[members].mean()) * size)
        self.max_edges = min(explainer.max_edges or max(usual, size - 1), num_pairs)
        # Every edge begins with about the probability that fills the budget, neither certain nor out of reach.
        share = min(0.5, max(0.01, self.max_edges / max(1, num_pairs)))
        edges = torch.randn(num_pairs, generator=generator, dtype=torch.float64) + np.log(share / (1 - share))
        types = torch.randn(size, self.vocabulary.num_types, generator=generator, dtype=torch.float64)
        self.edges, self.types = edges.requires_grad_(), types.requires_grad_()
        self.optimizer = torch.optim.Adam([self.edges, self.types], lr=explainer.learning_rate)
        classifier = self.judge.classifier
        own = (values.dtype for values in classifier.model.parameters() if values.is_floating_point())
        self.dtype = next(own, torch.float64 if classifier.is_double else torch.float32)
        self.best: Prototype | None = None
        self.key = b""

    def step(self, iteration: int) -> None:
        """One step of Adam; now and then, and at last, the samples are judged as graphs."""
        options, last = self.options, self.options.num_iterations - 1
        cooling = options.last_temperature / options.first_temperature
        tau = options.first_temperature * cooling ** (iteration / max(1, last))
        weights, types = self._sample(tau)
        parts = self._parts(weights, types)
        if iteration % options.judged_every == 0 or iteration == last:
            # The last of these is the most probable graph.
            self._judge_as_graphs(parts, self._parts(self.edges.sigmoid()[None], self.types[None]))
        loss = self._loss(weights, types, parts)
        gradients = torch.autograd.grad(loss, [self.edges, self.types], allow_unused=True)
        for values, gradient in zip((self.edges, self.types), gradients, strict=True):
            values.grad = torch.zeros_like(values) if gradient is None else torch.nan_to_num(gradient, 0.0, 0.0, 0.0)
        self.optimizer.step()

    def _sample(self, tau: float) -> tuple[Tensor, Tensor]:
        """Relaxed edges ``[num_samples, num_pairs]`` and types ``[num_samples, max_nodes, num_types]``."""

        def uniform(like: Tensor) -> Tensor:
            noise = torch.rand(self.options.num_samples, *like.shape, generator=self.generator, dtype=torch.float64)
            return noise.clamp(1e-12, 1 - 1e-12)

        edges = ((self.edges + uniform(self.edges).logit()) / tau).sigmoid()
        gumbel = -(-uniform(self.types).log()).log()
        return edges, ((self.types + gumbel) / tau).softmax(dim=-1)

    def _parts(self, weights: Tensor, types: Tensor) -> Parts:
        rows, kinds = weights.detach().numpy(), types.detach().argmax(dim=-1).numpy()
        return largest_parts(rows, kinds, self.vocabulary, self.max_edges, self.options.negligible)

    def _judge_as_graphs(self, *samples: Parts) -> None:
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

    def _loss(self, weights: Tensor, types: Tensor, parts: Parts) -> Tensor:
        options, classifier = self.options, self.judge.classifier
        is_passed = "edge_weight" in (classifier.call.attributes or ())
        graphs, strengths = relaxed_graphs(weights.to(self.dtype), types, parts, self.vocabulary, is_passed=is_passed)
        with soft_edges(classifier.model, strengths.to(classifier.device), is_passed=is_passed):
            outputs, embeddings = classifier.differentiable(graphs)
        gains = safe_log_scores(outputs.cpu(), self.judge.return_type).log_softmax(dim=1)[:, self.target]
        likeness = torch.cosine_similarity(embeddings.cpu().double(), self.mean_embedding[None], dim=1)
        gains = torch.nan_to_num(gains + options.similarity_weight * likeness, 0.0, 0.0, 0.0)
        sampling = self._sampling_gain(gains.detach(), weights.detach(), types.argmax(dim=-1))
        return self._price() - gains.mean() - options.sampling_weight * sampling

    def _sampling_gain(self, gains: Tensor, weights: Tensor, kinds: Tensor) -> Tensor | float:
        """Score-function estimate: make the graphs behind the better samples more probable."""
        if len(gains) < 2:
            return 0.0
        advantage = (gains - gains.mean()) / (gains.std() + 1e-6)
        edges = logsigmoid(torch.where(weights > 0.5, self.edges, -self.edges)).sum(dim=1)
        types = self.types.log_softmax(dim=1)[torch.arange(len(self.types)), kinds].sum(dim=1)
        return (advantage * (edges + types)).mean()

    def _price(self) -> Tensor:
        options = self.options
        excess = torch.relu(self.edges.sigmoid().sum() - self.max_edges)
        logits = torch.cat([self.edges, self.types.flatten()])
        return (
            options.size_weight * excess**2
            + options.connectivity_weight * unlikeness(self.edges, self.pairs, options.max_nodes)
            + options.regularization * (logits.abs().mean() + logits.square().mean())
        )
