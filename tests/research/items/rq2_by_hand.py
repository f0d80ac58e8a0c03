"""Results of RQ2 that are easily worked out."""

from research.paper.item import Results
from research.paper.methods import TITLES
from research.paper.settings import Settings


def scores(accuracy=0.5, **more):
    return {"accuracy": accuracy, "density": 0.2, "truth_density": 0.24, "probability": 0.9, **more}


def swept(tau, probabilities):
    return {
        "consistency": 0.1,
        "consistency_probabilities": probabilities,
        "faithfulness": tau,
        "faithfulness_note": "",
        "faithfulness_probabilities": probabilities,
        "faithfulness_accuracies": [0.5, 0.7, 0.9],
    }


def results(of, names=("ba-house",), num_seeds=3, settings=None):
    """``of(name, method, seed)`` gives the classes."""
    values = {
        (name, method, f"seed {seed}"): {"classes": of(name, method, seed)}
        for name in names
        for method in TITLES
        for seed in range(num_seeds)
    }
    # Of a quick run: three levels of wrong labels.
    return Results(values, settings or Settings(is_quick=True), {})
