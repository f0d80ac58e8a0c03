"""Speed as ratios measured in one run, and peak memory: one part a file.

    python -m research.speed                     prints the table and writes results/speed.json
    python -m research.speed --only hard_cases   measures these parts again, and keeps the rest

*One forward pass* is the plain model over the same graphs through PyG's DataLoader in batches of 256. Every ratio is
taken several times, each time against passes measured right beside it; the table gives the median and the spread. Times
are given beside a calibrating loop measured in the same run, for readers with other machines.
"""

from typing import Any

from research.speed import (
    any_k,
    compiling,
    counting,
    embedding,
    growth,
    hard,
    importing,
    large_sets,
    many_models,
    memory,
    ray_workers,
    searches,
    streaming,
    whole_sets,
)
from research.speed.timing import Part

# In the order of the table.
PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        searches.WHOLE,
        searches.SEARCHES,
        memory.PART,
        importing.PART,
        whole_sets.WALK,
        whole_sets.CONSENSUS,
        counting.PART,
        hard.PART,
        whole_sets.WALK_BENZENE,
        compiling.PART,
        growth.PART,
        any_k.PART,
        many_models.PART,
        whole_sets.REASONS,
        embedding.PART,
        streaming.PART,
        large_sets.PART,
        ray_workers.PART,
    )
}


def seeds_of(content: dict[str, Any]) -> set[int]:
    """Seeds of all that was measured; parts that do not say theirs have 0."""
    parts = (whole_sets.WALK, whole_sets.CONSENSUS, whole_sets.REASONS)
    sets = [one for part in parts for one in content.get(part.name, {}).values()]
    return {0} | {one["seed"] for one in sets if "seed" in one}


def limits_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    """Every limit that was measured against."""
    return [limit for name, part in PARTS.items() if name in content for limit in part.limits(content[name])]
