"""What the fidelity of rules must reach: limits that we set ourselves, and whether they hold."""

from collections.abc import Mapping
from statistics import mean
from typing import Any

from research.paper.findings import Estimate
from research.paper.paper import paper
from research.paper.sets import title_of
from research.paper.sheet import Sheet

CONV_TITLES = {"gcn": "GCN", "gin": "GIN", "sage": "GraphSAGE", "gat": "GAT"}
# Mean fidelity of the GCN's rules: above what LogicXGNN prints.
LEAST_REAL = {"bbbp": 0.87, "mutagenicity": 0.84, "nci1": 0.80, "imdb-binary": 0.80}
# Other architectures: this share of the GCN's.
OTHER_CONVS = 0.95
# What is generated has nothing that a rule could not say; elsewhere no further below the truth as a rule than this.
LEAST_GENERATED = {"ba-house": 0.98, "ba-grid": 0.98}
BELOW_TRUTH = 0.01
# Of planted worlds the mean, and the lowest kind of world.
WORLD_FIGURES = {"fidelity": "fidelity", "found": "reasons found", "accuracy": "prototypes right"}
LEAST_WORLDS = {"fidelity": 0.97, "found": 0.95, "accuracy": 0.95}
LEAST_KIND = 0.85

Rows = list[dict[str, Any]]
ByModel = Mapping[tuple[str, ...], Rows]


def write_limits(real: ByModel, truths: ByModel, worlds: Rows, sheet: Sheet) -> None:
    """A line a limit, of what was measured."""
    for (name, conv), rows in real.items():
        if conv == "gcn" and name in LEAST_REAL:
            sheet.limit(f"{title_of(name)}, GCN: mean fidelity", _fidelity(rows), LEAST_REAL[name])
            least = paper("logicxgnn", "test_accuracy", name)
            lowest = min(row["test_accuracy"] for row in rows)
            sheet.limit(f"{title_of(name)}, GCN: lowest test accuracy", lowest, least, "that of LogicXGNN's models")
        elif conv != "gcn" and (name, "gcn") in real:
            least = OTHER_CONVS * mean(row["fidelity"] for row in real[name, "gcn"])
            note = f"{OTHER_CONVS:.0%} of the GCN's"
            sheet.limit(f"{title_of(name)}, {CONV_TITLES[conv]}: mean fidelity", _fidelity(rows), round(least, 4), note)
    for (name,), rows in truths.items():
        least = round(mean(row["truth"] for row in rows) - BELOW_TRUTH, 4)
        note = "" if name in LEAST_GENERATED else f"the truth as a rule, less {BELOW_TRUTH}"
        sheet.limit(f"{title_of(name)}: mean fidelity", _fidelity(rows), LEAST_GENERATED.get(name, least), note)
    _write_world_limits(worlds, sheet)


def _fidelity(rows: Rows) -> Estimate:
    return Estimate.of_shares([row["fidelity"] for row in rows])


def _write_world_limits(worlds: Rows, sheet: Sheet) -> None:
    for what, title in WORLD_FIGURES.items():
        of_kinds = {kind: values for kind, rows in by_kind(worlds).items() if (values := values_of(rows, what))}
        if of_kinds:
            everything = Estimate.of_shares([value for values in of_kinds.values() for value in values])
            sheet.limit(f"planted worlds: mean of {title}", everything, LEAST_WORLDS[what])
            lowest = min(of_kinds, key=lambda kind: mean(of_kinds[kind]))
            sheet.limit(f"planted worlds: {title} of the lowest kind", mean(of_kinds[lowest]), LEAST_KIND, lowest)


def by_kind(worlds: Rows) -> dict[str, Rows]:
    """The rows with a model of all worlds of a kind."""
    kinds: dict[str, Rows] = {}
    for row in worlds:
        kinds.setdefault(row["kind"], []).extend([row] if row["fidelity"] is not None else [])
    return kinds


def values_of(rows: Rows, what: str) -> list[float]:
    """One value a model: of the reasons the share that is found; none where there is nothing to find."""
    values = [mean(map(float, row[what])) if what == "found" else row[what] for row in rows]
    return [value for value in values if value is not None]
