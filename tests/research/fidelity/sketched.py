"""Patterns drawn by hand."""

from types import SimpleNamespace

from research.paper.worlds.planting import pattern_graph

NO_EDGES = SimpleNamespace(is_matched=False)


def pattern(sketch, num_colours=3, **options):
    made = {"graph": pattern_graph(sketch, num_colours, 0), "kind": "part", "closed": (), "at_least": 1}
    return SimpleNamespace(**made | {"edge_rule": NO_EDGES} | options)


def explanation(*patterns, lacks=()):
    """One with a reason that asks for these patterns."""
    return SimpleNamespace(reasons=[SimpleNamespace(has=patterns, lacks=lacks)])
