"""Names that an explanation speaks by: those the user gave, else those that the data set has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.utils.data import Subset

from protograph.graphs.dataset import GraphStore
from protograph.graphs.elements import COLORS, OTHER, are_atoms
from protograph.graphs.names import ColumnNames, num_columns, unnamed_value
from protograph.molecules.columns import known_columns, look_alike, recognised
from protograph.molecules.read import read_edge_names, read_feature_names


@dataclass(frozen=True, kw_only=True)
class Names:
    """What classes, features and attributes of edges are called.

    Attributes:
        classes: A name for each class; their numbers where they have none.
        features: Names of the columns of ``x``.
        edges: Names of the columns of ``edge_attr``.
        colors: A colour for each kind of node: for the columns of ``x``, or the values of the first column whose values
            have names; empty where they have none.
    """

    classes: tuple[str, ...]
    features: ColumnNames = field(default_factory=ColumnNames)
    edges: ColumnNames = field(default_factory=ColumnNames)
    colors: tuple[str, ...] = ()
    source: str = ""

    @property
    def of_columns(self) -> dict[str, Any]:
        """The fields of a prototype that hold names."""
        return {
            "feature_names": self.features.columns,
            "feature_values": self.features.values,
            "edge_names": self.edges.columns,
            "edge_values": self.edges.values,
        }


def names_for(graphs: Any, store: GraphStore, num_classes: int, given: Mapping[str, Any]) -> tuple[Names, list[str]]:
    """Names for the graphs of a fit, and what the data set has that does not fit.

    Args:
        graphs: What the user gave, which may have names itself.
        store: The same graphs.
        num_classes: How many classes the model tells apart.
        given: ``feature_names``, ``edge_names``, ``class_names`` and ``columns`` that the user gave, each ``None``
            where not.

    Raises:
        TypeError: If given names are no names.
        ValueError: If given names do not fit; those of a data set that do not are left out, with a warning.
    """
    data, warnings = graphs, list[str]()
    while isinstance(data, Subset):
        data = data.dataset
    first = store[0]

    def chosen(key: str, read: Callable[[Any], Any]) -> Any:
        if given.get(key) is not None:
            return read(given[key])
        try:
            return read(_own(data, key))
        except (TypeError, ValueError) as error:
            warnings.append(f"names of the data set are left out: {error}")
            return read(())

    known, source = None, ""
    if given.get("columns") is not None:
        known = known_columns(given["columns"])
    elif given.get("feature_names") is None and not _own(data, "feature_names"):
        known = recognised(store)
        if known is None and look_alike(store):
            warnings.append(
                "x and edge_attr may be the columns that torch_geometric.utils.from_smiles or OGB makes of molecules; "
                "fit(..., columns='pyg') or columns='ogb' names them"
            )
    if known is not None:
        given = {"feature_names": known.features, "edge_names": known.edges} | {
            key: value for key, value in given.items() if value is not None
        }
        source = known.source
    classes = chosen("class_names", lambda names: _classes(names, num_classes))
    features = chosen("feature_names", lambda names: _covering(read_feature_names(names, first.x), store, "x"))
    edges = chosen("edge_names", lambda names: _covering(read_edge_names(names, first.edge_attr), store, "edge_attr"))
    colors = getattr(data, "colors", None)
    if isinstance(colors, tuple | list) and len(colors) == (len(features.kinds) or num_columns(first.x)):
        colors = tuple(map(str, colors))
    else:
        colors = tuple(COLORS.get(kind, COLORS[OTHER]) for kind in features.kinds if are_atoms(features.kinds))
    return Names(classes=classes, features=features, edges=edges, colors=colors, source=source), warnings


def _own(data: Any, key: str) -> Any:
    """The names that a data set has, as a user would give them."""
    names = getattr(data, key, None)
    if not isinstance(names, tuple | list | Mapping):
        return ()
    values = getattr(data, key.replace("names", "values"), None)
    is_read = not isinstance(names, Mapping) and isinstance(values, Mapping) and bool(values)
    return ColumnNames(tuple(names), dict(values or {})) if is_read else names


def _classes(names: Any, num_classes: int) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"class_names must be a list of names, got {names!r}")
    if len(names) not in (0, num_classes):
        raise ValueError(
            f"class_names must have a name for each of the {num_classes} classes of the model, got {len(names)} "
            f"({', '.join(map(str, names[:5]))}{', ...' if len(names) > 5 else ''})"
        )
    return tuple(map(str, names)) or tuple(map(str, range(num_classes)))


def _covering(names: ColumnNames, store: GraphStore, key: str) -> ColumnNames:
    """The names, if every value that occurs has one where values have names."""
    if unnamed_value(names, store[:].tensor(key)) is not None:
        what = "feature_names" if key == "x" else "edge_names"
        wrong = ((index, unnamed_value(names, tensor)) for index, tensor in enumerate(store.values(key)))
        index, value = next((index, value) for index, value in wrong if value is not None)
        raise ValueError(
            f"{what} must have a name for every value of column {names.column} of {key}, got none for {value:g}, "
            f"which is in {store.label(index)}; add one"
        )
    return names
