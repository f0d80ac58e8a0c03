"""Options of PAGE: those of the paper's walk, what a search goes by, and which of them are refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import TYPE_CHECKING, Any, Literal

from protograph._utils.options import check_count
from protograph._utils.randomness import checked_seed
from protograph.graphs.conditions import Match

if TYPE_CHECKING:
    from protograph.page.explainer import PAGE

Scoring = Literal["product", "arithmetic", "geometric"]
SCORINGS: tuple[Scoring, ...] = ("product", "arithmetic", "geometric")


@dataclass(frozen=True, kw_only=True)
class Walk:
    """The paper's search, with options of its own: ``PAGE(search=Walk(decay=2))``.

    Args:
        decay: What a matching score is divided by for each of its nodes that has been chosen before.
        max_iterations: Most steps of a session.
        scoring: ``"product"``, or the means over pairs: ``"arithmetic"``, ``"geometric"``.
        distinct_starts: Whether a start's nodes are barred from later starts.

    >>> Walk(decay=0.5)
    Traceback (most recent call last):
    ...
    ValueError: decay must be a number of at least 1, which scores are divided by, got 0.5
    """

    decay: float = 10.0
    max_iterations: int = 1000
    scoring: Scoring = "product"
    distinct_starts: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.decay, bool) or not isinstance(self.decay, int | float) or not 1 <= self.decay < inf:
            raise ValueError(f"decay must be a number of at least 1, which scores are divided by, got {self.decay!r}")
        check_count("max_iterations", self.max_iterations)
        if self.scoring not in SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(map(repr, SCORINGS))}, got {self.scoring!r}")
        if not isinstance(self.distinct_starts, bool):
            raise TypeError(f"distinct_starts must be True or False, got {self.distinct_starts!r}")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What a search of one cluster goes by; see :class:`~protograph.PAGE`.

    Attributes:
        budget: Number of sessions.
        max_nodes: Most nodes of a prototype; ``None`` where the data decide.
        match_features: Which nodes may stand for each other; see :class:`~protograph.patterns.joint.JointGraphs`.
        match_edges: Whether edges must have equal attributes, or a rule for that.
        walk: Options of a walk.
    """

    budget: int = 5
    max_nodes: int | None = None
    match_features: Match = True
    match_edges: Match = False
    walk: Walk = field(default_factory=Walk)


def walk_of(search: Any) -> Walk | None:
    """The walk that ``search`` asks for, also as it comes from a saved explanation; ``None`` for the consensus.

    >>> walk_of({"decay": 2.0}).decay
    2.0
    """
    if isinstance(search, Walk):
        return search
    if isinstance(search, Mapping):
        names = {option.name for option in fields(Walk)}
        if unknown := sorted(set(map(str, search)) - names):
            raise ValueError(f"search={{...}} takes {', '.join(sorted(names))}, got {unknown[0]!r}")
        return Walk(**search)
    if search not in ("walk", "consensus"):
        raise ValueError(f"search must be 'consensus', 'walk' or a Walk(...), got {search!r}")
    return Walk() if search == "walk" else None


def check_options(page: "PAGE") -> None:
    """Check all options.

    Raises:
        TypeError: If one is of a type that is not taken.
        ValueError: If one is out of range, or has no effect beside the others.
    """
    if isinstance(page.num_clusters, str) and page.num_clusters != "auto":
        raise ValueError(f"num_clusters must be a number or 'auto', got {page.num_clusters!r}")
    for name in ("num_clusters", "num_graphs", "budget", "max_nodes"):
        if (name, getattr(page, name)) not in (("num_clusters", "auto"), ("max_nodes", None)):
            check_count(name, getattr(page, name))
    check_count("max_reasons", page.max_reasons, least=0)
    for name in ("match_features", "match_edges"):
        if (asked := getattr(page, name)) != "auto" and not isinstance(asked, bool):
            raise TypeError(f"{name} must be True, False or 'auto', got {asked!r}")
    checked_seed(page.random_state)
    walk = walk_of(page.search)
    if walk is None:
        return
    if walk.scoring != "product" and page.num_graphs < 2:
        raise ValueError(f"scoring={walk.scoring!r} needs num_graphs of at least 2, got {page.num_graphs}")
    default = type(page).max_reasons
    if page.max_reasons not in (default, 0):
        raise ValueError("max_reasons has no effect under search='walk'; leave it out, or pass search='consensus'")
