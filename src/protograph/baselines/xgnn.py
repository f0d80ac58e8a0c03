"""XGNN: prototype graphs by reinforcement learning of a graph generator."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph._utils.options import check_options
from protograph._utils.ties import tolerance_for
from protograph.baselines.generation import GeneratingExplainer, Vocabulary
from protograph.explanation import Prototype
from protograph.graphs.validate import node_count
from protograph.patterns.canonical import canonical_graph

# Graphs grown side by side in a round; they share the policy's updates and each call of the model.
NUM_EPISODES = 8
# Steps of an episode for each of ``max_nodes``: enough for a tree, and half as many edges again, which close rings.
STEPS_PER_NODE = 1.5
LEARNING_RATE = 0.01
# Far above Adam's usual 1e-8, by which differences would become full steps once all choices are about as good.
ADAM_EPSILON = 1e-3
# Width and depth of the policy's GCN; the paper's depth.
WIDTH, NUM_LAYERS = 32, 3
# The paper's lambda_2; its lambda_1 is 1.
RULE_WEIGHT = 0.1


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
        num_rollouts: m of the paper: how many times a grown graph is completed by the policy, to look ahead.
        random_state: Seed of the policy and its choices.

    >>> XGNN(max_nodes=1)
    Traceback (most recent call last):
    ...
    ValueError: max_nodes must be at least 2, got 1
    """

    num_epochs: int = 10
    num_rollouts: int = 10

    def __post_init__(self) -> None:
        check_options(self, least={"max_nodes": 2})

    def _generate(self, target: int) -> tuple[list[Prototype], list[str]]:
        vocabulary = self.vocabulary_
        joined = vocabulary.joined
        usable = np.flatnonzero(joined.any(axis=1)).tolist()
        if not usable:
            raise ValueError("the graphs have no edges, so XGNN cannot learn how to grow one; use PAGE")
        # Types to grow from, best first: by the model's margin for an edge to the type they are joined to most.
        edges = [vocabulary.graph([kind, int(joined[kind].argmax())], [(0, 1)]) for kind in usable]
        self._check_accepted(edges[0])
        best_first = np.argsort(-self._judge(edges, target).margins, kind="stable")
        training = _Training(self, target, [usable[place] for place in best_first])
        notes = self._search("generating", self.num_epochs, "epochs", training.run_epoch, training.best)
        return list(training.best.values()), notes


class _Training:
    """The training of a policy for a class.

    Attributes:
        best: The best graphs that the model was shown, different ones up to isomorphism, by canonical key.
    """

    def __init__(self, explainer: XGNN, target: int, starts: Sequence[int]) -> None:
        self.options, self.target, self.starts = explainer, target, starts
        self.generator = torch.Generator().manual_seed(explainer.random_state)
        self.rules = Rules(explainer.vocabulary_, explainer.max_nodes)
        x = explainer.vocabulary_.x
        if x is None:
            features = torch.ones(len(explainer.vocabulary_.counts), 1, dtype=torch.float64)
        else:  # each column brought to a size of about 1
            features = x.reshape(len(x), -1).double()
            features = features / features.abs().amax(dim=0).clamp(min=1e-12)
        self.policy = Policy(features, self.generator)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=LEARNING_RATE, eps=ADAM_EPSILON)
        self.best: dict[bytes, Prototype] = {}

    def run_epoch(self, epoch: int) -> int:
        """Run episodes side by side, with an update of the policy after each step; return the number of the next."""
        options, rules = self.options, self.rules
        first, num_steps = epoch * NUM_EPISODES, round(STEPS_PER_NODE * options.max_nodes)
        kinds = [self.starts[(first + episode) % len(self.starts)] for episode in range(NUM_EPISODES)]
        places = options.max_nodes
        graphs = Partial(
            torch.as_tensor(kinds)[:, None].repeat(1, places),
            torch.zeros(len(kinds), places, places, dtype=torch.bool),
            torch.ones(len(kinds), dtype=torch.long),
        )
        value: Tensor | None = None
        for step in range(num_steps):
            action = self.policy.act(graphs, rules, self.generator)
            if not bool(action.is_legal.any()):
                break
            grown = graphs.grow(action)
            rolled = self.policy.complete(
                grown.repeat(options.num_rollouts), num_steps - step - 1, rules, self.generator
            )
            shown = grown.as_data(rules.vocabulary) + rolled.as_data(rules.vocabulary)
            above = self._judged(shown) - 1 / options.num_classes_
            now, later = above[:NUM_EPISODES], above[NUM_EPISODES:].reshape(NUM_EPISODES, -1)
            usualness = rules.usualness(graphs, action)
            reward = now + later.mean(dim=1) + RULE_WEIGHT * usualness
            if value is None:  # of the single nodes that all begin with, which the model was not shown
                value = reward[action.is_legal].mean().expand(NUM_EPISODES)
            self.optimizer.zero_grad()
            # Cross-entropy of the choices, weighted by how much they gained.
            gained = ((reward - value) * action.log_probability)[action.is_legal]
            (-gained.mean()).backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            is_kept = (reward >= 0) | (later > 0).any(dim=1)
            graphs = graphs.grow(replace(action, is_legal=action.is_legal & is_kept))
            value = torch.where(is_kept, reward, value)
        return epoch + 1

    def _judged(self, graphs: Sequence[Data]) -> Tensor:
        """Probability of the class for each graph; the best are kept, of graphs that tie the one seen first."""
        best, limit, resolution = self.best, self.options.num_prototypes, self.options._running.resolution
        judged = self.options._judge(graphs, self.target)
        for place in np.argsort(-judged.margins, kind="stable").tolist():
            graph, margin = graphs[place], judged.margins[place]
            if len(best) == limit:
                bar = min(prototype.margin for prototype in best.values())
                if margin <= bar + tolerance_for(abs(bar), resolution):
                    break
            if node_count(graph) < 2 or (key := canonical_graph(graph).key) in best:
                continue
            best[key] = self.options._prototype(graph, self.target, judged, place)
            if len(best) > limit:
                del best[min(best, key=lambda key: best[key].margin)]
        return torch.from_numpy(judged.probabilities)


@dataclass(frozen=True, eq=False)
class Action:
    """A choice for each graph: an edge from ``start`` to ``end``, a node, or ``num_places`` plus a type."""

    start: Tensor
    end: Tensor
    log_probability: Tensor
    is_legal: Tensor


@dataclass(frozen=True, eq=False)
class Partial:
    """Graphs in the making, with room for the same number of nodes each.

    Attributes:
        types: Type of each node, ``[num_graphs, num_places]``, anything where no node is yet.
        adjacency: Boolean, ``[num_graphs, num_places, num_places]``, symmetric.
        sizes: Number of nodes of each, ``[num_graphs]``.
    """

    types: Tensor
    adjacency: Tensor
    sizes: Tensor

    @property
    def is_node(self) -> Tensor:
        """Which places have a node, ``[num_graphs, num_places]``."""
        return torch.arange(self.types.size(1)) < self.sizes[:, None]

    def repeat(self, times: int) -> "Partial":
        """Each graph ``times`` times in a row."""
        return Partial(*(part.repeat_interleave(times, dim=0) for part in (self.types, self.adjacency, self.sizes)))

    def grow(self, action: Action) -> "Partial":
        """The graphs with the chosen edges, where these are legal."""
        types, adjacency, sizes = self.types.clone(), self.adjacency.clone(), self.sizes.clone()
        num_places = types.size(1)
        rows = action.is_legal.nonzero().flatten()
        start, end = action.start[rows], action.end[rows]
        is_new = end >= num_places
        place = torch.where(is_new, sizes[rows], end)
        types[rows[is_new], place[is_new]] = end[is_new] - num_places
        sizes[rows[is_new]] += 1
        adjacency[rows, start, place] = True
        adjacency[rows, place, start] = True
        return Partial(types, adjacency, sizes)

    def as_data(self, vocabulary: Vocabulary) -> list[Data]:
        """The graphs themselves."""
        graph_of, *ends = self.adjacency.triu().nonzero().t()
        edges = torch.split(torch.stack(ends, dim=1), graph_of.bincount(minlength=len(self.sizes)).tolist())
        types = torch.split(self.types[self.is_node], self.sizes.tolist())
        return [vocabulary.graph(*one) for one in zip(types, edges, strict=True)]


class Rules:
    """Which edges may be added: the mask of the policy's choices."""

    def __init__(self, vocabulary: Vocabulary, max_nodes: int) -> None:
        self.vocabulary = vocabulary
        self._max_nodes = max_nodes
        self._max_degree = torch.from_numpy(vocabulary.max_degree)
        joined = torch.from_numpy(vocabulary.joined)
        self._may_join = joined > 0
        share = (joined.clamp(min=1).double() / joined.max()).log()
        rarest = share[self._may_join].min()
        self._usualness = share / rarest.abs() if rarest < 0 else torch.zeros_like(share)

    def legal(self, graphs: Partial) -> Tensor:
        """Boolean, ``[num_graphs, num_places, num_places + num_types]``: starts and ends."""
        num_places = graphs.types.size(1)
        can_take = graphs.is_node & (graphs.adjacency.sum(dim=2) < self._max_degree[graphs.types])
        is_other = ~(graphs.adjacency | torch.eye(num_places, dtype=torch.bool))
        has_room = (graphs.sizes < self._max_nodes)[:, None, None].expand(-1, num_places, len(self._may_join))
        is_free = torch.cat([is_other & can_take[:, None, :], has_room], dim=2)
        may_join = self._may_join[graphs.types[:, :, None], self._end_types(graphs)[:, None, :]]
        return may_join & is_free & can_take[:, :, None]

    def usualness(self, graphs: Partial, action: Action) -> Tensor:
        """From -1 to 0, how usual an edge between the chosen types is; anything where none is legal."""
        rows = torch.arange(len(graphs.types))
        return self._usualness[graphs.types[rows, action.start], self._end_types(graphs)[rows, action.end]]

    def _end_types(self, graphs: Partial) -> Tensor:
        """Type of each end that can be chosen, ``[num_graphs, num_places + num_types]``: the nodes', then all."""
        every_type = torch.arange(len(self._may_join)).expand(len(graphs.types), -1)
        return torch.cat([graphs.types, every_type], dim=1)


class Policy(nn.Module):
    """A GCN over graph and candidate types, and two MLPs that score starts and ends.

    A candidate is an isolated node, so all graphs share the candidates' embeddings.
    """

    def __init__(self, features: Tensor, generator: torch.Generator) -> None:
        super().__init__()
        self.features = features
        widths = [features.size(1), *[WIDTH] * NUM_LAYERS]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.start = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
        self.end_of_start, self.end_of_end = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH, bias=False)
        self.end = nn.Sequential(nn.ReLU(), nn.Linear(WIDTH, 1))
        self.double()
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.kaiming_uniform_(parameter, nonlinearity="relu", generator=generator)
            else:
                nn.init.zeros_(parameter)

    def _embed(self, graphs: Partial) -> tuple[Tensor, Tensor]:
        """Embeddings of the nodes, ``[num_graphs, num_places, hidden]``, and of the types, ``[num_types, hidden]``."""
        looped = graphs.adjacency.double() + torch.eye(graphs.types.size(1), dtype=torch.float64)
        scale = looped.sum(dim=2).rsqrt()
        propagation = looped * scale[:, :, None] * scale[:, None, :]
        types = self.layers[0](self.features)
        nodes, types = (propagation @ types[graphs.types]).relu(), types.relu()
        for layer in list(self.layers)[1:]:
            nodes, types = (propagation @ layer(nodes)).relu(), layer(types).relu()
        return nodes, types

    def act(self, graphs: Partial, rules: Rules, generator: torch.Generator) -> Action:
        """Choose an edge for each graph among the legal ones."""
        # Places where none of the graphs has a node yet are left out.
        width = int(graphs.sizes.max())
        unused = graphs.types.size(1) - width
        graphs = Partial(graphs.types[:, :width], graphs.adjacency[:, :width, :width], graphs.sizes)
        legal = rules.legal(graphs)
        can_start = legal.any(dim=2)
        nodes, types = self._embed(graphs)
        start, log_start = _sample(self.start(nodes).squeeze(-1), can_start, generator)
        rows = torch.arange(len(start))
        given = self.end_of_start(nodes[rows, start])[:, None]
        logits = [self.end(self.end_of_end(ends) + given).squeeze(-1) for ends in (nodes, types)]
        end, log_end = _sample(torch.cat(logits, dim=1), legal[rows, start], generator)
        end = torch.where(end >= width, end + unused, end)
        return Action(start, end, log_start + log_end, can_start.any(dim=1))

    @torch.no_grad()
    def complete(self, graphs: Partial, num_steps: int, rules: Rules, generator: torch.Generator) -> Partial:
        """A rollout: grow the graphs further by so many steps, or until no edge is legal."""
        for _ in range(num_steps):
            action = self.act(graphs, rules, generator)
            if not bool(action.is_legal.any()):
                break
            graphs = graphs.grow(action)
        return graphs


def _sample(logits: Tensor, allowed: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw a column for each row among those allowed, any where none is; also its log probability."""
    allowed = allowed | ~allowed.any(dim=1, keepdim=True)
    log_probabilities = logits.masked_fill(~allowed, -torch.inf).log_softmax(dim=1)
    drawn = torch.multinomial(log_probabilities.detach().exp(), 1, generator=generator)
    return drawn.squeeze(1), log_probabilities.gather(1, drawn).squeeze(1)
