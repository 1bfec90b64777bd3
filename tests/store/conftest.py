"""Small bases have a snapshot too in these tests, so that what large ones rest on is tried everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rove.store import resident, store


@pytest.fixture(scope="module", autouse=True)
def snapshots_of_small_bases() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resident, "KEPT_FROM", 5)
        patched.setattr(resident, "GROWTH_AT_REST", 1_000)
        patched.setattr(store, "FEW_CHUNKS", 1)
        yield
