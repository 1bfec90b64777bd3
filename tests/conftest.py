"""Fixtures that every test can use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the project; a test that needs it skips where it is absent, save in the project's CI."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("ROVE_REQUIRE_DATA"):
            pytest.fail(f"ROVE_REQUIRE_DATA is set and {SHARED_DATA} is not there")
        pytest.skip("needs the project's shared/data, which is not part of the package")
    return SHARED_DATA
