"""Code that goes along with what is sent: a model's classes are often in a file beside the user's own script."""

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

# Where installed code is, which every machine of a cluster has for itself.
_INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib"))
_OURS = __name__.partition(".")[0]


def own_modules(objects: Iterable[object]) -> list[ModuleType]:
    """Modules of the user's own, in which the classes or functions of objects are defined, each once.

    >>> own_modules([3, sysconfig.get_path])
    []
    """
    kinds = [one if hasattr(one, "__qualname__") else type(one) for one in objects]
    names = dict.fromkeys(kind.__module__ for kind in kinds)
    modules = [module for name in names if (module := sys.modules.get(name)) is not None]
    return [module for module in modules if _is_own(module)]


def _is_own(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    # What is defined in the script itself goes along in any case.
    if file is None or module.__name__ == "__main__" or module.__name__.partition(".")[0] == _OURS:
        return False
    return not any(Path(file).resolve().is_relative_to(folder) for folder in _INSTALLED)


@contextmanager
def sent_along(cloudpickle: Any, objects: Iterable[object]) -> Iterator[None]:
    """A context in which the user's own code of objects is pickled with them.

    Args:
        cloudpickle: Ray's module for pickling.
        objects: What is to be pickled.
    """
    modules = own_modules(objects)
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
