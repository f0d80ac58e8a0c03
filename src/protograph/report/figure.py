"""Figures: each prototype beside the graph it was cut from, and each reason beside its example."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from protograph.explanation import Explanation
from protograph.explanation.describing.sentences import taken_for, what_it_is, where_found
from protograph.explanation.prototype import formulas_of
from protograph.report.palette import Legend, Palette, palette_of
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
    origin,
    pale_note,
)

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
        save_figure(classes_figure(lay_out(explanations)), path)
        return
    with our_style():
        from matplotlib import pyplot

        classes_figure(lay_out(explanations), make=pyplot.figure)
        pyplot.show()


def classes_figure(classes: Sequence[ClassScenes], *, make: Callable[..., Any] | None = None) -> Any:
    """One matplotlib ``Figure`` with prototypes and reasons of some classes.

    Args:
        classes: The prototypes and reasons, laid out; of a class these may be some only.
        make: What makes the figure, as ``pyplot.figure`` does; ``None`` for one that is not shown.
    """
    with our_style():
        from matplotlib.figure import Figure

        palette = shared_palette([of_class.explanation for of_class in classes])
        sections = [_Section(of_class, palette) for of_class in classes]
        height = 2 * MARGIN - SPACE + sum(section.height for section in sections) + SPACE * (len(sections) - 1)
        sheet = Sheet((make or Figure)(figsize=(WIDTH, height), facecolor="white"), MARGIN)
        for section in sections:
            section.draw(sheet)
            sheet.top -= SPACE
        return sheet.figure


def shared_palette(explanations: Sequence[Explanation]) -> Palette:
    """Colours that mean the same in the pictures of all classes."""
    pairs = [(one.graph, source_of(each, one)) for each in explanations for one in each.prototypes]
    drawn = [graph for pair in pairs for graph in pair if graph is not None]
    for reason in (reason for each in explanations for reason in each.reasons):
        drawn += [part.pattern.graph for part in drawn_patterns(reason) if not part.pattern.node_reading.is_empty]
        drawn += [] if reason.example is None else [reason.example.graph]
    named = [explanations[0].named(graph) for graph in drawn]
    names = named[0].feature_names if named else ()
    return palette_of([one.graph for one in named], names, explanations[0].feature_colors)


class _Section:
    """One class of the figure, or some of its prototypes."""

    def __init__(self, of_class: ClassScenes, palette: Palette) -> None:
        self.explanation, self.scenes, self.reasons = of_class
        self.palette = palette
        views = [scene.views for scene in self.scenes] + [scene.views for scene in self.reasons]
        graphs = [view.graph for several in views for view in several if view.look is None]
        self.legend = Legend(palette, graphs, WIDTH - 2 * MARGIN) if graphs else None
        self.lines = [self._lines_below_title(scene) for scene in self.scenes]

    @property
    def height(self) -> float:
        """Inches that it needs from top to bottom."""
        legend = self.legend.height if self.legend is not None else 0.0
        titles = sum(TITLE + LINE * len(lines) for lines in self.lines)
        return (
            HEADER
            + legend
            + titles
            + len(self.scenes) * (CAPTION + PANEL + SPACE)
            + sum(reason_height(scene) for scene in self.reasons)
        )

    def _lines_below_title(self, scene: Scene) -> list[str]:
        prototype, explanation = scene.prototype, self.explanation
        lines = (
            what_it_is(prototype),
            where_found(prototype.evidence, explanation.class_name),
            taken_for(prototype, explanation.class_names),
            origin(explanation, prototype, scene.num_source_nodes),
            "; ".join(formulas_of(prototype)),
            pale_note(prototype),
        )
        return [line for line in lines if line]

    def draw(self, sheet: Sheet) -> None:
        """Draw it below the current line of a sheet, which is moved down."""
        sheet.say(MARGIN, 0, class_title(self.explanation), 17, INK, "bold")
        facts = class_facts(self.explanation) if self.scenes or self.reasons else NO_PROTOTYPE
        sheet.say(MARGIN, 0.36, facts, 10, MUTED)
        sheet.top -= HEADER
        if self.legend is not None:
            self.legend.draw(sheet, MARGIN, sheet.top)
            sheet.top -= self.legend.height
        for scene, lines in zip(self.scenes, self.lines, strict=True):
            self._draw_prototype(sheet, scene, lines)
        for reason in self.reasons:
            draw_reason(sheet, self.explanation, reason, self.palette)

    def _draw_prototype(self, sheet: Sheet, scene: Scene, lines: Sequence[str]) -> None:
        sheet.rule(sheet.top)
        sheet.say(MARGIN, 0.14, f"Prototype {scene.number}: {heading(scene.prototype)}", 12, INK, "bold")
        for row, line in enumerate(lines):
            sheet.say(MARGIN, 0.4 + LINE * row, line, 9.5, MUTED if row else INK)
        sheet.top -= TITLE + LINE * len(lines)
        where = ""
        if scene.within is not None and scene.prototype.source is not None:
            drawn, size = len(scene.within.positions), scene.num_source_nodes
            where = f"where it is in {self.explanation.graph_label(scene.prototype.source)}"
            where += "" if drawn == size else f" ({drawn} of {size:,} nodes drawn)"
        places = ((MARGIN, LEFT_PANEL), (MARGIN + LEFT_PANEL + BETWEEN, RIGHT_PANEL))
        for (x, _), caption in zip(places, ("the prototype", where), strict=True):
            if caption:
                sheet.say(x, 0.1, caption, 8.5, MUTED)
        sheet.top -= CAPTION
        for (x, width), view in zip(places, scene.views, strict=False):
            draw_view(sheet.axes(x, sheet.top - PANEL, width, PANEL), (width, PANEL), view, self.palette)
        sheet.top -= PANEL + SPACE
