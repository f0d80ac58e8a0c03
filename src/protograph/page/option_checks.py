"""What options of PAGE are refused, each with what is wanted in its place."""

from dataclasses import fields
from math import inf
from typing import TYPE_CHECKING, Any

from protograph._base.options import check_count, check_number
from protograph._base.randomness import checked_seed
from protograph.page.options import (
    SCORINGS,
    ConsensusOptions,
    EdgeOptions,
    EvidenceOptions,
    NodeOptions,
    ReasonOptions,
    WalkOptions,
    as_options,
)

if TYPE_CHECKING:
    from protograph.page.explainer import PAGE

# Options that only one of the searches reads.
_OF_ONE_SEARCH = {
    "walk": ("decay", "max_iterations", "scoring", "distinct_starts", "walk_options"),
    "consensus": ("consensus_options", "max_reasons", "reason_options"),
}
_GROUPS: dict[str, type[Any]] = {
    "consensus_options": ConsensusOptions,
    "walk_options": WalkOptions,
    "evidence_options": EvidenceOptions,
    "edge_options": EdgeOptions,
    "node_options": NodeOptions,
    "reason_options": ReasonOptions,
}


def check_options(page: "PAGE") -> None:
    """Check all options; groups of them that were given as dictionaries are made what they are.

    Raises:
        TypeError: If one is of a type that is not taken.
        ValueError: If one is out of range, or has no effect beside the others.
    """
    _check_counts(page)
    if isinstance(page.decay, bool) or not isinstance(page.decay, int | float) or not 1 <= page.decay < inf:
        raise ValueError(f"decay must be a number of at least 1, which scores are divided by, got {page.decay!r}")
    if page.scoring not in SCORINGS:
        raise ValueError(f"scoring must be one of {', '.join(map(repr, SCORINGS))}, got {page.scoring!r}")
    if page.search not in ("walk", "consensus"):
        raise ValueError(f"search must be 'walk' or 'consensus', got {page.search!r}")
    _check_matching(page)
    checked_seed(page.random_state)
    for name, kind in _GROUPS.items():
        setattr(page, name, as_options(name, getattr(page, name), kind))
    _check_effect(page)
    if page.scoring != "product" and page.num_graphs < 2:
        raise ValueError(f"scoring={page.scoring!r} needs num_graphs of at least 2, got {page.num_graphs}")


def _check_counts(page: "PAGE") -> None:
    if isinstance(page.num_clusters, str) and page.num_clusters != "auto":
        raise ValueError(f"num_clusters must be a number or 'auto', got {page.num_clusters!r}")
    for name in ("num_clusters", "num_graphs", "budget", "max_iterations", "max_nodes"):
        if (name, getattr(page, name)) not in (("num_clusters", "auto"), ("max_nodes", None)):
            check_count(name, getattr(page, name))
    check_count("max_reasons", page.max_reasons, least=0)


def _check_matching(page: "PAGE") -> None:
    rule = page.match_features
    if not (isinstance(rule, bool | int | float) or callable(rule) or rule in ("auto", "model")):
        raise TypeError(
            f"match_features must be 'auto', 'model', True, False, a tolerance or a function of two rows, got {rule!r}"
        )
    if isinstance(rule, int | float) and not isinstance(rule, bool):
        check_number("match_features as a tolerance", rule)
    if page.match_edges != "auto" and not isinstance(page.match_edges, bool):
        raise TypeError(f"match_edges must be True, False or 'auto', got {page.match_edges!r}")
    if not isinstance(page.distinct_starts, bool):
        raise TypeError(f"distinct_starts must be True or False, got {page.distinct_starts!r}")


def _check_effect(page: "PAGE") -> None:
    """Refuse an option that the chosen search never reads: whoever sets it expects it to do something."""
    other = "walk" if page.search == "consensus" else "consensus"
    defaults = {f.name: f.default_factory() if callable(f.default_factory) else f.default for f in fields(page)}
    for name in _OF_ONE_SEARCH[other]:
        if getattr(page, name) != defaults[name]:
            raise ValueError(
                f"{name} has no effect under search={page.search!r}; leave it out, or pass search={other!r}"
            )
