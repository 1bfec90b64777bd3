"""Shards: there whole or not at all, what was written comes back, and what is damaged is not taken for one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from worker_bases import FAKE, check_once, rows, texts

from rove import Rove
from rove.ingest.workers import Ready
from rove.ingest.workers.dispatch import _check_shard_items
from rove.ingest.workers.shards import DamagedShardError, Shards
from rove.load.discover import Location
from rove.prepare import Preparer, Recipe
from rove.records import PageRead, Prepared, SourceEnd
from rove.store.fixed_point import fixed, floats


def made(count: int) -> list[Prepared | SourceEnd]:
    preparer = Preparer(Recipe(model="m", pipeline="p"))
    return [item for text in texts(count) for item in preparer.read(Location(text.id, text.id, "text", text=text))]


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    items = [*made(7), PageRead("scan.pdf", "d", b"words", 1, 2)]
    keys = [key for item in items if isinstance(item, Prepared) for key in item.vector_keys]
    chance = np.random.default_rng(1)
    vectors = {key: v / np.linalg.norm(v) for key in keys[:-1] for v in [chance.normal(size=8).astype(np.float32)]}
    shards = Shards(str(tmp_path / "shards"))
    shards.write("a", items, vectors, {keys[0]: b"tokens"})
    assert "a" in shards
    read = shards.read("a")
    assert [item.prepared if isinstance(item, Ready) else item for item in read] == items
    ready = [item for item in read if isinstance(item, Ready)]
    assert {key: v.tolist() for item in ready for key, v in item.vectors.items()} == {
        key: floats(*fixed(vector[None]))[0].tolist() for key, vector in vectors.items()
    }
    assert {key: one for item in ready for key, one in item.tokens.items()} == {keys[0]: b"tokens"}
    assert [path.name for path in (tmp_path / "shards").iterdir()] == ["a.parquet"]
    assert (tmp_path / "shards").stat().st_mode & 0o077 == 0
    shards.remove(["a", "unknown"])
    assert "a" not in shards


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_cut_one_is_damaged(tmp_path: Path, share: float) -> None:
    shards = Shards(str(tmp_path))
    shards.write("a", made(3), {}, {})
    file = tmp_path / "a.parquet"
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    with pytest.raises(DamagedShardError):
        shards.read("a")


def test_no_byte_can_change_unseen(tmp_path: Path) -> None:
    shards = Shards(str(tmp_path))
    shards.write("a", made(3), {}, {})
    file, seen = tmp_path / "a.parquet", 0
    whole, before = file.read_bytes(), shards.read("a")
    for at in range(0, len(whole), 41):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        try:
            assert shards.read("a") == before, f"byte {at} is another, and so is what is read"
        except DamagedShardError:
            seen += 1
    assert seen > 10


def test_a_damaged_one_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, damaged = Shards.read, list[str]()

    def once(shards: Shards, name: str) -> list[Ready | PageRead | SourceEnd]:
        if len(damaged) < 3 and name not in damaged:
            damaged.append(name)
            file = tmp_path / "kb" / "shards" / f"{name}.parquet"
            file.write_bytes(file.read_bytes()[:-9])
        return read(shards, name)

    with Rove.open(tmp_path / "alone", **FAKE) as kb:
        kb.add(texts(300))
    monkeypatch.setattr(Shards, "read", once)
    with Rove.open(tmp_path / "kb", **FAKE, load={"workers": "2"}) as kb:
        assert kb.add(texts(300)).ok
    assert len(damaged) == 3
    check_once(tmp_path / "kb", rows(tmp_path / "alone"))


def test_what_an_earlier_run_has_left_is_swept(tmp_path: Path) -> None:
    shards = Shards(str(tmp_path / "shards"))
    shards.write("old", made(1), {}, {})
    shards.sweep(datetime.now(UTC) - timedelta(hours=1))
    assert "old" in shards
    shards.sweep(datetime.now(UTC) + timedelta(hours=1))
    assert not (tmp_path / "shards").exists()


def test_one_that_others_have_written_is_damaged(tmp_path: Path) -> None:
    shards = Shards(str(tmp_path))
    jobs = [(Location(text.id, text.id, "text", text=text), "") for text in texts(3)]
    recipe, items = Recipe(model="m", pipeline="p"), made(3)
    shards.write("a", items, {}, {})
    _check_shard_items(shards.read("a"), jobs, recipe, "a")
    first = next(item for item in items if isinstance(item, Prepared))
    victim = replace(first, document=replace(first.document, document_id="victim"))
    for wrong in ([victim, *items[1:]], items[:-1], [*items, *items], [replace(first, fingerprint="0"), *items[1:]]):
        shards.write("b", wrong, {}, {})
        with pytest.raises(DamagedShardError):
            _check_shard_items(shards.read("b"), jobs, recipe, "b")
