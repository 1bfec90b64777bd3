"""What took long to make is kept: mapped again, made again where it is damaged, and never needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove.cached import cached_array

KEPT = np.arange(5000, dtype=np.float32).reshape(50, 100)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_array_is_made_once_and_then_mapped(folder: Path):
    assert np.array_equal(cached_array("a.npy", lambda: KEPT), KEPT)
    again = cached_array("a.npy", lambda: pytest.fail("made again"))
    assert isinstance(again, np.memmap)
    assert np.array_equal(again, KEPT)
    assert [path.name for path in folder.iterdir()] == ["a.npy"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-1],
        lambda whole: b"",
        lambda whole: b"x" * len(whole),
        lambda whole: whole[:-99] + b"?" + whole[-98:],
    ],
)
def test_a_damaged_array_is_made_again(folder: Path, damage):
    cached_array("a.npy", lambda: KEPT)
    kept = folder / "a.npy"
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole))
    assert np.array_equal(cached_array("a.npy", lambda: KEPT), KEPT)
    assert kept.read_bytes() == whole


def test_without_a_place_the_array_is_there_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path / "file" / "cache"))
    assert cached_array("a.npy", lambda: KEPT) is KEPT
