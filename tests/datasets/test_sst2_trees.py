import re

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protograph.datasets.sst2_trees import phrases, plain, read_parses

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


def test_sentiments_do_not_matter():
    assert list(phrases(re.sub(r"\(\d", "(0", LINE))) == list(phrases(LINE))


def test_a_tree_of_one_word():
    assert list(phrases("(3 Wonderful)")) == [("wonderful", [])]


nested = st.recursive(
    st.sampled_from([f"(2 {word})" for word in ("film", "It", ".", "--", "-LRB-", r"\*", "n't")]),
    lambda part: st.tuples(part, part).map(lambda pair: f"(2 {pair[0]} {pair[1]})"),
)


@given(nested)
def test_words_are_connected_in_each_constituent(line):
    for text, edges in phrases(line):
        num_words = len(text.split(" "))
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(num_words))
        assert len(edges) == num_words - 1
        assert len(graph) == num_words
        assert nx.is_tree(graph)


def test_a_leaf_of_two_words():
    line = "(2 (2 (2 ``) (2 9\u00a01\\/2)) (2 weeks))"
    assert whole(line) == (["``", "9", "1/2", "weeks"], [(1, 2), (0, 2), (2, 3)])
    assert read_parses([line])["`` 9 1/2"] == [(1, 2), (0, 2)]


def test_phrases_are_found_whatever_their_spelling():
    parses = read_parses([r"(2 (2 -LRB-) (2 (2 A) (2 (2 Colourful) (2 (2 Theatre) (2 writer\/director)))))"])
    assert parses["( a colorful theater writer/director"] == [(3, 4), (2, 4), (1, 4), (0, 4)]
    assert parses["colorful theater writer/director"] == [(1, 2), (0, 2)]
    assert "a colorful theater" not in parses


def test_the_first_of_equal_phrases_is_taken():
    left, right = "(2 (2 (2 a) (2 b)) (2 c))", "(2 (2 a) (2 (2 b) (2 c)))"
    assert read_parses([left, right])["a b c"] == [(0, 1), (1, 2)]
    assert read_parses([right, left])["a b c"] == [(1, 2), (0, 2)]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("-RRB-", ")"), (r"1\/2", "1/2"), (r"\*\*\*", "***"), ("Humourless", "humorless"), ("theatres", "theaters"),
        ("centre", "center"), ("grey", "gray"), ("your", "your"), ("hour", "hour"), ("Château", "château"),
    ],
)  # fmt: skip
def test_plain_words(word, wanted):
    assert plain(word) == wanted
