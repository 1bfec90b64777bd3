"""A chunk that cannot be kept costs no other, and never makes a base unwritable; the ledger says which, and why."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rove import ConfigError, InputError, Rove, ServiceError, Text, field
from rove.models import EMBEDDERS, Vectors
from rove.models.fake import FakeEmbedder
from rove.store import INDEXES, IndexRow
from rove.store.lance import LanceIndex

BIG = 2**53 + 1
NO_ROW = "no such row"
GONE, REFUSED, LONGER = "503: gone.", "400: this text is refused.", "vectors of length 999"
LANGUAGES = {"en": "The ship came home.", "de": "Das Schiff kam heim.", "hu": "A hajó hazatért.", "zh": "船回来了。",
             "ja": "船が帰ってきた。"}  # fmt: skip


class Choosy(LanceIndex):
    """Refuses rows that hold a word, in a way that `Index` does not name."""

    error: type[BaseException] = KeyError

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        if any("toxic" in row.terms or row.fields.get("bad") is True for row in rows):
            raise self.error(NO_ROW)
        await super().add(rows, fresh=fresh)


class Odd(FakeEmbedder):
    """Gives, for some texts, no vector, one that is not finite, or one of another length; `dead` says that all fail."""

    dead = False

    async def passages(self, texts: Sequence[str]) -> Vectors:
        if self.dead:
            raise ServiceError(GONE, cure="Wait.")
        if any("toxic" in text for text in texts):
            raise ServiceError(REFUSED, cure="Leave it out.", retryable=False)
        if any("longer" in text for text in texts):
            raise ConfigError(LONGER, cure="Set embedder.dimension.")
        vectors = await super().passages(texts)
        for number, text in enumerate(texts):
            if "endless" in text:
                vectors[number] = np.nan
        return vectors[:, :3] if any("shorter" in text for text in texts) else vectors


@pytest.fixture(autouse=True)
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INDEXES.table, "choosy", f"{__name__}:Choosy")
    monkeypatch.setitem(EMBEDDERS.table, "odd", f"{__name__}:Odd")
    monkeypatch.setattr(Choosy, "error", KeyError)
    monkeypatch.setattr(Odd, "dead", False)


def opened(folder: Path, index: str = "choosy", embedder: str = "fake") -> Rove:
    store = {"index": index, "resident_chunks": 0}
    return Rove.open(folder, embedder={"name": embedder}, store=store, chunk={"size_chars": 40, "overlap_chars": 0})


def long_text(word: str) -> str:
    return f"The first sentence is about ships. A {word} one stands here, alone. The last is about cats."


@pytest.mark.filterwarnings("ignore::rove.FieldWarning")  # each value makes one of the two fields
@pytest.mark.parametrize("index", ["lancedb", "memory"])
@pytest.mark.parametrize("value", [BIG, -BIG, 2**63 - 1, 2**63, 10**400, {"a": {"b": BIG}}, (BIG, 1), [None, {"a": 1}]])
def test_no_value_of_metadata_makes_a_base_unwritable(tmp_path: Path, index: str, value: object) -> None:
    with opened(tmp_path, index) as kb:
        texts = [Text(text, id=code, metadata={"lang": code}) for code, text in LANGUAGES.items()]
        report = kb.add(*texts, Text("A big number.", id="big", metadata={"n": value}))
        assert (report.ok, report.added) == (True, 6)
        assert kb.delete("de") == 1
        assert kb.doctor().ok
        assert kb.search("big number", where=field("n").exists() | field("n.a.b").exists())
        if value == BIG:
            assert [hit.chunk.document_id for hit in kb.search("big", where=field("n") == BIG)] == ["big"]
            assert not kb.search("big", where=field("n") == BIG - 1)
            assert not kb.search("big", where=field("n") == float(BIG))
            assert kb.search("big", where=(field("n") > float(BIG)) & (field("n") < 10**400))


def test_odd_names_and_ids_are_kept(tmp_path: Path) -> None:
    names = [
        "x" * 100_000,
        "XXX",
        "xxx",
        "e\u0301",
        "\u00e9",
        "`\"'; --",
        "日本 語",
        "",
        "f_a__s",
    ]
    with opened(tmp_path, "lancedb") as kb:
        fields = {name: number for number, name in enumerate(names)}
        odd = Text("Odd names.", id="a", title="t\0\ud800", metadata={**fields, "n\0": 7, "m\ud800": 8, None: 9})
        assert kb.add(odd, Text("Another.", id="b")).added == 2
        for name, value in {**fields, "n": 7, "m": 8, "None": 9}.items():
            assert [hit.title for hit in kb.search("odd", where=field(name) == value)] == ["t"], name
        assert kb.delete("a") == 1
        assert kb.doctor().ok
        for refused in (Text("Odd.", id="a\ud800"), Text("Odd.", metadata={"language": "x"})):
            with pytest.raises(InputError):
                kb.add(refused)


@pytest.mark.parametrize("error", [KeyError, RuntimeError, ValueError, OverflowError])
def test_a_chunk_that_the_index_refuses_fails_alone(tmp_path: Path, error: type[Exception]) -> None:
    Choosy.error = error
    with opened(tmp_path) as kb:
        others = [Text(text, id=code) for code, text in LANGUAGES.items()]
        report = kb.add(*others, Text(long_text("toxic"), id="long"), Text("toxic", id="bad"))
        failed = {entry.source: entry for entry in report.failed}
        assert {name: (entry.state, entry.outcome) for name, entry in failed.items()} == {
            "long": ("live", "partial"),
            "bad": ("failed", "service"),
        }
        assert "no such row" in failed["long"].reason
        assert "1 of 3 chunks" in failed["long"].reason
        assert "Add it again" in failed["long"].cure
        assert {info.document_id for info in kb.documents()} == {*LANGUAGES, "long"}
        found = kb.document("long")[1]
        assert [chunk.text[:9] for chunk in found] == ["The first", "The last "]
        assert {hit.chunk.document_id for hit in kb.search("sentence about ships", mode="keyword")} == {"en", "long"}
        assert kb.doctor().ok
        Choosy.error = KeyError
        again = kb.add(*others)
        assert (again.unchanged, again.ok) == (5, True)


def test_what_is_mended_is_tried_again_when_it_is_added_again(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        assert kb.add(Text(long_text("toxic"), id="long")).failed
    with opened(tmp_path, "lancedb") as kb:
        assert kb.add(Text(long_text("toxic"), id="long")).ok
        assert len(kb.document("long")[1]) == 3
        assert kb.doctor().ok


def test_the_version_before_stays_where_nothing_of_the_new_one_can_be_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as kb:
        kb.add(Text("The old text.", id="a"))
        assert kb.add(Text("toxic", id="a")).failed[0].outcome == "service"
        assert kb.text("a") == "The old text."
        assert kb.doctor().ok


@pytest.mark.parametrize(
    ("word", "said"),
    [("toxic", "400"), ("endless", "not finite"), ("shorter", "of shape (3,)"), ("longer", "999")],
)
def test_a_chunk_that_the_embedder_refuses_fails_alone(tmp_path: Path, word: str, said: str) -> None:
    with opened(tmp_path, "lancedb", "odd") as kb:
        for _ in range(2):
            report = kb.add(
                *(Text(text, id=code) for code, text in LANGUAGES.items()), Text(long_text(word), id="long")
            )
            assert [(entry.source, entry.state, entry.outcome) for entry in report.failed] == [
                ("long", "live", "partial")
            ]
            assert said in report.failed[0].reason
            assert len(kb.document("long")[1]) == 2
            assert kb.doctor().ok
        assert len(kb.documents()) == 6


def test_a_service_that_is_down_is_no_bad_chunk(tmp_path: Path) -> None:
    with opened(tmp_path, "lancedb", "odd") as kb:
        Odd.dead = True
        with pytest.raises(ServiceError, match="503"):
            kb.add(Text(long_text("good"), id="long"))
        Odd.dead = False
        assert kb.add(Text(long_text("good"), id="long")).ok


def test_an_index_that_is_down_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Choosy, "error", OSError)
    with opened(tmp_path) as kb:
        kb.add(Text("The old text.", id="a"))
        with pytest.raises(ServiceError, match="no such row") as failed:
            kb.add(Text("toxic", id="b"))
        assert failed.value.retryable
    with opened(tmp_path, "lancedb") as kb:
        assert not kb.doctor().ok
        assert {info.document_id for info in kb.documents()} == {"a", "b"}
        assert kb.doctor().ok


@pytest.mark.parametrize("live", [False, True])
def test_a_base_that_was_stuck_is_mended_by_the_next_writer(tmp_path: Path, live: bool) -> None:
    with opened(tmp_path, "lancedb") as kb:
        kb.add(Text("Fine.", id="fine"), Text("Stuck by a number.", id="stuck", metadata={"n": 1}))
    odd = json.dumps({"n": BIG, "map": {"a": [1, 2]}, "numbers": [1, 2], "huge": 10**30})
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as catalog:
        catalog.execute("UPDATE documents SET metadata = ? WHERE document_id = 'stuck'", [odd])
        if live:  # the mending of an older Rove had published it, and its index was never made
            for file in sorted((tmp_path / "index").rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
        else:
            catalog.execute("UPDATE documents SET revision = 0 WHERE document_id = 'stuck'")
        catalog.commit()
    with opened(tmp_path, "lancedb") as kb:
        assert kb.add(Text("One more.", id="more")).ok
        assert len(kb.documents()) == 3
        where = (field("n") == BIG) & (field("numbers") == "2") & (field("huge") == str(10**30))
        assert [hit.chunk.document_id for hit in kb.search("number", where=where)] == ["stuck"]
        assert kb.doctor().ok


@pytest.mark.parametrize("live", [False, True])
def test_a_document_that_an_index_will_never_take_is_let_go_by_the_next_writer(tmp_path: Path, live: bool) -> None:
    with opened(tmp_path, "lancedb") as kb:
        kb.add(Text("Fine.", id="fine"), Text("A toxic one.", id="bad"))
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as catalog:
        if not live:
            catalog.execute("UPDATE documents SET revision = 0 WHERE document_id = 'bad'")
        catalog.commit()
    for file in (tmp_path / "index").rglob("*.manifest"):
        file.write_bytes(b"torn")
    for error in (RuntimeError, KeyError):
        Choosy.error = error
        with opened(tmp_path) as kb:
            assert kb.add(Text("One more.", id=f"more-{error.__name__}")).ok
            entry = next(entry for entry in kb.ledger() if entry.source == "bad")
            assert (entry.state, entry.outcome) == ("failed", "service")
            assert "no such row" in entry.reason
            assert "bad" not in {info.document_id for info in kb.documents()}
            assert kb.doctor().ok
