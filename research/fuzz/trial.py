"""One trial: a pair of odd graphs and an odd model, an explainer, and what came of it."""

import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import matplotlib.pyplot as plt

import protograph as pg
from research.fuzz import unchanged
from research.fuzz.odd_graphs import Odd, odd_graphs
from research.fuzz.odd_models import odd_model
from research.fuzz.verdicts import problem_with

MOST_SECONDS = 60.0


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    Attributes:
        story: What was tried.
        result: ``explained``, ``refused`` by us, or ``raised`` by the user's own code.
        problems: What is wrong; empty where all is as it should be.
        message: What was said where it was not explained.
        seconds: How long it took.
    """

    story: str
    result: str
    problems: tuple[str, ...]
    message: str
    seconds: float


EXPLAINERS = {
    "consensus": lambda rng: pg.PAGE(
        match_features=rng.choice(["auto", "auto", "auto", True, False]),
        match_edges=rng.choice(["auto", "auto", False]),
        num_clusters=rng.choice(["auto", 1, 2]),
        budget=2,
    ),
    "walk": lambda rng: pg.PAGE(
        search="walk",
        budget=2,
        num_graphs=rng.choice([1, 3]),
        match_features=rng.choice(["auto", "auto", True, False]),
    ),
    "XGNN": lambda rng: pg.baselines.XGNN(num_epochs=1, num_rollouts=1, max_nodes=4),
    "GNNInterpreter": lambda rng: pg.baselines.GNNInterpreter(num_iterations=3, max_nodes=4),
    "RandomSubgraph": lambda rng: pg.baselines.RandomSubgraph(num_candidates=4, max_nodes=4, num_prototypes=2),
}


def run_trial(seed: int, number: int, *, is_shown: bool = False) -> Outcome:
    """Run one trial; the same numbers give the same one."""
    rng = Random(f"{seed} {number}")  # noqa: S311 - of trials, not of secrets
    odd, (model, model_name), name = odd_graphs(rng), odd_model(rng), rng.choice(list(EXPLAINERS))
    explainer = EXPLAINERS[name](rng)
    before = unchanged.of_graphs(odd.graphs), unchanged.of_model(model), unchanged.of_randomness()
    started = time.perf_counter()
    problems: list[str] = []
    result, message = "explained", ""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            explanations = explainer.fit(model, odd.given).explain_all()
        except Exception as error:
            if is_shown:
                traceback.print_exception(error)
            result, message = _kind(error), f"{type(error).__name__}: {error}"
            after = unchanged.of_graphs(odd.graphs), unchanged.of_model(model), unchanged.of_randomness()
            wrong = problem_with(error, model, odd.graphs)
            problems += [wrong] if wrong else []
        else:
            problems += _problems_of(explanations, odd, odd_graphs(rng).given, Path(folder), is_shown)
            after = unchanged.of_graphs(odd.graphs), unchanged.of_model(model), unchanged.of_randomness()
    for what, one, other in zip(("graphs", "the model", "random state"), before, after, strict=True):
        if one != other:
            problems.append(f"{what} changed at {unchanged.difference(one, other)}")
    seconds = time.perf_counter() - started
    if seconds > MOST_SECONDS:
        problems.append(f"took {seconds:.0f} s")
    story = f"{name}; {model_name}; {len(odd.graphs)} graphs; {'; '.join(odd.story) or 'plain'}"
    return Outcome(story, result, tuple(problems), message, seconds)


def _kind(error: Exception) -> str:
    return "raised" if getattr(error, "__notes__", ()) else "refused"


def _problems_of(explanations: pg.Explanations, odd: Odd, others: Any, folder: Path, is_shown: bool) -> list[str]:
    """What cannot be done with what came out."""
    problems, graphs = [], odd.graphs

    def attempt(what: str, step: Any, may_be_refused: bool = False) -> None:
        try:
            step()
        except Exception as error:
            if is_shown:
                traceback.print_exception(error)
            wrong = problem_with(error, _NO_MODEL, graphs)
            if wrong or not may_be_refused:
                problems.append(f"{what}: {wrong or error}")

    def save_and_load() -> None:
        explanations.save(folder / "saved.json")
        loaded = pg.load(folder / "saved.json")
        if loaded.summary() != explanations.summary():
            raise AssertionError("the summary of what was saved is another")

    if not explanations:
        return []
    attempt("summary", explanations.summary)
    attempt("plot", lambda: (explanations.plot(folder / "plot.png"), plt.close("all")))
    attempt("report", lambda: explanations.report(folder / "report.html"))
    attempt("notebook", explanations._repr_html_)
    attempt("save and load", save_and_load)
    # PyG makes whole numbers of odd edges as it puts graphs into a batch; by themselves they stay odd.
    attempt("predict", lambda: explanations.predict(graphs), may_be_refused=odd.given is not graphs)
    attempt("predict of others", lambda: explanations.predict(others), may_be_refused=True)
    attempt("to_frame", explanations.to_frame)
    return problems


class _NoModel:
    def forward(self) -> None:
        """Takes nothing."""


_NO_MODEL: Any = _NoModel()
