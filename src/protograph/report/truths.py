"""A prototype laid over the ground truth of its class, where the data set has one."""

from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from protograph.explanation import Explanation
from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import accuracy
from protograph.patterns.correspondence import largest_common_subgraph
from protograph.report.layout import layout
from protograph.report.palette import Palette
from protograph.report.scene import Scene
from protograph.report.svg import Frame, svg_of
from protograph.report.views import Highlight, View
from protograph.report.words import size

# Pairs of nodes to try: prototypes and truths are small, and a page is not to wait.
MAX_CALLS = 200_000
FRAME = Frame(220, 170)


class Overlay(NamedTuple):
    """The prototype with what it shares with the truth in full colour, the truth, and how far they agree."""

    prototype: Markup
    truth: Markup
    words: str


def truth_overlay(explanation: Explanation, scene: Scene, palette: Palette) -> Overlay | None:
    """The prototype over the truth that is nearest to it; ``None`` where there is none of the same columns."""
    graph, rule = scene.prototype.graph, scene.prototype.edge_rule
    try:
        found = [(accuracy(graph, truth, match_edges=rule, max_calls=MAX_CALLS), truth) for truth in explanation.truths]
        best, truth = max(found, key=lambda one: float(one[0]))
        encoded = EncodedGraphs([graph, truth], match_features=True, match_edges=rule)
    except ValueError:
        return None
    own, other = encoded[0], encoded[1]
    is_smaller = own.num_nodes <= other.num_nodes
    pair = (own, other) if is_smaller else (other, own)
    image = largest_common_subgraph(*pair, MAX_CALLS).image.tolist()
    partner = dict(enumerate(image)) if is_smaller else {large: small for small, large in enumerate(image)}
    partner = {node: there for node, there in partner.items() if node >= 0 and there >= 0}
    joined = {frozenset(ends) for ends in truth.edge_index.T.tolist()}
    edges = [
        (u, v)
        for u, v in scene.prototype.edges
        if u in partner and v in partner and frozenset((partner[u], partner[v])) in joined
    ]
    part = Highlight(sorted(partner), np.array(edges, dtype=np.int64).reshape(-1, 2), np.zeros(0, np.int64))
    over = View(scene.alone.graph, scene.alone.positions, part)
    alone = View(explanation.named(truth).graph, layout(truth))
    words = f"Accuracy {float(best):.3f}: {len(partner)} nodes and {len(edges)} edges of the prototype are in the truth"
    return Overlay(
        svg_of(over, palette, f"The prototype over the ground truth. {words}", FRAME),
        svg_of(alone, palette, f"The ground truth: {size(truth)}", FRAME),
        words,
    )
