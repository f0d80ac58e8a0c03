"""Sentences as graphs: which represent a cluster, what they share, and how they are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch_geometric.data import Data

from research.paper import charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Edge = tuple[int, int]
# Of a picture: inches of a panel, the largest letters in points, how wide a letter is for its size, letters between two
# words, and letters that what stands behind a sentence takes.
WIDTH, LARGEST, LETTER, GAP, ROOM = 5.2, 9.5, 0.602, 1.5, 11


@dataclass(frozen=True)
class Sentence:
    """A sentence as a graph of words.

    Attributes:
        words: Its words, which are the nodes.
        edges: Pairs of words that are joined, by their places.
        label: The class that it has.
    """

    words: tuple[str, ...]
    edges: tuple[Edge, ...]
    label: int

    @classmethod
    def of(cls, graph: Data) -> "Sentence":
        """The sentence of a graph of Graph-SST2."""
        edges = sorted({(min(u, v), max(u, v)) for u, v in graph.edge_index.T.tolist() if u != v})
        return cls(tuple(graph.tokens), tuple(edges), int(graph.y))


def shared_words(sentences: Sequence[Sentence]) -> list[str]:
    """Words that all of them have, in alphabetical order.

    >>> a, b = Sentence(("a", "film"), ((0, 1),), 1), Sentence(("film", "a", "good"), ((0, 1),), 1)
    >>> shared_words([a, b])
    ['a', 'film']
    """
    return sorted(set.intersection(*({word.lower() for word in one.words} for one in sentences)))


def shared_pairs(sentences: Sequence[Sentence]) -> list[tuple[str, str]]:
    """Joined pairs of words that all of them have.

    >>> a, b = Sentence(("a", "film"), ((0, 1),), 1), Sentence(("film", "a", "good"), ((0, 1),), 1)
    >>> shared_pairs([a, b])
    [('a', 'film')]
    """
    pairs = []
    for one in sentences:
        words = [word.lower() for word in one.words]
        pairs.append({(min(words[u], words[v]), max(words[u], words[v])) for u, v in one.edges})
    return sorted(set.intersection(*pairs))


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's correlation; ``None`` where one of the two does not vary.

    >>> rank_correlation([1, 2, 3], [1, 4, 9]), rank_correlation([1, 1], [1, 2])
    (1.0, None)
    """
    from scipy.stats import rankdata  # type: ignore[import-untyped, unused-ignore]

    if len(set(x)) < 2 or len(set(y)) < 2:
        return None
    return round(float(np.corrcoef(rankdata(x), rankdata(y))[0, 1]), 12)


def draw_sentences(panels: Sequence[tuple[str, Sequence[dict[str, Any]]]]) -> "Figure":
    """A panel for each cluster: its sentences in lines, words in a row and edges as arcs above them.

    Args:
        panels: Title and sentences; a sentence has ``words``, ``edges``, ``label`` and ``probability``.
    """
    rows, lines = (len(panels) + 1) // 2, max(len(sentences) for _, sentences in panels)
    figure, axes = charts.new_figure(2 * WIDTH, rows * (0.35 + 0.62 * lines), columns=2, rows=rows, squeeze=False)
    # All panels have the same letters, as large as the longest sentence and what stands behind it allow.
    letters = max(_places(one["words"])[1] for _, sentences in panels for one in sentences) + ROOM
    letters = max(letters, WIDTH * 72 / (LETTER * LARGEST))
    size = WIDTH * 72 / (LETTER * letters)
    for one in axes.flat:
        one.set_axis_off()
    for one, (title, sentences) in zip(axes.flat, panels, strict=False):
        one.set_title(title, loc="left", fontsize=10, color=charts.INK, fontweight="bold")
        for number, sentence in enumerate(sentences):
            _draw_sentence(one, sentence, lines - 1 - number, size)
        one.set(xlim=(-0.5, letters), ylim=(-0.25, lines - 0.2))
    return figure


def _places(words: Sequence[str]) -> tuple[list[float], float]:
    """Middle of each word in a row of letters of one width, and the end of the row.

    >>> _places(["ab", "c"])
    ([1.0, 4.0], 4.5)
    """
    middles, end = [], -GAP
    for word in words:
        middles.append(end + GAP + len(word) / 2)
        end += GAP + len(word)
    return middles, end


def _draw_sentence(axes: "Axes", sentence: dict[str, Any], height: int, size: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    middles, end = _places(sentence["words"])
    base, codes = height + 0.14, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    for u, v in sentence["edges"]:
        top = base + min(0.78, 0.2 + 0.07 * (v - u))
        path = [(middles[u], base), (middles[u], top), (middles[v], top), (middles[v], base)]
        axes.add_patch(PathPatch(Path(path, codes), fill=False, edgecolor="#8c959f", linewidth=0.9))
    for middle, word in zip(middles, sentence["words"], strict=True):
        axes.text(middle, height, word, fontsize=size, family="monospace", color=charts.INK, ha="center", va="center")
    colour = charts.COLOURS["page" if sentence["label"] == 0 else "walk"]
    axes.text(end + 2, height, f"p = {sentence['probability']:.2f}", fontsize=8, va="center", color=colour)
