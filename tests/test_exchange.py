"""Exports whose lines are taken slowly."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import rove.exchange
from rove import AsyncRove, Text
from rove.models import Fingerprint
from rove.store.store import Store

DOCUMENTS = 40


async def test_who_takes_lines_slowly_has_no_more_read_than_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, lines_of = 0, rove.exchange._export_lines

    def counted(store: Store, fingerprint: Fingerprint, ids: Sequence[str]) -> dict[str, rove.exchange.Line]:
        nonlocal read
        read += len(ids)
        return lines_of(store, fingerprint, ids)

    monkeypatch.setattr(rove.exchange, "_export_lines", counted)
    monkeypatch.setattr(rove.exchange, "FRESH_S", -1.0)  # each line is taken too late for the next
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        await kb.add(*(Text(f"Soup number {number}.", id=str(number)) for number in range(DOCUMENTS)))
        lines = [json.loads(line) async for line in kb.export()]
    assert [line["document_id"] for line in lines[1:]] == [str(number) for number in range(DOCUMENTS)]
    assert read <= 3 * DOCUMENTS
