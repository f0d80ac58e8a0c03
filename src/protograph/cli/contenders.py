"""The explainers and metrics that a comparison is asked for: ours by name, one's own as ``module:attribute``."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from protograph import PAGE, Explainer
from protograph._base.words import listed
from protograph.cli.explainers import NUM_PROTOTYPES, explainer_of
from protograph.cli.importing import error_text, imported, is_attribute
from protograph.evaluation.keeping import file_stem
from protograph.evaluation.own_metrics import OwnMetric, takes_case

NAMES = ("page", "walk", "xgnn", "gnninterpreter", "random")
# A tenth of the steps that generators take by default.
QUICK_OPTIONS: Mapping[str, Mapping[str, int]] = {
    "xgnn": {"num_epochs": 2, "num_rollouts": 4},
    "gnninterpreter": {"num_iterations": 40},
}
# Figures by what the table calls them.
METRICS = {
    "accuracy": "accuracy",
    "probability": "p_GNN",
    "success": "p >= .9",
    "fidelity": "fidelity",
    "coverage": "coverage",
    "support": "support",
    "support_elsewhere": "elsewhere",
    "is_valid": "validity",
    "stability": "stability",
    "num_nodes": "nodes",
    "num_edges": "edges",
    "density": "density",
    "num_reasons": "reasons",
    "num_patterns": "patterns",
    "margin_share": "margin share",
    "consistency": "consistency",
    "faithfulness": "faithfulness",
    "seconds": "seconds",
    "slower": "time",
    "model_calls": "model calls",
}
ROBUSTNESS = ("consistency", "faithfulness")


def explainers_of(
    names: str, prototypes: int | None, max_nodes: int | None, *, is_quick: bool = False
) -> Mapping[str, Callable[[int], Explainer]]:
    """What makes each of the named explainers, given a seed; it can be sent to another process.

    Raises:
        ValueError: If one is not known, or gives no explainer.
    """
    wanted = _split(names)
    unknown = [name for name in wanted if not is_attribute(name) and name.lower() not in NAMES]
    if unknown or not wanted:
        raise ValueError(
            f"--explainers must be among {', '.join(NAMES)}, or a module:attribute of yours, got "
            f"{', '.join(unknown) or 'none'}"
        )
    made: dict[str, Callable[[int], Explainer]] = {}
    for name in wanted:
        if is_attribute(name):
            made[name] = partial(own_explainer, name, prototypes, max_nodes)
            made[name](0)  # whether it can be made is known before any work
        else:
            made[name.lower()] = partial(our_explainer, name.lower(), prototypes, max_nodes, is_quick)
    _check_stems(made)
    return made


def _split(names: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))


def _check_stems(names: Mapping[str, Any]) -> None:
    stems: dict[str, str] = {}
    for name in names:
        other = stems.setdefault(file_stem(name), name)
        if other != name:
            raise ValueError(f"--explainers {other} and {name} would have the same files; call one of them otherwise")


def our_explainer(name: str, prototypes: int | None, max_nodes: int | None, is_quick: bool, seed: int) -> Explainer:
    """One of our explainers."""
    options: Any = {"max_nodes": max_nodes, "random_state": seed}
    if name == "walk":
        return PAGE(search="walk", num_clusters=prototypes or NUM_PROTOTYPES, **options)
    made: Explainer = explainer_of(name, PAGE(num_clusters=prototypes or "auto", **options))
    if is_quick and name in QUICK_OPTIONS:
        return type(made)(**{**made._options(), **QUICK_OPTIONS[name]})
    return made


def own_explainer(spec: str, prototypes: int | None, max_nodes: int | None, seed: int) -> Explainer:
    """An explainer of the user's own: with the seed, and with numbers that were given, as far as it takes them."""
    make = imported("--explainers", spec)
    given = {"random_state": seed, "num_prototypes": prototypes, "max_nodes": max_nodes}
    try:
        taken = inspect.signature(make).parameters
        options = {name: value for name, value in given.items() if name in taken and value is not None}
        made = make(**options)
    except (Exception, SystemExit) as error:
        raise ValueError(f"--explainers {spec!r} failed with {error_text(error)}") from error
    if not isinstance(made, Explainer):
        raise ValueError(
            f"--explainers {spec!r} must be a class of protograph.Explainer, or give one when called, got "
            f"{type(made).__name__}"
        )
    return made


def metrics_of(names: str | None) -> tuple[list[str] | None, dict[str, OwnMetric]]:
    """The figures that the table shows, ``None`` for all, and the metrics of the user's own among them.

    A figure goes by its name in the table or in ``--json``.

    Raises:
        ValueError: If one is not known.
    """
    if names is None:
        return None, {}
    known = {**{title: key for key, title in METRICS.items()}, **{key: key for key in METRICS}}
    shown, own = list[str](), dict[str, OwnMetric]()
    for name in _split(names):
        if is_attribute(name):
            own[name] = imported("--metrics", name)
            if not callable(own[name]):
                raise ValueError(f"--metrics {name!r} must be a function, got {type(own[name]).__name__}")
            takes_case(name, own[name])
            shown.append(name)
        elif name in known:
            shown.append(known[name])
        else:
            raise ValueError(
                f"--metrics must be among {listed(list(METRICS.values()))}, or a module:attribute of yours, got {name}"
            )
    if not shown:
        raise ValueError("--metrics must name at least one, got none")
    return shown, own
