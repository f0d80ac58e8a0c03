"""Ray without processes: what a call would give is worked out when somebody waits for it, and actors end as told."""

from collections import deque
from types import SimpleNamespace


class RayError(Exception):
    pass


class RayActorError(RayError):
    pass


class ActorUnavailableError(RayActorError):
    pass


class RayTaskError(RayError):
    pass


RayTaskError.__module__ = "ray.exceptions"


class FakeRay:
    """Takes note of actors and tasks.

    Args:
        ends: For each actor, by its number, the calls of ``run`` at which it ends, counted from 0; ``...`` for all.
        gone: Numbers of actors that Ray cannot start again.
        cpus: Processors of the cluster.
    """

    exceptions = SimpleNamespace(
        RayError=RayError,
        RayActorError=RayActorError,
        ActorUnavailableError=ActorUnavailableError,
        RayTaskError=RayTaskError,
    )

    def __init__(self, ends=None, gone=(), cpus=2):
        self.ends, self.gone, self.cpus = ends or {}, gone, cpus
        self.actors, self.killed, self.cancelled, self.options, self.calls = [], [], [], [], deque()
        self.cloudpickle = SimpleNamespace(register_pickle_by_value=print, unregister_pickle_by_value=print)

    def cluster_resources(self):
        return {"CPU": float(self.cpus)}

    def put(self, value):
        return Reference(lambda: value)

    def remote(self, made):
        return Remote(self, made)

    def wait(self, references, num_returns):
        ready = [one for one in references if not one.never]
        assert ready, "would wait for ever"
        return ready[:num_returns], []

    def get(self, reference):
        return reference.value()

    def kill(self, actor):
        self.killed.append(actor.number)

    def cancel(self, task, force):
        self.cancelled.append(task)


class Reference:
    def __init__(self, value, never=False):
        self.value, self.never = value, never


class Remote:
    def __init__(self, ray, made):
        self._ray, self._made = ray, made

    def options(self, **options):
        self._ray.options.append(options)
        return self

    def remote(self, *arguments):
        if isinstance(self._made, type):
            actor = Actor(self._ray, self._made())
            self._ray.actors.append(actor)
            return actor
        return Reference(lambda: self._made(*arguments))


class Actor:
    def __init__(self, ray, held):
        self.number, self._ray, self._held, self._num_runs = len(ray.actors), ray, held, 0
        self.has_ended = False
        self.run, self.ready = Method(self._run), Method(self._ready)

    def _run(self, work, shard):
        place, self._num_runs = self._num_runs, self._num_runs + 1
        ends = self._ray.ends.get(self.number, ())

        def value():
            if ends is ... or place in ends:
                self.has_ended = True
                raise ActorUnavailableError("The actor is unavailable.\nMore.")
            return self._held.run(work, shard)

        return Reference(value)

    def _ready(self):
        return Reference(self._held.ready, never=self.has_ended and self.number in self._ray.gone)


class Method:
    def __init__(self, call):
        self.remote = call

    def options(self, **options):
        return self
