"""(j) Seconds that ``make demo`` spends on compiling where nothing is compiled yet, as Numba's own events tell them."""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from numba.core import event

from research import certificate
from research.speed.timing import Part, calibration, row

MOST_SECONDS = 5.0
# What the target `demo` of the Makefile runs, with a watch on Numba. The import of the command comes before it.
CODE = """
import sys
from research.speed.compiling import Watch
watch = Watch()
sys.argv = ["protograph", "explain", "ba-house", "--out", sys.argv[1]]
from protograph.cli import main
try:
    with watch.watching():
        main()
except SystemExit as leaving:
    assert not leaving.code, leaving.code
print(watch.as_json())
"""


class Watch(event.Listener):
    """Adds up the seconds of all that is compiled; what is compiled inside of it counts once."""

    def __init__(self) -> None:
        self._open: list[float] = []
        self.seconds, self.loops = 0.0, {}

    def watching(self) -> Any:
        """Watch in this context."""
        return event.install_listener("numba:compile", self)

    def on_start(self, event: Any) -> None:
        """Something begins to be compiled."""
        self._open.append(time.perf_counter())

    def on_end(self, event: Any) -> None:
        """What began last is compiled."""
        started = self._open.pop()
        taken, function = time.perf_counter() - started, event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__name__}"
        self.loops[name] = self.loops.get(name, 0.0) + taken
        if not self._open:
            self.seconds += taken

    def as_json(self) -> str:
        """What was seen."""
        return json.dumps({"seconds": self.seconds, "loops": self.loops})


def measure(repeats: int) -> dict[str, Any]:
    """Once: a fresh folder for what is compiled, and one for what the demo writes."""
    with tempfile.TemporaryDirectory() as folder:
        surroundings = os.environ | {"NUMBA_CACHE_DIR": f"{folder}/compiled", "PROTOGRAPH_PROGRESS": "off"}
        command = [sys.executable, "-c", CODE, f"{folder}/demo"]
        done = subprocess.run(
            command, env=surroundings, cwd=certificate.ROOT, capture_output=True, text=True, check=True
        )
    told = json.loads(done.stdout.splitlines()[-1])
    loop = calibration()
    return {
        "seconds": told["seconds"],
        "loop_seconds": loop,
        "loops": told["seconds"] / loop,
        "num_compiled": len(told["loops"]),
        "longest": dict(sorted(told["loops"].items(), key=lambda item: -item[1])[:8]),
    }


def show(one: dict[str, Any]) -> None:
    figure = f"{one['seconds']:.1f} s, {one['loops']:.0f} loops; {one['num_compiled']} functions"
    row(
        "(j) make demo: compiling, where nothing is compiled yet", figure, "at most 5 s", one["seconds"] <= MOST_SECONDS
    )
    longest = ", ".join(f"{name.rsplit('.', 1)[-1]} {taken:.1f} s" for name, taken in one["longest"].items())
    print(f"    longest, with what they call: {longest}", flush=True)


def limits(one: dict[str, Any]) -> list[dict[str, Any]]:
    return [certificate.limit("(j) seconds that make demo spends on compiling", one["seconds"], at_most=MOST_SECONDS)]


PART = Part("compiling", measure, show, limits)
