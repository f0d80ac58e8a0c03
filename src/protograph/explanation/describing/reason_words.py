"""A reason in words: what a graph has, and what it is without."""

from collections.abc import Sequence

from protograph._base.words import listed
from protograph.explanation.describing.pattern_words import PatternWords, pattern_words
from protograph.explanation.pattern import Pattern
from protograph.explanation.reason import Reason


def reason_words(reason: Reason, colors: Sequence[str] = ()) -> str:
    """Say what must hold of a graph.

    Args:
        reason: The reason.
        colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.
    """
    has = [pattern_words(pattern, colors).present for pattern in reason.has]
    rest = [_rest_words(reason, colors)] if reason.unless else []
    lacks = [
        words
        for pattern in reason.lacks
        if (words := pattern_words(pattern, colors)) and not _is_named(pattern, reason)
    ]
    return ", ".join(part for part in (_together([*has, *rest]), *_without(lacks)) if part)


def _together(parts: Sequence[str]) -> str:
    """Parts that hold at once; with a comma where they have an "and" themselves."""
    is_plain = not any(" and " in part or "," in part for part in parts)
    return listed(parts) if is_plain else ", and ".join(parts)


def _without(lacks: Sequence[PatternWords]) -> list[str]:
    """What is not there: "without a house or a triangle", "with fewer than two triangles"."""
    none = [words.present for words in lacks if words.at_least == 1]
    fewer = [f"with {words.absent}" for words in lacks if words.at_least > 1]
    is_plain = not any("," in part for part in none)
    texts = ["without " + listed(none).replace(" and ", " or ")] if none and is_plain and _have_no_and(none) else []
    return [*(texts or [f"without {text}" for text in none]), *fewer]


def _have_no_and(parts: Sequence[str]) -> bool:
    return not any(" and " in part for part in parts)


def _rest_words(reason: Reason, colors: Sequence[str]) -> str:
    """The special reason, by what marks the others."""
    marks = list(dict.fromkeys(_not_words(other, colors) for other in reason.unless))
    return f"none of what marks the others: {_together(marks)}"


def _not_words(other: Reason, colors: Sequence[str]) -> str:
    if len(other.has) == 1 and not other.lacks:
        return pattern_words(other.has[0], colors).absent
    if len(other.lacks) == 1 and not other.has:
        return pattern_words(other.lacks[0], colors).present
    return f"not at once ({reason_words(other, colors)})"


def _is_named(pattern: Pattern, reason: Reason) -> bool:
    """Whether what marks the others says already that a pattern is lacking."""
    words = pattern_words(pattern)
    alone = [other.has[0] for other in reason.unless if len(other.has) == 1 and not other.lacks]
    return any(pattern_words(one) == words for one in alone)
