import contextlib
import json
import re
import sys
from functools import partial
from unittest import mock

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.cli.inputs import aligned, load_classifier, read_names_file, target_of
from protograph.training import GCN


@pytest.fixture
def bad_files(folder):
    """Files that are not what they are taken for."""
    (folder / "broken.pt").write_bytes((folder / "graphs.pt").read_bytes()[:500])
    torch.save(GCN(3, 2, (8,)).state_dict(), folder / "weights.pt")
    (folder / "empty").mkdir()
    (folder / "wrong.py").write_text("model = = 3\n")
    (folder / "one.csv").write_text("smiles,active\nC,yes\nO,yes\n")


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], r"NAME_OR_PATH must be .* got an empty text"),
        (["no/such/file"], r"there is no file or folder no/such/file"),
        (["mine.py"], r"mine\.py must be a \.pt file .*, a folder of such, or a table"),
        (["graphs.pt", "--skip-invalid"], r".*--skip-invalid are for tables .*, got graphs\.pt"),
        (["molecules.csv"], r"there is no file molecules\.csv"),
        (["no-such-set"], r"name must be one of ba-2motifs, .*'no-such-set'"),
        (["empty"], r"empty has no \.pt file"),
        (["PROTEINS", "--data-root", "empty"], r"tu/PROTEINS\.zip was looked for in empty"),
        (["benzene", "--data-root", "nowhere"], r"files of benzene were looked for in nowhere, which is not a folder"),
        (["one.csv", "--label-column", "active"], r"label_column 'active' of one\.csv must have two classes or"),
        (["broken.pt"], r"broken\.pt cannot be read as graphs: wanted a list of torch_geometric Data"),
    ],
)
def test_graphs_that_cannot_be_had(refused, arguments, message):
    assert re.match(f"error: {message}", refused(*arguments))


def test_files_of_the_working_directory_take_no_other_module_s_place(folder):
    (folder / "code.py").write_text("raise RuntimeError('taken')\n")
    (folder / "asks.py").write_text("import code\nfrom mine import model\n")
    with contextlib.chdir(folder), mock.patch.dict(sys.modules), mock.patch.object(sys, "path", list(sys.path)):
        for name in ("code", "mine"):
            sys.modules.pop(name, None)
        assert isinstance(load_classifier("asks:model").model, GCN)
        with pytest.raises(ValueError, match=r"^--model 'code:build': module 'code' \(/.*code\.py\) has no 'build'$"):
            load_classifier("code:build")


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["plain"], r"--model must be a \.pt file or module:attribute, got 'plain'"),
        (["nothing.pt"], r"there is no file nothing\.pt"),
        (["nowhere:model"], r"--model 'nowhere:model': there is no module 'nowhere'"),
        (["mine.py:model"], r"--model 'mine\.py:model': .*; give mine:model"),
        (["mine:other"], r"--model 'mine:other': module 'mine' \(.*mine\.py\) has no 'other'"),
        (["mine:number"], r"--model 'mine:number' must be a torch\.nn\.Module or a GraphClassifier, .* got int"),
        (["mine:fails"], r"--model 'mine:fails' failed with RuntimeError: disk full"),
        (["mine:leaves"], r"--model 'mine:leaves' failed with SystemExit: 3"),
        (["wrong:model"], r"--model 'wrong:model': importing 'wrong' failed with SyntaxError"),
        (["model.pt", "--weights", "model.pt"], r"--weights is for --model module:attribute, got --model model\.pt"),
        (
            ["mine:wants", "--weights", "model.pt"],
            r"--model 'mine:wants' failed with TypeError: .*'size'",
        ),
        (["broken.pt"], r".* got a damaged or foreign file at broken\.pt; .*--weights broken\.pt"),
        (["weights.pt"], r".* got another kind of file at weights\.pt; .*--weights weights\.pt"),
        (["mine:build", "--weights", "graphs.pt"], r"graphs\.pt cannot be read as weights"),
    ],
)
def test_models_that_cannot_be_had(refused, arguments, message):
    assert re.match(f"error: {message}", refused("graphs.pt", "--model", *arguments))


@pytest.fixture
def model():
    """A model that was trained on three kinds of nodes."""
    model = GCN(3, 2, (4,))
    model.feature_names, model.class_names = ("C", "N", "O"), ("no", "yes")
    return model


def dataset(*names, classes=("no", "yes"), **options):
    edge_index = torch.tensor([[0, 1], [1, 0]])
    graph = Data(x=torch.eye(len(names))[[0, 1]], edge_index=edge_index, y=torch.tensor([1]))
    return pg.datasets.GraphDataset(graphs=[graph], name="mine", class_names=classes, feature_names=names, **options)


def test_columns_are_those_of_the_model(model):
    graphs = aligned(dataset("O", "C", colors=("red", "black")), model)
    assert graphs.feature_names == ("C", "N", "O")
    assert graphs.colors == ("black", "#8A8A8A", "red")
    assert graphs[0].x.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert (graphs[0].y.tolist(), graphs[0].edge_index.tolist()) == ([1], [[0, 1], [1, 0]])


def test_graphs_that_fit_are_left_alone_and_those_without_names_take_the_model_s(model):
    fitting = dataset("C", "N", "O")
    assert aligned(fitting, model) is fitting
    unnamed = pg.datasets.GraphDataset(graphs=[Data(x=torch.ones(1, 3))], name="mine")
    named = aligned(unnamed, model)
    assert (named.class_names, named.feature_names) == (("no", "yes"), ("C", "N", "O"))
    assert named[0] is unnamed[0]
    narrow = pg.datasets.GraphDataset(graphs=[Data(x=torch.ones(1, 2))], name="mine")
    assert aligned(narrow, model).feature_names == ()
    graphs = dataset("O", "C")
    assert aligned(graphs, torch.nn.Linear(2, 2)) is graphs


def test_a_model_of_one_table_on_another(run_well, run, folder):
    """Columns are the atoms that occur in a table: they are put in the order of the model's, or refused."""
    rows = [f"{'C' * (1 + i % 5)}{'NO'[i % 2]},{i % 2}" for i in range(40)]
    (folder / "no.csv").write_text("\n".join(["smiles,label", *rows]) + "\n")
    run_well("train", "no.csv", "--out", "no.pt", "--max-epochs", 2)
    options = ("--model", "no.pt", "--num-graphs", 1, "--num-clusters", 1, "--max-reasons", 0, "--out")
    run_well("explain", "no.csv", *options, "o1")
    (folder / "part.csv").write_text("smiles,label\nCCO,1\nCO,1\nCCCO,0\n")
    run_well("explain", "part.csv", *options, "o2")
    (names,) = {one.feature_names for one in pg.load(folder / "o2" / "explanation.json").values()}
    assert {one.feature_names for one in pg.load(folder / "o1" / "explanation.json").values()} == {names}
    (folder / "os.csv").write_text("smiles,label\nCO,0\nCS,1\nCCS,1\nCCO,0\n")
    done = run("explain", "os.csv", *options, "o3")
    assert done.stderr == (
        "error: the model was trained on nodes of C, N, O, but the graphs also have S; "
        "give graphs without them, or train a model on these\n"
    )
    (folder / "names.csv").write_text("smiles,label\nCO,yes\nCN,no\n")
    done = run("explain", "names.csv", *options, "o4")
    assert done.stderr == (
        "error: the model tells apart the classes 0, 1, but the graphs have no, yes; "
        "give graphs with the same classes, or train a model on these\n"
    )


# ---- names of columns and classes ----------------------------------------------------------------------------------


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
        ("maybe", ("no", "yes"), r"number or the name of a class \(0: no, 1: yes\), got 'maybe'"),
        ("2", ("no", "yes"), r"number or the name of a class \(0: no, 1: yes\), got '2'"),
        ("a", ("a", "a"), r"number or the name of a class \(0: a, 1: a\), got 'a'"),
        ("yes", (), r"the number of a class.*, got 'yes'.*; give names in a file with --names"),
    ],
)
def test_classes_that_are_none(text, names, message):
    with pytest.raises(ValueError, match=f"^--target must be .*{message}"):
        target_of(text, names)


@pytest.mark.parametrize(("content", "came"), [("{", "Expecting"), ("[]", "list"), ('{"names": []}', "'names'")])
def test_files_that_hold_no_names(tmp_path, content, came):
    path = tmp_path / "names.json"
    path.write_text(content)
    for one, what in ((path, came), (tmp_path / "none", "No such file"), (tmp_path, "directory")):
        with pytest.raises(ValueError, match=f"^--names must be a JSON file .*feature_names.*{what}"):
            read_names_file(one)


NAMES = {"feature_names": ["head", "body", "backbone"], "class_names": ["broken", "house"]}


def test_names_of_files_go_all_the_way(run_well, run, folder):
    (folder / "names.json").write_text(json.dumps(NAMES))
    given = ("graphs.pt", "--names", "names.json")
    run_well("train", *given, "--out", "named.pt", "--hidden", "32", "--max-epochs", 2)
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
    ("data", "message"),
    [
        ("graphs.pt", "--names names.json: class_names must have a name for each class, got 1 "),
        ("mutag", "--names is for files and folders of yours, got mutag, which has names of its own"),
    ],
)
def test_names_that_do_not_fit(refused, folder, data, message):
    (folder / "names.json").write_text(json.dumps({"class_names": ["house"]}))
    assert refused(data, "--names", "names.json").startswith(f"error: {message}")


def test_a_split_does_not_change_what_a_graph_is_called(run_well, folder, monkeypatch):
    """ "graph 787" once was an index into the training graphs of a table, of no use to anybody."""
    monkeypatch.setattr("protograph.training.train", partial(pg.train, max_epochs=2))
    rows = [f"m{i},{'C' * (1 + i % 7)}{'NO'[i % 2]},{'NO'[i % 2]}" for i in range(40)]
    (folder / "mine.csv").write_text("\n".join(["key,smiles,label", *rows]) + "\n")
    small = ("--num-graphs", 1, "--num-clusters", 1, "--max-reasons", 0)
    options = ("--id-column", "key", *small, "--target", "O", "--json", "--out", "split")
    facts = json.loads(run_well("explain", "mine.csv", *options).stdout)
    explanation = pg.load(folder / "split" / "explanation.json")[1]
    train = json.loads((folder / "split" / "split.json").read_text())["train"]
    assert train != list(range(len(train)))
    for index, origin in ((index, explanation.origin(index)) for index in range(explanation.num_graphs)):
        place = train[index]
        assert (origin.position, origin.line, origin.name) == (place, place + 2, f"m{place}")
        assert origin.smiles == rows[place].split(",")[1]
    prototype = explanation.prototypes[0]
    told = facts["classes"]["1"]["prototypes"][0]
    assert (told["source"], told["origin"]["line"]) == (prototype.source, train[prototype.source] + 2)
    origin = explanation.origin(prototype.source)
    assert f"cut from graph {origin.position} (line {origin.line}, {origin.name}, {origin.smiles})" in (
        explanation.summary()
    )


def test_classes_of_a_table_can_have_names(run, run_well, folder, monkeypatch):
    monkeypatch.setattr("protograph.training.train", partial(pg.train, max_epochs=2))
    rows = "".join(f"{'C' * (2 + n % 5)}{'N' * (n % 2)},{n % 2}\n" for n in range(40))
    (folder / "mol.csv").write_text(f"smiles,label\n{rows}")
    (folder / "classes.json").write_text(json.dumps({"class_names": ["hydrocarbon", "amine"]}))
    small = ("--num-graphs", 1, "--num-clusters", 1, "--max-reasons", 0)
    given = ("mol.csv", "--names", "classes.json", *small, "--target", "amine")
    assert "Class 1 (amine): " in run_well("explain", *given).stdout
    (folder / "classes.json").write_text(json.dumps({"class_names": ["amine"]}))
    assert run("explain", *given, "--out", "other").stderr == (
        "error: --names of a table must have class_names alone, a list of 2: one for each of 0, 1\n"
    )
