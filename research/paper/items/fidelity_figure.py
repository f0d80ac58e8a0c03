"""Fidelity in a picture: every seed a dot, beside LogicXGNN's figure and the truth read as a rule."""

from collections.abc import Mapping
from statistics import mean
from typing import TYPE_CHECKING, Any

from research.paper import charts
from research.paper.paper import paper
from research.paper.sets import title_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = list[dict[str, Any]]
OURS, THEIRS, TRUTH = charts.COLOURS["page"], charts.COLOURS["walk"], charts.COLOURS["xgnn"]


def draw_fidelity(real: Mapping[tuple[str, ...], Rows], truths: Mapping[tuple[str, ...], Rows]) -> "Figure":
    """A line of dots for each data set, from top to bottom."""
    lines = {title_of(key[0]): (key[0], rows) for key, rows in real.items() if key[1] == "gcn"}
    lines |= {f"{title_of(key[0])} (truth known)": (key[0], rows) for key, rows in truths.items()}
    figure, axes = charts.new_figure(6.8, 0.9 + 0.36 * len(lines))
    beside: dict[str, list[tuple[float, int]]] = {"LogicXGNN, its own models": [], "the truth as a rule": []}
    for height, (name, rows) in enumerate(reversed(lines.values())):
        values = [row["fidelity"] for row in rows]
        label = "ours, a seed" if height == 0 else None
        axes.scatter(values, [height] * len(values), s=26, alpha=0.55, linewidths=0, color=OURS, label=label)
        axes.plot([mean(values)] * 2, [height - 0.28, height + 0.28], color=charts.INK, linewidth=1.6)
        if "truth" in rows[0]:
            beside["the truth as a rule"].append((mean(row["truth"] for row in rows), height))
        elif (theirs := paper("logicxgnn", "fidelity", name)) is not None:
            beside["LogicXGNN, its own models"].append((theirs, height))
    for (title, places), colour, marker in zip(beside.items(), (THEIRS, TRUTH), "DX", strict=True):
        if places:
            axes.scatter(*zip(*places, strict=True), s=30, marker=marker, color=colour, linewidths=0, label=title)
    axes.set(xlabel="fidelity on graphs kept apart", ylim=(-0.6, len(lines) - 0.4))
    axes.set_yticks(range(len(lines)), list(reversed(lines)))
    axes.grid(visible=False, axis="y")
    charts.legend(axes, loc="upper center", bbox_to_anchor=(0.45, -0.5 / (0.2 + 0.36 * len(lines))), ncols=3)
    return figure
