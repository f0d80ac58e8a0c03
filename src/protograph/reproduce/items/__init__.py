"""The items of the paper, one a file, in the paper's order."""

from protograph.reproduce.item import Item
from protograph.reproduce.items import clusters, rq1, rq2, rq3, rq4, rq5, table1

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
    )
}
