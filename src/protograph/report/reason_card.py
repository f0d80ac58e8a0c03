"""A class's reasons as a part of the report: the rule, a card a reason, and what the rule does not explain."""

from protograph._base.words import count_of
from protograph.explanation import Explanation, Fidelity, Reason
from protograph.explanation.describing.rule_words import agreement_lines, curve_words, example_words, fidelity_words
from protograph.explanation.describing.sentences import FEW, interval_of, share_of
from protograph.report.figure import classes_figure
from protograph.report.html import columns, details, escape, facts, picture
from protograph.report.palette import Palette
from protograph.report.reason_scene import ReasonScene
from protograph.report.scene import ClassScenes
from protograph.report.sheet import figure_bytes
from protograph.report.words import class_title

# Graphs that are listed where rule and model part.
MOST_LISTED = 200
RING_NOTE = "Ringed nodes have no other neighbours."
LACKING_NOTE = "What is red behind is not to be there."
EXAMPLE_NOTE = "In the example the patterns are marked, and what carries them is paler."


def rule_box(explanation: Explanation) -> str:
    """The rule in words with its fidelity, for the top of a class; nothing where reasons were not looked for."""
    if explanation.is_rule_of_prototypes:
        return ""
    rule = explanation.rule or "No reason was found."
    lines = "".join(f"<p>{escape(line)}</p>" for line in agreement_lines(explanation))
    return f'<div class="rule"><p class="sentence"><strong>Rule:</strong> {escape(rule)}</p>{lines}</div>'


def reason_cards(of_class: ClassScenes, palette: Palette) -> str:
    """A card for each reason, and what is not explained."""
    explanation = of_class.explanation
    cards = [_card(explanation, scene, palette) for scene in of_class.reasons]
    return "\n".join([*cards, _left_open(explanation)])


def _card(explanation: Explanation, scene: ReasonScene, palette: Palette) -> str:
    reason = scene.reason
    own = _facts(explanation, reason, scene.number)
    words = reason.describe(colors=explanation.feature_colors)
    drawing = classes_figure([ClassScenes(explanation, (), (scene,))], palette=palette, with_titles=False)
    alt = f"Reason {scene.number} of {class_title(explanation)}: {words}"
    return "\n".join(
        [
            '<article class="reason">',
            f"<h3>Reason {scene.number}: {escape(words)}</h3>",
            picture(figure_bytes(drawing, ".svg"), ".svg", alt, caption=_note(scene)),
            f'<div class="beside">{_support_table(reason)}{facts(own, "Its place in the rule") if own else ""}</div>',
            "</article>",
        ]
    )


def _note(scene: ReasonScene) -> str:
    left_out = scene.num_patterns - len(scene.patterns)
    parts = [
        RING_NOTE if any(one.view.rings for one in scene.patterns) else "",
        LACKING_NOTE if any(one.is_lacking for one in scene.patterns) else "",
        EXAMPLE_NOTE if scene.example is not None and scene.example.part is not None else "",
        f"{count_of(left_out, 'further pattern')} not drawn." if left_out else "",
    ]
    return " ".join(part for part in parts if part)


def _support_table(reason: Reason) -> str:
    parts = {
        "Searched": reason.searched,
        "Confirming": reason.confirming,
        "Kept apart": reason.kept_apart,
        "All": reason.support,
    }
    shown = {name: support for name, support in parts.items() if support is not None}
    return columns(
        {
            "Graphs in which it holds": list(shown),
            "Of the class": [_share(one.num_in_class, one.num_class) for one in shown.values()],
            "Of others": [_share(one.num_elsewhere, one.num_others) for one in shown.values()],
        }
    )


def _share(number: int, total: int) -> str:
    if not total:
        return "-"
    share = share_of(number, total) if total >= FEW else interval_of(number, total)
    return f"{number:,} of {total:,} ({share})"


def _facts(explanation: Explanation, reason: Reason, number: int) -> dict[str, str]:
    curve, example = explanation.fidelity_curve, reason.example
    nodes = "" if example is None or example.is_whole else ", ".join(map(str, example.nodes))
    rows = {
        "Fidelity": _fidelity_with(curve, number),
        "Example": (
            "" if example is None else example_words(example, explanation.graph_label(example.source))
        ).removeprefix("example: "),
        "Its nodes there": nodes,
    }
    return {name: value for name, value in rows.items() if value}


def _fidelity_with(curve: tuple[Fidelity, ...], number: int) -> str:
    if number > len(curve):
        return ""
    which = "by itself" if number == 1 else f"with reasons 1 to {number}"
    return f"{fidelity_words(curve[number - 1])}, {which}"


def _left_open(explanation: Explanation) -> str:
    """The graphs that the rule does not explain, folded up; nothing where it agrees with the model on all."""
    uncovered = set(explanation.uncovered)
    others = [index for index in explanation.disagreements if index not in uncovered]
    if not uncovered and not others:
        return ""
    typical = ", ".join(map(explanation.graph_label, explanation.typical_uncovered))
    rows = {
        "Fidelity": curve_words(explanation.fidelity_curve),
        "Most typical without a reason": typical,
        "Of the class, without a reason": _listed(explanation, sorted(uncovered)),
        "Of others, with a reason": _listed(explanation, others),
    }
    return details("Graphs for which rule and model part", facts({k: v for k, v in rows.items() if v}, "By index"))


def _listed(explanation: Explanation, indices: list[int]) -> str:
    shown = ", ".join(
        str(explanation.origins[index].position if index in explanation.origins else index)
        for index in indices[:MOST_LISTED]
    )
    left = len(indices) - MOST_LISTED
    return f"{shown} and {left:,} more" if left > 0 else shown
