"""The map of a class's graphs, coloured by cluster."""

from collections import Counter
from typing import Any

import numpy as np

from protograph.explanation.explanation import EmbeddingMap, Explanation
from protograph.report.palette import COLORS, OTHER_COLOR
from protograph.report.style import INK, MUTED, RULE, our_style
from protograph.report.words import cluster_name, count

SIZE = (7.2, 4.4)


def embedding_figure(explanation: Explanation) -> Any:
    """A matplotlib ``Figure`` of the embedding map, the graphs that prototypes were found in marked by rings.

    Args:
        explanation: An explanation whose ``embedding_map`` is there.
    """
    assert explanation.embedding_map is not None
    with our_style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE, facecolor="white", layout="constrained")
        axes = figure.add_subplot()
        _draw_points(axes, explanation.embedding_map)
        _draw_sources(axes, explanation)
        _dress(axes, explanation.embedding_map)
        if explanation.embedding_map.indices:
            place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1), "borderaxespad": 0}
            legend: Any = axes.legend(frameon=False, fontsize=9, labelcolor=INK, handletextpad=0.4, **place)
            for handle in legend.legend_handles:
                handle.set_sizes([44])
        return figure


def _draw_points(axes: Any, embeddings: EmbeddingMap) -> None:
    clusters = np.array(embeddings.clusters, dtype=np.int64)
    size = float(np.clip(4000 / max(1, len(clusters)), 4, 34))
    for cluster, members in sorted(Counter(embeddings.clusters).items(), key=lambda item: (item[0] < 0, item[0])):
        place = embeddings.positions[clusters == cluster]
        name = cluster_name(cluster) if cluster >= 0 else "in no cluster"
        color = COLORS[cluster % len(COLORS)] if cluster >= 0 else OTHER_COLOR
        style = {"c": color, "s": size, "alpha": 0.75, "edgecolors": "white", "linewidths": 0.4}
        axes.scatter(place[:, 0], place[:, 1], label=f"{name}, {count(members, 'graph')}", **style)


def _draw_sources(axes: Any, explanation: Explanation) -> None:
    embeddings = explanation.embedding_map
    assert embeddings is not None
    sources = {source for prototype in explanation.prototypes for source in prototype.sources or ()}
    chosen = [index in sources for index in embeddings.indices]
    if any(chosen):
        place = embeddings.positions[chosen]
        style = {"facecolors": "none", "edgecolors": INK, "s": 80, "linewidths": 1.3}
        axes.scatter(place[:, 0], place[:, 1], label="representatives", **style)


def _dress(axes: Any, embeddings: EmbeddingMap) -> None:
    names = ("first", "second")
    for axis, name, share in zip((axes.xaxis, axes.yaxis), names, embeddings.explained, strict=True):
        axis.set_label_text(f"{name} principal component ({100 * share:.0f}% of the variance)", fontsize=9, color=MUTED)
    axes.tick_params(labelsize=8, labelcolor=MUTED, color=RULE)
    for side, spine in axes.spines.items():
        spine.set_color(RULE)
        spine.set_visible(side in ("left", "bottom"))
    axes.grid(color=RULE, linewidth=0.5)
    axes.set_axisbelow(True)
