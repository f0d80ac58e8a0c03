import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from protograph.datasets import graph_sst2
from protograph.datasets.files import DataFiles
from protograph.datasets.graph_sst2 import phrases, plain, read_parses
from protograph.explanation.io import pack
from protograph.graphs.subgraph import induced_subgraph
from tests.datasets.real_files import find, needs

REAL = needs("sst2/glue_train.tsv.gz")


@pytest.fixture(scope="module")
def dataset():
    """The first 5,000 sentences to train on, and all others."""
    files = DataFiles("graph-sst2")
    contents = {file.relative: files.read(file) for file in graph_sst2.FILES}
    table = graph_sst2.PARTS["train"][0].relative
    contents[table] = b"\n".join(contents[table].split(b"\n")[:5001])
    return graph_sst2.from_contents(contents)


def as_networkx(graph):
    result = nx.Graph(graph.edge_index.T.tolist())
    result.add_nodes_from(range(graph.num_nodes))
    return result


@REAL
def test_parts_and_labels_are_those_of_glue(dataset):
    parts = {part: dataset.labels[index] for part, index in dataset.splits.items()}
    counts = {part: torch.bincount(labels).tolist() for part, labels in parts.items()}
    assert counts == {"train": [2242, 2758], "validation": [428, 444], "test": [917, 904]}
    assert torch.cat(list(dataset.splits.values())).tolist() == list(range(5000 + 872 + 1821))
    parsed = torch.cat([graph.parsed for graph in dataset])
    assert [int(parsed[index].sum()) for index in dataset.splits.values()] == [4996, 872, 1819]


@REAL
def test_every_word_has_its_own_vector(dataset):
    with np.load(find(graph_sst2.VECTORS.relative)) as file:
        vector_of = dict(zip(file["words"].tolist(), file["vec"], strict=True))
    for graph in dataset[:300]:
        for word, row in zip(graph.tokens, graph.x.numpy(), strict=True):
            assert np.array_equal(row[:25], vector_of.get(word, np.zeros(25)))
            assert row[25] == (word not in vector_of)


@REAL
def test_graphs_are_trees_or_paths(dataset):
    unparsed = [graph for graph in dataset if not graph.parsed]
    assert len(unparsed) == 6
    for graph in unparsed:
        forward = graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]]
        assert forward.T.tolist() == [[word, word + 1] for word in range(graph.num_nodes - 1)]
    parsed = [graph for graph in dataset if graph.parsed]
    assert all(graph.num_edges == 2 * (graph.num_nodes - 1) for graph in parsed)
    assert all(nx.is_tree(as_networkx(graph)) for graph in parsed[::5])
    # Most are not mere paths.
    longer = [graph for graph in parsed if graph.num_nodes > 5]
    assert sum(max(dict(as_networkx(graph).degree).values()) > 2 for graph in longer) > 0.9 * len(longer)


@REAL
def test_a_sentence_worked_out_by_hand(dataset):
    graph = dataset[1]
    assert graph.sentence == "contains no wit , only labored gags"
    # (contains ((((no wit) ,) only) (labored gags))): wit is the head of "no wit ,", not the comma.
    edges = {tuple(sorted(edge)) for edge in graph.edge_index.T.tolist()}
    assert edges == {(1, 2), (2, 3), (2, 4), (5, 6), (4, 6), (0, 6)}
    assert int(graph.y) == 0


@pytest.fixture
def contents(tmp_path):
    vectors = tmp_path / "vectors.npz"
    np.savez(vectors, words=np.array(["a", "good"]), vec=np.array([[1, 2], [3, 4]], dtype=np.float32))
    tree = "(3 (2 A) (3 (3 good) (2 film)))\n"
    return {
        "sst2/glue_train.tsv": b"sentence\tlabel\na good film \t1\nfilm good a \t0\n",
        "sst2/glue_dev.tsv": b"sentence\tlabel\ngood film \t1\n",
        "sst2/glue_test_labeled.tsv": b"sentence\tlabel\r\nbad\t0\r\n",
        "sst2/trees_train.txt": tree.encode(),
        "sst2/trees_dev.txt": tree.encode(),
        "sst2/trees_test.txt": tree.encode(),
        graph_sst2.VECTORS.relative: vectors.read_bytes(),
    }


def test_tables_and_trees_of_a_small_set(contents):
    dataset = graph_sst2.from_contents(contents)
    tokens = [["a", "good", "film"], ["film", "good", "a"], ["good", "film"], ["bad"]]
    assert [graph.tokens for graph in dataset] == tokens
    assert [graph.sentence for graph in dataset] == list(map(" ".join, tokens))
    assert dataset[0].x.tolist() == [[1, 2, 0], [3, 4, 0], [0, 0, 1]]
    edges = [graph.edge_index[:, graph.edge_index[0] < graph.edge_index[1]].T.tolist() for graph in dataset]
    assert edges == [[[0, 2], [1, 2]], [[0, 1], [1, 2]], [[0, 1]], []]
    assert dataset.labels.tolist() == [1, 0, 1, 0]
    assert [bool(graph.parsed) for graph in dataset] == [True, False, True, False]
    assert {part: index.tolist() for part, index in dataset.splits.items()} == {
        "train": [0, 1], "validation": [2], "test": [3],
    }  # fmt: skip
    batch = Batch.from_data_list(list(dataset))
    assert batch.tokens == tokens
    assert "tokens" not in induced_subgraph(dataset[0], [1, 0])
    assert pack(dataset[0], Data)["sentence"] == "a good film"
    assert len(graph_sst2.from_contents(contents, 3).splits["test"]) == 0


# it 's | not | ( a lovely film ) | .  as the treebank would write it
LINE = r"(1 (2 It) (1 (1 (2 's) (1 (1 not) (3 (2 (2 -LRB-) (3 (2 A) (4 (3 lovely) (2 film)))) (2 -RRB-)))) (2 .)))"


def whole(line):
    """Words and edges of the whole tree, which comes last."""
    text, edges = list(phrases(line))[-1]
    return text.split(" "), edges


def test_a_tree_worked_out_by_hand():
    words, edges = whole(LINE)
    assert words == ["it", "'s", "not", "(", "a", "lovely", "film", ")", "."]
    # lovely-film, a-film, (-film, film-), not-film, 's-film, film-., it-film: "film" is the last word of all phrases.
    assert edges == [(5, 6), (4, 6), (3, 6), (6, 7), (2, 6), (1, 6), (6, 8), (0, 6)]
    assert [text for text, _ in phrases(LINE) if " " in text] == [
        "lovely film", "a lovely film", "( a lovely film", "( a lovely film )", "not ( a lovely film )",
        "'s not ( a lovely film )", "'s not ( a lovely film ) .", "it 's not ( a lovely film ) .",
    ]  # fmt: skip


def test_punctuation_is_a_head_only_among_punctuation():
    assert whole("(2 (2 (2 .) (2 .)) (2 (2 no) (2 !)))")[1] == [(0, 1), (2, 3), (1, 2)]
    assert whole("(2 (2 (2 yes) (2 !)) (2 (2 .) (2 .)))")[1] == [(0, 1), (2, 3), (0, 3)]


def test_a_leaf_of_two_words():
    line = "(2 (2 (2 ``) (2 9\u00a01\\/2)) (2 weeks))"
    assert whole(line) == (["``", "9", "1/2", "weeks"], [(1, 2), (0, 2), (2, 3)])
    assert read_parses([line])["`` 9 1/2"] == [(1, 2), (0, 2)]


def test_phrases_are_found_whatever_their_spelling():
    parses = read_parses([r"(2 (2 -LRB-) (2 (2 A) (2 (2 Colourful) (2 (2 Theatre) (2 writer\/director)))))"])
    assert parses["( a colorful theater writer/director"] == [(3, 4), (2, 4), (1, 4), (0, 4)]
    assert parses["colorful theater writer/director"] == [(1, 2), (0, 2)]
    assert "a colorful theater" not in parses


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("-RRB-", ")"), (r"1\/2", "1/2"), (r"\*\*\*", "***"), ("Humourless", "humorless"), ("theatres", "theaters"),
        ("centre", "center"), ("grey", "gray"), ("your", "your"), ("hour", "hour"), ("Château", "château"),
    ],
)  # fmt: skip
def test_plain_words(word, wanted):
    assert plain(word) == wanted
