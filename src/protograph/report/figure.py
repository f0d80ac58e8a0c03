"""Figures: each prototype beside the graph it was cut from."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from protograph.explanation import Explanation
from protograph.report.legend import Legend
from protograph.report.palette import Palette, palette_of
from protograph.report.panel import draw_view
from protograph.report.scene import ClassScenes, Scene, lay_out
from protograph.report.sheet import INK, MUTED, Sheet, checked_ending, fitted, our_style, save_figure
from protograph.report.words import NO_PROTOTYPE, class_facts, class_title, name_and_support, origin, pale_note, score

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
        checked_ending(path)
    with our_style():
        if path is not None:
            save_figure(classes_figure(lay_out(explanations)), path)
            return
        from matplotlib import pyplot

        classes_figure(lay_out(explanations), make=pyplot.figure)
        pyplot.show()


def classes_figure(
    classes: Sequence[ClassScenes],
    *,
    palette: Palette | None = None,
    with_titles: bool = True,
    make: Callable[..., Any] | None = None,
) -> Any:
    """One matplotlib ``Figure`` with prototypes of some classes.

    Args:
        classes: The prototypes, laid out; of a class these may be some only.
        palette: The nodes' colours; ``None`` takes those of all prototypes of the classes.
        with_titles: Whether to write what class and prototype it is above each picture.
        make: What makes the figure, as ``pyplot.figure`` does; ``None`` for one that is not shown.
    """
    with our_style():
        from matplotlib.figure import Figure

        palette = palette or shared_palette([of_class.explanation for of_class in classes])
        sections = [_Section(of_class, palette, with_titles) for of_class in classes]
        height = 2 * MARGIN - SPACE + sum(section.height for section in sections) + SPACE * (len(sections) - 1)
        column = _Column((make or Figure)(figsize=(WIDTH, height), facecolor="white"), MARGIN)
        for section in sections:
            column.draw_section(section)
            column.top -= SPACE
        return column.figure


def shared_palette(explanations: Sequence[Explanation]) -> Palette:
    """Colours that mean the same in the pictures of all classes."""
    graphs = []
    for explanation in explanations:
        for prototype in explanation.prototypes:
            graphs.append(prototype.graph)
            if prototype.source is not None and prototype.source in explanation.source_graphs:
                graphs.append(explanation.source_graphs[prototype.source])
    return palette_of(graphs, explanations[0].feature_names, explanations[0].feature_colors)


class _Section:
    """One class of the figure, or some of its prototypes."""

    def __init__(self, of_class: ClassScenes, palette: Palette, with_titles: bool) -> None:
        self.explanation, self.scenes = of_class.explanation, of_class.scenes
        self.palette, self.with_titles = palette, with_titles
        graphs = [view.graph for scene in self.scenes for view in scene.views]
        self.legend = Legend(palette, graphs, WIDTH - 2 * MARGIN) if self.scenes else None
        self.lines = [self._lines(scene) if with_titles else [] for scene in self.scenes]
        self.title_heights = [TITLE + LINE * len(lines) if with_titles else 0.0 for lines in self.lines]

    @property
    def height(self) -> float:
        header = HEADER if self.with_titles else 0.0
        legend = self.legend.height if self.legend is not None else 0.0
        return header + legend + sum(self.title_heights) + len(self.scenes) * (CAPTION + PANEL + SPACE)

    def _lines(self, scene: Scene) -> list[str]:
        """What is said of a prototype below its title."""
        facts = (origin(scene.prototype, scene.num_source_nodes), pale_note(scene.prototype))
        return [line for line in (*name_and_support(self.explanation, scene.prototype), *facts) if line]


class _Column(Sheet):
    """A sheet that is filled from the top."""

    def __init__(self, figure: Any, margin: float) -> None:
        super().__init__(figure, margin)
        self.top = self.height - margin

    def say(self, x: float, below: float, text: str, size: float, color: str, weight: str = "normal") -> None:
        """Write text whose upper edge is that far below the current line, cut at the margin."""
        line = fitted(text, WIDTH - MARGIN - x, size, weight)
        self.write(x, self.top - below, line, fontsize=size, color=color, fontweight=weight, va="top")

    def draw_section(self, section: _Section) -> None:
        if section.with_titles:
            self.say(MARGIN, 0, class_title(section.explanation), 17, INK, "bold")
            facts = class_facts(section.explanation) if section.scenes else NO_PROTOTYPE
            self.say(MARGIN, 0.36, facts, 10, MUTED)
            self.top -= HEADER
        if section.legend is not None:
            section.legend.draw(self, MARGIN, self.top)
            self.top -= section.legend.height
        for scene, lines, title_height in zip(section.scenes, section.lines, section.title_heights, strict=True):
            if section.with_titles:
                self.draw_titles(scene, lines)
                self.top -= title_height
            self.draw_views(scene, section.palette)

    def draw_titles(self, scene: Scene, lines: Sequence[str]) -> None:
        self.rule(self.top)
        self.say(MARGIN, 0.14, f"Prototype {scene.number}: {score(scene.prototype)}", 12, INK, "bold")
        for row, line in enumerate(lines):
            self.say(MARGIN, 0.4 + LINE * row, line, 9.5, MUTED if row else INK)

    def draw_views(self, scene: Scene, palette: Palette) -> None:
        places = ((MARGIN, LEFT_PANEL), (MARGIN + LEFT_PANEL + BETWEEN, RIGHT_PANEL))
        for (x, _), caption in zip(places, ("the prototype", _where(scene)), strict=True):
            if caption:
                self.say(x, 0.1, caption, 8.5, MUTED)
        self.top -= CAPTION
        for (x, width), view in zip(places, scene.views, strict=False):
            draw_view(self.axes(x, self.top - PANEL, width, PANEL), (width, PANEL), view, palette)
        self.top -= PANEL + SPACE


def _where(scene: Scene) -> str:
    if scene.within is None:
        return ""
    drawn = len(scene.within.positions)
    rest = "" if drawn == scene.num_source_nodes else f" ({drawn} of {scene.num_source_nodes:,} nodes drawn)"
    return f"where it is in graph {scene.prototype.source}{rest}"
