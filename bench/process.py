"""Run something in a process of its own, so that one measurement leaves nothing behind for the next."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench import ROOT

QUIET = {
    "OMP_WAIT_POLICY": "passive",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "LOGFIRE_IGNORE_NO_CONFIG": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
}


class ChildError(RuntimeError):
    """The process failed; the message is the end of what it wrote."""


def output(command: Sequence[str], *, timeout_s: float = 3600) -> str:
    """Run from the repository's root and return what it printed.

    Raises:
        ChildError: it exited with another status than 0, or did not end in time.
    """
    try:
        done = subprocess.run(  # noqa: S603
            command,
            cwd=ROOT,
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        raise ChildError(str(error)) from error
    if done.returncode:
        message = f"{' '.join(command[:4])} exited {done.returncode}: {done.stderr.strip()[-400:]}"
        raise ChildError(message)
    return done.stdout


def measured(command: Sequence[str], *, timeout_s: float = 3600) -> dict:
    """Run something whose last line is a JSON object, and return that. See `output`."""
    lines = output(command, timeout_s=timeout_s).strip().splitlines()
    if not lines:
        message = f"{' '.join(command[:4])} printed nothing"
        raise ChildError(message)
    return json.loads(lines[-1])


def peak_bytes() -> int:
    """Most memory that this process ever held. (ru_maxrss would carry over that of the process that started it.)"""
    status = Path("/proc/self/status").read_text("ascii")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024
