"""Numbers and names as pictures and reports say them."""

from torch_geometric.data import Data

from protograph._utils.words import UNNAMED, count_of, one_line
from protograph.explanation import Explanation, Prototype
from protograph.explanation.describing.sentences import cluster_of, taken_for
from protograph.report.layout import undirected_edges

NO_PROTOTYPE = "No prototype was found."
# Letters of a class's name; a picture cuts it at its edge.
MAX_TITLE = 200


def shortened(text: str, length: int) -> str:
    r"""The text on one line of printable characters, cut where it is longer.

    >>> shortened("a very\tlong name", 8)
    'a very …'
    """
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1]}…"


def class_title(explanation: Explanation) -> str:
    """Number and name of the class.

    >>> from protograph.explanation import Names, Survey
    >>> names = Names(classes=("no house", "house"))
    >>> class_title(Explanation(target=1, prototypes=[], survey=Survey(predictions=(1,)), names=names))
    'Class 1: house'
    """
    title, name = f"Class {explanation.target}", explanation.class_name
    return title if name == str(explanation.target) else f"{title}: {shortened(name, MAX_TITLE) or UNNAMED}"


def class_facts(explanation: Explanation) -> str:
    """How many graphs are predicted as the class, and who explains it."""
    verb = "is" if explanation.num_predicted == 1 else "are"
    graphs = count_of(explanation.num_graphs, "graph")
    return f"{explanation.num_predicted:,} of {graphs} {verb} predicted as it; found by {explanation.explainer}"


def heading(prototype: Prototype) -> str:
    """Probability and margin of a prototype, and the class that the model takes it for where that is another one."""
    taken = f", taken for class {prototype.predicted}" if taken_for(prototype) else ""
    return f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}{taken}"


def size(graph: Data) -> str:
    """How many nodes and undirected edges a graph has.

    >>> import torch
    >>> size(Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 1]]), num_nodes=2))
    '2 nodes, 2 edges'
    """
    num_edges = sum(map(len, undirected_edges(graph)))
    return f"{count_of(int(graph.num_nodes or 0), 'node')}, {count_of(num_edges, 'edge')}"


def pale_note(prototype: Prototype) -> str:
    """What it means that some nodes and edges are drawn paler; nothing where none are."""
    evidence = prototype.evidence
    counts = () if evidence is None else (*evidence.node_graphs, *evidence.edge_graphs)
    if evidence is None or not counts or min(counts) >= evidence.num_looked_at:
        return ""
    return (
        "paler nodes and thinner edges are found in fewer of the "
        f"{count_of(evidence.num_looked_at, 'graph')} of its cluster that were looked at"
    )


def origin(explanation: Explanation, prototype: Prototype, num_source_nodes: int | None = None) -> str:
    """Cluster, size and source of a prototype; what else is known of the source stands above its picture."""
    parts = [size(prototype.graph)]
    if cluster := cluster_of(prototype.cluster, prototype.num_clusters, prototype.cluster_size):
        parts.insert(0, cluster)
    if prototype.source is not None:
        share = "" if num_source_nodes is None else f", {prototype.num_nodes} of {count_of(num_source_nodes, 'node')}"
        place = explanation.origin(prototype.source).position
        parts.append(f"cut from graph {place}{share}")
    return " · ".join(parts)
