"""The rules of all classes together: which of them is also what no other rule speaks for, and who says too much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph.explanation.rule import fidelity_of_all
from protograph.page.reasons.conditions import ConditionReader
from protograph.page.reasons.drafts import Draft, any_holds
from protograph.page.reasons.scope import Scope


@dataclass(frozen=True, eq=False)
class JointRules:
    """The rule of each class.

    Attributes:
        drafts: The reasons of each class.
        rest: The class that is also meant where no rule of the others holds; ``None`` where there is none.
    """

    drafts: Mapping[int, Sequence[Draft]]
    rest: int | None = None

    def holds(self, reader: ConditionReader, indices: Ints, num_classes: int) -> Bools:
        """For each graph and class whether the rule of the class holds."""
        holds = np.zeros((indices.size, num_classes), np.bool_)
        for target, drafts in self.drafts.items():
            holds[:, target] = any_holds(drafts, reader, indices)
        if self.rest is not None:
            others = [target for target in range(num_classes) if target != self.rest]
            holds[:, self.rest] |= ~holds[:, others].any(axis=1)
        return holds

    def agreement(self, scope: Scope) -> float:
        """How far the rules agree with the model on the graphs that they may be judged by."""
        num_classes = int(scope.predictions.max()) + 1
        holds = self.holds(scope.reader, scope.known, num_classes)
        return float(fidelity_of_all(holds, scope.predictions[scope.known]))


def joined(drafts: Mapping[int, Sequence[Draft]], scope: Scope) -> JointRules:
    """The rules of all classes as they agree best with the model; simpler ones where it makes no difference."""
    best = JointRules(drafts)
    most = best.agreement(scope)
    for target in drafts:
        if not any(own for other, own in drafts.items() if other != target):
            continue  # nothing marks the others, so nothing can be missing
        own = drafts[target][: scope.max_reasons - 1]  # the rest is a reason too
        rules = _without_harm(JointRules({**drafts, target: own}, target), target, scope)
        if (agreement := rules.agreement(scope)) > most + scope.options.least_rest:
            best, most = rules, agreement
    return best


def _without_harm(rules: JointRules, target: int, scope: Scope) -> JointRules:
    """The rules without those reasons of a class that hold where another class's rule is right."""
    agreement = rules.agreement(scope)
    for draft in reversed(list(rules.drafts[target])):
        left = [one for one in rules.drafts[target] if one is not draft]
        fewer = JointRules({**rules.drafts, target: left}, rules.rest)
        if (without := fewer.agreement(scope)) > agreement:
            rules, agreement = fewer, without
    return rules
