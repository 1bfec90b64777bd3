"""How slow this machine is now, for limits of CPU time: a slow or a busy machine is no fault."""

from __future__ import annotations

import re
import time

WORK, TEXT = re.compile(r"([^\W\d_]{2,40})\s\Z"), "漢" * 5_000
WORK_S = 0.004
"""What searching the text takes where the limits were set."""


def slowness() -> float:
    """How many times as much CPU time as where the limits were set is taken here and now, 1 at least."""
    return max(1.0, min(_work_s() for _ in range(3)) / WORK_S)


def _work_s() -> float:
    began = time.thread_time()
    WORK.search(TEXT)
    return time.thread_time() - began
