"""One value that is torn in the catalog costs itself: everything else is listed, found, told, and doctor goes on."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import cycle
from pathlib import Path

import pytest
from sqlalchemy import LargeBinary, String

from rove import ConfigError, Rove, Text, field
from rove.events import Event, Noted
from rove.records.walk_events import Answered
from rove.serve.admission.keys import hash_key
from rove.serve.context import ServerContext
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store import resident
from rove.store.enriched_tables import metadata
from rove.store.made_keys import MadeKey, MadeKeys
from rove.store.people_log import PeopleLog

TEXTS = {
    "en": "# Lighthouse\n\nThe lighthouse keeper counted the ships.",
    "de": "# Leuchtturm\n\nDer Leuchtturmwärter zählte die Schiffe.",
    "hu": "# Világítótorony\n\nA világítótorony őre megszámolta a hajókat.",
    "zh": "# 灯塔\n\n灯塔看守人数船。",
}
OF_THE_BASE = {"facts", "row_counts"}
COLUMNS = [
    (table.name, column.name)
    for table in metadata.sorted_tables
    for column in table.columns
    if table.name not in OF_THE_BASE and isinstance(column.type, String | LargeBinary)
]


def flipped(value: bytes, seeded: random.Random) -> bytes:
    at = seeded.randrange(len(value)) if value else 0
    return value[:at] + bytes([seeded.choice([0x80, 0xC3, 0xFF])]) + value[at + 1 :]


DAMAGES: dict[str, Callable[[bytes, random.Random], object]] = {
    "flipped": flipped,
    "cut": lambda value, seeded: value[: seeded.randrange(len(value)) if value else 0],
    "deep": lambda value, seeded: b"[" * 5_000,
    "other": lambda value, seeded: seeded.choice([b"[1]", b"7", b'{"a":NaN}', b'"x"', b"null", b"[[1,2],{}]"]),
    "bytes": lambda value, seeded: b"\xff" + seeded.randbytes(9),
}


def damage(folder: Path, table: str, column: str, how: str, seed: int = 1) -> bool:
    """Damage one value; False where there is none."""
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("PRAGMA ignore_check_constraints=ON")
        kind, key = catalog.execute("SELECT 0, name FROM pragma_table_info(?) WHERE pk = 1", [table]).fetchone() or (
            0,
            "",
        )
        del kind, key
        found = catalog.execute(
            f'SELECT rowid, typeof("{column}"), CAST("{column}" AS BLOB) FROM "{table}" '
            f'WHERE "{column}" IS NOT NULL ORDER BY length("{column}") = 0, rowid LIMIT 1'  # the first that holds any
        ).fetchone()
        if found is None:
            return False
        row, kind, value = found
        torn = DAMAGES[how](value, random.Random(seed))
        new = "?" if kind == "blob" or how == "bytes" else "CAST(? AS TEXT)"
        catalog.execute(f'UPDATE "{table}" SET "{column}" = {new} WHERE rowid = ?', (torn, row))
    return True


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("torn") / "kb"
    with Rove.open(folder) as kb:
        fields = {"year": 2024, "tags": ("sea",), "author": "Anna"}
        kb.add([Text(text, id=code, metadata=fields) for code, text in TEXTS.items()])
        events = list(kb.walk("Who counted the ships at the lighthouse?"))  # to its end
        assert any(isinstance(event, Answered) for event in events)
        kb.ask("Who counted the ships?")
        for name in ("summaries", "graph"):
            kb.enrich(name)
    return folder


@pytest.fixture
def base(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(resident, "KEPT_FROM", 1_000)
    folder = tmp_path / "kb"
    shutil.copytree(made, folder)
    yield folder


@pytest.mark.parametrize(("place", "how"), list(zip(COLUMNS, cycle(DAMAGES), strict=False)), ids=str)
def test_a_torn_value_costs_itself(place: tuple[str, str], how: str, base: Path) -> None:
    if not damage(base, *place, how):
        return
    with Rove.open(base) as kb:
        for mode, least in {"keyword": 1, "semantic": 3, "hybrid": 3, "summaries": 1}.items():
            found = kb.search("lighthouse ships Schiffe hajókat", mode=mode, listener=lambda _: None)
            assert len({hit.chunk.document_id for hit in found}) >= least
        kb.ask("Who counted the ships?")
        infos = kb.documents()
        assert len(infos) == len(TEXTS)
        for info in infos[1:]:
            assert kb.document(info.document_id)[0].text
        assert len(list(kb.export())) > len(TEXTS)
        with told_of_lost_walk(place):
            kb.doctor()


@contextmanager
def told_of_lost_walk(place: tuple[str, str]) -> Generator[None]:
    """Of a walk whose id is torn, doctor says that its events are of no walk."""
    if place[1] != "walk_id" or not place[0].startswith("walk"):
        yield
        return
    with pytest.raises(ConfigError, match="rows of walk_events are of walks that are not there"):
        yield


NAMED = {
    "documents.metadata": ("deep", "flipped", "bytes"),
    "documents.title": ("flipped",),
    "chunks.metadata": ("deep",),
    "chunks.headings": ("deep",),
    "chunks.text": ("flipped",),
    "texts.text": ("cut", "flipped"),
    "summaries.sentences": ("deep",),
    "summaries.headings": ("deep",),
}


@pytest.mark.parametrize(("place", "how"), [(place, how) for place, hows in NAMED.items() for how in hows])
def test_doctor_names_a_torn_value_with_its_cure(place: str, how: str, base: Path) -> None:
    table, column = place.split(".")
    assert damage(base, table, column, how, seed=3)
    with Rove.open(base) as kb:
        (said,) = kb.doctor().left
        assert said.startswith(f"1 value cannot be read: {column} in {table} of ")
        assert said.endswith("Add these documents again.")
        if table != "summaries":
            name = re.findall("of '(.+?)'", said)[0]
            kb.delete(name)
            assert kb.add(Text(TEXTS[name], id=name)).ok
            assert kb.doctor().left == ()


@pytest.mark.parametrize("how", ["deep", "flipped", "bytes", "cut"])
def test_a_document_whose_metadata_are_torn_is_listed_with_a_remark_and_shown_to_nobody_who_may_not_see_all(
    how: str, base: Path
) -> None:
    assert damage(base, "documents", "metadata", how)
    with Rove.open(base) as kb:
        torn, *rest = kb.documents()
        assert list(torn.metadata) == ["unreadable"] and all(info.metadata["year"] == 2024 for info in rest)
        document = kb.document(torn.document_id)
        assert document is not None and document[0].text.split() == TEXTS[torn.document_id].split()
        told: list[Event] = []
        found = {hit.chunk.document_id for hit in kb.search("lighthouse ships", listener=told.append)}
        assert found == set(TEXTS) - {torn.document_id}
        assert repr(torn.document_id) in next(event.text for event in told if isinstance(event, Noted))
        found = {hit.chunk.document_id for hit in kb.search("ships", where=field("year") == 2024)}
        assert found == set(TEXTS) - {torn.document_id}


@pytest.mark.parametrize("blob", ["x'00'", "zeroblob(101)", "substr(tokens, 1, length(tokens) - 1)", "tokens || x'00'"])
def test_tokens_of_a_wrong_size_are_as_none(blob: str, base: Path) -> None:
    with Rove.open(base) as kb:
        want = {hit.chunk.document_id for hit in kb.search("Who counted the ships?", rerank=True)}
    with closing(sqlite3.connect(base / "catalog.sqlite")) as catalog, catalog:
        catalog.execute(f"UPDATE tokens SET tokens = CAST({blob} AS BLOB) WHERE vector = 1")
    with Rove.open(base) as kb:
        assert {hit.chunk.document_id for hit in kb.search("Who counted the ships?", rerank=True)} == want
        assert kb.ask("Who counted the ships?").text


@pytest.mark.parametrize("written", ['["read', "7", "[" * 5_000, '["raed"]', '[["read"]]'])
def test_torn_rights_of_a_key_or_a_person_are_none_and_doctor_names_them(base: Path, written: str) -> None:
    """A server goes on, with everybody else let in as before."""
    with Rove.open(base) as kb:
        database = kb._kb.store.catalog.database
        people, keys = PeopleLog(database), MadeKeys(database)
        for name, role in (("anna", "administrator"), ("bela", "reader")):
            people.make(name, full_name="", role=role, spaces=["*"], labels=None)
            keys.put(MadeKey(f"key of {name}", hash_key(name), ("hr",), ("read",), None))
    with closing(sqlite3.connect(base / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("UPDATE people SET spaces = ? WHERE name = 'bela'", [written])
        catalog.execute("UPDATE made_keys SET rights = ? WHERE name = 'key of bela'", [written])
    settings = read_settings(base.parent, serve={"spaces": {"hr": {"path": base}}})
    spaces = Spaces.open(settings, base.parent)
    rights = {name: key.rights for name, key in ServerContext.of(spaces).callers.keys.items()}
    assert rights == {"key of anna": ("read",), "key of bela": ()}
    asyncio.run(spaces.close())
    with Rove.open(base) as kb:
        said = " ".join(kb.doctor().left)
        if written != '["raed"]':  # a list of texts, of which the table does not know what they may be
            assert "rights in made_keys of 'key of bela'" in said
            assert "spaces in people of 'bela'" in said
            assert "make another" in said
        assert "anna" not in said
