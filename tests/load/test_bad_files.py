"""Bad files end in documents or in a typed outcome with a cure; none hangs, kills, leaks or is silently empty.

The suite reads a few hundred; `ROVE_BAD_FILES=5000` reads that many, the hostile ones a hundred times as far.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import SHARED_DATA
from load.bad_files import MAKERS, bad_files
from load.hostile_text import SECRET, SECRET_PATH
from load.reading_child import Ending, Reader

COUNT = int(os.environ.get("ROVE_BAD_FILES", "0"))
QUICK_COUNT, QUICK_REACH, FAR_REACH = len(MAKERS) + 300, 300, 30_000
SEED = int(os.environ.get("ROVE_BAD_FILES_SEED", "4"))


@pytest.fixture
def reader() -> Iterator[Reader]:
    Path(SECRET_PATH).write_text(SECRET, "ascii")
    reader = Reader()
    yield reader
    reader.close()
    Path(SECRET_PATH).unlink()


def test_bad_files_end_well(reader: Reader) -> None:
    count, reach = (COUNT, FAR_REACH) if COUNT else (QUICK_COUNT, QUICK_REACH)
    shared = SHARED_DATA if SHARED_DATA.is_dir() else None
    endings: dict[str, Ending] = {}
    for file in bad_files(shared, count=count, reach=reach, seed=SEED):
        endings[file.name] = reader.end_of(file)
    told = Counter(ending.outcome for ending in endings.values())
    slowest = sorted(endings.items(), key=lambda item: -item[1].cpu_s)[:5]
    print(dict(told), [(name, f"{ending.cpu_s:.1f} s") for name, ending in slowest])
    bad = [f"{name}: {ending.problem}" for name, ending in endings.items() if ending.problem]
    assert not bad, "\n".join([f"{len(bad)} of {len(endings)}:", *bad[:40]])
    assert len(endings) == count
