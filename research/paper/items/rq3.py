"""RQ3: which of the walk's sessions finds the prototype that is returned?"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

import protograph as pg
from research.paper.drawings import heat_map, new_figure
from research.paper.estimates import against_count, mean_of, mostly, share_of
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import SETS, WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import paper

# Sessions differ where their probabilities do by more than this; the paper's example goes from 0.4 to 0.8.
CLEARLY = 0.1


class Case(NamedTuple):
    """One cluster of a class on one seed, whose sessions compete."""

    label: str
    seed: str
    probabilities: Sequence[float]
    chosen: int


def cells(settings: Settings) -> list[Cell]:
    """One for each data set and seed."""
    return [
        Cell(key=(name, f"seed {seed}"), compute=partial(measure, name, seed), needs=[ModelSpec(name, seed)])
        for name in settings.sets(WITH_TRUTH)
        for seed in settings.seeds_of(name)
    ]


def measure(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """The sessions of each cluster of each class with a ground truth."""
    explanations = lab.explained(name, "walk", seed).explanations
    return {
        str(target): [sessions_record(prototype) for prototype in explanations[target].prototypes]
        for target in SETS[name].targets
        if target in explanations
    }


def sessions_record(prototype: pg.Prototype) -> dict[str, Any]:
    """Probability of each session, and which was chosen: the first with the prototype's margin."""
    sessions = prototype.sessions
    return {
        "cluster": prototype.cluster,
        "probabilities": [one.probability for one in sessions],
        "chosen": next(n for n, one in enumerate(sessions) if one.margin == prototype.margin),
    }


def cases_of(results: Results) -> list[Case]:
    """All cases, in the order of data sets, classes, clusters and seeds."""
    cases = [
        (name, target, one["cluster"], Case(label, seed, one["probabilities"], one["chosen"]))
        for (name, seed), classes in results.items()
        for target, clusters in classes.items()
        for one in clusters
        for label in [f"{title_of(name, int(target))}, cluster {one['cluster'] + 1}"]
    ]
    return [case for *_, case in sorted(cases, key=lambda one: (WITH_TRUTH.index(one[0]), one[1], one[2]))]


def write(results: Results, sheet: Sheet) -> None:
    """The heat map of the first seed, how often each session wins, and the paper's four observations."""
    cases = cases_of(results)
    first = [case for case in cases if case.seed == "seed 0"]
    width = max(len(case.probabilities) for case in cases)
    sheet.figure(
        "sessions",
        draw_sessions(cases, first, width),
        "Left: p of the class for the candidate of each session on seed 0; a red box marks the one that is returned. "
        f"Right: on how many seeds each session is the one that is returned ({len(cases)} cases). The largest margin "
        "wins, which is the largest p wherever p is below 1; of equal ones the first session.",
    )
    numbers = range(1, width + 1)
    rows: list[list[Any]] = []
    for case in first:
        same = [one for one in cases if one.label == case.label]
        padding = [None] * (width - len(case.probabilities))
        wins = [sum(one.chosen == number - 1 for one in same) for number in numbers]
        rows.append([case.label, *case.probabilities, *padding, case.chosen + 1, *wins])
    sheet.table(
        "probabilities",
        ["case", *(f"p of session {n}" for n in numbers), "returned", *(f"seeds with session {n}" for n in numbers)],
        rows,
        "p of each session and which one is returned, on seed 0; then on how many seeds each session is returned.",
    )
    write_findings(cases, sheet)


def write_findings(cases: Sequence[Case], sheet: Sheet) -> None:
    """What the paper says of the sessions, as shares of all cases."""
    first_wins, num_cases = paper("rq3", "first_session_wins"), paper("rq3", "num_cases")
    theirs = share_of(first_wins, num_cases)
    wins = share_of(sum(case.chosen == 0 for case in cases), len(cases))
    sheet.finding(
        "share of cases in which the first session's candidate is returned",
        wins,
        theirs,
        against_count(wins, theirs, larger_is_better=None),
        "7 of 10 in the paper: five data sets with two clusters of one class. Ours: the same on all seeds, and both "
        "classes of Solubility.",
    )
    is_largest = [round(case.probabilities[0], 6) >= round(max(case.probabilities), 6) for case in cases]
    largest = share_of(sum(is_largest), len(cases))
    claim = "the same, if p itself is compared at six decimals, equal ones going to the first session"
    sheet.finding(claim, largest, theirs, against_count(largest, theirs, None), "Where p is almost 1, margins differ.")
    differ = share_of(sum(max(case.probabilities) - min(case.probabilities) > CLEARLY for case in cases), len(cases))
    low, high = paper("rq3", "mutag_cluster_1_range")
    note = f"The paper's example, the second cluster of MUTAG, goes from near {low} to near {high}."
    sheet.finding(f"share of cases whose sessions differ in p by over {CLEARLY}", differ, "most", mostly(differ), note)
    gains = [case.probabilities[case.chosen] - case.probabilities[0] for case in cases]
    others = share_of(sum(case.chosen != 0 for case in cases), len(cases))
    sheet.finding(
        "share of cases in which another session is returned",
        others,
        f"a few: {num_cases - first_wins} of {num_cases}",
        mostly(others, is_claimed=False),
        f"In {sum(gain > CLEARLY for gain in gains)} of {len(cases)} cases p is larger by more than {CLEARLY}.",
    )
    claim = "what five sessions gain in p over the first alone, mean"
    sheet.finding(claim, mean_of(gains), "the number of sessions is not critical", "not comparable")


def draw_sessions(cases: Sequence[Case], first: Sequence[Case], width: int) -> Figure:
    """Probabilities on one seed beside the number of seeds that each session wins."""
    labels = list(dict.fromkeys(case.label for case in cases))
    values, wins = np.full((len(labels), width), np.nan), np.zeros((len(labels), width))
    for case in first:
        values[labels.index(case.label), : len(case.probabilities)] = case.probabilities
    for case in cases:
        wins[labels.index(case.label), case.chosen] += 1
    figure, axes = new_figure(2.5 + 1.1 * width, 1.0 + 0.34 * len(labels), columns=2, sharey=True)
    marked = [(labels.index(case.label), case.chosen) for case in first]
    heat_map(axes[0, 0], "p of the class, seed 0", labels, values, "{:.2f}", marked)
    heat_map(axes[0, 1], "seeds on which it is returned", labels, wins, "{:.0f}")
    figure.supxlabel("session", fontsize=9)
    return figure


ITEM = Item(
    name="rq3",
    title="Sessions: when is the prototype found?",
    question="Which of the walk's search sessions finds the prototype that is returned in the end?",
    cells=cells,
    write=write,
)
