"""One explainer, fitted once, with one option after the other changed; what comes out of each."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from torch import nn
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.progress import Progress
from protograph.datasets import GraphDataset
from protograph.evaluation.evaluation import accuracy_of
from protograph.page.ablated import AblatedPAGE
from protograph.page.explainer import PAGE
from research.paper.lab import Lab


@dataclass(frozen=True, kw_only=True)
class Variant:
    """An explainer with some options changed.

    Attributes:
        name: What is changed, in words.
        options: Options that differ from the explainer's own.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


def walk_of(seed: int) -> AblatedPAGE:
    """The paper's search with the paper's settings."""
    return AblatedPAGE(search="walk", num_clusters=2, random_state=seed)


def default_of(seed: int) -> AblatedPAGE:
    """Our own search; reasons are left alone."""
    return AblatedPAGE(max_reasons=0, random_state=seed)


def varied(fitted: PAGE, options: Mapping[str, Any]) -> PAGE:
    """A fitted explainer with other options, which shares what was worked out of the fit."""
    other = copy.copy(fitted)
    for name, value in options.items():
        setattr(other, name, value)
    other.__post_init__()
    return other


def outcomes(
    explainer: PAGE,
    variants: Sequence[Variant],
    model: nn.Module,
    graphs: Sequence[Data],
    data: GraphDataset,
    progress: Progress | None = None,
) -> dict[str, dict[str, Any]]:
    """What each variant gives on the classes with a ground truth, by its name.

    Args:
        explainer: With the options that variants change; it is fitted here.
        variants: The variants.
        model: The model to explain.
        graphs: Graphs to explain it with.
        data: The data set that they are from.
        progress: Called as ``progress("variants", done, total)``.
    """
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        explainer.fit(model, graphs)
        outcome(explainer, graphs, data)  # what is done once a fit, and compiled loops, are no variant's cost
        for number, one in enumerate(variants, start=1):
            found[one.name] = outcome(varied(explainer, one.options), graphs, data)
            if progress is not None:
                progress("variants", number, len(variants))
    return found


def outcome(fitted: PAGE, graphs: Sequence[Data], data: GraphDataset) -> dict[str, Any]:
    """Accuracy, probability and size of a data set's prototypes, and seconds of the search.

    A class without any prototype has accuracy 0: nothing was found of what is there. Where the model predicts no graph
    as a class there is nothing to find, and the class does not count.
    """
    accuracies, prototypes, seconds = [], [], 0.0
    for target, truths in data.ground_truths.items():
        if not (fitted.predictions_ == target).any():
            continue
        explanation = fitted.explain(target)
        right = [accuracy_of(one, explanation, graphs, truths).value for one in explanation.prototypes]
        accuracies.append(mean(right) if right else 0.0)
        prototypes += explanation.prototypes
        seconds += explanation.timings["search"]
    return {
        "accuracy": mean(accuracies) if accuracies else None,
        "probability": mean(one.probability for one in prototypes) if prototypes else None,
        "num_nodes": mean(one.num_nodes for one in prototypes) if prototypes else None,
        "num_prototypes": len(prototypes),
        "seconds": seconds,
    }


def of_kept_model(
    explainer: PAGE, variants: Sequence[Variant], name: str, seed: int, lab: Lab
) -> dict[str, dict[str, Any]]:
    """The variants for the paper's GCN on the graphs that it was trained on."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    return outcomes(explainer, variants, kept.model, data[kept.train], data, lab.progress)
