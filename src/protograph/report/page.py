"""The page as its template reads it: the verdict, a section a class, the map, what tells classes apart, errors."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.words import class_label, clean_name, count_of, one_line
from protograph.explanation import Explanation, Explanations
from protograph.explanation.describing.rule_words import agreement_lines, curve_words, fidelity_words
from protograph.explanation.describing.sentences import sensitivity_lines, what_it_is
from protograph.models.performance import Performance
from protograph.models.sensitivity import Sensitivity
from protograph.report.cards import Card, prototype_card, reason_card
from protograph.report.doubting import doubts_about
from protograph.report.figure import shared_palette
from protograph.report.page_data import page_data, shown_graphs
from protograph.report.palette import Palette
from protograph.report.shown_graphs import ShownGraphs
from protograph.report.thumbnails import MOST_DRAWN, Thumbnails
from protograph.report.words import class_facts, class_title, shortened


def contrasts(explanations: Sequence[Explanation], shown: ShownGraphs) -> list[dict[str, Any]]:
    """A row a reason; where no class has any, a row a prototype, counted in the graphs that are kept."""
    kind = "reason" if any(one.reasons for one in explanations) else "prototype"
    rows = []
    for one in explanations:
        if kind == "reason":
            predictions = np.array(one.survey.predictions, dtype=np.int64)
            found = [(reason.describe(), predictions[list(reason.holds_in_indices)]) for reason in one.reasons]
        else:
            predictions = shown.predictions
            found = [
                (what_it_is(prototype), predictions[shown.have(prototype)])
                for prototype in (one.prototypes if shown.graphs else ())
            ]
        name, size = class_label(one.target, one.class_names).capitalize(), len(one.class_names)
        totals = np.bincount(predictions, minlength=size).tolist()
        for number, (words, holding) in enumerate(found, start=1):
            held = np.bincount(holding, minlength=size).tolist()
            rows.append(
                {
                    "card": f"class-{one.target}-{kind}-{number}",
                    "title": f"{name}, {kind} {number}",
                    "words": words,
                    # Per cent of the graphs predicted as each class.
                    "shares": [round(100 * h / t, 2) if t else 0.0 for h, t in zip(held, totals, strict=True)],
                }
            )
    return rows


# Graphs that are listed where rule and model part, or that the model takes for another class.
MOST_LISTED, MOST_WRONG = 200, 120
# Cards of a class that are shown at the top.
MOST_FACES = 3
PROTOTYPES_RULE = "contains one of the prototypes"


def page_of(explanations: Sequence[Explanation], not_explained: Mapping[int, str]) -> dict[str, Any]:
    """All that the template shows."""
    palette, shown, first = shared_palette(explanations), ShownGraphs(explanations[0]), explanations[0]
    sections = [_section(one, palette, shown) for one in explanations]
    cards = [card for section in sections for card in section["cards"]]
    wrong = misled(explanations)
    thumbnails = Thumbnails(first, palette, _by_importance(explanations, shown, cards, wrong))
    points = shown_graphs(explanations, cards, thumbnails, [row["index"] for row in wrong["rows"]] if wrong else ())
    for row in wrong["rows"] if wrong else ():
        row["index"] = points.number(row["index"])
    title = class_title(first) if len(explanations) == 1 else f"{len(explanations)} classes"
    return {
        "title": title,
        "about": _about(first),
        "tiles": _tiles(explanations, not_explained),
        "inputs": _inputs(first.sensitivity),
        "doubts": doubts_about(explanations, not_explained),
        "sections": sections,
        "legend": _legend(palette, cards, thumbnails),
        "confusion": _confusion(first),
        "misled": wrong,
        "contrasts": contrasts(explanations, shown),
        "class_names": [class_label(number, first.class_names) for number in range(len(first.class_names))],
        "targets": [one.target for one in explanations],
        "making": _making(explanations),
        "survey": first.survey,
        "has_map": first.survey.has_map,
        "num_drawn": len(thumbnails.graphs),
        "num_points": len(points.indices),
        "data": page_data(explanations, cards, thumbnails, points),
    }


def _by_importance(
    explanations: Sequence[Explanation], shown: ShownGraphs, cards: Sequence[Card], wrong: Mapping[str, Any] | None
) -> Iterator[tuple[int, Data]]:
    """The graphs that are kept: what cards show, representatives, the wrong ones, then the others, spread evenly."""
    kept = {**shown.graphs, **{i: graph for one in explanations for i, graph in one.source_graphs.items()}}
    first = [index for card in cards for index in (*card["examples"].having, *card["examples"].lacking)]
    first += [index for one in explanations for index in one.source_graphs]
    first += [row["index"] for row in wrong["rows"]] if wrong is not None else []
    others = shown.indices
    step = max(1, len(others) // MOST_DRAWN)
    spread = [index for offset in range(step) for index in others[offset::step]]
    for index in dict.fromkeys([*first, *spread]):
        if index in kept:
            yield index, kept[index]


def _about(explanation: Explanation) -> dict[str, str]:
    about, versions = explanation.provenance.about, explanation.provenance.versions
    shown = {
        "Task": about.get("task", ""),
        "Data": about.get("data", ""),
        "Model": about.get("model", ""),
        "Columns": about.get("columns", ""),
        "Explainer": explanation.explainer,
        "Made": about.get("date", ""),
        "Version": f"protograph {versions['protograph']}" if "protograph" in versions else "",
    }
    return {name: value for name, value in shown.items() if value}


def tile(value: str, label: str, note: str = "", style: str = "") -> dict[str, str]:
    """A figure at the top of the page."""
    return {"value": value, "label": label, "note": note, "style": style}


def _inputs(sensitivity: Sensitivity) -> dict[str, Any] | None:
    """What the model reads: a sentence, and of each input the share of decisions that change when it is shuffled."""
    lines = sensitivity_lines(sensitivity)
    if not lines:
        return None
    bars = [
        (
            clean_name(one.variable.name),
            f"{one.decisions:.3f}",
            f"{one.decisions:.0%} of decisions (95%: {one.low:.0%} to {one.high:.0%}), {one.log_odds:.0%} of log-odds"
            + (", matched by patterns" if one.is_sufficient and one.variable.is_expressible else ""),
        )
        for one in sensitivity.effects
    ]
    words = f"What changes when one input is shuffled among {count_of(sensitivity.num_graphs, 'graph')}. "
    return {"words": words + " ".join(lines[:-1]), "bars": bars if not sensitivity.note else []}


def _tiles(explanations: Sequence[Explanation], not_explained: Mapping[int, str]) -> list[dict[str, str]]:
    first, tiles = explanations[0], []
    counts = first.survey.confusion or ()
    if sum(map(sum, counts)):
        performance = Performance(counts)
        tiles = [
            tile(
                f"{performance.accuracy:.1%}",
                "accuracy of the model",
                f"guessing the largest class: {performance.majority_share:.1%}",
            ),
            tile(f"{performance.balanced_accuracy:.1%}", "balanced accuracy", "every class weighing the same"),
        ]
    together = Explanations({one.target: one for one in explanations}, not_explained=not_explained).fidelity
    if together is not None:
        words = (
            f"95%: {together.low:.3f} to {together.high:.3f}, on {count_of(together.num_graphs, 'graph')} kept apart"
        )
        tiles.append(tile(f"{together:.3f}", "fidelity of all rules together", words))
    note = count_of(sum(len(one.prototypes) for one in explanations), "prototype")
    if reasons := sum(len(one.reasons) for one in explanations):
        note += f" and {count_of(reasons, 'reason')}"
    note += f", of {count_of(len(explanations), 'class', 'classes')}"
    return [*tiles, tile(f"{first.num_graphs:,}", "graphs looked at", note)]


def _section(explanation: Explanation, palette: Palette, shown: ShownGraphs) -> dict[str, Any]:
    """A class: its rule, cards, and what is left open."""
    fidelity = explanation.fidelity
    prototypes = [prototype_card(explanation, n, palette, shown) for n in range(1, len(explanation.prototypes) + 1)]
    reasons = [reason_card(explanation, n, palette, shown) for n in range(1, len(explanation.reasons) + 1)]
    rule = PROTOTYPES_RULE if explanation.rule is None else str(explanation.rule) or "no reason was found"
    return {
        "target": explanation.target,
        "title": class_title(explanation),
        "name": class_label(explanation.target, explanation.class_names),
        "facts": class_facts(explanation),
        "notes": explanation.warnings,
        "rule": rule,
        "reasons": [card["title"] for card in reasons],
        "fidelity": fidelity,
        "fidelity_text": "" if fidelity is None else fidelity_words(fidelity),
        "agreement": () if explanation.rule is None else agreement_lines(explanation),
        "cards": [*reasons, *prototypes],
        "faces": [
            # Of a reason the first picture is a pattern that is there, if it has one.
            {"card": card["id"], "name": f"{card['kind']} {card['number']}", "picture": card["pictures"][0]}
            for card in (reasons or prototypes)[:MOST_FACES]
            if card["pictures"]
        ],
        "left_open": _left_open(explanation),
    }


def _left_open(explanation: Explanation) -> dict[str, str]:
    """The graphs that the rule does not explain; nothing where it agrees with the model on all."""
    uncovered = set(explanation.uncovered)
    others = [index for index in explanation.disagreements if index not in uncovered]
    if not uncovered and not others:
        return {}
    rows = {
        "Fidelity": curve_words(explanation.fidelity_curve),
        "Most typical without a reason": ", ".join(map(explanation.graph_label, explanation.typical_uncovered)),
        "Of the class, without a reason": _listed(explanation, sorted(uncovered)),
        "Of others, with a reason": _listed(explanation, others),
    }
    return {name: value for name, value in rows.items() if value}


def _listed(explanation: Explanation, indices: list[int]) -> str:
    shown = ", ".join(place_of(explanation, index) for index in indices[:MOST_LISTED])
    left = len(indices) - MOST_LISTED
    return f"{shown} and {left:,} more" if left > 0 else shown


def place_of(explanation: Explanation, index: int) -> str:
    """Place of a graph in the user's own data, or its name."""
    origin = explanation.origin(index)
    return shortened(origin.name, 40) if origin.name else str(origin.position)


def _legend(palette: Palette, cards: Sequence[Card], thumbnails: Thumbnails) -> list[tuple[str, str]]:
    """What the colours of nodes mean; nothing where all are alike, or graphs are not drawn as plain ones."""
    is_plain = any("k" in one for one in thumbnails.graphs.values())
    if not thumbnails.graphs:
        is_plain = any(picture["is_plain"] for card in cards for picture in card["pictures"])
    kinds = [(one_line(one.label), one.color) for one in palette.categories]
    return kinds if is_plain and len(kinds) > 1 else []


def _confusion(explanation: Explanation) -> dict[str, Any] | None:
    counts = explanation.survey.confusion
    if not counts:
        return None
    known = [clean_name(name) for name in explanation.class_names]
    names = [*known, *map(str, range(len(known), len(counts)))][: len(counts)]
    right, total = sum(line[i] for i, line in enumerate(counts)), sum(map(sum, counts))
    rows = [
        (names[i], [(value, value / sum(line) if sum(line) else 0.0, i == j) for j, value in enumerate(line)])
        for i, line in enumerate(counts)
    ]
    share = f" ({right / total:.1%})" if total else ""
    unlabelled = explanation.num_graphs - total
    rest = f" {count_of(unlabelled, 'other has', 'others have')} no label." if unlabelled > 0 else ""
    words = f"{right:,} of {count_of(total, 'graph')}{share} are predicted as they are labelled.{rest}"
    return {"names": names, "rows": rows, "words": words}


def misled(explanations: Sequence[Explanation]) -> dict[str, Any] | None:
    """The graphs that the model takes for another class, each with the reasons of that class that hold in it."""
    first = explanations[0]
    survey = first.survey
    if not survey.labels:
        return None
    holding: dict[int, list[tuple[str, str, str]]] = {}
    for one in explanations:
        for number, reason in enumerate(one.reasons, start=1):
            words = reason.describe()
            for index in reason.holds_in_indices:
                if survey.predictions[index] == one.target != survey.labels[index]:
                    card = f"class-{one.target}-reason-{number}"
                    holding.setdefault(index, []).append((f"Reason {number}", card, words))
    wrong = [i for i in range(len(survey)) if survey.labels[i] != survey.predictions[i]]
    counts = Counter[tuple[str, str]]()
    for index in wrong:
        target = class_label(survey.predictions[index], first.class_names)
        for name, card, words in holding.get(index, [("", "", "no reason holds")])[:1]:
            counts[f"{target}: {f'{name}: ' if name else ''}{words}", card] += 1
    names = first.class_names
    rows = [
        {
            "index": index,
            "id": place_of(first, index),
            "label": class_label(survey.labels[index], names),
            "prediction": class_label(survey.predictions[index], names),
            "probability": f"{survey.probabilities[index]:.3f}",
            "reasons": holding.get(index, []),
        }
        for index in sorted(wrong, key=lambda index: -survey.probabilities[index])[:MOST_WRONG]
    ]
    return {"total": len(wrong), "rows": rows, "by_reason": counts.most_common()}


def _making(explanations: Sequence[Explanation]) -> list[tuple[str, str, dict[str, str]]]:
    """How it was made: tables with a caption and the classes they are of; what all classes say alike is said once."""
    tables: dict[tuple[str, str], tuple[list[str], dict[str, str]]] = {}
    for caption in ("Options", "Seconds", "Versions"):
        for one in explanations:
            rows = {
                "Options": {str(name): option_text(value) for name, value in one.options.items()},
                "Seconds": {str(stage): f"{seconds:.3g}" for stage, seconds in one.timings.items()},
                "Versions": dict(one.provenance.versions),
            }[caption]
            if rows:
                tables.setdefault((caption, repr(rows)), ([], rows))[0].append(class_title(one))
    several = len(explanations)
    return [
        (caption, ", ".join(names) if len(names) < several else "", rows)
        for (caption, _), (names, rows) in tables.items()
    ]


def option_text(value: Any) -> str:
    """The value of an option; a function by its name.

    >>> option_text("walk"), option_text((1, None)), option_text(count_of)
    ('walk', '(1, None)', 'protograph._utils.words.count_of')
    """
    if isinstance(value, str):
        return value
    name = getattr(value, "__qualname__", None)
    return repr(value) if name is None else f"{value.__module__}.{name}"
