"""The items, one a file: the paper's in its order, then ours."""

from research.paper.item import Item
from research.paper.items import (
    ablation,
    arena,
    clusters,
    fidelity,
    prototypes,
    rq1,
    rq2,
    rq3,
    rq4,
    rq5,
    rq6,
    rq7,
    rq8,
    table1,
)

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        table1.ITEM,
        clusters.ITEM,
        rq1.ITEM,
        rq2.ITEM,
        rq3.ITEM,
        rq4.ITEM,
        rq5.ITEM,
        rq6.ITEM,
        rq7.ITEM,
        rq8.ITEM,
        ablation.ITEM,
        prototypes.ITEM,
        fidelity.ITEM,
        arena.ITEM,
    )
}
