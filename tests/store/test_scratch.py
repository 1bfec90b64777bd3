"""What an import puts on the disk on its way in goes: when it is done, when it fails, and after it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from json import dumps
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.serve.documents.spool import Spool
from rove.store.scratch import scratch

FAKE = {"embedder": {"name": "fake"}}
KILLED = """
import os, signal, sys
from rove import Rove
base, export = sys.argv[1:]
def lines():
    yield from open(export, encoding="utf-8")
    os.kill(os.getpid(), signal.SIGKILL)
with Rove.open(base, embedder={"name": "fake"}) as kb:
    kb.import_(lines())
"""


def export_with_a_file(folder: Path) -> list[str]:
    with Rove.open(folder / "from", **FAKE) as kb:
        kb.add(Text("What is carried over.", id="a"))
        lines = list(kb.export())
    piece = {"original": sha256(b"page").hexdigest(), "data": b64encode(b"page").decode()}
    return [*lines, dumps(piece)]


def held(base: Path) -> list[str]:
    return [path.name for path in (base / "incoming").iterdir()]


@pytest.mark.parametrize("next_one", ["an import", "a server"])
def test_a_killed_import_leaves_nothing_for_long(tmp_path: Path, next_one: str) -> None:
    lines, base, temporary = export_with_a_file(tmp_path), tmp_path / "kb", tmp_path / "tmp"
    (tmp_path / "export").write_text("\n".join(lines) + "\n", "utf-8")
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", KILLED, str(base), str(tmp_path / "export")]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    assert list(temporary.iterdir()) == []
    (left,) = held(base)
    assert (base / "incoming" / left).stat().st_mode & 0o077 == 0
    assert b"page" in {path.read_bytes() for path in (base / "incoming" / left).iterdir()}
    if next_one == "a server":
        assert Spool(base).waiting() == []
    else:
        with Rove.open(base, **FAKE) as kb:
            assert kb.import_(lines).ok
    assert held(base) == []


def test_it_goes_when_it_is_done_and_when_it_fails(tmp_path: Path) -> None:
    lines = export_with_a_file(tmp_path)
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        assert kb.import_(lines).ok

        def broken() -> object:
            yield from lines
            assert len(held(tmp_path / "kb")) == 1
            message = "the line is cut"
            raise ConnectionError(message)

        with pytest.raises(ConnectionError):
            kb.import_(broken())
    assert held(tmp_path / "kb") == []


def test_what_is_held_is_left_alone(tmp_path: Path) -> None:
    with scratch(tmp_path) as first:
        (first / "file").write_text("mine")
        with scratch(tmp_path) as second:
            assert Spool(tmp_path).waiting() == []
            assert {first.name, second.name} == set(held(tmp_path))
        assert (first / "file").read_text() == "mine"
    assert held(tmp_path) == []
