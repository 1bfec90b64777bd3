"""Named places where a test can kill the process, to see that nothing is lost there."""

from __future__ import annotations

import os
import signal

NAMES = ("before-stage", "staged", "indexed", "published", "deleted", "forgotten")
ENRICHING = ("enriched", "refreshed")
DEEPENING = ("deepened", "told")
SWITCHING = ("switching", "switched", "whole")
TALKING = ("asked", "answered")
FINISHED = "finished"
MOVED = "moved"
WRITING_SNAPSHOT = "snapshot"


def failpoint(name: str) -> None:
    """Kill this process at once, as kill -9 would, if ROVE_FAILPOINT names this place ("staged" or "staged:3")."""
    wanted = os.environ.get("ROVE_FAILPOINT", "")
    if not wanted:
        return
    point, _, times = wanted.partition(":")
    if point == name:
        left = int(times or "1") - 1
        os.environ["ROVE_FAILPOINT"] = f"{point}:{left}"
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
