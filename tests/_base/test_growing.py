import numpy as np
import pytest

from protograph._base.growing import GrowingArray, file_of, give_back, renumber, rows_of


@pytest.mark.parametrize(("max_bytes", "is_in_file"), [(0, True), (40, True), (48, False)])
def test_rows_are_the_same_in_memory_and_in_a_file(max_bytes, is_in_file):
    rows = GrowingArray(np.float64, 2, max_bytes)
    rows.append([[1.0, 2.0]])
    rows.append([[3.0, 4.0], [5.0, 6.0]])
    assert (len(rows), rows.is_in_file) == (3, is_in_file)
    found = rows.finished()
    assert (file_of(found) is not None) == is_in_file
    assert found.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    give_back(found)
    assert found[2].tolist() == [5.0, 6.0]
    assert type(found) is np.ndarray


def test_what_is_appended_is_copied():
    rows, part = GrowingArray(np.int64), np.array([1, 2])
    rows.append(part)
    part[0] = 9
    assert rows.finished().tolist() == [1, 2]


def test_nothing_has_the_shape_of_nothing():
    assert GrowingArray(np.float64, 3).finished().shape == (0, 3)


@pytest.mark.parametrize("max_bytes", [0, 2**20])
def test_numbers_are_changed_a_part_at_a_time(monkeypatch, max_bytes):
    monkeypatch.setattr("protograph._base.growing.ROWS_AT_ONCE", 2)
    kinds = GrowingArray(np.int32, max_bytes=max_bytes)
    kinds.append([2, 0, 1, 1, 2])
    assert renumber(kinds.finished(), np.array([10, 20, 30], np.int32)).tolist() == [30, 10, 20, 20, 30]


@pytest.mark.parametrize("max_bytes", [0, 2**20])
def test_rows_from_all_over_are_taken_some_at_a_time(monkeypatch, max_bytes):
    monkeypatch.setattr("protograph._base.growing.ROWS_GATHERED", 2)
    rows = GrowingArray(np.int64, 2, max_bytes)
    rows.append(np.arange(10).reshape(5, 2))
    assert rows_of(rows.finished(), np.array([4, 0, 2])).tolist() == [[8, 9], [0, 1], [4, 5]]
