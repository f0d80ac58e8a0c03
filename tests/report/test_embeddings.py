import numpy as np
from matplotlib.colors import to_hex

from protograph.explanation import EmbeddingMap
from protograph.report.embeddings import embedding_figure
from protograph.report.palette import COLORS, OTHER_COLOR


def test_points_are_coloured_by_cluster_and_representatives_ringed(explain):
    positions = np.arange(10.0).reshape(5, 2)
    embeddings = EmbeddingMap((17, 3, 4, 8, 2), positions, (1, 0, 1, 1, -1), (0.625, 0.2))
    axes = embedding_figure(explain(), embeddings).axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "cluster 1, 1 graph",
        "cluster 2, 3 graphs",
        "in no cluster, 1 graph",
        "representatives",
    ]
    first, second, none, rings = axes.collections
    colors = [to_hex(item.get_facecolors()[0], keep_alpha=False).upper() for item in (first, second, none)]
    assert colors == [COLORS[0], COLORS[1], OTHER_COLOR]
    assert second.get_offsets().tolist() == positions[[0, 2, 3]].tolist()
    assert rings.get_offsets().tolist() == positions[[0, 2]].tolist()
    assert axes.get_xlabel() == "first principal component (62% of the variance)"
    assert axes.get_ylabel() == "second principal component (20% of the variance)"
