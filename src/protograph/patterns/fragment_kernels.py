"""The compiled loops of fragments: all connected sets of nodes, and how often what they make lies in each graph.

Imported only when graphs are searched, since Numba takes a while to load. The compiled code is cached on disk. It is
written out in plain loops over few arrays that come from outside: each array that is handed on, and each of NumPy's
functions, would add to compiling.

A set is a row: its nodes, the lowest first; then of each pair of them one more than the kind of the edge between them,
0 where there is none; and last, as bits by pairs, which of them are joined.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._base.arrays import Ints, Kinds
from protograph._base.compiling import compiled, inner

Codes = NDArray[np.uint64]
_STIR, _SHIFT, _CLOSED = np.uint64(0x9E3779B97F4A7C15), np.uint64(31), np.uint64(0xD1B54A32D192ED03)
# Columns of nodes: their neighbours begin at START and end before END; the graph they belong to.
START, END, GRAPH = range(3)
# Rows of the room for growing sets: the nodes of the set from 1 on, and for each of them the next candidate and where
# candidates end; candidates, and which nodes are among them; then, in row IS_NEAR + place, one more than the kind of
# the edge from each node of the set to all others, 0 where there is none.
_NODE, _NEXT, _UNTIL, _CANDIDATE, _IS_NEAR = range(5)
ROOM_ROWS = 5
# Columns of looks: the edges that are looked for, as bits by pairs, ALL for those that are there; then for each node
# how many neighbours it must have, ANY for any number, which is not told apart.
EDGES, NEEDED = range(2)
ALL, ANY = -1, -1
# Columns of what was found: the bits of the code; the number of places, the row and the look of the first; and the row
# that was counted last.
CODE, PLACES, ROW, LOOK, _COUNTED = range(5)
FOUND_COLUMNS = 5


@compiled
def grow_sets(nodes: Ints, around: Ints, size: int, sets: Kinds, room: Ints) -> Any:  # pragma: no cover - compiled
    """Write down all connected sets of so many nodes, two at least; how many there are.

    A set begins with its lowest node. Candidates are the higher nodes next to it, in the order in which they were met;
    each candidate joins, with those after it and what is next to it alone still to come (ESU, Wernicke 2006). So each
    set comes once.

    Args:
        nodes: See above.
        around: A column for each neighbour of each node, ascending for each: itself, and the kind of the edge to it.
        size: Nodes of a set.
        sets: Room for the sets.
        room: [ROOM_ROWS + size, as many as all nodes and more than size] zeros.
    """
    number = np.int64(0)  # what is told to be 0 would be compiled for by itself
    for lowest in range(nodes.shape[0]):
        last = np.int64(1)
        _join(nodes, around, lowest, last, room)
        while last > 0:
            if last == size - 1:
                for at in range(room[_NEXT, last], room[_UNTIL, last]):
                    room[_NODE, size] = room[_CANDIDATE, at]
                    _write(size, sets, number, room)
                    number += 1
                room[_NEXT, last] = room[_UNTIL, last]
            if room[_NEXT, last] < room[_UNTIL, last]:
                node = room[_CANDIDATE, room[_NEXT, last]]
                room[_NEXT, last] += 1
                last += 1
                _join(nodes, around, node, last, room)
            else:
                for at in range(room[_UNTIL, last - 1], room[_UNTIL, last]):
                    room[_IS_NEAR, room[_CANDIDATE, at]] = 0
                node = room[_NODE, last]
                for at in range(nodes[node, START], nodes[node, END]):
                    room[_IS_NEAR + last, around[0, at]] = 0
                last -= 1
    return number


@inner
def _join(nodes: Ints, around: Ints, node: int, last: int, room: Ints) -> None:  # pragma: no cover - compiled
    """Let a node join a set: note its edges, and add those next to it, if higher than the lowest, to the candidates."""
    end = room[_UNTIL, last - 1]
    room[_NODE, last], room[_NEXT, last] = node, room[_NEXT, last - 1]
    for at in range(nodes[node, START], nodes[node, END]):
        other = around[0, at]
        room[_IS_NEAR + last, other] = around[1, at] + 1
        if other > room[_NODE, 1] and room[_IS_NEAR, other] == 0:
            room[_IS_NEAR, other] = 1
            room[_CANDIDATE, end] = other
            end += 1
    room[_UNTIL, last] = end


@inner
def _write(size: int, sets: Kinds, number: int, room: Ints) -> None:  # pragma: no cover - compiled
    """Write down a set and its edges."""
    pair, joined = size, 0
    for i in range(size):
        sets[number, i] = room[_NODE, i + 1]
        for j in range(i + 1, size):
            kind = room[_IS_NEAR + i + 1, room[_NODE, j + 1]]
            sets[number, pair] = kind
            if kind > 0:
                joined |= 1 << (pair - size)
            pair += 1
    sets[number, pair] = joined


@compiled
def count_sets(
    nodes: Ints, colors: Codes, sets: Kinds, looks: Ints, found: Ints, slots: Ints
) -> Any:  # pragma: no cover - compiled
    """Count what connected sets of nodes make, code by code and graph by graph; how many rows were found.

    What has the same code counts once on a set.

    Args:
        nodes: See above.
        colors: A number for the kind of each node, then for each kind of edge; room for two of each node of a set.
        sets: The sets, graph by graph.
        looks: What is looked for on each set, see above.
        found: Room for what is found, see above.
        slots: [a power of two, more than any graph has codes] the rows of codes, at first -1.
    """
    nothing = np.int64(0)  # what is told to be 0 would be compiled for by itself
    number, first, graph = nothing, nothing, nothing
    for row in range(sets.shape[0]):
        if nodes[sets[row, 0], GRAPH] != graph:
            graph, first = nodes[sets[row, 0], GRAPH], number
        for look in range(looks.shape[0]):
            part = looks[look, EDGES] & sets[row, sets.shape[1] - 1]
            if looks[look, EDGES] == ALL or (looks[look, EDGES] == part and _can_close(nodes, sets, row, looks, look)):
                at = _row_of(_code(nodes.shape[0], colors, sets, row, looks, look, part), found, slots, first, number)
                if at == number:
                    found[at, PLACES], found[at, ROW], found[at, LOOK], found[at, _COUNTED] = 0, row, look, -1
                    number += 1
                if found[at, _COUNTED] != row:
                    found[at, PLACES] += 1
                    found[at, _COUNTED] = row
    return number


@inner
def _can_close(nodes: Ints, sets: Kinds, row: int, looks: Ints, look: int) -> bool:  # pragma: no cover - compiled
    """Whether nodes have as many neighbours as they must."""
    for i in range(looks.shape[1] - NEEDED):
        needed, node = looks[look, NEEDED + i], sets[row, i]
        if needed != ANY and nodes[node, START] + needed != nodes[node, END]:
            return False
    return True


@inner
def _stirred(code: Any, more: Any) -> Any:  # pragma: no cover - compiled
    """As :func:`~.flat_graphs.stirred` goes on with a column more."""
    code = (code ^ more) * _STIR
    return code ^ (code >> _SHIFT)


@inner
def _code(
    num_nodes: int, colors: Codes, sets: Kinds, row: int, looks: Ints, look: int, part: int
) -> Any:  # pragma: no cover - compiled
    """A number that is equal where the nodes of a set, the edges of a part and the closed nodes are.

    Colours are refined as Weisfeiler and Leman do; of up to five nodes that tells all graphs apart.
    """
    size, nothing = looks.shape[1] - NEEDED, np.uint64(0)
    own, sums = colors.size - 2 * size, colors.size - size
    for i in range(size):
        colors[own + i], colors[sums + i] = colors[sets[row, i]], nothing
        if looks[look, NEEDED + i] != ANY:
            colors[own + i] ^= _CLOSED
    for _ in range(size // 2):
        pair = size
        for i in range(own, sums):
            for j in range(i + 1, sums):
                if part & 1 << (pair - size):
                    code = colors[num_nodes - 1 + sets[row, pair]]
                    colors[i + size] += _stirred(code, colors[j])
                    colors[j + size] += _stirred(code, colors[i])
                pair += 1
        for i in range(own, sums):
            colors[i] = _stirred(_stirred(nothing, colors[i]), colors[i + size])
            colors[i + size] = nothing
    total = nothing
    for i in range(own, sums):
        total += _stirred(nothing, colors[i])
    return np.int64(_stirred(nothing, total))


@inner
def _row_of(code: Any, found: Ints, slots: Ints, first: int, number: int) -> Any:  # pragma: no cover - compiled
    """The row of a code among those from ``first`` on; of a new one the next, where it is noted."""
    slot = code & (slots.size - 1)
    while slots[slot] >= first:
        if found[slots[slot], CODE] == code:
            return slots[slot]
        slot = (slot + 1) & (slots.size - 1)
    slots[slot] = number
    found[number, CODE] = code
    return number
