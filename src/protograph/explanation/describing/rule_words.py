"""How a rule bears up, in words: where its reasons hold, how far it agrees with the model, what it leaves open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from protograph._base.words import clean_name, count_of, listed, one_line
from protograph.explanation.describing.sentences import chance, found_in, share_of
from protograph.explanation.rule import Example, Fidelity, Reason, Support

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation

# Graphs that are named where some are not explained.
MOST_GRAPHS = 3


def support_words(reason: Reason, class_name: str) -> str:
    """Where a reason holds: in the class and elsewhere, on the graphs kept apart where there are such.

    >>> half = Support(num_in_class=40, num_class=80, num_elsewhere=0, num_others=40)
    >>> from torch_geometric.data import Data
    >>> from protograph.explanation.pattern import Pattern
    >>> pattern = Pattern(graph=Data(num_nodes=1))
    >>> reason = Reason(has=(pattern,), searched=half, confirming=half, holds_in_indices=tuple(range(80)))
    >>> support_words(reason, "mutagen")
    'holds in 50% of the graphs predicted as mutagen and in none of the others'
    """
    support, where = (reason.support, "") if reason.kept_apart is None else (reason.kept_apart, " kept apart")
    return _holds(support, class_name, where)


def _holds(support: Support, class_name: str, where: str) -> str:
    name = clean_name(class_name)
    own = f"{where} that are predicted as" if where else " predicted as"
    own = f"{own} {'class ' if name.isdigit() else ''}{name}"
    noun, rest = ("other", where) if support.num_class else ("graph", f"{own.replace('predicted', 'not predicted')}")
    parts = [
        found_in(support.num_in_class, support.num_class, "graph", own) if support.num_class else "",
        found_in(support.num_elsewhere, support.num_others, noun, rest) if support.num_others else "",
    ]
    text = " and ".join(part for part in parts if part)
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
        lines.append(f"Reason {number}: {reason_line(reason, explanation)}")
    return [*lines, *agreement_lines(explanation)]


def reason_line(reason: Reason, explanation: "Explanation") -> str:
    """A reason in words, where it holds, and its example."""
    parts = [reason.describe(colors=explanation.feature_colors), support_words(reason, explanation.class_name)]
    if reason.example is not None:
        parts.append(example_words(reason.example, explanation.graph_label(reason.example.source)))
    return "; ".join(parts)


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
