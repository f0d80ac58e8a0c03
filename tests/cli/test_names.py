"""``--names`` and ``--target``: what the user calls columns and classes."""

import json
from functools import partial

import pytest

import protograph as pg
from protograph.cli.names import read_names_file, target_of


@pytest.mark.parametrize(
    ("text", "names", "number"),
    [
        ("0", (), 0),
        ("9", (), 9),  # the library says how many there are
        ("1", ("no", "yes"), 1),
        ("yes", ("no", "yes"), 1),
        ("-1", ("-1", "1"), 0),
        ("2", ("1", "2"), 1),  # no class has this index, so it is a name
    ],
)
def test_a_class_by_its_number_or_name(text, names, number, capsys):
    assert target_of(text, names) == number
    assert capsys.readouterr().err == ""


def test_a_number_is_an_index_also_where_another_class_is_called_so(capsys):
    assert target_of("1", ("1", "2")) == 1
    assert capsys.readouterr().err == "--target 1 is class 1 (2); the class that is called 1 is --target 0\n"


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("maybe", ("no", "yes"), "--target must be the number or the name of a class (0: no, 1: yes), got 'maybe'"),
        ("2", ("no", "yes"), "--target must be the number or the name of a class (0: no, 1: yes), got '2'"),
        ("a", ("a", "a"), "--target must be the number or the name of a class (0: a, 1: a), got 'a'"),
        (
            "yes",
            (),
            "--target must be the number of a class, which have no names, got 'yes'; give names in a file with --names",
        ),
    ],
)
def test_classes_that_are_none(text, names, message):
    with pytest.raises(ValueError, match=r"^--target") as caught:
        target_of(text, names)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "{",
            "--names must be a JSON file with feature_names, edge_names, class_names, got {path}: Expecting property",
        ),
        ("[]", "--names must be a JSON object with entries of feature_names, edge_names, class_names, got no object "),
        (
            '{"names": []}',
            "--names must be a JSON object with entries of feature_names, edge_names, class_names, "
            "got the entry 'names' ",
        ),
    ],
)
def test_files_that_hold_no_names(tmp_path, content, message):
    path = tmp_path / "names.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"^--names") as caught:
        read_names_file(path)
    assert str(caught.value).startswith(message.format(path=path))


def test_a_file_or_folder_that_is_none(tmp_path):
    wanted = "a JSON file with feature_names, edge_names, class_names"
    with pytest.raises(FileNotFoundError, match=f"^there is no file .*none; --names wants {wanted}$"):
        read_names_file(tmp_path / "none")
    with pytest.raises(ValueError, match=f"^--names must be {wanted}, got the folder "):
        read_names_file(tmp_path)


NAMES = {"feature_names": ["head", "body", "backbone"], "class_names": ["broken", "house"]}


def test_names_of_files_go_all_the_way(run_well, run, folder):
    (folder / "names.json").write_text(json.dumps(NAMES))
    given = ("graphs.pt", "--names", "names.json")
    run_well("train", *given, "--out", "named.pt", "--layers", 1, "--max-epochs", 2)
    model = pg.training.load_model(folder / "named.pt")
    assert (model.feature_names, model.class_names) == (("head", "body", "backbone"), ("broken", "house"))
    options = ("--model", "named.pt", "--target", "broken", "--explainer", "random", "--out", "n")
    run_well("explain", *given, *options)
    explanation = pg.load(folder / "n" / "explanation.json")[0]
    assert (explanation.class_name, explanation.feature_names) == ("broken", ("head", "body", "backbone"))
    facts = json.loads(run_well("evaluate", "n", "--json").stdout)  # finds the names again
    prototype = facts["classes"]["0"]["prototypes"][0]
    assert prototype["origin"]["position"] == prototype["source"]
    done = run("explain", *given, *options[:3], "shed", "--out", "o")
    assert done.stderr == (
        "error: --target must be the number or the name of a class (0: broken, 1: house), got 'shed'\n"
    )


@pytest.mark.parametrize(
    ("data", "content", "message"),
    [
        (
            "graphs.pt",
            {"feature_names": ["head"]},
            "--names names.json: feature_names must have an entry for each of the 3 columns of x, got 1 (head); "
            "names of values are for a single column, or go into the entry of their column",
        ),
        (
            "graphs.pt",
            {"class_names": ["house"]},
            "--names names.json: class_names must have a name for each class, got 1 (house) where a graph has the "
            "label 1",
        ),
        ("mutag", {}, "--names is for files and folders of yours, got mutag, which has names of its own"),
    ],
)
def test_names_that_do_not_fit(refused, folder, data, content, message):
    (folder / "names.json").write_text(json.dumps(content))
    assert refused(data, "--names", "names.json") == f"error: {message}"


def test_a_split_does_not_change_what_a_graph_is_called(run_well, folder, monkeypatch):
    """ "graph 787" once was an index into the training graphs of a table, of no use to anybody."""
    monkeypatch.setattr("protograph.cli.explain.train", partial(pg.train, max_epochs=2))
    rows = [f"m{i},{'C' * (1 + i % 7)}{'NO'[i % 2]},{'NO'[i % 2]}" for i in range(40)]
    (folder / "mine.csv").write_text("\n".join(["key,smiles,label", *rows]) + "\n")
    options = ("--id-column", "key", "--k", 1, "--clusters", 1, "--target", "O", "--json", "--out", "split")
    facts = json.loads(run_well("explain", "mine.csv", *options).stdout)
    explanation = pg.load(folder / "split" / "explanation.json")[1]
    train = json.loads((folder / "split" / "split.json").read_text())["train"]
    assert train != list(range(len(train)))
    for index, origin in explanation.origins.items():
        place = train[index]
        assert (origin.position, origin.line, origin.name) == (place, place + 2, f"m{place}")
        assert origin.smiles == rows[place].split(",")[1]
    prototype = explanation.prototypes[0]
    told = facts["classes"]["1"]["prototypes"][0]
    assert (told["source"], told["origin"]["line"]) == (prototype.source, train[prototype.source] + 2)
    origin = explanation.origins[prototype.source]
    assert f"cut from graph {origin.position} (line {origin.line}, {origin.name}, {origin.smiles})" in (
        explanation.summary()
    )


def test_classes_of_a_table_can_have_names(run, run_well, folder):
    rows = "".join(f"{'C' * (2 + n % 5)}{'N' * (n % 2)},{n % 2}\n" for n in range(40))
    (folder / "mol.csv").write_text(f"smiles,label\n{rows}")
    (folder / "classes.json").write_text(json.dumps({"class_names": ["hydrocarbon", "amine"]}))
    given = ("mol.csv", "--names", "classes.json", "--clusters", 1, "--k", 1, "--budget", 1, "--target", "amine")
    assert "Class 1 (amine): " in run_well("explain", *given).stdout
    (folder / "classes.json").write_text(json.dumps({"class_names": ["amine"]}))
    assert run("explain", *given).stderr == (
        "error: --names of a table must have class_names alone, a list of 2: one for each of 0, 1\n"
    )
