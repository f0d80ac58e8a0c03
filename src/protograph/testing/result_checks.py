"""Checks of what an explainer gives: prototypes that are graphs of the data, judged right, and kept whole."""

import copy
import math
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Data

from protograph.explanation.storage import load
from protograph.testing.cases import CONVOLUTIONS, small_model
from protograph.testing.subject import Subject, difference, most_predicted, of_most, owed

# Of a probability and of log-odds that were worked out apart from each other.
PROBABILITY, MARGIN = 1e-6, 1e-5


def facts_are_told(subject: Subject) -> None:
    """An explanation knows who made it, for which class, and of how many graphs."""
    explainer, explanation = subject.fitted(), subject.explained()
    target, kind = most_predicted(explainer), type(explainer).__name__
    count = int((explainer.predictions_ == target).sum())
    owed(explanation.explainer == kind, f"the explainer's name {kind!r}", repr(explanation.explainer))
    owed(explanation.target == target, f"an explanation of class {target}", explanation.target)
    owed(explanation.num_graphs == len(subject.graphs), f"num_graphs {len(subject.graphs)}", explanation.num_graphs)
    owed(explanation.num_predicted == count, f"num_predicted {count}", explanation.num_predicted)
    calls, least = explanation.model_calls or 0, len(subject.graphs)
    owed(calls >= least, f"model_calls of at least {least}, the graphs that fit shows", calls)


def prototypes_are_graphs_of_the_data(subject: Subject) -> None:
    """Connected, undirected, simple, with rows of x that occur, and no more nodes than max_nodes."""
    rows = {tuple(row) for graph in subject.graphs for row in graph.x.tolist()}
    most = subject.made()._options().get("max_nodes")
    for convolution in CONVOLUTIONS:
        for number, prototype in enumerate(subject.explained(convolution).prototypes):
            graph, which = prototype.graph, f"prototype {number} ({convolution})"
            size = int(graph.num_nodes or 0)
            owed(size >= 1, f"{which} to have nodes", "none")
            owed(most is None or size <= most, f"{which} to have at most max_nodes={most} nodes", size)
            owed(graph.x.dtype == subject.graphs[0].x.dtype, f"{which} to have the data's type of x", graph.x.dtype)
            other = [row for row in map(tuple, graph.x.tolist()) if row not in rows]
            owed(not other, f"{which} to have rows of x that occur in the data", f"the row {other[:1]}")
            owed(*_simple(graph, which))
            owed(_num_reached(graph) == size, f"{which} to be connected", f"{_num_reached(graph)} of {size} nodes")


def parts_are_where_they_say(subject: Subject) -> None:
    """A prototype that was cut from a graph has that graph's rows of x, and no edges that it lacks."""
    explanation = subject.explained()
    for number, prototype in enumerate(explanation.prototypes):
        if prototype.source is None or prototype.nodes is None:
            continue
        source, nodes = subject.graphs[prototype.source], prototype.nodes
        which = f"prototype {number}, of nodes {nodes} of graph {prototype.source},"
        owed(prototype.source in explanation.source_graphs, f"{which} to have its graph in source_graphs", "none")
        is_there = len(nodes) == prototype.num_nodes and torch.equal(source.x[nodes], prototype.graph.x)
        owed(is_there, f"{which} to have the rows of x of these nodes", "others")
        there = set(map(tuple, source.edge_index.T.tolist()))
        missing = [edge for edge in _edges(prototype.graph) if (nodes[edge[0]], nodes[edge[1]]) not in there]
        owed(not missing, f"{which} to have edges of that graph only", f"the edge {missing[:1]}")


def probabilities_are_the_models(subject: Subject) -> None:
    """Probability and margin are what the model gives for the prototype by itself."""
    for convolution in CONVOLUTIONS:
        model = small_model(convolution)
        explanation = subject.explained(convolution)
        for number, prototype in enumerate(explanation.prototypes):
            chances = _probabilities(model, prototype.graph)
            chance, which = float(chances[explanation.target]), f"prototype {number} ({convolution})"
            is_right = math.isclose(prototype.probability, chance, rel_tol=0, abs_tol=PROBABILITY)
            owed(is_right, f"{which} to have the model's probability {chance:.6f}", f"{prototype.probability:.6f}")
            odds = math.log(chance) - math.log1p(-chance)
            is_right = math.isclose(prototype.margin, odds, rel_tol=MARGIN, abs_tol=MARGIN)
            owed(is_right, f"{which} to have the model's log-odds {odds:.5f} as margin", f"{prototype.margin:.5f}")


def best_comes_first(subject: Subject) -> None:
    """Prototypes are in the order of their margins, the highest first."""
    margins = [prototype.margin for prototype in of_most(subject.fitted(num_prototypes=3)).prototypes]
    told = ", ".join(f"{margin:.4f}" for margin in margins)
    is_sorted = all(first >= second - MARGIN for first, second in pairwise(margins))
    owed(is_sorted, "prototypes by margin, the highest first", told)


def predicted_class_is_known(subject: Subject) -> None:
    """A prototype says which class it stands for, and which one the model takes it for."""
    model = small_model(num_classes=3)
    for target, explanation in subject.fitted(model).explain_all().items():
        for number, prototype in enumerate(explanation.prototypes):
            which = f"prototype {number} of class {target}"
            owed(prototype.target == target, f"{which} to have target {target}", prototype.target)
            predicted = int(_probabilities(model, prototype.graph).argmax())
            owed(prototype.predicted == predicted, f"{which} to be predicted as {predicted}", prototype.predicted)


def saved_and_loaded_is_the_same(subject: Subject) -> None:
    """What is saved is loaded again as it was."""
    explanation = subject.explained()
    with tempfile.TemporaryDirectory() as folder:
        explanation.save(Path(folder) / "explanation.json")
        again: Any = load(Path(folder) / "explanation.json")
    owed(again.options == explanation.options, f"the options {explanation.options} when loaded", again.options)
    differing = difference(explanation, again)
    owed(not differing, "the same prototypes when loaded", differing)
    owed(again.summary() == explanation.summary(), f"the summary {explanation.summary()!r}", repr(again.summary()))


def picture_and_report_are_drawn(subject: Subject) -> None:
    """An explanation can be drawn and reported."""
    explanation = subject.explained()
    with tempfile.TemporaryDirectory() as folder:
        explanation.plot(Path(folder) / "prototypes.png")
        explanation.report(Path(folder) / "report.html")
        picture = (Path(folder) / "prototypes.png").read_bytes()
        page = (Path(folder) / "report.html").read_text(encoding="utf-8")
    owed(picture.startswith(b"\x89PNG"), "a picture in PNG", f"{len(picture)} bytes of something else")
    owed(explanation.explainer in page, f"a report that names {explanation.explainer}", "one that does not")


def _simple(graph: Data, which: str) -> tuple[bool, str, str]:
    """Whether a graph is undirected and has no self-loops or repeated edges, with the words for it."""
    edges = _edges(graph)
    if any(not 0 <= end < int(graph.num_nodes or 0) for edge in edges for end in edge):
        return False, f"{which} to have edges between its own nodes", f"{edges}"
    if any(start == end for start, end in edges):
        return False, f"{which} to have no self-loops", "some"
    if len(set(edges)) < len(edges):
        return False, f"{which} to have each edge once in each direction", f"{len(edges)} of {len(set(edges))}"
    one_way = [edge for edge in edges if (edge[1], edge[0]) not in set(edges)]
    return not one_way, f"{which} to be undirected", f"the edge {one_way[:1]} in one direction"


def _edges(graph: Data) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, end in graph.edge_index.T.tolist()]


def _num_reached(graph: Data) -> int:
    """How many nodes can be reached from the first."""
    edges, reached, new = _edges(graph), {0}, {0}
    while new:
        new = {end for start, end in edges if start in new} - reached
        reached |= new
    return len(reached)


def _probabilities(model: nn.Module, graph: Data) -> Tensor:
    """The model's probabilities of the classes, worked out in float64 by calling it directly."""
    twin, batch = copy.deepcopy(model).double().eval(), torch.zeros(int(graph.num_nodes or 0), dtype=torch.long)
    with torch.no_grad():
        scores: Tensor = twin(graph.x.double(), graph.edge_index, batch)
    return scores.softmax(dim=1)[0]
