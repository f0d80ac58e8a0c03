from research.paper.findings import Estimate
from research.paper.page import MARK, QUICK, Section, as_html_page, as_markdown_page, verdict_counts
from research.paper.sheet import Sheet

FACTS = {
    "is_quick": False,
    "seeds": [0, 1],
    "num_cells": 2,
    "seconds": 12.3,
    "training_seconds": 60.0,
    "provenance": {
        "date": "2026-01-01 00:00 UTC",
        "commit": "abc",
        "versions": {"protograph": "1", "torch": "2"},
        "hardware": {"cpu": "Chip", "cores": 2, "device": "cpu"},
    },
    "measured": [],
}


def section(is_quick=False):
    sheet = Sheet()
    sheet.finding("a < b", Estimate(0.5, 0.4, 0.6, 2), 0.3, "better", "by much")
    sheet.finding("c", "3 of 5", "4 of 5", "undecided")
    sheet.table("numbers", ("set", "n"), [["BA", 2000]], "Numbers & more.")
    sheet.figure("line", "<svg/>", "A line.")
    sheet.note("No <more>.")
    return Section("rq9", "Title", "What?", sheet.parts, FACTS | {"is_quick": is_quick})


def test_the_markdown_page():
    text = as_markdown_page([section()])
    assert text.startswith(MARK)
    body = text[text.index("## rq9") :]
    assert body == (
        "## rq9: Title\n\nWhat?\n\n"
        "|  | ours | paper | verdict | note |\n|---|---|---|---|---|\n"
        "| a < b | 0.500 [0.400, 0.600] | 0.3000 | better | by much |\n| c | 3 of 5 | 4 of 5 | undecided |  |\n\n"
        "Numbers & more. ([csv](rq9/numbers.csv), [json](rq9/numbers.json), [tex](rq9/numbers.tex))\n\n"
        "| set | n |\n|---|---|\n| BA | 2,000 |\n\n"
        "![A line.](rq9/line.svg)\n\nA line.\n\nNo <more>.\n\n"
        "_seeds 0, 1; 12 s in 2 cells and 60 s of training, on one core each; protograph 1 at abc, torch 2, on Chip, "
        "2 cores, cpu, 2026-01-01 00:00 UTC_\n"
    )


def test_the_page_says_where_cells_were_measured():
    made = FACTS["provenance"] | {"num_cells": 1, "first": "2026-01-02 00:00 UTC", "last": "2026-01-02 00:00 UTC"}
    there = made | {"num_cells": 2, "last": "2026-01-03 00:00 UTC"}
    there["hardware"] = {"cpu": "Other", "cores": 16, "device": "cuda (GPU)", "jobs": 14}
    one = Section("rq9", "Title", "What?", [], FACTS | {"measured": [made, there]})
    assert one.origin == (
        "seeds 0, 1; 12 s in 2 cells and 60 s of training, on one core each; "
        "1 cell by protograph 1 at abc, torch 2, on Chip, 2 cores, cpu, 2026-01-02 00:00 UTC; "
        "2 cells by protograph 1 at abc, torch 2, on Other, 16 cores, cuda (GPU), 14 processes at once, "
        "2026-01-02 00:00 UTC to 2026-01-03 00:00 UTC"
    )


def test_verdicts_are_counted():
    assert verdict_counts([section()]) == [("rq9: Title", "1", "", "1", "", "", "", "", "")]


def test_limits_of_ours_have_a_table_of_their_own():
    sheet = Sheet()
    sheet.limit("fast", 3.0, 2.0)
    sheet.finding("right", 0.5, 0.4, "better")
    sheet.limit("small", 1.0, 2.0, "not yet")
    limited = Section("own", "Ours", "What?", sheet.parts, FACTS)
    assert (
        "|  | ours | paper | verdict | note |\n|---|---|---|---|---|\n| right | 0.5000 | 0.4000 | better |  |\n\n"
        "|  | ours | wanted | verdict | note |\n|---|---|---|---|---|\n"
        "| fast | 3.0000 | at least 2 | holds |  |\n| small | 1.0000 | at least 2 | missed | not yet |\n\n"
    ) in as_markdown_page([limited])
    assert '<td class="verdict missed">missed</td>' in as_html_page([limited])
    assert verdict_counts([limited]) == [("own: Ours", "1", "", "", "", "", "", "1", "1")]
    hurried = Section("own", "Ours", "What?", sheet.parts, FACTS | {"is_quick": True})
    assert verdict_counts([hurried]) == [("own: Ours", "1", "", "", "", "", "", "", "")]
    assert "wanted" not in as_markdown_page([hurried])


def test_a_quick_run_is_marked_on_top_and_at_the_item():
    markdown, page = as_markdown_page([section(is_quick=True)]), as_html_page([section(is_quick=True)])
    assert markdown.count(f"**{QUICK}**") == 1
    assert "\n**Quick run.**\n" in markdown
    assert page.count(QUICK) == 1
    assert '<span class="quick">quick run</span>' in page
    assert "quick run" not in as_html_page([section()]).lower()


def test_the_html_page_needs_no_other_file_and_escapes_text():
    page = as_html_page([section()])
    assert '<td class="verdict better">better</td>' in page
    assert '<th scope="row">a &lt; b</th><td class="estimate">0.500 [0.400, 0.600]</td><td>0.3000</td>' in page
    assert "<p>No &lt;more&gt;.</p>" in page
    assert "data:image/svg+xml;base64," in page
    assert "http" not in page
    assert 'src="rq9' not in page
