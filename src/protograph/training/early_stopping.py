"""Stop when the validation loss no longer falls."""

import math
from dataclasses import dataclass


@dataclass
class EarlyStopping:
    """The best loss so far, and whether ``patience`` epochs have passed without a lower one.

    >>> stopping = EarlyStopping(patience=2)
    >>> [stopping.update(loss) for loss in (0.5, 0.7, 0.6)]
    [True, False, False]
    >>> stopping.is_over, stopping.best_epoch
    (True, 1)
    """

    patience: int
    num_epochs: int = 0
    best_epoch: int = 0
    best_loss: float = math.inf

    def update(self, loss: float) -> bool:
        """Take the loss of one more epoch; true if it is the lowest so far (``nan`` never is)."""
        self.num_epochs += 1
        is_best = loss < self.best_loss
        if is_best:
            self.best_loss, self.best_epoch = loss, self.num_epochs
        return is_best

    @property
    def is_over(self) -> bool:
        """Whether patience has run out."""
        return self.num_epochs - self.best_epoch >= self.patience
