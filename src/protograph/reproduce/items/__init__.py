"""The items of the paper, one a file, in the paper's order."""

from protograph.reproduce.item import Item
from protograph.reproduce.items import ablation, clusters, rq2, rq6, rq7, rq8, table1

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        table1.ITEM,
        clusters.ITEM,
        rq2.ITEM,
        rq6.ITEM,
        rq7.ITEM,
        rq8.ITEM,
        ablation.ITEM,
    )
}
