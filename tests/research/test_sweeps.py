from dataclasses import replace

import pytest
import torch

from protograph import datasets
from protograph.metrics.robustness import corrupted
from protograph.training import train
from research.paper.settings import Settings
from research.paper.sweeps import SweptModel, swept_models, train_swept

QUICK = Settings(is_quick=True)


def test_a_sweep_of_widths_is_every_combination():
    models = swept_models("ba-house", "widths", (32, 32), Settings())
    widths = (4, 8, 16, 32, 64)
    assert models == [SweptModel((a, b)) for a in widths for b in widths]


def test_a_sweep_of_wrong_labels_is_every_level_with_the_papers_widths():
    models = swept_models("benzene", "wrong labels", (32, 32, 32), Settings())
    assert models == [SweptModel((32, 32, 32), percent) for percent in range(0, 51, 5)]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"kind must be 'widths' or 'wrong labels', got 'depths'$"):
        swept_models("ba-house", "depths", (32,), Settings())


def test_every_model_is_the_one_that_is_trained_by_itself():
    data = datasets.load("ba-house", num_graphs=60)
    indices = train(data, hidden=(4,), random_state=1, max_epochs=1).split.train.tolist()
    kept = {}
    train_swept(data, [SweptModel((4,)), SweptModel((4,), 50)], 1, QUICK, kept.__setitem__)
    alone = replace(data, graphs=corrupted(data, 0.5, 1, among=indices))
    for number, graphs in enumerate((data, alone)):
        wanted = train(graphs, hidden=(4,), random_state=1, max_epochs=QUICK.max_epochs)
        assert kept[number].test_accuracy == wanted.test_accuracy
        for name, weight in wanted.model.state_dict().items():
            torch.testing.assert_close(kept[number].model.state_dict()[name], weight, rtol=1e-3, atol=1e-4)
