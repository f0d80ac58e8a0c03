"""Numbers and names as pictures and reports say them."""

import math
from dataclasses import replace

from protograph.explanation.explanation import Explanation, Prototype


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "node"), count(1200, "edge")
    ('1 node', '1,200 edges')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def class_title(explanation: Explanation) -> str:
    """Number and name of the class.

    >>> class_title(Explanation(target=1, prototypes=[], explainer="PAGE", options={}, num_graphs=1, num_predicted=1,
    ...                         class_names=("no house", "house")))
    'Class 1: house'
    """
    if explanation.class_name == str(explanation.target):
        return f"Class {explanation.target}"
    return f"Class {explanation.target}: {explanation.class_name}"


def class_facts(explanation: Explanation) -> str:
    """How many graphs are predicted as the class, and who explains it."""
    verb = "is" if explanation.num_predicted == 1 else "are"
    share = f"{explanation.num_predicted:,} of {count(explanation.num_graphs, 'graph')} {verb} predicted as it"
    return f"{share}; found by {explanation.explainer}"


def score(prototype: Prototype) -> str:
    """Probability and margin of a prototype."""
    return f"p = {prototype.probability:.4f}, margin {prototype.margin:.2f}"


def cluster_name(number: int, num_clusters: int | None = None) -> str:
    """A cluster as people count, from 1; the data count from 0.

    >>> cluster_name(0), cluster_name(0, 2)
    ('cluster 1', 'cluster 1 of 2')
    """
    return f"cluster {number + 1}" + ("" if num_clusters is None else f" of {num_clusters}")


def sentence(explanation: Explanation, prototype: Prototype) -> str:
    """What a prototype is, where it is found, and what the model says, in one sentence."""
    return prototype.describe(explanation.class_name, colors=explanation.feature_colors)


def about(explanation: Explanation, prototype: Prototype) -> list[str]:
    """A line that says what a prototype is, and one that says where it is found, if that is known."""
    plain = replace(prototype, probability=math.nan, cluster=None)
    name = sentence(explanation, replace(plain, evidence=None))
    found = sentence(explanation, plain).removeprefix(name).removeprefix("; ")
    return [line for line in (name, found) if line]


def pale_note(prototype: Prototype) -> str:
    """What it means that some nodes and edges are drawn paler; nothing where none are."""
    evidence = prototype.evidence
    found = () if evidence is None else (*evidence.node_graphs, *evidence.edge_graphs)
    if evidence is None or not found or min(found) >= evidence.num_looked_at:
        return ""
    return (
        "paler nodes and thinner edges are found in fewer of the "
        f"{count(evidence.num_looked_at, 'graph')} of its cluster that were looked at"
    )


def origin(prototype: Prototype, num_source_nodes: int | None) -> str:
    """Cluster, size and source of a prototype."""
    parts = [f"{count(prototype.num_nodes, 'node')}, {count(prototype.num_edges, 'edge')}"]
    if prototype.cluster is not None:
        members = "" if prototype.cluster_size is None else f", {count(prototype.cluster_size, 'graph')}"
        parts.insert(0, f"{cluster_name(prototype.cluster, prototype.num_clusters)}{members}")
    if prototype.source is not None:
        part = f", {prototype.num_nodes} of {count(num_source_nodes, 'node')}" if num_source_nodes is not None else ""
        parts.append(f"cut from graph {prototype.source}{part}")
    return " · ".join(parts)
