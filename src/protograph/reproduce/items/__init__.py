"""The items of the paper, one a file, in the paper's order."""

from protograph.reproduce.item import Item
from protograph.reproduce.items import clusters, rq2, table1

ITEMS: dict[str, Item] = {
    item.name: item
    for item in (
        table1.ITEM,
        clusters.ITEM,
        rq2.ITEM,
    )
}
