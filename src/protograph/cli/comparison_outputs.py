"""The figures of a comparison as a table of at most 100 columns, as CSV and as LaTeX."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from protograph._base.words import count_of, cut, one_line
from protograph.cli.contenders import METRICS
from protograph.cli.tables import table, wrapped
from protograph.evaluation.significance import LEVEL
from protograph.evaluation.summary import SUCCESS, Figure, Values

# Explainers side by side; more come in a table of their own below.
IN_A_ROW = 5
# Columns of a name, so that five fit beside each other.
NAME = 14
# What a figure needs that not all data have.
NEEDS = {
    "accuracy": "needs a ground truth",
    "is_valid": "needs molecules",
    "margin_share": "needs prototypes that were cut from a graph",
    "num_reasons": "needs rules",
    "stability": "needs several seeds",
}
WHOLE = ("slower", "num_reasons", "num_patterns", "num_nodes", "num_edges", "seconds")
Figures = Mapping[str, Mapping[str, Figure]]
# What is to be said where one of these figures is shown.
NOTES = (
    (("accuracy",), "accuracy: of a cluster against the truth most of its graphs have, of others against the closest"),
    (("success",), f"p >= .9: seeds on which the best prototype of every class reaches p = {SUCCESS:g}"),
    (
        ("fidelity",),
        "fidelity: of each class's rule against the rest; without reasons the rule is to contain one of the prototypes",
    ),
    (
        ("support", "support_elsewhere", "coverage", "fidelity"),
        "support, elsewhere, coverage and fidelity are of graphs kept apart from the search",
    ),
    (("stability",), "stability: how much the prototypes of any two seeds have in common, 1 where they are the same"),
    (("seconds", "slower"), "seconds and time are those of explain after fit, which is the same for all"),
    (("model_calls",), "model calls are graphs shown to the model, those of fit included"),
)


def keys_shown(figures: Figures, wanted: Sequence[str] | None) -> list[str]:
    """Figures that some explainer has, of those that are wanted, in the order of the table."""
    first = next(iter(figures.values()), {})
    own = [key for key in first if key not in METRICS]
    order = [key for key in METRICS if key in first] + own if wanted is None else wanted
    return [key for key in order if any(row[key].mean is not None for row in figures.values() if key in row)]


def comparison_table(figures: Figures, keys: Sequence[str]) -> list[str]:
    """A column an explainer, a row a metric; five explainers beside each other, the others below."""
    names, lines = list(figures), list[str]()
    for first in range(0, len(names), IN_A_ROW):
        chosen = names[first : first + IN_A_ROW]
        header = ["", *map(_short, chosen)]
        rows = [[_short(METRICS.get(key, key)), *(_cell(key, figures[name][key]) for name in chosen)] for key in keys]
        lines += [*([""] if lines else []), *table([header, *rows])]
    return lines


def _short(name: str) -> str:
    """A name in as many columns as there are; of a long ``module:attribute`` the attribute.

    >>> _short("mine:Mine"), _short("own_things:Explainer"), _short("own_things:LongestExplainer")
    ('mine:Mine', 'Explainer', 'LongestExpl...')
    """
    return name if len(name) <= NAME else cut(name.rpartition(":")[2], NAME)


def _cell(key: str, figure: Figure) -> str:
    """Mean, spread, and a star for a difference that is more than chance."""
    if figure.mean is None:
        return "-"
    star = "*" if figure.is_significant else ""
    if key == "success":
        return f"{figure.mean * figure.num_seeds:.0f} of {figure.num_seeds}{star}"
    if key == "model_calls":
        return f"{figure.mean:,.0f}{star}"
    digits = 3 if key not in WHOLE or 0 < figure.mean < 0.05 else 1
    spread = "" if figure.spread is None else f" ± {figure.spread:.{digits}f}"
    return f"{figure.mean:.{digits}f}{spread}{star}"


def significance_note(figures: Figures, keys: Sequence[str], reference: str) -> str:
    """What a star means, and how many tests there were."""
    tested = [row[key] for row in figures.values() for key in keys if row[key].corrected is not None]
    if len(figures) < 2 or not keys:
        return ""
    if not tested:
        is_one = all(row[key].num_seeds < 2 for row in figures.values() for key in keys)
        told = "one seed: whether" if is_one else "of these figures, whether"
        return f"{told} a difference is more than chance cannot be told{'; take more --seeds' if is_one else ''}"
    stars = sum(figure.is_significant for figure in tested)
    what = "*: differs from" if stars else "no figure differs significantly from"
    few = "" if min(figure.num_seeds for figure in tested) >= 5 else "; with so few seeds only large differences show"
    return (
        f"{what} {reference}: two-sided paired t-test over seeds, p < {LEVEL:g} after Holm's correction for "
        f"{count_of(len(tested), 'comparison')}{few}"
    )


def not_shown_note(wanted: Sequence[str] | None, keys: Sequence[str]) -> str:
    """Which of the figures that were asked for nobody has, and why; empty where there are none.

    >>> not_shown_note(["accuracy", "fidelity", "mine:f"], ["fidelity"])
    'not shown: accuracy (needs a ground truth), mine:f (gave no number)'
    """
    missing = [key for key in wanted or () if key not in keys]
    said = [f"{METRICS.get(key, key)} ({NEEDS.get(key, 'gave no number')})" for key in missing]
    return f"not shown: {', '.join(said)}" if said else ""


def notes_of(rows: Sequence[Mapping[str, Any]], keys: Sequence[str], *, is_quick: bool = False) -> list[str]:
    """What the figures that are shown are of, and what there is none of."""
    timing = "; timed once" if is_quick else "; the shorter of two where one is short"
    notes = [
        f"{note}{timing if 'seconds' in needing else ''}"
        for needing, note in NOTES
        if any(key in needing for key in keys)
    ]
    truth = [p["truth_density"] for row in rows for p in row["prototypes"] if p["truth_density"] is not None]
    if truth and "density" in keys:
        notes.append(
            f"the ground truths' own density is {min(truth):.3f} to {max(truth):.3f}: lower is not better by itself"
        )
    for kind in ("failed", "left_out"):
        said = {f"{row['explainer']}, seed {row['seed']}: {row[kind]}" for row in rows if kind in row}
        notes += sorted(map(one_line, said))
    return notes


def spread_note(seeds: int, reference: str, keys: Sequence[str], *, is_trained: bool) -> str:
    """What the means and spreads are over."""
    what = "data, model and explainer" if is_trained else "the graphs kept apart and the explainer; the model is yours"
    time = f"; time in multiples of {reference}" if "slower" in keys else ""
    return f"mean ± standard deviation over {count_of(seeds, 'seed')} of {what}{time}"


def wrapped_notes(notes: Sequence[str]) -> list[str]:
    """Notes in lines of at most 100 columns."""
    return [line for note in notes if note for line in wrapped(note, "  ")]


def comparison_csv(figures: Figures, keys: Sequence[str]) -> str:
    """A row an explainer and metric: mean, spread, seeds, and the test against the first explainer."""
    columns = ("mean", "spread", "num_seeds", "p_value", "corrected", "is_significant")
    rows = [
        [name, key, *(_plain(getattr(figures[name][key], column)) for column in columns)]
        for name in figures
        for key in keys
    ]
    return _written([["explainer", "metric", *columns], *rows])


def seeds_csv(values: Values) -> str:
    """A row an explainer, metric and seed."""
    rows = [
        [name, key, str(seed), _plain(value)]
        for name, of in values.items()
        for key, by_seed in of.items()
        for seed, value in by_seed.items()
        if value is not None
    ]
    return _written([["explainer", "metric", "seed", "value"], *rows])


def comparison_latex(figures: Figures, keys: Sequence[str], caption: str) -> str:
    """A table for a paper, in the plain commands of LaTeX; it needs no package."""
    body = [
        " & ".join([_escaped(METRICS.get(key, key)), *(_latex_cell(key, row[key]) for row in figures.values())])
        for key in keys
    ]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\begin{{tabular}}{{l{'r' * len(figures)}}}",
            r"\hline",
            " & ".join(["", *map(_escaped, figures)]) + r" \\",
            r"\hline",
            *(f"{line} \\\\" for line in body),
            r"\hline",
            r"\end{tabular}",
            rf"\caption{{{_escaped(caption)}}}",
            r"\end{table}",
            "",
        ]
    )


def _latex_cell(key: str, figure: Figure) -> str:
    text = _cell(key, figure)
    if text == "-":
        return "--"
    number, star = text.removesuffix("*"), "^{*}" if text.endswith("*") else ""
    number = number.replace(" ± ", r" \pm ").replace(",", "{,}").replace(" of ", " / ")
    return f"${number}{star}$"


def _escaped(text: str) -> str:
    r"""A text as LaTeX prints it.

    >>> print(_escaped("p_GNN >= 50%"))
    p\_GNN $\ge$ 50\%
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$"}
    special |= {character: f"\\{character}" for character in "&%$#_{}"}
    parts = [special.get(character, character) for character in one_line(text).replace(">=", "\x00")]
    return "".join(parts).replace("\x00", r"$\ge$").replace("±", r"$\pm$")


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _written(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
