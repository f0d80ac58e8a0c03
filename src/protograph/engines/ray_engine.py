"""Shards by Ray: actors that hold a model go over graphs, tasks search and count.

There is no cluster code here: Ray places the work, moves what it needs, and starts again what has ended.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from typing import Any, TypeVar

from protograph._base.words import one_line
from protograph.engines.engine import Engine, Shared
from protograph.engines.ray_code import sent_along
from protograph.engines.ray_pool import HolderPool
from protograph.engines.ray_session import RaySession
from protograph.engines.ray_work import Finished, Outcome, Put, Unfinished, in_a_line, outcome_of

Item = TypeVar("Item")
Result = TypeVar("Result")
T = TypeVar("T")
# How often Ray begins a task again whose worker or machine has ended.
_RETRIES = 5


class RayEngine(Engine):
    """Work done by the workers of a Ray cluster.

    Args:
        session: The cluster.
    """

    is_local = False

    def __init__(self, session: RaySession) -> None:
        self._session, self._ray = session, session.ray

    def __deepcopy__(self, memo: dict[int, Any]) -> "RayEngine":
        return self  # the cluster is one

    @property
    def num_workers(self) -> int:
        """Processors of the cluster: each is a worker."""
        return self._num("CPU")

    def _num(self, resource: str) -> int:
        return int(self._ray.cluster_resources().get(resource, 0))

    def share(self, value: T, what: str, *, is_kept: bool = False, code_of: Iterable[object] = ()) -> Put[T]:
        """Put something into the object store, once.

        Raises:
            TypeError: If it cannot be pickled.
            OSError: If there is no room for it.
        """
        with suppress(Exception), sent_along(self._ray.cloudpickle, code_of):
            return Put(self._ray.put(value), is_kept)
        # A module may have what cannot be pickled beside the class in question: then all machines must have it.
        try:
            return Put(self._ray.put(value), is_kept)
        except self._ray.exceptions.RayError as error:
            raise OSError(f"Ray's object store cannot take {what}: {in_a_line(error)}") from None
        except Exception as error:  # whatever pickling an object of the user's raises
            reason = one_line(str(error.__cause__ or error.__context__ or error))
            raise TypeError(
                f"engine='ray' sends {what} to other processes, for which it must be picklable: {reason}; leave out "
                f"what cannot be (locks, open files, connections), or use engine='local'"
            ) from None

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
        """What ``work`` makes of each shard, by as many actors as there are processors, or GPUs."""
        count = self._num("GPU" if on_gpu else "CPU")
        if not count:
            way = "; pass device='cpu'" if on_gpu else ""
            raise ValueError(
                f"engine='ray' needs a cluster with a {'GPU' if on_gpu else 'processor'}, this one has none{way}"
            )
        count = count if num_shards is None else max(1, min(count, num_shards))
        pool = HolderPool(self._ray, work, shards, name_of, count, resources_of(on_gpu=on_gpu))
        with closing(pool.outcomes()) as outcomes:
            for shard, outcome in outcomes:
                if isinstance(outcome, Unfinished):
                    here(shard)
                yield _result(outcome, name_of(shard))

    def begin(
        self, work: Callable[[Item], Result], items: Iterable[Item], *, name_of: Callable[[Item], str]
    ) -> Iterator[Result]:
        """What ``work`` makes of each item, by tasks that are all handed to Ray now."""
        task = self._ray.remote(outcome_of).options(num_cpus=1, max_retries=_RETRIES)
        listed = list(items)
        return self._collected(work, listed, [task.remote(work, item) for item in listed], name_of)

    def _collected(
        self, work: Callable[[Item], Result], items: list[Item], tasks: list[Any], name_of: Callable[[Item], str]
    ) -> Iterator[Result]:
        left = deque(tasks)
        try:
            for item in items:
                outcome = self._outcome(left[0])
                left.popleft()
                if isinstance(outcome, Unfinished):
                    work(item)  # raises what would be raised without workers
                yield _result(outcome, name_of(item))
        finally:
            for task in left:  # after an error, or Ctrl-C
                self._ray.cancel(task, force=True)

    def _outcome(self, task: Any) -> Outcome:
        try:
            outcome: Outcome = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            return Unfinished(in_a_line(error))
        return outcome


def resources_of(*, on_gpu: bool) -> dict[str, float]:
    """What Ray is to give an actor that holds a model."""
    return {"num_cpus": 1, "num_gpus": 1} if on_gpu else {"num_cpus": 1}


def _result(outcome: Outcome, name: str) -> Any:
    if isinstance(outcome, Finished):
        return outcome.result
    raise OSError(
        f"a Ray worker failed at {name}, which went well in this process: {outcome.reason}; every machine of the "
        f"cluster needs the same packages, the model's code, and the folder of graphs at the same path"
    )
