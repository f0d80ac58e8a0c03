"""Prototypes, reasons and graphs of some classes as plain tables, to go on with elsewhere: frames, CSV files and SDF.

Prototypes, reasons and clusters count from 1, as in a report. A prototype is called as its picture is,
``class1-prototype2``, and a reason likewise, ``class1-reason2``: neither a spreadsheet nor a script takes that for a
number or a date.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protograph._utils.files import atomic_path
from protograph._utils.words import class_label, write_csv
from protograph.explanation.prototype import Prototype, smiles_of
from protograph.explanation.rule import PART_NAMES, Support
from protograph.molecules.write import MoleculeRecord, sdf_text

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation

Classes = Sequence["Explanation"]
Row = dict[str, Any]

# The columns of each table, and the types of those that are no text.
COLUMNS = {
    "prototypes": (
        *("class", "class_name", "prototype", "cluster", "cluster_size", "nodes", "edges", "p", "margin", "taken_for"),
        *("description", "num_in_class", "num_class", "support", "support_low", "support_high"),
        *("num_elsewhere", "num_others", "support_elsewhere", "support_elsewhere_low", "support_elsewhere_high"),
        *("source", "source_id", "sources", "smiles", "smarts"),
    ),
    "reasons": (
        *("class", "class_name", "reason", "description", "num_patterns"),
        *("num_in_class", "num_class", "share", "share_low", "share_high"),
        *("num_elsewhere", "num_others", "share_elsewhere", "share_elsewhere_low", "share_elsewhere_high"),
        *("kept_apart_share", "kept_apart_share_elsewhere", "fidelity_up_to_here"),
        *("example", "example_id", "example_p"),
    ),
    "graphs": (
        *("graph", "id", "line", "file", "smiles", "label", "prediction", "p", "part", "cluster", "reasons"),
        *("covered", "rule_agrees"),
    ),
}
_WHOLE = (
    *("class", "cluster", "cluster_size", "nodes", "edges", "source", "example", "graph", "line"),
    *("num_patterns", "num_in_class", "num_class", "num_elsewhere", "num_others"),
)
_AMOUNTS = (
    *("p", "margin", "example_p", "fidelity_up_to_here", "kept_apart_share", "kept_apart_share_elsewhere"),
    *("support", "support_low", "support_high", "share", "share_low", "share_high"),
    *("support_elsewhere", "support_elsewhere_low", "support_elsewhere_high"),
    *("share_elsewhere", "share_elsewhere_low", "share_elsewhere_high"),
)
# Types such that what is unknown is missing in each of them.
_TYPES = {
    **dict.fromkeys(_WHOLE, "Int64"),
    **dict.fromkeys(_AMOUNTS, "Float64"),
    **dict.fromkeys(("covered", "rule_agrees"), "boolean"),
}


def frame_of(of: str, classes: Classes) -> Any:
    """One of the tables as a :class:`pandas.DataFrame`; pandas is needed for nothing else.

    Args:
        of: ``"prototypes"``, ``"reasons"`` or ``"graphs"``: what has a row.
        classes: The explanations, one a class.

    Raises:
        ValueError: If there is no such table.
        ImportError: If pandas is not installed.
    """
    if of not in COLUMNS:
        raise ValueError(f"of must be one of {', '.join(map(repr, COLUMNS))}, got {of!r}")
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("to_frame needs pandas; pip install 'protograph[tables]'") from error
    # From objects: pandas would make numbers of what is unknown, and whole numbers of shares that happen to be 0 or 1.
    frame = pandas.DataFrame(list(table_rows(of, classes)), columns=list(COLUMNS[of]), dtype=object)
    return frame.astype({column: _TYPES.get(column, "string") for column in COLUMNS[of]})


def write_tables(classes: Classes, folder: Path) -> None:
    """Write ``prototypes.csv``, ``reasons.csv`` and ``graphs.csv``, and of molecules ``prototypes.sdf``.

    Args:
        classes: The explanations, one a class.
        folder: Where to; files of these names are replaced.
    """
    for name, columns in COLUMNS.items():
        with (
            atomic_path(folder / f"{name}.csv") as partial,
            partial.open("w", encoding="utf-8", errors="replace", newline="") as file,
        ):
            write_csv(file, columns, table_rows(name, classes))
    if molecules := prototypes_sdf(classes):
        with atomic_path(folder / "prototypes.sdf") as partial:
            partial.write_bytes(molecules.encode("utf-8", errors="replace"))


def prototypes_sdf(classes: Classes) -> str:
    """All prototypes as molecules of an SDF file; empty where they are none, or RDKit is not installed."""
    records = []
    for one in classes:
        for number, prototype in enumerate(one.prototypes, start=1):
            try:
                molecule = prototype.to_rdkit()
            except (ImportError, ValueError):  # no symbols of atoms, or no RDKit
                continue
            evidence, is_matched = prototype.evidence, not prototype.edge_rule.is_empty
            facts = {
                "class": class_label(one.target, one.class_names).removeprefix("class "),
                "description": description_of(prototype),
                "p": prototype.probability,
                "margin": prototype.margin,
                "support": None if evidence is None else evidence.support,
                "support_elsewhere": None if evidence is None else evidence.support_elsewhere,
                "smarts": prototype.smarts,
                "cut_from": None if prototype.source is None else one.graph_label(prototype.source),
                "bonds": "counted" if is_matched else "those of the molecule it was cut from; they were not counted",
            }
            known = {name: value for name, value in facts.items() if value is not None}
            records.append(MoleculeRecord(molecule, f"class{one.target}-prototype{number}", known))
    return sdf_text(records)


def table_rows(of: str, classes: Classes) -> Iterator[tuple[Any, ...]]:
    """The cells of a table, one row after the other; what is unknown is ``None``."""
    rows = {"prototypes": _prototypes, "reasons": _reasons, "graphs": _graphs}[of]
    return (tuple(row.get(column) for column in COLUMNS[of]) for row in rows(classes))


def _prototypes(classes: Classes) -> Iterator[Row]:
    """A row a prototype, best first in each class."""
    for one in classes:
        for number, prototype in enumerate(one.prototypes, start=1):
            taken, cluster = prototype.predicted, prototype.cluster
            yield {
                "class": one.target,
                "class_name": one.class_name,
                "prototype": f"class{one.target}-prototype{number}",
                "cluster": None if cluster is None else cluster + 1,
                "cluster_size": prototype.cluster_size,
                "nodes": prototype.num_nodes,
                "edges": prototype.num_edges,
                "p": prototype.probability,
                "margin": prototype.margin,
                "taken_for": None if taken is None else one.class_names[taken],
                "description": description_of(prototype),
                **_counts(prototype.evidence, "support"),
                **_place("source", one, prototype.source),
                "sources": " ".join(str(one.origin(index).position) for index in prototype.sources or ()),
                "smiles": smiles_of(prototype),
                "smarts": prototype.smarts,
            }


def description_of(prototype: Prototype) -> str:
    """What a prototype is, in words, without the figures."""
    # Imported on first use, since it loads networkx.
    from protograph.explanation.describing.sentences import what_it_is

    return what_it_is(prototype)


def _reasons(classes: Classes) -> Iterator[Row]:
    """A row a reason, in the order of each class's rule."""
    for one in classes:
        curve = one.fidelity_curve
        for number, reason in enumerate(one.reasons, start=1):
            example, apart = reason.example, reason.kept_apart
            yield {
                "class": one.target,
                "class_name": one.class_name,
                "reason": f"class{one.target}-reason{number}",
                "description": reason.describe(),
                "num_patterns": len(reason.patterns),
                **_counts(reason.support, "share"),
                "kept_apart_share": None if apart is None else apart.share,
                "kept_apart_share_elsewhere": None if apart is None else apart.share_elsewhere,
                "fidelity_up_to_here": float(curve[number - 1]) if number <= len(curve) else None,
                **_place("example", one, None if example is None else example.source),
                "example_p": None if example is None else example.probability,
            }


def _counts(counts: Support | None, share: str) -> Row:
    """In how many graphs something is, inside its class and elsewhere, with shares and Wilson's intervals."""
    if counts is None:
        return {}
    row: Row = {name: getattr(counts, name) for name in ("num_in_class", "num_class", "num_elsewhere", "num_others")}
    if counts.num_class:
        low, high = counts.interval
        row |= {share: counts.share, f"{share}_low": low, f"{share}_high": high}
    if counts.num_others:
        share, (low, high) = f"{share}_elsewhere", counts.interval_elsewhere
        row |= {share: counts.share_elsewhere, f"{share}_low": low, f"{share}_high": high}
    return row


def _place(name: str, explanation: "Explanation", index: int | None) -> Row:
    """Place and name of a graph in the user's own data."""
    origin = None if index is None else explanation.origin(index)
    return {} if origin is None else {name: origin.position, f"{name}_id": origin.name or None}


def _graphs(classes: Classes) -> Iterator[Row]:
    """A row a graph that was given to ``fit``.

    ``cluster`` is that of the predicted class. ``covered`` says whether a reason of the predicted class holds, and
    ``rule_agrees`` whether the rules of all classes here say what the model predicts; both are unknown where reasons
    were not looked for.
    """
    if not classes:
        return
    survey, names = classes[0].survey, classes[0].class_names
    clusters = {
        one.target: dict(zip(one.embedding_map.indices, one.embedding_map.clusters, strict=True))
        for one in classes
        if one.embedding_map is not None
    }
    holding = {one.target: reasons_by_graph(one) for one in classes if one.rule is not None}
    parts: Sequence[int] = next((one.rule.parts for one in classes if one.rule is not None), ())
    for index, predicted in enumerate(survey.predictions):
        held = {target: by_graph.get(index, []) for target, by_graph in holding.items()}
        origin, label = survey.origin(index), survey.labels[index] if survey.labels else None
        cluster = clusters.get(predicted, {}).get(index, -1)
        yield {
            "graph": origin.position,
            "id": origin.name or None,
            "line": origin.line,
            "file": origin.file or None,
            "smiles": origin.smiles or None,
            "label": None if label is None else names[label] if 0 <= label < len(names) else str(label),
            "prediction": names[predicted],
            "p": survey.probabilities[index] if survey.probabilities else None,
            "part": PART_NAMES[parts[index]] if parts else None,
            "cluster": cluster + 1 if cluster >= 0 else None,
            "reasons": " ".join(f"class{target}-reason{n}" for target, some in held.items() for n in some),
            "covered": bool(held[predicted]) if predicted in held else None,
            "rule_agrees": all(bool(some) == (target == predicted) for target, some in held.items()) if held else None,
        }


def reasons_by_graph(explanation: "Explanation") -> dict[int, list[int]]:
    """The numbers, from 1, of the reasons of a class that hold in each graph in which one does."""
    found: dict[int, list[int]] = {}
    for number, reason in enumerate(explanation.reasons, start=1):
        for index in reason.holds_in_indices:
            found.setdefault(index, []).append(number)
    return found
