import struct

from matplotlib.figure import Figure

from protograph.report.sheet import fitted, lines_of, save_figure, text_width


def size_of(path):
    """Width and height of a PNG file in pixels."""
    return struct.unpack(">II", path.read_bytes()[16:24])


def test_very_tall_figures_are_still_saved(tmp_path):
    save_figure(Figure(figsize=(0.1, 500)), tmp_path / "a.png")
    assert size_of(tmp_path / "a.png")[1] == 2**16 - 1


def test_text_is_cut_where_it_is_too_wide():
    assert fitted("short", 1.0, 10) == "short"
    cut = fitted("W" * 100, 1.0, 10)
    assert cut.endswith("W…")
    assert 0.8 < text_width(cut, 10) <= 1.0


def test_a_text_is_broken_into_lines_and_cut_after_the_last():
    text = "a ring of six carbons joined to a nitrogen that has no other neighbour"
    lines = lines_of(text, 2.0, 9, 3)
    assert " ".join(lines) == text
    assert all(text_width(line, 9) <= 2.0 for line in lines)
    short = lines_of(text, 2.0, 9, 2)
    assert short[0] == lines[0]
    assert len(short) == 2
    assert short[1].endswith("…")
    assert lines_of("", 1.0, 9, 2) == [""]
