"""A base that can only be read: on a full disk, on one that is read-only, in another user's folder.

A child has a small file system in memory, in a mount namespace of its own; where that is not allowed, this is skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from rove import Rove, Text

ROOT = Path(__file__).parents[2]
FAKE = {"embedder": {"name": "fake"}}
CHILD = """
import errno, json, os, shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from campaign.disks import MS_REMOUNT, _mounted, mount
from click.testing import CliRunner
from rove.cli import rove as command_line
import rove.sync, rove.cli.doctor, rove.cli.exchange, rove.cli.add, rove.cli.ask, rove.cli.inspect, rove.cli.delete

how, place, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[4])
MS_RDONLY = 1
try:
    mount(place, 32 << 20)
except OSError:
    print(json.dumps({"skipped": True}))
    raise SystemExit
base = place / "kb"
shutil.copytree(place.parent / "kb", base)
if "unshared" in how:
    (base / "catalog.sqlite-shm").unlink()
if "full" in how:
    with (place / "fill").open("wb", buffering=0) as fill:
        size = 1 << 20
        while size:
            try:
                fill.write(bytes(size))
            except OSError as error:
                assert error.errno == errno.ENOSPC
                size //= 2
if "read-only" in how:
    _mounted(place, 32 << 20, MS_REMOUNT | MS_RDONLY)
if "another's" in how:
    for path in (base, *base.rglob("*")):
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    os.chmod(out, 0o777)
COMMANDS = (
    ("search", "search", "ship"), ("ask", "ask", "Who came home?"), ("inspect", "inspect"), ("text", "inspect", "late"),
    ("ledger", "inspect", "--ledger"), ("export", "export", str(out / "export.jsonl")), ("doctor", "doctor"),
    ("add", "add", __file__ if "__file__" in globals() else sys.executable), ("delete", "delete", "late"),
)
if "another's" in how:  # what is imported late is imported now: Python itself may lie in a folder that is closed
    for name, *command in COMMANDS:
        CliRunner().invoke(command_line, [*command, "--kb", str(place.parent / "kb"), "--set", "embedder.name=fake"])
    os.seteuid(65534)
given = ["--kb", str(base), "--set", "embedder.name=fake"]
told = {}
for name, *command in COMMANDS:
    done = CliRunner().invoke(command_line, [*command, *given])
    told[name] = [done.exit_code, done.output, repr(done.exception)]
print(json.dumps(told))
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that another user may look into, which those of pytest are not."""
    with TemporaryDirectory(prefix="rove-unwritable-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def killed(folder: Path) -> None:
    """Leave a log, as a writer does that is killed."""
    script = (
        "import os, sys\nfrom rove import Rove, Text\n"
        "kb = Rove.open(sys.argv[1], embedder={'name': 'fake'})\n"
        "kb.add(Text('The late ship came home.', id='late'))\nos._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=False, timeout=120)
    assert (folder / "catalog.sqlite-wal").stat().st_size


def closed(folder: Path) -> None:
    """Leave nothing but the catalog."""
    with Rove.open(folder, **FAKE) as kb:
        kb.add(Text("The late ship came home.", id="late"))


def looked_at(tmp_path: Path, how: str) -> dict[str, Any]:
    place, out = tmp_path / "disk", tmp_path / "out"
    place.mkdir()
    out.mkdir()
    command = [sys.executable, "-c", CHILD, how, str(place), str(ROOT), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    if told.get("skipped"):
        pytest.skip("no file system can be mounted here")
    return told


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux does")
@pytest.mark.parametrize(
    ("how", "left"),
    [
        ("full", closed), ("full", killed), ("full, unshared", killed), ("read-only", closed), ("read-only", killed),
        ("another's", closed),
    ],
)  # fmt: skip
def test_what_cannot_be_written_to_is_read(place: Path, how: str, left: Callable[[Path], None]) -> None:
    folder = place / "kb"
    with Rove.open(folder, **FAKE) as kb:
        kb.add(Text("The first ship came home.", id="first"))
    left(folder)
    told = looked_at(place, how)
    for name in ("search", "ask", "inspect", "text", "ledger", "export", "doctor"):
        status, output, raised = told[name]
        assert status == 0, (name, output, raised)
    assert "late" in told["search"][1] and "late ship" in told["text"][1]
    assert "2 chunks" in told["doctor"][1]
    assert ("Nothing is mended" in told["doctor"][1]) or left is killed  # whose log, once taken in, leaves some room
    assert len((place / "out" / "export.jsonl").read_text("utf-8").splitlines()) == 3
    for name in () if "full" in how and left is killed else ("add", "delete"):  # its log, once taken in, leaves room
        status, output, raised = told[name]
        assert status == 1 and "Traceback" not in output, (name, output, raised)
        assert ("disk is full" if "full" in how else "cannot be written to") in output, (name, output)
