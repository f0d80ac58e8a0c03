"""Which options are changed, one at a time: of the paper's walk, and the steps of our own search."""

from collections.abc import Mapping, Sequence
from typing import Any

from protograph.page.options import ClusterOptions, ConsensusOptions, Step
from research.paper.variants import Variant

BASE = "as it is"
# Far beyond any embedding: nothing is cut off there.
NO_LIMIT = 1e9

# For each option of the walk its values; None stands for the paper's setting, which is not measured twice.
_WALK: Mapping[str, Mapping[str, Mapping[str, Any] | None]] = {
    "L": {"1": {"num_clusters": 1}, "2": None, "3": {"num_clusters": 3}, "4": {"num_clusters": 4}}
    | {"auto": {"num_clusters": "auto"}},
    "k": {"1": {"num_graphs": 1}, "2": {"num_graphs": 2}, "3": None} | {"4": {"num_graphs": 4}, "5": {"num_graphs": 5}},
    "budget": {"1": {"budget": 1}, "3": {"budget": 3}, "5": None, "10": {"budget": 10}, "20": {"budget": 20}},
    "decay": {"1": {"decay": 1}, "2": {"decay": 2}, "10": None, "100": {"decay": 100}},
    "max_nodes": {str(size): {"max_nodes": size} for size in (5, 7, 9, 13, 20)} | {"auto": None},
    "scoring": {"product": None, "arithmetic": {"scoring": "arithmetic"}, "geometric": {"scoring": "geometric"}}
    | {"mean vector": {"uses_mean_vector": True}},
    "match_features": {"yes": None, "no": {"match_features": False}},
    "distinct_starts": {"yes": None, "no": {"distinct_starts": False}},
}
WALK_VALUES: dict[str, tuple[str, ...]] = {option: tuple(values) for option, values in _WALK.items()}


def walk_variants(values_each: int | None = None) -> list[Variant]:
    """The walk as the paper has it, and with each option changed; of each option all values or so many."""
    changed = [
        Variant(name=f"{option} = {value}", options=options)
        for option, values in _WALK.items()
        for value, options in [(v, o) for v, o in values.items() if o is not None][:values_each]
    ]
    return [Variant(name=BASE), *changed]


def variant_at(option: str, value: str) -> str:
    """Name of the variant in which an option of the walk has a value.

    >>> variant_at("budget", "10"), variant_at("budget", "5")
    ('budget = 10', 'as it is')
    """
    return BASE if _WALK[option][value] is None else f"{option} = {value}"


def _without(*steps: Step) -> dict[str, Any]:
    return {"without": frozenset(steps)}


# The rows of the table in docs/method.md, by their names there.
DEFAULT_VARIANTS: Sequence[Variant] = (
    Variant(name=BASE),
    Variant(name="what a node adds to the margin", options=_without("margin")),
    Variant(name="information", options=_without("information")),
    Variant(name="worth in growing", options=_without("worth")),
    Variant(name="wholes", options=_without("wholes")),
    Variant(name="closing", options={"consensus_options": ConsensusOptions(max_steps=0)}),
    Variant(name="closing held by the model", options=_without("model")),
    Variant(name="several groups", options={"budget": 1}),
    Variant(name="groups of graphs that the model sees alike", options=_without("alike")),
    Variant(name="z squared between sessions", options=_without("square")),
    Variant(name="one cluster where nothing more is confirmed", options={"num_clusters": 2}),
    Variant(name="clipping", options={"cluster_options": ClusterOptions(clip=NO_LIMIT)}),
    # Beyond the table.
    Variant(
        name="clipping, and leaving out what is far off",
        options={"cluster_options": ClusterOptions(clip=NO_LIMIT, far=NO_LIMIT)},
    ),
    Variant(
        name="the smallest of the parts that weigh nearly the most",
        options={"consensus_options": ConsensusOptions(slack=0.0)},
    ),
)
