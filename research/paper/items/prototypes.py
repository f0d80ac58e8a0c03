"""What the model makes of our prototypes, beside their truths and representatives; and the clusters they are of."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from statistics import mean
from typing import Any

from torch_geometric.data import Data

import protograph as pg
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import SETS, WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import accuracy_of

NUM_REFERENCES = 500  # whether outputs are scores or probabilities is seen by as many training graphs
SAME = 1e-6  # a margin that is lower by less is the same
PURE = 0.99  # a cluster is that of one motif where this share of its graphs has it
WHOSE = {"": "prototype", "truth_": "its truth", "sources_": "its representatives"}


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set and seed; the explanations are those of rq2."""
    return [
        Cell(key=(name, f"seed {seed}"), compute=partial(measure, name, seed), needs=[ModelSpec(name, seed)])
        for name in settings.sets(WITH_TRUTH)
        for seed in settings.fewer(settings.seeds)
    ]


def measure(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """The prototypes of each class, best first."""
    data, graphs = lab.data(name, seed), lab.train_graphs(name, seed)
    found, model = lab.explained(name, "page", seed).explanations, lab.model(ModelSpec(name, seed)).model
    return {
        str(target): [
            scores(one, found[target], graphs, data.ground_truths[target], model)
            for one in (found[target].prototypes if target in found else ())
        ]
        for target in SETS[name].targets
    }


def scores(
    prototype: pg.Prototype, explanation: pg.Explanation, graphs: Sequence[Data], truths: Sequence[Data], model: Any
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
    references = [graphs[number] for number in range(min(NUM_REFERENCES, len(graphs)))]
    record = {
        "accuracy": right.value,
        "truth": right.truth,
        "words": prototype.describe(),
        "probability": prototype.probability,
        "margin": prototype.margin,
        "contribution_share": prototype.evidence and prototype.evidence.contribution_share,
        "cluster_share": prototype.cluster_size and prototype.cluster_size / explanation.num_predicted,
        "purity": purity(prototype, explanation, graphs),
    }
    sources = [explanation.source_graphs[index] for index in prototype.sources or ()]
    for whose, ones in (("truth_", [truths[right.truth]]), ("sources_", sources)):
        judged = pg.metrics.judge(model, ones, explanation.target, reference_graphs=references) if ones else None
        record |= {f"{whose}{key}": getattr(judged, key, None) for key in ("probability", "margin")}
    return record


def purity(prototype: pg.Prototype, explanation: pg.Explanation, graphs: Sequence[Data]) -> float | None:
    """Share of the cluster's graphs with the motif that most of them have; ``None`` where graphs do not say theirs."""
    places = explanation.embedding_map
    if places is None or prototype.cluster is None or graphs[0].get("motif") is None:
        return None
    pairs = zip(places.indices, places.clusters, strict=True)
    motifs = Counter(graphs[index].motif.num_nodes for index, cluster in pairs if cluster == prototype.cluster)
    return max(motifs.values()) / motifs.total()


def write(results: Results, sheet: Sheet) -> None:
    """A table of the model's view, one of the clusters, and what the prototypes are."""
    view: list[list[Any]] = []
    clusters: list[list[Any]] = []
    words: list[list[Any]] = []
    first: list[list[Any]] = []
    for name in results.names():
        seeds, title = results.seeds(name), title_of(name)
        shown = [one for classes in seeds for prototypes in classes.values() for one in prototypes]
        below = sum(one["margin"] < one["truth_margin"] - SAME for one in shown)
        means = [mean_known(shown, f"{whose}{key}") for key in ("probability", "margin") for whose in WHOSE]
        view.append([title, *means, f"{below} of {len(shown)}", mean_known(shown, "contribution_share")])
        for target in seeds[0]:
            of_class = [classes[target] for classes in seeds]
            ours = [one for prototypes in of_class for one in prototypes]
            shares = [one["cluster_share"] for one in ours if one["cluster_share"]]
            pure = [one["purity"] for one in ours if one["purity"] is not None]
            counts, apart = from_to(list(map(len, of_class))), sum(map(are_apart, of_class))
            told = f"{apart} of {len(of_class)}" if pure else None
            clusters.append([title, target, counts, min(shares, default=None), min(pure, default=None), told])
            # What it is comes before the first semicolon; how strong the evidence is, which seeds differ in, after it.
            counted = Counter((one["words"].partition(";")[0], round(one["accuracy"], 4)) for one in ours)
            words += [[title, target, text, accuracy, times] for (text, accuracy), times in counted.most_common()]
            for number, one in enumerate(of_class[0], start=1):
                first.append([title, target, number, one["words"], one["probability"], one["margin"]])
    sheet.table(
        "view",
        (
            "data set",
            *(f"{key}, {whose}" for key in ("p", "margin") for whose in WHOSE.values()),
            "margin below the truth's",
            "share of the contributions",
        ),
        view,
        "The model's probability and margin of the class, mean over all prototypes and seeds: of the prototype, of the "
        "ground truth that it is held against, and of the whole graphs that represent its cluster. Then how many "
        "prototypes have a lower margin than their truth, and the share of all nodes' contributions in the "
        "representatives that the prototype's nodes have.",
    )
    sheet.table(
        "clusters",
        ("data set", "class", "clusters", "smallest share", "least pure", "seeds with all motifs apart"),
        clusters,
        "Clusters that our default finds, each with its prototype. Smallest share: of the graphs of the class that a "
        "cluster has. Where graphs say which motif was planted in them: the share of a cluster's graphs that have its "
        f"most frequent one, and the seeds in which each motif has clusters of its own, pure to {PURE:.0%}.",
    )
    columns = ("data set", "class", "prototype", "accuracy", "times")
    sheet.table("words", columns, words, "What comes out over all seeds, the most frequent first, and how right it is.")
    columns = ("data set", "class", "number", "prototype", "p", "margin")
    sheet.table("first-seed", columns, first, "The prototypes of seed 0, as explanations tell them.")


def mean_known(prototypes: Sequence[dict[str, Any]], key: str) -> float | None:
    """Mean over the prototypes that have a value."""
    values = [one[key] for one in prototypes if one[key] is not None]
    return mean(values) if values else None


def from_to(counts: Sequence[int]) -> str:
    """The least and the largest of some counts in words.

    >>> from_to([2, 2]), from_to([1, 2]), from_to([1, 3])
    ('2', '1 or 2', '1 to 3')
    """
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} {'or' if most - least == 1 else 'to'} {most}"


def are_apart(prototypes: Sequence[dict[str, Any]]) -> bool:
    """Whether clusters are pure, and there are some of every truth up to the last that is met."""
    truths = {one["truth"] for one in prototypes}
    is_pure = all((one["purity"] or 0) >= PURE for one in prototypes)
    return bool(prototypes) and is_pure and truths == set(range(max(truths) + 1))


ITEM = Item(
    name="prototypes",
    title="What the model makes of our prototypes",
    question="How sure is the model of our default's prototypes, of the ground truth and of the graphs that they stand "
    "for; and are the clusters those that were planted?",
    cells=cells,
    write=write,
)
