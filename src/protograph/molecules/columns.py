"""The columns that PyG and OGB make of molecules, recognised by making them again from the graphs' SMILES."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.graphs.dataset import GraphStore
from protograph.graphs.elements import OTHER, TABLE
from protograph.graphs.names import ColumnNames
from protograph.molecules.read import import_chem

NUM_COMPARED = 20  # graphs whose columns are made again
SOURCES = {"pyg": "torch_geometric.utils.from_smiles", "ogb": "OGB's smiles2graph"}
_FLAG, _MISC = ("False", "True"), ("misc",)
_ELEMENTS = tuple(TABLE.split())
_HYBRIDS = ("SP", "SP2", "SP3", "SP3D", "SP3D2")


def _numbers(first: int, last: int) -> tuple[str, ...]:
    return tuple(map(str, range(first, last + 1)))


# Columns in their order, with what their values 0, 1, ... mean; names are PyG's in both.
_COLUMNS: Mapping[str, tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]] = {
    "ogb": (
        {
            "atomic_num": (*_ELEMENTS, OTHER),
            "chirality": ("CHI_UNSPECIFIED", "CHI_TETRAHEDRAL_CW", "CHI_TETRAHEDRAL_CCW", "CHI_OTHER", *_MISC),
            "degree": (*_numbers(0, 10), *_MISC),
            "formal_charge": (*_numbers(-5, 5), *_MISC),
            "num_hs": (*_numbers(0, 8), *_MISC),
            "num_radical_electrons": (*_numbers(0, 4), *_MISC),
            "hybridization": (*_HYBRIDS, *_MISC),
            "is_aromatic": _FLAG,
            "is_in_ring": _FLAG,
        },
        {
            "bond_type": ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC", *_MISC),
            "stereo": ("STEREONONE", "STEREOZ", "STEREOE", "STEREOCIS", "STEREOTRANS", "STEREOANY"),
            "is_conjugated": _FLAG,
        },
    )
}


class KnownColumns(NamedTuple):
    """Names of the columns of molecules.

    Attributes:
        features: Of ``x``.
        edges: Of ``edge_attr``.
        source: What makes such columns.
    """

    features: ColumnNames
    edges: ColumnNames
    source: str


def known_columns(columns: str) -> KnownColumns:
    """The columns that PyG (``"pyg"``) or OGB (``"ogb"``) makes."""
    if columns not in SOURCES:
        raise ValueError(f"columns must be 'pyg' or 'ogb', got {columns!r}; other columns are named by feature_names")
    if columns == "pyg":
        from torch_geometric.utils.smiles import e_map, x_map

        elements = {"atomic_num": (OTHER, *_ELEMENTS)}
        nodes: Mapping[str, Any] = {**x_map, **elements}
        return KnownColumns(_named(nodes), _named(e_map), SOURCES[columns])
    nodes, edges = _COLUMNS[columns]
    return KnownColumns(_named(nodes), _named(edges), SOURCES[columns])


def _named(columns: Mapping[str, Sequence[Any]]) -> ColumnNames:
    values = {place: dict(enumerate(map(str, own))) for place, own in enumerate(columns.values())}
    return ColumnNames(tuple(columns), values)


def recognised(store: GraphStore) -> KnownColumns | None:
    """The columns of molecules, if they can be made again of the graphs' SMILES; ``None`` if they are others."""
    first = store[0]
    if not isinstance(first.x, Tensor) or first.x.dim() != 2 or first.x.size(1) != 9 or "smiles" not in first:
        return None
    some = store.take(range(0, len(store), -(-len(store) // NUM_COMPARED)))
    for columns, make in (("pyg", _by_pyg), ("ogb", _by_ogb)):
        try:
            if all(_is_same(graph, *make(graph.smiles)) for graph in some):
                return known_columns(columns)
        except Exception:  # whatever is no SMILES, or RDKit is not there
            return None
    return None


def look_alike(store: GraphStore) -> bool:
    """Whether graphs without SMILES may have such columns: nine of whole numbers, and three of edges."""
    x, edge_attr = store[:].tensor("x"), store[:].tensor("edge_attr")
    if x is None or edge_attr is None or x.is_floating_point() or edge_attr.is_floating_point():
        return False
    return x.dim() == edge_attr.dim() == 2 and (x.size(1), edge_attr.size(1)) == (9, 3)


def _is_same(graph: Data, x: Tensor, edge_attr: Tensor) -> bool:
    return torch.equal(graph.x.long(), x) and torch.equal(graph.edge_attr.long(), edge_attr)


def _by_pyg(smiles: str) -> tuple[Tensor, Tensor]:
    from torch_geometric.utils import from_smiles

    graph = from_smiles(smiles)
    return graph.x, graph.edge_attr


def _by_ogb(smiles: str) -> tuple[Tensor, Tensor]:
    atoms, bonds = _COLUMNS["ogb"]
    molecule = import_chem("recognising columns").MolFromSmiles(smiles)
    of_atom: Mapping[str, Callable[[Any], Any]] = {
        "atomic_num": lambda atom: atom.GetSymbol(),
        "chirality": lambda atom: atom.GetChiralTag(),
        "degree": lambda atom: atom.GetTotalDegree(),
        "formal_charge": lambda atom: atom.GetFormalCharge(),
        "num_hs": lambda atom: atom.GetTotalNumHs(),
        "num_radical_electrons": lambda atom: atom.GetNumRadicalElectrons(),
        "hybridization": lambda atom: atom.GetHybridization(),
        "is_aromatic": lambda atom: atom.GetIsAromatic(),
        "is_in_ring": lambda atom: atom.IsInRing(),
    }
    of_bond: Mapping[str, Callable[[Any], Any]] = {
        "bond_type": lambda bond: bond.GetBondType(),
        "stereo": lambda bond: bond.GetStereo(),
        "is_conjugated": lambda bond: bond.GetIsConjugated(),
    }
    x = [[_place(atoms[name], read(atom)) for name, read in of_atom.items()] for atom in molecule.GetAtoms()]
    rows = [[_place(bonds[name], read(bond)) for name, read in of_bond.items()] for bond in molecule.GetBonds()]
    return torch.tensor(x), torch.tensor([row for row in rows for _ in range(2)]).reshape(-1, len(bonds))


def _place(values: Sequence[str], value: Any) -> int:
    """The place of a value; the last, which stands for all others, where it is none of them."""
    return values.index(str(value)) if str(value) in values else len(values) - 1
