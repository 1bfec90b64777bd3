"""Kill -9 amid adds with workers: whatever was killed, in the end every chunk is there once. See `killed_adds`.

ROVE_KILLS says how many kills there are (100, say); ROVE_KILLS_SEED, a whole number, which. On Ray: `-m servers`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

SCRIPT = Path(__file__).with_name("killed_adds.py")
FEW = {"2": 3, "ray": 20}
A_KILL_S = 60


@pytest.mark.long
@pytest.mark.parametrize("workers", ["2", pytest.param("ray", marks=pytest.mark.servers)])
def test_after_any_kill_every_chunk_is_there_once(workers: str) -> None:
    kills = int(os.environ.get("ROVE_KILLS", FEW[workers]))
    seed = os.environ.get("ROVE_KILLS_SEED", "1")
    with TemporaryDirectory(prefix="rk") as folder:  # Ray's sockets want a short path
        done = subprocess.run(
            [sys.executable, str(SCRIPT), str(kills), seed, workers, folder],
            capture_output=True, text=True, timeout=300 + A_KILL_S * kills, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    counted = json.loads(done.stdout.splitlines()[-1])
    assert sum(counted["kills"].values()) >= kills
    assert counted["checked"] >= 1
