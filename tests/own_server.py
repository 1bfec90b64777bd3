"""Servers of the tests that are processes of their own: how each is waited for, killed, and ends with the tests."""

from __future__ import annotations

import atexit
import shutil
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

S = TypeVar("S", bound="OwnServer")


@dataclass
class OwnServer(ABC):
    """One that can be stopped and started again on the same folder and port."""

    folder: Path
    process: subprocess.Popen[Any] | None = field(default=None, init=False)

    @abstractmethod
    def start(self) -> None:
        """Start it, and wait until it answers."""

    def wait_until(self, answers: Callable[[], bool], limit_s: float) -> None:
        """Wait until it answers; fails where it has ended, or takes too long."""
        until = time.monotonic() + limit_s
        while not answers():
            assert self.process and self.process.poll() is None and time.monotonic() < until, (
                f"{self.folder.name} has not started (status {self.process and self.process.poll()}): {self.written()}"
            )
            time.sleep(0.1)

    def written(self) -> str:
        """The end of what it has written to its log, if there is one."""
        log = self.folder / "log"
        return log.read_text("utf-8", "replace")[-3_000:] if log.is_file() else ""

    def stop(self) -> None:
        """Kill it, whatever it is at."""
        process, self.process = self.process, None
        if process:
            self.kill(process)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()

    def kill(self, process: subprocess.Popen[Any]) -> None:
        """Kill its process."""
        process.kill()


def folder(name: str) -> Path:
    """A new folder for one."""
    return Path(tempfile.mkdtemp(prefix=f"rove-{name}-"))


def lasting(server: S) -> S:
    """Let it end with the tests."""
    atexit.register(ended, server)
    return server


def started(server: S) -> S:
    """Start one, which ends with the tests."""
    lasting(server).start()
    return server


def ended(server: OwnServer) -> None:
    """End it, and remove what it has kept."""
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


def listens(port: int) -> bool:
    """Whether somebody takes connections there, on this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]
