import gzip
import json
import pickle
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from protograph.datasets import graph_sst2, sst2_sentences
from protograph.datasets.sources import find_file
from protograph.explanation.codec import pack
from protograph.graphs.cutting import induced_subgraph
from protograph.graphs.store import GraphStore
from tests.datasets.real_files import needs

REAL = needs("sst2/glue_train.tsv.gz")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def own_cache(cache, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", cache)


@pytest.fixture(scope="module")
def arrays(cache):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", cache)
        return sst2_sentences.read_sentences(None)


@pytest.fixture(scope="module")
def dataset(arrays):
    return graph_sst2.from_arrays(arrays, 5000)


def as_networkx(graph):
    result = nx.Graph(graph.edge_index.T.tolist())
    result.add_nodes_from(range(graph.num_nodes))
    return result


@REAL
def test_parts_and_labels_are_those_of_glue(arrays):
    counts = np.zeros((3, 2), dtype=int)
    np.add.at(counts, (arrays.parts, arrays.labels), 1)
    assert counts.tolist() == [[29780, 37569], [428, 444], [917, 904]]
    assert (np.diff(arrays.parts) >= 0).all()


@REAL
def test_nearly_all_sentences_are_parsed(arrays):
    # 67,068 of the training phrases need only brackets, slashes and case undone, 42 more asterisks, 210 the spelling.
    assert np.bincount(arrays.parts[arrays.parsed]).tolist() == [67320, 872, 1819]
    unparsed = [" ".join(arrays.tokens[i]) for i in np.flatnonzero(~arrays.parsed)]
    assert {"no . .", "you 're gon na like this movie ."} <= set(unparsed)


@REAL
def test_words_and_vectors(arrays):
    assert arrays.x.shape == (685795, 26)
    assert [int(arrays.num_words[arrays.parts == part].sum()) for part in range(3)] == [633724, 17046, 35025]
    assert list(map(len, arrays.tokens)) == arrays.num_words.tolist()
    unknown = arrays.x[:, 25] == 1
    assert 1 - unknown.mean() == pytest.approx(0.7425, abs=1e-4)
    assert not arrays.x[unknown, :25].any()
    assert not arrays.x[~unknown, 25].any()


@REAL
def test_every_word_has_its_own_vector(arrays):
    with np.load(find_file(None, sst2_sentences.VECTORS)) as file:
        vector_of = dict(zip(file["words"].tolist(), file["vec"], strict=True))
    words = [word for sentence in arrays.tokens[:300] for word in sentence]
    for word, row in zip(words, arrays.x[: len(words)], strict=True):
        assert np.array_equal(row[:25], vector_of.get(word, np.zeros(25)))
        assert row[25] == (word not in vector_of)


@REAL
def test_graphs_are_trees_or_paths(dataset):
    unparsed = [graph for graph in dataset if not graph.parsed]
    assert len(unparsed) == 4
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


@REAL
def test_single_words_have_no_edge(dataset):
    single = [graph for graph in dataset if graph.num_nodes == 1]
    assert len(single) > 200
    assert all(graph.edge_index.shape == (2, 0) and graph.edge_index.dtype == torch.long for graph in single)


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:50]:
        assert (graph.x.dtype, graph.x.shape) == (torch.float32, (graph.num_nodes, 26))
        assert (graph.y.dtype, graph.y.shape) == (torch.long, (1,))
        assert (graph.parsed.dtype, graph.parsed.shape) == (torch.bool, (1,))
        assert graph.sentence.split(" ") == graph.tokens
        assert len(graph.tokens) == graph.num_nodes
        graph.validate()
    assert len(pickle.dumps(dataset[0])) < 20_000  # it does not carry the data set along


@REAL
def test_load_reads_the_same_again_from_the_cache(dataset, cache):
    (kept,) = Path(cache, "processed").glob("graph-sst2-*.npz")
    written = kept.stat().st_mtime_ns
    again = graph_sst2.load(num_graphs=300)
    assert kept.stat().st_mtime_ns == written
    assert len(again) == 300
    assert {part: len(index) for part, index in again.splits.items()} == {"train": 300, "validation": 0, "test": 0}
    for graph, other in zip(dataset[:300], again, strict=True):
        assert all(torch.equal(graph[key], other[key]) for key in ("x", "edge_index", "y", "parsed"))
        assert graph.sentence == other.sentence
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 70042\], got 70043$"):
        graph_sst2.load(num_graphs=70043)


@REAL
def test_facts(dataset):
    assert dataset.name == "graph-sst2"
    assert dataset.class_names == ("negative", "positive")
    assert dataset.feature_names == dataset.colors == ()
    assert dataset.hidden == (32, 32, 32)
    assert "Socher" in dataset.source
    assert "GPL-3" in dataset.licence
    assert not dataset.ground_truths


@REAL
def test_another_file_is_refused(tmp_path):
    path = tmp_path / "sst2" / "glue_train.tsv.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"sentence\tlabel\ngood\t1\n"))
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} must have the SHA-256 checksum 48eac26399f8456935"):
        graph_sst2.load(tmp_path)


WANTED = (
    "; graph-sst2 is not downloaded: the folder must have Graph-SST2/raw/Graph-SST2_* as DIG publishes them, or "
    "sst2/glue_train.tsv, sst2/glue_dev.tsv, sst2/glue_test_labeled.tsv, sst2/trees_train.txt, sst2/trees_dev.txt, "
    "sst2/trees_test.txt, sst2/glove_twitter25d_12k.npz, each plain or with .gz"
)


def test_no_files_are_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        graph_sst2.load(tmp_path)
    assert str(caught.value).startswith(f"sst2/glue_train.tsv was looked for in {tmp_path} (root=), which has no such")
    assert str(caught.value).endswith(WANTED)


def test_tables_and_trees_of_a_small_set(tmp_path):
    vectors = tmp_path / "vectors.npz"
    np.savez(vectors, words=np.array(["a", "good"]), vec=np.array([[1, 2], [3, 4]], dtype=np.float32))
    tree = "(3 (2 A) (3 (3 good) (2 film)))\n"
    contents = {
        "sst2/glue_train.tsv": b"sentence\tlabel\na good film \t1\nfilm good a \t0\n",
        "sst2/glue_dev.tsv": b"sentence\tlabel\ngood film \t1\n",
        "sst2/glue_test_labeled.tsv": b"sentence\tlabel\r\nbad\t0\r\n",
        "sst2/trees_train.txt": tree.encode(),
        "sst2/trees_dev.txt": tree.encode(),
        "sst2/trees_test.txt": tree.encode(),
        sst2_sentences.VECTORS: vectors.read_bytes(),
    }
    arrays = sst2_sentences.make_arrays(contents)
    assert arrays["text"].tobytes().decode().split("\n") == ["a good film", "film good a", "good film", "bad"]
    assert arrays["vector_of"].tolist() == [0, 1, 2, 2, 1, 0, 1, 2, 2]
    assert arrays["edges"].T.tolist() == [[1, 2], [0, 2], [3, 4], [4, 5], [6, 7]]
    assert arrays["num_words"].tolist() == [3, 3, 2, 1]
    assert arrays["labels"].tolist() == [1, 0, 1, 0]
    assert arrays["parts"].tolist() == [0, 0, 1, 2]
    assert arrays["parsed"].tolist() == [True, False, True, False]


# A good film | bad | so so, with a loop, a repeated edge and an edge that goes one way only.
PUBLISHED = {
    "node_features.pkl": np.arange(12, dtype=np.float32).reshape(6, 2),
    "node_indicator.txt": "1\n1\n1\n2\n3\n3\n",
    "edge_index.txt": "0, 1\n1, 0\n5, 4\n2, 1\n2, 2\n0, 1\n",
    "graph_labels.txt": "1\n0\n0\n",
    "split_indices.txt": "0\n2\n1\n",
    "sentence_tokens.json": json.dumps({"0": ["a", "good", "film"], "1": ["bad"], "2": ["so", "so"]}),
}


@pytest.fixture
def published(tmp_path):
    """Write a small data folder as DIG has it, some of its files changed, or left out by ``None``."""

    def write(changes=None, name="Graph-SST2"):
        folder = tmp_path / name / "raw"
        folder.mkdir(parents=True)
        for ending, content in (PUBLISHED | (changes or {})).items():
            if content is not None:
                is_text = isinstance(content, str)
                (folder / f"{name}_{ending}").write_bytes(content.encode() if is_text else pickle.dumps(content))
        return folder

    return write


@pytest.mark.parametrize("name", ["Graph-SST2", "graph_sst2"])
@pytest.mark.parametrize("divider", [", ", ",", " ", "\t"])
def test_published_files(published, tmp_path, name, divider):
    published({"edge_index.txt": PUBLISHED["edge_index.txt"].replace(", ", divider)}, name)
    dataset = graph_sst2.load(tmp_path)
    first, second, third = dataset
    assert first.x.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert first.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert first.tokens == ["a", "good", "film"]
    assert second.edge_index.shape == (2, 0)
    assert second.sentence == "bad"
    assert third.edge_index.tolist() == [[0, 1], [1, 0]]
    assert third.x.tolist() == [[8, 9], [10, 11]]
    assert dataset.labels.tolist() == [1, 0, 0]
    assert {part: index.tolist() for part, index in dataset.splits.items()} == {
        "train": [0], "validation": [2], "test": [1],
    }  # fmt: skip
    assert all(graph.parsed.tolist() == [True] for graph in dataset)
    assert dataset.source.startswith("Yuan")
    first.x[0] = 7  # what is read from a pickle is copied


def test_published_numbers_may_be_wide_or_written_as_reals(published, tmp_path):
    wide = PUBLISHED["node_features.pkl"].astype(np.float64)
    published({"node_features.pkl": wide, "graph_labels.txt": "1.0\n0.0\n0e0\n"})
    dataset = graph_sst2.load(tmp_path, num_graphs=2)
    assert dataset[0].x.dtype == torch.float32
    assert dataset.labels.tolist() == [1, 0]


def test_published_graphs_without_any_edge(published, tmp_path):
    published({"edge_index.txt": "\n"})
    assert [graph.num_edges for graph in graph_sst2.load(tmp_path)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"node_indicator.txt": "1\n1\n2\n3\n3\n"},
            "node_indicator must have a line for each of the 6 rows of node_features, got 5",
        ),
        (
            {"node_indicator.txt": "1\n1\n2\n1\n3\n3\n"},
            "node_indicator must be sorted, got a graph after a later one",
        ),
        (
            {"graph_labels.txt": "1\n0\n"},
            "node_indicator must name each of the 2 graphs of graph_labels, counted from 1, got 3 of them",
        ),
        ({"split_indices.txt": "0\n1\n"}, "split_indices must have a line for each of the 3 graphs, got 2"),
        ({"split_indices.txt": "0\n3\n1\n"}, "split_indices must be in [0, 3), got 3"),
        ({"graph_labels.txt": "1\n2\n0\n"}, "graph_labels must be in [0, 2), got 2"),
        ({"edge_index.txt": "0, 6\n"}, "edge_index must be in [0, 6), got 6"),
        ({"edge_index.txt": "0, 1\n2, 3\n"}, "edge_index must join nodes of one graph, got two graphs in edge 2"),
        (
            {"sentence_tokens.json": '{"0": ["a", "good"], "1": ["bad"], "2": ["so", "so"]}'},
            'sentence_tokens must have 3 texts for graph "0", got 2 texts',
        ),
        (
            {"sentence_tokens.json": '{"0": ["a", "good", "film"], "2": ["so", "so"]}'},
            'sentence_tokens must have 1 texts for graph "1", got NoneType',
        ),
        (
            {"sentence_tokens.json": '{"0": "abc"}'},
            'sentence_tokens must have 3 texts for graph "0", got str',
        ),
        ({"sentence_tokens.json": "[]"}, "Graph-SST2_sentence_tokens.json must have an object of texts by graph, got"),
        ({"sentence_tokens.json": "{"}, "Graph-SST2_sentence_tokens.json must be JSON: "),
    ],
)
def test_published_files_that_do_not_fit(published, tmp_path, changes, message):
    folder = published(changes)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{folder}: {message}')}"):
        graph_sst2.load(tmp_path)


@pytest.mark.parametrize(
    ("ending", "content", "message"),
    [
        ("node_features.pkl", np.arange(6.0), "must have real numbers of two dimensions, got 1 of float64"),
        ("node_features.pkl", np.eye(6, dtype=np.int64), "must have real numbers of two dimensions, got 2 of int64"),
        ("node_features.pkl", "no pickle", "cannot be read ("),
        ("edge_index.txt", "0\n1\n", "must have 2 column(s), got 1"),
        ("graph_labels.txt", "1 0\n", "must have 1 column(s), got 2"),
        ("graph_labels.txt", "1\nno\n0\n", "must have whole numbers: "),
        ("graph_labels.txt", "1\n0.5\n0\n", "must have whole numbers, got others"),
        ("graph_labels.txt", "1\nnan\n0\n", "must have whole numbers, got others"),
        ("graph_labels.txt", "1\ninf\n0\n", "must have whole numbers, got others"),
    ],
)
def test_published_files_that_cannot_be_read(published, tmp_path, ending, content, message):
    folder = published({ending: content})
    with pytest.raises(ValueError, match=f"^{re.escape(f'{folder}/Graph-SST2_{ending} {message}')}"):
        graph_sst2.load(tmp_path)


class Touch:
    """A pickle of it makes its reader write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_published_code_is_not_run(published, tmp_path):
    published({"node_features.pkl": Touch(tmp_path / "touched")})
    with pytest.raises(ValueError, match=r"node_features.pkl must be a pickled numpy array of numbers, got one that"):
        graph_sst2.load(tmp_path)
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("ending", [ending for ending in PUBLISHED if ending != "node_features.pkl"])
def test_a_published_file_is_missing(published, tmp_path, ending):
    published({ending: None})
    with pytest.raises(FileNotFoundError, match=rf"^Graph-SST2/raw/Graph-SST2_{ending} was looked for in .*with .gz$"):
        graph_sst2.load(tmp_path)


def test_texts_on_graphs_do_not_disturb_batches_or_the_pipeline(published, tmp_path):
    published()
    dataset = graph_sst2.load(tmp_path)
    batch = Batch.from_data_list(list(dataset))
    assert batch.tokens == [["a", "good", "film"], ["bad"], ["so", "so"]]
    assert [graph.tokens for graph in batch.to_data_list()] == batch.tokens
    assert batch.parsed.tolist() == [True] * 3
    store = GraphStore(dataset)
    (chunk,) = store.chunks(3)
    assert [graph.sentence for graph in chunk] == ["a good film", "bad", "so so"]
    assert not store.findings.messages()
    part = induced_subgraph(dataset[0], [2, 1])
    assert part.x.tolist() == [[4, 5], [2, 3]]
    assert "tokens" not in part
    assert pack(dataset[0], Data)["sentence"] == "a good film"
