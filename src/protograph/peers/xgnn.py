"""XGNN: prototype graphs by reinforcement learning of a graph generator."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.options import check_count, check_number
from protograph._base.ties import tolerance_for
from protograph.graphs.cleaning import node_count
from protograph.models.judging import Judgement
from protograph.peers.generating import GeneratedGraph, GeneratingExplainer
from protograph.peers.generation import Partial, Policy, Rules
from protograph.peers.vocabulary import Vocabulary


@dataclass(kw_only=True, eq=False)
class XGNN(GeneratingExplainer):
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
        num_epochs: Rounds of training.
        num_episodes: Graphs grown side by side in a round; they share the policy's updates and each call of the model.
        steps_per_node: Steps of an episode for each of ``max_nodes``: enough for a tree, and half as many edges again,
            which close rings.
        num_rollouts: m of the paper: how many times a grown graph is completed by the policy, to look ahead.
        learning_rate: Of the policy's training (Adam).
        adam_epsilon: Far above the usual 1e-8: once all choices are about as good, Adam would blow their differences up
            to full steps.
        hidden: Width of the policy.
        num_layers: Depth of the policy's GCN, the paper's.
        rollout_weight: :math:`\lambda_1` of the paper.
        rule_weight: :math:`\lambda_2` of the paper.
        start_type: What a graph grows from, an index into the types of :attr:`vocabulary_`; ``None`` tries all in
            turn, those whose most usual edge the model likes best first.
        max_types: Most types of nodes that graphs are made of, the most frequent ones: continuous features give one for
            every node.
        random_state: Seed of the policy and its choices.

    >>> XGNN(max_nodes=1)
    Traceback (most recent call last):
    ...
    ValueError: max_nodes must be at least 2, got 1
    """

    num_epochs: int = 10
    num_episodes: int = 8
    steps_per_node: float = 1.5
    num_rollouts: int = 10
    learning_rate: float = 0.01
    adam_epsilon: float = 1e-3
    hidden: int = 32
    num_layers: int = 3
    rollout_weight: float = 1.0
    rule_weight: float = 0.1
    start_type: int | None = None

    def __post_init__(self) -> None:
        check_count("max_nodes", self.max_nodes, least=2)
        super().__post_init__()
        for name in ("num_epochs", "num_episodes", "num_rollouts", "hidden", "num_layers"):
            check_count(name, getattr(self, name))
        for name in ("learning_rate", "adam_epsilon", "steps_per_node"):
            check_number(name, getattr(self, name), above=0)
        for name in ("rollout_weight", "rule_weight"):
            check_number(name, getattr(self, name))
        if self.start_type is not None:
            check_count("start_type", self.start_type, least=0)

    def _generate(self, target: int) -> tuple[list[GeneratedGraph], list[str]]:
        """Train the policy; return the best graphs it came by."""
        starts = self._starts(target, self.vocabulary_)
        generator = torch.Generator().manual_seed(self.random_state)
        policy = Policy(_policy_features(self.vocabulary_), self.hidden, self.num_layers, generator)
        optimizer = torch.optim.Adam(policy.parameters(), lr=self.learning_rate, eps=self.adam_epsilon)
        best = _Best(self.num_prototypes, self._classifier().resolution)

        def run_epoch(epoch: int) -> int:
            first = epoch * self.num_episodes
            kinds = [starts[(first + episode) % len(starts)] for episode in range(self.num_episodes)]
            self._train(target, kinds, policy, optimizer, best, generator)
            return epoch + 1

        notes = self._search("generating", self.num_epochs, "epochs", run_epoch, best.graphs)
        return list(best.graphs.values()), notes

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
        order = np.argsort(-self._judge(edges, target).margins, kind="stable")
        return [usable[place] for place in order]

    def _train(
        self,
        target: int,
        kinds: Sequence[int],
        policy: Policy,
        optimizer: torch.optim.Optimizer,
        best: "_Best",
        generator: torch.Generator,
    ) -> None:
        """One epoch: episodes side by side, an update of the policy after each step."""
        rules, graphs = Rules(self.vocabulary_, self.max_nodes), Partial.of(kinds, self.max_nodes)
        num_steps, num_episodes = round(self.steps_per_node * self.max_nodes), len(kinds)
        value: Tensor | None = None
        for step in range(num_steps):
            action = policy.act(graphs, rules, generator)
            if not bool(action.is_legal.any()):
                break
            grown = graphs.grow(action)
            rolled = policy.complete(grown.repeat(self.num_rollouts), num_steps - step - 1, rules, generator)
            shown = grown.as_data(rules.vocabulary) + rolled.as_data(rules.vocabulary)
            judged = self._judge(shown, target)
            best.offer(shown, judged)
            above = torch.from_numpy(judged.probabilities) - 1 / self.num_classes_
            now, later = above[:num_episodes], above[num_episodes:].reshape(num_episodes, -1)
            reward = now + self.rollout_weight * later.mean(dim=1)
            reward = reward + self.rule_weight * rules.usualness(graphs, action)
            if value is None:  # of the single nodes that all begin with, which the model was not shown
                value = reward[action.is_legal].mean().expand(num_episodes)
            optimizer.zero_grad()
            # Cross-entropy of the choices, weighted by how much they gained.
            gained = ((reward - value) * action.log_probability)[action.is_legal]
            (-gained.mean()).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            is_kept = (reward >= 0) | (later > 0).any(dim=1)
            graphs, value = grown.where(is_kept, graphs), torch.where(is_kept, reward, value)


class _Best:
    """The best graphs seen, different ones up to isomorphism."""

    def __init__(self, limit: int, resolution: float) -> None:
        self._limit, self._resolution = limit, resolution
        self.graphs: dict[bytes, GeneratedGraph] = {}

    def offer(self, graphs: Sequence[Data], judged: Judgement) -> None:
        """Keep those that are among the best; of graphs that tie, the one seen first."""
        for place in np.argsort(-judged.margins, kind="stable").tolist():
            value = float(judged.margins[place])
            if len(self.graphs) == self._limit:
                least = min(self.graphs, key=lambda key: self.graphs[key].margin)
                bar = self.graphs[least].margin
                if value <= bar + tolerance_for(abs(bar), self._resolution):
                    return
            offered = GeneratedGraph(graphs[place], float(judged.probabilities[place]), value)
            if node_count(offered.graph) < 2 or offered.key in self.graphs:
                continue
            if len(self.graphs) == self._limit:
                del self.graphs[least]
            self.graphs[offered.key] = offered


def _policy_features(vocabulary: Vocabulary) -> Tensor:
    """Features of the types, each column brought to a size of about 1; a constant where there are none."""
    if vocabulary.x is None:
        return torch.ones(vocabulary.num_types, 1, dtype=torch.float64)
    x = vocabulary.x.reshape(vocabulary.num_types, -1).double()
    return x / x.abs().amax(dim=0).clamp(min=1e-12)


def _listed(values: Sequence[int], most: int = 20) -> str:
    return ", ".join(map(str, values[:most])) + (", ..." if len(values) > most else "")
