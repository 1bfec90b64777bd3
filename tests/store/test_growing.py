"""Rows in blocks are read as if they were one array, and what is there stays where it is."""

from __future__ import annotations

import numpy as np
import pytest

from rove.store import growing
from rove.store.growing import Growing


@pytest.mark.parametrize("base", [0, 1, 50])
@pytest.mark.parametrize("parts", [[], [3], [1, 1, 1], [40, 3, 100, 1, 7]])
def test_it_reads_like_one_array(base, parts, monkeypatch):
    monkeypatch.setattr(growing, "LEAST", 8)
    monkeypatch.setattr(growing, "MOST", 16)
    whole = np.arange(2 * (base + sum(parts)), dtype=np.float32).reshape(-1, 2)
    rows = Growing(np.float32, 2)
    rows.begin(whole[:base])
    at = base
    for part in parts:
        rows.extend(whole[at : at + part])
        at += part
    assert rows.shape == whole.shape
    assert len(rows) == len(whole)
    chosen = np.random.default_rng(at).integers(0, max(at, 1), 30 if at else 0)
    assert (rows[chosen] == whole[chosen]).all()
    for run in (slice(None), slice(0, 0), slice(2, 9), slice(base, base + 1), slice(base - 1, base + 30)):
        assert (rows[run] == whole[run]).all()
    assert sum(map(len, rows.runs(1, at))) == max(at - 1, 0)


def test_adding_copies_nothing_that_is_there():
    mapped = np.zeros((5_000, 4), np.float32)
    mapped.flags.writeable = False
    rows = Growing(np.float32, 4)
    rows.begin(mapped)
    rows.extend(np.ones((2, 4), np.float32))
    first = rows[slice(5_000, 5_002)]
    rows.extend(np.ones((20_000, 4), np.float32))
    assert np.shares_memory(rows[slice(0, 5_000)], mapped)
    assert np.shares_memory(rows[slice(5_000, 5_002)], first)
