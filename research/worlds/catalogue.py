"""The planted worlds by name, and the motifs, grounds and words in which they are written down.

Classes have equally many graphs, and numbers of nodes and edges are drawn without regard to the class. The others
mostly have what is nearest a motif: the motif without an edge, its colours in another order.
"""

from collections.abc import Sequence
from dataclasses import replace

from research.worlds.planting import (
    Ground,
    PlantedPattern,
    PlantedReason,
    Sketch,
    Way,
    World,
    WorldClass,
    barabasi_albert_1,
    barabasi_albert_2,
    chain,
    erdos_renyi,
    ladder,
    random_tree,
)

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


R, B, G, Y, GREY = range(5)


def shapes() -> list[World]:
    """One motif by its shape."""
    not_house = others([K23], [RING5, TRIANGLE], [broken(HOUSE, 0, 4), TRIANGLE], [broken(HOUSE, 2, 3)], [BOWTIE])
    return [
        world("house-tree", "shape", TREE, not_house, any_of((1, HOUSE, ()))),
        world("k4-chain", "shape", CHAIN, others([DIAMOND, TRIANGLE], [K23], [BOWTIE]), any_of((1, K4, ()))),
        world("wheel-ba2", "shape", BA2, any_of((1, WHEEL, ())), others([K23], [FAN], [broken(WHEEL, 0, 4)])),
        world("k4-ba1-colours", "shape", coloured(BA1, (1, 1)), others([DIAMOND], [K23]), any_of((1, K4, ()))),
        world("k4-ladder", "shape", LADDER, any_of((1, K4, ())), others([DIAMOND, TRIANGLE], [BOWTIE])),
    ]


def colours() -> list[World]:
    """One motif by its colours."""
    triangle, line, arms, square = ring(3, R, R, B), path(R, B, R, B), star(Y, R, B, G), ring(4, Y, Y, B, B)
    not_triangle = others([ring(3, R, B, GREY), path(R, GREY)], [path(R, R, B), TRIANGLE], [path(R, B, R)])
    not_line = others([path(R, R, B, B)], [path(R, B, R), node(B)], [path(R, B, B, R)], [path(B, R, B), node(R)])
    not_arms = others([star(R, Y, B, G)], [path(R, Y, B), node(G)], [path(R, Y, G), node(B)], [path(B, Y, G), node(R)])
    not_square = others([path(Y, Y, B, B), SQUARE], [ring(4, Y, B, Y, B)], [path(Y, B, B, Y)], [path(B, Y, Y, B)])
    return [
        world("red-triangle-tree", "colour", coloured(TREE, GREYS), not_triangle, any_of((1, triangle, ()))),
        world("red-path-ba1", "colour", coloured(BA1, RARE), any_of((1, line, ())), not_line),
        world("star-er", "colour", coloured(ER, RARE), not_arms, any_of((1, arms, ()))),
        world("yellow-square-ba2", "colour", coloured(BA2, GREYS), not_square, any_of((1, square, ()))),
    ]


def edge_attributes() -> list[World]:
    """One motif by its edge attributes."""
    double, two_doubles, alternating = kinds(path(length=2), 1), kinds(path(length=3), 1, 1), kinds(SQUARE, 1, 0, 1, 0)
    three_kinds = (0.5, 0, 0.5)
    mixed = Ground(background=erdos_renyi, palette=(0.3, 0.3, 0.4), edge_palette=(0.9, 0.1), cycles=(1, 3))
    apart = others([kinds(path(0, 0), 1), kinds(path(1, 1), 1), kinds(path(0, 1), 0)])
    not_alternating = others([kinds(SQUARE, 1, 1, 0, 0)], [double, double], [kinds(path(length=4), 1, 0, 1), SQUARE])
    return [
        world(
            "double-edges-tree",
            "edge attribute",
            replace(TREE, edge_palette=three_kinds),
            others([double, double]),
            any_of((1, two_doubles, ())),
        ),
        world(
            "alternating-square",
            "edge attribute",
            replace(BA1, edge_palette=three_kinds),
            any_of((1, alternating, ())),
            not_alternating,
        ),
        world("coloured-double-er", "edge attribute", mixed, apart, any_of((1, kinds(path(0, 1), 1), [path(0, 1)]))),
    ]


def shortcuts() -> list[World]:
    """A motif that was meant, and a shortcut that decides in its place."""
    pair, arms = path(R, R), star(Y, B, B)

    def mostly(*ways: Sequence[Sketch], reason: int | None = None) -> tuple[Way, ...]:
        return tuple(Way(share=s, motifs=tuple(m), reason=reason) for s, m in zip((3, 1), ways, strict=True))

    return [
        world(
            "red-pair-for-house",
            "shortcut",
            coloured(TREE, GREYS),
            WorldClass(ways=mostly([RING5, node(R), node(R)], [HOUSE, node(R), node(R)])),
            WorldClass(reasons=(has(pair),), ways=mostly([HOUSE, pair], [RING5, pair], reason=0)),
        ),
        world(
            "star-for-domino",
            "shortcut",
            coloured(BA1, GREYS),
            WorldClass(reasons=(has(arms),), ways=mostly([DOMINO, arms], [RING6, arms], reason=0)),
            WorldClass(ways=mostly([RING6, path(Y, B), node(B)], [DOMINO, path(Y, B), node(B)])),
        ),
    ]


def either() -> list[World]:
    """Either of two motifs."""
    triangle, line = ring(3, R, R, B), path(Y, Y, G)
    not_shape = others([DIAMOND, SQUARE], [K23, TRIANGLE], [BOWTIE])
    house_or_k4 = any_of((1, HOUSE, ()), (1, K4, ()))
    beside = [path(Y, Y), node(G)]
    grey_wheel = replace(WHEEL, colours=(GREY,) * WHEEL.num_nodes)
    return [
        world("house-or-k4-tree", "either of two", TREE, not_shape, house_or_k4, num_graphs=1000),
        world(
            "triangle-or-path-ba1",
            "either of two",
            coloured(BA1, RARE),
            any_of((6, triangle, [path(Y, G), node(Y)]), (4, line, [path(R, B), node(R)])),
            others([path(R, R, B), *beside, TRIANGLE], [ring(3, R, B, GREY), node(R), path(Y, G), node(Y)]),
        ),
        world(
            "wheel-or-red-path-er",
            "either of two",
            coloured(ER, GREYS),
            others([FAN, path(R, R), node(R)], [K23, path(R, R), node(R)]),
            any_of((1, grey_wheel, [path(R, R), node(R)]), (1, path(R, R, R), [FAN])),
        ),
    ]


def any_of_several() -> list[World]:
    """Any of three or four motifs."""
    triangle, line, arms, square = ring(3, R, R, B), path(Y, Y, G), star(G, B, B, B), ring(4, Y, R, Y, R)
    hints = [path(R, R, B), path(Y, Y), node(G)]
    return [
        world(
            "three-shapes-tree",
            "any of three",
            TREE,
            others([DIAMOND, SQUARE], [K23, TRIANGLE], [DIAMOND, TRIANGLE]),
            any_of((5, HOUSE, ()), (3, K4, ()), (2, BOWTIE, ())),
            num_graphs=1000,
        ),
        world(
            "three-colours-ba2",
            "any of three",
            coloured(BA2, GREYS),
            any_of(
                (5, triangle, [path(Y, Y), path(B, G)]),
                (3, line, [path(R, R), node(B), node(B)]),
                (2, path(B, G, B), [path(R, R), path(Y, Y)]),
            ),
            others([path(R, R, B), path(Y, Y), path(B, G)], [path(R, B, R), path(Y, G), node(Y), node(B)]),
        ),
        world(
            "three-mixed-chain",
            "any of three",
            coloured(CHAIN, RARE),
            others([*hints, K23], [*hints, DIAMOND], [path(R, B, R), path(Y, G), node(Y), DIAMOND]),
            any_of((5, line, [path(R, B), node(R)]), (3, K4, hints), (2, triangle, [path(Y, G), node(Y)])),
        ),
        world(
            "four-colours-tree",
            "any of four",
            coloured(replace(TREE, sizes=(24, 40)), GREYS),
            others(
                [path(R, R, B), path(Y, Y), path(B, G, B)],
                [path(R, B, R), path(Y, G), node(Y), path(B, B)],
                [path(Y, R, Y), node(R), path(B, G, B), node(B)],
                [path(R, Y, R), path(Y, G), node(B), node(B), node(B)],
            ),
            any_of(
                (4, triangle, [path(B, G, B), path(Y, Y)]),
                (3, line, [path(R, R), node(B), node(B), node(B)]),
                (2, arms, [path(Y, R, Y), node(R)]),
                (1, square, [path(B, G, B), node(B)]),
            ),
            num_graphs=1000,
        ),
        world(
            "four-shapes-ba1",
            "any of four",
            replace(BA1, sizes=(20, 40)),
            others([DIAMOND, SQUARE], [K23, TRIANGLE], [RING6, DIAMOND], [RING5, DIAMOND]),
            any_of((4, HOUSE, ()), (3, K4, ()), (2, BOWTIE, ()), (1, DOMINO, ())),
            num_graphs=1000,
        ),
    ]


def conjunctions() -> list[World]:
    """Both of two."""
    line, triangle, arms = path(R, R, R), ring(3, B, B, B), star(R, G, G)
    return [
        world(
            "house-and-k4-tree",
            "both of two",
            TREE,
            others([HOUSE, K23], [K4, DIAMOND], [HOUSE, DIAMOND, TRIANGLE], [K4, RING5]),
            marked([has(HOUSE, K4)], (1, [HOUSE, K4])),
        ),
        world(
            "red-and-blue-ba1",
            "both of two",
            coloured(BA1, GREYS),
            marked([has(line, triangle)], (1, [line, triangle])),
            others([line, path(B, B, B)], [path(R, R), node(R), triangle], [path(R, R), node(R), path(B, B, B)]),
        ),
        world(
            "pair-and-star-er",
            "both of two",
            coloured(ER, GREYS),
            others([path(Y, Y), path(R, G), node(G)], [node(Y), node(Y), arms]),
            marked([has(path(Y, Y), arms)], (1, [path(Y, Y), arms])),
        ),
    ]


def counts() -> list[World]:
    """At least so many."""
    pair, triangle, line = path(R, B), ring(3, R, R, R), path(R, R, R)

    def times(sketch: Sketch, number: int) -> WorldClass:
        return marked([PlantedReason(has=(part(sketch, number),))], (1, [sketch] * number))

    bare = replace(TREE, cycles=(0, 0), second_link=0.0)
    return [
        world("two-triangles-tree", "count", bare, others([TRIANGLE, RING6], [TRIANGLE, RING7]), times(TRIANGLE, 2)),
        world(
            "two-red-triangles-ba1",
            "count",
            coloured(BA1, GREYS),
            times(triangle, 2),
            others([triangle, line], [line, line]),
        ),
        world(
            "three-pairs-er",
            "count",
            coloured(ER, GREYS),
            others([pair, pair, path(R, GREY, B)], [pair, node(R), node(B), node(R), node(B)]),
            times(pair, 3),
        ),
    ]


def chordless() -> list[World]:
    """A ring whose nodes are not joined across."""
    blue, crossed = ring(4, B, B, B, B), joined(4, "01 12 23 30 02", B, B, B, B)

    def ringed(sketch: Sketch) -> WorldClass:
        return marked([PlantedReason(has=(induced(sketch),))], (1, [sketch]))

    near_ring = others([CHORD6], [joined(6, "01 12 23 34 45 50 02")])
    return [
        world("ring-not-house-tree", "chordless", TREE, others([HOUSE]), ringed(RING5)),
        world("ring-not-chord-chain", "chordless", replace(CHAIN, cycles=(0, 0)), ringed(RING6), near_ring),
        world("blue-square-ba1", "chordless", coloured(BA1, RARE), others([crossed]), ringed(blue)),
    ]


def closed_nodes() -> list[World]:
    """Nodes that have no other neighbours."""
    two = joined(3, "01 02", R, B, B, anchors=(1, 2))
    three = joined(4, "01 02 03", R, B, B, GREY, anchors=(1, 2))
    leaf, inner = joined(2, "01", Y, R, anchors=(0,)), joined(3, "01 12", Y, R, GREY, anchors=(0, 2))

    grey = coloured(TREE, GREYS)

    def closed(sketch: Sketch, at: int, *motifs: Sketch) -> WorldClass:
        return marked([PlantedReason(has=(PlantedPattern(sketch=sketch, closed=(at,)),))], (1, motifs))

    return [
        world("two-blue-neighbours-tree", "closed nodes", grey, others([three]), closed(path(B, R, B), 1, two)),
        world(
            "red-leaf-er",
            "closed nodes",
            coloured(ER, GREYS),
            closed(path(Y, R), 1, leaf, inner),
            others([inner, inner]),
        ),
    ]


def lacks() -> list[World]:
    """A class by what it lacks, and a motif without another."""
    pair, line, arms = path(R, R), path(B, G, B), star(R, B, B, B)
    loose = [path(B, G), node(B)]
    return [
        world(
            "no-k4-tree",
            "lack",
            TREE,
            any_of((1, K4, ())),
            others([HOUSE], [DIAMOND, TRIANGLE], [K23], reason=PlantedReason(lacks=(part(K4),))),
        ),
        world(
            "no-red-star-ba2",
            "lack",
            coloured(BA2, RARE),
            others([path(B, R, B), node(B)], [path(R, B, B), node(B)], reason=PlantedReason(lacks=(part(arms),))),
            any_of((1, arms, ())),
        ),
        world(
            "pair-without-line-tree",
            "without",
            coloured(TREE, GREYS),
            others([pair, line], [pair, line, *loose], [node(R), node(R), line], [node(R), node(R), *loose]),
            others(
                [pair, *loose],
                [pair, path(B, B), node(G)],
                [pair, path(B, GREY, G), node(B)],
                reason=PlantedReason(has=(part(pair),), lacks=(part(line),)),
            ),
        ),
        world(
            "house-without-k4-chain",
            "without",
            CHAIN,
            others([HOUSE, K23], [HOUSE, BOWTIE], reason=PlantedReason(has=(part(HOUSE),), lacks=(part(K4),))),
            others([HOUSE, K4, K23], [HOUSE, K4, BOWTIE], [K4, K23], [BOWTIE, K23]),
        ),
    ]


def five_classes() -> list[World]:
    """Five classes, each with its motif; in one of the worlds the last has none of them."""
    lines = [path(R, R, B), path(B, B, R), ring(3, R, B, G), star(G, R, R), path(Y, G, Y)]
    spares = [R, R, B, B, G, Y, Y]
    none = PlantedReason(lacks=(part(K4), part(HOUSE), part(BOWTIE), part(K23)))
    return [
        world(
            "five-colours-tree",
            "five classes",
            coloured(TREE, GREYS),
            *(any_of((1, line, spare_nodes(spares, line))) for line in lines),
            num_graphs=1000,
        ),
        world(
            "five-shapes-ba1",
            "five classes",
            replace(BA1, sizes=(20, 38)),
            any_of((1, K4, [DIAMOND])),
            any_of((1, HOUSE, [DIAMOND])),
            any_of((1, BOWTIE, [DIAMOND])),
            any_of((1, K23, [TRIANGLE])),
            others([DIAMOND, RING6], [TRIANGLE, SQUARE], reason=none),
            num_graphs=1000,
        ),
    ]


WORLDS: dict[str, World] = {
    one.name: one
    for worlds in (
        *(shapes, colours, edge_attributes, shortcuts, either, any_of_several),
        *(conjunctions, counts, chordless, closed_nodes, lacks, five_classes),
    )
    for one in worlds()
}
