"""What runs in a worker of Ray: things that were put into the object store are fetched once, errors become words."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

T = TypeVar("T")
# Things that a process keeps as it has unpacked them; models and fitted explainers are few.
_MOST_KEPT = 4
_kept: dict[bytes, Any] = {}


@dataclass(frozen=True)
class Put(Generic[T]):
    """Something in Ray's object store.

    Attributes:
        reference: Where.
        is_kept: Whether a process keeps it as it has unpacked it; what is only numbers is read in place.
    """

    reference: Any
    is_kept: bool

    def get(self) -> T:
        """The thing itself."""
        key = self.reference.binary()
        if key not in _kept:
            import ray

            value: T = ray.get(self.reference)
            if not self.is_kept:
                return value
            _kept[key] = value
            if len(_kept) > _MOST_KEPT:
                del _kept[next(iter(_kept))]
        kept: T = _kept[key]
        return kept


@dataclass(frozen=True)
class Finished:
    """What work has come to."""

    result: Any


@dataclass(frozen=True)
class Unfinished:
    """What work has failed with, in a line."""

    reason: str


Outcome: TypeAlias = Finished | Unfinished


def outcome_of(work: Callable[[Any], Any], item: Any) -> Outcome:
    """What work makes of an item in this process, which belongs to Ray: with one thread, as it has one processor."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)
    try:
        return Finished(work(item))
    except Exception as error:  # whatever a model or a file may raise; it is raised anew where the user is
        return Unfinished(in_a_line(error))


def in_a_line(error: Exception) -> str:
    """What an error says; Ray's say it last, below where they come from."""
    lines = str(error).strip().splitlines() or [""]
    return lines[-1] if type(error).__module__.startswith("ray.") else f"{type(error).__name__}: {lines[0]}"
