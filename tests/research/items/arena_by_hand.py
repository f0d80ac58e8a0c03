"""Results of the arena, written by hand."""

from research.paper.item import Results
from research.paper.settings import Settings


def scores(accuracy, found, fidelity=0.5):
    return {"accuracy": accuracy, "found": found, "fidelity": fidelity, "coverage": 1.0}


def run(*classes, failed=(), seconds=2.0, test_accuracy=1.0):
    by_class = {str(target): one for target, one in enumerate(classes)}
    return {"test_accuracy": test_accuracy, "seconds": seconds, "classes": by_class, "failed": list(failed)}


def world_run(*classes, seconds=2.0):
    """In a world the cell has the model's accuracy, not the run."""
    return {key: value for key, value in run(*classes, seconds=seconds).items() if key != "test_accuracy"}


def results_of(values):
    return Results(values, Settings(), {})


RESULTS = results_of(
    {
        ("set", "ba-house", "rules", "seed 0"): run(scores(1.0, [True])),
        ("set", "ba-house", "rules", "seed 1"): run(scores(0.8, [True])),
        ("set", "ba-grid", "rules", "seed 0"): run(scores(0.6, [False])),
        ("set", "ba-grid", "rules", "seed 1"): run(scores(0.4, [False])),
        ("set", "ba-house", "random", "seed 0"): run(scores(0.5, [False]), seconds=0.5),
        ("set", "ba-house", "random", "seed 1"): run(scores(0.5, [False]), seconds=0.5),
        ("set", "ba-grid", "random", "seed 0"): run(scores(0.9, [True]), failed=["class 0: none"], seconds=3.0),
        ("set", "ba-grid", "random", "seed 1"): run(scores(0.7, [True]), failed=["class 0: none"], seconds=5.0),
        ("world", "house-tree", "seed 0"): {"methods": {"rules": world_run(scores(None, []), scores(1.0, [True]))}},
        ("world", "star-er", "seed 0"): {"methods": {}},
    }
)
