"""A prototype of molecules as atoms and bonds, as far as they are known."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx
from torch import Tensor
from torch_geometric.data import Data

BONDS = ("single", "double", "triple", "aromatic")


@dataclass(frozen=True)
class Molecule:
    """A molecule or a fragment of one: an atom without neighbours here may have had some where it was cut.

    Attributes:
        graph: A :class:`networkx.Graph` of the atoms 0, 1, ...
        symbols: Symbol of each atom.
        bonds: Type of each bond, by the pair of its atoms; those of no known type are not in it.
    """

    graph: Any
    symbols: Sequence[str]
    bonds: dict[frozenset[int], str]

    def bond(self, first: int, second: int) -> str | None:
        """Type of the bond between two atoms; ``None`` where it is not known."""
        return self.bonds.get(frozenset((first, second)))

    def neighbours(self, atom: int, symbol: str | None = None) -> list[int]:
        """Atoms joined to an atom, all or those of one element."""
        return [other for other in self.graph[atom] if symbol in (None, self.symbols[other])]

    def terminal(self, atom: int, symbol: str) -> list[int]:
        """Atoms of an element that are joined to this atom alone."""
        return [other for other in self.neighbours(atom, symbol) if self.graph.degree(other) == 1]

    @cached_property
    def ring_systems(self) -> list[Any]:
        """Rings, and rings that share atoms, largest first: what no cut of a single atom takes apart."""
        blocks = [self.graph.subgraph(atoms) for atoms in networkx.biconnected_components(self.graph) if len(atoms) > 2]
        return sorted(blocks, key=lambda block: (-len(block), -block.size()))

    @cached_property
    def ring_atoms(self) -> frozenset[int]:
        """All atoms of rings."""
        return frozenset().union(*self.ring_systems)


def bond_types(graph: Data, edge_names: Sequence[str]) -> dict[frozenset[int], str]:
    """Type of each bond that ``edge_attr`` names in one column, alike in both directions.

    >>> import torch
    >>> graph = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 2]]), edge_attr=torch.eye(2)[[1, 1, 0]])
    >>> sorted(bond_types(graph, ("other", "DOUBLE")).values())
    ['double']
    """
    values = graph.edge_attr
    if not isinstance(values, Tensor) or values.dim() != 2 or values.size(1) != len(edge_names):
        return {}
    is_named = (((values == 0) | (values == 1)).all(dim=1) & (values.sum(dim=1) == 1)).tolist()
    names = [str(name).strip().lower() for name in edge_names]
    types = defaultdict(set)
    for ends, row, named in zip(graph.edge_index.T.tolist(), values.tolist(), is_named, strict=True):
        types[frozenset(ends)].add(names[row.index(1)] if named else None)
    # Directions that disagree leave a bond unknown.
    return {ends: kind for ends, (kind, *others) in types.items() if kind in BONDS and not others}
