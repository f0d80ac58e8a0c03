"""Are the planted motifs found by the paper's search? BA-house and BA-grid, ten seeds of data and model.

    python -m benchmarks.found            prints every seed and writes results/found.json

BA-house, class 1, two clusters: one prototype must hold exactly one whole typed house and another two, neither being
a whole source graph of over 13 nodes. BA-grid, class 1: a prototype must hold at least 8 of the grid's 12 edges.
"""

import argparse
from itertools import combinations
from pathlib import Path

import networkx as nx
from networkx.algorithms.isomorphism import GraphMatcher
from torch_geometric.data import Data

import protograph as pg
from benchmarks import certificate

RESULT = certificate.RESULTS / "found.json"


def as_networkx(graph: Data) -> nx.Graph:
    found = nx.Graph()
    found.add_nodes_from((node, {"kind": kind}) for node, kind in enumerate(graph.x.argmax(1).tolist()))
    found.add_edges_from(edge for edge in graph.edge_index.t().tolist() if edge[0] != edge[1])
    return found


def occurrences(graph: Data, pattern: Data) -> set[frozenset[int]]:
    """Node sets of ``graph`` on which the typed ``pattern`` lies, edges between them beyond its own allowed."""
    matcher = GraphMatcher(as_networkx(graph), as_networkx(pattern), node_match=lambda a, b: a["kind"] == b["kind"])
    return {frozenset(mapping) for mapping in matcher.subgraph_monomorphisms_iter()}


def num_disjoint(sets: set[frozenset[int]], most: int) -> int:
    """Largest number of sets that share no node, at most ``most``."""
    for size in range(most, 0, -1):
        if any(len(frozenset().union(*chosen)) == sum(map(len, chosen)) for chosen in combinations(sets, size)):
            return size
    return 0


def most_common_edges(graph: Data, pattern: Data) -> int:
    """Most edges of ``pattern`` that lie in ``graph`` at once, kinds of nodes agreeing: exact, by removing edges."""
    whole, target = as_networkx(pattern), as_networkx(graph)
    edges = list(whole.edges)
    for num_removed in range(len(edges) + 1):
        for removed in combinations(edges, num_removed):
            part = whole.edge_subgraph([e for e in edges if e not in removed])
            matcher = GraphMatcher(target, nx.Graph(part), node_match=lambda a, b: a["kind"] == b["kind"])
            if any(True for _ in matcher.subgraph_monomorphisms_iter()):
                return len(edges) - num_removed
    return 0


def explained(name: str, seed: int) -> tuple[pg.Explanation, pg.Trained, pg.datasets.GraphDataset]:
    data = pg.datasets.load(name, random_state=seed)
    trained = pg.train(data, hidden=data.hidden, random_state=seed)
    page = pg.PAGE(search="walk", num_clusters=2, max_nodes=13, random_state=seed)
    explanation = page.fit(trained.model, data[trained.split.train]).explain(1)
    return explanation, trained, data


def house_run(seed: int) -> dict:
    explanation, trained, data = explained("ba-house", seed)
    house = data.ground_truths[1][0]
    counts = [num_disjoint(occurrences(p.graph, house), most=2) for p in explanation.prototypes]
    whole = [p.num_nodes == explanation.source_graphs[p.source].num_nodes > 13 for p in explanation.prototypes]
    found = sorted(counts) == [1, 2] and not any(whole)
    return {"seed": seed, "houses": counts, "found": found, **circumstances(explanation, trained)}


def grid_run(seed: int) -> dict:
    explanation, trained, data = explained("ba-grid", seed)
    grid = data.ground_truths[1][0]
    edges = [most_common_edges(p.graph, grid) for p in explanation.prototypes]
    return {"seed": seed, "grid_edges": edges, "found": max(edges) >= 8, **circumstances(explanation, trained)}


def circumstances(explanation: pg.Explanation, trained: pg.Trained) -> dict:
    return {
        "sizes": [p.num_nodes for p in explanation.prototypes],
        "source_sizes": [explanation.source_graphs[p.source].num_nodes for p in explanation.prototypes],
        "clusters": [p.cluster_size for p in explanation.prototypes],
        "test_accuracy": trained.test_accuracy,
        "epochs": len(trained.history),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    seeds = range(asked.seeds)
    results = {}
    for name, run in (("ba-house", house_run), ("ba-grid", grid_run)):
        results[name] = []
        for seed in seeds:
            results[name].append(run(seed))
            print(name, results[name][-1], flush=True)
        print(f"{name}: found in {sum(r['found'] for r in results[name])} of {len(seeds)} runs", flush=True)
    certificate.write(asked.out, results, seeds=seeds)


if __name__ == "__main__":
    main()
