"""How much of a prototype is the ground truth, how dense it is, and whether it is chemically possible."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from torch_geometric.data import Data

from protograph._utils.errors import ProtographWarning
from protograph.explanation import Explanation, Prototype
from protograph.graphs.conditions import Match
from protograph.graphs.encoding import EncodedGraph, EncodedGraphs
from protograph.metrics.intervals import Measure
from protograph.molecules.read import import_chem


@dataclass(frozen=True, kw_only=True)
class Accuracy(Measure):
    """Agreement of a graph with a ground truth, under the best correspondence of their nodes.

    Attributes:
        value: The accuracy, in [0, 1]; higher is better.
        true_positives: Nodes and edges that correspond.
        false_positives: The graph's other nodes and edges.
        false_negatives: The truth's other nodes and edges.
        is_exact: Whether the correspondence is proven to be the best one.
        bound: No correspondence gives more; equal to ``value`` where that is exact.
        mapping: Pairs of corresponding nodes, of the graph and of the truth.
        truth: Which of several truths this is.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    is_exact: bool
    bound: float
    mapping: list[tuple[int, int]]
    truth: int = 0


def accuracy(
    graph: Data,
    truth: Data,
    *,
    match_features: Match = True,
    match_edges: Match = False,
    max_calls: int = 5_000_000,
) -> Accuracy:
    r"""Nodes and edges that a prototype shares with the ground truth, among all that either has.

    .. math:: \mathrm{Acc.} = \frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP} + \mathrm{FN}}

    In [0, 1], higher is better; 1 for equal graphs (two without nodes are equal). The accuracy of the paper (section
    "Quantitative Analysis"), where TP are the nodes and edges of the graph that correspond to some of the truth, FP
    its others, FN the truth's others. Nodes correspond one to one, where their rows of ``x`` agree, and not all
    need to; an edge corresponds if both its ends do and are joined in the truth. Of all correspondences the one with
    the highest accuracy counts, found by an exact branch and bound.

    Args:
        graph: The prototype.
        truth: The ground truth.
        match_features: Whether corresponding nodes must have equal rows of ``x``; or the rule of an explanation, its
            ``node_rule``.
        match_edges: Whether corresponding edges must have equal rows of ``edge_attr``, or a rule for that.
        max_calls: Most pairs of nodes the search tries. It then warns and returns the best accuracy so far, with
            ``is_exact`` false and a ``bound``.

    >>> import torch
    >>> triangle = Data(edge_index=torch.tensor([[0, 1, 2], [1, 2, 0]]), num_nodes=3)
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> float(accuracy(path, triangle))  # 3 nodes and 2 edges of 3 + 3
    0.8333333333333334
    """
    return best_accuracy(graph, [truth], match_features=match_features, match_edges=match_edges, max_calls=max_calls)


def best_accuracy(
    graph: Data,
    truths: Sequence[Data],
    *,
    match_features: Match = True,
    match_edges: Match = False,
    max_calls: int = 5_000_000,
) -> Accuracy:
    r"""The highest :func:`accuracy` over several ground truths, the first of equal ones.

    .. math:: \max_{g_T} \mathrm{Acc.}(g, g_T)

    In [0, 1], higher is better.

    Args:
        graph: The prototype.
        truths: The ground truths, at least one. The result's ``truth`` says which it is.
        match_features: As of :func:`accuracy`.
        match_edges: As of :func:`accuracy`.
        max_calls: As of :func:`accuracy`, for each truth.

    >>> import torch
    >>> edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    >>> best_accuracy(edge, [node, edge]).truth
    1
    """
    if not truths:
        raise ValueError("truths must have at least one graph, got none")
    each = [
        _accuracy(graph, truth, number, match_features, match_edges, max_calls) for number, truth in enumerate(truths)
    ]
    best = max(each, key=float)
    bound = max(one.bound for one in each)
    if bound > best.value:
        warnings.warn(
            f"the best correspondence was not found within {max_calls} calls; the accuracy is between "
            f"{best.value:.4f} and {bound:.4f}; raise max_calls to know it",
            ProtographWarning,
            stacklevel=2,
        )
    return replace(best, bound=bound, is_exact=bound <= best.value)


def _accuracy(
    graph: Data, truth: Data, number: int, match_features: Match, match_edges: Match, max_calls: int
) -> Accuracy:
    from protograph.patterns.correspondence import largest_common_subgraph

    if max_calls < 1:
        raise ValueError(f"max_calls must be at least 1, got {max_calls}")
    encoded = EncodedGraphs(
        [graph, truth], match_features=match_features, match_edges=match_edges, names=["graph", "truth"]
    )
    ours, theirs = encoded[0], encoded[1]
    is_swapped = ours.num_nodes > theirs.num_nodes
    small, large = (theirs, ours) if is_swapped else (ours, theirs)
    common = largest_common_subgraph(small, large, max_calls)
    image = common.image.tolist()
    pairs = [(node, other) for node, other in enumerate(image) if other >= 0]
    num_edges = len({(image[u], image[v], kind) for u, v, kind in _edges(small)} & _edges(large)) // 2
    total = small.num_nodes + small.num_edges + large.num_nodes + large.num_edges
    true_positives, most = len(pairs) + num_edges, len(pairs) + max(common.bound, num_edges)
    is_exact = common.is_exact or most == true_positives
    return Accuracy(
        value=_ratio(true_positives, total),
        true_positives=true_positives,
        false_positives=ours.num_nodes + ours.num_edges - true_positives,
        false_negatives=theirs.num_nodes + theirs.num_edges - true_positives,
        is_exact=is_exact,
        bound=_ratio(true_positives if is_exact else most, total),
        mapping=sorted((other, node) for node, other in pairs) if is_swapped else pairs,
        truth=number,
    )


def _ratio(common: int, total: int) -> float:
    return common / (total - common) if total else 1.0


def _edges(graph: EncodedGraph) -> set[tuple[int, int, int]]:
    """Both ends and the kind of each edge, in both directions."""
    owner = np.repeat(np.arange(graph.num_nodes), np.diff(graph.starts))
    return set(zip(owner.tolist(), graph.neighbours.tolist(), graph.edge_kinds.tolist(), strict=True))


def density(graph: Data) -> float:
    r"""Undirected edges over nodes squared: how simple a prototype is.

    .. math:: \mathrm{density}(g) = |E| / |V|^2

    In [0, 0.5). The paper takes lower for better, since fewer edges are less to take in; but a perfect prototype has
    the density of its ground truth, so read it beside that. Self-loops and repeated edges do not count. The
    paper (section "Quantitative Analysis") gives the formula in words; that it counts each edge once follows from its
    published figures, such as 12 / 81 for BA-house.

    Args:
        graph: A prototype's graph; without nodes the density is 0.

    >>> import torch
    >>> density(Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=4))
    0.125
    """
    arrays = EncodedGraphs([graph], names=["graph"])[0]
    return arrays.num_edges / arrays.num_nodes**2 if arrays.num_nodes else 0.0


def validity(prototypes: Explanation | Iterable[Prototype]) -> float:
    r"""Share of prototypes that RDKit sanitises: valences, aromatic rings and charges are possible.

    .. math:: \frac{|\{p : \mathrm{SanitizeMol}(p) \text{ succeeds}\}|}{|P|}

    In [0, 1], and higher is better. Open valences of a fragment are filled with hydrogens; half an aromatic ring
    is not valid.

    Args:
        prototypes: An explanation of molecules, or prototypes of it.

    Raises:
        ValueError: If there are none, or the data set's ``feature_names`` are not symbols of atoms.
        ImportError: If RDKit is not installed.
    """
    chosen = list(prototypes.prototypes if isinstance(prototypes, Explanation) else prototypes)
    if not chosen:
        raise ValueError("prototypes is empty; pass at least one")
    chem = import_chem("validity of molecules")
    with chem.rdBase.BlockLogs():
        # What cannot be sanitised is given back as it is, so it is tried again.
        faults = [chem.SanitizeMol(chem.Mol(prototype.to_rdkit()), catchErrors=True) for prototype in chosen]
    return faults.count(chem.SanitizeFlags.SANITIZE_NONE) / len(chosen)
