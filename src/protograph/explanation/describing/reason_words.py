"""A reason in words: what a graph has, and what it is without."""

from collections.abc import Sequence

from protograph._base.words import counted, listed
from protograph.explanation.describing.pattern_words import PatternWords, pattern_words
from protograph.explanation.pattern import Pattern
from protograph.explanation.rule import Reason


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


def _rest_words(reason: Reason, colors: Sequence[str]) -> str:
    """The special reason, by what marks the others."""
    if not are_marks_named(reason):
        number = len(reason.unless)
        others = f"none of their {counted(number, 'reason')} holds" if number > 1 else "their reason does not hold"
        return f"none of what marks the others: {others}"
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
