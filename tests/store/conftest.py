"""Small bases have a snapshot too in these tests, so that what large ones rest on is tried everywhere."""

from __future__ import annotations

import pytest

from rove.store import resident, store


@pytest.fixture(autouse=True)
def snapshots_of_small_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 5)
    monkeypatch.setattr(resident, "GROWTH_AT_REST", 1_000)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)
