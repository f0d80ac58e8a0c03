"""What a rule can do without: conditions, exactness and whole reasons that hardly make it agree better with the model.

A model errs here and there, and a rule that follows it there says more than what the class is about.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from protograph.page.reasons.conditions import Condition
from protograph.page.reasons.drafts import Draft


def simplified(drafts: Sequence[Draft], accuracy: Callable[[list[Draft]], float], loss: float) -> list[Draft]:
    """Drafts without what they do not need.

    Args:
        drafts: The reasons of a class.
        accuracy: How far drafts agree with the model.
        loss: Accuracy that may be lost in one step, and twice that in all.
    """
    rule = list(drafts)
    now = accuracy(rule)
    least = now - 2 * loss
    while True:
        rivals = [(accuracy(simpler), simpler) for simpler in _simpler_rules(rule)]
        best = max(rivals, key=lambda rival: rival[0], default=None)
        if best is None or best[0] < max(now - loss, least):
            return rule
        now, rule = best


def _simpler_rules(rule: list[Draft]) -> Iterator[list[Draft]]:
    """The rule with a reason less, or with a simpler one in its place."""
    for place, draft in enumerate(rule):
        others = [*rule[:place], *rule[place + 1 :]]
        if others:
            yield others
        for simpler in _simpler_drafts(draft):
            if simpler not in others:
                yield [*rule[:place], simpler, *rule[place + 1 :]]


def _simpler_drafts(draft: Draft) -> Iterator[Draft]:
    for condition in (*draft.lacks, *draft.has):
        if len(draft) > 1:
            yield draft.without(condition)
        for plainer in _plainer(condition):
            yield draft.replaced(condition, plainer)


def _plainer(condition: Condition) -> Iterator[Condition]:
    """A condition that says less of how its pattern lies in a graph."""
    if condition.closed:
        yield replace(condition, closed=frozenset())
    if condition.is_induced:
        yield replace(condition, is_induced=False)
    if condition.at_least > 1:
        yield replace(condition, at_least=1)
