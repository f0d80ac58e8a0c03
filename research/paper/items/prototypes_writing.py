"""What is shown of our prototypes: the model's view, the clusters, and what came out in words."""

from collections import Counter
from collections.abc import Sequence
from statistics import mean
from typing import Any

from research.paper.item import Results
from research.paper.sets import SETS
from research.paper.sheet import Sheet

Prototypes = Sequence[dict[str, Any]]
# A margin that is lower by less is the same.
SAME = 1e-6
# A cluster is that of one motif where this share of its graphs has it.
PURE = 0.99


def write(results: Results, sheet: Sheet) -> None:
    """A table of the model's view, one of the clusters, and what the prototypes are."""
    names = list(dict.fromkeys(key[0] for key in results))
    # Of each data set, seed after seed, the prototypes of its classes.
    seeds = {name: [one["classes"] for one in results.under(name).values()] for name in names}
    _write_view(seeds, sheet)
    _write_clusters(seeds, sheet)
    _write_words(seeds, sheet)
    _write_first(seeds, results.settings.seeds[0], sheet)


def _write_view(seeds: dict[str, list[Any]], sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for name, of_set in seeds.items():
        shown = [one for classes in of_set for prototypes in classes.values() for one in prototypes]
        views = [mean_of(shown, f"{whose}{key}") for key in ("probability", "margin") for whose in WHOSE]
        below = f"{num_below_truth(shown)} of {len(shown)}"
        rows.append([SETS[name].title, *views, below, mean_of(shown, "contribution_share")])
    sheet.table(
        "view",
        (
            "data set",
            *(f"{key}, {whose}" for key in ("p", "margin") for whose in WHOSE.values()),
            "margin below the truth's",
            "share of the contributions",
        ),
        rows,
        "The model's probability and margin of the class, mean over all prototypes and seeds: of the prototype, of the "
        "ground truth that it is held against, and of the whole graphs that represent its cluster. Then how many "
        "prototypes have a lower margin than their truth, and the share of all nodes' contributions in the "
        "representatives that the prototype's nodes have.",
    )


WHOSE = {"": "prototype", "truth_": "its truth", "sources_": "its representatives"}


def mean_of(prototypes: Prototypes, key: str) -> float | None:
    """Mean over the prototypes that have a value."""
    values = [one[key] for one in prototypes if one[key] is not None]
    return mean(values) if values else None


def num_below_truth(prototypes: Prototypes) -> int:
    """How many have a lower margin than their truth has."""
    return sum(one["margin"] < one["truth_margin"] - SAME for one in prototypes)


def _write_clusters(seeds: dict[str, list[Any]], sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for name, of_set in seeds.items():
        for target in of_set[0]:
            of_class = [classes[target] for classes in of_set]
            shares = [one["cluster_share"] for prototypes in of_class for one in prototypes if one["cluster_share"]]
            pure = [one["purity"] for prototypes in of_class for one in prototypes if one["purity"] is not None]
            rows.append(
                [
                    SETS[name].title,
                    target,
                    from_to([len(prototypes) for prototypes in of_class]),
                    min(shares, default=None),
                    min(pure, default=None),
                    f"{sum(map(are_apart, of_class))} of {len(of_class)}" if pure else None,
                ]
            )
    sheet.table(
        "clusters",
        ("data set", "class", "clusters", "smallest share", "least pure", "seeds with all motifs apart"),
        rows,
        "Clusters that our default finds, each with its prototype. Smallest share: of the graphs of the class that a "
        "cluster has. Where graphs say which motif was planted in them: the share of a cluster's graphs that have its "
        f"most frequent one, and the seeds in which each motif has clusters of its own, pure to {PURE:.0%}.",
    )


def from_to(counts: Sequence[int]) -> str:
    """The least and the largest of some counts in words.

    >>> from_to([2, 2]), from_to([1, 2]), from_to([1, 3])
    ('2', '1 or 2', '1 to 3')
    """
    least, most = min(counts), max(counts)
    return str(least) if least == most else f"{least} {'or' if most - least == 1 else 'to'} {most}"


def are_apart(prototypes: Prototypes) -> bool:
    """Whether clusters are pure, and there are some of every truth up to the last that is met."""
    truths = {one["truth"] for one in prototypes}
    is_pure = all(one["purity"] is not None and one["purity"] >= PURE for one in prototypes)
    return bool(prototypes) and is_pure and truths == set(range(max(truths) + 1))


def _write_words(seeds: dict[str, list[Any]], sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for name, of_set in seeds.items():
        for target in of_set[0]:
            shown = [one for classes in of_set for one in classes[target]]
            # What it is comes before the first semicolon; how strong the evidence is, which seeds differ in, after it.
            counted = Counter((one["words"].partition(";")[0], round(one["accuracy"], 4)) for one in shown)
            for (words, accuracy), times in counted.most_common():
                rows.append([SETS[name].title, target, words, accuracy, times])
    sheet.table(
        "words",
        ("data set", "class", "prototype", "accuracy", "times"),
        rows,
        "What comes out over all seeds, the most frequent first, and how right it is.",
    )


def _write_first(seeds: dict[str, list[Any]], seed: int, sheet: Sheet) -> None:
    sheet.table(
        "first-seed",
        ("data set", "class", "number", "prototype", "p", "margin"),
        [
            [SETS[name].title, target, number, one["words"], one["probability"], one["margin"]]
            for name, of_set in seeds.items()
            for target, prototypes in of_set[0].items()
            for number, one in enumerate(prototypes, start=1)
        ],
        f"The prototypes of seed {seed}, as explanations tell them.",
    )
