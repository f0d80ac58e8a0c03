"""What the paper's text says of Table 2, sentence by sentence, held against ours."""

from collections.abc import Callable, Sequence
from statistics import mean
from typing import Any

from protograph.reproduce.findings import Estimate, Verdict
from protograph.reproduce.paper import paper
from protograph.reproduce.sets import SETS
from protograph.reproduce.sheet import Sheet

SYNTHETIC = ("ba-house", "ba-grid")
Numbers = tuple[float, float]  # of PAGE and of XGNN


def write_claims(table: dict[str, Any], names: Sequence[str], sheet: Sheet) -> None:
    """A line a claim: on how many of these data sets it holds, with our walk and in the paper's own table."""
    claims: tuple[tuple[str, str, Callable[[float, float], bool]], ...] = (
        ("PAGE is more accurate than XGNN", "accuracy", lambda page, xgnn: page > xgnn),
        ("PAGE's prototypes are less dense than XGNN's", "density", lambda page, xgnn: page < xgnn),
        ("PAGE is steadier over widths than XGNN", "consistency", lambda page, xgnn: page < xgnn),
        ("PAGE's probability goes with accuracy (tau > 0)", "faithfulness", lambda page, xgnn: page > 0),
        ("PAGE is more faithful than XGNN", "faithfulness", lambda page, xgnn: page > xgnn),
        ("XGNN has a negative tau", "faithfulness", lambda page, xgnn: xgnn < 0),
    )
    for method, title in (("walk", "walk"), ("page", "default")):
        for claim, metric, holds in claims:
            if claim.startswith("XGNN") and method == "page":
                continue
            _write_claim(f"{claim} ({title})", metric, holds, method, table, names, sheet)
    _write_synthetic(table, names, sheet)


def _write_claim(
    claim: str,
    metric: str,
    holds: Callable[[float, float], bool],
    method: str,
    table: dict[str, Any],
    names: Sequence[str],
    sheet: Sheet,
) -> None:
    ours = {name: both for name in names if (both := _ours(table[metric], name, method)) is not None}
    theirs = {name: both for name in ours if (both := _theirs(metric, name)) is not None}
    if not theirs:
        return
    as_paper = [name for name in theirs if holds(*ours[name]) == holds(*theirs[name])]
    others = [SETS[name].title for name in theirs if name not in as_paper]
    decided: Verdict = "differs" if others else "agrees"
    count, paper_count = sum(holds(*ours[name]) for name in theirs), sum(holds(*both) for both in theirs.values())
    note = f"not as in the paper: {', '.join(others)}" if others else ""
    sheet.finding(claim, f"{count} of {len(theirs)} sets", f"{paper_count} of {len(theirs)} sets", decided, note)


def _write_synthetic(table: dict[str, Any], names: Sequence[str], sheet: Sheet) -> None:
    """Whether PAGE and XGNN lie further apart in faithfulness on synthetic data."""
    ours = {name: both for name in names if (both := _ours(table["faithfulness"], name, "walk")) is not None}
    theirs = {name: both for name in ours if (both := _theirs("faithfulness", name)) is not None}
    gaps = [_gaps(theirs_or_ours) for theirs_or_ours in (ours, theirs)]
    if any(gap is None for gap in gaps):
        return
    (synthetic, real), (paper_synthetic, paper_real) = (gap for gap in gaps if gap is not None)
    sheet.finding(
        "PAGE's lead over XGNN in faithfulness is larger on synthetic sets (walk)",
        f"{synthetic:.3f} and {real:.3f} on the others",
        f"{paper_synthetic:.3f} and {paper_real:.3f}",
        "agrees" if (synthetic > real) == (paper_synthetic > paper_real) else "differs",
        "the mean of the differences",
    )


def _gaps(values: dict[str, Numbers]) -> Numbers | None:
    synthetic = [page - xgnn for name, (page, xgnn) in values.items() if name in SYNTHETIC]
    real = [page - xgnn for name, (page, xgnn) in values.items() if name not in SYNTHETIC]
    return (mean(synthetic), mean(real)) if synthetic and real else None


def _ours(cells: dict[tuple[str, str], Estimate | None], name: str, method: str) -> Numbers | None:
    page, xgnn = cells[name, method], cells[name, "xgnn"]
    return None if page is None or xgnn is None else (page.mean, xgnn.mean)


def _theirs(metric: str, name: str) -> Numbers | None:
    page, xgnn = paper("table2", metric, "PAGE", name), paper("table2", metric, "XGNN", name)
    return None if page is None or xgnn is None else (page, xgnn)
