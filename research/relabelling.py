"""Do the numbers of the nodes matter? Subsets of real data sets, explained again with their nodes numbered otherwise.

    python -m research.relabelling              prints every subset and writes results/relabelling.json
    python -m research.relabelling solubility   one data set

A model is trained on each data set. Of its training graphs five subsets of 200 are explained, by both searches; then
the nodes and edges of every graph are put into another order, three times, and explained again. The prototypes must be
isomorphic, kinds of nodes included, except where a source's nodes could not be told apart and the explanation says so.
"""

import argparse
import sys
import warnings

import numpy as np
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.patterns.subgraph_isomorphism import same_graph
from research import certificate

RESULT = certificate.RESULTS / "relabelling.json"
DATASETS = ("mutagenicity", "benzene", "solubility", "nci1", "imdb-binary")
SEARCHES = {"consensus": {}, "walk": {"search": "walk", "num_clusters": 2}}
SUBSETS, RELABELLINGS, SIZE = 5, 3, 200


def relabelled(graph: Data, rng: np.random.Generator) -> Data:
    """The graph with its nodes and edges in another order."""
    order = torch.from_numpy(rng.permutation(graph.num_nodes))
    edges = torch.from_numpy(rng.permutation(graph.num_edges))
    again = Data(edge_index=torch.argsort(order)[graph.edge_index][:, edges], y=graph.y, num_nodes=graph.num_nodes)
    if graph.x is not None:
        again.x = graph.x[order]
    if graph.edge_attr is not None:
        again.edge_attr = graph.edge_attr[edges]
    return again


def plain(graph: Data) -> Data:
    """What is relabelled, without what points to nodes by number."""
    kept = {key: graph[key] for key in ("x", "edge_index", "edge_attr", "y") if graph.get(key) is not None}
    return Data(**kept, num_nodes=graph.num_nodes)


def differences(before: pg.Explanations, after: pg.Explanations) -> int:
    """Prototypes that are not isomorphic to the ones before."""
    count = 0
    for target, explanation in before.items():
        old, new = explanation.prototypes, after[target].prototypes if target in after else []
        pairs = zip(old, new, strict=False)
        count += abs(len(old) - len(new)) + sum(not same_graph(a.graph, b.graph) for a, b in pairs)
    return count


def is_said(*explanations: pg.Explanations) -> bool:
    """Whether a note says that nodes could not be told apart."""
    return any("numbered otherwise" in note for one in explanations for e in one.values() for note in e.warnings)


def one_dataset(name: str, model=None, graphs=None) -> list[dict]:
    if model is None:
        data = pg.datasets.load(name)
        trained = pg.train(data, hidden=data.hidden, random_state=0)
        model, graphs = trained.model, data[trained.split.train]
    rows = []
    for subset in range(SUBSETS):
        rng = np.random.default_rng([subset, 7])
        chosen = [plain(graphs[int(i)]) for i in rng.choice(len(graphs), SIZE, replace=False)]
        for search, options in SEARCHES.items():
            explain = lambda some, kw=options: pg.PAGE(**kw).fit(model, some).explain_all()  # noqa: E731
            before = explain(chosen)
            for number in range(RELABELLINGS):
                again = np.random.default_rng([subset, number, 11])
                after = explain([relabelled(graph, again) for graph in chosen])
                row = {"dataset": name, "search": search, "subset": subset, "relabelling": number}
                row |= {"prototypes": sum(len(e.prototypes) for e in before.values())}
                row |= {"different": differences(before, after), "is_said": is_said(before, after)}
                print(row, flush=True)
                rows.append(row)
    return rows


def limits_of(rows: list[dict]) -> list[dict]:
    unsaid = sum(row["different"] for row in rows if not row["is_said"])
    return [certificate.limit("prototypes that differ after relabelling, without a note", unsaid, at_most=0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--out", default=RESULT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [row for name in arguments.datasets for row in one_dataset(name)]
    certificate.write(arguments.out, rows, seeds=range(SUBSETS), limits=limits_of(rows))
    different = sum(row["different"] for row in rows)
    print(f"{different} of {sum(row['prototypes'] for row in rows)} prototypes differ in {len(rows)} relabellings")
    sys.exit(not limits_of(rows)[0]["holds"])


if __name__ == "__main__":
    main()
