"""The sentences of SST-2 as graphs of their words, built from GLUE's tables, parses and word vectors."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from protograph._base.progress import Progress
from protograph.datasets.cache import cached_arrays
from protograph.datasets.sources import Root, SourceFile, read
from protograph.datasets.sst2_trees import Edges, Parses, parse

# For each part its table and its trees.
PARTS = {
    "train": ("sst2/glue_train.tsv", "sst2/trees_train.txt"),
    "validation": ("sst2/glue_dev.tsv", "sst2/trees_dev.txt"),
    "test": ("sst2/glue_test_labeled.tsv", "sst2/trees_test.txt"),
}
VECTORS = "sst2/glove_twitter25d_12k.npz"
SHA256 = {
    "sst2/glue_train.tsv": "48eac26399f8456935f81dd9e3a745c1430adb6c62e233ccfe22db4a0d15d1d1",
    "sst2/glue_dev.tsv": "54a9c12c77e402fc14d6a66a506f24d999f596b0176eb777c972cccc2f9cc4b0",
    "sst2/glue_test_labeled.tsv": "c0efc56ade6e0598d0f8daca1976e232aee0bcabca8e599341cad290d9d10b3c",
    "sst2/trees_train.txt": "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7",
    "sst2/trees_dev.txt": "0e9336aed6e4730e19f58d00a77b3f0297efdb755f7b5e598c98a05e3f97ea40",
    "sst2/trees_test.txt": "6e54806dee95cf80cd918e7dfb3f6770f6df24bf826f289a4d1f709e1c8f6761",
    VECTORS: "72b9fd552559b36dd311f2789dee0341919736d499ba8a8204cda232beaac409",
}
# Raised whenever the same files give other arrays.
RECIPE = 1

SOURCE = (
    "Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank; sentences of "
    "GLUE's SST-2 from https://github.com/eyalbd2/Reproducing-AutoPrompt, trees from "
    "https://github.com/munikarmanish/RNTN, GloVe vectors from https://github.com/rimonim/embedplyr"
)
LICENCE = (
    "not stated for the sentences and trees (the repository of the sentences is Apache-2.0); "
    "the repository of the word vectors is GPL-3"
)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class SentenceArrays:
    """Sentences end to end.

    Attributes:
        x: A vector for each word, ``[num_words, num_features]``.
        edges: Pairs of words, ``[2, num_edges]``, counted over all sentences; an edge may be there one way or both.
        num_words: How many words each sentence has.
        labels: 1 for a positive sentence, 0 for a negative one.
        parts: Part of each sentence: 0 training, 1 validation, 2 test.
        parsed: Whether a sentence's edges come from a parse.
        tokens: The words of each sentence.
        source: Where the data come from.
        licence: Terms of the data.
    """

    x: NDArray[np.float32]
    edges: NDArray[np.integer]
    num_words: NDArray[np.integer]
    labels: NDArray[np.integer]
    parts: NDArray[np.integer]
    parsed: NDArray[np.bool_]
    tokens: Sequence[Sequence[str]]
    source: str
    licence: str


class Sentence(NamedTuple):
    """A line of a table with the edges between its words."""

    text: str
    label: int
    edges: Edges
    parsed: bool


def read_sentences(root: Root, progress: Progress | None = None) -> SentenceArrays:
    """All sentences: training, validation, then test; the arrays are kept in the cache.

    Words are what stands between blanks. A sentence that is a constituent of a tree of its part has that
    constituent's edges, see :func:`~protograph.datasets.sst2_trees.parse`; elsewhere each word is joined with
    the next. ``x`` has the 25 numbers of the word's vector and a 26th column that is 1 for words without a
    vector, whose other columns are 0.

    Raises:
        FileNotFoundError: If a file is not there.
        ValueError: If a file has another checksum.
    """
    contents = {name: read(SourceFile(name, digits, url=None), root, progress) for name, digits in SHA256.items()}
    arrays = cached_arrays("graph-sst2", {**SHA256, "recipe": RECIPE}, lambda: make_arrays(contents))
    return SentenceArrays(
        x=features(arrays["vectors"])[arrays["vector_of"]],
        edges=arrays["edges"],
        num_words=arrays["num_words"],
        labels=arrays["labels"],
        parts=arrays["parts"],
        parsed=arrays["parsed"],
        tokens=[text.split(" ") for text in arrays["text"].tobytes().decode().split("\n")],
        source=SOURCE,
        licence=LICENCE,
    )


def features(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """A row for each vector, and a last row for words that have none, told by a further column.

    >>> features(np.array([[0.5, 2.0]], dtype=np.float32))
    array([[0.5, 2. , 0. ],
           [0. , 0. , 1. ]], dtype=float32)
    """
    num_vectors, width = vectors.shape
    table = np.zeros((num_vectors + 1, width + 1), dtype=np.float32)
    table[:-1, :-1] = vectors
    table[-1, -1] = 1
    return table


def make_arrays(contents: Mapping[str, bytes]) -> Arrays:
    """Arrays of the sentences, from the contents of the files by name.

    ``vector_of`` is each word's row of ``vectors``, or their number for a word that has none, and ``text`` has the
    sentences as UTF-8, divided by line feeds.
    """
    parts = [list(_sentences(contents[table], contents[trees])) for table, trees in PARTS.values()]
    sentences = [sentence for part in parts for sentence in part]
    words = [sentence.text.split(" ") for sentence in sentences]
    num_words = np.array(list(map(len, words)), dtype=np.int32)
    with np.load(io.BytesIO(contents[VECTORS]), allow_pickle=False) as archive:
        vocabulary, vectors = archive["words"].tolist(), archive["vec"]
    row_of = {word: row for row, word in enumerate(vocabulary)}
    rows = [row_of.get(word.lower(), len(vocabulary)) for sentence in words for word in sentence]
    return {
        "vectors": vectors,
        "vector_of": np.array(rows, dtype=np.int32),
        "edges": _joined_edges(sentences, num_words),
        "num_words": num_words,
        "labels": np.array([sentence.label for sentence in sentences], dtype=np.int8),
        "parts": np.repeat(np.arange(len(parts), dtype=np.int8), list(map(len, parts))),
        "parsed": np.array([sentence.parsed for sentence in sentences], dtype=np.bool_),
        "text": np.frombuffer("\n".join(sentence.text for sentence in sentences).encode(), dtype=np.uint8),
    }


def _sentences(table: bytes, trees: bytes) -> Iterator[Sentence]:
    parses = Parses(map(parse, _lines(trees)))
    for line in _lines(table)[1:]:
        text, _, label = line.rpartition("\t")
        words = text.split()
        yield Sentence(" ".join(words), int(label), *parses.edges(words))


def _lines(content: bytes) -> list[str]:
    # Not splitlines, which also divides at rare characters that a sentence may have.
    return content.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def _joined_edges(sentences: Sequence[Sentence], num_words: NDArray[np.int32]) -> NDArray[np.int32]:
    within = [edge for sentence in sentences for edge in sentence.edges]
    starts = np.cumsum(num_words, dtype=np.int32) - num_words
    shifts = np.repeat(starts, [len(sentence.edges) for sentence in sentences])
    return np.array(within, dtype=np.int32).reshape(-1, 2).T + shifts
