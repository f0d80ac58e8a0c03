"""The folder of results: each item's files, and the page over all items that are there."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protograph._base.files import atomic_path
from protograph._base.manifest import FolderKind, read_manifest
from protograph._base.publishing import OpenFolder, open_folder
from research.paper.item import Item, Results
from research.paper.page import MARK, Section, as_html_page, as_markdown_page
from research.paper.provenance import measured_by, provenance
from research.paper.settings import Settings
from research.paper.sheet import Sheet, read_parts

# What the page has of an item besides its parts.
FACTS = ("is_quick", "seeds", "num_cells", "seconds", "training_seconds", "provenance", "measured")
OTHER_OUT = "choose another --out"
CELLS, README, PAGE = ".cells", "README.md", "index.html"
# What every cell of an item gave, for whoever wants to go on with it.
OF_CELLS = "cells.json"
KIND = FolderKind(manifest="run.json", format="protograph-reproduction", names=re.compile(r"run\.json|index\.html"))
ITEM_KIND = FolderKind(
    manifest="item.json",
    format="protograph-reproduced-item",
    names=re.compile(r"[a-z0-9][a-z0-9-]*\.(csv|json|tex|svg)"),
)


def check_readme(out: Path) -> None:
    """Refuse to replace a README that was not written here."""
    path = out / README
    if path.is_file() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
        raise FileExistsError(f"{path} is not what protograph wrote; move it away, or {OTHER_OUT}")


def publish_item(out: Path, item: Item, results: Results, settings: Settings) -> None:
    """Write the files of an item in the place of its earlier ones, all at once."""
    sheet = Sheet()
    item.write(results, sheet)
    with open_folder(out / item.name, ITEM_KIND, way_out=OTHER_OUT) as opened:
        for name, text in sheet.files().items():
            (opened.staged / name).write_text(text, encoding="utf-8")
        (opened.staged / OF_CELLS).write_text(_cells_text(results), encoding="utf-8")
        opened.publish(
            {
                "item": item.name,
                "title": item.title,
                "question": item.question,
                "parts": sheet.as_json(),
                "is_quick": settings.is_quick,
                "seeds": list(item.seeds(settings)),
                "num_cells": len(results),
                "seconds": round(sum(results.seconds.values()), 1),
                "training_seconds": round(results.training_seconds, 1),
                "provenance": provenance(settings.device, settings.jobs),
                "measured": measured_by(results.origins),
            }
        )


def _cells_text(results: Results) -> str:
    """Key, seconds and result of each cell, a line each."""
    cells = ({"key": list(key), "seconds": results.seconds.get(key), "result": results[key]} for key in results)
    return "[\n" + ",\n".join(json.dumps(cell, allow_nan=False) for cell in cells) + "\n]\n"


def publish_page(opened: OpenFolder, out: Path, items: Sequence[Item]) -> list[Section]:
    """Write the page over all items that the folder has, in the order of ``items``."""
    sections = [_section(out / item.name) for item in items if (out / item.name / ITEM_KIND.manifest).is_file()]
    (opened.staged / PAGE).write_text(as_html_page(sections), encoding="utf-8")
    opened.publish({"items": {one.name: dict(one.facts) for one in sections}})
    with atomic_path(out / README) as temporary:
        temporary.write_text(as_markdown_page(sections), encoding="utf-8")
    return sections


def _section(folder: Path) -> Section:
    content: dict[str, Any] = read_manifest(folder, ITEM_KIND)
    names = [part["name"] for part in content["parts"] if part["part"] == "figure"]
    svgs = {name: (folder / f"{name}.svg").read_text(encoding="utf-8") for name in names}
    facts = {key: content.get(key, []) for key in FACTS}  # items of before do not say where cells were measured
    parts = read_parts(content["parts"], svgs)
    return Section(content["item"], content["title"], content["question"], parts, facts)
