"""Whatever becomes of the index, the catalog brings it back, and nothing is embedded again."""

from __future__ import annotations

import os
import shutil
import sqlite3
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import lancedb
import pytest

from rove.models import EMBEDDERS, Vectors
from rove.models.fake import FakeEmbedder
from rove.records import Text, field
from rove.store.health import Health
from rove.store.originals import Offered
from rove.sync import Rove

TEXTS = {
    "en": "The lighthouse keeper counted the ships every evening. {0} came home.",
    "de": "Der Leuchtturmwärter zählte jeden Abend die Schiffe. {0} kehrten heim.",
    "hu": "A világítótorony őre minden este megszámolta a hajókat. {0} tért haza.",
    "zh": "灯塔看守人每天晚上数船。{0}艘船回来了。",
    "ja": "灯台守は毎晩船を数えた。{0}隻が帰ってきた。",
}
QUESTIONS = {
    "en": "lighthouse keeper ships",
    "de": "Leuchtturmwärter Schiffe",
    "hu": "világítótorony hajó",
    "zh": "灯塔看守人",
    "ja": "灯台守",
}


class CountingEmbedder(FakeEmbedder):
    """The fake embedder, counting the passages that it is asked for."""

    passages_asked = 0

    async def passages(self, texts: Sequence[str]) -> Vectors:
        type(self).passages_asked += len(texts)
        return await super().passages(texts)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of 60 documents in 5 languages, closed."""
    folder = tmp_path_factory.mktemp("made") / "kb"
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setitem(EMBEDDERS.table, "counting", f"{__name__}:CountingEmbedder")
        fill(folder)
    return folder


@pytest.fixture
def base(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it."""
    monkeypatch.setitem(EMBEDDERS.table, "counting", f"{__name__}:CountingEmbedder")
    shutil.copytree(made, tmp_path / "kb")
    CountingEmbedder.passages_asked = 0
    return tmp_path / "kb"


def fill(folder: Path) -> None:
    with opened(folder) as kb:
        texts = [
            Text(TEXTS[code].format(n), id=f"{code}-{n}", metadata={"lang": code, "n": n})
            for code in TEXTS
            for n in range(12)
        ]
        assert kb.add(texts[:30]).ok
        assert kb.add(texts[30:]).ok


def opened(folder: Path) -> Rove:
    """Open the base so that every search asks the index on disk."""
    return Rove.open(folder, embedder={"name": "counting"}, store={"index": "lancedb", "resident_chunks": 0})


def table(folder: Path) -> lancedb.table.Table:
    return lancedb.connect(folder / "index").open_table("chunks")


def held(folder: Path) -> list[str]:
    return sorted(table(folder).search().select(["chunk_id"]).limit(10_000).to_arrow()["chunk_id"].to_pylist())


def cataloged(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as database:
        return sorted(row[0] for row in database.execute("SELECT chunk_id FROM chunks"))


def ids(folder: Path, count: int) -> str:
    return ", ".join(f"'{name}'" for name in cataloged(folder)[:count])


# -- ways to break it ----------------------------------------------------------------------------------------------


def lose_rows(folder: Path) -> None:
    table(folder).delete(f"chunk_id IN ({ids(folder, 7)})")


def bring_rows(folder: Path) -> None:
    made = table(folder)
    rows = made.search().where(f"chunk_id IN ({ids(folder, 3)})").limit(10).to_arrow().to_pylist()
    made.add([row | {"chunk_id": f"stranger-{n}"} for n, row in enumerate(rows)])


def double_rows(folder: Path) -> None:
    made = table(folder)
    made.add(made.search().where(f"chunk_id IN ({ids(folder, 5)})").limit(10).to_arrow())


def swap_rows(folder: Path) -> None:
    """As many lost as brought: a count cannot see it."""
    bring_rows(folder)
    made = table(folder)
    made.delete(f"chunk_id IN ({ids(folder, 3)})")
    assert made.count_rows() == len(cataloged(folder))


def tear_manifest(folder: Path) -> None:
    manifests = sorted((folder / "index").rglob("*.manifest"), key=lambda file: file.stat().st_mtime_ns)
    os.truncate(manifests[-1], 0)


def tear_all_manifests(folder: Path) -> None:
    for manifest in (folder / "index").rglob("*.manifest"):
        os.truncate(manifest, 0)


def lose_data_file(folder: Path) -> None:
    largest_data_file(folder).unlink()


def tear_data_file(folder: Path) -> None:
    file = largest_data_file(folder)
    os.truncate(file, file.stat().st_size // 2)


def largest_data_file(folder: Path) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that readers of older versions will fail: there are none
        table(folder).optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
    return max((folder / "index" / "chunks.lance" / "data").iterdir(), key=lambda file: file.stat().st_size)


def lose_full_text(folder: Path) -> None:
    for part in (folder / "index" / "chunks.lance" / "_indices").iterdir():
        shutil.rmtree(part)


def lose_index(folder: Path) -> None:
    shutil.rmtree(folder / "index")


def lose_table(folder: Path) -> None:
    shutil.rmtree(folder / "index" / "chunks.lance")


def empty_table(folder: Path) -> None:
    lose_table(folder)
    (folder / "index" / "chunks.lance").mkdir()


def fill_with_garbage(folder: Path) -> None:
    lose_table(folder)
    for name in ("_versions/1.manifest", "data/x.lance", "_transactions/0-x.txn"):
        file = folder / "index" / "chunks.lance" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"garbage \x00\xff" * 100)


def put_a_file_there(folder: Path) -> None:
    lose_index(folder)
    (folder / "index").write_text("not a folder")


COUNTED: dict[Callable[[Path], None], dict[str, int]] = {
    lose_rows: {"missing": 7},
    bring_rows: {"extra": 3},
    double_rows: {"twice": 5},
    swap_rows: {"missing": 3, "extra": 3},
    lose_table: {"missing": 60},
    lose_index: {"missing": 60},
}
BROKEN: list[Callable[[Path], None]] = [
    tear_manifest,
    tear_all_manifests,
    lose_data_file,
    tear_data_file,
    lose_full_text,
    empty_table,
    fill_with_garbage,
    put_a_file_there,
]
SEEN_BY_COUNT = [lose_rows, bring_rows, double_rows, lose_table, lose_index]
SEEN_BY_OPENING = [tear_manifest, tear_all_manifests, empty_table, fill_with_garbage, put_a_file_there]


def check_sound(folder: Path) -> None:
    """The index holds what the catalog holds; every kind of search finds every language; nothing was embedded."""
    assert held(folder) == cataloged(folder)
    with opened(folder) as kb:
        for code, question in QUESTIONS.items():
            for mode in ("keyword", "semantic", "hybrid"):
                hits = kb.search(question, mode=mode, top_k=5, where=field("lang") == code)
                found = Counter(hit.chunk.document_id.partition("-")[0] for hit in hits)
                assert found == {code: 5}, (code, mode)
        assert kb.doctor() == Health(chunks=60)
    assert CountingEmbedder.passages_asked == 0


@pytest.mark.parametrize("damage", COUNTED, ids=lambda damage: damage.__name__)
def test_doctor_says_what_was_wrong_and_mends_it(damage: Callable[[Path], None], base: Path) -> None:
    damage(base)
    with opened(base) as kb:
        health = kb.doctor()
    assert not health.ok
    assert not health.rebuilt
    assert health.chunks == 60
    found = {name: getattr(health, name) for name in ("missing", "extra", "twice") if getattr(health, name)}
    assert found == COUNTED[damage]
    assert len(health.problems) == len(found)
    assert all(str(count) in " ".join(health.problems) for count in found.values())
    check_sound(base)


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__)
def test_doctor_makes_a_broken_index_anew(damage: Callable[[Path], None], base: Path) -> None:
    damage(base)
    with opened(base) as kb:
        health = kb.doctor()
    assert not health.ok, "a damaged index was called sound"
    assert health.rebuilt
    assert health.chunks == 60
    assert "index" in health.problems[0]
    check_sound(base)


@pytest.mark.parametrize("damage", [*COUNTED, *BROKEN], ids=lambda damage: damage.__name__)
def test_doctor_mends_what_breaks_while_the_base_is_open(damage: Callable[[Path], None], base: Path) -> None:
    with opened(base) as kb:
        assert kb.search("lighthouse", mode="keyword")
        damage(base)
        assert not kb.doctor().ok
        assert kb.doctor() == Health(chunks=60)
    check_sound(base)


@pytest.mark.parametrize("damage", [*SEEN_BY_COUNT, *SEEN_BY_OPENING], ids=lambda damage: damage.__name__)
def test_the_next_add_mends_by_itself(damage: Callable[[Path], None], base: Path) -> None:
    damage(base)
    with opened(base) as kb:
        assert kb.add(Text("A new buoy was laid out in the bay.", id="new")).ok
        assert kb.search("buoy in the bay", mode="keyword")[0].chunk.document_id == "new"
        assert kb.delete("new") == 1
    assert CountingEmbedder.passages_asked == 1
    CountingEmbedder.passages_asked = 0
    check_sound(base)


def test_a_small_base_is_searched_though_its_index_is_gone(base: Path) -> None:
    lose_index(base)
    with Rove.open(base, embedder={"name": "counting"}) as kb:
        assert kb.search(QUESTIONS["hu"])[0].chunk.document_id.startswith("hu-")


def test_searching_a_broken_index_names_the_cure(base: Path) -> None:
    fill_with_garbage(base)
    with opened(base) as kb, pytest.raises(Exception, match="rove doctor"):
        kb.search("lighthouse", mode="semantic")


def test_a_sound_base_is_left_alone(base: Path) -> None:
    def files() -> set[str]:
        return {str(file) for file in (base / "index").rglob("*") if file.is_file()}

    before = files()
    with opened(base) as kb:
        assert kb.doctor() == Health(chunks=60)
    assert files() == before


def test_what_is_left_of_a_torn_original_goes_when_its_document_is_said_to_have_lost_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.txt"
    file.write_text("The plan of the lighthouse.", "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(Text("The plan of the lighthouse.", id="plan"))
        offered = Offered("plan", sha256(file.read_bytes()).hexdigest(), file)
        assert kb._run(kb._kb.store.keep_originals([offered], 10**6)) == []
        (original,) = (tmp_path / "kb" / "originals").iterdir()
        original.write_bytes(original.read_bytes()[:7])
        assert kb.doctor().problems == ("1 documents had lost their originals, and show as text",)
        assert not original.exists()
        assert kb.doctor().ok
