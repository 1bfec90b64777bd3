"""A copy of the project, in which a mutant is put in place of a module, and tests are run on it."""

from __future__ import annotations

import compileall
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from mutate import ROOT
from mutate.mutants import Mutant

LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "pictures")
HUNG = -signal.SIGXCPU
"""The status of a run that took too long."""
WAIT_S = 900.0
"""How long a run may take in all: one that waits for ever uses no processor."""


class Copy:
    """A copy in a folder of its own. The real data stands beside it, as it does beside the project."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "rove"
        shutil.copytree(ROOT, self.root, ignore=LEFT_OUT)
        if (ROOT.parent / "shared").exists():
            (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
        compileall.compile_dir(self.root / "src", quiet=1)

    def put(self, mutant: Mutant) -> None:
        """Put the mutant in place of its module."""
        (self.root / mutant.module).write_bytes(mutant.applied((ROOT / mutant.module).read_bytes()))

    def take_back(self, mutant: Mutant) -> None:
        """Put the module back, with its time, so that it counts as compiled."""
        shutil.copy2(ROOT / mutant.module, self.root / mutant.module)

    def run(self, paths: Sequence[str], limit_s: int, **told: str) -> int:
        """Run tests within so many seconds of a processor; returns pytest's status, or `HUNG`."""
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(ROOT)]),
            "PYTHONDONTWRITEBYTECODE": "",  # or else every process compiles all that it loads
            "PYTHONHASHSEED": "0",
            **told,
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "mutate.hooks", "-p", "no:cacheprovider", *paths]
        with (self.root.parent / "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=log, stderr=log, start_new_session=True
            )
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit_s, limit_s + 1))
            try:
                return process.wait(WAIT_S)
            except subprocess.TimeoutExpired:
                return HUNG
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    @property
    def said(self) -> str:
        """What the last run has printed."""
        return (self.root.parent / "log").read_text("utf-8", "replace")
