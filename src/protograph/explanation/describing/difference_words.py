"""The difference of two explanations in words, for a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from protograph._base.words import class_label, count_of, one_line
from protograph.explanation.changes import CAME, SAME, WENT, Change, ClassDifference, GraphChange

if TYPE_CHECKING:
    from protograph.explanation.difference import Difference
    from protograph.explanation.fidelity import Fidelity

NUM_SHOWN = 10
FEW_GRAPHS = 3
NO_REASON = "no reason"


def difference_text(difference: "Difference", most: int = NUM_SHOWN) -> str:
    """Class by class what came, went and changed, and then the graphs that did, at most so many of each kind."""
    parts = ["\n".join(_class(one, difference.class_names)) for one in difference.classes]
    parts.append("\n".join(_graphs(difference, most)))
    return "\n\n".join([*parts, *(f"Note: {one_line(note)}." for note in difference.notes)])


def _class(one: ClassDifference, names: Sequence[str]) -> Iterator[str]:
    yield f"{class_label(one.target, names).capitalize()}: {class_facts(one)}"
    for change in one.changes:
        if change.status != SAME:
            yield f"  {change.status:<8} {change_words(change)}"
    same = [change for change in one.changes if change.status == SAME]
    counts = {what: sum(change.what == what for change in same) for what in ("reason", "prototype")}
    kept = [count_of(number, what) for what, number in counts.items() if number]
    yield f"  {SAME:<8} {', '.join(kept) or 'nothing'}"


def class_facts(one: ClassDifference) -> str:
    """How many graphs are predicted as the class, and the fidelity of its rule, before and after."""
    graphs = " -> ".join("not explained" if number is None else f"{number:,}" for number in one.num_predicted)
    fidelities = " -> ".join(_fidelity(fidelity) for fidelity in one.fidelity)
    return f"{graphs} graphs predicted as it" + ("" if fidelities == "- -> -" else f"; fidelity {fidelities}")


def _fidelity(fidelity: "Fidelity | None") -> str:
    return "-" if fidelity is None else f"{fidelity:.3f} [{fidelity.low:.3f}, {fidelity.high:.3f}]"


def change_words(change: Change) -> str:
    """A change in one line: what it is of, in which share of the class and elsewhere, and what is nearest to it."""
    number = _number(change)
    return f"{change.what} {number}: {change.words}; {shares(change)}{nearest(change)}"


def _number(change: Change) -> str:
    numbers = [one.number for one in (change.after, change.before) if one is not None]
    return str(numbers[0]) if len(set(numbers)) == 1 else f"{numbers[0]} (was {numbers[1]})"


def shares(change: Change) -> str:
    """In which share of the class and elsewhere it is, before and after."""
    both = [one for one in (change.before, change.after) if one is not None]
    inside = " -> ".join(percent(one.share) for one in both)
    elsewhere = " -> ".join(percent(one.share_elsewhere) for one in both)
    return f"{inside} of the class, {elsewhere} elsewhere"


def nearest(change: Change) -> str:
    """What plays its part in the other explanation, if anything does."""
    if not change.nearest:
        return ""
    when = {CAME: "before", WENT: "now"}[change.status]
    return f"; {when}, in {percent(change.overlap)} of the same graphs: {change.nearest}"


def percent(share: float | None) -> str:
    """A share in percent, a dash where it is not known.

    >>> percent(0.125), percent(None), percent(0.9999)
    ('12.5%', '-', '100%')
    """
    return "-" if share is None else f"{100 * share:.3g}%"


def alike(graphs: Sequence[GraphChange]) -> list[list[GraphChange]]:
    """Graphs that changed in the same way together; another prediction goes first, then the most graphs do."""
    together: dict[object, list[GraphChange]] = {}
    for one in graphs:
        together.setdefault((one.predictions, one.reasons), []).append(one)
    return sorted(together.values(), key=lambda some: (not some[0].is_predicted_otherwise, -len(some)))


def _graphs(difference: "Difference", most: int) -> Iterator[str]:
    total = count_of(difference.num_common, "graph")
    otherwise = [one for one in difference.graphs if one.is_predicted_otherwise]
    others = [one for one in difference.graphs if not one.is_predicted_otherwise]
    if not difference.graphs:
        yield f"Every one of the {total} has the same prediction and the same reason."
    for some, what in ((otherwise, "another prediction"), (others, "the same prediction for another reason")):
        if some:
            yield f"{len(some):,} of the {total} {'has' if len(some) == 1 else 'have'} {what}:"
            several = alike(some)
            yield from (f"  {graph_words(these, difference.class_names)}" for these in several[:most])
            if left := sum(map(len, several[most:])):
                yield f"  and {left:,} more"


def graph_words(alike: Sequence[GraphChange], names: Sequence[str]) -> str:
    """Graphs that changed in the same way: how many, their prediction and reason, before and after, and a few names."""
    one, labels = alike[0], [change.label for change in alike[:FEW_GRAPHS]]
    first, second = (class_label(target, names) for target in one.predictions)
    classes = f"{first} -> {second}" if one.is_predicted_otherwise else first
    reasons = " -> ".join(reason or NO_REASON for reason in one.reasons)
    return f"{len(alike):,}  {classes}: {reasons}; {', '.join(labels)}{', ...' if len(alike) > len(labels) else ''}"
