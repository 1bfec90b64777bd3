"""The packaged pools of workers, each run through the suite that their plug-ins' authors run too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest

from rove.ingest.workers import WorkerPool
from rove.sandbox.watchdog import tree
from rove.testing import WorkerPoolContract


class TestProcesses(WorkerPoolContract):
    name = "processes"
    address = "2"

    def pids(self, pool: WorkerPool) -> list[int]:
        del pool
        return [pid for pid in tree(os.getpid()) if b"workers.child" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.servers
@pytest.mark.usefixtures("processes_that_ray_leaves")
class TestRay(WorkerPoolContract):
    name = "ray"
    address = "ray?workers=2"

    def pids(self, pool: WorkerPool) -> list[int]:
        return cast("list[int]", pool.pids())
