from protograph.cli.tables import table, wrapped


def test_a_name_that_is_too_long_is_cut():
    lines = table([["", "p"], ["n" * 300, "0.5"]])
    assert [len(line) for line in lines] == [100, 100]
    assert lines[1].endswith("nnn...  0.5")


def test_a_note_goes_on_below():
    lines = wrapped("word " * 40, "  ")
    assert [line.count("word") for line in lines] == [20, 19, 1]
    assert [len(line) for line in lines] == [99, 96, 6]
    assert lines[1].startswith("  word")
    assert max(map(len, wrapped("x" * 250))) == 100
