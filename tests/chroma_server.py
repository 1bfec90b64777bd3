"""A Chroma server of its own for the tests, which ends with them. Its program has a virtual environment of its own."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

PROGRAM = "ROVE_TEST_CHROMA"
ADDRESS = "ROVE_TEST_CHROMA_URL"


@dataclass
class Server:
    """One that can be stopped and started again on the same folder and port."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [program(), "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("chroma run has ended" if self.process.poll() is not None else "chroma run is slow")

    def table(self) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "chroma", "resident_chunks": 0, "server": {"url": self.url}}

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def program() -> str:
    """Where `chroma` is: named in the environment, or on the path."""
    found = os.environ.get(PROGRAM) or shutil.which("chroma")
    if not found:
        pytest.skip(f"needs a Chroma server: python -m venv X; X/bin/pip install chromadb; {PROGRAM}=X/bin/chroma")
    return found


def new() -> Server:
    """Start one."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    server = Server(Path(tempfile.mkdtemp(prefix="rove-chroma-")), port)
    server.start()
    return server


def ended(server: Server) -> None:
    server.stop()
    shutil.rmtree(server.folder, ignore_errors=True)


@cache
def address() -> str:
    """The address of one that runs until the tests end, for the processes that they start too."""
    if ADDRESS not in os.environ:
        server = new()
        atexit.register(ended, server)
        os.environ[ADDRESS] = server.url
    return os.environ[ADDRESS]
