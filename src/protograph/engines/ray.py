"""Work done by Ray, on this machine or on a cluster: a function is applied to items, and results come in their order.

There is no cluster code here. Ray places the tasks, moves what they need, and does again what a worker had that has
ended. What is sent is pickled here and unpickled there, with the code of the user's own modules.
"""

import importlib
import os
import pickle
import sys
import sysconfig
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import torch

from protograph._utils.words import one_line

Item = TypeVar("Item")
Result = TypeVar("Result")
T = TypeVar("T")
# How often Ray does a task again whose worker or machine has ended; then it is the task that ends them.
_RETRIES = 5
# Tasks that a processor has: the next one is there when one is done.
_AT_A_TIME = 2
# Ray would tell its makers how it is used, and say how it will treat GPUs' variables. The last one keeps a cluster that
# is started here on this machine: all of its ports are those of 127.0.0.1.
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
}
_LOOPBACK = "127.0.0.1"
# Where installed code is, which every machine of a cluster has for itself.
_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib"))
_OURS = __name__.partition(".")[0]


class RayCluster:
    """The Ray cluster that this process is in.

    Args:
        ray: The module.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def map(
        self,
        work: Callable[[T, Item], Result],
        shared: T,
        items: Iterable[Item],
        *,
        name_of: Callable[[Item], str],
        code_of: Iterable[object] = (),
        on_gpu: bool = False,
    ) -> Iterator[Result]:
        """``work(shared, item)`` of each item, in their order; items are gone through no further than workers need.

        Args:
            work: A function of a module; its code is sent along where it is the user's own.
            shared: What is sent to each worker once.
            items: What is sent to one worker each.
            name_of: What messages call an item.
            code_of: Objects whose code is sent along where it is the user's own.
            on_gpu: Whether a task needs a GPU.

        Raises:
            ValueError: If the cluster has no GPU, or no processor.
            TypeError: If ``shared`` cannot be pickled.
            OSError: If a worker ends again and again; what a worker raises is raised here.
        """
        kind = "GPU" if on_gpu else "CPU"
        count = int(self._ray.cluster_resources().get(kind, 0))
        if not count:
            way = "; pass device='cpu'" if on_gpu else ""
            raise ValueError(f"engine='ray' needs a cluster with a {'GPU' if on_gpu else 'processor'}, got none{way}")
        packed = self._ray.put(self._packed(work, shared, (work, *code_of)))
        needs = {"num_cpus": 1, "num_gpus": 1} if on_gpu else {"num_cpus": 1}
        task = self._ray.remote(_done).options(max_retries=_RETRIES, **needs)
        begun: deque[tuple[Item, Any]] = deque()
        left = iter(items)
        try:
            while True:
                for item in islice(left, _AT_A_TIME * count - len(begun)):
                    begun.append((item, task.remote(packed, item)))
                if not begun:
                    return
                item, result = begun[0]
                yield self._fetched(result, name_of(item))
                begun.popleft()
        finally:
            for _, result in begun:  # after an error, or Ctrl-C
                self._ray.cancel(result, force=True)

    def _fetched(self, result: Any, name: str) -> Any:
        needs = "every machine of the cluster needs enough memory and the same packages; or use engine='local'"
        try:
            return self._ray.get(result)
        except self._ray.exceptions.RayTaskError as error:
            error.cause.add_note(f"this happened while a Ray worker was at {name}; {needs}")
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            raise OSError(f"a Ray worker failed at {name}: {one_line(error)}; {needs}") from None

    def _packed(self, work: Callable[..., Any], shared: object, code_of: Iterable[object]) -> bytes:
        with _sent_along(self._ray.cloudpickle, code_of):
            try:
                packed: bytes = self._ray.cloudpickle.dumps((work, shared))
            except Exception as error:  # whatever pickling an object of the user's raises
                raise TypeError(
                    f"engine='ray' sends the model to other processes, for which it must be picklable: "
                    f"{one_line(error)}; leave out what cannot be (locks, open files, connections), or use "
                    f"engine='local'"
                ) from None
        return packed


def _done(packed: bytes, item: Any) -> Any:
    """What a worker does, with one thread, as it has one processor."""
    torch.set_num_threads(1)
    work, shared = pickle.loads(packed)  # noqa: S301 - made by the process that this worker belongs to
    return work(shared, item)


def opened(engine: str, address: str | None = None) -> RayCluster | None:
    """The cluster that does the work of an engine; ``None`` of ``"local"``, where this process does.

    It is the cluster that this process is in; else that at an address; else one that is started on this machine, and
    ends with this process. Workers have neither the working folder nor that of the script on their path, so that no
    file there is taken for a package; one that is started here hears this machine alone, and shows nothing in a
    browser.

    Args:
        engine: ``"local"`` or ``"ray"``.
        address: As :func:`ray.init` takes it: ``"auto"`` for the cluster of this machine, or ``host:port``.

    Raises:
        ImportError: If Ray is not installed.
        ValueError: If there is no cluster at the address, or one started here would hear other machines.

    >>> opened("local", address="auto")
    Traceback (most recent call last):
    ...
    ValueError: address needs engine='ray', as it is that of a Ray cluster, got 'auto' with engine='local'
    """
    if engine not in ("local", "ray"):
        raise ValueError(f"engine must be 'local' or 'ray', got {engine!r}")
    if engine == "local" and address is not None:
        raise ValueError(
            f"address needs engine='ray', as it is that of a Ray cluster, got {address!r} with engine='local'"
        )
    if engine == "local":
        return None
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise ImportError("engine='ray' needs Ray, which is not installed; pip install protograph[ray]") from None
    if not ray.is_initialized():
        _start(ray, address or os.environ.get("RAY_ADDRESS"))
    return RayCluster(ray)


def _start(ray: Any, address: str | None) -> None:
    """Join the cluster at an address, or start one that hears this machine alone."""
    own = {"address": "local", "_node_ip_address": _LOOPBACK, "include_dashboard": False}
    options = {"address": address} if address else own
    try:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory(prefix="protograph-") as empty:
            warnings.simplefilter("ignore")  # Ray's own, of changes to come
            Path(empty, "empty").touch()
            ray.init(**options, runtime_env={"working_dir": empty}, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, AssertionError) as error:
        raise ValueError(
            f"address must be that of a running Ray cluster, got {address!r}: {str(error).splitlines()[0]}; start one "
            f"with 'ray start --head', or leave address out"
        ) from None
    if not address and ray.util.get_node_ip_address() != _LOOPBACK:  # Ray was imported before, with other settings
        ray.shutdown()
        raise ValueError(
            "engine='ray' starts a cluster that hears this machine alone, for which Ray must not be imported before; "
            "start one with 'ray start --head', and pass address='auto'"
        )


@contextmanager
def _sent_along(cloudpickle: Any, objects: Iterable[object]) -> Iterator[None]:
    """A context in which the code of objects is pickled with them, where it is in a file of the user's own."""
    kinds = [one if hasattr(one, "__qualname__") else type(one) for one in objects]
    names = dict.fromkeys(kind.__module__ for kind in kinds)
    modules = [module for name in names if (module := sys.modules.get(name)) is not None and _is_own(module)]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _is_own(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    # What is defined in the script itself goes along in any case.
    if file is None or module.__name__ == "__main__" or module.__name__.partition(".")[0] == _OURS:
        return False
    return not any(Path(file).resolve().is_relative_to(folder) for folder in _INSTALLED)
