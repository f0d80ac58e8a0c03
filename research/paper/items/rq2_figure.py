"""The scatter plots of faithfulness, a panel a data set."""

import math
from collections.abc import Sequence
from typing import Any

from protograph.report.palette import COLORS
from research.paper.item import Results
from research.paper.methods import TITLES
from research.paper.sets import SETS

SHOWN = ("walk", "page", "xgnn", "gnninterpreter")
MARKERS = ("o", "s", "^", "D")
COLUMNS = 3


def scatter(results: Results, names: Sequence[str]) -> Any:
    """Class probability against test accuracy, of the first sweep of each set and the first class explained."""
    from matplotlib.figure import Figure

    num_rows, num_columns = math.ceil(len(names) / COLUMNS), min(COLUMNS, len(names))
    figure = Figure(figsize=(3.1 * num_columns, 2.7 * num_rows + 0.5), layout="constrained")
    axes = figure.subplots(num_rows, num_columns, squeeze=False).flatten()
    for axis, name in zip(axes, names, strict=False):
        for method, marker, color in zip(SHOWN, MARKERS, COLORS, strict=False):
            points = points_of(results, name, method)
            axis.scatter(
                *points, s=24, marker=marker, facecolors="none", edgecolors=color, linewidths=1.2, label=TITLES[method]
            )
        axis.set_title(SETS[name].title, fontsize=10)
        axis.set_ylim(-0.04, 1.04)
        axis.grid(alpha=0.25)
        axis.tick_params(labelsize=8)
    for axis in axes[len(names) :]:
        axis.axis("off")
    figure.supxlabel("test accuracy of the model", fontsize=9)
    figure.supylabel("class probability of the prototypes", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(SHOWN), fontsize=8, frameon=False)
    return figure


def points_of(results: Results, name: str, method: str) -> tuple[list[float], list[float]]:
    """Accuracies and probabilities of the models of the first sweep; none where the class has no prototype."""
    for one in results.under(name, method).values():
        for scores in one["classes"].values():
            if "faithfulness_accuracies" in scores:
                return scores["faithfulness_accuracies"], scores["faithfulness_probabilities"]
    return [], []
