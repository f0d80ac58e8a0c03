import pytest

from protograph.datasets.labels import Labels, read_labels


@pytest.mark.parametrize(
    ("texts", "numbers", "names"),
    [
        (["0", "1", "1"], [0, 1, 1], ("0", "1")),
        (["1.0", "0.0"], [1, 0], ("0", "1")),
        (["2", "0", "1"], [2, 0, 1], ("0", "1", "2")),
        (["True", "False"], [1, 0], ("False", "True")),
        (["true", "FALSE", "TRUE"], [1, 0, 1], ("False", "True")),
        (["1", "2"], [0, 1], ("1", "2")),
        (["1", "-1"], [1, 0], ("-1", "1")),
        (["10", "9"], [1, 0], ("9", "10")),
        (["0.5", "-1.5", "0.50"], [1, 0, 1], ("-1.5", "0.5")),
        (["toxic", "safe", "toxic"], [1, 0, 1], ("safe", "toxic")),
        (["1", "unknown"], [0, 1], ("1", "unknown")),
    ],
)
def test_labels(texts, numbers, names):
    assert read_labels(texts, "label") == Labels(numbers, names)


def test_one_class():
    with pytest.raises(ValueError, match=r"^label must have two classes or more, got 'a' in all 3 rows$"):
        read_labels(["a"] * 3, "label")


def test_measured_numbers_are_no_classes():
    message = r"^label must name a class for each molecule, got 21 different numbers, such as '0.5'; give a column of"
    with pytest.raises(ValueError, match=message):
        read_labels([f"{number}.5" for number in range(21)] * 9, "label")
    assert len(read_labels([f"{number}.5" for number in range(20)], "label").names) == 20


def test_a_value_of_its_own_for_most_rows_is_no_class():
    with pytest.raises(ValueError, match="got 30 different values, such as 'name 0'"):
        read_labels([f"name {number}" for number in range(30)], "label")
    assert len(read_labels([f"name {number}" for number in range(30)] * 2, "label").names) == 30
    assert len(read_labels([str(number) for number in range(30)] * 2, "label").names) == 30


def test_what_only_python_reads_as_a_number_is_a_name():
    assert read_labels(["1_2", "12", "3"], "label").names == ("12", "1_2", "3")
    assert read_labels(["9007199254740993", "9007199254740992"], "label").numbers == [1, 0]
    assert read_labels(["inf", "1"], "label").names == ("1", "inf")
