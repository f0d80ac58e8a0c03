"""Prototypes of digits over the image that they were cut from, or over its superpixels."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph.datasets.files import DataFiles
from protograph.datasets.mnist_sp import FILES, GRID, LEVELS, SIDE, SIZES, SOURCE
from protograph.explanation import Explanation, Prototype
from protograph.report.layout import undirected_edges
from protograph.report.sheet import INK, MUTED, Sheet, our_style

DIGITS = "mnist-sp"
# In inches.
PICTURE, GAP, MARGIN, TOP, CAPTION = 2.15, 0.25, 0.35, 0.85, 0.3
# Points of the picture to a pixel of the image.
FINE = 8
GREYS = {"black": 0.08, "dark": 0.45, "bright": 0.95}
NODE, EDGE = "#E69F00", "#D55E00"
NO_IMAGE = "#DCE6F2"


def pixels_of(source: str, position: int, root: Path | None) -> list[list[int]] | None:
    """The image that a graph was built from, rows from the top; ``None`` where graphs are PyG's, without images.

    Args:
        source: What the data set says of where it comes from.
        position: Of the graph in the whole data set.
        root: Folder with the data sets' files; ``None`` for the default places.
    """
    if source != SOURCE:
        return None
    file, number = (FILES[0], position) if position < SIZES["train"] else (FILES[2], position - SIZES["train"])
    # The idx format has a header of 16 bytes.
    images = np.frombuffer(DataFiles(DIGITS, root).read(file), np.uint8, offset=16).reshape(-1, SIDE, SIDE)
    pixels: list[list[int]] = images[number].tolist()
    return pixels


def digit_record(
    prototype: Prototype, explanation: Explanation, pixels: Callable[[int], list[list[int]] | None]
) -> dict[str, Any]:
    """Grey levels, places and edges of a prototype's nodes, and the image it was cut from, if any.

    Args:
        prototype: The prototype.
        explanation: The explanation that it is from.
        pixels: Gives the image of the graph with an index, where there is one.
    """
    graph = prototype.graph
    record = {
        "kinds": levels_of(graph),
        "places": np.round(places_of(graph), 2).tolist(),
        "edges": undirected_edges(graph)[0].tolist(),
        "probability": prototype.probability,
        "image": None,
    }
    source = None if prototype.source is None else explanation.source_graphs.get(prototype.source)
    if source is not None and prototype.source is not None:
        record["image"] = {
            "kinds": levels_of(source),
            "places": np.round(places_of(source), 2).tolist(),
            "pixels": pixels(prototype.source),
        }
        record["places"] = [record["image"]["places"][node] for node in prototype.nodes or ()]
    return record


def levels_of(graph: Data) -> list[int]:
    """Which grey level each node has."""
    levels: list[int] = graph.x[:, : len(LEVELS)].argmax(dim=1).tolist()
    return levels


def places_of(graph: Data) -> Floats:
    """Where the nodes are in the image, in pixels, upwards: their own places, or the middle of their cells.

    >>> import torch
    >>> cell = torch.zeros(1, len(LEVELS) + GRID * GRID)
    >>> cell[0, len(LEVELS) + 1] = 1  # the second of the uppermost row
    >>> places_of(Data(x=cell)).tolist()
    [[2.5, 26.5]]
    """
    own = graph.get("pos")
    if own is not None:
        return np.asarray(own.double())
    cells = graph.x[:, len(LEVELS) :].argmax(dim=1).numpy()
    row, column = np.divmod(cells, GRID)
    step = SIDE / GRID
    # A cell's pixels have their middles at whole numbers.
    middle = (step - 1) / 2
    return np.stack([column * step + middle, SIDE - 1 - (row * step + middle)], axis=1)


def mosaic(image: dict[str, Any]) -> Floats:
    """The image of some superpixels: each point has the grey level of the nearest one, rows from the top."""
    ticks = (np.arange(SIDE * FINE) + 0.5) / FINE - 0.5
    points = np.stack(np.meshgrid(ticks, ticks[::-1]), axis=-1)
    places = np.asarray(image["places"])
    nearest = ((points[:, :, None] - places) ** 2).sum(axis=-1).argmin(axis=-1)
    greys = np.array([GREYS[name] for name in LEVELS])
    result: Floats = greys[np.asarray(image["kinds"])][nearest]
    return result


def digit_figure(columns: dict[str, Sequence[dict[str, Any]]], digit: int) -> Any:
    """The prototypes of each explainer, one below the other.

    Args:
        columns: Records by what the explainer is called.
        digit: The class.

    Returns:
        A matplotlib ``Figure``.
    """
    with our_style():
        from matplotlib.figure import Figure

        num_rows = max(1, *(len(records) for records in columns.values()))
        width = 2 * MARGIN + len(columns) * (PICTURE + GAP) - GAP
        height = 2 * MARGIN + TOP + num_rows * (PICTURE + CAPTION)
        sheet = Sheet(Figure(figsize=(width, height), facecolor="white"), MARGIN)
        sheet.say(MARGIN, 0.0, f"MNIST-sp: prototypes of the digit {digit} over the image", 13, INK, "bold")
        sheet.say(
            MARGIN,
            0.32,
            "Orange: nodes and edges of the prototype. On blue: what was generated, in the cells of its nodes.",
            8.5,
            MUTED,
        )
        for number, (title, records) in enumerate(columns.items()):
            left = MARGIN + number * (PICTURE + GAP)
            sheet.say(left, TOP - 0.26, title, 9.5, INK, "bold", width=PICTURE)
            if not records:
                sheet.say(left, TOP + 0.2, "nothing found", 8.5, MUTED)
            for row, record in enumerate(records):
                top = sheet.top - TOP - row * (PICTURE + CAPTION)
                _draw(sheet.axes(left, top - PICTURE, PICTURE, PICTURE), record)
                caption = f"p = {record['probability']:.3f}, {len(record['kinds'])} nodes"
                sheet.write(left, top - PICTURE - 0.05, caption, fontsize=7.5, color=MUTED, va="top")
        return sheet.figure


def _draw(axes: Any, record: dict[str, Any]) -> None:
    from matplotlib.collections import LineCollection

    frame = (-0.5, SIDE - 0.5, -0.5, SIDE - 0.5)
    places = np.asarray(record["places"], dtype=np.float64).reshape(-1, 2)
    if record["image"] is None:
        axes.set_facecolor(NO_IMAGE)
        shades = [str(GREYS[LEVELS[kind]]) for kind in record["kinds"]]
        # As large as a cell, in points squared.
        axes.scatter(
            *places.T, marker="s", s=(PICTURE * 72 / GRID) ** 2, c=shades, edgecolors=INK, linewidths=0.4, zorder=1
        )
    else:
        pixels = record["image"]["pixels"]
        shown = mosaic(record["image"]) if pixels is None else np.asarray(pixels) / 255
        axes.imshow(shown, extent=frame, cmap="gray", vmin=0, vmax=1, interpolation="none")
    lines = [places[edge] for edge in record["edges"]]
    axes.add_collection(LineCollection(lines, colors=EDGE, linewidths=0.7, alpha=0.75, zorder=2))
    axes.scatter(*places.T, s=16, c=NODE, edgecolors=INK, linewidths=0.5, zorder=3)
    axes.set(xlim=frame[:2], ylim=frame[2:], xticks=[], yticks=[])
    for spine in axes.spines.values():
        spine.set(color="#D0D5DD")
