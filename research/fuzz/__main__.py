"""Run many trials, and write down what failed."""

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from research import certificate
from research.fuzz import Outcome, __doc__, limits_of, run_trial

RESULT = certificate.RESULTS / "fuzz.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="one trial")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    if asked.only is not None:
        print(run_trial(asked.seed, asked.only, is_shown=True))
        return
    # New processes, as forked ones would share what torch's threads hold.
    with ProcessPoolExecutor(asked.workers, mp_context=get_context("spawn")) as pool:
        outcomes = pool.map(run_trial, repeat(asked.seed), range(asked.trials), chunksize=20)
        rows = [shown(number, outcome) for number, outcome in enumerate(outcomes)]
    results = [summed_up(asked.seed, rows)]
    print(results[0])
    certificate.write(asked.out, results, seeds=[asked.seed], limits=limits_of(results))
    sys.exit(not all(one["holds"] for one in limits_of(results)))


def shown(number: int, outcome: Outcome) -> Outcome:
    if outcome.problems:
        print(f"{number}: {outcome.story}\n    " + "\n    ".join(outcome.problems), flush=True)
    return outcome


def summed_up(seed: int, rows: list[Outcome]) -> dict:
    """Counts of all trials, and how long they took."""
    counts = Counter(row.result for row in rows)
    return {
        "seed": seed,
        "trials": len(rows),
        **{kind: counts[kind] for kind in ("explained", "refused", "raised")},
        "failures": sum(bool(row.problems) for row in rows),
        "slowest seconds": round(max(row.seconds for row in rows), 1),
    }


if __name__ == "__main__":
    main()
