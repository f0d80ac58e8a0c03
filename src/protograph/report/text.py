"""Text that comes from the data, made fit for a figure."""


def shortened(text: str, length: int) -> str:
    r"""The text on one line of printable characters, cut where it is longer.

    >>> shortened("a very\tlong name", 8)
    'a very …'
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Width of a text in inches, given the size of the letters in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def fitted(text: str, width: float, size: float, weight: str = "normal") -> str:
    """The text, cut where it is wider than so many inches."""
    line = shortened(text, 300)
    while len(line) > 1 and text_width(line, size, weight) > width:
        share = width / text_width(line, size, weight)
        line = shortened(line.removesuffix("…"), max(1, min(len(line) - 1, int(share * len(line)))))
    return line
