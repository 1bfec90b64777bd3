"""A loader that does to its process what a hostile file may bring a parser to do; the tests install it as a plug-in."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rove.load.limits import OutOfTime
from rove.records import Document, Source


class HostileLoader:
    def load(self, source: Source) -> Iterator[Document]:
        deed, _, argument = source.data.decode().partition(" ")
        said = getattr(self, deed)(argument)
        if isinstance(said, str):
            yield Document(source.uri, source.uri, "hostile", said)
        else:
            yield from said

    def say(self, text: str) -> str:
        return text

    def burn(self, _: str) -> str:
        while True:
            pass

    def burn_in_c(self, _: str) -> str:
        return str(sum(range(10**15)))

    def burn_after_a_page(self, _: str) -> Iterator[Document]:
        try:
            while True:
                pass
        except OutOfTime:
            yield Document("part", "part", "hostile", "the first page")
            raise

    def sleep(self, _: str) -> str:
        time.sleep(1000)
        return "woke"

    def hoard(self, _: str) -> str:
        held = []
        while True:
            held.append(bytes(10_000_000))  # of zeros that nobody writes: the limit is met before time is used up

    def crash(self, _: str) -> str:
        return ctypes.string_at(0).decode()

    def die(self, _: str) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return "alive"

    def leave(self, _: str) -> str:
        os._exit(3)

    def half(self, _: str) -> Iterator[Document]:
        yield Document("one", "one", "hostile", "the first of two")
        time.sleep(0.3)
        os._exit(3)

    def chatter(self, text: str) -> str:
        sys.stdout.write(text * 1000)
        sys.stdout.flush()
        os.write(1, b"\0" * 100)
        return "said"

    def connect(self, port: str) -> str:
        try:
            socket.create_connection(("127.0.0.1", int(port)), timeout=2)
        except OSError as error:
            return f"refused: {error.strerror}"
        return "connected"

    def spawn(self, port: str) -> str:
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), timeout=2)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        return f"status {done.returncode}"

    def write(self, path: str) -> str:
        try:
            Path(path).write_text("written")
        except OSError as error:
            return f"refused: {error.strerror}"
        return "written"

    def remove(self, path: str) -> str:
        try:
            Path(path).unlink()
        except OSError as error:
            return f"refused: {error.strerror}"
        return "removed"

    def environment(self, name: str) -> str:
        return os.environ.get(name, "unknown")

    def flood(self, _: str) -> Iterator[Document]:
        for n in range(10**6):
            yield Document(f"d{n}", f"d{n}", "hostile", "flood " * 20_000)
