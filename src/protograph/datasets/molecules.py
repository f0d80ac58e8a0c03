"""Data sets of molecules: from SMILES, kept in the cache, with small molecules as ground truths."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.arrays import Arrays
from protograph.datasets.cache import cached_arrays
from protograph.datasets.dataset import GraphDataset
from protograph.molecules.elements import COLORS
from protograph.molecules.reading import PURPOSE, import_chem, molecule_arrays, parse

# Part of the cache's key: to be raised with every change of what molecule_arrays gives.
RECIPE = 2

# Symbols of the atoms, and which of them are joined.
Structure = tuple[Sequence[str], Sequence[tuple[int, int]]]

CARBON_RING: Structure = (("C",) * 6, tuple((atom, (atom + 1) % 6) for atom in range(6)))


def molecule(atoms: Sequence[str], bonds: Sequence[tuple[int, int]], feature_names: Sequence[str]) -> Data:
    """A molecule as a graph, each bond in both directions, the atoms one-hot in the columns of those names.

    >>> molecule(("N", "O"), [(0, 1)], ("C", "N", "O")).x
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    columns = torch.tensor([feature_names.index(atom) for atom in atoms])
    edges = sorted([*bonds, *((v, u) for u, v in bonds)])
    return Data(x=torch.eye(len(feature_names))[columns], edge_index=torch.tensor(edges).T.contiguous())


def molecule_dataset(
    graphs: Sequence[Data],
    *,
    atoms: Sequence[str],
    bonds: Sequence[str],
    truths: Mapping[int, Sequence[Structure]] | None = None,
    **facts: Any,
) -> GraphDataset:
    """A data set of molecules: names, colours and ground truths follow from the atoms and bonds.

    Args:
        graphs: The molecules.
        atoms: Symbol of each column of ``x``; one without a colour of its own gets that of ``"*"``.
        bonds: Name of each column of ``edge_attr``.
        truths: The structures that decide a class, for the classes that have such.
        facts: All else that a :class:`~protograph.datasets.GraphDataset` knows.

    >>> dataset = molecule_dataset([], atoms=("C", "Se"), bonds=("single",), name="mine", class_names=("no", "yes"))
    >>> dataset.colors
    ('#4D4D4D', '#8A8A8A')
    """
    return GraphDataset(
        graphs=graphs,
        feature_names=tuple(atoms),
        edge_names=tuple(bonds),
        colors=tuple(COLORS.get(atom, COLORS["*"]) for atom in atoms),
        ground_truths={
            label: tuple(molecule(*structure, atoms) for structure in structures)
            for label, structures in (truths or {}).items()
        },
        **facts,
    )


def read_molecules(name: str, smiles: Sequence[str]) -> Arrays:
    """Atoms and bonds of those SMILES that are molecules, kept in the cache.

    Args:
        name: What the cache calls it.
        smiles: The texts.

    Returns:
        What :func:`~protograph.molecules.reading.molecule_arrays` gives, and ``wrong`` and ``reasons``: the positions
        of the others, and what is wrong with each.
    """

    def build() -> Arrays:
        problems: dict[int, str] = {}
        arrays = molecule_arrays(_parsed(smiles, problems))
        return arrays | {
            "wrong": np.array(list(problems), dtype=np.int64),
            "reasons": np.array(list(problems.values()), dtype=np.str_),
        }

    content = hashlib.sha256(json.dumps(list(smiles)).encode()).hexdigest()
    version = import_chem(PURPOSE).rdBase.rdkitVersion
    return cached_arrays(name, {"smiles": content, "recipe": RECIPE, "rdkit": version}, build)


def _parsed(smiles: Sequence[str], problems: dict[int, str]) -> Iterator[Any]:
    """The molecules one by one, so that not all of them are in memory; what is none goes into ``problems``."""
    for position, text in enumerate(smiles):
        try:
            yield parse(text)
        except ValueError as error:
            problems[position] = str(error)
