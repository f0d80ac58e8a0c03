"""Two classes of five small graphs, explained by hand: those with a triangle, and those without."""

from dataclasses import replace

import numpy as np

from protograph.explanation import EmbeddingMap, Evidence, Explanations, Pattern, Prototype
from protograph.explanation.survey import Survey, origin_columns
from protograph.graphs.origins import Origin
from tests.explanation.by_hand import explained, reason
from tests.metrics.small_graphs import graph_of

TRIANGLE = graph_of(3, [(0, 1), (1, 2), (0, 2)])
PATH = graph_of(4, [(0, 1), (1, 2), (2, 3)])
PAIR = graph_of(2, [(0, 1)])
GRAPHS = [TRIANGLE, PATH, TRIANGLE, PAIR, PATH]
PREDICTIONS = [1, 0, 1, 0, 1]  # the last one without a reason to
PARTS = [0, 0, 1, 2, 2]
ORIGINS = [Origin(position=10 + at, line=at + 2, name=name) for at, name in enumerate(["a", "=b", "c", "d", "<e>"])]
FACTS = Survey(
    predictions=tuple(PREDICTIONS),
    probabilities=(0.9, 0.8, 0.7, 0.6, 0.55),
    labels=(1, 0, 1, 0, 0),
    **origin_columns(ORIGINS),
)
HAS_TRIANGLE = reason(has=(Pattern(graph=TRIANGLE),))
HAS_PATH = reason(has=(Pattern(graph=PATH),))
IS_SHORT = reason(lacks=(Pattern(graph=graph_of(3, [(0, 1), (1, 2)])),))


def told(reasons=None, *, predictions=PREDICTIONS, facts=FACTS, class_names=("plain", "<b>three</b>")):
    """The explanations of both classes; by default of class 0 a path or none of two edges, of class 1 a triangle."""
    reasons = {0: (HAS_PATH, IS_SHORT), 1: (HAS_TRIANGLE,)} if reasons is None else reasons
    facts = replace(facts, predictions=tuple(predictions))
    items = {}
    for target, some in reasons.items():
        shared = {"survey": facts, "embedding_map": map_of(predictions), "class_names": class_names}
        found = [prototype()] if target == 1 else []
        items[target] = explained(target, some, GRAPHS, predictions, PARTS, prototypes=found, **shared)
    return Explanations(items)


def map_of(predictions):
    members = tuple(index for index, predicted in enumerate(predictions) if predicted == 1)
    return EmbeddingMap(members, np.zeros((len(members), 2)), (0,) * (len(members) - 1) + (-1,), (1.0, 0.0))


def prototype():
    evidence = Evidence(num_in_class=2, num_class=3, num_elsewhere=0, num_others=2, num_in_cluster=2, information=0.5)
    return Prototype(
        graph=TRIANGLE,
        probability=0.99,
        margin=4.6,
        cluster=0,
        cluster_size=2,
        sources=[0, 2],
        source=0,
        nodes=[0, 1, 2],
        evidence=evidence,
        target=1,
        predicted=1,
    )
