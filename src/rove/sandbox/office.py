"""Converts what no loader reads by LibreOffice, where that is installed: each file in a jailed process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from shutil import which
from time import monotonic

from rove.cached import private_folder
from rove.errors import InputError
from rove.sandbox import STEP_BYTES, Limits
from rove.sandbox.converter import GIVEN, UNREAD
from rove.sandbox.watchdog import holds_too_much
from rove.store.scratch import scratch_in

COMMAND = [sys.executable, "-P", "-m", "rove.sandbox.converter"]
PROGRAMS = ("soffice", "libreoffice")
LIBRARIES = ("libsofficeapp.so", "libmergedlo.so")
TICK_S = 0.2
SAVE_ANEW = "Open it in its own program and save it as .docx, .xlsx, .pptx or .pdf."
ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")


@cache
def library() -> str:
    """The library of LibreOffice that converts, "" where there is none, or the system is not Linux."""
    found = next(filter(None, map(which, PROGRAMS)), None)
    if found is None or sys.platform != "linux":
        return ""
    folder = Path(found).resolve().parent
    return next((str(folder / name) for name in LIBRARIES if (folder / name).is_file()), "")


def convert(name: str, data: bytes, limits: Limits, stopped: Callable[[], bool]) -> bytes:
    """Convert a file to .docx, .xlsx, .pptx or .pdf, whichever suits it, and return that.

    Raises:
        InputError: LibreOffice cannot read it, or needs more time or memory than `limits`; or it was `stopped`.
    """
    share = 1 + len(data) // STEP_BYTES
    folder = private_folder()
    if folder is None:
        message = f"{name!r} cannot be converted: no folder for temporary files can be made."
        raise InputError(message, cure="Let this user write to the folder for temporary files.")
    with scratch_in(folder, "office-") as room, tempfile.TemporaryFile() as made:
        (room / GIVEN).write_bytes(data)
        arguments = [library(), str(room), str(os.getpid()), str(limits.cpu_s * share), str(limits.memory_bytes)]
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=made,
            stderr=subprocess.DEVNULL,
            env=_office_environment(room),
            start_new_session=True,
        )
        status = _wait_within_limits(process, limits, monotonic() + limits.wall_s * share, stopped)
        if status:
            raise _libreoffice_error(name, status)
        made.seek(0)
        return made.read()


def _wait_within_limits(
    process: subprocess.Popen[bytes], limits: Limits, deadline_s: float, stopped: Callable[[], bool]
) -> int:
    """Wait for a process within its limits, then end all that it has started; returns its status."""
    reason = 0
    try:
        while process.poll() is None and not reason:
            with suppress(subprocess.TimeoutExpired):
                process.wait(TICK_S)
            if monotonic() > deadline_s or stopped():
                reason = signal.SIGALRM
            elif holds_too_much(process.pid, limits):
                reason = signal.SIGKILL
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    return -reason or status


def _office_environment(room: Path) -> dict[str, str]:
    known = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    return known | {"HOME": str(room), "TMPDIR": str(room), "SAL_USE_VCLPLUGIN": "svp"}


def _libreoffice_error(name: str, status: int) -> InputError:
    if -status in (signal.SIGXCPU, signal.SIGALRM):
        message = f"LibreOffice took more time for {name!r} than one source may."
        return InputError(message, cure="Split it, or raise load.max_cpu_s in the settings.", outcome="too-slow")
    if -status == signal.SIGKILL:
        message = f"LibreOffice needs more memory for {name!r} than one source may."
        return InputError(message, cure="Split it, or raise load.max_memory_mb in the settings.", outcome="too-large")
    message = f"LibreOffice {'cannot read' if status == UNREAD else 'failed at'} {name!r}."
    return InputError(message, cure=SAVE_ANEW)
