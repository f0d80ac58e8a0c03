"""Drafts of reasons: conditions that hold and conditions that do not, and how a set of drafts agrees with the model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.page.reasons.conditions import Condition, ConditionReader


@dataclass(frozen=True)
class Draft:
    """A reason as it is searched for: what graphs have, and what they lack."""

    has: tuple[Condition, ...] = ()
    lacks: tuple[Condition, ...] = ()

    def __len__(self) -> int:
        return len(self.has) + len(self.lacks)

    def holds(self, reader: ConditionReader, indices: Ints) -> Bools:
        """In which of the graphs it holds; a condition is asked only where those before it leave that open."""
        result = np.ones(indices.size, np.bool_)
        for condition, wanted in [*((one, True) for one in self.has), *((one, False) for one in self.lacks)]:
            left = np.flatnonzero(result)
            result[left] = reader.holds(condition, indices[left]) == wanted
        return result

    def without(self, condition: Condition) -> "Draft":
        """The draft with one condition less."""
        return Draft(
            tuple(one for one in self.has if one is not condition),
            tuple(one for one in self.lacks if one is not condition),
        )

    def replaced(self, old: Condition, new: Condition) -> "Draft":
        """The draft with another condition in the place of one."""
        return Draft(
            tuple(new if one is old else one for one in self.has),
            tuple(new if one is old else one for one in self.lacks),
        )


def any_holds(drafts: Sequence[Draft], reader: ConditionReader, indices: Ints) -> Bools:
    """In which of the graphs one of the drafts holds."""
    result = np.zeros(indices.size, np.bool_)
    for draft in drafts:
        left = np.flatnonzero(~result)
        result[left] = draft.holds(reader, indices[left])
    return result


def balanced(holds: Bools, is_class: Bools) -> float:
    """Mean of the share of the class in which a rule holds and that of the others in which it does not."""
    inside, outside = is_class.sum(), (~is_class).sum()
    there = (holds & is_class).sum() / inside if inside else 0.0
    elsewhere = (~holds & ~is_class).sum() / outside if outside else 0.0
    return float(there + elsewhere) / 2
