"""Phase 2 as in the paper: k representatives are walked in step, and the model chooses among what was walked."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph._base.ties import first_best, tolerance_for
from protograph.explanation import Session
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.validate import node_count
from protograph.page.candidate import Candidate, NoPrototypeError
from protograph.page.clustering import Cluster
from protograph.page.fitted import FittedClass, split_by_graph
from protograph.page.options import SearchOptions
from protograph.page.walk.search import Walk, search
from protograph.patterns.canonical import CanonicalGraph
from protograph.patterns.common_subgraph import CommonPatterns


def walk_candidates(fitted: FittedClass, cluster: Cluster, options: SearchOptions) -> list[Candidate]:
    """Each session's best candidate; without ``max_nodes``, as large at most as what the graphs have in common."""
    sources = fitted.canonical(cluster.representatives)
    graphs = [source.graph for source in sources]
    if options.scoring != "product" and len(graphs) < 2:
        raise NoPrototypeError(f"scoring={options.scoring!r} needs at least 2 graphs, it has 1")
    limited = replace(options, max_nodes=options.max_nodes or common_size(graphs, options))
    node_embeddings = fitted.judge.classifier.embed(graphs, nodes=True).node_embeddings
    walks = search(graphs, split_by_graph(node_embeddings, graphs), limited, resolution=fitted.resolution)
    if not walks:
        raise NoPrototypeError(
            f"no nodes of its graphs {[*map(fitted.position, cluster.representatives)]} have equal features; "
            f"pass match_features=False or a tolerance"
        )
    return _retrieved(fitted, cluster, sources, walks)


def best_walk(fitted: FittedClass, candidates: Sequence[Candidate]) -> Candidate:
    """The candidate with the largest margin, the first of those that tie.

    Probabilities saturate at 1 long before margins stop telling graphs apart.
    """
    margins = [candidate.session.margin for candidate in candidates]
    return candidates[_best(margins, fitted.resolution)]


def common_size(graphs: Sequence[Data], options: SearchOptions) -> int:
    """Most nodes that a walk should take: the size of the largest connected pattern that all the graphs have.

    A walk that goes on has left what they have in common. At least 2, and a single graph has half of its nodes.
    """
    if len(graphs) == 1:
        return max(2, -(-node_count(graphs[0]) // 2))
    common = CommonPatterns(graphs, options.match_features, match_edges=options.match_edges)
    largest = common.largest_of_all(options.walk.size_calls)
    return max(2, 0 if largest is None else len(largest.pattern))


def _retrieved(
    fitted: FittedClass, cluster: Cluster, sources: Sequence[CanonicalGraph], walks: Sequence[Walk]
) -> list[Candidate]:
    """Prototype retrieval (paper, Section 4.2.4): of each walk's k subgraphs the one that the model likes best."""
    parts = [induced_subgraph(sources[q].graph, nodes) for walk in walks for q, nodes in enumerate(walk.nodes)]
    judgement = fitted.judge(parts, fitted.target)
    candidates = []
    for number, walk in enumerate(walks):
        first = number * len(sources)
        q = _best(judgement.margins[first : first + len(sources)], fitted.resolution)
        session = Session(
            start=tuple(int(source.nodes[node]) for source, node in zip(sources, walk.start, strict=True)),
            probability=float(judgement.probabilities[first + q]),
            margin=float(judgement.margins[first + q]),
            size=node_count(parts[first + q]),
            source=cluster.representatives[q],
            stopped=walk.stopped,
            num_iterations=walk.num_iterations,
            is_exact=walk.is_exact,
        )
        columns = [source.nodes[walk.partners[q][:, r]] for r, source in enumerate(sources)]
        candidates.append(
            Candidate(
                graph=parts[first + q],
                sources=cluster.representatives,
                source=session.source,
                nodes=tuple(sources[q].nodes[list(walk.nodes[q])].tolist()),
                matches=torch.from_numpy(np.stack(columns, axis=1)),
                session=session,
                predicted=int(judgement.predictions[first + q]),
            )
        )
    return candidates


def _best(margins: Sequence[float] | Floats, resolution: float) -> int:
    return first_best(margins, tolerance_for(float(np.abs(margins).max()), resolution))
