"""A Chroma server of its own for the tests, which ends with them. Its program has a virtual environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache

import pytest

import own_server
from own_server import OwnServer, free_port, listens

PROGRAM = "ROVE_TEST_CHROMA"
ADDRESS = "ROVE_TEST_CHROMA_URL"
START_S = 60


@dataclass
class Server(OwnServer):
    """See `OwnServer`."""

    port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [program(), "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        self.wait_until(lambda: listens(self.port), START_S)

    def table(self) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "chroma", "resident_chunks": 0, "server": {"url": self.url}}


def program() -> str:
    """Where `chroma` is: named in the environment, or on the path."""
    found = os.environ.get(PROGRAM) or shutil.which("chroma")
    if not found:
        pytest.skip(f"needs a Chroma server: python -m venv X; X/bin/pip install chromadb; {PROGRAM}=X/bin/chroma")
    return found


def new() -> Server:
    """Start one, which ends with the tests."""
    return own_server.started(Server(own_server.folder("chroma")))


@cache
def address() -> str:
    """The address of one that runs until the tests end, for the processes that they start too."""
    if ADDRESS not in os.environ:
        os.environ[ADDRESS] = new().url
    return os.environ[ADDRESS]
