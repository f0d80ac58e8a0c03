from torch_geometric.data import Data

from protograph.report.depicted_sentences import sentence_markup, words_of
from protograph.report.markup import Marks


def test_words_are_those_of_the_nodes():
    assert words_of(Data(num_nodes=2, tokens=["a", "film"])) == ("a", "film")
    assert words_of(Data(num_nodes=2, sentence="a film")) == ("a", "film")
    assert words_of(Data(num_nodes=2, sentence="a lovely film")) is None
    assert words_of(Data(num_nodes=2)) is None


def test_marked_words_stand_out_and_the_data_is_escaped():
    markup = sentence_markup(["<b>", "lovely", "film"], Marks({1: 0}, is_numbered=True), 'graph "3"')
    assert markup == (
        '<p class="pg-sentence" title="graph &quot;3&quot;"><span data-node="0">&lt;b&gt;</span> '
        '<mark class="pg-m0" data-node="1" data-match="0">lovely</mark> <span data-node="2">film</span></p>'
    )


def test_alone_there_are_dots_for_what_is_left_out():
    markup = sentence_markup(["a", "lovely", "film", "."], Marks({0: 1, 2: 0}), "", is_alone=True)
    gap = '<span class="pg-gap">…</span>'
    first, last = '<mark data-node="0" data-match="1">a</mark>', '<mark data-node="2" data-match="0">film</mark>'
    assert markup == f'<p class="pg-sentence" title="">{first} {gap} {last} {gap}</p>'
