"""How all our figures look, whatever the user's matplotlib is set to."""

from collections.abc import Iterator
from contextlib import contextmanager

INK = "#1D2433"
MUTED = "#667085"
RULE = "#E4E7EC"

FONT = "DejaVu Sans"  # comes with matplotlib, so a figure is the same everywhere
GENERIC = {"serif", "sans-serif", "sans serif", "sans", "cursive", "fantasy", "monospace"}
SETTINGS = {
    "svg.hashsalt": "protograph",
    "pdf.fonttype": 42,
}


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
        matplotlib.rcParams.update({**SETTINGS, "font.family": [FONT, *chosen]})
        yield
