"""Is every pair of a model and graphs explained, or refused by a check of ours? Random odd pairs of both.

    python -m research.fuzz --trials 2000 --seed 0     prints each failure, writes results/fuzz.json
    python -m research.fuzz --seed 0 --only 17         one trial, with the traceback of what was raised

A trial takes random graphs, odd in up to three ways (types and shapes of tensors, attributes of any kind, what they
come in), a model of the tests, one that takes any features, or a broken one, and one of the four explainers, PAGE with
either search. It fails if

- an error comes out that is neither raised by a ``raise`` of this package, in one line that names what it is about, nor
  by the user's own model or source, passed on with the graphs named;
- the user's model is said to have raised and yet runs on these graphs;
- graphs, model or the global random state are not as they were;
- it takes more than 60 seconds;
- what comes out cannot be summed up, drawn, reported, saved and read again, or predict.
"""

from research import certificate
from research.fuzz.trial import MOST_SECONDS, Outcome, run_trial

__all__ = ["Outcome", "limits_of", "run_trial"]
NUM_TRIALS = 2000


def limits_of(results: list[dict]) -> list[dict]:
    """What the trials must come to."""
    return [
        certificate.limit("trials of a seed", min(row["trials"] for row in results), at_least=NUM_TRIALS),
        certificate.limit("trials that failed", sum(row["failures"] for row in results), at_most=0),
        certificate.limit("seconds of a trial", max(row["slowest seconds"] for row in results), at_most=MOST_SECONDS),
    ]
