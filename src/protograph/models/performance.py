"""How a model's predictions agree with labels, and whether there is reason to doubt that it has learned anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from protograph._utils.arrays import Floats, Ints
from protograph._utils.words import class_label, count_of, one_line

# One-sided 95% of the normal distribution: how many standard deviations above chance are no accident.
CRITICAL = 1.6449
# On fewer graphs even a good model cannot be told from one that guesses, and nothing is said.
LEAST_JUDGED = 20
# A model that predicts this share of the graphs as one class says next to nothing of the others.
NEARLY_ALL = 0.99
# What fewer graphs have in common may well be an accident.
FEW = 5


@dataclass(frozen=True)
class Performance:
    """How predictions agree with labels.

    Attributes:
        confusion: ``confusion[i][j]`` graphs of class i are predicted as class j.

    >>> performance = Performance(((90, 0), (10, 0)))
    >>> performance.accuracy, performance.balanced_accuracy, performance.majority_share
    (0.9, 0.5, 0.9)
    """

    confusion: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, labels: Ints, predictions: Ints, num_classes: int) -> "Performance":
        """The performance of predictions for labels in [0, num_classes).

        >>> Performance.of(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).confusion
        ((1, 1), (0, 1))
        """
        flat = np.bincount(labels * num_classes + predictions, minlength=num_classes**2)
        return cls(tuple(map(tuple, flat.reshape(num_classes, -1).tolist())))

    @property
    def num_graphs(self) -> int:
        """How many graphs there are."""
        return sum(self.labelled)

    @property
    def labelled(self) -> tuple[int, ...]:
        """How many graphs have each label."""
        return tuple(map(sum, self.confusion))

    @property
    def predicted(self) -> tuple[int, ...]:
        """How many graphs are predicted as each class."""
        return tuple(map(sum, zip(*self.confusion, strict=True)))

    @property
    def recalls(self) -> tuple[float | None, ...]:
        """Of each class the share of its graphs that is predicted as it; ``None`` for a class without graphs."""
        return tuple(row[i] / sum(row) if sum(row) else None for i, row in enumerate(self.confusion))

    @property
    def accuracy(self) -> float:
        """Share of the graphs that are predicted as they are labelled."""
        return sum(row[i] for i, row in enumerate(self.confusion)) / self.num_graphs

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the recalls of the classes that have graphs, as scikit-learn's ``balanced_accuracy_score`` is."""
        recalls = [recall for recall in self.recalls if recall is not None]
        return sum(recalls) / len(recalls)

    @property
    def majority_share(self) -> float:
        """Share of the largest class: the accuracy of always guessing it."""
        return max(self.labelled) / self.num_graphs

    @property
    def needed(self) -> float:
        r"""Balanced accuracy that predictions which have nothing to do with the labels exceed in 5 of 100 cases.

        .. math:: \max(1 / C, \mu + 1.645 \sigma)

        with C classes that have graphs, and the mean and the exact standard deviation over all orders of the labels,
        the predictions staying as they are (Hoeffding 1951, for sums of :math:`a(y_i, \hat y_i)`); the distribution is
        taken as normal. The mean is below 1 / C only where graphs are predicted as a class that none has.

        >>> round(Performance(((50, 50), (50, 50))).needed, 4)
        0.5583
        """
        rows, columns = np.array(self.labelled, float), np.array(self.predicted, float)
        has_graphs = rows > 0
        scores: Floats = np.diag(has_graphs / np.maximum(rows, 1) / has_graphs.sum())
        total = rows.sum()
        of_row, of_column = scores @ columns / total, rows @ scores / total
        mean = rows @ of_row / total
        apart = scores - of_row[:, None] - of_column[None, :] + mean
        variance = float(rows @ apart**2 @ columns) / max(total - 1, 1)
        return max(1 / float(has_graphs.sum()), float(total * mean) + CRITICAL * sqrt(variance))

    @property
    def is_guessing(self) -> bool:
        """Whether the balanced accuracy is not above what predictions by chance may have; see :attr:`needed`."""
        # Equal where all graphs are predicted as one class, up to rounding.
        return self.balanced_accuracy <= self.needed + 1e-9


def doubts_of(performance: Performance, graphs: str = "graphs", class_names: Sequence[str] = ()) -> tuple[str, ...]:
    """Reasons to doubt that a model has learned to tell the classes apart, a sentence each; none where it has.

    It is doubted where the balanced accuracy is not above what chance gives in 95 of 100 cases
    (:attr:`Performance.needed`), and where 99% of the graphs or more are predicted as one class while the balanced
    accuracy is nearer to chance than to 1. Nothing is said of fewer than 20 graphs. The accuracy tells nothing: a model
    that finds a rare class may be right less often than one that never does.

    Args:
        performance: How its predictions agree with labels.
        graphs: What the graphs are called.
        class_names: Names of the classes.

    >>> print(doubts_of(Performance(((53, 47), (47, 53))))[0])
    on 200 graphs its balanced accuracy is 0.530, no more than guessing may give (0.500, and up to 0.558 by chance)
    >>> doubts_of(Performance(((8000, 1900), (20, 80))))
    ()
    """
    if performance.num_graphs < LEAST_JUDGED:
        return ()
    where = f"on {count_of(performance.num_graphs, 'graph').replace('graphs', graphs)}"
    num_present = sum(count > 0 for count in performance.labelled)
    sentences = []
    if num_present > 1 and performance.is_guessing:
        chance, needed = f"{1 / num_present:.3f}", f"{performance.needed:.3f}"
        sentences.append(
            f"{where} its balanced accuracy is {performance.balanced_accuracy:.3f}, no more than guessing may "
            f"give ({chance}{'' if needed == chance else f', and up to {needed} by chance'})"
        )
    # One class may be nearly all there is: who finds the few others too has learned something.
    if performance.balanced_accuracy >= (1 + 1 / num_present) / 2:
        return tuple(sentences)
    return (*sentences, *one_sided(performance.predicted, graphs, class_names))


def one_sided(predicted: Sequence[int], graphs: str = "graphs", class_names: Sequence[str] = ()) -> tuple[str, ...]:
    """The doubt that can be had without labels: nearly all graphs are predicted as one class.

    >>> one_sided([6090, 1])
    ('6,090 of 6,091 graphs are predicted as class 0',)
    >>> one_sided([98, 2])
    ()
    """
    total, most = sum(predicted), max(predicted)
    if total < LEAST_JUDGED or most < NEARLY_ALL * total:
        return ()
    name = class_label(list(predicted).index(most), class_names)
    share = f"all {total:,}" if most == total else f"{most:,} of {total:,}"
    return (f"{share} {graphs} are predicted as {name}",)


def figures_line(performance: Performance) -> str:
    """Accuracy, balanced accuracy and what the largest class would give, in one line.

    >>> print(figures_line(Performance(((90, 0), (10, 0)))))
    Accuracy 0.900, balanced accuracy 0.500; always guessing the largest class would be right for 90.0% of 100 graphs.
    """
    return (
        f"Accuracy {performance.accuracy:.3f}, balanced accuracy {performance.balanced_accuracy:.3f}; always guessing "
        f"the largest class would be right for {performance.majority_share:.1%} of "
        f"{count_of(performance.num_graphs, 'graph')}."
    )


def doubts_box(doubts: Sequence[str]) -> str:
    """Doubts as a box of text that is not overlooked.

    >>> print(doubts_box(["all 30 graphs are predicted as class 1"]))
    !! The model may have learned nothing:
    !!   all 30 graphs are predicted as class 1.
    """
    return "\n".join(["!! The model may have learned nothing:", *(f"!!   {one_line(doubt)}." for doubt in doubts)])


def hard_to_explain(target: int, predicted: Sequence[int]) -> str:
    """Why a class cannot be explained, or only poorly; nothing where it can.

    Args:
        target: The class.
        predicted: How many graphs are predicted as each class.

    >>> hard_to_explain(1, [40, 0]), hard_to_explain(1, [40, 40])
    ('no graph is predicted as it', '')
    >>> print(hard_to_explain(1, [6090, 1]))
    only 1 graph is predicted as it, fewer than 5: what is said of it may be an accident
    >>> print(hard_to_explain(0, [6090, 1]))
    all graphs but 1 are predicted as it: there are too few others to tell it from
    """
    own, others = predicted[target], sum(predicted) - predicted[target]
    if own == 0:
        return "no graph is predicted as it"
    if own < FEW:
        verb = "is" if own == 1 else "are"
        return (
            f"only {count_of(own, 'graph')} {verb} predicted as it, fewer than {FEW}: "
            f"what is said of it may be an accident"
        )
    if others < FEW:
        but = f"all graphs but {others}" if others else "all graphs"
        few = "too few others" if others else "no others"
        return f"{but} are predicted as it: there are {few} to tell it from"
    return ""
