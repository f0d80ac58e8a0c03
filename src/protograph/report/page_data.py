"""What the scripts of the page read: the map of all graphs, sketches of some, and the examples of each card."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from markupsafe import Markup

from protograph._utils.arrays import Ints
from protograph._utils.words import clean_name, one_line
from protograph.explanation import Explanation
from protograph.explanation.survey import Survey
from protograph.report.cards import Card
from protograph.report.thumbnails import Thumbnails

# Steps of a position on the map: more than there are pixels.
MAP_STEPS = 4000
# Points of the map: of more graphs a sample, evenly spaced, so that the page opens at once.
MAX_POINTS = 20_000
# Where rule and model part.
AGREE, UNCOVERED, ANOTHER = range(3)
# Letters of a graph's name.
MAX_NAME = 60


class Shown:
    """The graphs that the page knows: all of them or, of very many, a sample with all that the page speaks of.

    Scripts number them among themselves.

    Args:
        num_graphs: How many graphs there are.
        needed: Those that must be there.
    """

    def __init__(self, num_graphs: int, needed: Iterable[int]) -> None:
        self.indices: Ints = np.arange(num_graphs)
        self.is_sample = num_graphs > MAX_POINTS
        if self.is_sample:
            evenly = np.arange(MAX_POINTS) * num_graphs // MAX_POINTS
            self.indices = np.union1d(evenly, np.array(list(needed), dtype=np.int64))

    def number(self, index: int) -> int:
        """The number of a graph that is there."""
        return int(np.searchsorted(self.indices, index)) if self.is_sample else index


def shown_graphs(
    explanations: Sequence[Explanation], cards: Sequence[Card], thumbnails: Thumbnails, others: Iterable[int] = ()
) -> Shown:
    """The graphs that the page knows; ``others`` are such as it speaks of elsewhere."""
    examples = (index for card in cards for index in (*card["examples"].having, *card["examples"].lacking))
    sources = (index for one in explanations for p in one.prototypes for index in p.sources or ())
    needed = chain(examples, sources, thumbnails.graphs, others)
    return Shown(explanations[0].num_graphs, needed)


def page_data(
    explanations: Sequence[Explanation], cards: Sequence[Card], thumbnails: Thumbnails, shown: Shown
) -> dict[str, Any]:
    """All that scripts need, as JSON has it."""
    first, number = explanations[0], shown.number
    return {
        "classes": [clean_name(name) for name in first.class_names],
        "cards": {
            card["id"]: {
                "having": [*map(number, card["examples"].having)],
                "lacking": [*map(number, card["examples"].lacking)],
                "marks": {number(index): marks for index, marks in card["examples"].marks.items()},
                "copies": card["copies"],
            }
            for card in cards
        },
        "points": _points(first.survey, explanations, shown) if first.survey.has_map else None,
        "graphs": {number(index): graph for index, graph in thumbnails.graphs.items()},
        "looks": thumbnails.looks,
    }


def as_script_data(data: Any) -> Markup:
    """JSON that cannot end the element it stands in, nor begin another."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def _points(survey: Survey, explanations: Sequence[Explanation], shown: Shown) -> dict[str, Any]:
    low = survey.positions.min(axis=0)  # a map has graphs
    span = float(np.ptp(survey.positions, axis=0).max()) or 1.0
    places = ((survey.positions - low) / span * MAP_STEPS).round().astype(int)
    reasons, of_reason, parting = _rules(survey, explanations)
    clusters, cluster_names = _clusters(survey, explanations)
    kept = shown.indices

    def of(column: Sequence[Any]) -> list[Any]:
        return [column[index] for index in kept.tolist()] if column else []

    return {
        "x": places[kept, 0].tolist(),
        "y": places[kept, 1].tolist(),
        "prediction": of(survey.predictions),
        "label": of(survey.labels),
        "probability": [round(1000 * value) for value in of(survey.probabilities)],
        "place": of(survey.places or range(len(survey))),
        "name": [one_line(name)[:MAX_NAME] for name in of(survey.names)],
        "cluster": clusters[kept].tolist(),
        "clusters": cluster_names,
        "reason": of_reason[kept].tolist(),
        "reasons": reasons,
        "parting": parting[kept].tolist(),
        "marks": [{**mark, "index": shown.number(mark["index"])} for mark in _marked(explanations)],
    }


def _rules(survey: Survey, explanations: Sequence[Explanation]) -> tuple[list[dict[str, str]], Ints, Ints]:
    """All reasons, the first of the predicted class that holds in each graph, and where rule and model part."""
    predictions = np.array(survey.predictions, dtype=np.int64)
    of_reason, names = np.full(len(survey), -1), list[dict[str, str]]()
    holds, others = np.zeros(len(survey), bool), np.zeros(len(survey), bool)
    explained = np.isin(predictions, [one.target for one in explanations if one.rule is not None])
    for one in explanations:
        for number, reason in enumerate(one.reasons, start=1):
            indices = np.array(reason.holds_in_indices, dtype=np.int64)
            own = indices[predictions[indices] == one.target]
            of_reason[own[of_reason[own] < 0]] = len(names)
            holds[own] = True
            others[indices[predictions[indices] != one.target]] = True
            words = reason.describe()
            names.append({"words": one_line(words), "card": f"class-{one.target}-reason-{number}"})
    parting = np.where(explained & ~holds, UNCOVERED, np.where(others, ANOTHER, AGREE))
    return names, of_reason, parting


def _clusters(survey: Survey, explanations: Sequence[Explanation]) -> tuple[Ints, list[dict[str, str]]]:
    """The cluster of each graph over all classes, and of each cluster its name and its prototype's card."""
    of_graph, names = np.full(len(survey), -1), list[dict[str, str]]()
    for one in explanations:
        cards = {p.cluster: f"class-{one.target}-prototype-{n}" for n, p in enumerate(one.prototypes, start=1)}
        if (found := one.embedding_map) is None:
            continue
        indices, own = np.array(found.indices, dtype=np.int64), np.array(found.clusters, dtype=np.int64)
        for cluster in sorted(set(found.clusters) - {-1}):
            of_graph[indices[own == cluster]] = len(names)
            name = f"{clean_name(one.class_name)}, cluster {cluster + 1}"
            names.append({"name": name, "card": cards.get(cluster, "")})
    return of_graph, names


def _marked(explanations: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Graphs that prototypes were found in; the one that each was cut from is a prototype's."""
    marks: dict[int, dict[str, Any]] = {}
    for one in explanations:
        for number, prototype in enumerate(one.prototypes, start=1):
            for index in prototype.sources or ():
                is_source = index == prototype.source
                if index not in marks or is_source:
                    card = f"class-{one.target}-prototype-{number}"
                    marks[index] = {"index": index, "source": is_source, "card": card}
    return list(marks.values())
