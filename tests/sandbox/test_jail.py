"""What a parser that was taken over can do: nothing of what it tries here, whoever runs Rove."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from rove.load.discover import Location
from rove.prepare import Recipe
from rove.records import SourceEnd, Text
from rove.sandbox import Limits, calls
from rove.sandbox.landlock import ASK_VERSION, CREATE, Reach
from rove.sandbox.pool import Pool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and Landlock are Linux's")
HERE = Path(__file__).parent
NOBODY, READ_ALL = 65534, 1 << 2
REFUSALS = {"EPERM", "EACCES"}
LACKING = {"ENOSYS", "EOPNOTSUPP", "ENOTTY"}  # this kernel, or its file system, has no such thing


def landlock_version() -> int:
    return ctypes.CDLL(None).syscall(CREATE, None, 0, ASK_VERSION)


def become_nobody() -> None:
    """Give up being root, and keep the right to read the interpreter, which may lie in root's home."""
    libc = ctypes.CDLL(None)
    libc.prctl(8, 1, 0, 0, 0)  # keep capabilities
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", READ_ALL, READ_ALL, READ_ALL, 0, 0, 0))
    libc.prctl(47, 2, 2, 0, 0)  # for programs that it starts, too


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that all users can reach, with the attacks as a plug-in."""
    made = Path(mkdtemp(prefix="rove-jail-"))
    made.chmod(0o755)
    plugin = made / "plugin"
    (plugin / "attacks-1.dist-info").mkdir(parents=True)
    shutil.copy(HERE / "attacks.py", plugin)
    (plugin / "attacks-1.dist-info" / "METADATA").write_text("Name: attacks\nVersion: 1\n")
    (plugin / "attacks-1.dist-info" / "entry_points.txt").write_text("[rove.loaders]\nattack = attacks:AttackLoader\n")
    yield made
    shutil.rmtree(made)


@pytest.fixture
def plugged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [str(folder / "plugin"), os.environ.get("PYTHONPATH", "")]))
    )
    return folder


def state(files: Path) -> dict[str, tuple[object, ...]]:
    """All that an attack could change of files."""
    return {
        path.name: (
            path.read_bytes(), stat.S_IMODE(facts.st_mode), facts.st_mtime_ns, facts.st_uid, os.listxattr(path),
        )
        for path in sorted(files.iterdir())
        for facts in [path.stat()]
    }  # fmt: skip


def attack_names() -> list[str]:
    text = (HERE / "attacks.py").read_text()
    return re.findall(r"\w+", text.split("FILE_ATTACKS = [")[1].split("]")[0])


@pytest.mark.parametrize("user", [0, NOBODY])
def test_what_a_parser_that_was_taken_over_tries_is_refused(folder: Path, user: int) -> None:
    if os.getuid() != 0 and user != os.getuid():
        pytest.skip("only root can become another user")
    for side in ("inside", "outside"):
        (folder / side).mkdir()
        for name in attack_names():
            path = folder / side / name
            path.write_text("as it was")
            os.setxattr(path, "user.kept", b"1")
            os.chown(path, user, -1)
        os.chown(folder / side, user, -1)
    before = state(folder / "inside")
    done = subprocess.run(
        [sys.executable, str(folder / "plugin" / "attacks.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": str(folder / "plugin"), "ROVE_CACHE": str(folder / "outside" / "cache")},
        capture_output=True,
        text=True,
        preexec_fn=become_nobody if user and os.getuid() == 0 else None,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert state(folder / "inside") == before
    if not landlock_version():  # the decision says so: other processes' entries in /proc are then open
        told = {name: both for name, both in told.items() if "_parent" not in name and "round" not in name}
    assert {without for _, without in told.values()} <= {"done", *LACKING}, told
    possible = {name: within for name, (within, without) in told.items() if without == "done"}
    assert len(possible) > 40
    assert {name: within for name, within in possible.items() if within not in REFUSALS} == {}


def verdict(steps: list[calls.Step], machine: int, number: int, *arguments: int) -> int:
    """Run a filter as the kernel does, over one call."""
    words = {0: number, 4: machine, **{16 + 8 * at: value for at, value in enumerate(arguments)}}
    at = value = 0
    while True:
        code, if_true, if_false, operand = steps[at]
        if code == calls.RETURN:
            return operand
        if code == calls.LOAD:
            value = words.get(operand, 0)
        elif code == calls.AND:
            value &= operand
        else:
            holds = {calls.EQUAL: value == operand, calls.AT_LEAST: value >= operand}.get(code, value & operand)
            at += if_true if holds else if_false
        at += 1


@pytest.mark.parametrize("name", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_should_on_either_machine_and_nothing_else(name: str) -> None:
    machine, column, _ = calls.MACHINES[name]
    other = calls.MACHINES["aarch64" if name == "x86_64" else "x86_64"][0]
    steps = calls.filter_steps(machine, column, 0)
    refused = {numbers[column] for numbers in calls.REFUSED.values()}
    flags, values = calls.FLAGS, calls.VALUES
    expected = {number: calls.REFUSE for number in refused} | {calls.CLONE3[column]: calls.UNKNOWN}
    for number in range(600):
        assert verdict(steps, machine, number) == expected.get(number, calls.ALLOW), number
        assert verdict(steps, other, number) == calls.REFUSE
    openat, clone, mmap = flags["openat"][0][column], flags["clone"][0][column], calls.MMAP[column]
    fcntl, prctl, limit = values["fcntl"][0][column], values["prctl"][0][column], calls.PRLIMIT[column]
    refusals = [(openat, 0, 0, 0o1000), (openat, 0, 0, 1), (openat, 0, 0, 2), (openat, 0, 0, 0o100), (clone, 0x8000),
                (clone, 0x10000011), (mmap, 0, 9, 3, 0x21), (mmap, 0, 9, 3, 0x122), (fcntl, 3, 6), (fcntl, 3, 1026),
                (prctl, 36), (limit, 1)]  # fmt: skip
    granted = [(openat, 0, 0, 0o2000000), (clone, 0x3D0F00), (mmap, 0, 9, 3, 0x22), (mmap, 0, 9, 1, 1), (fcntl, 3, 1),
               (prctl, 15), (limit, 0)]  # fmt: skip
    assert {verdict(steps, machine, *at) for at in refusals} == {calls.REFUSE}
    assert {verdict(steps, machine, *at) for at in granted} == {calls.ALLOW}
    assert verdict(steps, machine, calls.KILL[column], 1) == calls.ALLOW  # Landlock sees to it
    older = calls.filter_steps(machine, column, 77)
    for signal in (calls.KILL, calls.TGKILL):
        assert verdict(older, machine, signal[column], 77) == calls.ALLOW
        assert {verdict(older, machine, signal[column], pid) for pid in (1, 0, 0xFFFFFFFF)} == {calls.REFUSE}


@pytest.mark.parametrize(
    ("column", "header"),
    [(0, "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), (1, "/usr/include/asm-generic/unistd.h")],
)
def test_the_numbers_are_the_kernel_s(column: int, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no {header} here")
    text = Path(header).read_text()
    known = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)}
    ours = calls.REFUSED | {name: at[0] for name, at in (calls.FLAGS | calls.VALUES).items()}
    ours |= {"prlimit64": calls.PRLIMIT, "kill": calls.KILL, "tgkill": calls.TGKILL, "mmap": calls.MMAP}
    both = {name: numbers[column] for name, numbers in ours.items() if name in known}
    assert both == {name: known[name] for name in both}
    assert len(both) > 80
    absent = {name for name, numbers in ours.items() if numbers[column] == calls.NONE}
    assert not absent & known.keys() - ({"renameat"} if column else set())


def end_of(deed: str, limits: Limits) -> SourceEnd:
    pool = Pool(Recipe("m", "p"), limits, 1)
    source = Text(deed, id=deed, kind="attack")
    ends = [at for at in pool.read([(Location(deed, deed, text=source), "")]) if isinstance(at, SourceEnd)]
    pool.close()
    assert len(ends) == 1
    return ends[0]


def is_unread(pipe: Path) -> bool:
    """Say whether nobody reads a named pipe: it cannot be opened for writing then."""
    for _ in range(100):
        try:
            os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:
            return True
        time.sleep(0.1)
    return False


def test_a_child_left_behind_holds_nobody_up_and_is_ended(plugged: Path) -> None:
    """It holds the pipe that the parent reads: until it is ended, the parent cannot see that the process is."""
    lifeline = plugged / "lifeline"
    os.mkfifo(lifeline)
    began = time.monotonic()
    assert end_of(f"leave_a_child {lifeline}", Limits(cpu_s=60, wall_s=600)).outcome == "damaged"
    assert time.monotonic() - began < 60
    assert is_unread(lifeline)


def test_a_process_that_waits_is_not_taken_where_the_environment_has_changed(plugged: Path) -> None:
    """It was started where another plug-in, or none, was on the path."""
    with pytest.MonkeyPatch.context() as before:
        before.delenv("PYTHONPATH", raising=False)
        assert end_of("leave_session", Limits()).outcome == "unsupported"
    assert end_of("leave_session", Limits()).outcome == ""


def test_a_program_left_behind_does_not_outlast_the_reading(plugged: Path) -> None:
    lifeline = plugged / "lifeline"
    os.mkfifo(lifeline)
    assert end_of(f"leave_a_program {lifeline}", Limits()).outcome == ""
    assert is_unread(lifeline)


def test_memory_is_counted_over_all_that_a_process_starts(plugged: Path) -> None:
    end = end_of("share_out 200000000", Limits(cpu_s=60, wall_s=600, memory_bytes=400_000_000))
    assert end.outcome == "too-large"
    assert "ended the process" in end.reason  # each by itself had less than its limit


def test_a_process_that_has_stopped_its_own_clock_is_ended(plugged: Path) -> None:
    assert end_of("stop", Limits(cpu_s=1, wall_s=2)).outcome == "too-slow"


def test_a_file_in_a_folder_that_has_come_to_the_root_since_is_read() -> None:
    """A disk that was mounted, say: a process that has given up reading it is replaced by one that has not."""
    if os.getuid() != 0 or not landlock_version():
        pytest.skip("needs root and Landlock")
    pool = Pool(Recipe("m", "p"), Limits(), 1)
    assert len(list(pool.read([(Location("t", "t", "", text=Text("t", id="t")), "")]))) > 1
    assert pool.workers[0] is not None
    first = pool.workers[0].process.pid
    top = Path(mkdtemp(prefix="rove-", dir="/"))
    try:
        page = top / "a.html"
        page.write_text("<p>words</p>")
        found = list(pool.read([(Location(str(page), page.name, "html", path=page), "")]))
        assert [at.outcome for at in found if isinstance(at, SourceEnd)] == [""]
        assert pool.workers[0].process.pid != first
    finally:
        shutil.rmtree(top)
        pool.close()


def test_where_the_kernel_has_no_landlock_every_path_counts_as_within_reach() -> None:
    assert Reach().covers(b"/anything/at/all")
    assert not Reach(1, frozenset()).covers(b"/usr/bin")
