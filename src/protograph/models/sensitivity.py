"""What a model reads of its input: which decisions change as parts of it are shuffled, and which parts suffice.

Parts that tell the same would all look idle if they were shuffled one by one. So all are shuffled together, and the one
that brings most decisions back is put back first, then the next, until nearly all decisions are back: the *sufficient*
variables, which patterns match.
"""

import copy
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.intervals import wilson
from protograph._utils.words import one_line
from protograph.graphs.validate import node_count
from protograph.graphs.variables import DIRECTION, EDGE, GRAPH, NODE, STRUCTURE, Variable
from protograph.models.predictions import Judge

PASSES = 5  # over all graphs, that finding out may cost at most
NUM_GRAPHS, LEAST_GRAPHS = 256, 60  # that are shuffled: at most, and where there are enough
NOTED = 0.1  # of the decisions: more that depends on what no pattern can ask for is said first
ENOUGH = 0.98  # of the decisions that the sufficient variables bring back
NUM_RIVALS = 4  # variables that are tried at a time once all have been: those that brought back the most before
MAX_CUTS = 3  # of a continuous column: more nobody keeps in mind
NUM_POINTS, NUM_BETWEEN = 17, 7  # values at which the response is looked at, and then between two of them
CUT_GRAPHS = 64  # graphs whose values are set for that
EXPLAINED = 0.85  # of the response's variance: as many cuts as it takes, since each makes patterns more special
LEAST_RESPONSE = 1e-4  # of probabilities: a response that changes by less is rounding
NUM_WATCHED = 8  # graphs that show whether a model runs without an attribute
MOST_LOG_ODDS = 50.0  # beyond, a model is as certain as it can be


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What happens where one variable alone is shuffled among nodes, edges or graphs.

    Attributes:
        variable: The variable.
        decisions: Share of the decisions that change.
        low: Lower end of the 95% interval of that share.
        high: Upper end.
        log_odds: How far the log-odds of the predicted class move, as a share of how far they move where everything is
            shuffled.
        log_odds_error: Standard error of that.
        is_sufficient: Whether it is one of the variables that suffice together.
    """

    variable: Variable
    decisions: float
    low: float
    high: float
    log_odds: float
    log_odds_error: float
    is_sufficient: bool


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """How much of what a model decides depends on each part of its input.

    Attributes:
        effects: What each variable does: the sufficient ones first, in the order in which they bring decisions back,
            then those that decide most.
        restored: Share of the decisions that are as they were where all variables but the sufficient ones are shuffled.
        unexpressed: Share of the decisions that depend on variables that no pattern can ask for.
        num_graphs: Graphs that were shuffled.
        note: Why nothing is known, where the model failed on shuffled graphs; else empty.
    """

    effects: tuple[Effect, ...] = ()
    restored: float = 1.0
    unexpressed: float = 0.0
    num_graphs: int = 0
    note: str = ""

    @property
    def sufficient(self) -> tuple[Variable, ...]:
        """The variables that suffice together."""
        return tuple(effect.variable for effect in self.effects if effect.is_sufficient)

    @property
    def unexpressed_names(self) -> list[str]:
        """What too much depends on that no pattern can ask for; nothing where it does not."""
        told = [one for one in self.effects if not one.variable.is_expressible and one.variable.kind != STRUCTURE]
        return [one.variable.name for one in told if one.decisions > 0] if self.unexpressed > NOTED else []


def num_shuffled(num_graphs: int, num_variables: int) -> int:
    """How many graphs are shuffled, so that all trials together cost no more than some passes over all graphs.

    >>> num_shuffled(100_000, 3), num_shuffled(2000, 12), num_shuffled(50, 3)
    (256, 256, 50)
    """
    trials = 2 * num_variables + NUM_RIVALS * min(num_variables, NUM_RIVALS) - 1
    return min(num_graphs, NUM_GRAPHS, max(LEAST_GRAPHS, PASSES * num_graphs // trials))


def sensitivity_of(judge: Judge, graphs: Sequence[Data], variables: Sequence[Variable], seed: int = 0) -> Sensitivity:
    """Find out what a model reads.

    Args:
        judge: The model.
        graphs: Graphs of all classes that it predicts, with their nodes in an order of their own.
        variables: What it may read.
        seed: Of the order in which values are shuffled.
    """
    try:
        unread = _unread(judge, graphs[:NUM_WATCHED], {variable.key for variable in variables})
        read = [variable for variable in variables if variable.key not in unread]
        trials = _Trials(judge, graphs, read, seed)
        everything = trials.without(read)
        chosen, restored = _sufficient(trials, read)
        unexpressed = [variable for variable in read if not variable.is_expressible and variable.kind != STRUCTURE]
        lost = 1 - trials.without(unexpressed).kept if unexpressed else 0.0
        alone = [trials.without([variable] if variable in read else []) for variable in variables]
    except Exception as error:  # whatever a model does, it must not keep its graphs from being explained
        reason = one_line(f"{type(error).__name__}: {error}")
        effects = [_unknown(variable) for variable in variables]
        return Sensitivity(effects=tuple(effects), note=f"the model failed on shuffled graphs ({reason})")
    effects = [
        _effect(variable, trial, everything, len(graphs), is_sufficient=variable in chosen)
        for variable, trial in zip(variables, alone, strict=True)
    ]
    rank = {variable: place for place, variable in enumerate(chosen)}
    ranked = sorted(effects, key=lambda one: (rank.get(one.variable, len(rank)), -one.decisions, -one.log_odds))
    return Sensitivity(effects=tuple(ranked), restored=restored, unexpressed=lost, num_graphs=len(graphs))


def _unread(judge: Judge, graphs: Sequence[Data], keys: set[str]) -> set[str]:
    """Attributes without which a model runs, and gives the same."""
    before, unread = judge.scores(graphs), set[str]()
    for key in sorted(keys - {"x", "edge_index"}):
        without = [copy.copy(graph) for graph in graphs]
        for graph in without:
            del graph[key]
        with suppress(Exception):  # whatever a model raises where something is lacking
            if torch.equal(judge.scores(without), before):
                unread.add(key)
    return unread


def _sufficient(trials: "_Trials", variables: Sequence[Variable]) -> tuple[list[Variable], float]:
    """The smallest set that was found with which nearly all decisions are as they were, and how many are."""
    chosen, left = list[Variable](), list(variables)
    kept = trials.without(left).kept
    while kept < ENOUGH and left:
        rivals = left if len(left) == len(variables) else left[:NUM_RIVALS]
        tried = {id(rival): trials.without([one for one in left if one is not rival]) for rival in rivals}
        ranked = sorted(rivals, key=lambda one: (-tried[id(one)].kept, tried[id(one)].mean_moved))
        chosen.append(ranked[0])
        kept = tried[id(ranked[0])].kept
        left = [*ranked[1:], *(one for one in left if id(one) not in tried)]
    for variable in chosen[:-1]:  # what was put back early may be told by what came later
        others = [one for one in chosen if one is not variable]
        if (own := trials.without([one for one in variables if one not in others]).kept) >= ENOUGH:
            chosen, kept = others, own
    return chosen, kept


@dataclass(frozen=True, eq=False)
class _Trial:
    """What became of the decisions for shuffled graphs.

    Attributes:
        is_kept: Which are as they were.
        moved: How far the log-odds of each have moved.
        weights: What each graph counts.
    """

    is_kept: Floats
    moved: Floats
    weights: Floats

    @property
    def kept(self) -> float:
        """Share of the decisions that are as they were."""
        return round(float(self.is_kept @ self.weights), 12)  # weights sum to 1 up to last digits

    @cached_property
    def mean_moved(self) -> float:
        """How far log-odds have moved in the mean."""
        return float(self.moved @ self.weights)


class _Trials:
    """Shows a model graphs some of whose variables are shuffled: always in the same order, all of them together."""

    def __init__(self, judge: Judge, graphs: Sequence[Data], variables: Sequence[Variable], seed: int) -> None:
        self._judge, self._graphs = judge, graphs
        self._random = np.random.default_rng(seed)
        scores = judge.scores(graphs)
        self._predicted = scores.argmax(dim=1)
        self._log_odds = self._leading(scores)
        # Every class that is predicted weighs the same.
        counts = torch.bincount(self._predicted).numpy()
        weights = 1 / counts[self._predicted.numpy()]
        self._weights: Floats = weights / weights.sum()
        unchanged = _Trial(np.ones(len(graphs)), np.zeros(len(graphs)), self._weights)
        self._made: dict[frozenset[int], _Trial] = {frozenset(): unchanged}
        self._shuffled = {id(variable): self._parts(variable) for variable in variables}

    def without(self, variables: Collection[Variable]) -> _Trial:
        """The trial in which these variables are shuffled."""
        key = frozenset(map(id, variables))
        if key not in self._made:
            changed = [copy.copy(graph) for graph in self._graphs]
            for variable in variables:
                for graph, part in zip(changed, self._shuffled[id(variable)], strict=True):
                    if variable.kind in (STRUCTURE, DIRECTION):
                        graph[variable.key] = part
                        continue
                    own = graph[variable.key].clone().reshape(len(part), -1)
                    own[:, list(variable.places)] = part[:, list(variable.places)]
                    graph[variable.key] = own.reshape(graph[variable.key].shape)
            scores = self._judge.scores(changed)
            moved = np.abs(self._leading(scores) - self._log_odds)
            is_kept = (scores.argmax(dim=1) == self._predicted).double().numpy()
            self._made[key] = _Trial(is_kept, moved, self._weights)
        return self._made[key]

    def _leading(self, scores: Tensor) -> Floats:
        """Log-odds of the class that was predicted first."""
        own = scores.gather(1, self._predicted[:, None])[:, 0]
        others = scores.scatter(1, self._predicted[:, None], -torch.inf).logsumexp(dim=1)
        leading: Floats = np.nan_to_num((own - others).numpy())
        return leading.clip(-MOST_LOG_ODDS, MOST_LOG_ODDS)

    def _parts(self, variable: Variable) -> list[Tensor]:
        """What each graph has in place of what the variable reads."""
        if variable.kind == STRUCTURE:
            return [_rewired(graph, self._random) for graph in self._graphs]
        if variable.kind == DIRECTION:
            return [_turned(graph, self._random) for graph in self._graphs]
        values = [graph[variable.key] for graph in self._graphs]
        rows = torch.cat([value.reshape(len(value), -1) for value in values])
        order = self._orders[variable.of]
        return list(torch.split(rows[torch.from_numpy(order)], [len(value) for value in values]))

    @cached_property
    def _orders(self) -> Mapping[str, Ints]:
        """Which row of all takes the place of each, of nodes, edges and graphs; both directions of an edge alike."""
        ends = [_undirected(graph) for graph in self._graphs]
        starts = np.cumsum([0, *(len(place) for _, place in ends)])
        firsts = np.concatenate([first + start for (first, _), start in zip(ends, starts, strict=False)])
        sizes = np.cumsum([0, *(len(first) for first, _ in ends)])
        places = np.concatenate([place + size for (_, place), size in zip(ends, sizes, strict=False)])
        return {
            NODE: self._random.permutation(sum(map(node_count, self._graphs))),
            EDGE: firsts[self._random.permutation(len(firsts))][places],
            GRAPH: self._random.permutation(len(self._graphs)),
        }


def _undirected(graph: Data) -> tuple[Ints, Ints]:
    """The first of the edges with the same two ends, and for each edge the number of its two ends."""
    ends = np.sort(graph.edge_index.cpu().numpy(), axis=0)
    _, first, place = np.unique(ends[0] * node_count(graph) + ends[1], return_index=True, return_inverse=True)
    return first, place


def _rewired(graph: Data, random: np.random.Generator) -> Tensor:
    """As many edges between other nodes; self-loops stay, and so does which edges have a reverse."""
    ends, size = graph.edge_index.cpu().numpy(), node_count(graph)
    first, place = _undirected(graph)
    if size < 2:
        return torch.from_numpy(ends)
    one = random.integers(size, size=len(first))
    other = (one + random.integers(1, size, size=len(first))) % size
    is_up = ends[0] < ends[1]
    new = np.where(is_up, [one[place], other[place]], [other[place], one[place]])
    return torch.from_numpy(np.where(ends[0] == ends[1], ends, new)).to(graph.edge_index)


def _turned(graph: Data, random: np.random.Generator) -> Tensor:
    """Every other edge that has no reverse, by chance, goes the other way."""
    ends = graph.edge_index.cpu().numpy()
    codes = ends[0] * node_count(graph) + ends[1]
    has_reverse = np.isin(codes, ends[1] * node_count(graph) + ends[0])
    first, place = _undirected(graph)
    is_turned = (random.random(len(first)) < 0.5)[place] & ~has_reverse
    return torch.from_numpy(np.where(is_turned, ends[::-1], ends)).to(graph.edge_index)


def _effect(variable: Variable, trial: _Trial, everything: _Trial, number: int, *, is_sufficient: bool) -> Effect:
    share = 1 - trial.kept
    low, high = wilson(round(share * number), number)
    whole = everything.mean_moved
    error = float(np.sqrt(((trial.moved - trial.mean_moved) ** 2) @ trial.weights / number))
    return Effect(
        variable=variable,
        decisions=share,
        low=low,
        high=high,
        log_odds=min(1.0, trial.mean_moved / whole) if whole else 0.0,
        log_odds_error=error / whole if whole else 0.0,
        is_sufficient=is_sufficient,
    )


def _unknown(variable: Variable) -> Effect:
    return Effect(
        variable=variable, decisions=0.0, low=0.0, high=1.0, log_odds=0.0, log_odds_error=0.0, is_sufficient=True
    )


def cuts_of(judge: Judge, graphs: Sequence[Data], variable: Variable, seed: int = 0) -> tuple[float, ...]:
    """The cuts of a continuous column, ascending: where the model's mean response to its values changes most.

    Half of the nodes, or edges, of each graph are given one value after the other. A cut is the roundest number about
    where the response changes, so that what is said is what is counted; values from it on are above.

    Args:
        judge: The model.
        graphs: Graphs of all classes that it predicts.
        variable: The column.
        seed: Of the choice of the half.
    """
    from sklearn.tree import DecisionTreeRegressor

    graphs = graphs[:: -(-len(graphs) // CUT_GRAPHS)]
    (place,) = variable.places
    random, halves = np.random.default_rng(seed), []
    for graph in graphs:
        order = _undirected(graph)[1] if variable.of == EDGE else np.arange(node_count(graph))
        halves.append(torch.from_numpy((random.random(int(order.max(initial=0)) + 1) < 0.5)[order]))

    def response(values: Floats) -> Floats:
        rows = []
        for value in values.tolist():
            changed = [copy.copy(graph) for graph in graphs]
            for graph, half in zip(changed, halves, strict=True):
                own = graph[variable.key].clone()
                own.reshape(len(own), -1)[half.to(own.device), place] = value
                graph[variable.key] = own
            scores = judge.scores(changed)
            # Where decisions flip: log-odds go on changing far beyond.
            rows.append(scores.softmax(dim=1).mean(dim=0).numpy())
        return np.array(rows)

    known = torch.cat([graph[variable.key].reshape(len(graph[variable.key]), -1)[:, place] for graph in graphs])
    points = np.unique(np.quantile(known.double().cpu().numpy(), np.linspace(0, 1, NUM_POINTS)))
    answers = response(points)
    if (answers.max(axis=0) - answers.min(axis=0)).max() < LEAST_RESPONSE:
        return ()
    for number in range(1, MAX_CUTS + 1):
        tree = DecisionTreeRegressor(max_leaf_nodes=number + 1, random_state=0).fit(points[:, None], answers)
        if tree.score(points[:, None], answers) >= EXPLAINED:
            break
    cuts, thresholds = set[float](), tree.tree_.threshold
    for threshold in thresholds[thresholds != -2].tolist():
        above = int(np.searchsorted(points, threshold))
        finer = np.linspace(points[above - 1], points[above], NUM_BETWEEN + 2)
        steps = np.linalg.norm(np.diff(response(finer), axis=0), axis=1)
        is_steep = steps >= steps.max() / 2  # where the response rises slowly, a rounder number will do
        first = last = int(steps.argmax())
        while first > 0 and is_steep[first - 1]:
            first -= 1
        while last + 1 < len(steps) and is_steep[last + 1]:
            last += 1
        cuts.add(roundest(float(finer[first]), float(finer[last + 1])))
    return tuple(sorted(cuts))


def roundest(low: float, high: float) -> float:
    """The number above ``low`` and up to ``high`` with the fewest digits.

    >>> roundest(1.93, 2.04), roundest(0.261, 0.268), roundest(-0.4, 0.3)
    (2.0, 0.265, 0.0)
    """
    if low < 0 <= high:
        return 0.0
    power = 10.0 ** np.ceil(np.log10(max(abs(low), abs(high))))
    while True:
        for step in (power, power / 2):
            if (number := float(np.floor(high / step) * step)) > low:
                return float(f"{number:.12g}")
        power /= 10
