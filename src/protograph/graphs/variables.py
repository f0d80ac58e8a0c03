"""What graphs tell of their nodes and edges, as variables: a one-hot block is one, and so is each column of numbers.

A variable reads one number, its *code*, from each row: the place of the 1 in a one-hot block, a whole number as it is,
or where a continuous value lies between cuts. Patterns ask for codes, and words, SMARTS and drawings are made of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import inf

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Bools, Floats
from protograph._utils.words import clean_name
from protograph.graphs.dataset import CollatedGraphs, Rows
from protograph.graphs.elements import are_atoms
from protograph.graphs.names import ColumnNames, column_name
from protograph.graphs.validate import NUMBERS, WHOLE

NODE, EDGE, GRAPH = "node", "edge", "graph"
ONE_HOT, WHOLE_NUMBER, CONTINUOUS, DIRECTION, STRUCTURE, OTHER = (
    *("one-hot", "whole", "continuous", "direction", "structure", "other"),
)
MAX_VALUES = 20  # more different floats in a column are a quantity, so many are names of kinds
MAX_CONTINUOUS = 32  # more continuous columns are one variable: of a long vector no single column means anything
# What is said of direction: which way an edge goes, as seen from the node it is told of.
WAYS = ((-1, "in"), (0, "both ways"), (1, "out"))
BONDS = frozenset({"single", "double", "triple", "aromatic"})
# Columns of molecules that no SMARTS can ask for, so that no pattern does.
UNSAID = frozenset({"chirality", "num_radical_electrons", "stereo", "bond_stereo", "is_conjugated"})
# Attributes that say what a graph is, what it is called, and how nodes are numbered; none of them is a feature.
_NO_FEATURES = frozenset({"y", "edge_index", "batch", "ptr", "num_nodes", "num_graphs", "face"})


def in_digits(value: float) -> str:
    """A number with all digits that matter.

    >>> in_digits(3.0), in_digits(1234567.0), in_digits(0.1)
    ('3', '1234567', '0.1')
    """
    return f"{value:.12g}"


def is_number(label: str) -> bool:
    """Whether a value is called by a whole number."""
    return label.lstrip("+-").isdecimal()


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One thing that a model may read of its input.

    Attributes:
        name: What it is called, unlike any other of its nodes or edges.
        key: The attribute of graphs that has it; ``edge_index`` for the edges themselves and their direction.
        of: ``"node"``, ``"edge"`` or ``"graph"``: what it has a row for.
        kind: ``"one-hot"``, ``"whole"``, ``"continuous"``, ``"direction"``, ``"structure"``, or ``"other"``.
        places: Its columns.
        cuts: Of a continuous one the lower bounds, ascending, of all bins but the lowest.
        values: The codes that occur, ascending; empty where that is not asked.
        labels: What values are called, by code.

    >>> height = Variable(name="height", key="x", kind="continuous", places=(0,), cuts=(0.5,))
    >>> height.codes(np.array([[0.2], [7]]))
    array([-inf,  0.5])
    """

    name: str
    key: str
    of: str = NODE
    kind: str = WHOLE_NUMBER
    places: tuple[int, ...] = ()
    cuts: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    labels: tuple[tuple[int, str], ...] = ()

    @property
    def is_expressible(self) -> bool:
        """Whether a pattern can ask for its values."""
        return self.of != GRAPH and (self.kind in (ONE_HOT, WHOLE_NUMBER, DIRECTION) or self.is_quantity)

    @property
    def is_quantity(self) -> bool:
        """Whether it is a single continuous column, which cuts divide."""
        return self.kind == CONTINUOUS and len(self.places) == 1

    @property
    def is_ordered(self) -> bool:
        """Whether more and less mean something: numbers, or values that are called by numbers."""
        return self.is_quantity or (self.kind == WHOLE_NUMBER and all(is_number(label) for _, label in self.labels))

    @property
    def are_elements(self) -> bool:
        """Whether it says which chemical element a node is."""
        return are_atoms([label for _, label in self.labels])

    def found_by(self, names: Sequence[str]) -> "Variable":
        """The same in graphs whose columns have these names: a one-hot value that they lack is nowhere.

        >>> kinds = Variable(name="element", key="x", kind="one-hot", places=(0, 1), labels=((0, "C"), (1, "N")))
        >>> kinds.found_by(["N", "O"]).codes(np.eye(2)).tolist()
        [1.0, -1.0]
        """
        if self.kind != ONE_HOT or not {label for _, label in self.labels} & set(names):
            return self
        places = tuple(names.index(label) if label in names else -1 for _, label in self.labels)
        return replace(self, places=places)

    def label(self, code: float) -> str | None:
        """What a value is called; ``None`` where it has no name."""
        labels: dict[float, str] = dict(self.labels)
        return labels.get(code)

    def word(self, code: float) -> str:
        """A value in short.

        >>> Variable(name="degree", key="x").word(3), Variable(name="bond", key="e", labels=((0, "double"),)).word(0)
        ('degree 3', 'double')
        """
        label = self.label(code)
        if label is not None:
            return f"{self.name} {label}" if is_number(label) or self.is_flag else label
        if self.kind == ONE_HOT:
            return f"no {self.name}"
        return self.between(code, code) if self.is_quantity else f"{self.name} {in_digits(code)}"

    def between(self, low: float, high: float, *, is_short: bool = False) -> str:
        """The bins of a continuous column from one to another, in words or as a formula.

        >>> height = Variable(name="height", key="x", kind="continuous", places=(0,), cuts=(0.5, 1.5))
        >>> height.between(-inf, 0.5), height.between(0.5, 0.5), height.between(0.5, 0.5, is_short=True)
        ('height below 1.5', 'height from 0.5 to below 1.5', '0.5<=height<1.5')
        """
        name, above = clean_name(self.name), [cut for cut in self.cuts if cut > high]
        first, last = ("" if low == -inf else in_digits(low)), (in_digits(above[0]) if above else "")
        if not first and not last:
            return f"any {name}"
        if first and last:
            return f"{first}<={name}<{last}" if is_short else f"{name} from {first} to below {last}"
        if is_short:
            return f"{name}>={first}" if first else f"{name}<{last}"
        return f"{name} of at least {first}" if first else f"{name} below {last}"

    @property
    def is_flag(self) -> bool:
        """Whether its values are false and true."""
        return {label.lower() for _, label in self.labels} == {"false", "true"}

    def codes(self, rows: Floats) -> Floats:
        """The code of each row: one-hot -1 where there is no 1, continuous the lower bound of the bin."""
        if max(self.places) >= rows.shape[1]:
            raise ValueError(
                f"{self.key} must have column {max(self.places)}, which is {self.name}, got {rows.shape[1]}"
            )
        own = np.where(np.array(self.places) < 0, 0.0, rows[:, self.places])
        if self.kind == ONE_HOT:
            return np.where(own.max(axis=1, initial=0.0) > 0, own.argmax(axis=1), -1).astype(np.float64)
        if self.kind == CONTINUOUS:
            bounds = np.array([-inf, *self.cuts])
            return bounds[np.searchsorted(self.cuts, np.nan_to_num(own[:, 0], nan=inf), side="right")]
        return own[:, 0] + 0.0  # a negative zero is a zero


def variables_of(graphs: CollatedGraphs, features: ColumnNames, edges: ColumnNames) -> list[Variable]:
    """All variables of graphs, but those that have one value everywhere; the edges themselves last.

    Args:
        graphs: The graphs.
        features: Names of the columns of ``x``.
        edges: Names of the columns of ``edge_attr``.
    """
    found: list[Variable] = []
    for key, column in graphs.columns.items():
        if (
            key in _NO_FEATURES
            or "index" in key
            or not isinstance(column, Rows)
            or column.dim
            or not len(column.values)
        ):
            continue
        if column.values.dtype not in NUMBERS:
            continue
        lengths = np.diff(column.starts)
        of = next(
            (of for of, own in ((NODE, graphs.sizes), (EDGE, graphs.counts)) if np.array_equal(lengths, own)), GRAPH
        )
        names = {"x": features, "edge_attr": edges}.get(key, ColumnNames())
        rows = column.values.double().reshape(len(column.values), -1).numpy()
        found += _of_rows(rows, key, of, names, are_whole=column.values.dtype in WHOLE)
    if any(variable.are_elements for variable in found):
        found = [replace(one, kind=OTHER) if one.name in UNSAID else one for one in found]
    if _are_directed(graphs):
        found.append(Variable(name="direction", key="edge_index", of=EDGE, kind=DIRECTION, labels=WAYS))
    if graphs.edges.size:
        found.append(Variable(name="edges", key="edge_index", of=EDGE, kind=STRUCTURE))
    return _told_apart(found)


def _of_rows(rows: Floats, key: str, of: str, names: ColumnNames, *, are_whole: bool) -> Iterator[Variable]:
    """The variables of a tensor that do not have one value everywhere."""
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    if of == GRAPH or key == "pos":
        if (lowest < highest).any():
            yield Variable(name=key, key=key, of=of, kind=OTHER, places=tuple(range(rows.shape[1])))
        return
    is_whole: Bools = (rows == np.trunc(rows)).all(axis=0)
    is_binary = is_whole & (lowest >= 0) & (highest <= 1)
    continuous, at = [], 0
    while at < rows.shape[1]:
        end = _one_hot_end(rows, is_binary, at) if is_binary[at] and at not in names.values else at
        if end > at:
            yield _one_hot(key, of, names, range(at, end), rows)
        elif lowest[at] < highest[at]:
            values = np.unique(rows[:, at])
            if (is_whole[at] and (are_whole or at in names.values)) or len(values) <= MAX_VALUES:
                name = column_name(names, at, rows.shape[1], key)
                yield Variable(
                    name="kind" if name == "x" and are_whole else name,
                    key=key,
                    of=of,
                    places=(at,),
                    values=tuple(values.tolist()),
                    labels=tuple(sorted(names.values.get(at, {}).items())),
                )
            else:
                continuous.append(at)
        at = max(end, at + 1)
    if len(continuous) > MAX_CONTINUOUS:
        name = f"{key} ({len(continuous)} continuous columns)"
        yield Variable(name=name, key=key, of=of, kind=OTHER, places=tuple(continuous))
        return
    for at in continuous:
        name = column_name(names, at, rows.shape[1], key)
        yield Variable(name=name, key=key, of=of, kind=CONTINUOUS, places=(at,))


def _one_hot_end(rows: Floats, is_binary: Bools, begin: int) -> int:
    """Where the one-hot block that begins at a column ends; ``begin`` where none does."""
    sums: NDArray[np.float64] = np.zeros(len(rows))
    for at in range(begin, rows.shape[1]):
        following = sums + rows[:, at] if is_binary[at] else None
        if following is None or following.max() > 1:
            # What is told by zeros throughout is a block too, as long as it is told by a one more often.
            return at if at > begin + 1 and sums.mean() > 0.5 else begin
        sums = following
        if at > begin and sums.min() == 1:
            return at + 1
    return rows.shape[1] if rows.shape[1] > begin + 1 and sums.mean() > 0.5 else begin


def _one_hot(key: str, of: str, names: ColumnNames, places: range, rows: Floats) -> Variable:
    own = names.columns[places.start : places.stop]
    whole = key if len(places) == rows.shape[1] else f"{key}[{places.start}:{places.stop}]"
    name = (
        "element" if are_atoms(own) else "kind" if of == NODE else "bond" if set(map(str.lower, own)) & BONDS else whole
    )
    values = [-1.0] * bool((rows[:, places].sum(axis=1) == 0).any()) + list(map(float, range(len(places))))
    return Variable(
        name=name,
        key=key,
        of=of,
        kind=ONE_HOT,
        places=tuple(places),
        values=tuple(values),
        labels=tuple(enumerate(own or map(str, places))),
    )


def _are_directed(graphs: CollatedGraphs) -> bool:
    """Whether some edge has no reverse."""
    source, target = graphs.edges + np.repeat(graphs.sizes.cumsum() - graphs.sizes, graphs.counts)
    total = int(graphs.sizes.sum())
    return bool(np.setdiff1d(source * total + target, target * total + source).size)


def _told_apart(variables: Sequence[Variable]) -> list[Variable]:
    """The variables, later ones of a name that an earlier one has with a number behind it."""
    taken, result = set[tuple[str, str]](), []
    for variable in variables:
        names = (variable.name if number == 1 else f"{variable.name} {number}" for number in count(1))
        name = next(name for name in names if (variable.of, name) not in taken)
        taken.add((variable.of, name))
        result.append(replace(variable, name=name))
    return result
