"""The generator that XGNN trains: graphs that grow, the rules that they keep, and the policy that grows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph.peers.vocabulary import Vocabulary


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

    @classmethod
    def of(cls, kinds: Sequence[int], num_places: int) -> "Partial":
        """One node a graph."""
        types = torch.zeros(len(kinds), num_places, dtype=torch.long)
        types[:, 0] = torch.as_tensor(kinds)
        empty = torch.zeros(len(kinds), num_places, num_places, dtype=torch.bool)
        return cls(types, empty, torch.ones(len(kinds), dtype=torch.long))

    @property
    def is_node(self) -> Tensor:
        """Which places have a node, ``[num_graphs, num_places]``."""
        return torch.arange(self.types.size(1)) < self.sizes[:, None]

    def repeat(self, times: int) -> "Partial":
        """Each graph ``times`` times in a row."""
        return Partial(*(part.repeat_interleave(times, dim=0) for part in (self.types, self.adjacency, self.sizes)))

    def where(self, chosen: Tensor, other: "Partial") -> "Partial":
        """These graphs where ``chosen``, the ``other`` ones elsewhere."""
        return Partial(
            torch.where(chosen[:, None], self.types, other.types),
            torch.where(chosen[:, None, None], self.adjacency, other.adjacency),
            torch.where(chosen, self.sizes, other.sizes),
        )

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

    def kinds(self) -> list[list[int]]:
        """Types of each graph's nodes."""
        return [row[:size] for row, size in zip(self.types.tolist(), self.sizes.tolist(), strict=True)]

    def as_data(self, vocabulary: Vocabulary) -> list[Data]:
        """The graphs themselves."""
        edges: list[list[tuple[int, int]]] = [[] for _ in range(len(self.types))]
        for graph, source, target in self.adjacency.triu().nonzero().tolist():
            edges[graph].append((source, target))
        return [vocabulary.graph(kinds, ends) for kinds, ends in zip(self.kinds(), edges, strict=True)]


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
        with_types = self._may_join[graphs.types]
        with_nodes = with_types.gather(2, graphs.types[:, None, :].expand(-1, num_places, -1))
        is_other = ~(graphs.adjacency | torch.eye(num_places, dtype=torch.bool))
        has_room = (graphs.sizes < self._max_nodes)[:, None, None]
        ends = torch.cat([with_nodes & is_other & can_take[:, None, :], with_types & has_room], dim=2)
        return ends & can_take[:, :, None]

    def usualness(self, graphs: Partial, action: Action) -> Tensor:
        """From -1 to 0, how usual an edge between the chosen types is; anything where none is legal."""
        num_places = graphs.types.size(1)
        rows = torch.arange(len(graphs.types))
        own = graphs.types[rows, action.end.clamp(max=num_places - 1)]
        end = torch.where(action.end < num_places, own, action.end - num_places)
        return self._usualness[graphs.types[rows, action.start], end]


class Policy(nn.Module):
    """A GCN over graph and candidate types, and two MLPs that score starts and ends.

    A candidate is an isolated node, so all graphs share the candidates' embeddings.
    """

    def __init__(self, features: Tensor, hidden: int, num_layers: int, generator: torch.Generator) -> None:
        super().__init__()
        self.features = features
        widths = [features.size(1), *[hidden] * num_layers]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.start = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.end_of_start, self.end_of_end = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden, bias=False)
        self.end = nn.Sequential(nn.ReLU(), nn.Linear(hidden, 1))
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
        legal = rules.legal(graphs)
        can_start = legal.any(dim=2)
        nodes, types = self._embed(graphs)
        start, log_start = _sample(self.start(nodes).squeeze(-1), can_start, generator)
        rows = torch.arange(len(start))
        given = self.end_of_start(nodes[rows, start])[:, None]
        logits = [self.end(self.end_of_end(ends) + given).squeeze(-1) for ends in (nodes, types)]
        end, log_end = _sample(torch.cat(logits, dim=1), legal[rows, start], generator)
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
