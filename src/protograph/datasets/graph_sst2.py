"""Graph-SST2: is a sentence about a film positive or negative?

Nodes are words, and edges come from a parse of the sentence. The graphs are built from GLUE's tables, parses and word
vectors: the edges and features are others than those of the Graph-SST2 that Yuan et al. 2020 published.

The parses are trees of Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment
treebank. Every inner node has two parts, every leaf is a word, and every node has a sentiment from 0 to 4::

    (3 (2 It) (4 (2 's) (4 (2 a) (4 (3 lovely) (2 film)))))

The sentiments are not read: they would put the answer into the graph.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, pairwise

import numpy as np
import torch
from torch_geometric.utils import to_undirected

from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import DataFiles, SourceFile
from protograph.datasets.spec import DatasetSpec
from protograph.graphs.splitting import split_graphs

CLASS_NAMES = ("negative", "positive")
FILES = tuple(
    SourceFile(f"sst2/{name}", sha256, None)
    for name, sha256 in {
        "glue_train.tsv": "48eac26399f8456935f81dd9e3a745c1430adb6c62e233ccfe22db4a0d15d1d1",
        "trees_train.txt": "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7",
        "glue_dev.tsv": "54a9c12c77e402fc14d6a66a506f24d999f596b0176eb777c972cccc2f9cc4b0",
        "trees_dev.txt": "0e9336aed6e4730e19f58d00a77b3f0297efdb755f7b5e598c98a05e3f97ea40",
        "glue_test_labeled.tsv": "c0efc56ade6e0598d0f8daca1976e232aee0bcabca8e599341cad290d9d10b3c",
        "trees_test.txt": "6e54806dee95cf80cd918e7dfb3f6770f6df24bf826f289a4d1f709e1c8f6761",
        "glove_twitter25d_12k.npz": "72b9fd552559b36dd311f2789dee0341919736d499ba8a8204cda232beaac409",
    }.items()
)
# For each part its table and its trees.
PARTS = {"train": FILES[0:2], "validation": FILES[2:4], "test": FILES[4:6]}
VECTORS = FILES[6]

Edges = list[tuple[int, int]]

# A leaf, or a bracket that opens an inner node or closes it.
_PIECE = re.compile(r"\(\d+ [^\s()][^()]*\)|\(\d|\)")
_BRACKETS = {"-lrb-": "(", "-rrb-": ")"}
# GLUE has American spellings where the trees keep what the reviewers wrote.
_SPELLINGS = (
    (re.compile(r"(behavi|col|endeav|fav|flav|hum|lab|sav|splend)our"), r"\1or"),
    (re.compile(r"(cent|theat)re\b"), r"\1er"),
    (re.compile(r"theatres\b"), "theaters"),
    (re.compile(r"\bgrey\b"), "gray"),
    (re.compile(r"\brecognise\b"), "recognize"),
    (re.compile(r"\blabelled\b"), "labeled"),
    (re.compile(r"\blearnt\b"), "learned"),
)


def load(files: DataFiles, random_state: int, num_graphs: int | None) -> GraphDataset:
    """Graph-SST2: 70,042 sentences, or the first so many; training, validation, then test.

    Words are what stands between blanks. A sentence that is a constituent of a tree of its part has that
    constituent's edges, see :func:`phrases`; elsewhere each word is joined with
    the next. ``x`` has the word's GloVe vector in 25 columns and a 26th that is 1 for words without one (a quarter of
    all), whose other columns are 0.

    Each graph has its ``sentence``, the ``tokens`` that are its nodes, and ``parsed``, a boolean tensor of
    shape ``[1]``: false where no parse was found. A graph with a single word has no edge. ``splits`` has ``train``,
    ``validation`` and ``test``.
    """
    return from_contents({file.relative: files.read(file) for file in FILES}, num_graphs)


def from_contents(contents: Mapping[str, bytes], num_graphs: int | None = None) -> GraphDataset:
    """The data set of the contents of the files by name, or of the first so many sentences."""
    parts = [list(_sentences(*(contents[file.relative] for file in part))) for part in PARTS.values()]
    words, labels, parsed = zip(*chain(*parts), strict=True)
    sizes = np.array(list(map(len, words)))
    with np.load(io.BytesIO(contents[VECTORS.relative]), allow_pickle=False) as archive:
        row_of = {word: row for row, word in enumerate(archive["words"].tolist())}
        # A last row for words that have no vector, marked in a further column.
        vectors = np.pad(archive["vec"], ((0, 1), (0, 1)))
    vectors[-1, -1] = 1
    rows = [row_of.get(word.lower(), len(row_of)) for sentence in words for word in sentence]
    joined = [
        list(pairwise(range(size))) if edges is None else edges for size, edges in zip(sizes, parsed, strict=True)
    ]
    starts = np.repeat(np.cumsum(sizes) - sizes, list(map(len, joined)))
    ends = np.array(list(chain(*joined)), dtype=np.int64).reshape(-1, 2).T + starts
    graphs = split_graphs(
        node_values={"x": torch.from_numpy(vectors[rows])},
        edge_values={"edge_index": to_undirected(torch.from_numpy(ends))},
        labels=torch.tensor(labels),
        sizes=sizes,
        num_graphs=num_graphs,
    )
    for graph, tokens, edges in zip(graphs, words, parsed, strict=False):
        graph.sentence = " ".join(tokens)
        graph.tokens = tokens
        graph.parsed = torch.tensor([edges is not None])
    part_of = torch.arange(len(parts)).repeat_interleave(torch.tensor(list(map(len, parts))))[: len(graphs)]
    return GraphDataset(
        graphs=graphs,
        name=SPEC.name,
        class_names=CLASS_NAMES,
        licence=(
            "not stated for the sentences and trees (the repository of the sentences is Apache-2.0); "
            "the repository of the word vectors is GPL-3"
        ),
        source=(
            "Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment treebank; "
            "sentences of GLUE's SST-2 from https://github.com/eyalbd2/Reproducing-AutoPrompt, trees from "
            "https://github.com/munikarmanish/RNTN, GloVe vectors from https://github.com/rimonim/embedplyr"
        ),
        splits={part: (part_of == number).nonzero().flatten() for number, part in enumerate(PARTS)},
    )


def _sentences(table: bytes, trees: bytes) -> Iterator[tuple[list[str], int, Edges | None]]:
    """Words and label of each line of a table, and the edges of the constituent that has those words, if any has."""
    parses = read_parses(_lines(trees))
    for line in _lines(table)[1:]:
        text, _, label = line.rpartition("\t")
        words = text.split()
        yield words, int(label), parses.get(" ".join(map(plain, words)))


def _lines(content: bytes) -> list[str]:
    # Not splitlines, which also divides at rare characters that a sentence may have.
    return content.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


@cache
def plain(word: str) -> str:
    r"""A word as GLUE writes it: lower case, American, and without the escapes of the Penn treebank.

    >>> [plain(word) for word in ("-LRB-", r"Writer\/director", r"\*", "Theatre", "Clichés")]
    ['(', 'writer/director', '*', 'theater', 'clichés']
    """
    word = word.lower()
    word = _BRACKETS.get(word, word).replace("\\", "")
    for pattern, american in _SPELLINGS:
        word = pattern.sub(american, word)
    return word


def phrases(line: str) -> Iterator[tuple[str, Edges]]:
    """The constituents of a tree: their words, as :func:`plain` writes them, and the edges that join them.

    ``n`` words have ``n - 1`` edges and are connected: each inner node joins the heads of its two parts. The head of a
    constituent is its last word that is not punctuation, if it has such. Articles, prepositions, auxiliaries and
    modifiers stand before the word they go with in English, so the last word is the best guess where words have no
    tags, which the usual rules for heads need. The files' checksums vouch for trees of this form.

    >>> dict(phrases("(3 (2 (2 a) (3 (3 lovely) (2 film))) (2 .))"))["a lovely film ."]
    [(1, 2), (0, 2), (2, 3)]
    """
    words: list[str] = []
    edges: Edges = []
    starts: list[int] = []  # of the brackets that are open
    heads: list[int] = []  # of the constituents that are not yet part of another
    for piece in _PIECE.findall(line):
        if piece == ")":
            start, right, left = starts.pop(), heads.pop(), heads.pop()
            edges.append((left, right))
            heads.append(left if is_punctuation(words[right]) and not is_punctuation(words[left]) else right)
        elif piece.endswith(")"):
            start = len(words)
            # A few leaves are two words for GLUE, with a non-breaking space between them: 9 1/2.
            words += map(plain, piece[:-1].split()[1:])
            edges += pairwise(range(start, len(words)))
            heads.append(len(words) - 1)
        else:
            starts.append(len(words))
            continue
        # Its own edges are the last ones, since a node comes after those below it.
        own = edges[len(edges) - (len(words) - start - 1) :]
        yield " ".join(words[start:]), [(left - start, right - start) for left, right in own]


@cache
def is_punctuation(word: str) -> bool:
    """Whether a word has neither letters nor digits.

    >>> is_punctuation("..."), is_punctuation("n't")
    (True, False)
    """
    return not any(map(str.isalnum, word))


def read_parses(lines: Iterable[str]) -> dict[str, Edges]:
    """Edges of the constituents of many trees by their words; of equal ones, the first.

    >>> read_parses(["(2 (2 Not) (3 (3 lovely) (2 films)))"])["lovely films"]
    [(0, 1)]
    """
    parses: dict[str, Edges] = {}
    for line in lines:
        for text, edges in phrases(line):
            parses.setdefault(text, edges)
    return parses


SPEC = DatasetSpec(
    name="graph-sst2",
    load=load,
    question="sentences about films, negative or positive",
    num_graphs=70_042,
    num_classes=len(CLASS_NAMES),
    files=(FILES,),
)
