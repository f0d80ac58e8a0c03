"""What the scripts of the page read: the map of all graphs, sketches of some, and the examples of each card."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from protograph._base.words import clean_name, one_line
from protograph.explanation import Explanation
from protograph.explanation.survey import Survey
from protograph.report.cards import Card
from protograph.report.thumbnails import Thumbnails

# Steps of a position on the map: more than there are pixels.
MAP_STEPS = 4000
# Where rule and model part.
AGREE, UNCOVERED, ANOTHER = range(3)
# Letters of a graph's name.
MAX_NAME = 60


def page_data(explanations: Sequence[Explanation], cards: Sequence[Card], thumbnails: Thumbnails) -> dict[str, Any]:
    """All that scripts need, as JSON has it."""
    first = explanations[0]
    names = [clean_name(name) for name in first.class_names]
    data: dict[str, Any] = {"classes": names, "cards": {}, "points": None}
    data |= {"graphs": thumbnails.graphs, "looks": thumbnails.looks}
    data["cards"] = {
        card.id: {
            "having": card.examples.having,
            "lacking": card.examples.lacking,
            "marks": card.examples.marks,
            "copies": card.copies,
        }
        for card in cards
    }
    survey = first.survey
    if survey is not None and survey.has_map:
        data["points"] = _points(survey, explanations)
    return data


def as_script_data(data: Any) -> Markup:
    """JSON that cannot end the element it stands in, nor begin another."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))  # noqa: S704


def _points(survey: Survey, explanations: Sequence[Explanation]) -> dict[str, Any]:
    low = survey.positions.min(axis=0, initial=np.inf) if len(survey) else np.zeros(2)
    span = float(np.ptp(survey.positions, axis=0).max(initial=0.0)) or 1.0
    places = ((survey.positions - low) / span * MAP_STEPS).round().astype(int)
    reasons, of_reason, parting = _rules(survey, explanations)
    clusters, cluster_names = _clusters(survey, explanations)
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "prediction": list(survey.predictions),
        "label": list(survey.labels),
        "probability": [round(1000 * value) for value in survey.probabilities],
        "place": list(survey.places),
        "name": [one_line(name)[:MAX_NAME] for name in survey.names],
        "cluster": clusters,
        "clusters": cluster_names,
        "reason": of_reason,
        "reasons": reasons,
        "parting": parting,
        "marks": _marked(explanations),
    }


def _rules(survey: Survey, explanations: Sequence[Explanation]) -> tuple[list[dict[str, str]], list[int], list[int]]:
    """All reasons, the first of the predicted class that holds in each graph, and where rule and model part."""
    predictions = np.array(survey.predictions, dtype=np.int64)
    of_reason, names = np.full(len(survey), -1), list[dict[str, str]]()
    holds, others = np.zeros(len(survey), bool), np.zeros(len(survey), bool)
    explained = np.isin(predictions, [one.target for one in explanations if one.graph_predictions])
    for one in explanations:
        for number, reason in enumerate(one.reasons, start=1):
            indices = np.array(reason.holds_in_indices, dtype=np.int64)
            own = indices[predictions[indices] == one.target]
            of_reason[own[of_reason[own] < 0]] = len(names)
            holds[own] = True
            others[indices[predictions[indices] != one.target]] = True
            words = reason.describe(colors=one.feature_colors)
            names.append({"words": one_line(words), "card": f"class-{one.target}-reason-{number}"})
    parting = np.where(explained & ~holds, UNCOVERED, np.where(others, ANOTHER, AGREE))
    return names, of_reason.tolist(), parting.tolist()


def _clusters(survey: Survey, explanations: Sequence[Explanation]) -> tuple[list[int], list[dict[str, str]]]:
    """The cluster of each graph over all classes, and of each cluster its name and its prototype's card."""
    of_graph, names = np.full(len(survey), -1), list[dict[str, str]]()
    for one in explanations:
        cards = {p.cluster: f"class-{one.target}-prototype-{n}" for n, p in enumerate(one.prototypes, start=1)}
        found = one.embedding_map
        if found is None:
            continue
        for cluster in sorted(set(found.clusters) - {-1}):
            members = [index for index, own in zip(found.indices, found.clusters, strict=True) if own == cluster]
            of_graph[members] = len(names)
            name = f"{clean_name(one.class_name)}, cluster {cluster + 1}"
            names.append({"name": name, "card": cards.get(cluster, "")})
    return of_graph.tolist(), names


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
