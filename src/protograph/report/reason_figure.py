"""A reason drawn on a sheet: its patterns at the left, its example at the right."""

from typing import Any

from protograph.explanation import Explanation
from protograph.explanation.describing.rule_words import example_words, support_words
from protograph.report.palette import Palette
from protograph.report.reason_scene import DrawnPattern, ReasonScene
from protograph.report.sheet import INK, MUTED, Sheet, lines_of
from protograph.report.views import draw_view

# All in inches.
TITLE, LINE, CAPTION, SPACE, BETWEEN = 0.4, 0.2, 0.44, 0.34, 0.3
ROW, EXAMPLE, CAPTION_LINE = 1.45, 2.6, 0.16
CAPTION_SIZE, CAPTION_LINES = 8.5, 2
# How much of the width the patterns have beside an example, and in how many columns they stand.
LEFT, COLUMNS, COLUMNS_ALONE = 0.46, 2, 4
LACKING, LACKING_BACK = "#B42318", "#FDF0EE"


def reason_height(scene: ReasonScene) -> float:
    """Inches that a reason needs from top to bottom."""
    return TITLE + LINE + _panels_height(scene) + SPACE


def _columns(scene: ReasonScene) -> int:
    most = COLUMNS_ALONE if scene.example is None else COLUMNS
    return max(1, min(most, len(scene.patterns)))


def _panels_height(scene: ReasonScene) -> float:
    rows = -(-len(scene.patterns) // _columns(scene))
    patterns = rows * (CAPTION + ROW) if rows else 0.0
    example = 0.0 if scene.example is None else CAPTION + EXAMPLE
    return max(patterns, example)


def draw_reason(sheet: Sheet, explanation: Explanation, scene: ReasonScene, palette: Palette) -> None:
    """Draw a reason below the current line of a sheet, which is moved down."""
    reason = scene.reason
    sheet.rule(sheet.top)
    words = reason.describe()
    sheet.say(sheet.margin, 0.14, f"Reason {scene.number}: {words}", 12, INK, "bold")
    sheet.say(sheet.margin, 0.4, support_words(reason, explanation.class_name), 9.5, MUTED)
    sheet.top -= TITLE + LINE
    width, height = sheet.width - 2 * sheet.margin, _panels_height(scene)
    left = width if scene.example is None else LEFT * width
    _draw_patterns(sheet, scene, palette, left, height)
    if scene.example is not None and reason.example is not None:
        x = sheet.margin + left + BETWEEN
        label = explanation.graph_label(reason.example.source)
        _caption(sheet, x, 0.0, sheet.width - sheet.margin - x, example_words(reason.example, label), MUTED)
        room = (sheet.width - sheet.margin - x, height - CAPTION)
        draw_view(sheet.axes(x, sheet.top - height, *room), room, scene.example, palette)
    sheet.top -= height + SPACE


def _draw_patterns(sheet: Sheet, scene: ReasonScene, palette: Palette, width: float, height: float) -> None:
    columns = _columns(scene)
    rows = -(-len(scene.patterns) // columns)
    cell = width / columns
    # A single row has all the room that the example needs.
    tall = max(ROW, height / rows - CAPTION) if rows else 0.0
    for number, (part, view) in enumerate(scene.patterns):
        x, below = sheet.margin + cell * (number % columns), (CAPTION + tall) * (number // columns)
        _caption(sheet, x, below, cell - 0.15, part.words, LACKING if part.is_lacking else INK)
        room = (cell - 0.15, tall)
        axes = sheet.axes(x, sheet.top - below - CAPTION - tall, *room)
        draw_view(axes, room, view, palette)
        _mark(axes, part)


def _caption(sheet: Sheet, x: float, below: float, width: float, text: str, color: str) -> None:
    for number, line in enumerate(lines_of(text, width, CAPTION_SIZE, CAPTION_LINES)):
        sheet.say(x, below + 0.06 + CAPTION_LINE * number, line, CAPTION_SIZE, color, width=width)


def _mark(axes: Any, part: DrawnPattern) -> None:
    """How often a pattern is asked for, and that it is not to be there: red behind it."""
    place = {"transform": axes.transAxes, "zorder": 9}
    if part.pattern.at_least > 1:
        color, times = LACKING if part.is_lacking else INK, f"{part.pattern.at_least} \N{MULTIPLICATION SIGN}"
        axes.text(0.98, 0.96, times, ha="right", va="top", fontsize=11, fontweight="bold", color=color, **place)
    if part.is_lacking:
        from matplotlib.patches import Rectangle

        behind = {"transform": axes.transAxes, "zorder": 0}
        axes.add_patch(Rectangle((0, 0), 1, 1, facecolor=LACKING_BACK, edgecolor="none", label="lacking", **behind))
        axes.plot([0.06, 0.94], [0.06, 0.94], color=LACKING, lw=5, alpha=0.22, label="strike", **behind)
