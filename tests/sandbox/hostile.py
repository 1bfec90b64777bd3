"""A loader that does to its process what a hostile file may bring a parser to do; the tests install it as a plug-in."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
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
            yield Document("burn_after_a_page#part", "burn_after_a_page#part", "hostile", "the first page")
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
        yield Document("half#one", "half#one", "hostile", "the first of two")
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
            yield Document(f"flood#{n}", f"flood#{n}", "hostile", "flood " * 20_000)

    def seize(self, how: str) -> str:
        """Take the process over: what it says from now on is this."""
        child = sys.modules["__main__"]
        pack = child.pack
        raw = {"noise": b"\xff" * 100, "deep": b"\x91" * 100_000, "surrogate": b"\x91\xa3\xed\xa0\x80", "empty": b""}

        def said(item: object, signature: bytes = b"") -> object:
            packed = pack(item, signature)
            if type(packed).__name__ == ("_End" if how.startswith("end ") else "_Document"):
                SEIZED[how](packed)
            return packed

        class Raw:
            def encode(self, _: object) -> bytes:
                return raw[how]

        if how in raw:
            child.encoder = Raw()
        elif how == "huge frame":
            child.write_frame = lambda pipe, *_, **__: (pipe.write(child_header(4_000_000_000)), pipe.flush())
        elif how == "a wish that is none":
            child.write_frame = lambda pipe, *_, **__: (pipe.write(child_header(3, 0xFFFF_FFFF) + b"abc"), pipe.flush())
        elif how == "one end more":
            child.Sender._packed = twice(child.Sender._packed)
        else:
            child.pack = said
        return "seized"


def child_header(length: int, ended: int = 0) -> bytes:
    return struct.pack("=II", length, ended)


def twice(packed: Callable[..., list]) -> Callable[..., list]:
    return lambda sender: [*packed(sender), *packed(sender)]


def first_chunk(**fields: object) -> Callable[..., None]:
    def change(item: object) -> None:
        for name, value in fields.items():
            setattr(item.chunks[0], name, value)

    return change


def fields(**values: object) -> Callable[..., None]:
    def change(item: object) -> None:
        for name, value in values.items():
            setattr(item, name, value)

    return change


SEIZED: dict[str, Callable[..., None]] = {
    "another id": fields(document_id="victim"),
    "an id of its beginning": fields(document_id="victim#x"),
    "another source": fields(ledger_source="victim"),
    "another place": fields(source="victim"),
    "a file of this machine": fields(source="/etc/passwd"),
    "a step up": fields(source="seize a step up/../victim"),
    "an original elsewhere": fields(source="/etc/passwd", origin="0" * 64),
    "an original that is none": fields(origin="../../etc/passwd"),
    "a label taken away": lambda item: item.metadata.pop("access"),
    "another label": lambda item: item.metadata.update(access=("all",)),
    "a label of a passage": first_chunk(metadata={"access": ("all",), "day": 1}),
    "another title": fields(title="Minutes of the board"),
    "NaN": lambda item: item.metadata.update(score=float("nan")),
    "NUL in the text": fields(text="a\0b" * 10),
    "many fields": lambda item: item.metadata.update({f"f{n}": n for n in range(20_000)}),
    "a system's field": lambda item: item.metadata.update(document_id="victim"),
    "a passage of another": first_chunk(chunk_id="0" * 32),
    "a vector of another": first_chunk(vector_key="0" * 32),
    "a span past the end": first_chunk(end=10**6),
    "a span before the beginning": first_chunk(start=-3),
    "a parent past the end": first_chunk(parent=(0, 10**9)),
    "a section past the end": fields(sections=[("x", 1, 0, 10**9)]),
    "a page past the end": fields(pages=[(1, 5, 2)]),
    "a block past the end": fields(blocks=[("table", -1, 3, "")]),
    "boxes without end": fields(boxes=zlib.compress(bytes(200_000_000))),
    "boxes that are none": fields(boxes=b"boxes"),
    "chunks without end": lambda item: item.chunks.extend(item.chunks * 1_000),
    "words without end": first_chunk(terms="x " * 1_000_000),
    "names without end": fields(names=["x" * 10_000_000]),
    "a kind that is a path": fields(kind="../../etc"),
    "another text": fields(text="0123456789 of another text, with passages that hash to others"),
    "a wrong type": fields(title=7),
    "end another source": fields(source="victim"),
    "end an outcome that is none": fields(outcome="excellent"),
    "end unchanged": fields(unchanged=True),
    "end endless": fields(reason="x" * 5_000_000),
    "end a fingerprint that is none": fields(fingerprint="../x"),
}
