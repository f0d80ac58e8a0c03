import re
from dataclasses import dataclass

import numpy as np
import pytest
import torch

import protograph as pg
from protograph.testing import ContractError, check_explainer
from tests.testing.broken import Sound

pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


@dataclass(kw_only=True, eq=False)
class StoresOther(Sound):
    def __post_init__(self):
        self.max_nodes += 1


@dataclass(kw_only=True, eq=False)
class LearnsEarly(Sound):
    def __post_init__(self):
        self.table_ = {}


class NeverFitted(Sound):
    def explain(self, target):
        return None


class ByChance(Sound):
    def find(self, target):
        return [(index, range(4)) for index in np.random.choice(self.members(target), size=3)]


@dataclass(kw_only=True, eq=False)
class Secretive(Sound):
    """Its result depends on what its options do not say."""

    def __post_init__(self):
        self._first = getattr(type(self), "_count", 0)
        type(self)._count = self._first + 1

    def find(self, target):
        return [(self.members(target)[self._first % 7], [0, 1])]


class Remembers(Sound):
    def find(self, target):
        if not hasattr(self, "_found"):
            self._found = [(0, [0, 1])]
        else:
            self._found = [(1, [0, 1, 2])]
        return self._found


class KeepsModel(Sound):
    def fit(self, model, graphs, **options):
        self._given = model
        return super().fit(model, graphs, **options)


class Trains(KeepsModel):
    def find(self, target):
        with torch.no_grad():
            self._given.head.bias.add_(1.0)
        return super().find(target)


class Wakes(KeepsModel):
    def explain(self, target):
        explanation = super().explain(target)
        self._given.train()
        return explanation


class Reseeds(Sound):
    def explain(self, target):
        np.random.seed(0)
        return super().explain(target)


class Hooks(KeepsModel):
    def explain(self, target):
        self._given.head.register_forward_hook(lambda *_: None)
        return super().explain(target)


class Grades(KeepsModel):
    def explain(self, target):
        self._given.head.bias.grad = torch.zeros(2)
        return super().explain(target)


class Spoils(Sound):
    def fit(self, model, graphs, **options):
        graphs[3].x.zero_()
        return super().fit(model, graphs, **options)


class OneClass(Sound):
    def explain_all(self):
        return pg.Explanations({0: self.explain(0)})


class TakesAnything(Sound):
    def explain(self, target):
        return super().explain(0)


class SaysNothing(Sound):
    def explain(self, target):
        try:
            return super().explain(target)
        except ValueError:
            raise ValueError("no") from None


class Overdone(Sound):
    def find(self, target):
        self.tell("searching", 3, 2)
        return super().find(target)


class Divides(Sound):
    def explain(self, target):
        return 1 / int((self.predictions_ == target).sum()) and super().explain(target)


BROKEN = {
    "constructor_stores_options": [
        (StoresOther, "wanted the constructor to store max_nodes as given, 5, got 6"),
        (LearnsEarly, "wanted nothing that is learned, with a name that ends in _, before fit, got table_"),
    ],
    "before_fit_is_an_error": [(NeverFitted, "wanted explain before fit to raise NotFittedError, got a NoneType")],
    "same_seed_same_result": [(ByChance, "wanted the same prototypes from the same options, model and graphs, got ")],
    "options_make_it_again": [(Secretive, "wanted the same prototypes from the options that were saved, got as ")],
    "second_fit_forgets_the_first": [(Remembers, "wanted after a second fit what a new explainer gives, got as ")],
    "all_is_left_as_found": [
        (Trains, "wanted the model's head.bias as it was, got other values"),
        (Wakes, "wanted every module in the mode it was in, got another"),
        (Reseeds, "wanted the global generator of numpy as it was, got another state"),
        (Hooks, "wanted no hooks left on the model, got some on head"),
        (Grades, "wanted no gradients left in the model, got one of head.bias"),
        (Spoils, "wanted graph 3 as it was given to fit, got other entries"),
    ],
    "every_predicted_class_is_explained": [
        (OneClass, "wanted explain_all to explain the predicted classes [0, 1, 2, 3], got [0]"),
        (TakesAnything, "wanted explanations of the class they are under, got {0: 0, 1: 0, 2: 0, 3: 0}"),
    ],
    "bad_targets_are_errors": [
        (TakesAnything, "wanted explain(2) of a model with 2 classes to raise ValueError, got an Explanation"),
        (SaysNothing, "wanted explain(2) of a model with 2 classes to say 'target must be ...', got 'no'"),
    ],
    "class_without_graphs_is_left_out": [
        (
            Divides,
            "wanted ValueError or an explanation of class 1, which no graph is predicted as, got ZeroDivisionError: "
            "division by zero",
        ),
        (OneClass, "wanted not_explained to say why class 1 is not explained, got {}"),
    ],
    "progress_is_told": [
        (Overdone, "wanted progress as (stage, done, total), with done at most total, got ('searching', 3, 2)")
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("check", "broken", "message"),
    [pytest.param(check, *case, id=case[0].__name__) for check, cases in BROKEN.items() for case in cases],
)
def test_each_check_can_fail_and_says_what_came(check, broken, message):
    with pytest.raises(ContractError, match=rf"\n  {check}: {re.escape(message)}"):
        check_explainer(broken, checks=[check])


def test_an_explainer_without_a_word_of_progress_is_noticed():
    class Silent(Sound):
        def fit(self, model, graphs, progress=None, **options):
            return super().fit(model, graphs, **options)

    with pytest.raises(ContractError, match=r"wanted progress of fit and of explain_all, got the stages \[\]$"):
        check_explainer(Silent, checks=["progress_is_told"])


def test_every_check_is_shown_to_fail():
    from protograph.testing import CHECKS
    from tests.testing import test_result_checks

    assert set(CHECKS) == {*BROKEN, *test_result_checks.BROKEN}
