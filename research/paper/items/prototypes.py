"""What the model makes of our prototypes, beside their truths and representatives; and the clusters they are of."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from torch_geometric.data import Data

from protograph.evaluation.evaluation import accuracy_of
from protograph.explanation import Explanation, Prototype
from protograph.metrics.judging import judge
from research.paper.item import JSON, Cell, Item, Need
from research.paper.items.prototypes_writing import write
from research.paper.lab import Lab
from research.paper.sets import SETS
from research.paper.settings import Settings

NAMES = ("ba-house", "ba-grid", "benzene", "mutagenicity", "solubility")
# Whether outputs are scores or probabilities is seen by as many training graphs.
NUM_REFERENCES = 500
SECONDS = 4.0


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set and seed; the explanations are those of rq2."""
    return [
        Cell(
            key=(name, f"seed {seed}"),
            compute=partial(_measure, name, seed),
            needs=(Need("model", name, seed),),
            seconds=SECONDS,
        )
        for name in settings.sets(NAMES)
        for seed in settings.fewer(settings.seeds)
    ]


def _measure(name: str, seed: int, lab: Lab) -> JSON:
    data, kept = lab.data(name, seed), lab.model(name, seed)
    graphs = data[kept.train]
    explanations = lab.explained(name, "page", seed).explanations
    classes: dict[str, Any] = {}
    for target in SETS[name].targets:
        explanation = explanations.get(target)
        prototypes = explanation.prototypes if explanation else ()
        classes[str(target)] = [
            scores(prototype, explanation, graphs, data.ground_truths[target], kept.model)
            for prototype in prototypes
            if explanation is not None
        ]
    return {"classes": classes}


def scores(
    prototype: Prototype, explanation: Explanation, graphs: Sequence[Data], truths: Sequence[Data], model: Any
) -> dict[str, Any]:
    """A prototype, its truth and its representatives in the eyes of the model, and what its cluster is.

    Args:
        prototype: The prototype.
        explanation: The explanation it is from.
        graphs: The graphs that the explainer was fitted to.
        truths: Ground truths of the class.
        model: The model.
    """
    right = accuracy_of(prototype, explanation, graphs, truths)
    sources = [explanation.source_graphs[index] for index in prototype.sources or ()]
    references = [graphs[number] for number in range(min(NUM_REFERENCES, len(graphs)))]

    def judged(name: str, ones: Sequence[Data]) -> dict[str, float | None]:
        if not ones:
            return {f"{name}_probability": None, f"{name}_margin": None}
        found = judge(model, ones, explanation.target, reference_graphs=references)
        return {f"{name}_probability": found.probability, f"{name}_margin": found.margin}

    return {
        "accuracy": right.value,
        "truth": right.truth,
        "words": prototype.describe(),
        "probability": prototype.probability,
        "margin": prototype.margin,
        **judged("truth", [truths[right.truth]]),
        **judged("sources", sources),
        "contribution_share": prototype.evidence and prototype.evidence.contribution_share,
        "cluster_share": prototype.cluster_size and prototype.cluster_size / explanation.num_predicted,
        "purity": purity(prototype, explanation, graphs),
    }


def purity(prototype: Prototype, explanation: Explanation, graphs: Sequence[Data]) -> float | None:
    """Share of the cluster's graphs with the motif that most of them have; ``None`` where graphs do not say theirs."""
    places = explanation.embedding_map
    if places is None or prototype.cluster is None or graphs[0].get("motif") is None:
        return None
    motifs = [
        graphs[index].motif.num_nodes
        for index, cluster in zip(places.indices, places.clusters, strict=True)
        if cluster == prototype.cluster
    ]
    return motifs.count(max(set(motifs), key=motifs.count)) / len(motifs)


ITEM = Item(
    name="prototypes",
    title="What the model makes of our prototypes",
    question="How sure is the model of our default's prototypes, of the ground truth and of the graphs that they stand "
    "for; and are the clusters those that were planted?",
    cells=cells,
    write=write,
)
