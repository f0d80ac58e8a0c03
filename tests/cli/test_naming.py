import re

import pytest

from protograph.cli import compare, datasets, explain, train
from protograph.cli.naming import SYNONYMS, named, names_of

NAMES = names_of(explain.explain)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("num_clusters must be a number, got 'num_clusters'", "--clusters must be a number, got 'num_clusters'"),
        ("class_weights[1] must be above 0", "--class-weights[1] must be above 0"),
        ("label_column 'max_nodes' of max_nodes.csv must", "--label-column 'max_nodes' of max_nodes.csv must"),
        ("use the model's max_nodes, not its size", "use the model's --max-nodes, not its size"),
        ("runs/max_nodes has no max_nodes/x", "runs/max_nodes has no max_nodes/x"),
        ("nothing with search='walk'; pass search=\"a\"", "nothing with --search walk; pass --search a"),
        ("it was looked for in here (root=)", "it was looked for in here (--data-root)"),
        ("the target must be the target", "the target must be the target"),
        ("my_max_nodes and max_nodes_2", "my_max_nodes and max_nodes_2"),
        ("`return_type` is quoted", "`return_type` is quoted"),
    ],
)  # fmt: skip
def test_arguments_become_options_where_they_are_meant(message, expected):
    assert named(message, NAMES) == expected
    assert named(message, {}) == message


def test_each_command_has_names_of_its_own():
    assert names_of(compare.compare)["random_state"] == "--seeds"
    assert names_of(compare.compare)["with_robustness"] == "--robustness"
    assert names_of(train.train)["hidden"] == "--layers"
    assert names_of(datasets.check)["name"] == "NAME"
    assert (NAMES["as_json"], NAMES["k"], NAMES["path"]) == ("--json", "--k", "--model")


# A value that cannot be, for every option of every command that trains or explains; what flags say is never wrong.
GIVEN = ("--model", "model.pt")
EXPLAIN = {
    "NAME_OR_PATH": ["no-such-set"],
    "--model": ["graphs.pt", "--model", "broken.pt"],
    "--weights": ["graphs.pt", *GIVEN, "--weights", "model.pt"],
    "--return-type": ["graphs.pt", "--return-type", "raw"],
    "--node-embeddings": ["graphs.pt", *GIVEN, "--node-embeddings", "no-such-module"],
    "--graph-embeddings": ["graphs.pt", *GIVEN, "--graph-embeddings", "no-such-module"],
    "--task": ["graphs.pt", *GIVEN, "--task", 7],
    "--target": ["graphs.pt", *GIVEN, "--target", 7],
    "--explainer": ["graphs.pt", "--explainer", "magic"],
    "--clusters": ["graphs.pt", *GIVEN, "--clusters", 0],
    "--k": ["graphs.pt", *GIVEN, "--k", 0],
    "--budget": ["graphs.pt", *GIVEN, "--budget", 0],
    "--max-nodes": ["graphs.pt", *GIVEN, "--max-nodes", 0],
    "--max-reasons": ["graphs.pt", *GIVEN, "--max-reasons", -1],
    "--search": ["graphs.pt", *GIVEN, "--search", "magic"],
    "--match-edges": ["graphs.pt", *GIVEN, "--match-edges", "on"],
    "--match-features": ["graphs.pt", *GIVEN, "--match-features", "magic"],
    "--engine": ["graphs.pt", *GIVEN, "--engine", "spark"],
    "--address": ["graphs.pt", *GIVEN, "--address", "auto"],
    "--device": ["graphs.pt", *GIVEN, "--device", "warp"],
    "--seed": ["graphs.pt", *GIVEN, "--seed", -1],
    "--split": ["graphs.pt", *GIVEN, "--split", "paper"],
    "--class-weights": ["graphs.pt", "--class-weights", "1,2,3"],
    "--data-root": ["solubility", "--data-root", "nowhere"],
    "--smiles-column": ["mol.csv", "--smiles-column", "structure"],
    "--label-column": ["mol.csv", "--label-column", "kind"],
    "--id-column": ["mol.csv", "--id-column", "code"],
    "--names": ["graphs.pt", "--names", "mine.py"],
    "--skip-invalid": ["bad.csv"],
    "--out": ["graphs.pt", *GIVEN, "--out", "mine.py"],
}
TRAIN = {
    "NAME_OR_PATH": ["no-such-set"],
    "--out": ["graphs.pt", "--out", "nowhere/model.pt"],
    "--layers": ["graphs.pt", "--layers", 0],
    "--max-epochs": ["graphs.pt", "--max-epochs", 0],
    "--seed": ["graphs.pt", "--seed", -1],
    "--split": ["graphs.pt", "--split", "published"],
    "--class-weights": ["graphs.pt", "--class-weights", "1,0"],
    "--device": ["graphs.pt", "--device", "warp"],
    "--data-root": ["solubility", "--data-root", "nowhere"],
    "--smiles-column": ["mol.csv", "--smiles-column", "structure"],
    "--label-column": ["mol.csv", "--label-column", "kind"],
    "--id-column": ["mol.csv", "--id-column", "code"],
    "--names": ["graphs.pt", "--names", "mine.py"],
    "--skip-invalid": ["bad.csv"],
}
COMPARE = {
    **{option: EXPLAIN[option] for option in ("NAME_OR_PATH", "--model", "--weights", "--return-type", "--names")},
    **{option: EXPLAIN[option] for option in ("--smiles-column", "--label-column", "--id-column", "--skip-invalid")},
    **{option: EXPLAIN[option] for option in ("--split", "--class-weights")},
    **{option: EXPLAIN[option] for option in ("--node-embeddings", "--graph-embeddings", "--task", "--device")},
    "--explainers": ["ba-house", "--explainers", "magic"],
    "--metrics": ["ba-house", "--metrics", "magic"],
    "--jobs": ["ba-house", "--jobs", 0],
    "--seeds": ["ba-house", "--seeds", 0],
    "--prototypes": ["ba-house", "--prototypes", 0],
    "--max-nodes": ["ba-house", "--max-nodes", 1],
    "--data-root": ["solubility", "--data-root", "nowhere"],
    "--out": ["ba-house", "--out", "mine.py"],
}
FLAGS = {"--json", "--robustness", "--quick", "--csv", "--latex"}
COMMANDS = {
    "explain": (explain.explain, EXPLAIN),
    "train": (train.train, TRAIN),
    "compare": (compare.compare, COMPARE),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_tried(name):
    command, tried = COMMANDS[name]
    own = {option for argument, option in names_of(command).items() if argument not in SYNONYMS}
    assert set(tried) == own - FLAGS


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name, (_, tried) in COMMANDS.items() for option in tried]
)
def test_an_error_names_the_option_and_no_argument_of_the_library(run, folder, no_data_folder, name, option):
    (folder / "mol.csv").write_text("smiles,label\nC,0\nO,1\nN,1\nCC,0\n")
    (folder / "bad.csv").write_text("smiles,label\nC,0\nC1C,1\n")
    (folder / "broken.pt").write_bytes(b"PK")
    command, tried = COMMANDS[name]
    arguments = tried[option] if name != "train" or option == "--out" else [*tried[option], "--out", "new.pt"]
    done = run(name, *arguments)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    errors = [line for line in done.stderr.splitlines() if not line.startswith("!!")]
    message = next(line for line in errors if line.startswith(("error: ", "Error: ")) or "Invalid value" in line)
    assert message.count("\n") == 0
    assert option in message or (option == "--out" and str(arguments[-1]) in message)  # the file says it all
    plain = re.sub(r"'[^']*'", "", message)
    arguments_of_the_library = {*SYNONYMS, *names_of(command)} - {"data", "k", "model", "out", "root", "name", "path"}
    assert not [word for word in re.findall(r"(?<![\w-])\w+_\w+", plain) if word in arguments_of_the_library]
