import pytest

from protograph.cli.arguments import class_weights_of


def test_weights_of_classes_are_a_word_or_numbers():
    assert class_weights_of("0.5,2") == [0.5, 2.0]
    with pytest.raises(ValueError, match=r"^--class-weights must be balanced, or a number for each class with commas "):
        class_weights_of("even")
