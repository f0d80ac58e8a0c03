"""Constituency trees turned into edges between words, and found again by the words of a phrase.

The trees are those of Socher et al. 2013, Recursive deep models for semantic compositionality over a sentiment
treebank. Every inner node has two parts, every leaf is a word, and every node has a sentiment from 0 to 4::

    (3 (2 It) (4 (2 's) (4 (2 a) (4 (3 lovely) (2 film)))))

The sentiments are not read: they would put the answer into the graph.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise

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
