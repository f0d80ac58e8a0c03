"""The figures of a comparison as a table of at most 100 columns, and as CSV."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from protograph._utils.words import count_of, cut, one_line, write_csv
from protograph.cli.tables import table

if TYPE_CHECKING:
    from protograph.evaluation.comparison import Figure, Values

# Figures by what the table calls them, in its order.
METRICS = {
    "accuracy": "accuracy",
    "probability": "p_GNN",
    "success": "p >= .9",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "support": "support",
    "support_elsewhere": "elsewhere",
    "is_valid": "validity",
    "stability": "stability",
    "num_nodes": "nodes",
    "num_edges": "edges",
    "density": "density",
    "num_reasons": "reasons",
    "num_patterns": "patterns",
    "margin_share": "margin share",
    "seconds": "seconds",
    "slower": "time",
    "model_calls": "model calls",
}
WHOLE = ("slower", "num_reasons", "num_patterns", "num_nodes", "num_edges", "seconds")
# Explainers side by side, more come in a table of their own below; and columns of a name, so that so many fit.
IN_A_ROW, NAME = 5, 14
# What is to be said where one of these figures is shown.
NOTES = (
    (("accuracy",), "accuracy: of a cluster against the truth most of its graphs have, of others against the closest"),
    (("success",), "p >= .9: seeds on which the best prototype of every class reaches p = 0.9"),
    (
        ("fidelity",),
        "fidelity: of each class's rule against the rest; without reasons the rule is to contain one of the prototypes",
    ),
    (
        ("support", "support_elsewhere", "coverage", "fidelity"),
        "support, elsewhere, coverage and fidelity are of graphs kept apart from the search",
    ),
    (("stability",), "stability: how much the prototypes of any two seeds have in common, 1 where they are the same"),
    (
        ("seconds", "slower"),
        "seconds and time are those of explain after fit, which is the same for all; the shorter of two where one is "
        "short",
    ),
    (("model_calls",), "model calls are graphs shown to the model, those of fit included"),
)
Figures = Mapping[str, "Mapping[str, Figure]"]


def keys_shown(figures: Figures) -> list[str]:
    """Figures that some explainer has, in the order of the table."""
    return [key for key in METRICS if any(row[key].mean is not None for row in figures.values())]


def comparison_table(figures: Figures, keys: Sequence[str]) -> list[str]:
    """A column an explainer, a row a metric; five explainers beside each other, the others below."""
    names, lines = list(figures), list[str]()
    for first in range(0, len(names), IN_A_ROW):
        chosen = names[first : first + IN_A_ROW]
        # Of a long module:attribute, the attribute.
        header = ["", *(name if len(name) <= NAME else cut(name.rpartition(":")[2], NAME) for name in chosen)]
        rows = [[METRICS[key], *(_cell(key, figures[name][key]) for name in chosen)] for key in keys]
        lines += [*([""] if lines else []), *table([header, *rows])]
    return lines


def _cell(key: str, figure: "Figure") -> str:
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


def notes_of(rows: Sequence[Mapping[str, Any]], figures: Figures, keys: Sequence[str], reference: str) -> list[str]:
    """What a star means, what the figures that are shown are of, and what there is none of."""
    notes = [significance_note(figures, keys, reference)] if len(figures) > 1 and keys else []
    notes += [note for needing, note in NOTES if any(key in needing for key in keys)]
    truth = [p["truth_density"] for row in rows for p in row["prototypes"] if p["truth_density"] is not None]
    if truth and "density" in keys:
        notes.append(
            f"the ground truths' own density is {min(truth):.3f} to {max(truth):.3f}: lower is not better by itself"
        )
    for kind in ("failed", "left_out"):
        said = {f"{row['explainer']}, seed {row['seed']}: {row[kind]}" for row in rows if kind in row}
        notes += sorted(map(one_line, said))
    return notes


def significance_note(figures: Figures, keys: Sequence[str], reference: str) -> str:
    """What a star means, and how many tests there were."""
    tested = [row[key] for row in figures.values() for key in keys if row[key].corrected is not None]
    if not tested:
        return "of one seed, whether a difference is more than chance cannot be told; take more --seeds"
    stars = sum(figure.is_significant for figure in tested)
    what = "*: differs from" if stars else "no figure differs significantly from"
    few = "" if min(figure.num_seeds for figure in tested) >= 5 else "; with so few seeds only large differences show"
    return (
        f"{what} {reference}: two-sided paired t-test over seeds, p < 0.05 after Holm's correction for "
        f"{count_of(len(tested), 'comparison')}{few}"
    )


def comparison_csv(figures: Figures, keys: Sequence[str]) -> str:
    """A row an explainer and metric: mean, spread, seeds, and the test against the first explainer."""
    columns = ("mean", "spread", "num_seeds", "p_value", "corrected", "is_significant")
    rows = (
        [name, key, *(getattr(row[key], column) for column in columns)] for name, row in figures.items() for key in keys
    )
    return _csv(["explainer", "metric", *columns], rows)


def seeds_csv(values: "Values") -> str:
    """A row an explainer, metric and seed."""
    rows = (
        [name, key, seed, value]
        for name, of in values.items()
        for key, by_seed in of.items()
        for seed, value in by_seed.items()
        if value is not None
    )
    return _csv(["explainer", "metric", "seed", "value"], rows)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    write_csv(text, columns, rows)
    return text.getvalue()
