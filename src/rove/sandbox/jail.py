"""What a reading process gives up for good before it sees a document: network, writing, memory without end.

Linux has the means (seccomp, landlock, prctl); where a kernel lacks one the others still hold, and `lock` says so.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
from contextlib import suppress
from types import FrameType

from rove.load.limits import OutOfTime
from rove.sandbox import Limits

try:
    import resource
except ImportError:  # Windows has none of this: the parent's time limit is all there is
    resource = None

STEP_BYTES = 16 << 20
SOON_S = 0.001
GRACE = 0.8  # the share of the CPU time after which a loader is asked to stop; at all of it the process is ended
# Calls that a parser never makes: sockets, other processes' memory, and a way around seccomp. By machine, as numbers:
# socket, ptrace, process_vm_readv, process_vm_writev, io_uring_setup, bpf, userfaultfd.
DENIED = {
    "x86_64": (0xC000003E, (41, 101, 310, 311, 425, 321, 323)),
    "aarch64": (0xC00000B7, (198, 117, 270, 271, 425, 280, 282)),
}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # refuse: with EPERM
LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 446  # the same numbers on all machines
# write, remove a folder or file, make anything: all file-system rights of landlock's first version save read and run
LANDLOCK_WRITES = 0b1_1111_1111_0010


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]  # noqa: RUF012 - ctypes wants it so


def lock(limits: Limits) -> list[str]:
    """Give up what can be given up; returns what was, of "memory", "files", "network"."""
    done: list[str] = []
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (limits.memory_bytes, limits.memory_bytes))
            done.append("memory")
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        done += ["files"] * _forbid_writing(libc) + ["network"] * _forbid_calls(libc)
    return done


def _forbid_writing(libc: ctypes.CDLL) -> bool:
    """Landlock with no exception: from now on no file can be written, made or removed. Pipes stay open."""
    rights = struct.pack("=Q", LANDLOCK_WRITES)
    ruleset = libc.syscall(LANDLOCK_CREATE, rights, len(rights), 0)
    if ruleset < 0:
        return False
    restricted = libc.syscall(LANDLOCK_RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return restricted


def _forbid_calls(libc: ctypes.CDLL) -> bool:
    """Seccomp: the denied calls fail with EPERM, for this process and all that it starts."""
    if platform.machine() not in DENIED:
        return False
    machine, calls = DENIED[platform.machine()]
    steps = [(LOAD_WORD, 0, 0, 4), (JUMP_EQUAL, 0, len(calls) + 2, machine), (LOAD_WORD, 0, 0, 0)]
    steps += [(JUMP_EQUAL, len(calls) - at, 0, call) for at, call in enumerate(calls)]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Filter(len(steps), code)
    return libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0


def peak_bytes() -> int:
    """The most memory that this process has had at once; 0 where the system does not say.

    On Linux ru_maxrss would not do: it begins with what the process that started this one has had.
    """
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123 - light
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class Clock:
    """Holds each source to its time. `begin`, then `pause` and `go_on` around what is not its own fault, then `end`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._running = False
        self._left_s = self._cpu_left_s = 0.0
        if resource is not None:
            signal.signal(signal.SIGPROF, self._ask)

    def begin(self, size_bytes: int) -> None:
        """Start the time of a source of that size. CPU and wall time that run out end the process by a signal."""
        if resource is None:
            return
        share = 1 + size_bytes // STEP_BYTES
        used = resource.getrusage(resource.RUSAGE_SELF)
        last = int(used.ru_utime + used.ru_stime + self.limits.cpu_s * share) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (last, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        self._running, self._left_s = True, self.limits.wall_s * share
        self._cpu_left_s = GRACE * self.limits.cpu_s * share
        self.go_on()

    def pause(self) -> None:
        """Stop the clocks: what follows is a message to the parent, which waits at times, and must be whole."""
        if resource is not None and self._running:
            self._left_s = signal.setitimer(signal.ITIMER_REAL, 0)[0]
            self._cpu_left_s = signal.setitimer(signal.ITIMER_PROF, 0)[0]

    def go_on(self) -> None:
        """Let the clocks run on."""
        if resource is not None and self._running:
            signal.setitimer(signal.ITIMER_REAL, max(self._left_s, SOON_S))
            signal.setitimer(signal.ITIMER_PROF, max(self._cpu_left_s, SOON_S))

    def end(self) -> None:
        """The source is done."""
        if resource is not None:
            self._running = False
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self._running:
            raise OutOfTime
