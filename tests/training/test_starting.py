import pytest
import torch

from protograph.training.starting import num_classes_of, seeded_gcn


def test_one_class_is_too_few():
    with pytest.raises(ValueError, match=r"^graphs must have at least 2 classes, got only class 1$"):
        num_classes_of(torch.tensor([1, 1]))


def test_labels_must_number_classes():
    with pytest.raises(ValueError, match=r"^labels must number the classes 0, 1, ..., got 1000 for 2 graphs$"):
        num_classes_of(torch.tensor([0, 1000]))


def test_names_are_taken_where_there_is_one_for_each():
    class Named:
        feature_names = ("a", "b", "c")
        class_names = ("yes", "no")

    model = seeded_gcn(Named(), 3, 3, (4,), seed=0)
    assert (model.feature_names, model.class_names) == (("a", "b", "c"), ())
    again = seeded_gcn(Named(), 3, 3, (4,), seed=0)
    assert torch.equal(model.head.weight, again.head.weight)
    assert not torch.equal(model.head.weight, seeded_gcn([], 3, 3, (4,), seed=1).head.weight)
