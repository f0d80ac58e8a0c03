"""Where the sessions of a search begin: the best, second best, ... tuple of the matching tensor.

A small tensor is there as a whole, and a compiled loop finds its starts. Here are the others: they are gone through a
slab at a time, a slab being all tuples with one given node of the first graph, and the start is exact. Beyond
``max_tuples`` a beam of tuples is improved node by node: good, not proven to be the maximum, and marked so in the
session's record.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np

from protograph._base.arrays import Bools, Floats, Ints
from protograph._base.ties import first_best
from protograph.page.options import WalkOptions
from protograph.page.walk.beam import BeamStarts
from protograph.page.walk.matching import Matching


@dataclass(frozen=True)
class Start:
    """A start tuple, and whether it is proven to be the best one left."""

    nodes: tuple[int, ...]
    is_exact: bool


@dataclass
class _Barred:
    """What may not be chosen any more: nodes of each graph, and whole tuples."""

    nodes: list[Bools]
    tuples: list[tuple[int, ...]] = field(default_factory=list)


def find_starts(
    matching: Matching,
    count: int,
    *,
    distinct: bool = True,
    limits: WalkOptions | None = None,
) -> list[Start]:
    """Return the best ``count`` start tuples, best first, fewer where no more tuples agree.

    Args:
        matching: Matching scores of the k graphs.
        count: How many sessions there will be.
        distinct: Bar a start's nodes from later starts in every graph. Otherwise only the tuple itself is barred.
        limits: Up to how many tuples the maximum is found by going through all of them.
    """
    find = _finder(matching, limits or WalkOptions())
    barred = _Barred([np.zeros(size, dtype=np.bool_) for size in matching.sizes])
    found: list[Start] = []
    while len(found) < count and (start := find(barred)) is not None:
        found.append(start)
        barred.tuples.append(start.nodes)
        if distinct:
            for q, node in enumerate(start.nodes):
                barred.nodes[q][node] = True
    return found


def _finder(matching: Matching, limits: WalkOptions) -> Callable[[_Barred], Start | None]:
    """What finds the best start that is not barred: going through all tuples, or a beam where they are too many."""
    blocks = matching.joint.split(matching.scorer.everything)
    tuples = sum(prod(len(r) for r in rows) for rows in blocks)
    largest = max((prod(len(r) for r in rows[1:]) for rows in blocks), default=0)
    if tuples <= limits.max_tuples and largest <= limits.max_cells:
        slabs = _BlockSlabs(matching, blocks, limits.max_cells)
        return partial(_next_start, slabs, slabs.bounds(), matching.tolerance)
    return partial(_next_by_beam, BeamStarts(matching, limits))


def _next_by_beam(beam: BeamStarts, barred: _Barred) -> Start | None:
    rows = [np.flatnonzero(~nodes) for nodes in barred.nodes]
    nodes = beam.best(rows, barred.tuples) if all(len(r) for r in rows) else None
    return None if nodes is None else Start(nodes, is_exact=False)


def _next_start(slabs: "_BlockSlabs", bounds: Floats, tolerance: float, barred: _Barred) -> Start | None:
    """The first tuple, in order of node numbers, whose score ties with the best one left.

    ``bounds`` has at least the best score of each slab, and is lowered to it where a slab is looked at.
    """
    best = -np.inf
    for node in np.argsort(-bounds, kind="stable"):  # what was barred since can only have lowered a slab's best
        if bounds[node] < best - tolerance or bounds[node] == -np.inf:
            break
        bounds[node] = slabs.best(int(node), barred)
        best = max(best, bounds[node])
    if best == -np.inf:
        return None
    return Start(slabs.first(first_best(bounds, tolerance), best - tolerance, barred), is_exact=True)


class _BlockSlabs:
    """Slabs computed when they are asked for, one block for each combination of features that agrees."""

    def __init__(self, matching: Matching, blocks: list[list[Ints]], max_cells: int) -> None:
        self._matching, self._blocks, self._max_cells = matching, blocks, max_cells
        self._terms: dict[int, Floats] = {}

    def bounds(self) -> Floats:
        """The best log score of each slab, nothing being barred."""
        nothing = _Barred([np.zeros(size, dtype=np.bool_) for size in self._matching.sizes])
        return np.array([self.best(node, nothing) for node in range(self._matching.sizes[0])])

    def best(self, node: int, barred: _Barred) -> float:
        """Highest log score among the tuples with ``node`` of the first graph."""
        return max((float(values.max()) for _, values in self._parts(node, barred)), default=-np.inf)

    def first(self, node: int, threshold: float, barred: _Barred) -> tuple[int, ...]:
        """First of those tuples, in order of node numbers, with at least ``threshold``."""
        found = []
        for rows, values in self._parts(node, barred):
            hits = np.flatnonzero(values.reshape(-1) >= threshold)
            if len(hits):
                at = np.unravel_index(int(hits[0]), values.shape)
                found.append(tuple(int(r[i]) for r, i in zip(rows, at, strict=True)))
        return min(found)

    def _parts(self, node: int, barred: _Barred) -> Iterator[tuple[list[Ints], Floats]]:
        for number, rows in enumerate(self._blocks):
            if barred.nodes[0][node] or node not in rows[0]:
                continue
            kept = [np.array([node]), *(r[~barred.nodes[q + 1][r]] for q, r in enumerate(rows[1:]))]
            if all(len(r) for r in kept):
                window = np.ix_(
                    np.array([0]), *(np.searchsorted(r, k) for r, k in zip(rows[1:], kept[1:], strict=True))
                )
                values = self._matching.block_with_terms(kept, {0: self._first_axis_term(number, rows)[window]})
                for choice in barred.tuples:
                    _bar(values, kept, choice)
                yield kept, values

    def _first_axis_term(self, number: int, rows: list[Ints]) -> Floats:
        """The term of the first axis, which all slabs of a block share; built in pieces to stay small."""
        if number not in self._terms:
            if len(rows) == 1:
                return self._matching.fibre_term(0, rows)
            width = max(1, self._max_cells // (self._matching.sizes[0] * prod(len(r) for r in rows[2:])))
            pieces = [rows[1][at : at + width] for at in range(0, len(rows[1]), width)]
            terms = [self._matching.fibre_term(0, [rows[0][:1], piece, *rows[2:]]) for piece in pieces]
            self._terms[number] = np.concatenate(terms, axis=1)
        return self._terms[number]


def _bar(values: Floats, rows: Sequence[Ints], choice: tuple[int, ...]) -> None:
    positions = [np.flatnonzero(r == node) for r, node in zip(rows, choice, strict=True)]
    if all(len(p) for p in positions):
        values[tuple(int(p[0]) for p in positions)] = -np.inf
