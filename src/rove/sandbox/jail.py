"""What a reading process gives up for good before it sees a document: network, writing, memory without end, rights.

Linux has the means (seccomp, Landlock, prctl); where a kernel lacks one the others still hold, and `lock` says so.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType

from rove.load.limits import OutOfTime
from rove.sandbox import STEP_BYTES, Limits
from rove.sandbox.calls import forbid_calls
from rove.sandbox.landlock import SIGNALS_SINCE, Reach, restrict

try:
    import resource
except ImportError:  # Windows has none of this: the parent's time limit is all there is
    resource = None

SOON_S = 0.001
GRACE = 0.8  # the share of the CPU time after which a loader is asked to stop; at all of it the process is ended
STACK_BYTES = 64 << 20
MAX_MADE_BYTES = 1 << 30  # of a file that a converter writes
PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER, PR_CAPBSET_DROP, PR_CAP_AMBIENT, AMBIENT_CLEAR_ALL = 38, 36, 24, 47, 4
PR_SET_PDEATHSIG = 1
CAPABILITIES, CAPABILITIES_VERSION = 64, 0x20080522
CAP_DAC_READ_SEARCH = 2


@dataclass(frozen=True, slots=True)
class Given:
    """What was given up, of "memory", "files", "network", "rights", and what can still be reached of files."""

    up: tuple[str, ...] = ()
    reach: Reach = field(default_factory=Reach)


def lock(limits: Limits) -> Given:
    """Give up what can be given up. It must come before a second thread: Landlock is for the thread that asks."""
    up: list[str] = []
    if resource is not None:
        for kind, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_STACK, STACK_BYTES)):
            _lower_resource_limit(kind, most)
        up += ["memory"] * _lower_resource_limit(resource.RLIMIT_DATA, limits.memory_bytes)
    if sys.platform != "linux":
        return Given(tuple(up))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # what is started stays below this process, whoever started it
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    up += ["rights"] * _drop_capabilities(libc)
    reach = restrict(libc)
    calls = forbid_calls(libc, signals=reach.version < SIGNALS_SINCE)
    up += ["files"] * (calls or reach.version > 0) + ["network"] * calls
    return Given(tuple(up), reach)


def confine(limits: Limits, room: str, parent: int) -> None:
    """Give up what a converter does without: it may write, into the folder `room` alone, and ends with its parent."""
    if resource is not None:
        _lower_resource_limit(resource.RLIMIT_CORE, 0)
        _lower_resource_limit(resource.RLIMIT_FSIZE, MAX_MADE_BYTES)
        _lower_resource_limit(resource.RLIMIT_DATA, limits.memory_bytes)
        cpu_s = math.ceil(limits.cpu_s)
        resource.setrlimit(
            resource.RLIMIT_CPU, (cpu_s, cpu_s + 1)
        )  # at the first SIGXCPU, which says why; then SIGKILL
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it has ended meanwhile
        sys.exit(1)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _drop_capabilities(libc)
    reach = restrict(libc, room)
    forbid_calls(libc, signals=reach.version < SIGNALS_SINCE, writing=True)


def _lower_resource_limit(kind: int, most: int) -> bool:
    """Set a limit, soft and hard, to at most this."""
    if resource is None:
        return False
    limit = min(at for at in (most, *resource.getrlimit(kind)) if at != resource.RLIM_INFINITY)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (limit, limit))
        return True
    return False


def _drop_capabilities(libc: ctypes.CDLL) -> bool:
    """Give up what root may do beyond others, save reading the files of all, which it needs to read what it is given.

    What this process starts has not even that.
    """
    for capability in range(CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(PR_CAP_AMBIENT, AMBIENT_CLEAR_ALL, 0, 0, 0)
    head = struct.pack("=Ii", CAPABILITIES_VERSION, 0)
    held = ctypes.create_string_buffer(24)  # effective, permitted, inheritable: for 32 capabilities, and for 32 more
    if libc.capget(head, held) != 0:
        return False
    kept = struct.unpack("=6I", held.raw)[1] & 1 << CAP_DAC_READ_SEARCH
    return libc.capset(head, struct.pack("=6I", kept, kept, 0, 0, 0, 0)) == 0


def peak_bytes() -> int:
    """The most memory that this process has had at once; 0 where the system does not say.

    On Linux ru_maxrss would not do: it begins with what the process that started this one has had.
    """
    if sys.platform == "linux":
        with suppress(OSError), open("/proc/self/status", encoding="ascii", errors="replace") as status:  # noqa: PTH123
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:")), 0)
        return 0
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class SourceTimer:
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
