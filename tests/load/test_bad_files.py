"""Bad files end in documents or in a typed outcome with a cure; none hangs, kills, leaks or is silently empty.

The suite reads a few hundred; `ROVE_BAD_FILES=5000` reads that many, the hostile ones a hundred times as far.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from load.bad_files import MAKERS, bad_files
from load.endings import endings
from load.hostile_text import SECRET, SECRET_PATH
from rove.sandbox import Limits

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"
COUNT = int(os.environ.get("ROVE_BAD_FILES", "0"))
SEED = int(os.environ.get("ROVE_BAD_FILES_SEED", "4"))
QUICK_COUNT, QUICK_REACH, FAR_REACH = len(MAKERS) + 120, 100, 20_000
QUICK = Limits(cpu_s=5.0)


@pytest.fixture
def secret() -> Iterator[None]:
    """The file that hostile ones try to have read."""
    Path(SECRET_PATH).write_text(SECRET, "ascii")
    yield
    Path(SECRET_PATH).unlink(missing_ok=True)


@pytest.mark.long
@pytest.mark.usefixtures("secret")
def test_bad_files_end_well(tmp_path: Path) -> None:
    count, reach, limits = (COUNT, FAR_REACH, Limits()) if COUNT else (QUICK_COUNT, QUICK_REACH, QUICK)
    shared = SHARED_DATA if SHARED_DATA.is_dir() else None
    ended = endings(bad_files(shared, count=count, reach=reach, seed=SEED), tmp_path, limits)
    bad = [f"{name}: {'; '.join(ending.problems)}" for name, ending in ended.items() if ending.problems]
    assert not bad, "\n".join([f"{len(bad)} of {len(ended)}:", *bad[:40]])
    assert len(ended) == count
