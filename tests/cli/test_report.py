def test_a_report_can_be_written_again(run, run_well, folder):
    run_well("explain", "graphs.pt", "--model", "model.pt", "--k", 1, "--clusters", 1, "--out", "rep")
    first = (folder / "rep/report.html").read_text()
    (folder / "rep/report.html").unlink()
    assert run_well("report", "rep").stdout == "rep/report.html\n"
    assert (folder / "rep/report.html").read_text() == first
    assert run("report", "nowhere").stderr.startswith("error: ")
