"""How all our figures look, whatever the user's matplotlib is set to, and the files that they become."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from protograph._utils.files import atomic_path
from protograph._utils.words import one_line
from protograph.report.words import shortened

INK = "#1D2433"
MUTED = "#667085"
RULE = "#E4E7EC"

FONT = "DejaVu Sans"  # comes with matplotlib, so a figure is the same everywhere
GENERIC = {"serif", "sans-serif", "sans serif", "sans", "cursive", "fantasy", "monospace"}
DPI = 160
MAX_PIXELS = 2**16 - 1  # matplotlib refuses pictures that are taller
# No file is to hold the date, or the same picture would be another file each time.
METADATA: dict[str, dict[str, None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


@contextmanager
def our_style() -> Iterator[None]:
    """Use matplotlib's defaults and our settings inside the block, and the user's again after it.

    A font that the user has chosen by name stands in for letters that ours lacks.

    Raises:
        ImportError: If matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise ImportError("pictures need matplotlib; pip install matplotlib") from error
    with matplotlib.rc_context():
        chosen = [name for name in matplotlib.rcParams["font.family"] if name.lower() not in GENERIC | {FONT.lower()}]
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.hashsalt": "protograph", "pdf.fonttype": 42, "font.family": [FONT, *chosen]})
        yield


class Sheet:
    """A figure of matplotlib, written and drawn on by inches; what is filled from the top moves ``top`` down.

    Args:
        figure: matplotlib's ``Figure``.
        margin: Room that is left free at the left and at the right.
    """

    def __init__(self, figure: Any, margin: float) -> None:
        self.figure = figure
        self.width, self.height = map(float, figure.get_size_inches())
        self.margin = margin
        self.top = self.height - margin

    def write(self, x: float, y: float, text: str, **style: Any) -> None:
        """Write text on one line, without what cannot be seen, its left end there."""
        self.figure.text(x / self.width, y / self.height, one_line(text), parse_math=False, **style)

    def say(
        self, x: float, below: float, text: str, size: float, color: str, weight: str = "normal", width: float = 0.0
    ) -> None:
        """Write text whose upper edge is that far below the current line, cut at the margin or after ``width``."""
        line = fitted(text, width or self.width - self.margin - x, size, weight)
        self.write(x, self.top - below, line, fontsize=size, color=color, fontweight=weight, va="top")

    def axes(self, x: float, y: float, width: float, height: float, **style: Any) -> Any:
        """A frame with its lower left corner there."""
        return self.figure.add_axes(
            (x / self.width, y / self.height, width / self.width, height / self.height), **style
        )

    def rule(self, y: float) -> None:
        """A thin line from margin to margin."""
        from matplotlib.lines import Line2D

        ends = [self.margin / self.width, 1 - self.margin / self.width]
        self.figure.add_artist(Line2D(ends, [y / self.height] * 2, color=RULE, linewidth=0.8))


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Width of a text in inches, given the size of the letters in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def fitted(text: str, width: float, size: float, weight: str = "normal") -> str:
    """The text, cut where it is wider than so many inches."""
    whole = line = shortened(text, 300)
    while len(line) > 1 and (current := text_width(line, size, weight)) > width:
        line = shortened(whole, max(1, min(len(line) - 1, int(width / current * len(line)))))
    return line


def lines_of(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most so many lines, none wider than so many inches; the last one is cut where it is too wide."""
    lines, words = [""], shortened(text, 300).split(" ")
    for number, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            if len(lines) == most:
                return [*lines[:-1], fitted(f"{lines[-1]} {' '.join(words[number:])}", width, size)]
            lines.append(word)
        else:
            lines[-1] = longer
    return [fitted(line, width, size) for line in lines]


def save_figure(figure: Any, path: str | PathLike[str]) -> None:
    """Write a figure to a PNG, SVG or PDF file, whole or not at all; the same figure gives the same bytes.

    Args:
        figure: matplotlib's ``Figure``.
        path: The file; an existing one is replaced.

    Raises:
        ValueError: If the file's ending is another one.
        OSError: If the file cannot be written there.
    """
    ending = checked_ending(path)
    dpi = min(DPI, MAX_PIXELS / max(figure.get_size_inches()))
    content = BytesIO()
    with our_style():
        figure.savefig(content, format=ending[1:], dpi=dpi, facecolor="white", metadata=METADATA[ending])
    with atomic_path(path) as temporary:
        temporary.write_bytes(content.getvalue())


def checked_ending(path: str | PathLike[str]) -> str:
    """The ending of a picture's file in lower case; ``ValueError`` if it is none that we write."""
    ending = Path(path).suffix.lower()
    if ending not in METADATA:
        raise ValueError(f"path must end in .png, .svg or .pdf, got {path}")
    return ending
