from protograph.report.depicted_sentences import sentence_markup
from protograph.report.markup import Marks


def test_marked_words_stand_out_and_the_data_is_escaped():
    markup = sentence_markup(["<b>", "lovely", "film"], Marks({1: 0}, is_numbered=True), 'graph "3"')
    assert markup == (
        '<p class="pg-sentence" title="graph &quot;3&quot;"><span data-node="0">&lt;b&gt;</span> '
        '<mark class="pg-m0" data-node="1" data-match="0">lovely</mark> <span data-node="2">film</span></p>'
    )
