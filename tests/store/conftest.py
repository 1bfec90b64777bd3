"""Small bases have a snapshot too in these tests, so that what large ones rest on is tried everywhere."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from rove.store import resident, store


@pytest.fixture(autouse=True, scope="module")
def snapshots_of_small_bases() -> Generator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(resident, "KEPT_FROM", 5)
        monkeypatch.setattr(resident, "GROWTH_AT_REST", 1_000)
        monkeypatch.setattr(store, "FEW_CHUNKS", 1)
        yield
