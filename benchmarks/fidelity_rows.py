"""What is measured of one model: the fidelity of its explanation, how large the rule is, and what stands beside it."""

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from torch import nn
from torch_geometric.data import Data
from torch_geometric.utils import to_networkx

import protograph as pg
from protograph.evaluation.evaluation import accuracy_of
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns.containment import contained_in
from protograph.reproduce.worlds.nets import predicted

LEAVES = (8, 32)
Matrix = NDArray[np.bool_]


def row_of(
    model: nn.Module,
    inside: Sequence[Data],
    outside: Sequence[Data],
    seed: int,
    names: Mapping[str, object],
    max_reasons: int | None = None,
) -> tuple[dict, pg.Explanations]:
    """Explain a model by the graphs inside, hold the rules against its predictions for those outside."""
    given = {} if max_reasons is None else {"max_reasons": max_reasons}
    predictions = {"inside": predicted(model, inside), "outside": predicted(model, outside)}
    forward, _ = timed(lambda: predicted(model, inside))
    explainer = pg.PAGE(random_state=seed, **given)
    known = {key: value for key, value in names.items() if value}
    seconds, explanations = timed(lambda: explainer.fit(model, list(inside), **known).explain_all())
    patterns = patterns_of(explanations)
    row = {
        **agreement(explanations, outside, predictions["outside"]),
        "num_reasons": [len(getattr(one, "reasons", ())) for one in explanations.values()],
        "num_patterns": len(patterns),
        **trees(explainer, patterns, inside, outside, predictions),
        "majority": 1 / len(np.unique(predictions["outside"])),
        "seconds": round(seconds, 3),
        "forward_seconds": round(forward, 4),
        "ratio": round(seconds / forward, 1),
        "rules": {str(target): getattr(one, "rule", "") for target, one in explanations.items()},
        "patterns": sorted({key_of(pattern) for pattern in patterns}),
    }
    return row, explanations


def timed(work: Callable) -> tuple[float, object]:
    """Seconds that something takes, and what it gives."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def agreement(explanations: pg.Explanations, graphs: Sequence[Data], predictions: NDArray[np.int64]) -> dict:
    """Fidelity on graphs that were kept apart, with its interval, and what the explanations print themselves."""
    value = pg.metrics.fidelity(explanations, graphs, predictions)
    row = {"fidelity": float(value), "low": value.low, "high": value.high, "by_class": list(value.by_class)}
    printed, without = explanations.fidelity, explanations.fidelity_without_rest
    return row | {
        "printed": None if printed is None else float(printed),
        "printed_without_rest": None if without is None else float(without),
    }


def patterns_of(explanations: pg.Explanations) -> list:
    """The patterns of all reasons, none twice."""
    by_key = {}
    for explanation in explanations.values():
        for reason in getattr(explanation, "reasons", ()):
            for pattern in (*reason.has, *reason.lacks):
                by_key.setdefault(key_of(pattern), pattern)
    return list(by_key.values())


def key_of(pattern) -> str:
    """A text that is the same for the same pattern, whatever the numbers of its nodes."""
    graph = to_networkx(pattern.graph, to_undirected=True)
    rows = None if pattern.graph.x is None else pattern.graph.x.tolist()
    for node in graph:
        graph.nodes[node]["kind"] = f"{rows[node] if rows else ''} {node in pattern.closed}"
    attributes = pattern.graph.edge_attr if pattern.edge_rule.is_matched else None
    for number, (u, v) in enumerate(pattern.graph.edge_index.T.tolist()):
        graph.edges[u, v]["kind"] = "" if attributes is None else str(attributes[number].flatten().tolist())
    shape = nx.weisfeiler_lehman_graph_hash(graph, edge_attr="kind", node_attr="kind", iterations=graph.order())
    # Colour refinement alone does not tell a ring of six from two triangles: rings do.
    rings = sorted(map(len, nx.minimum_cycle_basis(graph)))
    text = f"{shape} {rings} {pattern.kind} {pattern.at_least}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def candidate_patterns(explainer: pg.PAGE, otherwise: list) -> list:
    """The patterns that rules were chosen from where the explainer offers them, else those of the rules themselves."""
    return list(getattr(explainer, "candidate_patterns_", None) or otherwise)


def trees(
    explainer: pg.PAGE,
    patterns: list,
    inside: Sequence[Data],
    outside: Sequence[Data],
    predictions: Mapping[str, NDArray[np.int64]],
) -> dict[str, float | None]:
    """Balanced accuracy of decision trees over our own patterns, learned inside and held against the model outside."""
    columns = candidate_patterns(explainer, patterns)
    if not columns:
        return {f"tree_{leaves}": None for leaves in LEAVES}
    tables = [np.stack([one.holds_in(list(graphs)) for one in columns], axis=1) for graphs in (inside, outside)]
    result = {}
    for leaves in LEAVES:
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, class_weight="balanced", random_state=0)
        tree.fit(tables[0], predictions["inside"])
        result[f"tree_{leaves}"] = balanced(tree.predict(tables[1]) == predictions["outside"], predictions["outside"])
    return result


def balanced(is_right: Matrix, classes: NDArray[np.int64]) -> float:
    """Share of right answers, every class weighing the same.

    >>> balanced(np.array([True, False, True]), np.array([0, 0, 1]))
    0.75
    """
    return float(np.mean([is_right[classes == one].mean() for one in np.unique(classes)]))


def truths_found(truths: Mapping[int, Sequence[Data]], explanations: pg.Explanations) -> list[bool]:
    """For each truth whether a pattern of one of the reasons of its class is the same graph."""
    result = []
    for target, own in truths.items():
        reasons = getattr(explanations.get(target), "reasons", ())
        patterns = [one.graph for reason in reasons for one in (*reason.has, *reason.lacks)]
        result += [any(_is_same(truth, pattern) for pattern in patterns) for truth in own]
    return result


def prototypes_accuracy(
    truths: Mapping[int, Sequence[Data]], explanations: pg.Explanations, graphs: Sequence[Data]
) -> float | None:
    """Mean accuracy of the prototypes of a class, and then of the classes with truths; ``None`` without prototypes."""
    by_class = [
        np.mean([accuracy_of(one, explanations[target], graphs, own).value for one in explanations[target].prototypes])
        for target, own in truths.items()
        if target in explanations and explanations[target].prototypes
    ]
    return float(np.mean(by_class)) if by_class else None


def _is_same(truth: Data, pattern: Data) -> bool:
    """Whether two graphs are isomorphic; in kinds too, unless the pattern is one by its shape alone."""
    one, other = to_networkx(truth, to_undirected=True), to_networkx(pattern, to_undirected=True)
    if pattern.x is None:
        return nx.is_isomorphic(one, other)
    for graph, data in ((one, truth), (other, pattern)):
        nx.set_node_attributes(graph, dict(enumerate(data.x.tolist())), "kind")
    return nx.is_isomorphic(one, other, node_match=lambda a, b: a["kind"] == b["kind"])


def truth_fidelity(truths: Mapping[int, Sequence[Data]], graphs: Sequence[Data], model: nn.Module) -> float:
    """Fidelity of "contains a truth of the class"; a class without truths is that of graphs without any."""
    predictions = predicted(model, graphs)
    num_classes = 1 + max(*truths, int(predictions.max()))
    encoded = EncodedGraphs([Data(x=one.x, edge_index=one.edge_index) for one in graphs])
    holds = np.zeros((len(graphs), num_classes), dtype=bool)
    for target, patterns in truths.items():
        for pattern in patterns:
            holds[:, target] |= contained_in(Data(x=pattern.x, edge_index=pattern.edge_index), encoded) == 1
    for target in set(range(num_classes)) - set(truths):
        holds[:, target] = ~holds[:, list(truths)].any(axis=1)
    is_right = holds[np.arange(len(graphs)), predictions] & (holds.sum(axis=1) == 1)
    return balanced(is_right, predictions)
