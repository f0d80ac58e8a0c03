"""Actors of Ray that hold a piece of work, and shards that are handed out to whichever of them is free.

Ray notices that an actor has ended and starts it again, wherever there is room. The shard that it had goes to another
one meanwhile: on a cluster that has become smaller there may be no room for all of them again.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from protograph.engines.ray_work import Outcome, Unfinished, in_a_line, outcome_of

# Shards that an actor has at a time: the next one is there when one is done.
_AT_A_TIME = 2
# A shard at which so many actors have ended is given up: it is what ends them.
MOST_ENDED = 5


class Holder:
    """An actor: it holds the work that it has been given, and does it."""

    def ready(self) -> bool:
        """Whether it has been started."""
        return True

    def run(self, work: Any, shard: Any) -> Outcome:
        """What the work makes of a shard."""
        try:
            held = work.get()
        except Exception as error:  # its code is not on this machine, say
            return Unfinished(in_a_line(error))
        return outcome_of(held, shard)


@dataclass(eq=False)
class _Asked:
    """A shard, its number, and how many actors have ended at it."""

    number: int
    shard: Any
    num_ended: int = 0


@dataclass(eq=False)
class HolderPool:
    """Shards on their way through actors.

    Attributes:
        ray: The module.
        work: What actors hold.
        shards: Gone through no further than actors need.
        name_of: What messages call a shard.
        count: How many actors.
        resources: What Ray is to give each.
    """

    ray: Any
    work: Any
    shards: Iterable[Any]
    name_of: Callable[[Any], str]
    count: int
    resources: dict[str, Any]
    _again: deque[_Asked] = field(default_factory=deque)
    _done: dict[int, Outcome] = field(default_factory=dict)
    _working: dict[Any, tuple[_Asked, Any]] = field(default_factory=dict)
    _starting: dict[Any, Any] = field(default_factory=dict)
    _free: list[Any] = field(default_factory=list)

    def outcomes(self) -> Generator[tuple[Any, Outcome]]:
        """Each shard and what became of it, in their order."""
        start = self.ray.remote(Holder).options(max_restarts=-1, **self.resources).remote
        actors = [start() for _ in range(self.count)]
        self._starting = {actor.ready.remote(): actor for actor in actors * _AT_A_TIME}
        try:
            yield from self._in_order()
        finally:
            for actor in actors:
                self.ray.kill(actor)

    def _in_order(self) -> Iterator[tuple[Any, Outcome]]:
        shards, number, is_more = enumerate(self.shards), 0, True
        out: dict[int, Any] = {}  # what has been handed out, or is to be done again, and has not been told of yet
        while out or is_more:
            self._hand_out()
            if is_more and self._free and len(out) < 2 * _AT_A_TIME * self.count:
                at, shard = next(shards, (-1, None))
                is_more = at >= 0
                if is_more:
                    out[at] = shard
                    self._again.append(_Asked(at, shard))
            elif number in self._done:
                yield out.pop(number), self._done.pop(number)
                number += 1
            else:
                self._wait()

    def _hand_out(self) -> None:
        while self._again and self._free:
            asked, actor = self._again.popleft(), self._free.pop(0)
            self._working[actor.run.remote(self.work, asked.shard)] = asked, actor

    def _await(self, actor: Any) -> None:
        """Take an actor up again when Ray has started it anew."""
        self._starting[actor.ready.options(max_task_retries=-1).remote()] = actor

    def _wait(self) -> None:
        """Take note of what is done, or of who has been started or has ended."""
        errors = self.ray.exceptions
        done, _ = self.ray.wait([*self._working, *self._starting], num_returns=1)
        for reference in done:
            if reference in self._starting:
                actor = self._starting.pop(reference)
                try:
                    self.ray.get(reference)
                    self._free.append(actor)
                except errors.ActorUnavailableError:
                    self._await(actor)
                except errors.RayActorError as error:
                    if not self._starting and not self._working and not self._free:
                        raise OSError(f"no Ray worker could be started: {str(error).splitlines()[0]}") from None
                continue
            asked, actor = self._working.pop(reference)
            try:
                self._done[asked.number] = self.ray.get(reference)
                self._free.append(actor)
            except errors.RayTaskError as error:  # what it was given could not be read there
                self._done[asked.number] = Unfinished(in_a_line(error))
                self._free.append(actor)
            except errors.RayError as error:
                self._ended(asked, error)
                self._await(actor)

    def _ended(self, asked: _Asked, error: Exception) -> None:
        asked.num_ended += 1
        if asked.num_ended == MOST_ENDED:
            raise OSError(
                f"{self.name_of(asked.shard)} was given up: {MOST_ENDED} Ray workers ended while they had it, as "
                f"where memory is not enough ({str(error).splitlines()[0]})"
            ) from None
        self._again.append(asked)
