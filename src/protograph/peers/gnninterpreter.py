"""GNNInterpreter: prototype graphs drawn from a distribution of graphs that is optimised for a class."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import networkx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import logsigmoid
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.options import check_count
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explainer import Explainer, timed
from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.store import GraphStore
from protograph.models.classifier import RunningClassifier
from protograph.models.outputs import ReturnType, log_scores, margins, probabilities
from protograph.page.walk.retrieval import best_first
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
from protograph.peers.vocabulary import Vocabulary, learn

# From samples that say something about every edge to samples that are all but graphs.
_FIRST_TEMPERATURE, _LAST_TEMPERATURE = 1.0, 0.1
# Graphs are judged once in so many iterations.
_JUDGED_EVERY = 5
_TERMS = ("similarity", "sampling", "size", "connectivity")
_GENERATED = frozenset({"x", "edge_index", "edge_attr", "batch", "ptr", "num_graphs", "num_nodes", "y"})


@dataclass(kw_only=True, eq=False)
class GNNInterpreter(Explainer):
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
        learning_rate: Step size of Adam.
        similarity_weight: :math:`\lambda_s`.
        sampling_weight: Weight of the score-function term.
        size_weight: :math:`\lambda_b`.
        connectivity_weight: :math:`\lambda_c`.
        regularization: :math:`\lambda_r`.
        random_state: Seed of the start and of the samples.

    >>> GNNInterpreter(num_samples=0)
    Traceback (most recent call last):
    ...
    ValueError: num_samples must be at least 1, got 0
    """

    num_prototypes: int = 1
    max_nodes: int = 13
    max_edges: int | None = None
    num_iterations: int = 300
    num_samples: int = 16
    learning_rate: float = 0.1
    similarity_weight: float = 1.0
    sampling_weight: float = 1.0
    size_weight: float = 1.0
    connectivity_weight: float = 0.01
    regularization: float = 0.001
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("num_prototypes", "max_nodes", "num_iterations", "num_samples"):
            check_count(name, getattr(self, name))
        if self.max_edges is not None:
            check_count("max_edges", self.max_edges)
        for name in ("learning_rate", "regularization", *(f"{term}_weight" for term in _TERMS)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
                raise TypeError(f"{name} must be a number, got {value!r}")
            if not 0 <= value < np.inf:
                raise ValueError(f"{name} must be at least 0 and finite, got {value!r}")
        if self.learning_rate == 0:
            raise ValueError(f"learning_rate must be above 0, got {self.learning_rate!r}")
        checked_seed(self.random_state)

    def explain(self, target: int) -> Explanation:
        """Generate prototypes of a class.

        Ctrl-C stops early: the best graphs until then are the result, and a warning says so.
        """
        members = self._members(target)
        timings: dict[str, float] = {}
        with preserved_random_state():
            with timed(timings, "vocabulary"):
                learned = self._learned()
            problem = self._problem(int(target), members, learned)
            notes = self._notes(learned)
            with timed(timings, "generation"):
                found = self._generate(problem, notes)
        for note in notes:
            warnings.warn(f"class {target}: {note}", ProtographWarning, stacklevel=2)
        names = {key: self._names[key] for key in ("feature_names", "edge_names")}
        prototypes = [Prototype(graph=f.graph, probability=f.probability, margin=f.margin, **names) for f in found]
        ordered = best_first(prototypes, self._classifier().resolution)
        return self._explanation(target, prototypes=ordered, timings=timings, warnings=notes)

    def _options(self) -> Mapping[str, Any]:
        return asdict(self)

    def _learned(self) -> "_Learned":
        """The vocabulary of the graphs, learned once after each fit."""
        known: _Learned | None = getattr(self, "_last_learned", None)
        if known is None or known.store is not self._store:
            graphs = [graph for chunk in self._store.chunks(256) for graph in chunk]
            ratios = [int((g.edge_index[0] < g.edge_index[1]).sum()) / max(1, g.num_nodes or 0) for g in graphs]
            known = self._last_learned = _Learned(self._store, learn(graphs), np.array(ratios))
        return known

    def _problem(self, target: int, members: NDArray[np.int64], learned: "_Learned") -> "_Problem":
        classifier = _own(self._classifier())
        if not message_passing_layers(classifier.model):
            raise ValueError(
                f"GNNInterpreter needs a model of torch_geometric.nn.MessagePassing layers, whose edges it can weight; "
                f"{type(classifier.model).__name__} has none; use PAGE"
            )
        _check_runs(classifier, self._store[0])
        num_pairs = self.max_nodes * (self.max_nodes - 1) // 2
        usual = round(float(learned.edges_per_node[members].mean()) * self.max_nodes)
        limit = max(usual, self.max_nodes - 1) if self.max_edges is None else int(self.max_edges)
        mean = torch.from_numpy(self._fitted().graph_embeddings[members].mean(axis=0))
        return _Problem(
            classifier=classifier,
            vocabulary=learned.vocabulary,
            target=target,
            return_type=self._fitted().return_type,
            mean_embedding=mean,
            max_edges=min(limit, num_pairs),
        )

    def _notes(self, learned: "_Learned") -> list[str]:
        notes, vocabulary, call = [], learned.vocabulary, self._classifier().call
        if vocabulary.num_left_out:
            notes.append(
                f"nodes have {vocabulary.num_types + vocabulary.num_left_out} different features, and generated graphs "
                f"use only the {vocabulary.num_types} most frequent"
            )
        unseen = sorted((call.attributes or frozenset()) & set(self._store[0].keys()) - _GENERATED)
        if unseen:
            notes.append(f"generated graphs have no {', '.join(unseen)}, which the model takes")
        return notes

    def _generate(self, problem: "_Problem", notes: list[str]) -> list["_Found"]:
        generator = torch.Generator().manual_seed(int(self.random_state))
        total, found = self.num_prototypes * self.num_iterations, list[_Found]()
        for number in range(self.num_prototypes):
            search = _Search(self, problem, found, generator)
            try:
                for iteration in range(self.num_iterations):
                    search.step(iteration)
                    if self._progress is not None:
                        self._progress("generating", number * self.num_iterations + iteration + 1, total)
            except KeyboardInterrupt:
                found.extend([search.best] if search.best is not None else [])
                if not found:
                    raise
                done = number * self.num_iterations + search.num_steps
                notes.append(f"interrupted after {done} of {total} iterations, with the best graphs until then")
                return found
            if search.best is not None:
                found.append(search.best)
        if not found:
            raise ValueError("the model's output for all generated graphs is NaN or infinite; it must take small ones")
        if len(found) < self.num_prototypes:
            notes.append(f"only {len(found)} different graphs were found, {self.num_prototypes} were asked for")
        return found


@dataclass(frozen=True, eq=False)
class _Learned:
    """What the graphs tell: their vocabulary and the number of edges a node of each graph."""

    store: GraphStore
    vocabulary: Vocabulary
    edges_per_node: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is optimised: one class of one model."""

    classifier: RunningClassifier
    vocabulary: Vocabulary
    target: int
    return_type: ReturnType
    mean_embedding: Tensor
    max_edges: int


@dataclass(frozen=True, eq=False)
class _Found:
    """A graph that the model has judged."""

    graph: Data
    shape: networkx.Graph
    probability: float
    margin: float


class _Search:
    """The optimisation of one distribution, and the best graph that it has shown."""

    def __init__(
        self, options: GNNInterpreter, problem: _Problem, known: Sequence[_Found], generator: torch.Generator
    ) -> None:
        self.options, self.problem, self.known, self.generator = options, problem, list(known), generator
        self.best: _Found | None = None
        self.num_steps = 0
        size = options.max_nodes
        self.pairs = torch.triu_indices(size, size, 1)
        num_pairs = self.pairs.size(1)
        share = min(0.5, max(0.01, problem.max_edges / max(1, num_pairs)))
        edges = torch.randn(num_pairs, generator=generator, dtype=torch.float64) + np.log(share / (1 - share))
        types = torch.randn(size, problem.vocabulary.num_types, generator=generator, dtype=torch.float64)
        self.edges, self.types = edges.requires_grad_(), types.requires_grad_()
        self.optimizer = torch.optim.Adam([self.edges, self.types], lr=options.learning_rate)
        self.dtype = torch.float64 if problem.classifier.is_double else _dtype_of(problem.classifier)

    def step(self, iteration: int) -> None:
        """One step of Adam; now and then, and at last, the samples are judged as graphs."""
        last = self.options.num_iterations - 1
        tau = _FIRST_TEMPERATURE * (_LAST_TEMPERATURE / _FIRST_TEMPERATURE) ** (iteration / max(1, last))
        weights, types = self._sample(tau)
        parts = self._parts(weights, types)
        if iteration % _JUDGED_EVERY == 0 or iteration == last:
            self._judge([*parts, self._mode()])
        loss = self._loss(weights, types, parts)
        gradients = torch.autograd.grad(loss, [self.edges, self.types], allow_unused=True)
        for values, gradient in zip((self.edges, self.types), gradients, strict=True):
            values.grad = torch.zeros_like(values) if gradient is None else torch.nan_to_num(gradient, 0.0, 0.0, 0.0)
        self.optimizer.step()
        self.num_steps += 1

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
        vocabulary, max_edges = self.problem.vocabulary, self.problem.max_edges
        return [largest_part(*sample, vocabulary, max_edges) for sample in zip(rows, kinds, strict=True)]

    def _mode(self) -> Part:
        """The most probable graph."""
        return self._parts(self.edges.sigmoid()[None], self.types[None])[0]

    def _judge(self, parts: Sequence[Part]) -> None:
        """Let the model judge graphs, and keep the best that is not known yet."""
        problem = self.problem
        distinct = list({(part.kinds, part.edges): part for part in parts}.values())
        graphs = [problem.vocabulary.graph(part.kinds, part.edges) for part in distinct]
        outputs = problem.classifier.classify(graphs)
        scores = log_scores(outputs, problem.return_type)
        chances, odds = probabilities(scores)[:, problem.target], margins(scores, problem.target)
        valid = ~(outputs.isnan() | outputs.isposinf()).any(dim=1)
        for number in odds.argsort(descending=True, stable=True).tolist():
            margin = float(odds[number])
            if self.best is not None and margin <= self.best.margin + 1e-9 * max(1.0, abs(self.best.margin)):
                return
            shape = _shape(distinct[number])
            if valid[number] and not any(_is_same(shape, found.shape) for found in self.known):
                self.best = _Found(graphs[number], shape, float(chances[number]), margin)

    def _loss(self, weights: Tensor, types: Tensor, parts: Sequence[Part]) -> Tensor:
        problem, options, classifier = self.problem, self.options, self.problem.classifier
        relaxed = [self._relaxed(*sample) for sample in zip(weights, types, parts, strict=True)]
        is_passed = "edge_weight" in (classifier.call.attributes or ())
        if is_passed:
            for graph, strengths in relaxed:
                graph.edge_weight = strengths
        joined = torch.cat([strengths for _, strengths in relaxed]).to(classifier.device)
        with soft_edges(classifier.model, joined, is_passed=is_passed):
            outputs, embeddings = classifier.differentiable([graph for graph, _ in relaxed])
        scores = safe_log_scores(outputs.cpu(), problem.return_type)
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
        graph = Data(num_nodes=len(nodes)) if vocabulary.x is None else Data(x=mixed(vocabulary.x, kinds))
        graph.edge_index = edge_index
        if vocabulary.edge_attr is not None:
            graph.edge_attr = mixed_pairs(vocabulary.edge_attr, kinds[edge_index[0]], kinds[edge_index[1]])
        return graph, weights[kept].repeat(2).to(self.dtype)

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


def _own(classifier: RunningClassifier) -> RunningClassifier:
    """The classifier with a model that is not the user's, where one can be made."""
    if classifier.is_double:
        return classifier
    try:
        return replace(classifier, model=copy.deepcopy(classifier.model))
    except Exception:  # hooks are taken off again, so the model itself will do
        return classifier


def _dtype_of(classifier: RunningClassifier) -> torch.dtype:
    kinds = [values.dtype for values in classifier.model.parameters() if values.is_floating_point()]
    return kinds[0] if kinds else torch.float32


def _check_runs(classifier: RunningClassifier, graph: Data) -> None:
    bare = Data(num_nodes=graph.num_nodes) if graph.x is None else Data(x=graph.x)
    bare.edge_index = graph.edge_index
    if graph.edge_attr is not None:
        bare.edge_attr = graph.edge_attr
    try:
        classifier.classify([bare])
    except Exception as error:
        others = sorted(set(graph.keys()) - _GENERATED)
        raise ValueError(
            f"the model does not run on graphs with x, edge_index and edge_attr alone, which is all that generated "
            f"graphs have (the data has {', '.join(others) or 'nothing else'} too); use PAGE"
        ) from error


def _shape(part: Part) -> networkx.Graph:
    graph = networkx.Graph(list(part.edges))
    graph.add_nodes_from((node, {"kind": kind}) for node, kind in enumerate(part.kinds))
    return graph


def _is_same(a: networkx.Graph, b: networkx.Graph) -> bool:
    match = networkx.algorithms.isomorphism.categorical_node_match("kind", None)
    return bool(networkx.is_isomorphic(a, b, node_match=match))
