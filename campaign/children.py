"""Child processes that are forked with everything loaded, work on a base, and may be killed at any moment."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from time import monotonic
from typing import Any

Tell = Callable[..., None]
Work = Callable[[Tell], None]
LIMIT_S = 60.0
HEAVY = (
    "httpx", "lancedb", "sqlalchemy.dialects.sqlite", "rove.exchange", "rove.load.markdown", "rove.load.text",
    "rove.models.fake", "rove.models.rerank", "rove.serve.app", "rove.serve.spaces", "rove.store.lance", "rove.sync",
    "rove.walk.extractive",
)  # fmt: skip
"""What children need. None of it starts a thread before it is used: who forks must have none."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended: "done", "killed", "failed" or "hung"; and what it had told until then."""

    state: str
    told: tuple[Mapping[str, Any], ...]
    error: str = ""


def store_of(resident: int) -> dict[str, Any]:
    """Settings of a store whose vectors LanceDB compares, where `resident` is 0, else the embedded index."""
    return {} if resident else {"index": "lancedb", "resident_chunks": 0}


def load_heavy() -> None:
    """Import what children need, once for all of them."""
    for name in HEAVY:
        import_module(name)
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)  # nothing of it runs before the fork
    gc.collect()
    gc.freeze()


class Child:
    """A process that works; `wait` for it, or kill it."""

    def __init__(self, work: Work) -> None:
        self._pipe, told = os.pipe()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.close(self._pipe)
            _live(work, told)
        os.close(told)
        self._lines: list[dict[str, Any]] = []
        self._part = b""

    def wait(self, kill_after: float | None = None, *, armed_by: str = "", limit_s: float = LIMIT_S) -> Ended:
        """Wait until it has ended; kill it after so many seconds, counted from when it tells `armed_by`."""
        began = monotonic()
        kill_at = began + kill_after if kill_after is not None and not armed_by else None
        state, eof = "", False
        while not eof:
            now = monotonic()
            if now > began + limit_s:
                state = "hung"
                self.kill()
            elif kill_at is not None and now >= kill_at:
                self.kill()
                kill_at = None
            left = max(0.0, min(began + limit_s, kill_at or began + limit_s) - now)
            if state or select.select([self._pipe], [], [], left)[0]:
                eof = self._hear()
            if kill_at is None and kill_after is not None and armed_by and any(armed_by in one for one in self._lines):
                kill_at, kill_after = monotonic() + kill_after, None
        os.close(self._pipe)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        state = state or {0: "done", -signal.SIGKILL: "killed"}.get(status, "failed")
        error = next((one["error"] for one in self._lines if "error" in one), f"status {status}")
        return Ended(state, tuple(self._lines), error if state == "failed" else "")

    def kill(self) -> None:
        """Kill -9."""
        os.kill(self.pid, signal.SIGKILL)

    def _hear(self) -> bool:
        data = os.read(self._pipe, 1 << 16)
        *lines, self._part = (self._part + data).split(b"\n")
        self._lines += [json.loads(line) for line in lines]
        return not data


def complete(work: Work) -> None:
    """Do work in a child, and wait for its end.

    Raises:
        RuntimeError: it failed, with what it said.
    """
    ended = Child(work).wait()
    if ended.state != "done":
        raise RuntimeError(ended.error)


def _live(work: Work, told: int) -> None:
    def tell(**line: object) -> None:
        os.write(told, json.dumps(line, default=str).encode() + b"\n")

    status = 1
    try:
        work(tell)
        status = 0
    except BaseException as error:  # noqa: BLE001 - the parent is told, and judges
        tell(error=f"{type(error).__name__}: {error}"[:2_000], trace=traceback.format_exc()[-3_000:])
    finally:
        sys.stderr.flush()
        os._exit(status)
