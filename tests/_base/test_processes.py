"""In processes that import single files of the library and not torch, so that they start at once."""

import os
import subprocess
import sys

import pytest

from protograph._base.processes import in_processes

# A file, since processes import what they are to do from it.
SCRIPT = """
import os, sys, time
from protograph._base.processes import in_processes

def square(number, tell):
    tell((number, os.getpid()))
    if number == 13:
        raise ValueError("not that one")
    return number**2

def end(number, tell):
    os._exit(9)

def wait(number, tell):
    tell(os.getpid())
    time.sleep(600)

def failing(work, numbers):
    try:
        in_processes(work, numbers, 2, str)
    except (ValueError, OSError) as error:
        return f"{type(error).__name__}: {error}"

if __name__ == "__main__":
    if sys.argv[1] == "wait":
        in_processes(wait, [1, 2], 2, lambda process: print(process, flush=True))
    heard = []
    print(in_processes(square, [3, 1, 2], 2, heard.append))
    print(sorted(number for number, _ in heard), os.getpid() in {process for _, process in heard})
    print(failing(square, [1, 13]))
    print(failing(end, [1, 2]))
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)

    def start(what):
        return subprocess.Popen([sys.executable, tmp_path / "script.py", what], stdout=subprocess.PIPE, text=True)

    return start


def test_results_come_in_order_what_is_told_is_heard_and_errors_come_as_they_are(start):
    assert start("work").communicate()[0].splitlines() == [
        "[9, 1, 4]",
        "[1, 2, 3] False",
        "ValueError: not that one",
        "OSError: a process that was working was ended from outside, as where the memory is not enough; take fewer "
        "jobs (--jobs)",
    ]


def test_one_job_is_done_here():
    heard = []

    def halved(number, tell):
        tell(os.getpid())
        return number / 2

    assert in_processes(halved, [3, 1], 1, heard.append) == [1.5, 0.5]
    assert heard == [os.getpid()] * 2


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="whether a process is there is read from /proc")
def test_processes_end_with_the_one_that_was_killed(start):
    with start("wait") as started:
        workers = [int(started.stdout.readline()) for _ in range(2)]
        started.kill()
    for worker in workers:
        while os.path.exists(f"/proc/{worker}"):  # it would be there for ten minutes otherwise
            os.sched_yield()
