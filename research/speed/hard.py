"""(h) ``fit`` and ``explain_all`` on graphs that are hard to search: seconds, and what was given up.

Each case runs in a process of its own, which compiles or loads the loops on an easy case first and is ended if it takes
too long, so that a case without end cannot hang the benchmark.
"""

import json
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np

import protograph as pg
from research import certificate
from research.speed.hard_cases import CASES, Case, small
from research.speed.timing import Part, calibration, row, show_stages, stages_of

MOST_SECONDS = 5.0
# When a case is ended, from when its graphs are there.
STOP = 60.0
SEED = 0


def measure_case(name: str) -> dict[str, Any]:
    """In this process: what one case takes after the loops are there."""
    rng = np.random.default_rng(SEED)
    easy = Case([small(rng, number % 2) for number in range(60)])
    pg.PAGE(max_reasons=0).fit(easy.model(), easy.graphs).explain_all()
    case = CASES[name](rng)
    model = case.model()
    print("ready", flush=True)
    started = time.perf_counter()
    explanations = pg.PAGE(max_reasons=0).fit(model, case.graphs).explain_all()
    taken = time.perf_counter() - started
    sessions = [session for one in explanations.values() for p in one.prototypes for session in p.sessions]
    return {
        "seconds": taken,
        "stages": stages_of(explanations),
        "loop_seconds": (loop := calibration()),
        "loops": taken / loop,
        "num_classes": len(explanations),
        "sizes": sorted({prototype.num_nodes for one in explanations.values() for prototype in one.prototypes}),
        "num_sessions": len(sessions),
        "num_exact": sum(session.is_exact for session in sessions),
        "notes": sorted({note for one in explanations.values() for note in one.warnings}),
    }


def main() -> None:
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(json.dumps(measure_case(sys.argv[1])))


def in_process(name: str) -> dict[str, Any]:
    """One case in a process that is ended some time after it is ready; ``seconds`` is then ``None``."""
    command = [sys.executable, "-c", "from research.speed import hard; hard.main()", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=certificate.ROOT) as process:
        try:
            assert process.stdout is not None
            ready = process.stdout.readline()
            output, _ = process.communicate(timeout=STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            return {"seconds": None, "stopped_after": STOP}
    if process.returncode or ready != "ready\n":
        return {"seconds": None, "failed": process.returncode}
    return dict(json.loads(output))


def measure(repeats: int) -> dict[str, Any]:
    """Each case once: what takes seconds varies little."""
    return {name: in_process(name) for name in CASES}


def show(cases: dict[str, Any]) -> None:
    for name, one in cases.items():
        if one["seconds"] is None:
            why = f"ended after {one['stopped_after']:.0f} s" if "stopped_after" in one else f"failed: {one['failed']}"
            row(f"(h) {name}", why, "at most 5 s", False)
            continue
        figure = f"{one['seconds']:.2f} s, {one['loops']:.1f} loops; {one['num_exact']} of {one['num_sessions']} exact"
        row(f"(h) {name}", figure, "at most 5 s", one["seconds"] <= MOST_SECONDS)
        show_stages(one["stages"])


def limits(cases: dict[str, Any]) -> list[dict[str, Any]]:
    """A case that was ended, or failed, counts as what it was given."""
    return [
        certificate.limit(
            f"(h) {name}: seconds", STOP if one["seconds"] is None else one["seconds"], at_most=MOST_SECONDS
        )
        for name, one in cases.items()
    ]


PART = Part("hard_cases", measure, show, limits)
