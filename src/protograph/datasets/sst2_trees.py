"""Constituency trees turned into edges between words, and found again by the words of a phrase.

The trees are those of Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment
treebank. Every inner node has two parts, every leaf is a word, and every node has a sentiment from 0 to 4::

    (3 (2 It) (4 (2 's) (4 (2 a) (4 (3 lovely) (2 film)))))

The sentiments are not read: they would put the answer into the graph.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

Edges = list[tuple[int, int]]

# A leaf, a bracket that opens an inner node or closes it, or what should not be there.
_PIECE = re.compile(r"\(\d+ [^\s()][^()]*\)|\(\d*|\)|[^\s()]+")
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


class Constituent(NamedTuple):
    """Words ``start`` to ``stop`` of a tree, which has ``num_edges`` edges up to the end of that constituent."""

    start: int
    stop: int
    num_edges: int


@dataclass(frozen=True)
class Tree:
    """A sentence's parse.

    Attributes:
        words: Its words, written as :func:`plain` writes them.
        edges: An edge for each inner node, from the left to the right, a node after those below it.
        constituents: All nodes of the tree in the same order.
    """

    words: list[str]
    edges: Edges
    constituents: list[Constituent]


class WordEdges(NamedTuple):
    """Edges between the words of a phrase, counted from 0, and whether they come from a parse."""

    edges: Edges
    parsed: bool


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


def parse(line: str) -> Tree:
    """Read a tree and join its words: ``n`` words get ``n - 1`` edges and are connected.

    Each inner node joins the heads of its two parts. The head of a constituent is its last word that is not
    punctuation, if it has such. Articles, prepositions, auxiliaries and modifiers stand before the word they go with
    in English, so the last word is the best guess where words have no tags, which the usual rules for heads need.

    Raises:
        ValueError: If the brackets do not match, or an inner node has not two parts.

    >>> parse("(3 (2 (2 a) (3 (3 lovely) (2 film))) (2 .))").edges
    [(1, 2), (0, 2), (2, 3)]
    """
    words: list[str] = []
    edges: Edges = []
    constituents: list[Constituent] = []
    starts: list[int] = []
    heads: list[list[int]] = [[]]  # of the parts seen so far of each open bracket
    for piece in _PIECE.findall(line):
        if piece == ")":
            if not starts:
                raise _unfit(line, "a bracket that closes none")
            parts = heads.pop()
            heads[-1].append(_head(parts, words, line))
            edges.append((parts[0], parts[1]))
            constituents.append(Constituent(starts.pop(), len(words), len(edges)))
        elif piece[-1] == ")":
            start = len(words)
            # A few leaves are two words for GLUE, with a non-breaking space between them: 9 1/2.
            words += map(plain, piece[:-1].split()[1:])
            edges += pairwise(range(start, len(words)))
            heads[-1].append(len(words) - 1)
            constituents.append(Constituent(start, len(words), len(edges)))
        elif piece[0] == "(":
            starts.append(len(words))
            heads.append([])
        else:
            raise _unfit(line, f"{piece!r} beside others")
    if starts or len(heads[0]) != 1:
        raise _unfit(line, "a bracket left open" if starts else f"{len(heads[0])} trees")
    return Tree(words, edges, constituents)


def _head(parts: Sequence[int], words: Sequence[str], line: str) -> int:
    if len(parts) != 2:
        raise _unfit(line, f"a node with {len(parts)} part(s)")
    left, right = parts
    return left if is_punctuation(words[right]) and not is_punctuation(words[left]) else right


def _unfit(line: str, what: str) -> ValueError:
    return ValueError(f"a tree must have two parts or a word in each pair of brackets, got {what} in {line[:60]!r}")


@cache
def is_punctuation(word: str) -> bool:
    """Whether a word has neither letters nor digits.

    >>> is_punctuation("..."), is_punctuation("n't")
    (True, False)
    """
    return not any(map(str.isalnum, word))


def path_edges(num_words: int) -> Edges:
    """Each word joined with the next.

    >>> path_edges(3)
    [(0, 1), (1, 2)]
    """
    return list(pairwise(range(num_words)))


class Parses:
    """The constituents of many trees by their words; of equal ones, the first.

    >>> parses = Parses([parse("(2 (2 Not) (3 (2 a) (3 (3 lovely) (2 film))))")])
    >>> parses.edges(["a", "lovely", "film"])
    WordEdges(edges=[(1, 2), (0, 2)], parsed=True)
    >>> parses.edges(["lovely", "not"])
    WordEdges(edges=[(0, 1)], parsed=False)
    """

    def __init__(self, trees: Iterable[Tree]) -> None:
        self._places: dict[str, tuple[Tree, Constituent]] = {}
        for tree in trees:
            for constituent in tree.constituents:
                text = " ".join(tree.words[constituent.start : constituent.stop])
                self._places.setdefault(text, (tree, constituent))

    def edges(self, words: Sequence[str]) -> WordEdges:
        """Edges of the constituent that has those words, or, if no tree has it, of neighbours in the phrase."""
        place = self._places.get(" ".join(map(plain, words)))
        if place is None:
            return WordEdges(path_edges(len(words)), parsed=False)
        tree, (start, _, num_edges) = place
        # Its own edges are the last ones, since a node comes after those below it.
        own = tree.edges[num_edges - (len(words) - 1) : num_edges]
        return WordEdges([(left - start, right - start) for left, right in own], parsed=True)
