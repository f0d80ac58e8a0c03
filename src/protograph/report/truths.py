"""A prototype laid over the ground truth of its class, where the data set has one."""

from typing import Any, NamedTuple

from markupsafe import Markup

from protograph.explanation import Explanation, Prototype
from protograph.metrics.accuracy import accuracy
from protograph.report.depicting import Picture, graph_like
from protograph.report.markup import Marks
from protograph.report.palette import Palette

# Pairs of nodes to try: prototypes and truths are small, and a page is not to wait.
MAX_CALLS = 200_000
PROTOTYPE = "the prototype, what it shares with the ground truth marked"


class Overlay(NamedTuple):
    """The prototype with what it shares with the truth marked, the truth, and how far they agree."""

    prototype: Markup
    truth: Markup
    words: str


def truth_overlay(explanation: Explanation, prototype: Prototype, palette: Palette) -> Overlay | None:
    """The prototype over the truth that is nearest to it; ``None`` where there is none of the same columns."""
    graph = prototype.graph
    ways: Any = {"match_features": prototype.node_rule, "match_edges": prototype.edge_rule}
    try:
        found = [(accuracy(graph, truth, **ways, max_calls=MAX_CALLS), truth) for truth in explanation.truths]
        best, truth = max(found, key=lambda one: float(one[0]))
    except ValueError:
        return None
    partner = dict(best.mapping)
    joined = {frozenset(ends) for ends in truth.edge_index.T.tolist()}
    edges = [
        (u, v)
        for u, v in prototype.edges
        if u in partner and v in partner and frozenset((partner[u], partner[v])) in joined
    ]
    marks = Marks(dict.fromkeys(sorted(partner)), edges)
    return Overlay(
        _drawn(graph_like(explanation, prototype, graph, label=PROTOTYPE, marks=marks, palette=palette)),
        _drawn(graph_like(explanation, prototype, truth, label="the ground truth", palette=palette)),
        f"Accuracy {float(best):.3f}: {len(partner)} nodes and {len(edges)} edges of the prototype are in the truth",
    )


def _drawn(picture: Picture) -> Markup:
    return Markup(picture.markup)  # noqa: S704 - all text in it is escaped
