"""Fidelity: how far rules say what the model predicts, on real data, where truths are known, and in planted worlds."""

import hashlib
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import permutations
from statistics import mean
from typing import Any

import networkx as nx
import numpy as np
from matplotlib.figure import Figure
from sklearn.tree import DecisionTreeClassifier
from torch import nn
from torch_geometric.data import Data

import protograph as pg
from research.paper.drawings import COLOURS, new_figure
from research.paper.estimates import Estimate, share_mean
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import WORLDS as ALL_WORLDS
from research.paper.settings import Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import accuracy_of, paper
from research.worlds.catalogue import WORLDS
from research.worlds.nets import QUICK_WORLD, predicted, real_model
from research.worlds.scores import found_reasons, is_graph_of, prototype_accuracy

# The kinds of cells, as their keys begin.
REAL, TRUTH, WORLD = "real", "truth", "world"
# The real data sets that LogicXGNN's authors print figures of, and those in which it is known what decides.
REAL_NAMES = ("bbbp", "mutagenicity", "nci1", "imdb-binary")
TRUTH_NAMES = ("ba-house", "ba-grid", "benzene", "solubility")
# How many seeds each architecture has.
CONVS = {"gcn": 5, "gin": 2, "sage": 2, "gat": 2}
CONV_TITLES = {"gcn": "GCN", "gin": "GIN", "sage": "GraphSAGE", "gat": "GAT"}
NUM_SEEDS, NUM_SEEDS_AGAIN = 5, 3
LEAVES = (8, 32)  # a tree that can be read, and one with as much as it can use
# Mean fidelity of the GCN's rules: above what LogicXGNN prints; other architectures: this share of the GCN's.
LEAST_REAL, OTHER_CONVS = {"bbbp": 0.87, "mutagenicity": 0.84, "nci1": 0.80, "imdb-binary": 0.80}, 0.95
# What is generated has nothing that a rule could not say; elsewhere no further below the truth as a rule than this.
LEAST_GENERATED, BELOW_TRUTH = {"ba-house": 0.98, "ba-grid": 0.98}, 0.01
# Of planted worlds the mean, and the lowest kind of world.
WORLD_FIGURES = {"fidelity": "fidelity", "found": "reasons found", "accuracy": "prototypes right"}
LEAST_WORLDS, LEAST_KIND = {"fidelity": 0.97, "found": 0.95, "accuracy": 0.95}, 0.85

Rows = list[dict[str, Any]]
# Of a data set and an architecture, or of a data set, the rows of its seeds in their order.
ByModel = dict[tuple[str, ...], Rows]


def worlds_of(settings: Settings) -> tuple[str, ...]:
    """The planted worlds that are measured, by their names.

    >>> worlds_of(Settings(is_quick=True)), worlds_of(Settings(without=("worlds",)))
    (('red-path-ba1',), ())
    """
    if ALL_WORLDS in settings.without:
        return ()
    return (QUICK_WORLD,) if settings.is_quick else tuple(WORLDS)


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set, architecture and seed; of what is generated, a cell a data set or world and seed."""
    seeds = settings.fewer(settings.seeds[:NUM_SEEDS])
    # A quick run must not need files.
    real = ("ba-house",) if settings.is_quick else settings.sets(REAL_NAMES)
    return [
        *(
            Cell(key=(REAL, name, conv, f"seed {seed}"), compute=partial(measure_real, name, conv, seed))
            for name in real
            for conv, num_seeds in settings.fewer(tuple(CONVS.items()))
            for seed in seeds[:num_seeds]
        ),
        *(
            Cell(
                key=(TRUTH, name, f"seed {seed}"),
                compute=partial(measure_truth, name, seed),
                needs=[ModelSpec(name, seed)],
            )
            for name in settings.sets(TRUTH_NAMES)
            for seed in seeds
        ),
        *(
            Cell(key=(WORLD, name, f"seed {seed}"), compute=partial(measure_world, name, seed))
            for name in worlds_of(settings)
            for seed in seeds
        ),
    ]


def measure_real(name: str, conv: str, seed: int, lab: Lab) -> dict[str, Any]:
    """A model of a real data set that is as accurate as LogicXGNN's, whose fidelity stands beside ours."""
    data = lab.data(name, seed)
    graphs, settings = plain(data), lab.settings
    least = float(paper("logicxgnn", "test_accuracy", name) or 0.0)
    one = real_model(graphs, seed, conv, least, is_quick=settings.is_quick, device=settings.device)
    inside, outside = ([graphs[i] for i in part] for part in (one.train, one.test))
    row, _ = measure_rules(one.model, inside, outside, seed, data)
    return {"test_accuracy": one.accuracy, "num_tries": one.num_tries, **row}


def measure_truth(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """The paper's GCN, and the truth read as a rule beside the explanation."""
    data, trained = lab.data(name, seed), lab.model(ModelSpec(name, seed))
    inside, outside = plain(lab.train_graphs(name, seed)), plain(lab.rest(name, seed))
    row, explanations = measure_rules(trained.model, inside, outside, seed, data)
    accuracies = [
        mean(accuracy_of(one, explanations[target], inside, truths).value for one in explanations[target].prototypes)
        for target, truths in data.ground_truths.items()
        if target in explanations and explanations[target].prototypes
    ]
    return {
        "test_accuracy": trained.test_accuracy,
        "truth": truth_fidelity(data.ground_truths, outside, predicted(trained.model, outside)),
        "truths_found": truths_among_reasons(data.ground_truths, explanations),
        "accuracy": mean(accuracies) if accuracies else None,
        **row,
    }


def measure_world(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """A model that has learned a planted world, and which of its reasons are found."""
    world, one = WORLDS[name], lab.world_model(name, seed)
    if one is None:
        return {"kind": world.kind, "fidelity": None}
    inside, outside = ([one.graphs[i] for i in part] for part in (one.train, one.test))
    row, explanations = measure_rules(one.model, inside, outside, seed)
    found, accuracy = found_reasons(world, explanations), prototype_accuracy(world, explanations)
    return {"kind": world.kind, "test_accuracy": one.accuracy, "found": found, "accuracy": accuracy, **row}


def plain(graphs: Sequence[Data]) -> list[Data]:
    """Graphs with what models read and no more."""
    return [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in graphs]


def measure_rules(
    model: nn.Module,
    inside: Sequence[Data],
    outside: Sequence[Data],
    seed: int,
    data: pg.datasets.GraphDataset | None = None,
) -> tuple[dict[str, Any], pg.Explanations]:
    """Explain a model by the graphs inside, and hold its rules against its predictions for those outside.

    Args:
        model: The model.
        inside: The graphs that the explanation is of.
        outside: Graphs that were kept apart.
        seed: Of the explainer.
        data: Has the names of features and classes.

    Returns:
        What was measured, as plain data, and the explanations.
    """
    names = {key: value for key in ("feature_names", "class_names") if (value := getattr(data, key, None))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        begun = time.perf_counter()
        explanations = pg.PAGE(random_state=seed).fit(model, list(inside), **names).explain_all()
        seconds = time.perf_counter() - begun
    patterns = {
        pattern_key(pattern): pattern
        for explanation in explanations.values()
        for reason in explanation.reasons
        for pattern in (*reason.has, *reason.lacks)
    }
    begun, inside_classes = time.perf_counter(), predicted(model, inside)
    forward, outside_classes = time.perf_counter() - begun, predicted(model, outside)
    row = {
        "fidelity": float(pg.metrics.fidelity(explanations, outside, outside_classes)),
        "num_reasons": [len(one.reasons) for one in explanations.values()],
        "num_patterns": len(patterns),
        **tree_fidelities(list(patterns.values()), inside, outside, inside_classes, outside_classes),
        "majority": 1 / len(np.unique(outside_classes)),
        "seconds": round(seconds, 3),
        "ratio": round(seconds / forward, 1),
        "rules": {str(target): str(one.rule or "") for target, one in explanations.items()},
        "patterns": sorted(patterns),
    }
    return row, explanations


def tree_fidelities(
    patterns: Sequence[pg.Pattern],
    inside: Sequence[Data],
    outside: Sequence[Data],
    inside_classes: np.ndarray,
    outside_classes: np.ndarray,
) -> dict[str, float | None]:
    """Agreement of decision trees over the patterns of a rule, learned inside, on the graphs outside."""
    if not patterns:
        return {f"tree_{leaves}": None for leaves in LEAVES}
    tables = [np.stack([one.holds_in(list(graphs)) for one in patterns], axis=1) for graphs in (inside, outside)]
    found = {}
    for leaves in LEAVES:
        tree = DecisionTreeClassifier(max_leaf_nodes=leaves, class_weight="balanced", random_state=0)
        answers = tree.fit(tables[0], inside_classes).predict(tables[1])
        found[f"tree_{leaves}"] = balanced(answers == outside_classes, outside_classes)
    return found


def balanced(is_right: np.ndarray, classes: np.ndarray) -> float:
    """Share of right answers, every class weighing the same.

    >>> balanced(np.array([True, False, True]), np.array([0, 0, 1]))
    0.75
    """
    return float(np.mean([is_right[classes == one].mean() for one in np.unique(classes)]))


def pattern_key(pattern: pg.Pattern) -> str:
    """A text that is the same for the same pattern, whatever the numbers of its nodes."""
    graph, edges = nx.Graph(), pattern.of_edges
    for node, asked in enumerate(pattern.of_nodes):
        graph.add_node(node, kind=f"{asked} {node in pattern.closed}")
    for u, v in pattern.edges:
        graph.add_edge(u, v, kind=" ".join(sorted((str(edges[u, v]), str(edges[v, u])))))
    shape = nx.weisfeiler_lehman_graph_hash(graph, edge_attr="kind", node_attr="kind", iterations=graph.order())
    # Colour refinement alone does not tell a ring of six from two triangles: rings do.
    rings = sorted(map(len, nx.minimum_cycle_basis(graph)))
    return hashlib.sha256(f"{shape} {rings} {pattern.kind} {pattern.at_least}".encode()).hexdigest()[:12]


def share_again(rows: Rows) -> float | None:
    """Share of the patterns of one model that come out again with another, over all pairs of the first three seeds.

    >>> share_again([{"patterns": ["a", "b"]}, {"patterns": ["a"]}, {"patterns": ["a", "c"]}])
    0.6666666666666666
    """
    sets = [set(row["patterns"]) for row in rows[:NUM_SEEDS_AGAIN]]
    shares = [len(one & other) / len(one) for one, other in permutations(sets, 2) if one]
    return mean(shares) if len(sets) == NUM_SEEDS_AGAIN and shares else None


def truths_among_reasons(truths: Mapping[int, Sequence[Data]], explanations: pg.Explanations) -> list[bool]:
    """For each truth whether a pattern of a reason of its class is the same graph, in kinds too if it names some."""
    found = []
    for target, own in truths.items():
        reasons = explanations[target].reasons if target in explanations else ()
        patterns = [one for reason in reasons for one in (*reason.has, *reason.lacks)]
        found += [any(is_graph_of(truth, one) for one in patterns) for truth in own]
    return found


def truth_fidelity(truths: Mapping[int, Sequence[Data]], graphs: Sequence[Data], predictions: np.ndarray) -> float:
    """Fidelity of "contains a truth of the class"; a class without truths is that of graphs without any."""
    num_classes = 1 + max(*truths, int(predictions.max()))
    holds = np.zeros((len(graphs), num_classes), dtype=bool)
    plain_graphs = plain(graphs)
    for target, own in truths.items():
        for truth in plain(own):
            holds[:, target] |= contains(plain_graphs, truth)
    for target in set(range(num_classes)) - set(truths):
        holds[:, target] = ~holds[:, list(truths)].any(axis=1)
    is_right = holds[np.arange(len(graphs)), predictions] & (holds.sum(axis=1) == 1)
    return balanced(is_right, predictions)


def contains(graphs: Sequence[Data], part: Data) -> np.ndarray:
    """In which graphs a part lies, nodes by their features, whatever the attributes of edges."""
    return np.array(pg.metrics.support(part, graphs, np.arange(len(graphs)), num_classes=len(graphs)).counts) > 0


def rows_by(results: Results, kind: str) -> ByModel:
    """The rows of all seeds, by the rest of their keys."""
    rows: ByModel = {}
    for key, row in results.under(kind).items():
        rows.setdefault(key[:-1], []).append(row)
    return rows


def fidelity_of(rows: Rows) -> Estimate | None:
    """The mean over seeds."""
    return share_mean([row["fidelity"] for row in rows])


def mean_known(rows: Rows, key: str) -> float | None:
    """Mean over the seeds that have a value."""
    values = [row[key] for row in rows if row[key] is not None]
    return mean(values) if values else None


def by_kind(worlds: Rows) -> dict[str, Rows]:
    """The rows with a model of all worlds of a kind."""
    kinds: dict[str, Rows] = {}
    for row in worlds:
        kinds.setdefault(row["kind"], []).extend([row] if row["fidelity"] is not None else [])
    return {kind: rows for kind, rows in kinds.items() if rows}


def values_of(rows: Rows, what: str) -> list[float]:
    """One value a model: of the reasons the share that is found; none where there is nothing to find."""
    values = [mean(map(float, row[what])) if what == "found" else row[what] for row in rows]
    return [value for value in values if value is not None]


def write(results: Results, sheet: Sheet) -> None:
    """Numbers beside LogicXGNN's and our limits, then the tables."""
    real, truths, worlds = rows_by(results, REAL), rows_by(results, TRUTH), results.seeds(WORLD)
    write_real(real, sheet)
    write_truths(truths, sheet)
    write_sizes(real | truths, sheet)
    write_worlds(worlds, sheet)
    first = {key: rows[0] for key, rows in (real | truths).items() if len(key) == 1 or key[1] == "gcn"}
    rules = [[title_of(key[0]), target, rule] for key, row in first.items() for target, rule in row["rules"].items()]
    caption = "What the rules say: the first seed of every GCN."
    sheet.table("rules", ("data set", "class", "rule"), rules, caption)
    if real:
        caption = "Fidelity of our rules on graphs kept apart, a dot a seed; of the GCN on real data sets, and of the "
        sheet.figure("fidelity-by-seed", draw(real, truths), caption + "paper's GCN where it is known what decides.")


def write_real(real: ByModel, sheet: Sheet) -> None:
    """Real data sets, with trees, and LogicXGNN's figures, which are of its own models and splits."""
    rows: list[list[Any]] = []
    for (name, conv), own in real.items():
        ours, title = fidelity_of(own), f"{title_of(name)}, {CONV_TITLES[conv]}"
        theirs = paper("logicxgnn", "fidelity", name) if conv == "gcn" else None
        each = " ".join(f"{row['fidelity']:.3f}" for row in own)
        means = [mean_known(own, key) for key in ("tree_8", "tree_32", "majority")]
        rows.append([title_of(name), CONV_TITLES[conv], ours, each, *means, theirs])
        if theirs is not None:
            note = "LogicXGNN's figure is of its own models and splits: no contest (docs/other-tools.md)"
            sheet.finding(f"{title}: fidelity, beside LogicXGNN's", ours, theirs, "not comparable", note)
        if conv == "gcn" and name in LEAST_REAL:
            sheet.limit(f"{title}: mean fidelity", ours, LEAST_REAL[name])
            least = paper("logicxgnn", "test_accuracy", name)
            lowest = min(row["test_accuracy"] for row in own)
            sheet.limit(f"{title}: lowest test accuracy", lowest, least, "that of LogicXGNN's models")
        elif conv != "gcn" and (name, "gcn") in real:
            least = round(OTHER_CONVS * fidelity_of(real[name, "gcn"]).mean, 4)
            sheet.limit(f"{title}: mean fidelity", ours, least, f"{OTHER_CONVS:.0%} of the GCN's")
    sheet.table(
        "fidelity",
        ("data set", "model", "fidelity", "each seed", "tree of 8", "tree of 32", "guessing", "LogicXGNN"),
        rows,
        "Real data sets: share of graphs kept apart in which exactly the rule of the class holds that the model "
        "predicts, every class weighing the same. Beside it decision trees of 8 and 32 leaves over the patterns of our "
        "rules, and always guessing the same class.",
    )
    again = [share for (_, conv), own in real.items() if conv == "gcn" and (share := share_again(own)) is not None]
    if again:
        low, high = paper("logicxgnn", "patterns_again")
        sheet.finding(
            "Patterns of a rule that come out again with another seed of model and split, beside LogicXGNN's",
            f"{min(again):.2f} to {max(again):.2f}",
            f"{low:.2f} to {high:.2f}",
            "worse" if max(again) < low else "better" if min(again) > high else "undecided",
            "means over pairs of three seeds, by data set",
        )


def write_truths(truths: ByModel, sheet: Sheet) -> None:
    """Data sets in which it is known what decides."""
    rows: list[list[Any]] = []
    for (name,), own in truths.items():
        ours, each = fidelity_of(own), " ".join(f"{row['fidelity']:.3f}" for row in own)
        as_rule = mean(row["truth"] for row in own)
        means = [as_rule, *(mean_known(own, key) for key in ("tree_8", "tree_32"))]
        found = mean(float(one) for row in own for one in row["truths_found"])
        rows.append([title_of(name), ours, each, *means, found, mean_known(own, "accuracy")])
        least = LEAST_GENERATED.get(name, round(as_rule - BELOW_TRUTH, 4))
        note = "" if name in LEAST_GENERATED else f"the truth as a rule, less {BELOW_TRUTH}"
        sheet.limit(f"{title_of(name)}: mean fidelity", ours, least, note)
    sheet.table(
        "truths",
        (
            *("data set", "fidelity", "each seed", "the truth as a rule", "tree of 8", "tree of 32"),
            *("truths among reasons", "prototypes right"),
        ),
        rows,
        "Data sets with a ground truth, the paper's GCN: fidelity of our rules, and of the rule that a graph is of a "
        "class where it contains one of its truths. A class without truths is that of graphs without any.",
    )


def write_sizes(both: ByModel, sheet: Sheet) -> None:
    """How large rules are and what they cost."""
    rows: list[list[Any]] = []
    for key, own in both.items():
        model = CONV_TITLES[key[1]] if len(key) > 1 else "the paper's GCN"
        means = [mean_known(own, name) for name in ("seconds", "ratio", "test_accuracy")]
        sizes = [mean(sum(row["num_reasons"]) for row in own), mean_known(own, "num_patterns"), share_again(own)]
        tries = ", ".join(str(row["num_tries"]) for row in own if "num_tries" in row)
        rows.append([title_of(key[0]), model, *sizes, *means, tries])
    sheet.table(
        "rule-size",
        (
            *("data set", "model", "reasons", "patterns", "patterns again", "seconds", "forward passes"),
            *("test accuracy", "models tried"),
        ),
        rows,
        "Size and cost of the rules of all classes, means over seeds. Patterns again: the share of one model's "
        "patterns that another seed's rules have too, over pairs of three seeds. Forward passes: as many of the model "
        "over the same graphs take as long as explaining it. A model is trained until it is as "
        "accurate as LogicXGNN's.",
    )


def write_worlds(worlds: Rows, sheet: Sheet) -> None:
    """Planted worlds by what decides in them."""
    kinds = by_kind(worlds)
    learned = [row for rows in kinds.values() for row in rows]
    sheet.table(
        "worlds",
        ("what decides", "models", *WORLD_FIGURES.values()),
        [
            [kind, len(rows), *(share_mean(values_of(rows, what)) for what in WORLD_FIGURES)]
            for kind, rows in [*kinds.items(), ("all", learned)]
        ],
        "Planted worlds, by what decides in them: fidelity on graphs kept apart, the share of planted reasons that a "
        "reason is, pattern for pattern, and the share of prototypes that are a planted motif. A prototype is one "
        "connected part and knows no count, chord or closed node: it cannot be the reason of kinds that need these.",
    )
    for what, title in WORLD_FIGURES.items():
        of_kinds = {kind: mean(values) for kind, rows in kinds.items() if (values := values_of(rows, what))}
        if of_kinds:
            sheet.limit(f"planted worlds: mean of {title}", share_mean(values_of(learned, what)), LEAST_WORLDS[what])
            lowest = min(of_kinds, key=of_kinds.__getitem__)
            sheet.limit(f"planted worlds: {title} of the lowest kind", of_kinds[lowest], LEAST_KIND, lowest)
    sheet.note(f"Of {len(worlds) - len(learned)} worlds and seeds no model had learned what was planted.")


def draw(real: ByModel, truths: ByModel) -> Figure:
    """A line of dots for each data set, beside LogicXGNN's figure or the truth read as a rule."""
    lines = {f"{title_of(key[0])}": rows for key, rows in real.items() if key[1] == "gcn"}
    lines |= {f"{title_of(key[0])} (truth known)": rows for key, rows in truths.items()}
    figure, ((axis,),) = new_figure(6.8, 0.9 + 0.36 * len(lines))
    theirs = {title_of(name): paper("logicxgnn", "fidelity", name) for name in REAL_NAMES}
    for height, (name, rows) in enumerate(lines.items()):
        axis.scatter([row["fidelity"] for row in rows], [height] * len(rows), s=26, alpha=0.55, color=COLOURS["page"])
        beside = mean(row["truth"] for row in rows) if "truth" in rows[0] else theirs.get(name)
        if beside is not None:
            marker, colour = ("X", COLOURS["xgnn"]) if "truth" in rows[0] else ("D", COLOURS["walk"])
            axis.scatter([beside], [height], s=30, marker=marker, color=colour)
    axis.set(xlabel="fidelity on graphs kept apart; X: the truth as a rule, diamond: LogicXGNN on its own models")
    axis.set_yticks(range(len(lines)), lines)
    return figure


ITEM = Item(
    name="fidelity",
    title="Do rules say what the model predicts?",
    question="On graphs kept apart, for how many does exactly the rule of the class hold that the model predicts?",
    cells=cells,
    write=write,
)
