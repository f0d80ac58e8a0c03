"""Checks of how an explainer is made, fitted and asked: what it stores, what it leaves alone, what it refuses."""

import copy
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from protograph._base.errors import NotFittedError
from protograph._base.randomness import preserved_random_state, seed_generators
from protograph.explanation.storage import load
from protograph.testing.cases import small_model
from protograph.testing.subject import ContractError, Subject, difference, of_most, owed


def constructor_stores_options(subject: Subject) -> None:
    """Options are kept under their names, as they were given, and nothing else is done before fit."""
    explainer = subject.made()
    options = dict(explainer._options())
    again = dict(type(explainer)(**options)._options())
    for name, value in options.items():
        owed(again[name] == value, f"the constructor to store {name} as given, {value!r}", repr(again[name]))
    learned = [name for name in vars(explainer) if name.endswith("_") and not name.startswith("_")]
    owed(not learned, "nothing that is learned, with a name that ends in _, before fit", ", ".join(learned))


def before_fit_is_an_error(subject: Subject) -> None:
    """To explain before fit is a NotFittedError."""
    _raises(NotFittedError, lambda: subject.made().explain(0), "explain before fit")


def same_seed_same_result(subject: Subject) -> None:
    """The same options, model and graphs give the same prototypes, whatever the global generators are at."""
    with preserved_random_state():
        seed_generators(1)
        first = of_most(subject.fitted(random_state=3))
        seed_generators(2)
        second = of_most(subject.fitted(random_state=3))
    differing = difference(first, second)
    owed(not differing, "the same prototypes from the same options, model and graphs", differing)


def options_make_it_again(subject: Subject) -> None:
    """The options that are saved with a result make an explainer that gives the same result."""
    explanation = subject.explained()
    with tempfile.TemporaryDirectory() as folder:
        explanation.save(Path(folder) / "explanation.json")
        saved: Any = load(Path(folder) / "explanation.json")
    again = type(subject.made())(**saved.options).fit(small_model(), subject.graphs)
    differing = difference(explanation, again.explain(explanation.target))
    owed(not differing, "the same prototypes from the options that were saved", differing)


def second_fit_forgets_the_first(subject: Subject) -> None:
    """What was learned is replaced as a whole by the next fit."""
    others = subject.graphs[::2]
    explainer = subject.fitted(small_model("gin"))
    of_most(explainer)
    again = of_most(explainer.fit(small_model(), others))
    differing = difference(of_most(subject.fitted(graphs=others)), again)
    owed(not differing, "after a second fit what a new explainer gives", differing)


def all_is_left_as_found(subject: Subject) -> None:
    """Weights, modes, gradients and hooks of the model, the graphs, and the global generators."""
    model = small_model().train()
    model.first.eval()
    weights = copy.deepcopy(model.state_dict())
    modes = [module.training for module in model.modules()]
    tensors = [{key: value.clone() for key, value in graph.to_dict().items()} for graph in subject.graphs]
    with preserved_random_state():
        seed_generators(5)
        states = _generator_states()
        of_most(subject.fitted(model))
        for name, before, after in zip(("torch", "numpy", "random"), states, _generator_states(), strict=True):
            owed(before == after, f"the global generator of {name} as it was", "another state")
    for name, value in model.state_dict().items():
        owed(torch.equal(value, weights[name]), f"the model's {name} as it was", "other values")
    owed([module.training for module in model.modules()] == modes, "every module in the mode it was in", "another")
    graded = [name for name, weight in model.named_parameters() if weight.grad is not None]
    owed(not graded, "no gradients left in the model", f"one of {', '.join(graded)}")
    hooks = [name for name, one in model.named_modules() if one._forward_hooks or one._forward_pre_hooks]
    owed(not hooks, "no hooks left on the model", f"some on {', '.join(hooks)}")
    for number, (graph, before) in enumerate(zip(subject.graphs, tensors, strict=True)):
        now: dict[str, Any] = graph.to_dict()
        is_same = now.keys() == before.keys() and all(torch.equal(now[key], before[key]) for key in before)
        owed(is_same, f"graph {number} as it was given to fit", "other entries")


def every_predicted_class_is_explained(subject: Subject) -> None:
    """A class at a time, each under its own number, in models with more than two classes too."""
    explainer = subject.fitted(small_model(num_classes=4))
    wanted = sorted(set(explainer.predictions_.tolist()))
    found = explainer.explain_all()
    owed(list(found) == wanted, f"explain_all to explain the predicted classes {wanted}", list(found))
    targets = {target: one.target for target, one in found.items()}
    owed(all(target == one for target, one in targets.items()), "explanations of the class they are under", targets)


def bad_targets_are_errors(subject: Subject) -> None:
    """A target that is no class is an error whose message begins with the argument."""
    explainer = subject.fitted()
    bad: tuple[tuple[Any, type[Exception]], ...] = (
        (2, ValueError),
        (-1, ValueError),
        (True, TypeError),
        ("a", TypeError),
    )
    for target, error in bad:
        asked = f"explain({target!r}) of a model with 2 classes"
        message = _raises(error, partial(explainer.explain, target), asked)
        owed(message.startswith("target must be"), f"{asked} to say 'target must be ...'", repr(message))


def class_without_graphs_is_left_out(subject: Subject) -> None:
    """A class that no graph is predicted as: explain_all says that it has none, explain may still generate some."""
    model = small_model()
    with torch.no_grad():
        model.head.bias[1] -= 1e6
    explainer = subject.fitted(model)
    found = explainer.explain_all()
    owed(list(found) == [0], "explain_all to explain class 0, which all graphs are predicted as", list(found))
    owed(1 in found.not_explained, "not_explained to say why class 1 is not explained", dict(found.not_explained))
    try:
        came = explainer.explain(1)
    except ValueError:
        return
    except Exception as error:
        raise ContractError(
            f"wanted ValueError or an explanation of class 1, which no graph is predicted as, got "
            f"{type(error).__name__}: {error}"
        ) from error
    owed(came.target == 1, "ValueError or an explanation of class 1, which no graph is predicted as", came.target)


def progress_is_told(subject: Subject) -> None:
    """Stages have names, and what is done of them is never more than there is."""
    told: list[Any] = []
    explainer = subject.made().fit(small_model(), subject.graphs, progress=lambda *step: told.append(step))
    explainer.explain_all()
    for step in told:
        stage, done, total = step
        is_right = isinstance(stage, str) and done >= 0 and (total is None or done <= total)
        owed(is_right, "progress as (stage, done, total), with done at most total", step)
    stages = {stage for stage, _, _ in told}
    owed(len(stages) >= 2, "progress of fit and of explain_all", f"the stages {sorted(stages)}")


def _raises(error: type[Exception], call: Callable[[], Any], asked: str) -> str:
    """The message of the error that a call raises."""
    try:
        came = call()
    except error as expected:
        return str(expected)
    except Exception as other:
        owed(False, f"{asked} to raise {error.__name__}", f"{type(other).__name__}: {other}")
        raise
    name = type(came).__name__
    owed(False, f"{asked} to raise {error.__name__}", f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")
    return ""


def _generator_states() -> tuple[Any, ...]:
    """States of the global generators, as values that can be compared."""
    numpy_state: Any = np.random.get_state()
    return torch.get_rng_state().tolist(), (numpy_state[1].tolist(), numpy_state[2]), random.getstate()
