"""Fixtures that every test can use."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
os.environ.setdefault("ROVE_CACHE", str(Path(tempfile.gettempdir()) / f"rove-test-cache-{os.getuid()}"))
"""One conversion of the packaged model serves all tests and their processes; the user's own cache stays as it is."""
SHARED_DATA = ROOT.parent / "shared" / "data"
MEMORY = Path("/dev/shm")
ROOM_BYTES = 4_000_000_000


def keep_files_in_memory() -> None:
    """Let tests and their processes keep files in memory where there is room for them, and wait for no disk.

    A killed process leaves the same behind there. `TMPDIR=/tmp make test` uses the disk.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    held = os.statvfs(MEMORY)
    if held.f_bavail * held.f_frsize >= ROOM_BYTES and not held.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


keep_files_in_memory()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project; a test that needs it skips where it is absent, save in the project's CI."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("ROVE_REQUIRE_DATA"):
            pytest.fail(f"ROVE_REQUIRE_DATA is set and {SHARED_DATA} is not there")
        pytest.skip("needs the project's shared/data, which is not part of the package")
    return SHARED_DATA


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the files of long tests go first: several processes then end at about the same time."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Let garbage be looked for among what tests make, not again and again in all the modules that are loaded."""
    gc.collect()
    gc.freeze()
