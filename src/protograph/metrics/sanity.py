"""Do explanations depend on what the model has learned (sanity), and do those of several seeds agree (stability)?"""

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, count
from typing import Any

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Data

from protograph._utils.errors import ProtographWarning
from protograph._utils.randomness import checked_seed, preserved_random_state, seed_generators
from protograph.explainer import Explainer
from protograph.explanation import Explanation
from protograph.metrics.accuracy import accuracy
from protograph.metrics.intervals import Measure
from protograph.metrics.judging import Model
from protograph.models.calling import infer_call
from protograph.models.classifier import SAMPLE_SIZE, as_classifier, device_of
from protograph.models.inference import RunningClassifier
from protograph.models.readout import Readout

# Pairs of nodes that are tried for two prototypes; large ones that are much alike take longest, and a lower bound of
# what they share is as good there.
MAX_CALLS = 100_000
Similarity = Callable[[Explanation, Explanation], float]


@dataclass(frozen=True)
class SanityStep:
    """One more module randomised.

    Attributes:
        module: Its name, as in ``model.named_modules()``; ``""`` for parameters of the model itself.
        similarity: Of the explanation to that of the model as it was; NaN where there is no explanation any more.
        note: Why there is none; empty where there is one.
    """

    module: str
    similarity: float
    note: str = ""


@dataclass(frozen=True)
class Sanity(Measure):
    """Similarity of explanations while a model is randomised from its output down.

    Attributes:
        value: Similarity at the end, when all modules are randomised; lower is better.
        steps: One record a module, each with those before it randomised too.
    """

    steps: tuple[SanityStep, ...]


def sanity(
    explainer: Explainer,
    model: Model,
    graphs: Sequence[Data],
    target: int,
    *,
    similarity: Similarity | None = None,
    max_draws: int = 10,
    random_state: int = 0,
) -> Sanity:
    r"""Cascading randomisation of a model (Adebayo et al., 2018), with prototypes in place of saliency maps.

    .. math:: s_i = \mathrm{sim}(E(f), E(f_i)), \qquad
              f_i = f \text{ with new weights in the } i \text{ modules nearest the output}

    Similarities are in [0, 1] with the default, and lower is better: an explanation that stays the same when the
    weights are random did not come from what the model has learned.

    Modules are taken by when they are called, the last one first; those never called by themselves come at the end. A
    convolution with its inner layers is one module. New weights come from the module's ``reset_parameters`` where it
    has one (which also resets the statistics of a batch norm), otherwise from a normal distribution with the mean
    and deviation of the weights. A random model often predicts no graph as the class; a module's weights are then
    drawn again.

    Args:
        explainer: Its options count; it is copied, and a fit of it stays as it is.
        model: The trained model; it is copied.
        graphs: What to explain it with.
        target: The class.
        similarity: Of two explanations, the model's own first. By default each prototype's best
            :func:`protograph.metrics.accuracy` to one of the other explanation, and the mean of these.
        max_draws: How often to draw weights of a module until the class can be explained.
        random_state: Seed of the new weights.

    Raises:
        ValueError: If the model has no parameters, or the class cannot be explained to begin with.
    """
    if max_draws < 1:
        raise ValueError(f"max_draws must be at least 1, got {max_draws}")
    compare = best_pairs if similarity is None else similarity
    seed = checked_seed(random_state)
    before = copy.copy(explainer).fit(model, graphs).explain(target)
    with preserved_random_state():
        again = copy.copy(as_classifier(model))
        twin = again.model = copy.deepcopy(again.model)
        names = _modules_from_output(twin, [graphs[i] for i in range(min(SAMPLE_SIZE, len(graphs)))])
    if not names:
        raise ValueError("model has no parameters, so there is nothing to randomise")
    steps = []
    for number, name in enumerate(names):
        for draw in range(max_draws):
            module: Any = twin.get_submodule(name)
            with preserved_random_state(), torch.no_grad():
                seed_generators(int(np.random.SeedSequence([seed, number, draw]).generate_state(1)[0]))
                if name and hasattr(module, "reset_parameters"):
                    module.reset_parameters()
                else:
                    for parameter in module.parameters(recurse=False):
                        mean, deviation = parameter.mean(), parameter.std(correction=0)
                        parameter.copy_(mean + deviation * torch.randn_like(parameter))
            with warnings.catch_warnings():
                # They are about a model that nobody uses, and the explanation keeps them.
                warnings.simplefilter("ignore", ProtographWarning)
                try:
                    after = copy.copy(explainer).fit(again, graphs).explain(target)
                except ValueError as error:  # the model as it was could be explained, so this is the weights' doing
                    step = SanityStep(name, math.nan, str(error))
                    continue
            step = SanityStep(name, float(compare(before, after)))
            break
        steps.append(step)
    return Sanity(steps[-1].similarity, tuple(steps))


def best_pairs(before: Explanation, after: Explanation, max_calls: int = 5_000_000) -> float:
    """Mean over the prototypes of one explanation of the best accuracy to a prototype of the other.

    It is 0 where only one of them has prototypes, and 1 where neither has.
    """
    if not before.prototypes or not after.prototypes:
        return float(not before.prototypes and not after.prototypes)
    rule = before.node_rule
    best = [
        max(
            float(accuracy(other.graph, one.graph, match_features=rule, max_calls=max_calls))
            for other in after.prototypes
        )
        for one in before.prototypes
    ]
    return float(np.mean(best))


def _modules_from_output(model: nn.Module, sample: Sequence[Data]) -> list[str]:
    """Names of the modules to randomise, the one called last first.

    These have parameters of their own; what is inside one that resets itself belongs to it.
    """
    last_call: dict[str, int] = {}
    whole: tuple[str, ...] = ()
    calls = count()
    with ExitStack() as stack:
        for name, module in model.named_modules():
            if name.startswith(whole) or not list(module.parameters(recurse=False)):
                continue
            last_call[name] = -1
            if name and hasattr(module, "reset_parameters"):
                whole += (f"{name}.",)
            note = module.register_forward_pre_hook(lambda *_, name=name: last_call.update({name: next(calls)}))
            stack.callback(note.remove)
        call = infer_call(model, sample[0])
        RunningClassifier(model, call, Readout(), device_of(model), is_double=False).classify(sample)
    return sorted(last_call, key=lambda name: -last_call[name])


@dataclass(frozen=True, kw_only=True)
class Stability(Measure):
    """How alike explanations are.

    Attributes:
        value: Mean over all pairs, in [0, 1]; higher is better; nan with fewer than two explanations.
        pairs: Similarity of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...
    """

    pairs: tuple[float, ...]


def stability(explanations: Sequence[Explanation]) -> Stability:
    r"""How much explanations of one class agree with each other, such as those of several seeds.

    .. math:: \frac{1}{|\mathrm{pairs}|} \sum_{i < j} \frac{s(P_i, P_j) + s(P_j, P_i)}{2}, \qquad
              s(P, Q) = \frac{1}{|P|} \sum_{p \in P} \max_{q \in Q} \mathrm{Acc.}(p, q)

    with Acc. the :func:`protograph.metrics.accuracy` of one prototype held against another. In [0, 1], higher is
    better; 1 where all show the same graphs. Two explanations without prototypes agree (1), one without and one with
    some do not (0). Not of the paper.

    Args:
        explanations: Explanations of one class.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)  # of a bound: the best that was found counts
        pairs = tuple(
            (best_pairs(one, other, MAX_CALLS) + best_pairs(other, one, MAX_CALLS)) / 2
            for one, other in combinations(explanations, 2)
        )
    return Stability(float(np.mean(pairs)) if pairs else float("nan"), pairs=pairs)
