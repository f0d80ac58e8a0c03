import re

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protograph.datasets.sst2_trees import Parses, WordEdges, parse, path_edges, plain

# it 's | not | ( a lovely film ) | .  as the treebank would write it
LINE = r"(1 (2 It) (1 (1 (2 's) (1 (1 not) (3 (2 (2 -LRB-) (3 (2 A) (4 (3 lovely) (2 film)))) (2 -RRB-)))) (2 .)))"


def test_a_tree_worked_out_by_hand():
    tree = parse(LINE)
    assert tree.words == ["it", "'s", "not", "(", "a", "lovely", "film", ")", "."]
    # lovely-film, a-film, (-film, film-), not-film, 's-film, film-., it-film: "film" is the last word of all phrases.
    assert tree.edges == [(5, 6), (4, 6), (3, 6), (6, 7), (2, 6), (1, 6), (6, 8), (0, 6)]
    assert {(part.start, part.stop) for part in tree.constituents if part.stop - part.start > 1} == {
        (5, 7), (4, 7), (3, 7), (3, 8), (2, 8), (1, 8), (1, 9), (0, 9),
    }  # fmt: skip


def test_punctuation_is_a_head_only_among_punctuation():
    assert parse("(2 (2 (2 .) (2 .)) (2 (2 no) (2 !)))").edges == [(0, 1), (2, 3), (1, 2)]
    assert parse("(2 (2 (2 yes) (2 !)) (2 (2 .) (2 .)))").edges == [(0, 1), (2, 3), (0, 3)]


def test_sentiments_do_not_matter():
    assert parse(re.sub(r"\(\d", "(0", LINE)) == parse(LINE)


def test_a_tree_of_one_word():
    tree = parse("(3 Wonderful)")
    assert (tree.words, tree.edges) == (["wonderful"], [])
    assert Parses([tree]).edges(["wonderful"]) == WordEdges([], parsed=True)


nested = st.recursive(
    st.sampled_from([f"(2 {word})" for word in ("film", "It", ".", "--", "-LRB-", r"\*", "n't")]),
    lambda part: st.tuples(part, part).map(lambda pair: f"(2 {pair[0]} {pair[1]})"),
)


@given(nested)
def test_words_are_connected_and_each_constituent_has_its_own_edges(line):
    tree = parse(line)
    parses = Parses([tree])
    for start, stop, _ in tree.constituents:
        edges, parsed = parses.edges(tree.words[start:stop])
        assert parsed
        assert len(edges) == stop - start - 1
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(stop - start))
        assert len(graph) == stop - start
        assert nx.is_tree(graph)


def test_a_leaf_of_two_words():
    tree = parse("(2 (2 (2 ``) (2 9\u00a01\\/2)) (2 weeks))")
    assert tree.words == ["``", "9", "1/2", "weeks"]
    assert tree.edges == [(1, 2), (0, 2), (2, 3)]
    assert Parses([tree]).edges(["``", "9", "1/2"]) == WordEdges([(1, 2), (0, 2)], parsed=True)


def test_phrases_are_found_whatever_their_spelling():
    parses = Parses([parse(r"(2 (2 -LRB-) (2 (2 A) (2 (2 Colourful) (2 (2 Theatre) (2 writer\/director)))))")])
    words = ["(", "a", "colorful", "theater", "writer/director"]
    assert parses.edges(words) == WordEdges([(3, 4), (2, 4), (1, 4), (0, 4)], parsed=True)
    assert parses.edges(words[2:]) == WordEdges([(1, 2), (0, 2)], parsed=True)


def test_what_is_no_constituent_is_a_path():
    parses = Parses([parse(LINE)])
    assert parses.edges(["not", "a", "lovely"]) == WordEdges([(0, 1), (1, 2)], parsed=False)
    assert parses.edges(["unseen"]) == WordEdges([], parsed=False)
    assert path_edges(1) == path_edges(0) == []


def test_the_first_of_equal_phrases_is_taken():
    left, right = "(2 (2 (2 a) (2 b)) (2 c))", "(2 (2 a) (2 (2 b) (2 c)))"
    assert Parses([parse(left), parse(right)]).edges(["a", "b", "c"]).edges == [(0, 1), (1, 2)]
    assert Parses([parse(right), parse(left)]).edges(["a", "b", "c"]).edges == [(1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("-RRB-", ")"), (r"1\/2", "1/2"), (r"\*\*\*", "***"), ("Humourless", "humorless"), ("theatres", "theaters"),
        ("centre", "center"), ("grey", "gray"), ("your", "your"), ("hour", "hour"), ("Château", "château"),
    ],
)  # fmt: skip
def test_plain_words(word, wanted):
    assert plain(word) == wanted


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("(2 (2 a) (2 b)", "a bracket left open"),
        ("(2 a))", "a bracket that closes none"),
        ("(2 (2 a) (2 b) (2 c))", "a node with 3 part(s)"),
        ("(2 (2 a) ())", "a node with 0 part(s)"),
        ("(2 (2 a))", "a node with 1 part(s)"),
        ("(2 (2 a) b)", "'b' beside others"),
        ("(2 a) (2 b)", "2 trees"),
        ("", "0 trees"),
    ],
)
def test_lines_that_are_no_tree(line, what):
    wanted = f"a tree must have two parts or a word in each pair of brackets, got {what} in {line!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        parse(line)
