"""Rows of the fidelity item that are easily worked out."""


def row(fidelity=0.9, **more):
    return {
        **{"fidelity": fidelity, "tree_8": 0.8, "tree_32": 0.85, "majority": 0.5, "test_accuracy": 0.82},
        **{"num_reasons": [1, 2], "num_patterns": 4, "patterns": ["a", "b"], "seconds": 3.0, "ratio": 30.0},
        **{"rules": {"0": "a ring", "1": "without a ring"}},
    } | more


def real(fidelity=0.9, **more):
    return row(fidelity, **{"num_tries": 1, "least_share": 0.4} | more)


def truth(fidelity=0.9, truth=0.9, **more):
    return row(fidelity, **{"truth": truth, "truths_found": [True, False], "accuracy": 1.0} | more)


def world(kind, fidelity=1.0, found=(True,), accuracy=1.0, num_dropped=0):
    return {**row(fidelity, kind=kind, conv="gin sum", found=list(found), accuracy=accuracy, num_dropped=num_dropped)}


def unlearned(kind):
    return {"kind": kind, "num_dropped": 4, "fidelity": None}
