"""The scores of a run as text: a table a class, a row a prototype, and below it in words what a figure lacks."""

from collections.abc import Iterator, Sequence

from protograph._base.words import class_label, count_of
from protograph.cli.tables import table, wrapped
from protograph.evaluation.evaluation import ClassScores, PrototypeScores
from protograph.explanation import Fidelity
from protograph.models.performance import doubts_box

HEADER = ("prototype", "p", "margin", "accuracy", "density", "support", "elsewhere", "lift", "margin share", "molecule")
NAMES = {
    "support_elsewhere": "elsewhere",
    "margin_share": "margin share",
    "gain_area": "gain area",
}


def scores_text(
    scores: Sequence[ClassScores],
    class_names: Sequence[str],
    where: str,
    doubts: Sequence[str] = (),
    fidelity: Fidelity | None = None,
) -> str:
    """All scores of a run.

    Args:
        scores: The scores of each class.
        class_names: Names of all classes.
        where: Which graphs support, elsewhere and coverage are of.
        doubts: Reasons to doubt that the model has learned anything.
        fidelity: That of the rules of all classes together.
    """
    box = doubts_box(doubts).splitlines() if doubts else []
    above = [line for long in box for line in wrapped(long, "!!     ")]
    parts = [*([above] if above else []), *(_of_class(one, class_names) for one in scores)]
    right = [one.accuracy for one in scores if one.accuracy is not None]
    if right:
        mean = sum(right) / len(right)
        parts.append([f"accuracy of the data set, the mean over its classes with a ground truth: {mean:.3f}"])
    if fidelity is not None and len(scores) > 1:
        parts.append([f"fidelity of all rules together: {fidelity:.3f} [{fidelity.low:.3f}, {fidelity.high:.3f}]"])
    notes = [
        f"support, elsewhere, lift, coverage, overlap, gain area and fidelity are of {where}",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing the same",
    ]
    prototypes = [prototype for one in scores for prototype in one.prototypes]
    if any(one.truth_probability is not None for one in prototypes):
        notes.append("truth: the ground truth that counts, given to the model by itself")
    if any(one.sources_probability is not None for one in prototypes):
        notes.append("sources: the mean over the graphs that the prototype was cut from or matched with")
    if any(one.is_exact is False for one in prototypes):
        notes.append("accuracy with ?: the best that was found, not proven to be the best there is")
    parts.append([line for note in notes for line in wrapped(note)])
    return "\n\n".join("\n".join(part) for part in parts)


def _of_class(scores: ClassScores, class_names: Sequence[str]) -> list[str]:
    title = class_label(scores.target, class_names)
    accuracy = "" if scores.accuracy is None else f": accuracy {scores.accuracy:.3f}"
    own = []
    for name in ("coverage", "overlap", "gain_area"):
        value, low, high = getattr(scores, name)
        shown = "-" if name in scores.missing else f"{value:.3f} [{low:.3f}, {high:.3f}]"
        own.append(f"{NAMES.get(name, name)} {shown}")
    rows = [HEADER, *(row for number, one in enumerate(scores.prototypes, start=1) for row in _rows(number, one))]
    return [
        f"{title}{accuracy}",
        f"  {', '.join(own)}",
        f"  {_fidelity(scores)}",
        *(table(rows) if scores.prototypes else ["no prototype was found"]),
        *_why_missing(scores),
    ]


def _fidelity(scores: ClassScores) -> str:
    """How well the rule of the class tells it from the rest, and what the rule is made of."""
    value, low, high = scores.fidelity
    rule = "contains one of the prototypes"
    if scores.num_reasons is not None:
        rule = f"{count_of(scores.num_reasons, 'reason')} of {count_of(scores.num_patterns, 'pattern')}"
    return f"fidelity {value:.3f} [{low:.3f}, {high:.3f}]; rule: {rule}"


def _rows(number: int, one: PrototypeScores) -> Iterator[tuple[str, ...]]:
    """The row of a prototype, and below it those of its ground truth and of its sources, as far as there are any."""
    accuracy = "-" if one.accuracy is None else f"{one.accuracy:.3f}{'' if one.is_exact else '?'}"
    yield (
        str(number),
        f"{one.probability:.4f}",
        f"{one.margin:.2f}",
        accuracy,
        f"{one.density:.3f}",
        _figure(one.support, 3),
        _figure(one.support_elsewhere, 3),
        _figure(one.lift, 1),
        _figure(one.margin_share, 2),
        {None: "-", True: "valid", False: "not valid"}[one.is_valid],
    )
    truth = "  truth" if len(one.accuracies) < 2 else f"  truth {(one.truth or 0) + 1} of {len(one.accuracies)}"
    beside = {
        truth: (one.truth_probability, one.truth_margin, one.truth_density),
        "  sources": (one.sources_probability, one.sources_margin, None),
    }
    for name, (probability, margin, density) in beside.items():
        cells = (_figure(probability, 4), _figure(margin, 2), "", _figure(density, 3))
        if any(cell not in ("", "-") for cell in cells):
            yield (name, *(cell.replace("-", "") if cell == "-" else cell for cell in cells), *[""] * 5)


def _figure(value: float | None, digits: int) -> str:
    if value is None:
        return "-"
    return f"{value:,.{digits}f}" if abs(value) < 1e6 else f"{value:.0e}" if value != float("inf") else "inf"


def _why_missing(scores: ClassScores) -> Iterator[str]:
    """Every figure that is not there, or not finite, with its reason; prototypes with the same one are one line."""
    reasons: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(scores.prototypes, start=1):
        for name, reason in one.missing.items():
            reasons.setdefault((name, reason), []).append(number)
    for name, reason in scores.missing.items():
        yield from wrapped(f"  no {NAMES.get(name, name)}: {reason}", "    ")
    for (name, reason), numbers in reasons.items():
        # An infinite lift is a figure, and what it means is said.
        is_there = all(getattr(scores.prototypes[number - 1], name) is not None for number in numbers)
        which = f"of {', '.join(map(str, numbers))}" if len(numbers) < len(scores.prototypes) else ""
        start = f"{NAMES.get(name, name)} inf" if is_there else f"no {NAMES.get(name, name)}"
        yield from wrapped(f"  {start}{' ' if which else ''}{which}: {reason}", "    ")
