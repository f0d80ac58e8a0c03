"""How a rule bears up, in words: where its reasons hold, how far it agrees with the model, what it leaves open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from protograph._utils.words import clean_name, count_of, counted, listed, one_line
from protograph.explanation.describing.pattern_words import PatternWords, pattern_words
from protograph.explanation.describing.sentences import chance, share_of, shares_words
from protograph.explanation.pattern import Pattern
from protograph.explanation.rule import Example, Fidelity, Reason

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation


def reason_words(reason: Reason) -> str:
    """Say what must hold of a graph.

    Args:
        reason: The reason.
    """
    has = [pattern_words(pattern).present for pattern in reason.has]
    rest = [_rest_words(reason)] if reason.unless else []
    lacks = [words for pattern in reason.lacks if (words := pattern_words(pattern)) and not _is_named(pattern, reason)]
    return ", ".join(part for part in (_together([*has, *rest]), *_without(lacks)) if part)


# What follows these would read as a part of them.
_OPEN_ENDED = (" and ", ",", " joined ", " whose ", " that ", " where ")


def _are_short(parts: Sequence[str]) -> bool:
    return not any(word in part for part in parts for word in _OPEN_ENDED)


def _together(parts: Sequence[str]) -> str:
    """Parts that hold at once, so that it is clear where each ends."""
    return listed(parts) if _are_short(parts) else ", and also ".join(parts)


def _without(lacks: Sequence[PatternWords]) -> list[str]:
    """What is not there: "without a house or a triangle", "with fewer than two triangles"."""
    none = [words.present for words in lacks if words.at_least == 1]
    fewer = [f"with {words.absent}" for words in lacks if words.at_least > 1]
    if len(none) > 1 and _are_short(none):
        none = [" or ".join([", ".join(none[:-1]), none[-1]])]
    return [*(f"without {text}" for text in none), *fewer]


# Reasons of several patterns that mark the others are named up to so many patterns; of more nobody would know which
# belong together.
_MOST_MARKS = 4


def are_marks_named(reason: Reason) -> bool:
    """Whether what marks the others is simple enough to be said again, pattern by pattern."""
    sizes = [len(other.patterns) for other in reason.unless]
    return max(sizes, default=0) <= 1 or sum(sizes) <= _MOST_MARKS


def _rest_words(reason: Reason) -> str:
    """The special reason, by what marks the others."""
    if not are_marks_named(reason):
        number = len(reason.unless)
        others = f"none of their {counted(number, 'reason')} holds" if number > 1 else "their reason does not hold"
        return f"none of what marks the others: {others}"
    marks = []
    for other in reason.unless:
        if len(other.patterns) == 1:
            words = pattern_words(other.patterns[0])
            marks.append(words.absent if other.has else words.present)
        else:
            marks.append(f"not at once ({reason_words(other)})")
    return f"none of what marks the others: {_together(list(dict.fromkeys(marks)))}"


def _is_named(pattern: Pattern, reason: Reason) -> bool:
    """Whether what marks the others says already that a pattern is lacking."""
    words = pattern_words(pattern)
    alone = [other.has[0] for other in reason.unless if len(other.has) == 1 and not other.lacks]
    return any(pattern_words(one) == words for one in alone)


# Graphs that are named where some are not explained.
MOST_GRAPHS = 3


def support_words(reason: Reason, class_name: str) -> str:
    """Where a reason holds: in the class and elsewhere, on the graphs kept apart where there are such.

    >>> from protograph.explanation.rule import Support
    >>> half = Support(num_in_class=40, num_class=80, num_elsewhere=0, num_others=40)
    >>> from torch_geometric.data import Data
    >>> from protograph.explanation.pattern import Pattern
    >>> pattern = Pattern(graph=Data(num_nodes=1))
    >>> reason = Reason(has=(pattern,), searched=half, confirming=half, holds_in_indices=tuple(range(80)))
    >>> support_words(reason, "mutagen")
    'holds in 50% of the graphs predicted as mutagen and in none of the others'
    """
    support, where = (reason.support, "") if reason.kept_apart is None else (reason.kept_apart, " kept apart")
    text = shares_words(support, clean_name(class_name), where)
    return f"holds {text}" if text else "holds in no graph, as there is none"


def example_words(example: Example, label: str) -> str:
    """Which part of which graph the model predicts as the class.

    Args:
        example: The example.
        label: What its graph is called.
    """
    probability = chance(example.probability)
    if example.is_whole:
        return f"example: the whole of {label}, since the model needs its context ({probability})"
    return f"example: {count_of(len(example.nodes), 'node')} of {label} ({probability})"


def fidelity_words(fidelity: Fidelity) -> str:
    """A fidelity with its interval, and what it is of.

    >>> fidelity_words(Fidelity([45, 18], [50, 20]))
    '0.900 (95%: 0.785 to 0.946) on 70 graphs kept apart'
    """
    graphs = count_of(fidelity.num_graphs, "graph")
    return f"{fidelity:.3f} (95%: {fidelity.low:.3f} to {fidelity.high:.3f}) on {graphs} kept apart"


def curve_words(curve: Sequence[Fidelity]) -> str:
    """The fidelity with one reason, with two, ...; nothing for a single one.

    >>> curve_words([Fidelity([1], [2]), Fidelity([2], [2])])
    'with 1 reason 0.500, with 2 reasons 1.000'
    """
    if len(curve) < 2:
        return ""
    return ", ".join(f"with {count_of(number, 'reason')} {one:.3f}" for number, one in enumerate(curve, start=1))


def rule_lines(explanation: "Explanation") -> list[str]:
    """The lines of a summary on reasons: rule, reasons, fidelity and what is not explained; none without reasons."""
    if explanation.rule is None:
        return []
    lines = [f"Rule: {explanation.rule}." if explanation.reasons else "No reason was found."]
    for number, reason in enumerate(explanation.reasons, start=1):
        parts = [reason.describe(), support_words(reason, explanation.class_name)]
        if reason.example is not None:
            parts.append(example_words(reason.example, explanation.graph_label(reason.example.source)))
        lines.append(f"Reason {number}: {'; '.join(parts)}")
    return [*lines, *agreement_lines(explanation)]


def agreement_lines(explanation: "Explanation") -> list[str]:
    """How far the rule agrees with the model, and what it does not explain."""
    return [line for line in (_fidelity_line(explanation), _open_line(explanation)) if line]


def _fidelity_line(explanation: "Explanation") -> str:
    fidelity, without = explanation.fidelity, explanation.fidelity_without_rest
    if fidelity is None:
        return f"No fidelity: {one_line(explanation.fidelity_note)}." if explanation.fidelity_note else ""
    has_rest = any(reason.is_rest for reason in explanation.reasons) and without is not None
    parts = [
        f"Fidelity of this class against the rest: {fidelity_words(fidelity)}",
        curve_words(explanation.fidelity_curve),
        f"without what marks the others {without:.3f}" if has_rest else "",
    ]
    return f"{'; '.join(part for part in parts if part)}."


def _open_line(explanation: "Explanation") -> str:
    uncovered, differing = len(explanation.uncovered), len(explanation.disagreements)
    if not differing:
        return "Rule and model agree on every graph given."
    parts = []
    if uncovered:
        labels = [explanation.graph_label(index) for index in explanation.typical_uncovered[:MOST_GRAPHS]]
        such = f", such as {listed(labels)}" if labels else ""
        share = share_of(uncovered, explanation.num_predicted)
        parts.append(f"no reason holds in {share} of its graphs ({uncovered:,} of {explanation.num_predicted:,}{such})")
    others = differing - uncovered
    if others:
        num_others = explanation.num_graphs - explanation.num_predicted
        parts.append(f"one holds in {share_of(others, num_others)} of the others ({others:,} of {num_others:,})")
    return f"Not explained: {'; '.join(parts)}."
