"""Kill -9 in the second pass of an `add` at two speeds: in the end every passage is deep, once. See `killed_speeds`.

ROVE_KILLS says how many there are; ROVE_KILLS_SEED which.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("killed_speeds.py")
FEW = 6
A_RUN_S = 30


@pytest.mark.long
def test_after_any_kill_every_passage_is_deep_once(tmp_path: Path) -> None:
    runs, seed = int(os.environ.get("ROVE_KILLS", FEW)), os.environ.get("ROVE_KILLS_SEED", "1")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(runs), seed, str(tmp_path)],
        capture_output=True, text=True, timeout=120 + A_RUN_S * runs, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    counted = json.loads(done.stdout.splitlines()[-1])
    assert sum(count for what, count in counted.items() if what.endswith("killed")) >= runs // 2
    assert counted["taken up amid"] >= runs // 3 and counted["mended"] >= 1
