"""Patterns and reasons made by hand, and plain loops that say what they come to."""

import math
from dataclasses import replace
from itertools import permutations

import torch
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation import Pattern, Reason, Support
from protograph.graphs.conditions import Condition, Reading, equal_to
from protograph.graphs.variables import CONTINUOUS, DIRECTION, ONE_HOT, WAYS, Variable
from tests.made import made_explanation
from tests.metrics.small_graphs import graph_of

NOWHERE = Support(num_in_class=0, num_class=0, num_elsewhere=0, num_others=0)


def reason(**parts):
    """A reason whose figures do not matter."""
    return Reason(**{"searched": NOWHERE, "confirming": NOWHERE} | parts)


def one_hot(names, key="x"):
    """The variable of one-hot columns with these names."""
    of, name = ("node", "element" if "C" in names else "kind") if key == "x" else ("edge", "bond")
    values = tuple(map(float, range(len(names))))
    labels = tuple(enumerate(names))
    return Variable(
        name=name, key=key, of=of, kind=ONE_HOT, places=tuple(range(len(names))), values=values, labels=labels
    )


def asking(graph, names=(), bonds=(), **lies):
    """A pattern that asks for the kinds of its nodes and edges where their columns have names."""
    sides = {}
    for of, own, rows in (("node", names, graph.x), ("edge", bonds, graph.edge_attr)):
        if own:
            sides[f"{of}_reading"] = reading = Reading(variables=(one_hot(own, "x" if of == "node" else "edge_attr"),))
            asked = [equal_to([float(row.argmax())], reading) for row in rows]
            ends = [tuple(sorted(pair)) for pair in graph.edge_index.T.tolist()]
            if of == "edge":
                asked = [own for _, own in sorted(dict(zip(ends[::-1], asked[::-1], strict=True)).items())]
            sides[f"{of}_conditions"] = tuple(asked)
    return Pattern(graph=graph, **sides, **lies)


def naive_places(pattern, graph):
    """The sets of nodes that a pattern has in a graph, by trying all of them."""
    there, inner = ways(graph), {frozenset(pair) for pair in pattern.edges}
    nodes = {variable.name: variable for variable in pattern.node_reading.variables}
    edges = {variable.name: variable for variable in pattern.edge_reading.variables}
    asked = dict(zip(pattern.edges, pattern.edge_conditions or [()] * len(pattern.edges), strict=True))

    def fits(u, v, first, second):
        if frozenset((u, v)) not in inner:
            return pattern.kind != "induced" or not joined(there, first, second)
        # What an edge holds there and back may differ; either may be what is asked for.
        rows = {there.get((first, second), there.get((second, first)))}
        rows.add(there.get((second, first), there.get((first, second))))
        way = ((first, second) in there) - ((second, first) in there)
        return joined(there, first, second) and any(
            all(
                meets(one, way if edges[one.variable].kind == DIRECTION else code(edges[one.variable], graph, row))
                for one in asked[u, v]
            )
            for row in rows
        )

    places = set()
    for image in permutations(range(graph.num_nodes), pattern.num_nodes):
        if (
            all(
                meets(one, code(nodes[one.variable], graph, v))
                for v, own in zip(image, pattern.node_conditions, strict=False)
                for one in own
            )
            and all(fits(u, v, image[u], image[v]) for v in range(pattern.num_nodes) for u in range(v))
            and all(degree(there, image[n]) == sum(n in pair for pair in inner) for n in pattern.closed)
        ):
            places.add(frozenset(image))
    return places


def ways(graph):
    """The row of each edge by where it comes from and where it goes; the first of several."""
    found = {}
    for row, pair in enumerate(map(tuple, graph.edge_index.T.tolist())):
        if pair[0] != pair[1]:
            found.setdefault(pair, row)
    return found


def joined(there, first, second):
    return (first, second) in there or (second, first) in there


def degree(there, node):
    return len({frozenset(pair) for pair in there if node in pair})


def code(variable, graph, row):
    """What a row of a graph is by a variable."""
    values = graph[variable.key][row].reshape(-1).tolist()
    own = [values[place] for place in variable.places]
    if variable.kind == ONE_HOT:
        return own.index(max(own)) if max(own) > 0 else -1
    if variable.kind != CONTINUOUS:
        return own[0]
    below = [cut for cut in variable.cuts if own[0] >= cut or math.isnan(own[0])]  # NaN is above all
    return max(below, default=-math.inf)


def meets(condition, code):
    if math.isnan(code):
        return False
    is_between = condition.low <= code <= condition.high
    return is_between != condition.is_not


def naive_pattern(pattern, graph):
    return len(naive_places(pattern, graph)) >= pattern.at_least


def naive_reason(one, graph):
    has = all(naive_pattern(pattern, graph) for pattern in one.has)
    lacks = not any(naive_pattern(pattern, graph) for pattern in one.lacks)
    return has and lacks and not any(naive_reason(other, graph) for other in one.unless)


def naive_fidelity(holds, predictions, num_classes):
    """Exactly one rule holds and it is the prediction; the mean over the classes that are predicted."""
    shares = []
    for target in range(num_classes):
        own = [row for row, predicted in zip(holds, predictions, strict=True) if predicted == target]
        if own:
            right = sum(row[target] and sum(row) == 1 for row in own)
            shares.append(right / len(own))
    return sum(shares) / len(shares)


KIND, BOND = one_hot(("red", "blue", "green")), one_hot(("single", "double", "odd"), "edge_attr")
CHARGE = Variable(name="charge", key="charge", places=(0,), values=(-1.0, 0.0, 1.0))
# Codes are lower bounds of bins.
HEIGHT = Variable(
    name="height", key="height", kind=CONTINUOUS, places=(0,), cuts=(0.5, 1.5), values=(-math.inf, 0.5, 1.5)
)
ORDER, LENGTH = replace(CHARGE, name="order", key="order", of="edge"), replace(HEIGHT, name="length", key="length")
WAY = Variable(name="direction", key="edge_index", of="edge", kind=DIRECTION, values=(-1.0, 0.0, 1.0), labels=WAYS)
NODES, EDGES = (KIND, CHARGE, HEIGHT), (BOND, ORDER, replace(LENGTH, of="edge"), WAY)


@st.composite
def conditions(draw, variables):
    """What is asked of a node or an edge: of some variables a value, an interval, or that it is neither."""
    asked = []
    for variable in draw(st.lists(st.sampled_from(variables), unique=True, max_size=2)) if variables else ():
        ends = draw(st.tuples(*[st.sampled_from(variable.values)] * 2).map(sorted))
        low, high = draw(st.sampled_from([ends, [ends[0]] * 2, [-math.inf, ends[1]], [ends[0], math.inf]]))
        asked.append(Condition(variable=variable.name, low=low, high=high, is_not=draw(st.booleans())))
    return tuple(asked)


@st.composite
def patterns(draw, max_nodes=4, nodes=NODES, edges=EDGES):
    """A connected pattern of some kind, which asks something of its nodes and edges or nothing."""
    size = draw(st.integers(1, max_nodes))
    tree = {(draw(st.integers(0, node - 1)), node) for node in range(1, size)}
    others = [(u, v) for v in range(size) for u in range(v) if (u, v) not in tree]
    pairs = sorted(tree | set(draw(st.lists(st.sampled_from(others), unique=True)) if others else ()))
    nodes, edges = (draw(st.lists(st.sampled_from(some), unique=True)) for some in (nodes, edges))
    return Pattern(
        graph=graph_of(size, pairs),
        kind=draw(st.sampled_from(["part", "induced"])),
        closed=tuple(sorted(draw(st.sets(st.integers(0, size - 1), max_size=2)))),
        at_least=draw(st.integers(1, 3)),
        node_reading=Reading(variables=tuple(nodes)),
        edge_reading=Reading(variables=tuple(edges)),
        node_conditions=tuple(draw(conditions(nodes)) for _ in range(size)),
        edge_conditions=tuple(draw(conditions(edges)) for _ in pairs),
    )


@st.composite
def reasons(draw, has_rest=True):
    """A reason of up to two patterns that are there and two that are lacking, or what is left without others."""
    few = st.lists(patterns(max_nodes=3), max_size=2).map(tuple)
    has, lacks = draw(few), draw(few)
    unless = draw(st.lists(reasons(has_rest=False), max_size=2).map(tuple)) if has_rest else ()
    return reason(
        has=has or (draw(patterns(max_nodes=2)),) if not (lacks or unless) else has, lacks=lacks, unless=unless
    )


def counted(one, graphs, is_class, parts):
    """A reason with the figures that it has on these graphs, of which each is in one of three parts."""
    holds = [naive_reason(one, graph) for graph in graphs]
    figures = {}
    for part, name in enumerate(("searched", "confirming", "kept_apart")):
        inside = [(h, c) for h, c, p in zip(holds, is_class, parts, strict=True) if p == part]
        figures[name] = Support(
            num_in_class=sum(h and c for h, c in inside),
            num_class=sum(c for _, c in inside),
            num_elsewhere=sum(h and not c for h, c in inside),
            num_others=sum(not c for _, c in inside),
        )
    indices = tuple(index for index, h in enumerate(holds) if h)
    return Reason(has=one.has, lacks=one.lacks, unless=one.unless, holds_in_indices=indices, **figures)


def explained(target, some, graphs, predictions, parts, num_classes=2, **facts):
    """An explanation of these reasons, all of its figures counted by plain loops."""
    is_class = [prediction == target for prediction in predictions]
    return made_explanation(
        target=target,
        **{"class_names": tuple(map(str, range(num_classes))), "graph_predictions": tuple(predictions)} | facts,
        reasons=tuple(counted(one, graphs, is_class, parts) for one in some),
        graph_parts=tuple(parts),
    )


def house():
    return graph_of(5, [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (3, 4)])


def complete(size):
    return graph_of(size, [(u, v) for v in range(size) for u in range(v)])


def both(*graphs):
    """Graphs side by side, as one."""
    offsets = [sum(graph.num_nodes for graph in graphs[:number]) for number in range(len(graphs))]
    edges = torch.cat([graph.edge_index + offset for graph, offset in zip(graphs, offsets, strict=True)], dim=1)
    return Data(edge_index=edges, num_nodes=sum(graph.num_nodes for graph in graphs))
