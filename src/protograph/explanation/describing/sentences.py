"""A sentence for a prototype: what it is, where it is found, and what the model says."""

import math
from collections.abc import Sequence

from torch_geometric.data import Data

from protograph._base.words import clean_name
from protograph.explanation.describing.composition import compose
from protograph.explanation.describing.groups import name_molecule
from protograph.explanation.describing.molecule import Molecule, bond_types
from protograph.explanation.describing.motifs import simple_graph
from protograph.explanation.explanation import Evidence, Prototype
from protograph.graphs.kinds import node_columns
from protograph.molecules.elements import are_atoms

# Bits; below, containing the prototype says nothing worth mentioning about the class.
_TELLS_NOTHING = 0.01


def describe(prototype: Prototype, class_name: str | None = None, *, colors: Sequence[str] = ()) -> str:
    """Say in plain words what a prototype is and how strong the evidence for it is; what is not known is left out.

    Args:
        prototype: The prototype.
        class_name: Name or number of its class; ``None`` says "its class".
        colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.

    >>> import torch
    >>> ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    >>> graph = Data(x=torch.eye(2)[[0] * 6], edge_index=ring)
    >>> evidence = Evidence(num_in_class=97, num_class=100, num_elsewhere=2, num_others=1000, num_in_cluster=60,
    ...                     information=0.9)
    >>> prototype = Prototype(graph=graph, probability=0.998, margin=6.2, cluster=0, num_clusters=2, cluster_size=3120,
    ...                       evidence=evidence, feature_names=("C", "O"))
    >>> describe(prototype, "1").split("; ")[:2]
    ['six carbons in a ring', 'found in 97% of the graphs predicted as class 1 and in 0.2% of the others']
    >>> describe(prototype).split("; ")[2:]
    ['p = 0.998', 'cluster 1 of 2, 3,120 graphs']
    """
    parts = [
        name_of(prototype.graph, prototype.feature_names, prototype.edge_names, colors=colors),
        _found(prototype.evidence, class_name),
        _probability(prototype.probability),
        _cluster(prototype),
    ]
    return "; ".join(part for part in parts if part)


def name_of(
    graph: Data, feature_names: Sequence[str] = (), edge_names: Sequence[str] = (), *, colors: Sequence[str] = ()
) -> str:
    """Say what a graph is: a motif, a ring with functional groups, or how many nodes of each kind it has.

    Args:
        graph: The graph.
        feature_names: Names of the columns of ``x``. Symbols of atoms make it a molecule.
        edge_names: Names of the columns of ``edge_attr``: single, double, triple and aromatic bonds in any case.
        colors: Colours of the columns of ``x``; those with the empty text do not decide what kind a node is.

    >>> import torch
    >>> name_of(Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]), num_nodes=4))
    'a ring of four nodes'
    """
    kinds = node_columns(graph, colors)
    has_names = graph.x is not None and graph.x.dim() == 2 and graph.x.size(1) == len(feature_names)
    kinds = kinds if has_names else None
    simple = simple_graph(graph)
    if kinds is not None and are_atoms(feature_names):
        molecule = Molecule(simple, [feature_names[kind] for kind in kinds], bond_types(graph, edge_names))
        if name := name_molecule(molecule, kinds, feature_names):
            return name
    return compose(simple, kinds, feature_names)


def _found(evidence: Evidence | None, class_name: str | None) -> str:
    """In how many graphs it is found; shares of no graphs are left out."""
    if evidence is None:
        return ""
    parts = []
    if evidence.num_class:
        share = share_of(evidence.num_in_class, evidence.num_class)
        parts.append(f"in {share} of the graphs predicted as {_class(class_name)}")
    if evidence.num_others:
        share = share_of(evidence.num_elsewhere, evidence.num_others)
        others = "the others" if parts else f"the graphs not predicted as {_class(class_name)}"
        parts.append(f"in {share} of {others}")
    if len(parts) == 2 and evidence.information < _TELLS_NOTHING:
        # Such a class is known by what its graphs lack.
        parts[1] += ", so that by itself it does not tell the class"
    return f"found {' and '.join(parts)}" if parts else ""


def _class(class_name: str | None) -> str:
    if class_name is None:
        return "its class"
    name = clean_name(class_name)
    return f"class {name}" if name.isdigit() else name


def share_of(number: int, total: int) -> str:
    """A share as a percentage that never claims none or all where it is not so.

    >>> share_of(97, 100), share_of(2, 1000), share_of(0, 9), share_of(9, 9), share_of(1999, 2000)
    ('97%', '0.2%', 'none', 'all', 'more than 99.9%')
    """
    if number in (0, total):
        return "all" if number else "none"
    # Compared as whole numbers: as a fraction one in a thousand may come out just below or above.
    if 1000 * number < total:
        return "less than 0.1%"
    if 1000 * (total - number) < total:
        return "more than 99.9%"
    percent = 100 * number / total
    shown = f"{percent:.1f}".removesuffix(".0") if percent < 1 or percent > 99 else f"{percent:.0f}"
    return f"{shown}%"


def _probability(probability: float) -> str:
    """The model's probability, 1 or 0 only where it is exactly so."""
    if math.isnan(probability):
        return ""
    shown = f"{probability:.3f}"
    if shown == "1.000" and probability < 1:
        return "p more than 0.999"
    if shown == "0.000" and probability > 0:
        return "p less than 0.001"
    return f"p = {shown}"


def _cluster(prototype: Prototype) -> str:
    if prototype.cluster is None:
        return ""
    # Clusters count from 0 in the data, and from 1 for people.
    text = f"cluster {prototype.cluster + 1}"
    if prototype.num_clusters is not None:
        text += f" of {prototype.num_clusters}"
    if prototype.cluster_size is None:
        return text
    return f"{text}, {prototype.cluster_size:,} graph{'' if prototype.cluster_size == 1 else 's'}"
