"""XGNN: prototype graphs by reinforcement learning of a graph generator."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import networkx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.options import check_count, check_number
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explainer import Explainer, timed
from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.store import GraphStore
from protograph.models.outputs import log_scores, margins, probabilities
from protograph.page.walk.retrieval import best_first
from protograph.peers.generation import Partial, Policy, Rules, policy_loss
from protograph.peers.vocabulary import Vocabulary, learn

# Episodes of an epoch; they share the policy's updates and each call of the model.
_EPISODES = 8
# Far above the usual 1e-8: once all choices are about as good, Adam would blow their differences up to full steps.
_ADAM_EPSILON = 1e-3
# Steps of an episode for each node of ``max_nodes``: enough for a tree, half as many edges again, which close rings.
_STEPS_A_NODE = 1.5
# What a generated graph has; a model that reads anything else cannot be explained by generated graphs.
_GENERATED = frozenset({"x", "edge_index", "edge_attr", "batch", "ptr", "num_graphs", "num_nodes"})


@dataclass(kw_only=True, eq=False)
class XGNN(Explainer):
    r"""Model-level explanations by graph generation (Yuan, Tang, Hu and Ji, KDD 2020).

    A policy, a small GCN, adds an edge a step: it chooses a start among the graph's nodes, then an end among these and
    the types of nodes in the data. It learns by policy gradient from the reward of the grown graph :math:`G_{t+1}`,

    .. math:: R_t = p(G_{t+1}) - \frac{1}{C} + \lambda_1 \frac{1}{m} \sum_{i=1}^{m}
        \left(p(\mathrm{Rollout}_i(G_{t+1})) - \frac{1}{C}\right) + \lambda_2 R_{t,r},

    with :math:`p` the class's probability among :math:`C` classes. A step with a negative reward is undone.

    Two things differ, since with the paper's rule a class that no small graph belongs to is never left: all rewards
    there are about :math:`-1/C`, every first step is undone, and what was chosen is unlearned at random. So a choice's
    cross-entropy is weighted by its reward less that of the graph it was added to (a baseline), and a step from which
    some rollout reached the class, :math:`p > 1/C`, is kept.

    What the paper sets by hand for each data set is learned from the graphs: types of nodes, the largest degree of
    each, and which types are ever joined. An edge that breaks these rules is never proposed, rather than punished, so
    :math:`R_{t,r}`, from -1 to 0, only tells usual edges from rare ones: the logarithm of how many edges join the
    two types, the most usual pair at 0, the rarest at -1. Several episodes run side by side, and any graph that the
    model was shown in training, a rollout's included, can become a prototype.

    Args:
        num_prototypes: How many different graphs to return, the best ones of the whole training.
        max_nodes: Largest number of nodes of a graph.
        num_epochs: Rounds of training, each of 8 episodes.
        num_rollouts: m of the paper: how many times a grown graph is completed by the policy, to look ahead.
        learning_rate: Of the policy's training (Adam).
        hidden: Width of the policy.
        rollout_weight: :math:`\lambda_1` of the paper.
        rule_weight: :math:`\lambda_2` of the paper.
        start_type: What a graph grows from, an index into the types of :attr:`vocabulary_`; ``None`` tries all in
            turn, those whose most usual edge the model likes best first.
        random_state: Seed of the policy and its choices.

    >>> XGNN(max_nodes=1)
    Traceback (most recent call last):
    ...
    ValueError: max_nodes must be at least 2, got 1
    """

    num_prototypes: int = 1
    max_nodes: int = 13
    num_epochs: int = 10
    num_rollouts: int = 10
    learning_rate: float = 0.01
    hidden: int = 32
    rollout_weight: float = 1.0
    rule_weight: float = 0.1
    start_type: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("num_prototypes", "num_epochs", "num_rollouts", "hidden"):
            check_count(name, getattr(self, name))
        check_count("max_nodes", self.max_nodes, least=2)
        check_number("learning_rate", self.learning_rate, above=0)
        check_number("rollout_weight", self.rollout_weight)
        check_number("rule_weight", self.rule_weight)
        if self.start_type is not None:
            check_count("start_type", self.start_type, least=0)
        checked_seed(self.random_state)

    @property
    def vocabulary_(self) -> Vocabulary:
        """The types of nodes in the fitted graphs, most frequent first, and how they are joined."""
        self._fitted()
        learned: tuple[GraphStore, Vocabulary] | None = getattr(self, "_learned", None)
        if learned is None or learned[0] is not self._store:
            with preserved_random_state():
                learned = self._store, learn(self._store[index] for index in range(len(self._store)))
            self._learned = learned
        return learned[1]

    def explain(self, target: int) -> Explanation:
        """Generate prototypes of a class.

        Ctrl-C ends the training early; the best graphs until then are returned, with a warning.

        Args:
            target: The class, as an index into the model's output.

        Raises:
            ValueError: If the model reads attributes that generated graphs do not have, such as ``pos``, or if the
                graphs have no edges to learn from.
        """
        target = self._checked_target(target)
        self._check_attributes()
        timings: dict[str, float] = {}
        with timed(timings, "vocabulary"):
            vocabulary = self.vocabulary_
        notes = _notes(vocabulary)
        with timed(timings, "generation"), preserved_random_state(), torch.inference_mode(False), torch.enable_grad():
            starts = self._starts(target, vocabulary)
            found = self._generate(target, vocabulary, starts, notes)
        if len(found) < self.num_prototypes:
            notes.append(f"only {len(found)} different graphs were generated, {self.num_prototypes} were asked for")
        for note in notes:
            warnings.warn(f"class {target}: {note}", ProtographWarning, stacklevel=2)
        prototypes = best_first(found, self._classifier().resolution)
        return self._explanation(target, prototypes=prototypes, timings=timings, warnings=notes)

    def _options(self) -> Mapping[str, Any]:
        return asdict(self)

    def _check_attributes(self) -> None:
        call, sample = self._classifier().call, self._store[0]
        needed = {a for name, a in (call.arguments or {}).items() if name not in call.optional or a in sample}
        if needed - _GENERATED:
            raise ValueError(
                f"the model reads {', '.join(map(repr, sorted(needed - _GENERATED)))}, which XGNN cannot generate; its "
                f"graphs have x, edge_index and edge_attr alone, so use PAGE, which finds prototypes in the data"
            )

    def _starts(self, target: int, vocabulary: Vocabulary) -> list[int]:
        """Types to grow from, best first: by the model's margin for an edge to the type they are joined to most."""
        joined = vocabulary.joined
        usable = np.flatnonzero(joined.any(axis=1)).tolist()
        if not usable:
            raise ValueError("the graphs have no edges, so XGNN cannot learn how to grow one; use PAGE")
        if self.start_type is not None:
            if self.start_type not in usable:
                raise ValueError(
                    f"start_type must be a type of vocabulary_ with neighbours in the data, one of {_listed(usable)}, "
                    f"got {self.start_type}"
                )
            usable = [self.start_type]
        edges = [vocabulary.graph([kind, int(joined[kind].argmax())], [(0, 1)]) for kind in usable]
        self._check_accepted(edges[0])
        margin = self._judge(edges, target)[1]
        return [usable[place] for place in np.argsort(-margin, kind="stable")]

    def _check_accepted(self, graph: Data) -> None:
        """A model that takes whole batches does not say what it reads, so it is tried."""
        try:
            self._classifier().classify([graph])
        except Exception as error:
            others = sorted(key for key in self._store[0].to_dict() if key not in _GENERATED | {"y"})
            hint = f"; the data also has {', '.join(map(repr, others))}" if others else ""
            raise ValueError(
                f"the model cannot classify a generated graph, which has x, edge_index and edge_attr alone{hint} "
                f"({type(error).__name__}: {error}); use PAGE, which finds prototypes in the data"
            ) from error

    def _judge(self, graphs: Sequence[Data], target: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Probability and margin of the class for each graph, by one call of the model."""
        outputs = self._classifier().classify(graphs)
        if bool((outputs.isnan() | outputs.isposinf()).any()):
            raise ValueError(
                f"the model's output for a generated graph of {min(int(g.num_nodes or 0) for g in graphs)} or more "
                f"nodes is NaN or infinite; it must be able to classify small graphs"
            )
        scores = log_scores(outputs, self._fitted().return_type)
        return probabilities(scores)[:, target].numpy(), margins(scores, target).numpy()

    def _generate(self, target: int, vocabulary: Vocabulary, starts: list[int], notes: list[str]) -> list[Prototype]:
        """Train the policy; return the best graphs it came by."""
        generator = torch.Generator().manual_seed(self.random_state)
        rules = Rules(vocabulary, self.max_nodes)
        policy = Policy(_policy_features(vocabulary), self.hidden, generator)
        optimizer = torch.optim.Adam(policy.parameters(), lr=self.learning_rate, eps=_ADAM_EPSILON)
        best = _Best(self.num_prototypes, self._classifier().resolution, self._names)
        for epoch in range(self.num_epochs):
            kinds = [starts[(epoch * _EPISODES + episode) % len(starts)] for episode in range(_EPISODES)]
            try:
                self._train(target, Partial.of(kinds, self.max_nodes), policy, optimizer, rules, best, generator)
                if self._progress is not None:
                    self._progress("generating", epoch + 1, self.num_epochs)
            except KeyboardInterrupt:
                if not best.found:
                    raise
                notes.append(f"interrupted in epoch {epoch + 1} of {self.num_epochs}; these are the best until then")
                break
        return list(best.found.values())

    def _train(
        self,
        target: int,
        graphs: "Partial",
        policy: "Policy",
        optimizer: torch.optim.Optimizer,
        rules: "Rules",
        best: "_Best",
        generator: torch.Generator,
    ) -> None:
        """One epoch: episodes side by side, an update of the policy after each step."""
        num_steps = round(_STEPS_A_NODE * self.max_nodes)
        value: Tensor | None = None
        for step in range(num_steps):
            action = policy.act(graphs, rules, generator)
            if not bool(action.is_legal.any()):
                break
            grown = graphs.grow(action)
            rolled = policy.complete(grown.repeat(self.num_rollouts), num_steps - step - 1, rules, generator)
            shown = grown.as_data(rules.vocabulary) + rolled.as_data(rules.vocabulary)
            chance, margin = self._judge(shown, target)
            best.offer(shown, grown.kinds() + rolled.kinds(), chance, margin)
            above = torch.from_numpy(chance) - 1 / self.num_classes_
            now, later = above[:_EPISODES], above[_EPISODES:].reshape(_EPISODES, -1)
            reward = now + self.rollout_weight * later.mean(dim=1)
            reward = reward + self.rule_weight * rules.usualness(graphs, action)
            if value is None:  # of the single nodes that all begin with, which the model was not shown
                value = reward[action.is_legal].mean().expand(_EPISODES)
            optimizer.zero_grad()
            policy_loss(reward - value, action).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            is_kept = (reward >= 0) | (later > 0).any(dim=1)
            graphs, value = grown.where(is_kept, graphs), torch.where(is_kept, reward, value)


class _Best:
    """The best graphs seen, different ones up to isomorphism, as far as Weisfeiler and Leman can tell.

    Graphs that they cannot tell apart have the same score in every message-passing model, so one is enough.
    """

    def __init__(self, limit: int, resolution: float, names: Mapping[str, tuple[str, ...]]) -> None:
        self._limit, self._resolution, self._names = limit, resolution, names
        self.found: dict[str, Prototype] = {}

    def offer(
        self,
        graphs: Sequence[Data],
        kinds: Sequence[Sequence[int]],
        chance: NDArray[np.float64],
        margin: NDArray[np.float64],
    ) -> None:
        """Keep those that are among the best; of graphs that tie, the one seen first."""
        for place in np.argsort(-margin, kind="stable").tolist():
            value = float(margin[place])
            if len(self.found) == self._limit:
                least = min(self.found, key=lambda key: self.found[key].margin)
                bar = self.found[least].margin
                if value <= bar + max(1e-9, self._resolution * abs(bar)):
                    return
            key = _fingerprint(kinds[place], graphs[place])
            if key in self.found or len(kinds[place]) < 2:
                continue
            if len(self.found) == self._limit:
                del self.found[least]
            self.found[key] = Prototype(
                graph=graphs[place],
                probability=float(chance[place]),
                margin=value,
                feature_names=self._names["feature_names"],
                edge_names=self._names["edge_names"],
            )


def _fingerprint(kinds: Sequence[int], graph: Data) -> str:
    """The same for isomorphic graphs; attributes of edges follow from the types."""
    result = networkx.Graph()
    result.add_nodes_from((node, {"type": str(kind)}) for node, kind in enumerate(kinds))
    result.add_edges_from(graph.edge_index.t().tolist())
    return str(networkx.weisfeiler_lehman_graph_hash(result, node_attr="type", iterations=len(kinds)))


def _policy_features(vocabulary: Vocabulary) -> Tensor:
    """Features of the types, each column brought to a size of about 1; a constant where there are none."""
    if vocabulary.x is None:
        return torch.ones(vocabulary.num_types, 1, dtype=torch.float64)
    x = vocabulary.x.reshape(vocabulary.num_types, -1).double()
    return x / x.abs().amax(dim=0).clamp(min=1e-12)


def _notes(vocabulary: Vocabulary) -> list[str]:
    if vocabulary.num_left_out == 0:
        return []
    return [
        f"the graphs have {vocabulary.num_types + vocabulary.num_left_out} different rows of x; graphs are generated "
        f"from the {vocabulary.num_types} most frequent ones"
    ]


def _listed(values: Sequence[int], most: int = 20) -> str:
    return ", ".join(map(str, values[:most])) + (", ..." if len(values) > most else "")
