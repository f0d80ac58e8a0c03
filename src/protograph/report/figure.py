"""Figures: each prototype beside the graph it was cut from, and the map of a class's graphs."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from protograph.explanation import Explanation
from protograph.explanation.describing.sentences import taken_for
from protograph.explanation.prototype import formulas_of
from protograph.report.palette import OTHER_COLOR, Legend, Palette, palette_of
from protograph.report.reason_figure import draw_reason, reason_height
from protograph.report.reason_scene import drawn_patterns
from protograph.report.scene import ClassScenes, Scene, lay_out, source_of
from protograph.report.sheet import INK, MUTED, Sheet, checked_ending, our_style, save_figure
from protograph.report.views import draw_view
from protograph.report.words import (
    NO_PROTOTYPE,
    class_facts,
    class_title,
    heading,
    name_and_support,
    origin,
    pale_note,
)

# All in inches.
WIDTH = 10.4
MARGIN = 0.5
LEFT_PANEL, BETWEEN = 4.0, 0.4
RIGHT_PANEL = WIDTH - 2 * MARGIN - LEFT_PANEL - BETWEEN
HEADER, TITLE, LINE, CAPTION, PANEL, SPACE = 0.82, 0.4, 0.2, 0.28, 2.9, 0.34
MAP_SIZE = (7.2, 4.4)

NO_CLUSTER = "in no cluster", OTHER_COLOR


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
        save_figure(classes_figure(lay_out(explanations)), path)
        return
    with our_style():
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
    pairs = [(one.graph, source_of(each, one)) for each in explanations for one in each.prototypes]
    drawn = [graph for pair in pairs for graph in pair if graph is not None]
    for reason in (reason for each in explanations for reason in each.reasons):
        drawn += [part.pattern.graph for part in drawn_patterns(reason) if part.pattern.are_nodes_matched]
        drawn += [] if reason.example is None else [reason.example.graph]
    named = [explanations[0].named(graph) for graph in drawn]
    names = named[0].feature_names if named else ()
    return palette_of([one.graph for one in named], names, explanations[0].feature_colors)


class _Section:
    """One class of the figure, or some of its prototypes."""

    def __init__(self, of_class: ClassScenes, palette: Palette, with_titles: bool) -> None:
        self.explanation, self.scenes, self.reasons = of_class
        self.palette, self.with_titles = palette, with_titles
        views = [scene.views for scene in self.scenes] + [scene.views for scene in self.reasons]
        graphs = [view.graph for several in views for view in several if view.look is None]
        self.legend = Legend(palette, graphs, WIDTH - 2 * MARGIN) if graphs else None
        self.lines = [self._lines_below_title(scene) if with_titles else [] for scene in self.scenes]

    @property
    def height(self) -> float:
        legend = self.legend.height if self.legend is not None else 0.0
        header, titles = (HEADER, sum(map(_title_height, self.lines))) if self.with_titles else (0.0, 0.0)
        reasons = sum(reason_height(scene, with_titles=self.with_titles) for scene in self.reasons)
        return header + legend + titles + len(self.scenes) * (CAPTION + PANEL + SPACE) + reasons

    def _lines_below_title(self, scene: Scene) -> list[str]:
        prototype = scene.prototype
        name, support = name_and_support(self.explanation, prototype)
        taken = taken_for(prototype, self.explanation.class_names)
        formulas = "; ".join(formulas_of(prototype))
        facts = (origin(self.explanation, prototype, scene.num_source_nodes), formulas, pale_note(prototype))
        return [line for line in (name, support, taken, *facts) if line]


class _Column(Sheet):
    """A sheet that is filled from the top."""

    def draw_section(self, section: _Section) -> None:
        if section.with_titles:
            self.say(MARGIN, 0, class_title(section.explanation), 17, INK, "bold")
            facts = class_facts(section.explanation) if section.scenes or section.reasons else NO_PROTOTYPE
            self.say(MARGIN, 0.36, facts, 10, MUTED)
            self.top -= HEADER
        if section.legend is not None:
            section.legend.draw(self, MARGIN, self.top)
            self.top -= section.legend.height
        for scene, lines in zip(section.scenes, section.lines, strict=True):
            if section.with_titles:
                self.draw_titles(scene, lines)
                self.top -= _title_height(lines)
            self.draw_views(section.explanation, scene, section.palette)
        for reason in section.reasons:
            draw_reason(self, section.explanation, reason, section.palette, with_titles=section.with_titles)

    def draw_titles(self, scene: Scene, lines: Sequence[str]) -> None:
        self.rule(self.top)
        self.say(MARGIN, 0.14, f"Prototype {scene.number}: {heading(scene.prototype)}", 12, INK, "bold")
        for row, line in enumerate(lines):
            self.say(MARGIN, 0.4 + LINE * row, line, 9.5, MUTED if row else INK)

    def draw_views(self, explanation: Explanation, scene: Scene, palette: Palette) -> None:
        places = ((MARGIN, LEFT_PANEL), (MARGIN + LEFT_PANEL + BETWEEN, RIGHT_PANEL))
        for (x, _), caption in zip(places, ("the prototype", _where(explanation, scene)), strict=True):
            if caption:
                self.say(x, 0.1, caption, 8.5, MUTED)
        self.top -= CAPTION
        for (x, width), view in zip(places, scene.views, strict=False):
            draw_view(self.axes(x, self.top - PANEL, width, PANEL), (width, PANEL), view, palette)
        self.top -= PANEL + SPACE


def _title_height(lines: Sequence[str]) -> float:
    return TITLE + LINE * len(lines)


def _where(explanation: Explanation, scene: Scene) -> str:
    if scene.within is None or scene.prototype.source is None:
        return ""
    drawn = len(scene.within.positions)
    rest = "" if drawn == scene.num_source_nodes else f" ({drawn} of {scene.num_source_nodes:,} nodes drawn)"
    return f"where it is in {explanation.graph_label(scene.prototype.source)}{rest}"
