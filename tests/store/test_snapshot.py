"""The resident index on disk: a fresh process finds the same by it as without it, or does not use it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove import Rove, Text, field
from rove.records import Filter
from rove.settings import StoreSettings
from rove.store import IndexRow, array_file, documents, follower, resident, snapshot, store
from rove.store.failpoints import WRITING_SNAPSHOT
from rove.store.memory_index import MemoryIndex
from rove.store.packed_texts import PackedTexts
from rove.store.snapshot import Snapshot

FAKE = {"embedder": {"name": "fake"}}
WORDS = ["kutya", "macska", "hund", "katze", "远程", "办公", "犬", "猫", "dog", "house", "árvíz", "straße"]
MODES = ("keyword", "semantic", "hybrid", "sparse", "gather", "walk")
CONDITIONS: list[Filter | None] = [
    None,
    field("flag") == True,  # noqa: E712 - a filter
    field("flag") == 1,
    field("tags") == "日本",
    ~field("year").exists(),
    field("year") >= 2003.5,
]
DIMENSION = 8


@pytest.fixture(autouse=True)
def from_few_chunks_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "KEPT_FROM", 5)
    monkeypatch.setattr(store, "FEW_CHUNKS", 1)


def texts(first: int = 0, count: int = 40) -> Iterator[Text]:
    for n in range(first, first + count):
        said = " ".join(WORDS[(n * step) % len(WORDS)] for step in (1, 2, 3, 5, 7)) + f" number{n}"
        own = {"flag": (True, 1, 1.0)[n % 3], "tags": ("a", "日本") if n % 4 else ("b",)}
        yield Text(
            f"{said}. Und noch ein Satz über {said}.", id=f"d{n}", metadata=own | ({"year": 2000 + n} if n % 2 else {})
        )


def found(folder: Path, **settings_of_store: object) -> dict[str, list[tuple[str, float]]]:
    """What a fresh process finds."""
    with Rove.open(folder, **FAKE, store=settings_of_store) as kb:
        return {
            f"{mode} {question} {where}": [
                (hit.chunk.chunk_id, round(hit.score, 5)) for hit in kb.search(question, mode=mode, where=where)
            ]
            for question in ("macska house", "远程办公 number7", "Katze")
            for mode in MODES
            for where in CONDITIONS
        }


def without(folder: Path, base: Path) -> dict[str, list[tuple[str, float]]]:
    """What is found where no snapshot is."""
    shutil.copytree(base, folder)
    snapshot.drop(folder / "resident")
    return found(folder)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(texts())
    assert len(list((tmp_path / "kb" / "resident").iterdir())) == 1
    return tmp_path / "kb"


def used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Say whether a fresh process begins with the snapshot."""
    restored: list[Snapshot] = []
    with monkeypatch.context() as patch, Rove.open(folder, **FAKE) as kb:
        patch.setattr(MemoryIndex, "restore", lambda self, kept: restored.append(kept))
        kb.search("house")
    return bool(restored)


def test_a_fresh_process_finds_the_same(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert used(base, monkeypatch)
    assert found(base) == without(tmp_path / "bare", base)


def test_what_changed_since_is_taken_in(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resident, "GROWTH_AT_REST", 0)  # the snapshot stays behind
    held = sorted(path.name for path in (base / "resident").iterdir())
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(40, 5))
        kb.add(Text("macska replaced", id="d3"), Text("house replaced 远程", id="d4"))
        kb.add(Text("一个新的文件 about a new house", id="new", metadata={"tags": ("日本",), "fresh": True}))
    assert sorted(path.name for path in (base / "resident").iterdir()) == held
    assert found(base) == without(tmp_path / "bare", base)
    with Rove.open(base, **FAKE) as kb:
        assert [hit.chunk.document_id for hit in kb.search("house", where=field("fresh") == True)] == ["new"]  # noqa: E712


def test_it_is_written_anew_as_the_base_grows(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = [path.name for path in (base / "resident").iterdir()]
    monkeypatch.setattr(resident, "GROWTH_AT_REST", 10)
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(40, 1))
        assert [path.name for path in (base / "resident").iterdir()] == held
        kb.add(texts(41, 20))
    written = [path.name for path in (base / "resident").iterdir()]
    assert len(written) == 1
    assert written != held


def noise(data: bytes) -> bytes:
    return np.random.default_rng(len(data)).bytes(len(data))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut by one": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "zeroed": lambda data: bytes(len(data)),
    "reversed": lambda data: data[::-1],
    "noise": noise,
    "nested deep": lambda _: b"[" * 200_000,
}


def test_what_is_damaged_is_not_used(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place,) = (base / "resident").iterdir()
    assert sorted(file.name for file in place.iterdir()) == ["arrays.bin", "facts.json"]
    for file in sorted(place.iterdir()):
        whole = file.read_bytes()
        for name, damage in DAMAGES.items():
            file.write_bytes(damage(whole))
            assert not used(base, monkeypatch), f"{file.name}: {name}"
        file.unlink()
        assert not used(base, monkeypatch)
        file.mkdir()
        assert not used(base, monkeypatch)
        file.rmdir()
        file.symlink_to(file)
        assert not used(base, monkeypatch)
        file.unlink()
        file.write_bytes(whole)
    assert used(base, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", denied)
        assert not used(base, monkeypatch)
    wanted = without(tmp_path / "bare", base)
    (place / "arrays.bin").write_bytes(noise(bytes(10_000)))
    assert found(base) == wanted
    with Rove.open(base, **FAKE) as kb:
        assert kb.doctor().problems == ("the snapshot was damaged",)
        assert kb.doctor().ok
    assert used(base, monkeypatch)


def denied(path: Path) -> bytes:
    raise PermissionError(13, "Permission denied", str(path))


@pytest.mark.parametrize("mapped", [False, True])
def test_no_flipped_bit_is_answered_from(base: Path, mapped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0 if mapped else 1 << 20)
    (place,) = (base / "resident").iterdir()
    kept = snapshot.read_snapshot(base / "resident", place.name)
    assert kept and kept.file.is_mapped == mapped
    wanted = {name: array.copy() for name, array in kept.arrays.items()}
    chance = Random(41)
    refused = 0
    for file in sorted(place.iterdir()):
        whole = bytearray(file.read_bytes())
        bits = {*range(1_024), *(chance.randrange(8 * len(whole)) for _ in range(1_200))}
        for bit in sorted(bits):
            whole[bit // 8] ^= 1 << bit % 8
            file.write_bytes(whole)
            again = snapshot.read_snapshot(base / "resident", place.name)
            refused += again is None
            assert again is None or all(np.array_equal(again.arrays[name], array) for name, array in wanted.items())
            whole[bit // 8] ^= 1 << bit % 8
        file.write_bytes(whole)
    assert refused > 4_000  # the rest lies between two arrays
    assert snapshot.read_snapshot(base / "resident", place.name)


@pytest.fixture
def in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots as large ones are: mapped, of more blocks than are looked at before the first answer."""
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0)
    monkeypatch.setattr(array_file, "BLOCK_BYTES", 64)


def flipped_vector(base: Path) -> None:
    """Change a byte in each second block of the vectors but for the first and the last."""
    (place,) = (base / "resident").iterdir()
    described = json.loads((place / "facts.json").read_bytes())["arrays"]["upper"]
    whole = bytearray((place / "arrays.bin").read_bytes())
    for number in range(1, len(described["sums"]) - 1, 2):
        whole[described["offset"] + number * 64] ^= 0x40
    (place / "arrays.bin").write_bytes(whole)


def test_vectors_of_a_large_snapshot_are_sampled_before_the_first_answer(
    in_small_blocks: None, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place,) = (base / "resident").iterdir()
    file, array = place / "arrays.bin", json.loads((place / "facts.json").read_bytes())["arrays"]["upper"]
    whole, first = file.read_bytes(), array["offset"]
    size = int(np.prod(array["shape"]))
    assert len(array["sums"]) > 2 + array_file.SAMPLED_BLOCKS
    for name in ("zeroed", "reversed", "noise"):
        file.write_bytes(whole[:first] + DAMAGES[name](whole[first : first + size]) + whole[first + size :])
        assert not used(base, monkeypatch), name
    file.write_bytes(whole)
    assert used(base, monkeypatch)


def test_the_rest_of_a_large_snapshot_is_checked_once_an_answer_is_out(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = without(tmp_path / "bare", base)
    monkeypatch.setattr(resident, "CHECKED_AFTER_S", 0.0)
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0)
    monkeypatch.setattr(array_file, "_sample_block_numbers", lambda count: range(1))  # what is damaged is in no sample
    monkeypatch.setattr(array_file, "BLOCK_BYTES", 64)
    with Rove.open(base, **FAKE) as kb:
        kb.doctor()
        kb._kb.store.resident._write()
    flipped_vector(base)
    assert used(base, monkeypatch)
    with Rove.open(base, **FAKE) as kb:
        kb.search("house")
        checking = kb._kb.store.resident._checking
        if checking:
            checking.join()
        assert not list((base / "resident").iterdir())
        assert not kb._kb.store.resident._held.begun
    assert found(base) == wanted


def test_what_is_damaged_is_not_carried_into_the_next_snapshot(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0)
    monkeypatch.setattr(array_file, "BLOCK_BYTES", 64)
    with Rove.open(base, **FAKE) as kb:
        kb._kb.store.resident._write()
    flipped_vector(base)
    monkeypatch.setattr(array_file, "_sample_block_numbers", lambda count: range(1))
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(40, 30))
    assert used(base, monkeypatch)
    assert found(base) == without(tmp_path / "bare", base)


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("size", [0, 5_000])
def test_a_snapshot_that_is_cut_or_written_to_under_a_server_ends_nothing(
    base: Path, tmp_path: Path, mapped: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_file, "MEMORY_BYTES", 0 if mapped else 1 << 20)
    wanted = without(tmp_path / "bare", base)
    (file,) = (base / "resident").glob("*/arrays.bin")
    with Rove.open(base, **FAKE) as kb:
        before = kb.search("macska house")
        assert kb._kb.store.resident._held.begun
        os.truncate(file, size)
        assert kb.search("macska house") == before
        assert bool(kb._kb.store.resident._held.begun) != mapped
    assert found(base) == wanted


def test_what_lies_in_the_place_of_snapshots_is_no_obstacle(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = without(tmp_path / "bare", base)
    snapshot.drop(base / "resident")
    (base / "resident").write_text("a file", "utf-8")
    assert found(base) == wanted
    assert snapshot.newest(base / "resident") is None
    with Rove.open(base, **FAKE) as kb:
        kb.doctor()
        kb.add(texts(40, 30))
    assert used(base, monkeypatch)


def test_one_of_another_version_is_written_anew_and_no_problem(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = without(tmp_path / "bare", base)
    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "FORMAT", snapshot.FORMAT + 1)
        assert found(base) == wanted and not used(base, monkeypatch)
        with Rove.open(base, **FAKE) as kb:
            assert kb.doctor().ok
        assert used(base, monkeypatch)
    assert not used(base, monkeypatch)
    with Rove.open(base, **FAKE) as kb:
        kb._kb.store.resident.keep(at_rest=False)
    assert used(base, monkeypatch) and found(base) == wanted


def test_one_of_another_catalog_is_not_used(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup = tmp_path / "backup.sqlite"
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(100, 1))
    shutil.copy(base / "catalog.sqlite", backup)
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(200, 30))
    shutil.copy(backup, base / "catalog.sqlite")  # an older catalog beside a newer snapshot
    assert not used(base, monkeypatch)


def test_what_was_erased_leaves_no_byte(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        secret = Text("xylophoncanary stands here", id="gone", metadata={"canaryfield": "canaryvalue"})
        kb.add([secret, *texts(40, 20)])
        files = [file for file in (base / "resident").rglob("*") if file.is_file()]
        assert any(b"xylophoncanari" in file.read_bytes() or b"canary" in file.read_bytes() for file in files)
        kb.delete("gone")
        assert kb.search("house")
    files = [file for file in (base / "resident").rglob("*") if file.is_file()]
    assert files
    assert not any(b"canar" in file.read_bytes() for file in files)


def test_a_disk_that_is_full_costs_the_snapshot_only(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, *_: object) -> int:
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(snapshot, "_write_arrays", full)
    with Rove.open(base, **FAKE) as kb:
        report = kb.add(texts(40, 30))
        assert not report.failed
        assert kb.search("number55 house", mode="keyword")[0].chunk.document_id == "d55"
    assert not list(base.glob("resident/*"))


WRITES = """
import sys
from rove import Rove, Text
from rove.store import resident
resident.KEPT_FROM, resident.GROWTH_AT_REST = 5, 1_000
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    kb.add([Text(f"lighthouse keeper number{n} 灯台守", id=f"k{n}") for n in range(300)])
"""


def test_a_kill_between_a_snapshot_and_its_mark_loses_nothing(base: Path, tmp_path: Path) -> None:
    env = {**os.environ, "ROVE_FAILPOINT": WRITING_SNAPSHOT}
    ran = subprocess.run([sys.executable, "-c", WRITES, str(base)], env=env, capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert len(list((base / "resident").iterdir())) == 2
    assert found(base) == without(tmp_path / "bare", base)
    with Rove.open(base, **FAKE) as kb:
        assert kb.search("number299 灯台守", mode="keyword")[0].chunk.document_id == "k299"
        kb.add(texts(500, 30))
        assert kb.doctor().ok
    assert len(list((base / "resident").iterdir())) == 1


def test_a_base_that_does_not_fit_in_memory_is_packed_in_parts(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(texts(40, 300))
        kb.delete("d7", "d8")
    wanted = without(tmp_path / "bare", base)
    snapshot.drop(base / "resident")
    spilled: list[int] = []
    spill = resident.Follower._spill
    monkeypatch.setattr(follower, "SPILL", 50)
    monkeypatch.setattr(resident, "SPILL", 50)
    monkeypatch.setattr(resident.Follower, "_spill", lambda self: (spilled.append(self.index.added), spill(self))[1])
    monkeypatch.setattr(documents, "BATCH", 60)
    with Rove.open(base, **FAKE) as kb:
        assert kb.doctor().ok
    assert len(spilled) > 3
    assert max(spilled) <= 50 + 60
    assert [path.name for path in (base / "resident").iterdir()] != ["spilled"]
    assert used(base, monkeypatch)
    assert found(base) == wanted


def test_a_snapshot_that_lacks_chunks_is_said_and_made_anew(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        whole = MemoryIndex.extend
        patch.setattr(MemoryIndex, "extend", lambda self, rows: whole(self, rows[:-1]))
        snapshot.drop(base / "resident")
        with Rove.open(base, **FAKE) as kb:
            kb.add(texts(40, 1))
    with Rove.open(base, **FAKE) as kb:
        assert any("missing from the snapshot" in problem for problem in kb.doctor().problems)
        assert kb.doctor().ok


@pytest.mark.parametrize("asked", ["lighthouse", "灯台守"])
def test_an_index_that_other_writers_have_left_out_is_made_anew_before_it_is_asked(base: Path, asked: str) -> None:
    lance = {"index": "lancedb", "resident_chunks": 0}
    with Rove.open(base, **FAKE, store=lance) as one, Rove.open(base, **FAKE) as other:
        one.add(Text("lighthouse 灯台守 the first", id="new"))
        other.add(Text("lighthouse 灯台守 the second", id="new"))
        for kb in (one, other):
            assert "second" in kb.search(asked, mode="semantic")[0].chunk.text
        one.add(Text("something else", id="else"))
        assert one.doctor().ok
        assert "second" in one.search(asked, mode="semantic")[0].chunk.text
        assert not any("first" in hit.chunk.text for hit in one.search(asked, mode="semantic", top_k=99))


def row(n: int, words: list[int], document: int, year: int | None) -> IndexRow:
    vector = np.random.default_rng(n).standard_normal(DIMENSION).astype(np.float32)
    fields = {"document_id": f"d{document}", "mixed": (n, float(n), str(n), n % 2 == 0)[n % 4]}
    fields |= {"year": year} if year is not None else {}
    terms = " ".join(WORDS[word] for word in words) + f" only{n}"
    return IndexRow(f"c{n}", terms, vector / np.linalg.norm(vector), fields, ("en", "hu", "ja")[n % 3])


ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, len(WORDS) - 1), max_size=6), st.integers(0, 6), st.none() | st.integers(0, 3)),
    min_size=1,
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(before=ROWS, after=ROWS, gone=st.sets(st.integers(0, 29)))
def test_packed_and_restored_is_the_same_index(before, after, gone) -> None:
    def rows(given, first):
        return [
            row(first + n, words, first + n // 3 if d < 3 else 100 * (d + first) + n, y)
            for n, (words, d, y) in enumerate(given)
        ]

    whole = MemoryIndex(dimension=DIMENSION, settings=StoreSettings(document_share=0.5))
    for part in (rows(before, 0)[:7], rows(before, 0)[7:]):
        whole.extend(part)
    whole.discard({f"c{n}" for n in gone})
    with tempfile.TemporaryDirectory() as folder:
        kept = snapshot.read_snapshot(Path(folder), snapshot.write_snapshot(Path(folder), whole.packed(3)))
    assert kept
    words = PackedTexts(kept.arrays["words"], kept.arrays["word_bounds"])
    assert not {f"only{n}".encode() for n in gone} & set(words.of(np.arange(len(words))))
    again = MemoryIndex(dimension=DIMENSION, settings=StoreSettings(document_share=0.5))
    again.restore(kept)
    for index in (whole, again):
        index.extend(rows(after, 1000))
    assert again.live == whole.live
    vector = row(5, [], 0, None).vector
    for where in (None, field("year") == 2, field("mixed") == 1, field("mixed") == True):  # noqa: E712
        for terms in ([WORDS[0]], [WORDS[1], WORDS[2], WORDS[2]], ["only1003"], ["nowhere"]):
            a, b = (index.best_keyword(terms, top_k=9, where=where) for index in (whole, again))
            assert [name for name, _ in a] == [name for name, _ in b]
            assert np.allclose([score for _, score in a], [score for _, score in b], rtol=1e-5)
        a, b = (index.best_semantic(vector, top_k=9, where=where) for index in (whole, again))
        assert a == b
        near, nearer = (index.nearness(vector, [name for name, _ in a]) for index in (whole, again))
        assert np.allclose(list(near.values()), list(nearer.values()), atol=1e-5)
    assert again.languages(field("mixed").exists()) == whole.languages(field("mixed").exists())
