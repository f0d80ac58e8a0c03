"""(n) Seconds of explaining a class by k graphs of molecular degrees, by k and number of nodes, with both searches."""

import time
from itertools import product
from typing import Any

import numpy as np

import protograph as pg
from research.speed.hard_cases import molecular
from research.speed.timing import Part, calibration

SEED = 0
KS, SIZES = (2, 4, 8, 16), (50, 150, 500)
SEARCHES = ("walk", "consensus")
NUM_GRAPHS = 60


def explained(explainer: pg.PAGE) -> dict[str, Any]:
    """Seconds of explaining the class with the planted ring, and what came out."""
    begun = time.perf_counter()
    explanation = explainer.explain(1)
    seconds = time.perf_counter() - begun
    sessions = [session for prototype in explanation.prototypes for session in prototype.sessions]
    return {
        "seconds": seconds,
        "num_nodes": [prototype.num_nodes for prototype in explanation.prototypes],
        "probability": [prototype.probability for prototype in explanation.prototypes],
        "share_exact": sum(session.is_exact for session in sessions) / len(sessions),
    }


def measure(repeats: int) -> dict[str, Any]:
    rows = []
    for size in SIZES:
        case = molecular(np.random.default_rng(SEED), size=size, num_graphs=NUM_GRAPHS)
        model = case.model()
        for search, k in product(SEARCHES, KS):
            page = pg.PAGE(search=search, num_graphs=k, num_clusters=1, random_state=SEED)
            page.fit(model, case.graphs)
            if size == SIZES[0]:
                page.explain(1)  # what is compiled
            rows.append({"search": search, "k": k, "nodes": size, **explained(page)})
    return {"loop_seconds": calibration(), "rows": rows}


def show(content: dict[str, Any]) -> None:
    print("(n) seconds of explaining a class by k graphs, and the share of sessions that are exact", flush=True)
    for one in content["rows"]:
        print(
            f"    {one['search']:<10} k = {one['k']:<3} {one['nodes']:>4} nodes {one['seconds']:>8.2f} s, "
            f"{one['share_exact']:.2f} exact, prototypes of {one['num_nodes']} nodes",
            flush=True,
        )


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    """None: `docs/method.md` says how it grows."""
    return []


PART = Part("any_k", measure, show, limits)
