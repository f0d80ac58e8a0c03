import torch

from research.paper.settings import Settings
from research.paper.worlds import keeping
from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.keeping import QUICK_WORLD, world_model
from research.paper.worlds.nets import predicted

QUICK = Settings(is_quick=True)


def test_a_kept_model_is_the_one_that_was_trained(tmp_path, monkeypatch):
    world, path = WORLDS[QUICK_WORLD], tmp_path / "model.pt"
    first = world_model(path, world, 0, QUICK)
    other = world_model(tmp_path / "other.pt", world, 1, QUICK)
    monkeypatch.setattr(keeping, "trained", None)  # from here on nothing may be trained
    again = world_model(path, world, 0, QUICK)
    assert len(again.graphs) == len(first.graphs) == 160
    assert (predicted(first.model, first.graphs) == predicted(again.model, again.graphs)).all()
    for name, weights in first.model.state_dict().items():
        assert torch.equal(weights, again.model.state_dict()[name])
    assert (again.accuracy, again.recalls, again.num_dropped) == (first.accuracy, first.recalls, first.num_dropped)
    assert (again.train == first.train).all()
    assert (other.train != first.train).any()


def test_that_no_model_has_learned_a_world_is_kept_too(tmp_path, monkeypatch):
    asked = []

    def none(world, seed, number, device):
        asked.append((world.name, seed, number, device))
        return iter(())

    monkeypatch.setattr(keeping, "models_of", none)
    path = tmp_path / "model.pt"
    assert [world_model(path, WORLDS[QUICK_WORLD], 3, Settings()) for _ in range(2)] == [None, None]
    assert asked == [(QUICK_WORLD, 3, 1, "cpu")]


def test_a_file_that_is_damaged_or_of_another_seed_does_not_count(tmp_path):
    world, path = WORLDS[QUICK_WORLD], tmp_path / "model.pt"
    path.write_bytes(b"no model")
    first = world_model(path, world, 0, QUICK)
    other = world_model(path, world, 1, QUICK)
    assert (first.train != other.train).any()
