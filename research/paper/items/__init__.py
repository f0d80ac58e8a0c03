"""The items, one a file: the paper's in its order, then ours."""

from importlib import import_module

from research.paper.runs import Item

NAMES = ("table1", "clusters", *(f"rq{n}" for n in range(1, 9)), "ablation", "prototypes", "fidelity", "arena")
ITEMS: dict[str, Item] = {name: import_module(f"research.paper.items.{name}").ITEM for name in NAMES}
