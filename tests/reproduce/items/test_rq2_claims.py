from protograph.reproduce.findings import Estimate
from protograph.reproduce.items.rq2_claims import write_claims
from protograph.reproduce.sheet import Sheet

NAMES = ("ba-house", "benzene", "mnist-sp")


def of(page, xgnn):
    """The same numbers on every set."""
    return {
        (name, method): None if value is None else Estimate(value, None, None, 1)
        for name in NAMES
        for method, value in {"walk": page, "page": page, "xgnn": xgnn}.items()
    }


def test_claims_are_held_against_the_papers_own_table():
    sheet = Sheet()
    table = {
        "accuracy": of(0.6, 0.2),
        "density": of(0.2, 0.1),
        "consistency": of(0.1, 0.2),
        "faithfulness": of(0.5, None),
    }
    write_claims(table, NAMES, sheet)
    found = {part.claim: (part.ours, part.paper, part.verdict, part.note) for part in sheet.parts}
    assert found == {
        f"{claim} ({method})": row
        for method in ("walk", "default")
        for claim, row in {
            "PAGE is more accurate than XGNN": ("3 of 3 sets", "2 of 2 sets", "agrees", ""),
            "PAGE's prototypes are less dense than XGNN's": (
                "0 of 3 sets",
                "1 of 3 sets",
                "differs",
                "not as in the paper: MNIST-sp",
            ),
            "PAGE is steadier over widths than XGNN": (
                "3 of 3 sets",
                "2 of 3 sets",
                "differs",
                "not as in the paper: MNIST-sp",
            ),
        }.items()
    } | {
        f"PAGE is more accurate than XGNN ({method})": ("2 of 2 sets", "2 of 2 sets", "agrees", "")
        for method in ("walk", "default")
    }


def test_the_lead_on_synthetic_sets_is_compared():
    sheet = Sheet()
    empty = {(name, method): None for name in NAMES for method in ("walk", "page", "xgnn")}
    faithful = {
        ("ba-house", "walk"): Estimate(0.9, None, None, 1),
        ("ba-house", "xgnn"): Estimate(-0.1, None, None, 1),
        ("benzene", "walk"): Estimate(0.5, None, None, 1),
        ("benzene", "xgnn"): Estimate(0.25, None, None, 1),
    }
    table = {"accuracy": empty, "density": empty, "consistency": empty, "faithfulness": empty | faithful}
    write_claims(table, NAMES, sheet)
    last = sheet.parts[-1]
    assert (last.ours, last.paper, last.verdict) == (
        "1.000 and 0.250 on the others",
        f"{0.7340 + 0.4037:.3f} and {0.2364 + 0.3091:.3f}",
        "agrees",
    )
