"""Names of columns as a user gives them, where a column of atomic numbers is named by the elements."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from protograph.graphs.names import ColumnNames, read_names
from protograph.molecules.elements import OTHER, TABLE

# By atomic number; 0 stands for any atom.
ELEMENTS = (OTHER, *TABLE.split())
NUMBERS = {number: str(number) for number in range(len(ELEMENTS))}
# What columns of atomic numbers are called, without underscores.
ATOMIC_NUMBERS = ("atomic num", "atomic number")


def read_feature_names(given: Any, x: Any) -> ColumnNames:
    """Names of features as a user gives them; see :func:`~protograph.graphs.names.read_names`.

    The values of a column called atomic number are named by their elements, unless they have other names: PyG's
    ``x_map`` of ``from_smiles`` names them by the numbers themselves.

    >>> import torch
    >>> names = read_feature_names(("atomic number", "degree"), torch.tensor([[6, 3]]))
    >>> names.columns, names.kinds[:9]
    (('atomic number', 'degree'), ('*', 'H', 'He', 'Li', 'Be', 'B', 'C', 'N', 'O'))
    """
    names = read_names(given, x, "feature_names", "x")
    values = dict(names.values)
    for number, name in enumerate(names.columns):
        if name.lower().replace("_", " ") in ATOMIC_NUMBERS and _are_numbers(values.get(number, {}), x, number):
            values[number] = {value: ELEMENTS[int(text)] for value, text in (values.get(number) or NUMBERS).items()}
    return replace(names, values=values)


def _are_numbers(names: Mapping[int, str], x: Any, number: int) -> bool:
    """Whether the names of values are atomic numbers; where there are none, whether the values are."""
    if names:
        return all(text.isdecimal() and int(text) < len(ELEMENTS) for text in names.values())
    column: Tensor = (x if x.dim() == 1 else x[:, number]).double()
    return bool(((column == column.round()) & (column >= 0) & (column < len(ELEMENTS))).all())


def read_edge_names(given: Any, edge_attr: Any) -> ColumnNames:
    """Names of edges' attributes as a user gives them; see :func:`~protograph.graphs.names.read_names`.

    >>> import torch
    >>> read_edge_names(["single", "double"], torch.eye(2)).columns
    ('single', 'double')
    """
    return read_names(given, edge_attr, "edge_names", "edge_attr")
