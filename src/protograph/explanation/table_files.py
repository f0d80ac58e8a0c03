"""The tables of an explanation as files: CSV of prototypes, reasons and graphs, and molecules as SDF."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from protograph._base.files import atomic_path
from protograph._base.words import class_label, write_csv
from protograph.explanation.figures import smarts_of
from protograph.explanation.tables import STREAMED, Classes, cells, description_of, prototype_id
from protograph.molecules.write import MoleculeRecord, sdf_text

if TYPE_CHECKING:
    from protograph.explanation.explanation import Explanation
    from protograph.explanation.prototype import Prototype


def write_tables(classes: Classes, folder: Path) -> None:
    """Write ``prototypes.csv``, ``reasons.csv`` and ``graphs.csv``, and of molecules ``prototypes.sdf``.

    Args:
        classes: The explanations, one a class.
        folder: Where to; files of these names are replaced.
    """
    for name, (columns, rows) in STREAMED.items():
        opening = {"encoding": "utf-8", "errors": "replace", "newline": ""}
        with atomic_path(folder / f"{name}.csv") as partial, partial.open("w", **opening) as file:  # type: ignore[call-overload]
            write_csv(file, columns, cells(columns, rows(classes)))
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
            name = prototype_id(one.target, number)
            records.append(MoleculeRecord(molecule, name, _properties(one, prototype)))
    return sdf_text(records)


def _properties(explanation: "Explanation", prototype: "Prototype") -> dict[str, Any]:
    evidence = prototype.evidence
    is_matched = prototype.edge_rule.is_matched
    facts = {
        "class": class_label(explanation.target, explanation.class_names).removeprefix("class "),
        "description": description_of(prototype, explanation.feature_colors),
        "p": prototype.probability,
        "margin": prototype.margin,
        "support": None if evidence is None else evidence.support,
        "support_elsewhere": None if evidence is None else evidence.support_elsewhere,
        "smarts": smarts_of(prototype),
        "cut_from": None if prototype.source is None else explanation.graph_label(prototype.source),
        "bonds": "counted" if is_matched else "those of the molecule it was cut from; they were not counted",
    }
    return {name: value for name, value in facts.items() if value is not None}
