"""Runs `rove …` in forks of one process that has imported what a server needs: each start costs 2 s of CPU less.

A script as well: that process, which is told by lines of JSON what to fork and for what to wait.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

IMPORTED = (
    "rove.cli", "rove.cli.declared.care", "rove.cli.serve", "rove.language.langid", "rove.models.fake",
    "rove.models.rerank", "rove.serve.app", "rove.serve.people.directory", "rove.serve.run", "rove.serve.server",
    "rove.serve.spaces", "rove.store.memory_index", "uvicorn.lifespan.on", "uvicorn.loops.auto",
    "uvicorn.protocols.http.h11_impl",
)  # fmt: skip


class Forked:
    """A process that was forked: what tests use of `subprocess.Popen`."""

    def __init__(self, words: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        job = {"words": list(words), "env": dict(env), "log": str(log), "cwd": str(Path.cwd())}
        self.pid: int = told(job)
        self.returncode: int | None = None
        self._ended = os.pidfd_open(self.pid)

    def poll(self) -> int | None:
        """The exit status, of a signal below zero; None as long as it runs."""
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self.returncode = told({"wait": self.pid})
            os.close(self._ended)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """See `poll`. Raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            select.select([self._ended], [], [], timeout)
        if (status := self.poll()) is None:
            raise subprocess.TimeoutExpired("rove", timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """See `send_signal`."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """See `send_signal`."""
        self.send_signal(signal.SIGKILL)


@cache
def _process() -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True)
    atexit.register(process.communicate)
    return process


def told(job: Mapping[str, Any]) -> int:
    """Tell the process, and return the number that it answers."""
    process = _process()
    assert process.stdin and process.stdout
    process.stdin.write(json.dumps(job) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


# -- the process -----------------------------------------------------------------------------------------------------


def answer() -> int:
    """Fork and wait as told; returns in the fork, when it has become what was asked for, and at the end of input."""
    for name in IMPORTED:
        import_module(name)
    gc.freeze()
    for line in sys.stdin:
        job = json.loads(line)
        if "wait" in job:
            number = os.waitstatus_to_exitcode(os.waitpid(job["wait"], 0)[1])
        elif (number := os.fork()) == 0:
            return become(**job)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
    return 0


def become(words: list[str], env: dict[str, str], log: str, cwd: str) -> int:
    """Run the command line as a process that was started anew: its own input, output, folder and environment."""
    for number, given in ((0, os.open(os.devnull, os.O_RDONLY)), (1, os.open(log, os.O_WRONLY | os.O_APPEND))):
        os.dup2(given, number)
        os.close(given)
    os.dup2(1, 2)
    sys.stdin = os.fdopen(0)  # what was read ahead is not its own
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["rove", *words]
    return import_module("rove.cli").main()


if __name__ == "__main__":
    sys.exit(answer())
