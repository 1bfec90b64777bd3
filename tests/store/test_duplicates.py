"""Twins found in a real catalog: by hash and by MinHash, of live documents and of those that come in together."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sqlalchemy import func, select, update

from rove.enrich.signature import signatures
from rove.records import Document
from rove.store import tables
from rove.store.catalog import Catalog, Prepared
from rove.store.duplicates import COMPARED, NEAR, VERSION, Duplicates, NearDuplicate, Signed
from rove.store.folder_home import FolderHome

STEM = "Der Ausschuss tagte im dritten Stock und sprach über den Haushalt der Bücherei; "


def story(seed: int) -> str:
    chance = random.Random(seed)
    return STEM + " ".join(f"{chance.choice(STEM.split())} {chance.randrange(10_000)}" for _ in range(120))


class Base:
    """A catalog with what ingest would do to it."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog(FolderHome(folder).dialect())

    def add(self, texts: dict[str, str], *, sign: bool = True) -> None:
        documents = [Document(name, name, "text", text) for name, text in texts.items()]
        seqs = self.catalog.stage([Prepared(d.source, d.version, d, [], [], []) for d in documents], {}, {})
        with self.catalog.database.write() as connection:
            for seq, signature in zip(seqs, signatures([d.text for d in documents]), strict=True):
                row = update(tables.documents).where(tables.documents.c.seq == seq)
                connection.execute(row.values(signature=signature if sign else None))
        self.catalog.publish(seqs)

    def last_seq(self) -> int:
        with self.catalog.database.read() as connection:
            return int(connection.execute(select(func.max(tables.documents.c.seq))).scalar() or 0)


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    base = Base(tmp_path)
    yield base
    base.catalog.close()


def find(duplicates: Duplicates, texts: dict[str, str]) -> list[NearDuplicate | None]:
    signed = map(Signed, texts, signatures(list(texts.values())))
    return duplicates.find(list(signed))


def names(twins: Sequence[NearDuplicate | None]) -> list[str]:
    return [twin.document_id if twin else "" for twin in twins]


def test_exact_and_near_twins_of_what_is_live(base: Base) -> None:
    base.add({f"d{n}": story(n) for n in range(30)} | {"short": "会議は三階で開かれた。"})
    duplicates = Duplicates(base.catalog.database)
    new = {
        "copy": story(7) + "\n",
        "edited": story(8).replace("Haushalt", "Etat", 1),
        "other": story(99),
        "again": " 会議は三階で開かれた。",
        "nearly": "会議は四階で開かれた。",
    }
    copy, edited, other, again, nearly = find(duplicates, new)
    assert copy == NearDuplicate("d7", 1.0, exact=True)
    assert edited is not None
    assert (edited.document_id, edited.exact) == ("d8", False)
    assert NEAR <= edited.similarity < 1
    assert other is None
    assert again == NearDuplicate("short", 1.0, exact=True)
    assert nearly is None


def test_a_document_is_no_twin_of_itself(base: Base) -> None:
    base.add({"a": story(1), "b": story(2)})
    duplicates = Duplicates(base.catalog.database)
    assert find(duplicates, {"a": story(1), "b": story(2) + " neu"}) == [None, None]


def test_all_copies_of_one_call_name_the_one_that_is_kept(base: Base) -> None:
    duplicates = Duplicates(base.catalog.database)
    texts = {"a": story(1), "b": story(1), "c": story(1) + " ¤", "d": story(2), "e": "kurz", "f": "kurz"}
    assert names(find(duplicates, texts)) == ["", "a", "a", "", "", "e"]


def test_what_changes_is_followed(base: Base) -> None:
    duplicates = Duplicates(base.catalog.database)
    assert find(duplicates, {"x": story(1)}) == [None]
    base.add({"a": story(1)})
    assert names(find(duplicates, {"x": story(1)})) == ["a"]
    base.add({"a": story(2)})
    assert names(find(duplicates, {"x": story(1), "y": story(2)})) == ["", "a"]
    last = base.last_seq()
    base.catalog.delete(["a"])
    assert find(duplicates, {"y": story(2)}) == [None]
    base.add({"b": story(3)})
    assert base.last_seq() <= last  # SQLite gives numbers again
    assert names(find(duplicates, {"y": story(2), "z": story(3)})) == ["", "b"]


def test_documents_that_were_never_signed_or_by_another_version(base: Base) -> None:
    base.add({"unsigned": story(1)}, sign=False)
    base.add({"a": story(2)})
    duplicates = Duplicates(base.catalog.database)
    assert find(duplicates, {"x": story(1)}) == [None]
    old = bytes([VERSION[0], VERSION[1] + 1])
    exact, near = signatures([story(2), story(2) + "!"])
    found = duplicates.find([Signed("x", old + exact[2:]), Signed("y", old + near[2:])])
    assert [twin and twin.document_id for twin in found] == ["a", None]


def test_a_thousand_copies_are_not_compared_with_each_other(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    base.add({f"d{n}": story(1) for n in range(1000)})
    duplicates = Duplicates(base.catalog.database)
    asked: list[int] = []
    signed = Duplicates._signed
    monkeypatch.setattr(Duplicates, "_signed", lambda self, seqs: asked.append(len(seqs)) or signed(self, seqs))
    assert set(names(find(duplicates, {f"x{n}": story(1) for n in range(1000)}))) == {"d0"}
    assert sum(asked) <= COMPARED * 15


def test_sorting_again_keeps_everything(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.store.duplicates.RUN_KEYS", 200)
    duplicates = Duplicates(base.catalog.database)
    for start in range(0, 60, 6):
        base.add({f"d{n}": story(n) for n in range(start, start + 6)})
        twins = find(duplicates, {f"x{n}": story(n) for n in range(start + 6)})
        assert names(twins) == [f"d{n}" for n in range(start + 6)]


def test_deleted_documents_do_not_stand_before_live_ones(base: Base) -> None:
    base.add({f"d{n}": story(1) for n in range(20)})
    duplicates = Duplicates(base.catalog.database)
    assert names(find(duplicates, {"x": story(1)})) == ["d0"]
    base.catalog.delete([f"d{n}" for n in range(19)])
    assert names(find(duplicates, {"x": story(1)})) == ["d19"]
    assert sum(map(len, duplicates._runs)) == 15


def real_texts(shared_data: Path) -> list[str]:
    retrieval = shared_data / "retrieval"
    posts = pq.read_table(retrieval / "reddit_posts" / "corpus.parquet")["text"].to_pylist()[:1500]
    rest = [
        json.loads(line)["text"]
        for name in ("pgdocs", "jsquad", "cmrc2018_dev", "xquad_de")
        for line in (retrieval / name / "corpus.jsonl").read_text("utf-8").splitlines()[:240]
    ]
    return list(dict.fromkeys(text for text in (*posts, *rest) if len("".join(text.split()).encode()) > 300))


@pytest.mark.data
def test_edits_of_real_texts_are_found_and_others_are_not(base: Base, shared_data: Path) -> None:
    """In English, German, Chinese and Japanese: typos, a sentence more, a page's furniture around it."""
    texts = real_texts(shared_data)
    assert len(texts) > 2000
    base.add({f"d{n}": text for n, text in enumerate(texts[::2])})
    duplicates = Duplicates(base.catalog.database)
    chance = random.Random(4)
    edited: dict[str, str] = {}
    for n, text in enumerate(texts[::2]):
        at = chance.randrange(len(text) - 40)
        edits = [
            text[:at] + "¤" + text[at + 1 :],
            text[:at] + text[: len(text) // 25] + text[at:],
            "Home\n" + text + "\n© 2026",
        ]
        edited[f"x{n}"] = edits[n % 3]
    found = names(find(duplicates, edited))
    hits = sum(twin == f"d{n}" for n, twin in enumerate(found))
    assert hits >= 0.98 * len(found)
    others = find(duplicates, {f"y{n}": text for n, text in enumerate(texts[1::2])})
    assert sum(twin is not None for twin in others) <= 0.01 * len(others)
