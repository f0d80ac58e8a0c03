import torch

from protograph.training.stack_memory import StackMemory


def test_a_size_finds_its_room_again():
    memory = StackMemory((4, 8), 3, torch.empty(0))
    room = memory.room(10, 2)
    assert memory.room(10, 2) is room
    assert [tuple(each.whole.shape) for each in (*room.h, *room.p, *room.d)] == [
        (10, 12), (10, 24), (10, 12), (10, 12), (10, 24),
    ]  # fmt: skip
    assert (room.pooled.whole.shape, room.d_pooled.models.shape) == ((2, 24), (3, 2, 8))


def test_rooms_of_other_sizes_are_in_the_same_memory_also_after_it_grew():
    memory = StackMemory((4,), 2, torch.empty(0))
    small = memory.room(3, 1)
    large = memory.room(100, 1)
    assert memory.room(3, 1) is not small
    assert memory.room(3, 1).h[0].whole.data_ptr() == large.h[0].whole.data_ptr()


def test_models_stand_side_by_side():
    both = StackMemory((4,), 2, torch.empty(0)).room(3, 1).h[0]
    both.whole.copy_(torch.arange(24.0).view(3, 8))
    assert torch.equal(both.models[1], both.whole[:, 4:])
    assert torch.equal(both.transposed[1], both.whole[:, 4:].T)
