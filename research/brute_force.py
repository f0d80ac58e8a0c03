"""Does brute force agree with every number that an explanation gives, and with every sentence?

    python -m research.brute_force             prints a line a data set; writes results/brute_force.json
    python -m research.brute_force solubility  one data set

Of each data set 200 graphs, spread over it, are given to a GCN trained on them for a few epochs, and all classes are
explained in two clusters each, with ``match_edges=False`` and ``True``. Then networkx looks for every prototype in
every graph, RDKit too where they are molecules, and every count, share and number in words is compared with theirs.
"""

import argparse
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from torch_geometric.data import Data

import protograph as pg
from research import certificate, independent, spoken

RESULT = certificate.RESULTS / "brute_force.json"
DATASETS = (
    *("ba-house", "ba-grid", "ba-2motifs", "benzene", "mutagenicity", "solubility", "bbbp", "nci1", "imdb-binary"),
    *("graph-sst2", "mnist-sp"),
)
# Of the largest sets only the first graphs are made; prototypes of dense graphs are kept small enough for networkx.
FIRST = {"mnist-sp": 400, "graph-sst2": 4000, "ba-2motifs": 200}
OPTIONS = {"imdb-binary": {"max_nodes": 6}, "mnist-sp": {"max_nodes": 6}}
SIZE, SEED = 200, 0
# Enough for most models to predict every class.
TRAINING = {"hidden": (16, 16), "max_epochs": 40, "patience": 40, "learning_rate": 0.01, "random_state": SEED}
# After more it predicts a single digit.
TRAINED_LESS = {"mnist-sp": {"learning_rate": 0.001, "max_epochs": 10}}


class Checks:
    """Counts comparisons by what was compared, and keeps those that fail."""

    def __init__(self) -> None:
        self.by_kind: Counter = Counter()
        self.unchecked: Counter = Counter()
        self.mismatches: list[str] = []

    def equal(self, kind: str, said, true) -> None:
        """Compare what is said with what is true."""
        self.that(kind, said == true, f"{said} is said, {true} is true")

    def that(self, kind: str, holds: bool, otherwise: str) -> None:
        """Count a comparison, and keep what is wrong where it does not hold."""
        self.by_kind[kind] += 1
        if not holds:
            self.mismatches.append(f"{kind}: {otherwise}")


def load(name: str):
    """A data set by name; ``bbbp`` is a table of SMILES."""
    if name == "bbbp":
        table = Path(os.environ.get("PROTOGRAPH_DATA", "")) / "bbbp" / "BBBP.csv.gz"
        return pg.datasets.read_table(table, label_column="BBBP", skip_invalid=True).dataset
    return pg.datasets.load(name, num_graphs=FIRST.get(name))


def spread(data) -> Sequence[Data]:
    """200 graphs, of each class as large a share as in the data set."""
    order = np.argsort(np.array([int(graph.y) for graph in data]), kind="stable")
    return data[np.sort(order[np.linspace(0, len(order) - 1, SIZE).round().astype(int)])]


class Case:
    """An explanation of 200 graphs, and what networkx and the model by itself say of them."""

    def __init__(self, model, graphs, explanations) -> None:
        self.model, self.graphs, self.explanations = model, graphs, explanations
        self.predictions = independent.scores(model, graphs).argmax(dim=1).tolist()
        one = next(iter(explanations.values()))
        self.wholes = [independent.as_networkx(graph, one.node_rule, one.edge_rule) for graph in graphs]

    def check(self, checks: Checks) -> None:
        """Compare everything that is said of every prototype."""
        for explanation in self.explanations.values():
            members = [n for n, predicted in enumerate(self.predictions) if predicted == explanation.target]
            first = next(line for line in explanation.summary().splitlines() if line.startswith("Class "))
            said = [spoken.whole(number) for number in first.split(": ", 1)[1].split(" graphs ")[0].split(" of ")]
            checks.equal("graphs predicted as the class", said, [len(members), len(self.graphs)])
            for prototype in explanation.prototypes:
                self._check(prototype, explanation, set(members), checks)

    def _check(self, prototype, explanation, members: set[int], checks: Checks) -> None:
        part = independent.as_networkx(prototype.graph, prototype.node_rule, prototype.edge_rule)
        has = [independent.contains(whole, part) for whole in self.wholes]
        places = explanation.embedding_map
        cluster = [i for i, c in zip(places.indices, places.clusters, strict=True) if c == prototype.cluster]
        others = [n for n in range(len(has)) if n not in members]
        evidence = prototype.evidence
        counts = {
            "num_in_class": sum(has[n] for n in members),
            "num_class": len(members),
            "num_elsewhere": sum(has[n] for n in others),
            "num_others": len(others),
            "num_in_cluster": sum(has[n] for n in cluster),
        }
        for name, true in counts.items():
            checks.equal(name, getattr(evidence, name), true)
        inside, outside = (sum(has[n] for n in some) / max(len(some), 1) for some in (cluster, others))
        bits = independent.information(inside, outside) if others else 0.0
        checks.that("information", abs(evidence.information - bits) < 1e-9, f"{evidence.information}, not {bits}")
        self._check_pattern(prototype, has, checks)
        self._check_sources(prototype, part, checks)
        self._check_parts(prototype, part, [n for n in cluster if n is not None], has, checks)
        self._check_words(prototype, explanation, counts, bits, (inside, outside), len(cluster), checks)
        self._check_molecules(prototype, explanation, has, checks)

    def _check_pattern(self, prototype, has, checks: Checks) -> None:
        """What a prototype asks for is in the graphs that it was counted in, and in no others."""
        pattern = prototype.pattern
        if pattern is None or any(one.kind == "direction" for one in pattern.edge_reading.variables):
            checks.unchecked["prototypes without conditions, or with directions"] += 1
            return
        for number, (graph, is_in) in enumerate(zip(self.graphs, has, strict=True)):
            whole = independent.as_networkx(graph, pattern.node_reading, pattern.edge_reading)
            checks.that("conditions", independent.has_pattern(whole, pattern) == is_in, f"graph {number}")

    def _check_sources(self, prototype, part, checks: Checks) -> None:
        """Each node's counterparts have its features, and each edge's are joined by an edge that agrees."""
        rows, edges = prototype.matches.tolist(), [0] * len(prototype.edges)
        for q, source in enumerate(prototype.sources):
            whole = self.wholes[source]
            for node, row in enumerate(rows):
                is_same = row[q] < 0 or whole.nodes[row[q]]["kind"] == part.nodes[node]["kind"]
                checks.that("matches", is_same, f"node {node} of source {source} is another")
            for n, (u, v) in enumerate(prototype.edges):
                ends = rows[u][q], rows[v][q]
                edges[n] += whole.has_edge(*ends) and whole.edges[ends]["kind"] == part.edges[u, v]["kind"]
        checks.equal("node_sources", list(prototype.evidence.node_sources), [sum(m >= 0 for m in row) for row in rows])
        checks.equal("edge_sources", list(prototype.evidence.edge_sources), edges)

    def _check_parts(self, prototype, part, cluster, has, checks: Checks) -> None:
        """Where several parts are the largest, any of them may have been counted; their sizes are certain."""
        evidence = prototype.evidence
        if evidence.num_looked_at != len(cluster):
            checks.unchecked["node_graphs and edge_graphs: not all of the cluster was looked at"] += 1
            return
        without = [self.wholes[n] for n in cluster if not has[n]]
        parts = independent.largest_parts(part, without)
        if parts is None:
            checks.unchecked["node_graphs and edge_graphs: too many parts to try"] += 1
            return
        whole = len(cluster) - len(without)
        total = whole * (len(part) + part.size()) + sum(one[0] for one in parts)
        checks.equal("sizes of largest parts", sum(evidence.node_graphs) + sum(evidence.edge_graphs), total)
        for name, said, items, at in (
            ("node_graphs", evidence.node_graphs, range(len(part)), 1),
            ("edge_graphs", evidence.edge_graphs, prototype.edges, 3),
        ):
            for number, item in zip(said, items, strict=True):
                low, high = (whole + sum(item in one[side] for one in parts) for side in (at, at + 1))
                checks.that(name, low <= number <= high, f"{number} of {item}, not {low} to {high}")

    def _check_words(self, prototype, explanation, counts, bits, inside_and_outside, cluster_size, checks) -> None:
        text = prototype.describe(explanation.class_name)
        figures = self._figures(explanation, prototype)
        shares = spoken.shares(text)
        totals = {True: ("num_in_class", "num_class"), False: ("num_elsewhere", "num_others")}
        checks.equal("number of shares", len(shares), sum(counts[total] > 0 for _, total in totals.values()))
        for share in shares:
            number, total = (counts[name] for name in totals[share.is_class])
            checks.that("shares in words", share.fits(number, total), f"{share.text} for {number} of {total}: {text}")
            if share.interval is not None:
                true = tuple(round(100 * bound) for bound in independent.wilson(number, total))
                near = all(abs(a - b) <= 1 for a, b in zip(share.interval, true, strict=True))
                checks.that("intervals in words", near, f"{share.interval}, not {true}")
        tells_nothing = bits < 0.01 and counts["num_class"] > 0 and counts["num_others"] > 0
        checks.equal("whether it tells the class", "does not tell the class" in text, tells_nothing)
        own = independent.scores(self.model, [prototype.graph])[0]
        probability = float(own[explanation.target].exp())
        for where in (text, figures):
            low, high = spoken.chance(where)
            checks.that("probability", low - 1e-5 <= probability <= high + 1e-5, f"{probability} in {where}")
        if "by itself the model takes" in text or getattr(prototype, "predicted", None) is not None:
            is_other = int(own.argmax()) != explanation.target
            checks.equal("whether the model takes it for another", "by itself the model takes" in text, is_other)
        number = f"cluster {prototype.cluster + 1} of {prototype.num_clusters}, {cluster_size:,} graph"
        checks.that("cluster in words", number in text, f"{number} not in {text}")
        self._check_name(text.split("; ")[0], figures, prototype, explanation, checks)
        self._check_steps(prototype, inside_and_outside, checks)

    @staticmethod
    def _figures(explanation, prototype) -> str:
        lines = explanation.summary().splitlines()
        words = prototype.describe(explanation.class_name)
        at = next(n for n, line in enumerate(lines) if words.split("; ")[0] in line and line.startswith("  "))
        at += 2 * [p for p in explanation.prototypes if _same_start(p, prototype, explanation)].index(prototype)
        return lines[at + 1]

    def _check_name(self, name: str, figures: str, prototype, explanation, checks: Checks) -> None:
        graph, simple = (
            prototype.graph,
            independent.as_networkx(prototype.graph, prototype.node_rule, prototype.edge_rule),
        )
        loops = int((graph.edge_index[0] == graph.edge_index[1]).sum())
        size = f"{len(simple):,} node{'s' * (len(simple) != 1)}, {simple.size() + loops:,} edge"
        checks.that("size in figures", size in figures, f"{size} not in {figures}")
        closing = simple.size() - len(simple) + 1
        for nodes, edges, closed in spoken.sizes(name):
            checks.equal("sizes in words", (nodes, edges, closed or 0), (len(simple), simple.size(), closing))
        kinds = self._kinds(graph, explanation)
        if kinds is None:
            return
        for kind, number in kinds.items():
            checks.that("composition", f"{number} {kind}" in figures, f"{number} {kind} not in {figures}")
        said = spoken.said_kinds(name, list(kinds))
        if sum(said.values()) == len(simple):
            checks.equal("kinds in words", dict(said), dict(kinds))
        elif not any(said.values()):
            checks.unchecked["names of motifs and functional groups"] += 1
        else:
            at_most = all(number <= kinds[kind] for kind, number in said.items())
            checks.that("kinds in words, at most", at_most, f"{dict(said)}, of {dict(kinds)}: {name}")

    @staticmethod
    def _kinds(graph: Data, explanation) -> Counter | None:
        """How many nodes have a 1 in each named column that is shown; ``None`` where rows are not one-hot there."""
        names, colors = explanation.feature_names, explanation.feature_colors
        if graph.x is None or not names:
            return None
        is_shown = [bool(color) for color in colors] if any(colors) else [True] * len(names)
        shown = [n for n, is_one in enumerate(is_shown) if is_one]
        rows = graph.x[:, shown]
        if len(shown) < 2 or not bool((((rows == 0) | (rows == 1)).all()) & (rows.sum(dim=1) == 1).all()):
            return None
        return Counter(names[shown[column]] for column in rows.argmax(dim=1).tolist())

    @staticmethod
    def _check_steps(prototype, inside_and_outside, checks: Checks) -> None:
        """The steps speak of the prototype itself where nothing was added to what was trimmed."""
        _, trimmed, closed = prototype.evidence.steps
        if not closed.startswith("nothing more"):
            checks.unchecked["steps on a part of the prototype"] += 1
            return
        inside, outside = inside_and_outside
        texts = [f"found in {inside:.1%} of the cluster's graphs looked at"]
        texts += [f"and {outside:.1%} of the others"] if "of the others" in trimmed else []
        size = len(prototype.graph.x) if prototype.graph.x is not None else prototype.num_nodes
        for text in [*texts, f"trimmed to {size:,} node"]:
            checks.that("steps in words", text in trimmed, f"{text} not in {trimmed}")

    def _check_molecules(self, prototype, explanation, has, checks: Checks) -> None:
        symbols, bonds = explanation.feature_names, explanation.edge_names
        if not independent.is_molecular(self.graphs, symbols, bonds):
            return
        molecules = [independent.molecule(graph, symbols, bonds) for graph in self.graphs]
        is_matched = not prototype.edge_rule.is_empty
        queries = {}
        if [len(one.places) for one in prototype.node_rule.variables] == [len(symbols)]:
            queries["RDKit"] = independent.query(prototype.graph, symbols, bonds, is_matched)
        else:
            checks.unchecked["RDKit: atoms were told apart by something else than their elements"] += 1
        if prototype.smarts is not None:
            queries["SMARTS"] = independent.Chem.MolFromSmarts(prototype.smarts)
        for name, query in queries.items():
            for number, (one, is_in) in enumerate(zip(molecules, has, strict=True)):
                checks.that(f"{name} in a graph", one.HasSubstructMatch(query) == is_in, f"graph {number}")
        if is_matched:
            is_same = independent.same_as(prototype.smiles, prototype.graph, symbols, bonds)
            checks.that("SMILES", is_same, f"{prototype.smiles} is another molecule")


def _same_start(one, other, explanation) -> bool:
    first, second = (p.describe(explanation.class_name) for p in (one, other))
    return first.split("; ")[0] == second.split("; ")[0]


def one_dataset(name: str) -> list[dict]:
    """A row for each setting of ``match_edges`` that the data set has attributes for."""
    graphs = spread(load(name))
    model = pg.train(graphs, **TRAINING | TRAINED_LESS.get(name, {})).model
    rows = []
    for match_edges in (False, True) if graphs[0].edge_attr is not None else (False,):
        started, checks = time.perf_counter(), Checks()
        options = {"match_edges": match_edges, "num_clusters": 2, "random_state": SEED} | OPTIONS.get(name, {})
        explanations = pg.PAGE(**options).fit(model, graphs).explain_all()
        Case(model, graphs, explanations).check(checks)
        row = {"dataset": name, "match_edges": match_edges, "graphs": len(graphs)}
        row |= {"prototypes": sum(len(e.prototypes) for e in explanations.values())}
        row |= {"checks": sum(checks.by_kind.values()), "mismatches": checks.mismatches}
        row |= {"by_kind": dict(checks.by_kind), "unchecked": dict(checks.unchecked)}
        seconds = time.perf_counter() - started
        print(
            f"{name}, match_edges={match_edges}: {row['checks']} checks, {len(checks.mismatches)} fail, {seconds:.0f} s"
        )
        for mismatch in checks.mismatches[:10]:
            print(f"  {mismatch}", flush=True)
        rows.append(row)
    return rows


def limits_of(rows: list[dict]) -> list[dict]:
    wrong = sum(len(row["mismatches"]) for row in rows)
    return [certificate.limit("counts, shares and sentences that brute force does not agree with", wrong, at_most=0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--out", default=RESULT, type=Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [row for name in arguments.datasets for row in one_dataset(name)]
    certificate.write(arguments.out, rows, seeds=[SEED], limits=limits_of(rows))
    print(f"{sum(row['checks'] for row in rows)} checks of {sum(row['prototypes'] for row in rows)} prototypes")
    sys.exit(not limits_of(rows)[0]["holds"])


if __name__ == "__main__":
    main()
