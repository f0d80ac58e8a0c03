import torch
from torch_geometric.data import Data

from research.paper.sentences import (
    Sentence,
    draw_sentences,
    rank_correlation,
    shared_pairs,
    shared_words,
)

ONE = Sentence(("A", "good", "film"), ((0, 2), (1, 2)), 1)
OTHER = Sentence(("film", ",", "a", "bad"), ((0, 2), (0, 3)), 0)


def test_a_sentence_is_its_words_and_each_edge_once():
    graph = Data(edge_index=torch.tensor([[0, 1, 1], [1, 0, 1]]), y=torch.tensor([1]), tokens=["good", "film"])
    assert Sentence.of(graph) == Sentence(("good", "film"), ((0, 1),), 1)


def test_what_sentences_share():
    assert shared_words([ONE, OTHER]) == ["a", "film"]
    assert shared_pairs([ONE, OTHER]) == [("a", "film")]
    assert shared_pairs([ONE, Sentence(("a", "film"), (), 1)]) == []
    assert shared_words([ONE]) == ["a", "film", "good"]


def test_ranks_with_ties():
    # Ranks 1.5, 1.5, 3 and 1, 2, 3.
    assert rank_correlation([5, 5, 9], [0.1, 0.2, 0.3]) == 0.866025403784
    assert rank_correlation([5, 5], [1, 2]) is None


def test_every_word_edge_and_probability_is_drawn():
    sentence = {"words": ["a", "good", "film"], "edges": [[0, 2], [1, 2]], "label": 1, "probability": 0.75}
    figure = draw_sentences([("First", [sentence]), ("Second", [sentence, sentence]), ("Third", [sentence])])
    first, second, third, empty = figure.axes
    assert [one.get_title(loc="left") for one in figure.axes] == ["First", "Second", "Third", ""]
    assert [text.get_text() for text in first.texts] == ["a", "good", "film", "p = 0.75"]
    assert [len(one.patches) for one in figure.axes] == [2, 4, 2, 0]
    assert first.get_xlim() == second.get_xlim() == third.get_xlim()
    assert not empty.texts
