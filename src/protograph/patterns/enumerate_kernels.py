"""The compiled loops of enumeration: all connected sets of nodes, and a number for what each of them makes.

Imported only when graphs are searched, since Numba takes a while to load. The compiled code is cached on disk. It is
written out in plain loops over few arrays that come from outside: each array that is handed on, and each of NumPy's
functions, would add to compiling.

A set is a row: its nodes, the lowest first; then of each pair of them one more than the kind of the edge between them,
0 where there is none; and last, as bits by pairs, which of them are joined.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Ints, Kinds
from protograph._utils.compiling import compiled, inner

Codes = NDArray[np.uint64]
_STIR, _SHIFT, _CLOSED = np.uint64(0x9E3779B97F4A7C15), np.uint64(31), np.uint64(0xD1B54A32D192ED03)
# Rows of the room for growing sets: the nodes of the set from 1 on, and for each of them the next candidate and where
# candidates end; candidates, and which nodes are among them; then, in row IS_NEAR + place, one more than the kind of
# the edge from each node of the set to all others, 0 where there is none.
_NODE, _NEXT, _UNTIL, _CANDIDATE, _IS_NEAR = range(5)
ROOM_ROWS = 5
# Columns of looks: the edges that are looked for, as bits by pairs, ALL for those that are there; then for each node
# how many neighbours it must have, ANY for any number, which is not told apart.
EDGES, NEEDED = range(2)
ALL, ANY = -1, -1
# Columns of what was found: the bits of the code, the row of the set, and the look.
CODE, ROW, LOOK = range(3)


@compiled
def grow_sets(starts: Ints, around: Ints, size: int, sets: Kinds, room: Ints) -> Any:  # pragma: no cover - compiled
    """Write down all connected sets of so many nodes, two at least; how many there are.

    A set begins with its lowest node. Candidates are the higher nodes next to it, in the order in which they were met;
    each candidate joins, with those after it and what is next to it alone still to come (ESU, Wernicke 2006). So each
    set comes once.

    Args:
        starts: Where the neighbours of each node begin.
        around: A column for each neighbour of each node, ascending for each: itself, and the kind of the edge to it.
        size: Nodes of a set.
        sets: Room for the sets.
        room: [ROOM_ROWS + size, as many as all nodes and more than size] zeros.
    """
    number = np.int64(0)  # what is told to be 0 would be compiled for by itself
    for lowest in range(starts.size - 1):
        last = np.int64(1)
        _join(starts, around, lowest, last, room)
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
                _join(starts, around, node, last, room)
            else:
                for at in range(room[_UNTIL, last - 1], room[_UNTIL, last]):
                    room[_IS_NEAR, room[_CANDIDATE, at]] = 0
                node = room[_NODE, last]
                for at in range(starts[node], starts[node + 1]):
                    room[_IS_NEAR + last, around[0, at]] = 0
                last -= 1
    return number


@inner
def _join(starts: Ints, around: Ints, node: int, last: int, room: Ints) -> None:  # pragma: no cover - compiled
    """Let a node join a set: note its edges, and add those next to it, if higher than the lowest, to the candidates."""
    end = room[_UNTIL, last - 1]
    room[_NODE, last], room[_NEXT, last] = node, room[_NEXT, last - 1]
    for at in range(starts[node], starts[node + 1]):
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
def code_sets(starts: Ints, colors: Codes, sets: Kinds, looks: Ints, found: Ints) -> Any:  # pragma: no cover - compiled
    """Write down a number for what connected sets of nodes make, set by set and look by look; how many there are.

    Args:
        starts: Where the neighbours of each node begin.
        colors: A number for the kind of each node, then for each kind of edge, and for it as seen from its other end;
            room for two of each node of a set.
        sets: The sets.
        looks: What is looked for on each set, see above.
        found: Room for what is found, see above.
    """
    number = np.int64(0)  # what is told to be 0 would be compiled for by itself
    for row in range(sets.shape[0]):
        for look in range(looks.shape[0]):
            part = looks[look, EDGES] & sets[row, sets.shape[1] - 1]
            if looks[look, EDGES] == ALL or (looks[look, EDGES] == part and _can_close(starts, sets, row, looks, look)):
                found[number, CODE] = _code(starts.size - 1, colors, sets, row, looks, look, part)
                found[number, ROW], found[number, LOOK] = row, look
                number += 1
    return number


@inner
def _can_close(starts: Ints, sets: Kinds, row: int, looks: Ints, look: int) -> bool:  # pragma: no cover - compiled
    """Whether nodes have as many neighbours as they must."""
    for i in range(looks.shape[1] - NEEDED):
        needed, node = looks[look, NEEDED + i], sets[row, i]
        if needed != ANY and starts[node] + needed != starts[node + 1]:
            return False
    return True


@inner
def _stirred(code: Any, more: Any) -> Any:  # pragma: no cover - compiled
    """As :func:`~.enumerate.stirred` goes on with a column more."""
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
    num_edge_kinds = (own - num_nodes) // 2
    for i in range(size):
        colors[own + i], colors[sums + i] = colors[sets[row, i]], nothing
        if looks[look, NEEDED + i] != ANY:
            colors[own + i] ^= _CLOSED
    for _ in range(size // 2):
        pair = size
        for i in range(own, sums):
            for j in range(i + 1, sums):
                if part & 1 << (pair - size):
                    at = num_nodes - 1 + sets[row, pair]
                    colors[i + size] += _stirred(colors[at], colors[j])
                    colors[j + size] += _stirred(colors[at + num_edge_kinds], colors[i])
                pair += 1
        for i in range(own, sums):
            colors[i] = _stirred(_stirred(nothing, colors[i]), colors[i + size])
            colors[i + size] = nothing
    total = nothing
    for i in range(own, sums):
        total += _stirred(nothing, colors[i])
    return np.int64(_stirred(nothing, total))
