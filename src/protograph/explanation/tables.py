"""Prototypes, reasons and graphs of some classes as plain tables, to go on with elsewhere.

Prototypes, reasons and clusters count from 1, as in a report. A prototype is called as its picture is,
``class1-prototype2``, and a reason likewise, ``class1-reason2``: neither a spreadsheet nor a script takes that for a
number or a date.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from protograph._base.arrays import Bools, Ints
from protograph._base.intervals import wilson
from protograph.explanation.figures import smarts_of, smiles_of
from protograph.explanation.prototype import Prototype
from protograph.explanation.reason import Reason
from protograph.explanation.rule import PART_NAMES
from protograph.graphs.origins import Origin

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation

Classes = Sequence["Explanation"]
Row = dict[str, Any]


class Table(NamedTuple):
    """A table: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


PROTOTYPES = (
    *("class", "class_name", "prototype", "cluster", "cluster_size", "nodes", "edges", "p", "margin", "taken_for"),
    *("description", "num_in_class", "num_class", "support", "support_low", "support_high"),
    *("num_elsewhere", "num_others", "support_elsewhere", "support_elsewhere_low", "support_elsewhere_high"),
    *("source", "source_id", "sources", "smiles", "smarts"),
)
REASONS = (
    *("class", "class_name", "reason", "description", "num_patterns"),
    *("num_in_class", "num_class", "share", "share_low", "share_high"),
    *("num_elsewhere", "num_others", "share_elsewhere", "share_elsewhere_low", "share_elsewhere_high"),
    *("kept_apart_share", "kept_apart_share_elsewhere", "fidelity_up_to_here", "example", "example_id", "example_p"),
)
GRAPHS = (
    *("graph", "id", "line", "file", "smiles", "label", "prediction", "p", "part", "cluster", "reasons"),
    *("covered", "rule_agrees"),
)


def prototypes_table(classes: Classes) -> Table:
    """A row a prototype, best first in each class."""
    return _table(PROTOTYPES, _prototypes(classes))


def reasons_table(classes: Classes) -> Table:
    """A row a reason, in the order of each class's rule."""
    return _table(REASONS, _reasons(classes))


def graphs_table(classes: Classes) -> Table:
    """A row a graph that was given to ``fit``; empty where nothing is known of them.

    ``cluster`` is that of the predicted class. ``covered`` says whether a reason of the predicted class holds, and
    ``rule_agrees`` whether the rules of all classes here say what the model predicts; both are unknown where reasons
    were not looked for.
    """
    return _table(GRAPHS, _graphs(classes))


TABLES: Mapping[str, Callable[[Classes], Table]] = {
    "prototypes": prototypes_table,
    "reasons": reasons_table,
    "graphs": graphs_table,
}


def _prototypes(classes: Classes) -> Iterator[Row]:
    return (_prototype(one, prototype, n) for one in classes for n, prototype in _numbered(one.prototypes))


def _reasons(classes: Classes) -> Iterator[Row]:
    return (_reason(one, reason, n) for one in classes for n, reason in _numbered(one.reasons))


def prototype_id(target: int, number: int) -> str:
    """What a prototype is called in tables and files: by its class and its number there, from 1."""
    return f"class{target}-prototype{number}"


def reason_id(target: int, number: int) -> str:
    """The same of a reason."""
    return f"class{target}-reason{number}"


def _table(columns: tuple[str, ...], rows: Iterator[Row]) -> Table:
    return Table(columns, list(cells(columns, rows)))


def cells(columns: tuple[str, ...], rows: Iterator[Row]) -> Iterator[tuple[Any, ...]]:
    """The cells of rows, one row after the other."""
    return (tuple(row.get(column) for column in columns) for row in rows)


def _numbered(items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    return enumerate(items, start=1)


def _class(explanation: "Explanation") -> Row:
    return {"class": explanation.target, "class_name": explanation.class_name}


def _prototype(explanation: "Explanation", prototype: Prototype, number: int) -> Row:
    taken, cluster = prototype.predicted, prototype.cluster
    return {
        **_class(explanation),
        "prototype": prototype_id(explanation.target, number),
        "cluster": None if cluster is None else cluster + 1,
        "cluster_size": prototype.cluster_size,
        "nodes": prototype.num_nodes,
        "edges": prototype.num_edges,
        "p": prototype.probability,
        "margin": prototype.margin,
        "taken_for": None if taken is None else explanation.class_names[taken],
        "description": description_of(prototype, explanation.feature_colors),
        **_counts(prototype.evidence, "support"),
        **_graph("source", explanation, prototype.source),
        "sources": " ".join(str(explanation.origin(index).position) for index in prototype.sources or ()),
        "smiles": smiles_of(prototype),
        "smarts": smarts_of(prototype),
    }


def description_of(prototype: Prototype, colors: Sequence[str] = ()) -> str:
    """What a prototype is, in words, without the figures."""
    # Imported on first use, since it loads networkx.
    from protograph.explanation.describing.sentences import what_it_is

    return what_it_is(prototype, colors)


def _reason(explanation: "Explanation", reason: Reason, number: int) -> Row:
    curve, example, apart = explanation.fidelity_curve, reason.example, reason.kept_apart
    return {
        **_class(explanation),
        "reason": reason_id(explanation.target, number),
        "description": reason.describe(colors=explanation.feature_colors),
        "num_patterns": len(reason.patterns),
        **_counts(reason.support, "share"),
        "kept_apart_share": None if apart is None else apart.share,
        "kept_apart_share_elsewhere": None if apart is None else apart.share_elsewhere,
        "fidelity_up_to_here": float(curve[number - 1]) if number <= len(curve) else None,
        **_graph("example", explanation, None if example is None else example.source),
        "example_p": None if example is None else example.probability,
    }


def _counts(counts: Any, share: str) -> Row:
    """In how many graphs something is, inside its class and elsewhere, with shares and Wilson's intervals."""
    if counts is None:
        return {}
    row: Row = {}
    for part, whole, name in (
        ("num_in_class", "num_class", share),
        ("num_elsewhere", "num_others", f"{share}_elsewhere"),
    ):
        number, total = getattr(counts, part), getattr(counts, whole)
        row |= {part: number, whole: total}
        if total:
            low, high = wilson(number, total)
            row |= {name: number / total, f"{name}_low": low, f"{name}_high": high}
    return row


def _graph(name: str, explanation: "Explanation", index: int | None) -> Row:
    """Place and name of a graph in the user's own data."""
    origin = None if index is None else explanation.origin(index)
    return {} if origin is None else {name: origin.position, f"{name}_id": origin.name or None}


def _graphs(classes: Classes) -> Iterator[Row]:
    first = next((one for one in classes if one.survey is not None or one.graph_predictions), None)
    if first is None:
        return
    facts = first.survey
    predictions = first.graph_predictions if facts is None else facts.predictions
    by_class = {one.target: one for one in classes}
    size = len(predictions)
    clusters = {target: _clusters(one, size) for target, one in by_class.items()}
    holding = {target: _held(one, size) for target, one in by_class.items() if one.graph_predictions}
    for index, predicted in enumerate(predictions):
        held = {target: (np.flatnonzero(one[:, index]) + 1).tolist() for target, one in holding.items()}
        cluster = clusters[predicted][index] if predicted in clusters else 0
        yield {
            **_origin(first.origin(index)),
            "label": _label(first, index),
            "prediction": first.class_names[predicted],
            "p": None if facts is None else facts.probabilities[index],
            "part": PART_NAMES[first.graph_parts[index]] if first.graph_parts else None,
            "cluster": int(cluster) or None,
            "reasons": " ".join(reason_id(target, number) for target, some in held.items() for number in some),
            "covered": bool(held[predicted]) if predicted in held else None,
            "rule_agrees": all(bool(some) == (target == predicted) for target, some in held.items()) if held else None,
        }


# What tables are written of: the columns, and the rows one after the other.
STREAMED: Mapping[str, tuple[tuple[str, ...], Callable[[Classes], Iterator[Row]]]] = {
    "prototypes": (PROTOTYPES, _prototypes),
    "reasons": (REASONS, _reasons),
    "graphs": (GRAPHS, _graphs),
}


def _origin(origin: Origin) -> Row:
    return {
        "graph": origin.position,
        "id": origin.name or None,
        "line": origin.line,
        "file": origin.file or None,
        "smiles": origin.smiles or None,
    }


def _label(explanation: "Explanation", index: int) -> str | None:
    labels = () if explanation.survey is None else explanation.survey.labels
    if not labels:
        return None
    label, names = labels[index], explanation.class_names
    return names[label] if 0 <= label < len(names) else str(label)


def _clusters(explanation: "Explanation", size: int) -> Ints:
    """Cluster of each graph that is in one of the class, from 1; 0 of the others."""
    places, clusters = explanation.embedding_map, np.zeros(size, np.int64)
    if places is not None:
        clusters[list(places.indices)] = np.array(places.clusters, dtype=np.int64) + 1
    return clusters


def _held(explanation: "Explanation", size: int) -> Bools:
    """Where each reason of a class holds, ``[num_reasons, size]``."""
    holds = np.zeros((len(explanation.reasons), size), np.bool_)
    for number, reason in enumerate(explanation.reasons):
        holds[number, list(reason.holds_in_indices)] = True
    return holds


def reasons_by_graph(explanation: "Explanation") -> list[list[int]]:
    """The numbers, from 1, of the reasons of a class that hold in each graph."""
    found: list[list[int]] = [[] for _ in explanation.graph_predictions]
    for number, reason in _numbered(explanation.reasons):
        for index in reason.holds_in_indices:
            found[index].append(number)
    return found
