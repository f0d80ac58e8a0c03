"""Figures: each prototype beside the graph it was cut from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from protograph._base.files import atomic_path
from protograph.explanation.explanation import Explanation, Prototype
from protograph.report.legend import draw_legend, legend_height, shown_categories
from protograph.report.palette import Category, Palette, palette_of
from protograph.report.panel import draw_graph
from protograph.report.scene import Scene, View, scene_of
from protograph.report.style import INK, MUTED, RULE, our_style
from protograph.report.text import fitted
from protograph.report.words import about, class_facts, class_title, origin, pale_note, score

ENDINGS = (".png", ".svg", ".pdf")
DPI = 160
MAX_PIXELS = 2**16 - 1  # matplotlib refuses pictures that are taller

# All in inches.
WIDTH = 10.4
MARGIN = 0.5
LEFT_PANEL, BETWEEN = 4.0, 0.4
RIGHT_PANEL = WIDTH - 2 * MARGIN - LEFT_PANEL - BETWEEN
HEADER, TITLE, LINE, CAPTION, PANEL, SPACE = 0.82, 0.4, 0.2, 0.28, 2.9, 0.34


def plot(explanations: Sequence[Explanation], path: str | PathLike[str] | None = None) -> None:
    """Draw each prototype of some classes beside the graph it was cut from.

    Args:
        explanations: The explanations, one a class.
        path: Where to save the picture, PNG, SVG or PDF by its ending; ``None`` shows it.

    Raises:
        ImportError: If matplotlib is not installed.
        ValueError: If there is nothing to draw, or the ending is another one.
        OSError: If the file cannot be written there.
    """
    if not explanations:
        raise ValueError("explanations must have at least one class to draw, got none")
    if path is not None:
        _check_ending(Path(path))
        save_figure(explanations_figure(explanations), path)
        return
    with our_style():
        from matplotlib import pyplot

        _compose(_sections(explanations), lambda size: pyplot.figure(figsize=size))
        pyplot.show()


def explanations_figure(explanations: Sequence[Explanation]) -> Any:
    """One matplotlib ``Figure`` with all prototypes of some classes."""
    with our_style():
        return _compose(_sections(explanations), _new_figure)


def prototype_figure(
    explanation: Explanation, prototype: Prototype, *, palette: Palette | None = None, with_titles: bool = True
) -> Any:
    """One matplotlib ``Figure`` with one prototype.

    Args:
        explanation: The explanation that the prototype belongs to.
        prototype: The prototype.
        palette: The nodes' colours; ``None`` takes those that :func:`plot` takes for the explanation.
        with_titles: Whether to write what class and prototype it is above the picture.
    """
    with our_style():
        scene = scene_of(explanation, prototype)
        number = next((i for i, item in enumerate(explanation.prototypes, start=1) if item is prototype), 1)
        section = _Section(explanation, [scene], palette or shared_palette([explanation]), number, with_titles)
        return _compose([section], _new_figure)


def shared_palette(explanations: Sequence[Explanation]) -> Palette:
    """Colours that mean the same in the pictures of all classes."""
    with our_style():
        graphs = []
        for explanation in explanations:
            for prototype in explanation.prototypes:
                graphs.append(prototype.graph)
                if prototype.source is not None and prototype.source in explanation.source_graphs:
                    graphs.append(explanation.source_graphs[prototype.source])
        return palette_of(graphs, explanations[0].feature_names, explanations[0].feature_colors)


def save_figure(figure: Any, path: str | PathLike[str]) -> None:
    """Write a figure to a PNG, SVG or PDF file, whole or not at all; the same figure gives the same bytes.

    Args:
        figure: matplotlib's ``Figure``.
        path: The file; an existing one is replaced.

    Raises:
        ValueError: If the file's ending is another one.
        OSError: If the file cannot be written there.
    """
    ending = _check_ending(Path(path))
    with atomic_path(path) as temporary:
        temporary.write_bytes(figure_bytes(figure, ending))


def figure_bytes(figure: Any, ending: str) -> bytes:
    """The content of a file with that ending, one of ``".png"``, ``".svg"`` and ``".pdf"``."""
    # No format is to hold the date, or the same picture would be another file each time.
    metadata: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
    dpi = min(DPI, MAX_PIXELS / max(figure.get_size_inches()))
    content = BytesIO()
    with our_style():
        figure.savefig(content, format=ending[1:], dpi=dpi, facecolor="white", metadata=metadata[ending])
    return content.getvalue()


def _check_ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"path must end in .png, .svg or .pdf, got {path}")
    return ending


def _new_figure(size: tuple[float, float]) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=size, facecolor="white")


@dataclass(frozen=True)
class _Section:
    """One class of the figure, or some of its prototypes, from the given number on."""

    explanation: Explanation
    scenes: list[Scene]
    palette: Palette
    first_number: int = 1
    with_titles: bool = True

    @property
    def categories(self) -> list[Category]:
        return shown_categories(self.palette, [graph for scene in self.scenes for graph in scene.graphs])

    @property
    def legend_height(self) -> float:
        return legend_height(self.palette, self.categories, WIDTH - 2 * MARGIN) if self.scenes else 0.0

    @property
    def height(self) -> float:
        header = HEADER if self.with_titles else 0.0
        titles = sum(self.title_height(scene) for scene in self.scenes)
        return header + self.legend_height + titles + len(self.scenes) * (CAPTION + PANEL + SPACE)

    def title_height(self, scene: Scene) -> float:
        return TITLE + LINE * len(self.lines(scene)) if self.with_titles else 0.0

    def lines(self, scene: Scene) -> list[tuple[str, str]]:
        """What is said of a prototype below its title, and in which colour."""
        facts = (origin(scene.prototype, scene.num_source_nodes), pale_note(scene.prototype))
        name, *found = about(self.explanation, scene.prototype)
        return [(name, INK), *((line, MUTED) for line in (*found, *facts) if line)]


def _sections(explanations: Sequence[Explanation]) -> list[_Section]:
    palette = shared_palette(explanations)
    return [
        _Section(explanation, [scene_of(explanation, prototype) for prototype in explanation.prototypes], palette)
        for explanation in explanations
    ]


@dataclass
class _Sheet:
    """A figure that is filled from the top, in inches."""

    figure: Any
    height: float
    top: float

    def write(self, x: float, below: float, text: str, size: float, color: str, weight: str = "normal") -> None:
        """Write text whose upper edge is that far below the current line."""
        line = fitted(text, WIDTH - MARGIN - x, size, weight)
        place = (x / WIDTH, (self.top - below) / self.height)
        style = {"fontsize": size, "color": color, "fontweight": weight}
        self.figure.text(*place, line, va="top", parse_math=False, **style)

    def panel(self, x: float, width: float, height: float) -> Any:
        box = (x / WIDTH, (self.top - height) / self.height, width / WIDTH, height / self.height)
        return self.figure.add_axes(box)

    def rule(self) -> None:
        from matplotlib.lines import Line2D

        y = self.top / self.height
        ends = [MARGIN / WIDTH, 1 - MARGIN / WIDTH]
        self.figure.add_artist(Line2D(ends, [y, y], color=RULE, linewidth=0.8))


def _compose(sections: Sequence[_Section], make: Callable[[tuple[float, float]], Any]) -> Any:
    height = 2 * MARGIN - SPACE + sum(section.height for section in sections) + SPACE * (len(sections) - 1)
    figure = make((WIDTH, height))
    sheet = _Sheet(figure, height, height - MARGIN)
    for section in sections:
        _draw_section(sheet, section)
        sheet.top -= SPACE
    return figure


def _draw_section(sheet: _Sheet, section: _Section) -> None:
    explanation = section.explanation
    if section.with_titles:
        sheet.write(MARGIN, 0, class_title(explanation), 17, INK, "bold")
        facts = class_facts(explanation) if section.scenes else "No prototype was found."
        sheet.write(MARGIN, 0.36, facts, 10, MUTED)
        sheet.top -= HEADER
    if section.scenes:
        corner = (MARGIN, sheet.top)
        draw_legend(sheet.figure, section.palette, section.categories, corner, WIDTH - 2 * MARGIN)
        sheet.top -= section.legend_height
    for number, scene in enumerate(section.scenes, start=section.first_number):
        _draw_row(sheet, scene, section, number)


def _draw_row(sheet: _Sheet, scene: Scene, section: _Section, number: int) -> None:
    if section.with_titles:
        sheet.rule()
        sheet.write(MARGIN, 0.14, f"Prototype {number}: {score(scene.prototype)}", 12, INK, "bold")
        for row, (line, color) in enumerate(section.lines(scene)):
            sheet.write(MARGIN, 0.4 + LINE * row, line, 9.5, color)
        sheet.top -= section.title_height(scene)
    sheet.write(MARGIN, 0.1, "the prototype", 8.5, MUTED)
    if scene.within is not None:
        sheet.write(MARGIN + LEFT_PANEL + BETWEEN, 0.1, _where(scene), 8.5, MUTED)
    sheet.top -= CAPTION
    _draw_view(sheet, MARGIN, LEFT_PANEL, scene.alone, section.palette)
    if scene.within is not None:
        _draw_view(sheet, MARGIN + LEFT_PANEL + BETWEEN, RIGHT_PANEL, scene.within, section.palette)
    sheet.top -= PANEL + SPACE


def _where(scene: Scene) -> str:
    assert scene.within is not None
    drawn = len(scene.within.positions)
    rest = "" if drawn == scene.num_source_nodes else f" ({drawn} of {scene.num_source_nodes:,} nodes drawn)"
    return f"where it is in graph {scene.prototype.source}{rest}"


def _draw_view(sheet: _Sheet, x: float, width: float, view: View, palette: Palette) -> None:
    axes = sheet.panel(x, width, PANEL)
    draw_graph(axes, (width, PANEL), view.graph, view.positions, palette, view.part, view.shares)
