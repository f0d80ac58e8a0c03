import csv
import io

from protograph.cli.comparison_outputs import (
    comparison_csv,
    comparison_latex,
    comparison_table,
    keys_shown,
    notes_of,
    seeds_csv,
    significance_note,
    wrapped_notes,
)
from protograph.cli.contenders import METRICS, NAMES
from protograph.evaluation.summary import Figure

WIDE = Figure(0.123456, 0.123456, 20, 0.001, 0.02)


def test_five_explainers_fit_100_columns_and_more_come_below():
    figures = {name: dict.fromkeys(METRICS, WIDE) for name in (*NAMES, "a_long_module:ALongNameOfAnExplainer")}
    figures["random"] |= {"model_calls": Figure(1234567.0, None, 20), "accuracy": Figure(None, None, 0)}
    lines = comparison_table(figures, list(METRICS))
    assert max(map(len, lines)) <= 100
    assert lines[0].split() == list(NAMES)
    assert lines[1].split() == ["accuracy", *["0.123", "±", "0.123*"] * 4, "-"]
    below = lines[len(METRICS) + 1 :]
    assert below[0] == ""
    assert below[1].strip() == "ALongNameOf..."
    assert below[2].split() == ["accuracy", "0.123", "±", "0.123*"]


def test_cells_by_hand():
    figures = {
        "page": {
            "accuracy": Figure(0.5, None, 1),
            "success": Figure(0.4, 0.5, 5),
            "num_nodes": Figure(0.0, 0.0, 5),
            "slower": Figure(0.0123, 0.001, 5),
            "seconds": Figure(12.34, 1.26, 5),
        }
    }
    lines = comparison_table(figures, list(figures["page"]))
    assert [line.split(maxsplit=1)[1] for line in (lines[1], *lines[3:])] == [
        "0.500", "0.0 ± 0.0", "0.012 ± 0.001", "12.3 ± 1.3",
    ]  # fmt: skip
    assert lines[2].endswith("2 of 5")


def test_figures_that_no_explainer_has_are_left_out():
    none = Figure(None, None, 0)
    figures = {"page": {"accuracy": none, "density": WIDE, "fidelity": WIDE, "mine:f": WIDE}}
    assert keys_shown(figures, None) == ["fidelity", "density", "mine:f"]
    assert keys_shown(figures, ["mine:f", "accuracy", "density", "num_nodes"]) == ["mine:f", "density"]


def test_what_a_star_means_is_said_with_the_test():
    plain, tested = Figure(0.5, 0.1, 5), Figure(0.5, 0.1, 5, 0.2, 0.4)
    test = "two-sided paired t-test over seeds, p < 0.05 after Holm's correction for"
    figures = {"page": {"accuracy": plain, "density": plain}, "xgnn": {"accuracy": WIDE, "density": tested}}
    assert significance_note(figures, ["accuracy", "density"], "page") == (
        f"*: differs from page: {test} 2 comparisons"
    )
    assert significance_note(figures, ["density"], "page") == (
        f"no figure differs significantly from page: {test} 1 comparison"
    )
    assert significance_note({"page": figures["page"]}, ["density"], "page") == ""
    once = {"density": Figure(0.5, None, 1)}
    assert significance_note({"page": once, "walk": once}, ["density"], "page") == (
        "one seed: whether a difference is more than chance cannot be told; take more --seeds"
    )
    untested = {"page": {"stability": Figure(0.5, None, 3)}, "walk": {"stability": Figure(0.4, None, 3)}}
    assert significance_note(untested, ["stability"], "page") == (
        "of these figures, whether a difference is more than chance cannot be told"
    )
    assert significance_note(untested, [], "page") == ""
    few = {"page": {"accuracy": plain}, "xgnn": {"accuracy": Figure(0.5, 0.1, 3, 0.2, 0.4)}}
    assert significance_note(few, ["accuracy"], "page").endswith("; with so few seeds only large differences show")


def test_notes_are_of_what_is_shown_and_of_what_failed():
    rows = [
        {"prototypes": [{"truth_density": 0.1}, {"truth_density": 0.24}], "explainer": "page", "seed": 3},
        {"prototypes": [], "explainer": "xgnn", "seed": 3, "failed": "no graph\n" * 40},
        {"prototypes": [], "explainer": "xgnn", "seed": 3, "left_out": "no graph is predicted as class 2"},
    ]
    notes = notes_of(rows, ["density"])
    assert notes[0] == "the ground truths' own density is 0.100 to 0.240: lower is not better by itself"
    assert notes[1].startswith("xgnn, seed 3: no graph no graph")
    assert notes[2] == "xgnn, seed 3: no graph is predicted as class 2"
    assert max(map(len, wrapped_notes(notes))) <= 100
    seconds = "seconds and time are those of explain after fit, which is the same for all; "
    assert notes_of(rows[:1], ["seconds"]) == [f"{seconds}the shorter of two where one is short"]
    assert notes_of(rows[:1], ["seconds"], is_quick=True) == [f"{seconds}timed once"]
    assert notes_of(rows[:1], ["model_calls"]) == ["model calls are graphs shown to the model, those of fit included"]


def test_csv_has_a_row_an_explainer_and_metric():
    figures = {"page": {"accuracy": Figure(0.5, None, 1)}, "mine:M": {"accuracy": WIDE}}
    rows = list(csv.DictReader(io.StringIO(comparison_csv(figures, ["accuracy"]))))
    assert rows[0] == {
        "explainer": "page", "metric": "accuracy", "mean": "0.5", "spread": "", "num_seeds": "1", "p_value": "",
        "corrected": "", "is_significant": "False",
    }  # fmt: skip
    assert (rows[1]["p_value"], rows[1]["is_significant"]) == ("0.001", "True")
    values = {"page": {"accuracy": {0: 0.25, 1: None}}}
    assert seeds_csv(values) == "explainer,metric,seed,value\npage,accuracy,0,0.25\n"


def test_latex_by_hand():
    figures = {"page": {"probability": Figure(0.5, 0.25, 2)}, "my_own:M": {"probability": WIDE}}
    assert comparison_latex(figures, ["probability"], "50% of ± A_B") == "\n".join(
        [
            r"\begin{table}", r"\centering", r"\begin{tabular}{lrr}", r"\hline", r" & page & my\_own:M \\", r"\hline",
            r"p\_GNN & $0.500 \pm 0.250$ & $0.123 \pm 0.123^{*}$ \\", r"\hline", r"\end{tabular}",
            r"\caption{50\% of $\pm$ A\_B}", r"\end{table}", "",
        ]
    )  # fmt: skip
