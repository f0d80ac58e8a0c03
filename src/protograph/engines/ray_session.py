"""The Ray cluster that this process is in: joined or started where it is in none, and left as it was found."""

import importlib
import os
import warnings
import weakref
from typing import Any

# Ray would tell its makers how it is used; and what it does to GPUs' variables it announces as a change to come.
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
# One for as long as somebody works with it.
_current: "weakref.ref[RaySession] | None" = None


class RaySession:
    """Ray, in a cluster. One that was started or joined here is left when nobody has this object any more.

    Args:
        ray: The module.
        is_ours: Whether it was started or joined here.

    Attributes:
        ray: The module.
    """

    def __init__(self, ray: Any, *, is_ours: bool) -> None:
        self.ray = ray
        self._leave = weakref.finalize(self, ray.shutdown) if is_ours else None

    def close(self) -> None:
        """Leave what was started or joined here."""
        if self._leave is not None:
            self._leave()


def joined(address: str | None = None) -> RaySession:
    """The cluster that this process is in; else that at an address; else one that is started on this machine.

    Args:
        address: As :func:`ray.init` takes it: ``"auto"`` for the cluster of this machine, or ``host:port``.

    Raises:
        ImportError: If Ray is not installed.
        ValueError: If there is no cluster at the address.
    """
    global _current
    ray = _imported()
    current = None if _current is None else _current()
    if ray.is_initialized():
        return current or RaySession(ray, is_ours=False)
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    asked = address or os.environ.get("RAY_ADDRESS")
    # One of its own: it joins none that happens to be there, hears no other machine, and shows nothing in a browser.
    own = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False}
    options = {"address": asked} if asked else own
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Ray's own, of changes to come
            ray.init(**options, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, AssertionError) as error:
        raise ValueError(
            f"address must be that of a running Ray cluster, got {asked!r}: {str(error).splitlines()[0]}; start one "
            f"with 'ray start --head', or leave address out"
        ) from None
    session = RaySession(ray, is_ours=True)
    _current = weakref.ref(session)
    return session


def _imported() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ImportError("engine='ray' needs Ray, which is not installed; pip install protograph[ray]") from None
