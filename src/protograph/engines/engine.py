"""What an engine owes: to hand shards of work out and to give what became of them, in their order."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Shared(Protocol[T_co]):
    """Something that was handed to the workers of an engine once, and that they get wherever they are."""

    def get(self) -> T_co:
        """The thing itself."""


class Engine(ABC):
    """Runs work on shards.

    Attributes:
        is_local: Whether all of it is done in this process.
    """

    is_local: bool

    @property
    @abstractmethod
    def num_workers(self) -> int:
        """How many shards are worked on side by side."""

    @abstractmethod
    def share(self, value: T, what: str, *, is_kept: bool = False, code_of: Iterable[object] = ()) -> Shared[T]:
        """Hand something to all workers.

        Args:
            value: The thing.
            what: Its name in messages.
            is_kept: Whether workers keep it as they have unpacked it, as a model; numbers are read in place.
            code_of: Objects in it whose code is sent along where it is the user's own.
        """

    @abstractmethod
    def over_shards(
        self,
        work: Shared[Callable[[Item], Result]],
        shards: Iterable[Item],
        *,
        name_of: Callable[[Item], str],
        here: Callable[[Item], object],
        num_shards: int | None = None,
        on_gpu: bool = False,
    ) -> Generator[Result]:
        """What ``work`` makes of each shard, in their order, by workers that hold it as long as this goes on.

        Args:
            work: What is done, which may hold a model.
            shards: Gone through no further than workers need.
            name_of: What messages call a shard.
            here: Does the same in this process: what a worker could not do is tried here, so that what is raised is
                what would have been raised without workers.
            num_shards: How many there are, where that is known: no more workers are needed.
            on_gpu: Whether a worker needs a GPU.
        """

    @abstractmethod
    def begin(
        self, work: Callable[[Item], Result], items: Iterable[Item], *, name_of: Callable[[Item], str]
    ) -> Iterator[Result]:
        """What ``work`` makes of each item, in their order; where there are workers, they begin at once with all."""


@dataclass(frozen=True)
class Here(Generic[T]):
    """What is shared within one process."""

    value: T

    def get(self) -> T:
        """The thing itself."""
        return self.value


class LocalEngine(Engine):
    """Everything in this process, one shard after the other.

    >>> list(LocalEngine().begin(abs, [-1, 2], name_of=str))
    [1, 2]
    """

    is_local = True

    @property
    def num_workers(self) -> int:
        """One, this process."""
        return 1

    def share(self, value: T, what: str, *, is_kept: bool = False, code_of: Iterable[object] = ()) -> Here[T]:
        """The thing itself: there is nobody else to hand it to."""
        return Here(value)

    def over_shards(
        self, work: Shared[Callable[[Item], Result]], shards: Iterable[Item], **others: Any
    ) -> Generator[Result]:
        """Each shard when it is asked for."""
        yield from map(work.get(), shards)

    def begin(
        self, work: Callable[[Item], Result], items: Iterable[Item], *, name_of: Callable[[Item], str]
    ) -> Iterator[Result]:
        """Each item when it is asked for."""
        return map(work, items)


def opened(name: str, address: str | None = None) -> Engine:
    """The engine of a name.

    Args:
        name: ``"local"`` or ``"ray"``.
        address: The Ray cluster to join; without, one is started on this machine unless this process is in one.

    >>> opened("local", address="auto")
    Traceback (most recent call last):
    ...
    ValueError: address needs engine='ray', as it is that of a Ray cluster, got 'auto' with engine='local'
    """
    if name == "local":
        if address is not None:
            raise ValueError(
                f"address needs engine='ray', as it is that of a Ray cluster, got {address!r} with engine='local'"
            )
        return LocalEngine()
    if name != "ray":
        raise ValueError(f"engine must be 'local' or 'ray', got {name!r}")
    # Imported here: Ray is an extra.
    from protograph.engines.ray_engine import RayEngine
    from protograph.engines.ray_session import joined

    return RayEngine(joined(address))
