"""What to doubt: of the model, of the explanation, and patterns that look like a shortcut."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from protograph._utils.words import class_label, count_of
from protograph.explanation import Explanation, Reason
from protograph.explanation.describing.sentences import share_of, taken_for

# A class of which the model recognises fewer is one that it does not know.
KNOWN_RECALL = 0.5
# Graphs of a class without a reason that are worth a word.
OPEN_SHARE = 0.05
# A shortcut: the model tells classes apart by it at least so far, and labels by no more than the share of that.
LEAST_GAP, LABEL_SHARE = 0.3, 0.25
# A rule that is right for fewer says little.
LEAST_FIDELITY = 0.8


@dataclass(frozen=True)
class Doubt:
    """A doubt in words; where to look for more, an anchor of the page, and whether it puts all else in question."""

    text: str
    link: str = ""
    is_grave: bool = False


def doubts_about(explanations: Sequence[Explanation], not_explained: Mapping[int, str]) -> list[Doubt]:
    """All doubts, the gravest first."""
    names = explanations[0].class_names
    grave = [Doubt(text, is_grave=True) for text in dict.fromkeys(d for one in explanations for d in one.doubts)]
    missing = [
        Doubt(f"{class_label(target, names).capitalize()} is not explained: {reason}", is_grave=True)
        for target, reason in not_explained.items()
    ]
    # Classes that the model does not recognise in graphs labelled so.
    unknown = [
        Doubt(
            f"The model does not know {class_label(label, names)} well: of {count_of(total, 'graph')} labelled so it "
            f"predicts {share_of(row[label], total)} as such",
            "#errors",
            is_grave=True,
        )
        for label, row in enumerate(explanations[0].survey.confusion or ())
        if (total := sum(row)) and row[label] < KNOWN_RECALL * total
    ]
    return [*grave, *missing, *unknown, *(doubt for one in explanations for doubt in _of_class(one))]


def _of_class(explanation: Explanation) -> list[Doubt]:
    name, target = class_label(explanation.target, explanation.class_names), explanation.target
    doubts = []
    for number, prototype in enumerate(explanation.prototypes, start=1):
        if words := taken_for(prototype, explanation.class_names):
            doubts.append(Doubt(f"Prototype {number} of {name}: {words}", f"#class-{target}-prototype-{number}"))
    fidelity = explanation.fidelity
    if fidelity is not None and fidelity < LEAST_FIDELITY:
        doubts.append(Doubt(f"The rule of {name} is far from the model: fidelity {fidelity:.3f}", f"#class-{target}"))
    uncovered = len(explanation.uncovered)
    if uncovered and uncovered >= OPEN_SHARE * explanation.num_predicted:
        share = share_of(uncovered, explanation.num_predicted)
        doubts.append(Doubt(f"No reason covers {share} of the graphs predicted as {name}", f"#class-{target}"))
    for number, reason in enumerate(explanation.reasons, start=1):
        if words := shortcut(explanation, reason):
            doubts.append(Doubt(f"Reason {number} of {name} {words}", f"#class-{target}-reason-{number}"))
    return doubts


def shortcut(explanation: Explanation, reason: Reason) -> str:
    """Why a reason looks like a shortcut; nothing where it does not, or labels are not known."""
    survey = explanation.survey
    if not survey.labels or explanation.rule is None:
        return ""
    holds = np.zeros(len(survey), np.bool_)
    holds[list(reason.holds_in_indices)] = True
    is_label = np.array(survey.labels) == explanation.target
    is_class = np.array(survey.predictions) == explanation.target
    if not (is_label.any() and (~is_label).any() and is_class.any() and (~is_class).any()):
        return ""
    gap = float(holds[is_class].mean() - holds[~is_class].mean())
    own, other = float(holds[is_label].mean()), float(holds[~is_label].mean())
    if gap < LEAST_GAP or own - other > LABEL_SHARE * gap:
        return ""
    return (
        f"looks like a shortcut: it decides the class for the model, and yet it holds in {own:.0%} of the graphs "
        f"labelled so and in {other:.0%} of the others"
    )
