"""Records of what changed from one explanation to another: of a reason or prototype, of a class, of a graph."""

from dataclasses import dataclass

from protograph.explanation.fidelity import Fidelity

CAME, WENT, CHANGED, SAME = "came", "went", "changed", "same"
# In this order they are told.
STATUSES = (CAME, WENT, CHANGED, SAME)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a reason or a prototype stands in one of the two explanations.

    Attributes:
        number: Its number in its class, from 1.
        share: In which share of the graphs predicted as the class it is; ``None`` where that is not known.
        share_elsewhere: The same of the graphs predicted otherwise.
    """

    number: int
    share: float | None
    share_elsewhere: float | None


@dataclass(frozen=True, kw_only=True)
class Change:
    """What became of a reason or a prototype.

    Attributes:
        what: ``"reason"`` or ``"prototype"``.
        status: ``"came"``, ``"went"``, ``"changed"`` (its share did) or ``"same"``.
        words: What it is.
        before: Where it stood before; ``None`` where it came.
        after: Where it stands now; ``None`` where it went.
        nearest: Of a reason that came or went, the reason of the other explanation that holds in most of the same
            graphs, in words; empty where none holds in half of them.
        overlap: The share of the graphs in which one of the two holds in which both do; 0 without a nearest.
    """

    what: str
    status: str
    words: str
    before: Standing | None
    after: Standing | None
    nearest: str = ""
    overlap: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ClassDifference:
    """What changed in one class.

    Attributes:
        target: The class.
        changes: What became of each reason and each prototype.
        num_predicted: How many graphs were predicted as it before and are after; ``None`` where it was not explained.
        fidelity: How far the rule agreed with the model before and does after; ``None`` where that is not known.
    """

    target: int
    changes: tuple[Change, ...]
    num_predicted: tuple[int | None, int | None]
    fidelity: tuple[Fidelity | None, Fidelity | None]


@dataclass(frozen=True, kw_only=True)
class GraphChange:
    """A graph with another prediction, or the same one for another reason.

    Attributes:
        label: What the graph is called.
        predictions: The class that was predicted before and is after.
        reasons: The first reason of that class's rule that held before and does after, in words; empty where none does.
    """

    label: str
    predictions: tuple[int, int]
    reasons: tuple[str, str]

    @property
    def is_predicted_otherwise(self) -> bool:
        """Whether the model predicts another class."""
        return self.predictions[0] != self.predictions[1]
