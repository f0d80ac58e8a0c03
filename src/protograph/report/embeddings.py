"""The map of a class's graphs, coloured by cluster."""

from collections import Counter
from typing import Any

import numpy as np

from protograph._base.words import count_of
from protograph.explanation import EmbeddingMap, Explanation
from protograph.report.palette import COLORS, OTHER_COLOR
from protograph.report.sheet import INK, MUTED, RULE, our_style
from protograph.report.words import cluster_name

SIZE = (7.2, 4.4)


def embedding_figure(explanation: Explanation, embeddings: EmbeddingMap) -> Any:
    """A matplotlib ``Figure`` of the embedding map, the graphs that prototypes were found in marked by rings.

    Args:
        explanation: The explanation of the class.
        embeddings: Its map, which has at least one graph.
    """
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, facecolor="white", layout="constrained")
        axes: Any = figure.add_subplot()
        _draw_points(axes, embeddings)
        sources = {source for prototype in explanation.prototypes for source in prototype.sources or ()}
        place = embeddings.positions[[index in sources for index in embeddings.indices]]
        if len(place):
            axes.scatter(*place.T, label="representatives", facecolors="none", edgecolors=INK, s=80, linewidths=1.3)
        _dress(axes, embeddings)
        return figure


def _draw_points(axes: Any, embeddings: EmbeddingMap) -> None:
    clusters = np.array(embeddings.clusters, dtype=np.int64)
    size = float(np.clip(4000 / len(clusters), 4, 34))
    for cluster, members in sorted(Counter(embeddings.clusters).items(), key=lambda item: (item[0] < 0, item[0])):
        name = cluster_name(cluster) if cluster >= 0 else "in no cluster"
        color = COLORS[cluster % len(COLORS)] if cluster >= 0 else OTHER_COLOR
        place = embeddings.positions[clusters == cluster]
        label = f"{name}, {count_of(members, 'graph')}"
        axes.scatter(*place.T, label=label, c=color, s=size, alpha=0.75, edgecolors="white", linewidths=0.4)


def _dress(axes: Any, embeddings: EmbeddingMap) -> None:
    names = ("first", "second")
    for axis, name, share in zip((axes.xaxis, axes.yaxis), names, embeddings.explained, strict=True):
        axis.set_label_text(f"{name} principal component ({100 * share:.0f}% of the variance)", fontsize=9, color=MUTED)
    axes.tick_params(labelsize=8, labelcolor=MUTED, color=RULE)
    for side, spine in axes.spines.items():
        spine.set(color=RULE, visible=side in ("left", "bottom"))
    axes.grid(color=RULE, linewidth=0.5)
    axes.set_axisbelow(True)
    legend = axes.legend(
        loc="upper left",
        bbox_to_anchor=(1.02, 1),
        borderaxespad=0,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        handletextpad=0.4,
    )
    for handle in legend.legend_handles:
        handle.set_sizes([44])
