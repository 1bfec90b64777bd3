"""What took long to make is kept: mapped again, made again where it is damaged, and never needed."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import rove.cached
from rove.cached import cached_array, cached_model, checksum_of, drop_cached

private = pytest.mark.skipif(sys.platform == "win32", reason="there temporary folders are a user's own")
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


def test_a_damaged_model_is_made_again_and_never_opened_where_nothing_can_be_written(folder: Path, monkeypatch):
    kept = cached_model("a.onnx", lambda: b"model")
    assert isinstance(kept, Path)
    assert cached_model("a.onnx", lambda: pytest.fail("made again")) == kept
    whole = kept.read_bytes()
    assert whole.startswith(b"model")
    kept.write_bytes(b"x" + whole[1:])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(rove.cached, "_write_to", full)
        assert cached_model("a.onnx", lambda: b"model") == whole
    assert cached_model("a.onnx", lambda: b"model") == kept
    assert kept.read_bytes() == whole


def test_a_checksum_is_remembered_of_a_file_that_stays_as_it_is(folder: Path, tmp_path: Path):
    file = tmp_path / "weights.bin"
    file.write_bytes(b"abc")
    assert checksum_of(file) == hashlib.sha256(b"abc").hexdigest()
    assert not list(folder.glob("*.digest")), "a file this new may change and keep its time"
    long_ago = file.stat().st_mtime_ns - 60 * 10**9
    os.utime(file, ns=(long_ago, long_ago))
    assert checksum_of(file) == hashlib.sha256(b"abc").hexdigest()
    (kept,) = folder.glob("*.digest")
    kept.write_text(kept.read_text().rpartition(" ")[0] + f" {'0' * 64}")
    assert checksum_of(file) == "0" * 64, "it was read again"
    kept.write_text("torn")
    assert checksum_of(file) == hashlib.sha256(b"abc").hexdigest()
    file.write_bytes(b"abd")  # as long as before
    assert checksum_of(file) == hashlib.sha256(b"abd").hexdigest()
    os.utime(file, ns=(long_ago, long_ago + 1))
    assert checksum_of(file) == hashlib.sha256(b"abd").hexdigest()


def test_an_array_that_was_found_sound_is_looked_through_again_once_its_file_is_another(folder: Path):
    cached_array("a.npy", lambda: KEPT)
    kept = folder / "a.npy"
    long_ago = kept.stat().st_mtime_ns - 60 * 10**9
    os.utime(kept, ns=(long_ago, long_ago))
    assert np.array_equal(cached_array("a.npy", lambda: pytest.fail("made again")), KEPT)
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-99] + b"?" + whole[-98:])
    os.utime(kept, ns=(long_ago, long_ago + 1))
    assert np.array_equal(cached_array("a.npy", lambda: KEPT), KEPT)
    assert kept.read_bytes() == whole


@pytest.fixture
def closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose cache cannot be written; returns the private folder among its temporary files."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"rove-{os.getuid() if sys.platform != 'win32' else 0}"


@private
def test_where_the_cache_cannot_be_written_a_private_folder_serves(closed: Path):
    assert cached_array("a.npy", lambda: KEPT) is KEPT
    assert np.array_equal(cached_array("a.npy", lambda: pytest.fail("made again")), KEPT)
    assert closed.stat().st_mode & 0o777 == 0o700
    drop_cached("a.npy")
    assert not list(closed.iterdir())


@private
@pytest.mark.parametrize("link", [False, True])
def test_a_folder_that_others_could_write_to_is_not_trusted(closed: Path, link: bool):
    shared = closed.with_name("shared") if link else closed
    shared.mkdir()
    shared.chmod(0o700 if link else 0o777)
    if link:
        closed.symlink_to(shared)
    assert cached_array("a.npy", lambda: KEPT) is KEPT
    assert not (closed / "a.npy").exists()


def test_without_a_place_the_array_is_there_all_the_same(closed: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tempfile, "tempdir", os.environ["ROVE_CACHE"])
    assert cached_array("a.npy", lambda: KEPT) is KEPT
    assert not closed.exists()


def test_what_a_killed_process_left_goes_once_it_is_old(folder: Path):
    folder.mkdir()
    old, young = folder / "b.npy.x1.tmp", folder / "c.npy.x2.tmp"
    for left in (old, young):
        left.write_bytes(bytes(9))
    os.utime(old, (1.0, 1.0))
    cached_array("a.npy", lambda: KEPT)
    assert {path.name for path in folder.iterdir()} == {"a.npy", young.name}
