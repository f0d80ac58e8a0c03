"""The motifs and grounds of the planted worlds, and the words in which worlds are written down."""

from collections.abc import Sequence
from dataclasses import replace

from research.paper.worlds.planting import (
    Ground,
    PlantedPattern,
    Sketch,
    barabasi_albert_1,
    barabasi_albert_2,
    chain,
    erdos_renyi,
    ladder,
    random_tree,
)
from research.paper.worlds.world import PlantedReason, Way, World, WorldClass

TREE = Ground(background=random_tree)
BA1 = Ground(background=barabasi_albert_1)
CHAIN = Ground(background=chain)
BA2 = Ground(background=barabasi_albert_2, sizes=(20, 40), cycles_per_node=0.5)
ER = Ground(background=erdos_renyi, cycles=(1, 4))
LADDER = Ground(background=ladder, sizes=(20, 40), cycles=(1, 3), second_link=0.0)
# Red, blue, green and yellow occur only in what is planted, or are rare beside it; the rest is grey.
GREYS, RARE = (0, 0, 0, 0, 1), (0.05, 0.05, 0.05, 0.05, 0.8)


def coloured(ground: Ground, palette: Sequence[float]) -> Ground:
    """The same ground with colours, drawn as often as the palette says."""
    return replace(ground, palette=tuple(palette))


def ring(num_nodes: int, *colours: int) -> Sketch:
    """A ring."""
    edges = [(node, node + 1) for node in range(num_nodes - 1)] + [(0, num_nodes - 1)]
    return Sketch(num_nodes=num_nodes, edges=tuple(edges), colours=colours)


def path(*colours: int, length: int = 0) -> Sketch:
    """A path, by its colours or, without, by its number of nodes."""
    num_nodes = length or len(colours)
    return Sketch(num_nodes=num_nodes, edges=tuple((i, i + 1) for i in range(num_nodes - 1)), colours=colours)


def star(*colours: int, leaves: int = 0) -> Sketch:
    """A star, its centre first."""
    leaves = leaves or len(colours) - 1
    return Sketch(num_nodes=leaves + 1, edges=tuple((0, i) for i in range(1, leaves + 1)), colours=colours)


def complete(num_nodes: int) -> Sketch:
    """All nodes joined."""
    return Sketch(num_nodes=num_nodes, edges=tuple((u, v) for v in range(num_nodes) for u in range(v)))


def joined(num_nodes: int, text: str, *colours: int, anchors: tuple[int, ...] = ()) -> Sketch:
    """A graph by its edges: ``"01 12"``."""
    edges = tuple((int(pair[0]), int(pair[1])) for pair in text.split())
    return Sketch(num_nodes=num_nodes, edges=edges, colours=colours, anchors=anchors)


def kinds(sketch: Sketch, *edge_kinds: int) -> Sketch:
    """The same with kinds of edges."""
    return Sketch(num_nodes=sketch.num_nodes, edges=sketch.edges, colours=sketch.colours, edge_kinds=edge_kinds)


TRIANGLE, SQUARE, RING5, RING6, RING7 = (ring(number) for number in (3, 4, 5, 6, 7))
HOUSE = joined(5, "01 12 23 30 04 14")
DIAMOND = joined(4, "01 12 23 30 02")
K4 = complete(4)
K23 = joined(5, "02 03 04 12 13 14")
WHEEL = joined(5, "01 12 23 30 04 14 24 34")
BOWTIE = joined(5, "01 12 20 03 34 40")
DOMINO = joined(6, "01 12 23 34 45 50 14")
FAN = joined(5, "01 12 23 04 14 24 34")
CHORD6 = joined(6, "01 12 23 34 45 50 03")


def node(colour: int) -> Sketch:
    """One node of a colour."""
    return Sketch(num_nodes=1, edges=(), colours=(colour,))


def part(sketch: Sketch, at_least: int = 1) -> PlantedPattern:
    """Looked for as a part."""
    return PlantedPattern(sketch=sketch, at_least=at_least)


def induced(sketch: Sketch) -> PlantedPattern:
    """Looked for without further edges between its nodes."""
    return PlantedPattern(sketch=sketch, kind="induced")


def has(*sketches: Sketch) -> PlantedReason:
    """All of these, as parts."""
    return PlantedReason(has=tuple(map(part, sketches)))


def marked(reasons: Sequence[PlantedReason], *ways: tuple[float, Sequence[Sketch]]) -> WorldClass:
    """A class whose ways hold its reasons one after another."""
    return WorldClass(
        reasons=tuple(reasons), ways=tuple(Way(share=s, motifs=tuple(m), reason=i) for i, (s, m) in enumerate(ways))
    )


def others(*motifs: Sequence[Sketch], reason: PlantedReason | None = None) -> WorldClass:
    """A class whose ways have equal shares and, if any, the same reason."""
    number = None if reason is None else 0
    ways = tuple(Way(share=1.0, motifs=tuple(one), reason=number) for one in motifs)
    return WorldClass(reasons=() if reason is None else (reason,), ways=ways)


def any_of(*ways: tuple[float, Sketch, Sequence[Sketch]]) -> WorldClass:
    """A class that has any of some motifs, each with its share and what is planted beside it."""
    return marked([has(motif) for _, motif, _ in ways], *[(share, (motif, *beside)) for share, motif, beside in ways])


def broken(sketch: Sketch, *edge: int) -> Sketch:
    """The same without an edge, which keeps it connected."""
    assert edge in sketch.edges
    left = tuple(one for one in sketch.edges if one != edge)
    return Sketch(num_nodes=sketch.num_nodes, edges=left, colours=sketch.colours)


def world(name: str, kind: str, ground: Ground, *classes: WorldClass, num_graphs: int = 800) -> World:
    """A world."""
    return World(name=name, kind=kind, ground=ground, classes=classes, num_graphs=num_graphs)


def spare_nodes(spares: Sequence[int], motif: Sketch) -> list[Sketch]:
    """Single nodes of these colours, less those that a motif has."""
    left = list(spares)
    for colour in motif.colours:
        left.remove(colour)
    return [node(colour) for colour in left]
