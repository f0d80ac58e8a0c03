import math

from protograph.training.early_stopping import EarlyStopping


def run(losses, patience):
    """How many of the losses are taken before it is over."""
    stopping = EarlyStopping(patience)
    for loss in losses:
        stopping.update(loss)
        if stopping.is_over:
            break
    return stopping


def test_it_is_over_after_as_many_epochs_without_a_lower_loss():
    stopping = run([0.9, 0.5, 0.6, 0.4, 0.5, 0.5, 0.45, 0.1], patience=3)
    assert (stopping.num_epochs, stopping.best_epoch, stopping.best_loss) == (7, 4, 0.4)


def test_an_equal_loss_is_not_lower():
    assert run([0.5] * 10, patience=2).num_epochs == 3


def test_a_falling_loss_goes_on():
    assert not run([1 / n for n in range(1, 50)], patience=1).is_over


def test_nan_is_never_best():
    stopping = run([math.nan, 0.5, math.nan, math.inf], patience=2)
    assert (stopping.is_over, stopping.best_epoch) == (True, 2)
    assert run([math.nan] * 9, patience=2).best_epoch == 0
