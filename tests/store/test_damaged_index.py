"""An index damaged in any way: every error is typed, and doctor makes it anew; a seeded loop over its files."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

from rove import RoveError, ServiceError, Text
from rove.engine import AsyncRove
from rove.store import INDEXES
from rove.store.guarded import GuardedIndex
from rove.store.memory_index import MemoryIndex

SETTINGS = {"embedder": {"name": "fake"}, "store": {"index": "lancedb", "resident_chunks": 0}}
TRIALS = 8
"""Of each seed; `make campaign` damages files of an index as well, by more."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of 60 texts in three batches, one of them deleted, so that its index has several files."""

    async def made(folder: Path) -> None:
        async with AsyncRove.open(folder, **SETTINGS) as kb:
            for i in range(3):
                texts = [f"The lighthouse keeper {i}-{n} counts ships. 灯台守は船を数えた。" for n in range(20)]
                await kb.add([Text(t, id=f"{i}-{n}", metadata={"n": n}) for n, t in enumerate(texts)])
            await kb.delete("0-3")

    folder = tmp_path_factory.mktemp("sound") / "kb"
    asyncio.run(made(folder))
    return folder


def damaged(index: Path, chance: random.Random) -> list[tuple[str, str]]:
    """Do something to up to four of its files; returns what."""
    done: list[tuple[str, str]] = []
    for _ in range(chance.choice([1, 1, 2, 4])):
        file = chance.choice(sorted(path for path in index.rglob("*") if path.is_file()))
        kind = chance.choice(["cut", "flipped", "zeroed", "random", "gone", "grown", "folder"])
        data = bytearray(file.read_bytes())
        match kind:
            case "cut":
                os.truncate(file, chance.randrange(len(data) + 1))
            case "gone":
                file.unlink()
            case "folder":
                file.unlink()
                file.mkdir()
            case "flipped":
                for _ in range(chance.choice([1, 3, 30]) if data else 0):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                file.write_bytes(data)
            case _:
                at, size = chance.randrange(len(data) + 1), chance.choice([1, 16, 400])
                put = bytes(size) if kind == "zeroed" else chance.randbytes(size)
                file.write_bytes(data[:at] + put + (data[at:] if kind == "grown" else data[at + size :]))
        done.append((file.name, kind))
    return done


@pytest.mark.parametrize("seed", range(2))
async def test_damaged_files_end_in_typed_errors_that_doctor_mends(seed: int, sound: Path, tmp_path: Path) -> None:
    chance = random.Random(seed)
    for trial in range(TRIALS):
        folder = tmp_path / str(trial)
        shutil.copytree(sound, folder)
        done = damaged(folder / "index", chance)
        async with AsyncRove.open(folder, **SETTINGS) as kb:
            try:
                await kb.search("lighthouse")
            except RoveError as error:
                assert "rove doctor" in str(error), done
            await kb.doctor()
            for mode in ("keyword", "semantic"):
                assert len(await kb.search("lighthouse 灯台守", mode=mode, top_k=99)) == 59, (done, mode)
            assert (await kb.doctor()).ok, done
        shutil.rmtree(folder)


class Panic(BaseException):
    """What a library in Rust panics with is no `Exception`."""


class PanickingIndex(MemoryIndex):
    """An index of somebody else's that fails as `raised` says."""

    raised: BaseException = Panic("a poisoned lock")

    async def semantic(self, *given: object, **more: object) -> list[tuple[str, float]]:
        raise self.raised


@pytest.mark.parametrize(
    "raised", [Panic("poisoned"), KeyError("f_x__n"), OSError(28, "No space left"), OverflowError()]
)
async def test_what_a_plug_in_raises_is_typed_too(
    raised: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(INDEXES.table, "panicking", f"{__name__}:PanickingIndex")
    monkeypatch.setattr(PanickingIndex, "raised", raised)
    store = {"index": "panicking", "resident_chunks": 0}
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, store=store) as kb:
        await kb.add(Text("The lighthouse keeper counts ships.", id="a"))
        with pytest.raises(ServiceError, match=type(raised).__name__) as failed:
            await kb.search("lighthouse", mode="semantic")
        assert failed.value.retryable == isinstance(raised, OSError)  # a full disk may have room again
        assert (await kb.doctor()).chunks == 1


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), asyncio.CancelledError()])
async def test_what_ends_a_program_or_a_task_is_let_through(raised: BaseException, tmp_path: Path) -> None:
    made = PanickingIndex(dimension=4)
    made.raised = raised
    with pytest.raises(type(raised)):
        await GuardedIndex(lambda: made).semantic(np.ones(4), top_k=1)


async def test_a_clock_before_1970_is_named_and_what_was_added_then_is_found_once_it_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def panic(*_: object, **__: object) -> None:
        raise Panic("SystemTimeError(315619182.3s)")

    store = {"resident_chunks": 0}
    async with AsyncRove.open(
        tmp_path / "kb", embedder={"name": "fake"}, store=store, index=MemoryIndex(dimension=384)
    ) as kb:
        with monkeypatch.context() as then:
            then.setattr("rove.store.guarded.time", lambda: -315_619_182.0)
            then.setattr(MemoryIndex, "add", panic)
            then.setattr(MemoryIndex, "rebuild", panic)
            with pytest.raises(ServiceError, match=r"before 1970\. Set the clock") as caught:
                await kb.add(Text("灯台守は船を数えた。", id="kept"))
            assert not caught.value.retryable
        await kb.doctor()
        assert [hit.chunk.document_id for hit in await kb.search("灯台守", mode="keyword")] == ["kept"]
