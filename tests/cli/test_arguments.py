from protograph.cli.arguments import tell_left_out


def test_rows_that_were_left_out_are_told(capsys):
    assert tell_left_out([]) == {}
    assert capsys.readouterr().err == ""
    assert tell_left_out(["line 3: 'C1C'"]) == {"left_out": ["line 3: 'C1C'"]}
    assert capsys.readouterr().err == "left out 1 row:\n  line 3: 'C1C'\n"
    tell_left_out(["line 4: \x1b[2J\nline 5"])
    assert capsys.readouterr().err == "left out 1 row:\n  line 4: [2J line 5\n"
    tell_left_out([f"line {number}" for number in range(1200)])
    lines = capsys.readouterr().err.splitlines()
    assert (lines[0], len(lines)) == ("left out 1,200 rows:", 12)
    assert lines[-2:] == ["  line 9", "  and 1190 more"]
