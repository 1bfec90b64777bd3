"""Java servers for tests: their parts by Maven, as the machine has it set up, and laid out in a folder once."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

JAVA, MAVEN = shutil.which("java") or "", shutil.which("mvn") or ""
FETCH_S = 150
NOBODY = 65_534
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>rove</groupId><artifactId>tests</artifactId>
<version>1</version><dependencies>{}</dependencies></project>
"""
QUICK = ("-XX:TieredStopAtLevel=1",)
"""A server of tests runs for minutes, and starts often: compiled for speed it would take twice the CPU to start."""
TIED = """
exec 3<&0
"$@" </dev/null 3<&- &
java=$!
echo $java >pid
(cat <&3 >/dev/null; kill -9 $java) &
exec 3<&-
wait $java
"""
PART = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version><type>{}</type></dependency>"


def home(
    name: str, parts: Sequence[tuple[str, str, str, str]], lay: Callable[[Path], None] = lambda folder: None
) -> Path:
    """Fetch `parts` (group, artifact, version, type) with what they need, and lay them out; both once for a machine.

    `lay` is given a folder with all files in `lib`. Skips the test where there is no Maven, or nothing is reached.
    """
    made = Path(tempfile.gettempdir()) / f"rove-test-{name}-{os.getuid()}"
    if reason := _lacking(made, parts, lay):
        pytest.skip(f"needs Maven for {made.name}: {reason}")
    return made


@cache
def _lacking(made: Path, parts: Sequence[tuple[str, str, str, str]], lay: Callable[[Path], None]) -> str:
    """Make it; returns why that cannot be done, else ""."""
    if not (JAVA and MAVEN):
        return "no `mvn` or no `java` on this machine"
    with made.with_name(f"{made.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes of the tests
        if made.exists():
            return ""
        with tempfile.TemporaryDirectory(prefix="rove-maven-", dir=made.parent) as folder:
            try:
                _fetch(parts, Path(folder))
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                return f"its parts cannot be had: {str(error.stdout)[-500:]}"
            lay(Path(folder))
            Path(folder).chmod(0o755)  # servers run as another user
            Path(folder).rename(made)
            Path(folder).mkdir()  # for the end of the block
    return ""


def _fetch(parts: Sequence[tuple[str, str, str, str]], folder: Path) -> None:
    (folder / "pom.xml").write_text(POM.format("".join(PART.format(*part) for part in parts)), "utf-8")
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder / 'lib'}"]
    command = [MAVEN, "-q", "-B", "-f", folder / "pom.xml", *goal]
    subprocess.run(command, check=True, capture_output=True, timeout=FETCH_S)


def run(folder: Path, arguments: Sequence[str | Path], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start Java in a folder, which may be anybody's but root's: then as nobody. Its output is in the folder's log.

    It is killed (-9) when the process's stdin is closed, and so when the tests end, however they end.
    """
    other: dict[str, Any] = {}
    if os.getuid() == 0:  # the servers refuse to run as root
        for one in (folder, *folder.rglob("*")):
            os.chown(one, NOBODY, NOBODY, follow_symlinks=False)
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            ["sh", "-c", TIED, "sh", JAVA, "-XX:+UseSerialGC", *QUICK, *arguments],
            env={"PATH": os.environ["PATH"], **environment},
            stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=folder, **other,
        )  # fmt: skip


@contextmanager
def still(folder: Path) -> Iterator[None]:
    """Let the server stand still for the length of the block, as if its machine were too busy for it."""
    java = int((folder / "pid").read_text("utf-8"))
    os.kill(java, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(java, signal.SIGCONT)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill what `run` has started."""
    assert process.stdin
    process.stdin.close()
