import protograph as pg


def test_a_model_of_one_table_on_another(run_well, run, folder):
    """Columns are the atoms that occur in a table: they are put in the order of the model's, or refused."""
    rows = [f"{'C' * (1 + i % 5)}{'NO'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "no.csv").write_text("\n".join(["smiles,label", *rows]) + "\n")
    run_well("train", "no.csv", "--out", "no.pt", "--max-epochs", 2)
    options = ("--model", "no.pt", "--k", 1, "--clusters", 1, "--out")
    run_well("explain", "no.csv", *options, "o1")
    (folder / "part.csv").write_text("smiles,label\nCCO,1\nCO,1\nCCCO,0\n")
    run_well("explain", "part.csv", *options, "o2")
    (names,) = {one.feature_names for one in pg.load(folder / "o2" / "explanation.json").values()}
    assert {one.feature_names for one in pg.load(folder / "o1" / "explanation.json").values()} == {names}
    (folder / "os.csv").write_text("smiles,label\nCO,0\nCS,1\nCCS,1\nCCO,0\n")
    done = run("explain", "os.csv", *options, "o3")
    assert done.stderr.startswith("error: the model was trained on nodes of C, N, O, but the graphs also have S; give")
    (folder / "names.csv").write_text("smiles,label\nCO,yes\nCN,no\n")
    done = run("explain", "names.csv", *options, "o4")
    assert done.stderr.startswith("error: the model tells apart the classes 0, 1, but the graphs have no, yes; give")
