"""What this process and this machine use: memory, processor time, files; as far as the system says so."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from rove.models import free_cores
from rove.serve.schema import Reply

PROC = Path("/proc")
KILOBYTE = 1_024


class ProcessOut(Reply):
    """This process. None: this system does not say. `cpu_s`: processor time since its start."""

    memory_bytes: int | None
    cpu_s: float
    threads: int
    files: int | None


class MachineOut(Reply):
    """This machine: `load` over 1, 5 and 15 minutes, and its memory."""

    cores: int
    load: list[float] | None
    memory_bytes: int | None
    free_bytes: int | None


def process_now() -> ProcessOut:
    """Look at this process."""
    memory = files = None
    with suppress(OSError, ValueError, IndexError):
        pages = int((PROC / "self" / "statm").read_text("ascii").split()[1])
        memory = pages * os.sysconf("SC_PAGE_SIZE")
        files = sum(1 for _ in (PROC / "self" / "fd").iterdir())
    return ProcessOut(
        memory_bytes=memory, cpu_s=round(time.process_time(), 1), threads=threading.active_count(), files=files
    )


def machine_now() -> MachineOut:
    """Look at this machine."""
    load = memory = free = None
    with suppress(OSError, AttributeError):
        load = [round(one, 2) for one in os.getloadavg()]
    with suppress(OSError, ValueError, KeyError):
        lines = (PROC / "meminfo").read_text("ascii").splitlines()
        told = {name: int(rest.split()[0]) * KILOBYTE for name, _, rest in (line.partition(":") for line in lines)}
        memory, free = told["MemTotal"], told["MemAvailable"]
    return MachineOut(cores=free_cores(), load=load, memory_bytes=memory, free_bytes=free)
