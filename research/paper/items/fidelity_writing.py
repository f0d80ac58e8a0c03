"""What is shown of fidelity: ours by data set and seed, beside trees, truths and LogicXGNN's, and the size of rules."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from protograph._base.words import count_of
from research.paper.fidelity.rule_patterns import share_again
from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.items.fidelity_figure import draw_fidelity
from research.paper.items.fidelity_limits import CONV_TITLES, WORLD_FIGURES, by_kind, values_of, write_limits
from research.paper.paper import paper
from research.paper.sets import title_of
from research.paper.sheet import Sheet

# The kinds of cells, as their keys begin.
REAL, TRUTH, WORLD = "real", "truth", "world"
Rows = list[dict[str, Any]]
# Of a data set and an architecture, or of a data set, the rows of its seeds in their order.
ByModel = Mapping[tuple[str, ...], Rows]


def write(results: Results, sheet: Sheet) -> None:
    """Numbers beside LogicXGNN's and our limits, then the tables."""
    real, truths = rows_by(results, REAL), rows_by(results, TRUTH)
    worlds = list(results.under(WORLD).values())
    _write_beside_logicxgnn(real, sheet)
    write_limits(real, truths, worlds, sheet)
    _write_fidelity(real, sheet)
    if real:
        sheet.figure(
            "fidelity-by-seed",
            draw_fidelity(real, truths),
            "Fidelity of our rules on graphs kept apart, a dot a seed and the mean a line; of the GCN on real data "
            "sets, and of the paper's GCN where it is known what decides.",
        )
    _write_size(real, truths, sheet)
    _write_truths(truths, sheet)
    if worlds:
        _write_worlds(worlds, sheet)
    _write_rules(real, truths, sheet)


def rows_by(results: Results, kind: str) -> dict[tuple[str, ...], Rows]:
    """The rows of all seeds, by the rest of their keys."""
    rows: dict[tuple[str, ...], Rows] = {}
    for key, row in results.under(kind).items():
        rows.setdefault(key[:-1], []).append(row)
    return rows


def _estimate(values: Sequence[float]) -> Estimate:
    return Estimate.of_shares(values)


def _fidelity(rows: Rows) -> Estimate:
    return _estimate([row["fidelity"] for row in rows])


def _each(rows: Rows) -> str:
    return " ".join(f"{row['fidelity']:.3f}" for row in rows)


def _mean_of(rows: Rows, key: str) -> float | None:
    """Mean over the seeds that have a value."""
    values = [row[key] for row in rows if row[key] is not None]
    return mean(values) if values else None


def _title(key: Sequence[str]) -> list[str]:
    return [title_of(key[0]), CONV_TITLES[key[1]] if len(key) > 1 else "the paper's GCN"]


def _write_beside_logicxgnn(real: ByModel, sheet: Sheet) -> None:
    for (name, conv), rows in real.items():
        theirs = paper("logicxgnn", "fidelity", name)
        if conv == "gcn" and theirs is not None:
            claim, ours = f"{title_of(name)}: fidelity of rules, beside LogicXGNN's", _fidelity(rows)
            note = "LogicXGNN's figure is of its own models and splits: no contest (docs/other-tools.md)"
            sheet.finding(claim, ours, theirs, "not comparable", note)
    again = [share for (_, conv), rows in real.items() if conv == "gcn" and (share := share_again(rows)) is not None]
    if again:
        low, high = paper("logicxgnn", "patterns_again")
        sheet.finding(
            "Patterns of a rule that come out again with another seed of model and split, beside LogicXGNN's",
            f"{min(again):.2f} to {max(again):.2f}",
            f"{low:.2f} to {high:.2f}",
            "worse" if max(again) < low else "better" if min(again) > high else "undecided",
            "means over pairs of three seeds, by data set",
        )


def _write_fidelity(real: ByModel, sheet: Sheet) -> None:
    sheet.table(
        "fidelity",
        ("data set", "model", "fidelity", "each seed", "tree of 8", "tree of 32", "guessing", "LogicXGNN"),
        [
            [
                *_title(key),
                _fidelity(rows),
                _each(rows),
                *(_mean_of(rows, one) for one in ("tree_8", "tree_32", "majority")),
                paper("logicxgnn", "fidelity", key[0]) if key[1] == "gcn" else None,
            ]
            for key, rows in real.items()
        ],
        "Real data sets: share of graphs kept apart in which exactly the rule of the class holds that the model "
        "predicts, every class weighing the same. Beside it decision trees of 8 and 32 leaves over the patterns of our "
        "rules, and always guessing the same class.",
    )


def _write_size(real: ByModel, truths: ByModel, sheet: Sheet) -> None:
    both = {**real, **truths}
    sheet.table(
        "rule-size",
        (
            "data set",
            "model",
            "reasons",
            "patterns",
            "patterns again",
            "seconds",
            "forward passes",
            "test accuracy",
            "models tried",
        ),
        [
            [
                *_title(key),
                mean(sum(row["num_reasons"]) for row in rows),
                _mean_of(rows, "num_patterns"),
                share_again(rows),
                *(_mean_of(rows, one) for one in ("seconds", "ratio", "test_accuracy")),
                ", ".join(str(row["num_tries"]) for row in rows) if "num_tries" in rows[0] else None,
            ]
            for key, rows in both.items()
        ],
        "Size and cost of the rules of all classes, means over seeds. Patterns again: the share of one model's "
        "patterns that another seed's rules have too, over pairs of three seeds. Forward passes: as many of the model "
        "over the same graphs take as long as explaining it. A model is trained until it is as "
        "accurate as LogicXGNN's.",
    )


def _write_truths(truths: ByModel, sheet: Sheet) -> None:
    sheet.table(
        "truths",
        (
            "data set",
            "fidelity",
            "each seed",
            "the truth as a rule",
            "tree of 8",
            "tree of 32",
            "truths among reasons",
            "prototypes right",
        ),
        [
            [
                title_of(name),
                _fidelity(rows),
                _each(rows),
                *(_mean_of(rows, one) for one in ("truth", "tree_8", "tree_32")),
                mean(float(found) for row in rows for found in row["truths_found"]),
                _mean_of(rows, "accuracy"),
            ]
            for (name,), rows in truths.items()
        ],
        "Data sets with a ground truth, the paper's GCN: fidelity of our rules, and of the rule that a graph is of a "
        "class where it contains one of its truths. A class without truths is that of graphs without any.",
    )


def _write_worlds(worlds: Rows, sheet: Sheet) -> None:
    kinds = by_kind(worlds)
    learned = [row for rows in kinds.values() for row in rows]
    sheet.table(
        "worlds",
        ("what decides", "models", *WORLD_FIGURES.values()),
        [
            [kind, len(rows), *(_of_kind(rows, what) for what in WORLD_FIGURES)]
            for kind, rows in [*kinds.items(), ("all", learned)]
            if rows
        ],
        "Planted worlds, by what decides in them: fidelity on graphs kept apart, the share of planted reasons that a "
        "reason is, pattern for pattern, and the share of prototypes that are a planted motif. A prototype is one "
        "connected part and knows no count, chord or closed node: it cannot be the reason of kinds that need these.",
    )
    dropped = sum(row["num_dropped"] for row in worlds)
    unlearned = len(worlds) - len(learned)
    sheet.note(
        f"Of worlds {count_of(dropped, 'model')} had not learned what was planted and were dropped; of "
        f"{count_of(unlearned, 'world and seed', 'worlds and seeds')} no model was left."
    )


def _of_kind(rows: Rows, what: str) -> Estimate | None:
    values = values_of(rows, what)
    return _estimate(values) if values else None


def _write_rules(real: ByModel, truths: ByModel, sheet: Sheet) -> None:
    """The rules themselves, of the first seed."""
    first = {key: rows[0] for key, rows in {**real, **truths}.items() if len(key) == 1 or key[1] == "gcn"}
    sheet.table(
        "rules",
        ("data set", "class", "rule"),
        [
            [title_of(key[0]), target, rule]
            for key, row in first.items()
            for target, rule in sorted(row["rules"].items())
        ],
        "What the rules say: the first seed of every GCN.",
    )
