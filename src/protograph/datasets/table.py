"""Tables of molecules: a column of SMILES and a column of labels become a data set."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import torch

from protograph._utils.words import cut, one_line
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import read_unpacked
from protograph.datasets.molecules import molecule_dataset, read_molecules
from protograph.graphs.origins import NAME_KEYS, Origin
from protograph.molecules.read import import_chem, molecule_graphs

DELIMITERS = {".csv": ",", ".tsv": "\t"}
NUM_SHOWN = 10
SHOWN_CHARACTERS = 60
# What pandas, R and data bases write where a label is missing.
MISSING = ("nan", "na", "n/a", "<na>", "none", "null")
# A column with more values than this is a measurement or a name of each molecule, unless most rows share theirs.
MANY = 20

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
BOOLEANS = {"false": 0.0, "true": 1.0}


@dataclass(frozen=True)
class LeftOut:
    """A row that is no molecule with a label.

    Attributes:
        line: Line of the file on which it begins, counted from 1.
        smiles: What it has as SMILES.
        reason: What is wrong with it.
    """

    line: int
    smiles: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(
            part for part in (f"line {self.line}", cut(one_line(self.smiles), SHOWN_CHARACTERS), self.reason) if part
        )


class BadRowsError(ValueError):
    """A table has rows that are no molecules with a label; the message has the first ten, one a line.

    Attributes:
        rows: All of them, in their order.
    """

    def __init__(self, message: str, rows: Sequence[LeftOut] = ()) -> None:
        super().__init__(message)
        self.rows = tuple(rows)


@dataclass(frozen=True, eq=False)
class MoleculeTable:
    """What was read from a table.

    Attributes:
        dataset: The molecules, named after the file.
        left_out: The rows that are none.
    """

    dataset: GraphDataset
    left_out: tuple[LeftOut, ...]


class _Row(NamedTuple):
    line: int
    smiles: str
    label: str
    problem: str
    name: str


def read_table(
    path: str | PathLike[str],
    *,
    smiles_column: str = "smiles",
    label_column: str = "label",
    id_column: str | None = None,
    skip_invalid: bool = False,
) -> MoleculeTable:
    """Read molecules and their labels from a table in UTF-8, whose first row names the columns.

    Labels 0, 1, ... stay as they are, also as ``1.0`` or ``True``. Others are names of classes, sorted by the alphabet
    or, if they are numbers, by value. The graphs are those of
    :func:`~protograph.molecules.read.molecule_graphs`.

    Args:
        path: A file that ends in ``.csv`` (commas) or ``.tsv`` (tabs), or so with ``.gz``.
        smiles_column: Name of the column of SMILES.
        label_column: Name of the column of labels.
        id_column: Name of the column that says what each molecule is called; by default the one that is called name,
            else id, in any case, if there is one.
        skip_invalid: Whether rows without a valid SMILES and a label are left out instead of being an error.

    Raises:
        FileNotFoundError: If there is no such file.
        BadRowsError: If it has rows that are not valid; a ``ValueError`` that has them all as ``rows``.
        ValueError: If the file is no such table, lacks a column, or its labels are not those of two classes or more.
        ImportError: If RDKit is not installed.
    """
    path = Path(path)
    import_chem("reading a table of SMILES")
    rows = _rows(path, smiles_column, label_column, id_column)
    if not rows:
        raise ValueError(f"{path} has no rows below its header; give a table with at least one molecule a class")
    # What is wrong with the row goes before what may be wrong with its SMILES.
    arrays, reasons = read_molecules(["" if row.problem else row.smiles for row in rows])
    left_out = tuple(
        LeftOut(row.line, row.smiles, row.problem or reasons[position])
        for position, row in enumerate(rows)
        if position in reasons
    )
    kept = [row for position, row in enumerate(rows) if position not in reasons]
    if left_out and not (skip_invalid and kept):
        way_out = "correct them, or leave them out with skip_invalid=True (--skip-invalid)"
        if not kept:
            way_out = "no row is left; check the names of the columns"
        lines = [f"{path} has {len(left_out)} of {len(rows)} rows that are not valid; {way_out}:"]
        lines += [f"  {row}" for row in left_out[:NUM_SHOWN]]
        if len(left_out) > NUM_SHOWN:
            lines.append(f"  and {len(left_out) - NUM_SHOWN} more")
        raise BadRowsError("\n".join(lines), left_out)
    labels, class_names = read_labels([row.label for row in kept], f"label_column {label_column!r} of {path}")
    dataset = molecule_dataset(
        molecule_graphs(arrays, torch.tensor(labels), [row.smiles for row in kept]),
        atoms=arrays["atom_types"].tolist(),
        bonds=arrays["bond_types"].tolist(),
        name=Path(path.name.removesuffix(".gz")).stem,
        class_names=class_names,
        source=path.name,
        origins=[Origin(position=place, line=row.line, name=row.name) for place, row in enumerate(kept)],
    )
    return MoleculeTable(dataset, left_out)


def _rows(path: Path, smiles_column: str, label_column: str, id_column: str | None) -> list[_Row]:
    """The rows of the table, in order, without lines that are empty."""
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending not in DELIMITERS:
        raise ValueError(f"path must end in .csv or .tsv, or so with .gz, got {path}")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    content = read_unpacked(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise ValueError(f"{path} must be text in UTF-8, got another byte on line {line}; save it as UTF-8") from None
    # Its own sort of line ends: a SMILES in quotation marks may have one inside.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS[ending])
    rows = []
    try:
        header = [name.strip() for name in next(reader, [])]
        if not any(header):
            raise ValueError(f"{path} is empty; its first row must name the columns, such as smiles,label")
        smiles_at = _position(header, smiles_column, "smiles_column", path)
        label_at = _position(header, label_column, "label_column", path)
        if id_column is None:  # the only one that is usually called so, if there is one
            lower = [name.lower() for name in header]
            id_at = next((lower.index(usual) for usual in NAME_KEYS if lower.count(usual) == 1), None)
        else:
            id_at = _position(header, id_column, "id_column", path)
        begin = reader.line_num + 1
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                problem = ""
                if len(cells) < len(header) or any(cells[len(header) :]):
                    problem = f"it has {len(cells)} columns, the header has {len(header)}"
                cells += [""] * (len(header) - len(cells))
                label = cells[label_at]
                if cells[smiles_at] and (not label or label.lower() in MISSING):
                    problem = problem or f"the label is {label or 'empty'}"
                rows.append(_Row(begin, cells[smiles_at], label, problem, "" if id_at is None else cells[id_at]))
            begin = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read as a table: line {reader.line_num}: {error}") from error
    return rows


def _position(header: Sequence[str], name: str, option: str, path: Path) -> int:
    if header.count(name) == 1:
        return header.index(name)
    by_lower = {column.lower(): column for column in header}
    close = [] if name in header else get_close_matches(name.lower(), by_lower, n=1)
    hint = f"; did you mean {by_lower[close[0]]!r}?" if close else ""
    columns = ", ".join(repr(cut(column, SHOWN_CHARACTERS)) for column in header[:MANY])
    more = f" and {len(header) - MANY} more" if len(header) > MANY else ""
    raise ValueError(
        f"{option} must be the name of one column of {path}, which has {columns}{more}, got {name!r}{hint}"
    )


def read_labels(texts: Sequence[str], what: str) -> tuple[list[int], tuple[str, ...]]:
    """Turn the labels of a column into the class of each row and the name of each class.

    Whole numbers 0, 1, ... without gaps stay as they are, and so do ``False`` and ``True``. Of other numbers the
    smallest becomes class 0, and so on; of other texts the first by the alphabet.

    Args:
        texts: The labels.
        what: What the column is called in messages.

    Raises:
        ValueError: If all rows are of one class, or the column holds measured numbers rather than classes.

    >>> read_labels(["1.0", "0.0", "1.0"], "label")
    ([1, 0, 1], ('0', '1'))
    >>> read_labels(["yes", "no"], "label")
    ([1, 0], ('no', 'yes'))
    >>> read_labels(["-1", "1"], "label")
    ([0, 1], ('-1', '1'))
    """
    values = [_number(text) for text in texts]
    keys: Sequence[Any] = texts if None in values else values
    kinds = sorted(set(keys))
    names = tuple(str(int(kind) if isinstance(kind, float) and kind.is_integer() else kind) for kind in kinds)
    if len(kinds) == 1:
        raise ValueError(f"{what} must have two classes or more, got {names[0]!r} in all {len(texts)} rows")
    is_measured = None not in values and not all(value.is_integer() for value in kinds)
    if len(kinds) > MANY and (is_measured or len(kinds) > len(texts) / 2):
        raise ValueError(
            f"{what} must name a class for each molecule, got {len(kinds)} different "
            f"{'numbers' if is_measured else 'values'}, such as {names[0]!r}; "
            f"give a column of classes, such as one that says whether the number is above a threshold"
        )
    place = {kind: number for number, kind in enumerate(kinds)}
    is_boolean = {text.lower() for text in texts} == set(BOOLEANS)
    return [place[key] for key in keys], ("False", "True") if is_boolean else names


def _number(text: str) -> float | None:
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    # Not all that float() takes: 1_2 and inf are names. Past 2**53 different whole numbers become one float.
    if NUMBER.fullmatch(text) is None or abs(float(text)) >= 2**53:
        return None
    return float(text)
