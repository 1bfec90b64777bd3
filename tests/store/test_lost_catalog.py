"""A catalog that is lost or torn: the base is refused with the cure, nothing is lost by that, and it can be rebuilt."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import literal, select

from rove import ConfigError, RoveError, Text
from rove.cli import rove
from rove.rebuild import LOST
from rove.settings import Settings, StoreSettings
from rove.store import documents, tables
from rove.store.recalled import recalled
from rove.store.salvage import sound
from rove.sync import Rove
from rove.sync.rebuilding import rebuild_base

FAKE = {"embedder": {"name": "fake"}}
TEXTS = {
    "en": "The lighthouse keeper counted the ships. {0} came home.",
    "de": "Der Leuchtturmwärter zählte die Schiffe. {0} kehrten heim.",
    "hu": "A világítótorony őre megszámolta a hajókat. {0} tért haza.",
    "zh": "灯塔看守人数船。{0}艘船回来了。",
    "ja": "灯台守は船を数えた。{0}隻が帰ってきた。",
}
PAGE = 4096


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base of 60 texts in 5 languages and 10 files, with a walk, closed; and an export of it."""
    place = tmp_path_factory.mktemp("made")
    files = place / "files"
    files.mkdir()
    for n in range(10):
        (files / f"note-{n}.md").write_text(f"# Harbour {n}\n\nThe pier number {n} is closed. " * 40)
    with Rove.open(place / "kb", **FAKE) as kb:
        assert kb.add(files).ok
        assert kb.add([Text(TEXTS[code].format(n) * 20, id=f"{code}-{n}") for code in TEXTS for n in range(12)]).ok
        list(kb.walk("Who counted the ships?"))
        (place / "export.jsonl").write_text("\n".join(kb.export()))
    return place


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    """A copy of the base; beside it the export and another copy."""
    for name in ("kb", "backup"):
        shutil.copytree(made / "kb", tmp_path / name)
    shutil.copy2(made / "export.jsonl", tmp_path)
    return tmp_path / "kb"


def everything(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def missing(folder: Path) -> None:
    (folder / "catalog.sqlite").unlink()


def emptied(folder: Path) -> None:
    os.truncate(folder / "catalog.sqlite", 0)


def cut_to_a_few_bytes(folder: Path) -> None:
    os.truncate(folder / "catalog.sqlite", 100)


def cut_in_half(folder: Path) -> None:
    os.truncate(folder / "catalog.sqlite", (folder / "catalog.sqlite").stat().st_size // 2)


def without_tables(folder: Path) -> None:
    """As a log that is lost leaves it: a header alone."""
    missing(folder)
    with closing(sqlite3.connect(folder / "catalog.sqlite")) as made:
        made.execute("PRAGMA journal_mode=WAL")


def never_used(folder: Path) -> None:
    """As a log that is cut after its first transactions leaves it: tables without a document."""
    missing(folder)
    with Rove.open(folder.parent / "fresh", **FAKE):
        pass
    shutil.copy2(folder.parent / "fresh" / "catalog.sqlite", folder / "catalog.sqlite")


GONE = [missing, emptied, cut_to_a_few_bytes, without_tables, never_used]


@pytest.mark.parametrize("damage", [*GONE, cut_in_half], ids=lambda damage: damage.__name__)
def test_a_base_without_its_catalog_is_refused_and_left_as_it_is(damage: Callable[[Path], None], base: Path) -> None:
    damage(base)
    before = everything(base)
    for create in (True, False):
        with pytest.raises(ConfigError, match="an index of .* bytes") as refused:
            Rove.open(base, create=create, **FAKE)
        assert "--rebuild-from" in refused.value.cure
    after = everything(base)
    if damage in {missing, emptied, cut_to_a_few_bytes}:
        assert after.get("catalog.sqlite") == before.get("catalog.sqlite"), "SQLite was not let near it"
    assert {name: before[name] for name in before if name.startswith("resident")}.items() <= after.items()
    assert sum(one.chunks for one in asyncio.run(recalled(base, StoreSettings())).values()) > 60


def test_what_a_kill_leaves_of_a_base_that_is_being_made_opens(tmp_path: Path) -> None:
    for made in ("nothing", "folder", "catalog", "settings"):
        folder = tmp_path / made
        if made != "nothing":
            folder.mkdir()
        if made == "catalog":
            (folder / "catalog.sqlite").touch()
        if made == "settings":
            (folder / "rove.toml").write_text('[embedder]\nname = "fake"\n')
        with Rove.open(folder, **FAKE) as kb:
            assert kb.add(Text(TEXTS["hu"].format(3), id="a")).ok


def test_a_base_from_which_all_was_deleted_opens(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.delete(*[info.document_id for info in kb.documents()])
    with Rove.open(base, **FAKE) as kb:
        assert kb.documents() == []
        assert kb.doctor().ok


# -- rebuilding ------------------------------------------------------------------------------------------------------


def check_sound(base: Path, documents: int) -> None:
    with Rove.open(base, **FAKE) as kb:
        assert len(kb.documents()) == documents
        assert kb.doctor().ok
        assert kb.search("Harbour pier closed", mode="keyword")[0].chunk.text.startswith("# Harbour")


@pytest.mark.parametrize("damage", [*GONE, cut_in_half], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("source", ["export.jsonl", "backup", "backup/catalog.sqlite"])
def test_an_export_and_a_backup_give_all_back(source: str, damage: Callable[[Path], None], base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("A buoy was laid out after the backup.", id="newer"))
    damage(base)
    broken = (base / "catalog.sqlite").read_bytes() if (base / "catalog.sqlite").exists() else None
    rebuilt = rebuild_base(str(base.parent / source), base, **FAKE)
    assert [(entry.source, entry.reason) for entry in rebuilt.lost] == [("newer", LOST)]
    assert broken in [None, *(path.read_bytes() for path in rebuilt.aside)], "what is broken is kept"
    check_sound(base, 70)
    with Rove.open(base, **FAKE) as kb:
        for code, text in TEXTS.items():
            assert kb.text(f"{code}-7") == text.format(7) * 20


def test_of_an_index_alone_files_are_read_again_and_the_rest_is_named(base: Path) -> None:
    missing(base)
    rebuilt = rebuild_base("here", base, **FAKE)
    assert sorted(entry.source for entry in rebuilt.lost) == sorted(f"{code}-{n}" for code in TEXTS for n in range(12))
    check_sound(base, 10)
    with Rove.open(base, **FAKE) as kb:
        assert {entry.source for entry in kb.ledger("failed")} == {entry.source for entry in rebuilt.lost}
        assert all("Add it again" in entry.cure for entry in kb.ledger("failed"))


def test_what_is_around_torn_pages_is_saved(base: Path) -> None:
    """Of a catalog with torn leaves: texts, vectors and walks that can be read, without embedding them again."""
    with closing(sqlite3.connect(base / "catalog.sqlite")) as held:
        root = held.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'").fetchone()[0]
    with (base / "catalog.sqlite").open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(bytes(PAGE))
    with Rove.open(base, **FAKE) as kb, pytest.raises(ConfigError, match="torn"):
        kb.doctor()
    rebuilt = rebuild_base("here", base, **FAKE)
    assert (rebuilt.documents, rebuilt.lost) == (70, ())
    assert rebuilt.vectors >= 70
    check_sound(base, 70)
    with Rove.open(base, **FAKE) as kb:
        assert [info.question for info in kb.walks()] == ["Who counted the ships?"]


def test_what_walks_have_learned_is_carried_where_its_words_still_stand(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        for question in ("Wer zählte die Schiffe?", "灯台守は何を数えた？", "Which pier is closed?"):
            list(kb.walk(question))
        before = kb.memory().facts()
    assert len(before) > 2
    other, unreadable = before[0].memory_id, before[1].memory_id
    with closing(sqlite3.connect(base / "catalog.sqlite")) as held, held:
        held.execute("UPDATE memory_facts SET quote = 'never written' WHERE memory_id = ?", (other,))
        held.execute("UPDATE memory_facts SET vector = x'00' WHERE memory_id = ?", (unreadable,))
        for document in ("NULL", "document"):  # a lead that the user gave, and one that a source gave
            held.execute(
                "INSERT INTO memory_leads SELECT NULL, space, " + document + ", chunk_id, 'the pier', 'name', terms, "
                "'nothing', asked, walk_id, created_at FROM memory_facts WHERE memory_id = ?", (before[2].memory_id,)
            )  # fmt: skip
        root = held.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'").fetchone()[0]
    with (base / "catalog.sqlite").open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(bytes(PAGE))
    rebuild_base("here", base, **FAKE)
    with Rove.open(base, **FAKE) as kb:
        assert kb.memory().facts() == [replace(fact, stamp="") for fact in before[2:]]
        sources = [lead.document_id for lead in kb.memory().leads() if lead.text == "the pier"]
        assert sources == ["", before[2].citation.document_id]
        assert kb.memory().search(before[2].text)
        assert kb.doctor().ok


def test_the_graph_is_carried_where_its_words_still_stand(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("Marie Curie won the Nobel Prize. Marie Curie was born in Warsaw.", id="curie"))
        kb.enrich("graph")
        before = kb.graph_size()[0]
        assert before >= 2
    with closing(sqlite3.connect(base / "catalog.sqlite")) as held, held:
        held.execute("UPDATE triplets SET object = 'never written' WHERE object = 'Warsaw'")
        root = held.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'").fetchone()[0]
    with (base / "catalog.sqlite").open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(bytes(PAGE))
    rebuild_base("here", base, **FAKE)
    with Rove.open(base, **FAKE) as kb:
        assert kb.graph_size()[0] == before - 1
        assert kb.explore("Nobel Prize").links
        assert not kb.explore("Warsaw").links
        assert kb.doctor().ok


def test_kept_originals_are_never_deleted(base: Path, tmp_path: Path) -> None:
    (base / "originals").mkdir()
    (base / "originals" / ("a" * 64)).write_bytes(b"no document knows of this")
    missing(base)
    rebuilt = rebuild_base("here", base, **FAKE)
    assert [path.read_bytes() for aside in rebuilt.aside for path in aside.iterdir()] == [b"no document knows of this"]


def test_what_cannot_be_a_source_is_said_and_changes_nothing(base: Path, tmp_path: Path) -> None:
    emptied(base)
    (tmp_path / "notes.txt").write_text("no export")
    torn = tmp_path / "torn.sqlite"
    torn.write_bytes((tmp_path / "backup" / "catalog.sqlite").read_bytes()[: 3 * PAGE])
    before = everything(base)
    for source in ("nowhere", str(tmp_path / "notes.txt"), str(torn)):
        with pytest.raises(RoveError):
            rebuild_base(source, base, **FAKE)
        assert everything(base) == before
    with pytest.raises(ConfigError, match="no base"):
        rebuild_base("here", tmp_path / "typo", **FAKE)
    with pytest.raises(ConfigError, match="embedder"):
        rebuild_base(str(tmp_path / "backup"), base, embedder={"name": "fake", "dimension": 17})
    assert everything(base) == before


@pytest.mark.parametrize("seed", range(2))
def test_torn_catalogs_open_heal_or_are_refused_with_a_cure(seed: int, base: Path) -> None:
    """A seeded loop over cuts, zeroed, random and flipped bytes: every error is typed, and a rebuild makes it sound."""
    chance = random.Random(seed)
    whole = (base / "catalog.sqlite").read_bytes()
    for trial in range(4):
        folder = base.parent / f"torn-{trial}"
        shutil.copytree(base, folder)
        (folder / "catalog.sqlite").write_bytes(torn(whole, chance))
        try:
            use(folder)
        except ConfigError as error:
            assert error.cure
            assert rebuild_base("here", folder, **FAKE).documents <= 70
            use(folder)
        shutil.rmtree(folder)


def test_rows_that_the_table_would_refuse_are_left_out() -> None:
    """A value that is missing, and all but the last row with a key."""
    walk = {column.name: "x" for column in tables.walks.columns} | {"seq": 1, "walk_id": "a"}
    rows = [walk, {**walk, "seq": 2, "walk_id": "b", "question": None}, {**walk, "rounds": 7}]
    assert sound(tables.walks, rows) == [{**walk, "rounds": 7}]


def torn(data: bytes, chance: random.Random) -> bytes:
    at = PAGE * chance.randrange(len(data) // PAGE)
    match chance.choice(["cut", "zeroed", "random", "flipped"]):
        case "cut":
            return data[: chance.randrange(len(data))]
        case "zeroed":
            return data[:at] + bytes(PAGE) + data[at + PAGE :]
        case "random":
            return data[:at] + chance.randbytes(PAGE) + data[at + PAGE :]
        case _:
            changed = bytearray(data)
            for _ in range(chance.choice([1, 30, 300])):
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            return bytes(changed)


def use(folder: Path) -> None:
    with Rove.open(folder, **FAKE) as kb:
        kb.search("lighthouse keeper")
        kb.doctor()
        assert kb.add(Text(TEXTS["ja"].format(99), id="fresh")).ok
        for info in kb.documents():
            kb.document(info.document_id)


# -- commands that read ----------------------------------------------------------------------------------------------

READING = [
    ["search", "x"], ["ask", "x"], ["walk", "x"], ["chat"], ["inspect"], ["inspect", "--ledger"],
    ["export", "-"], ["doctor"], ["doctor", "--rebuild-from", "here"], ["delete", "x"], ["enrich", "replies"],
    ["walks"], ["memory", "list"], ["serve"], ["mcp"], ["add", "--resume"], ["questions", "make", "q.csv"],
]  # fmt: skip


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_commands_that_read_make_no_base(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Rove.open(tmp_path / "handbook", **FAKE).close()
    result = CliRunner().invoke(rove, [*words, "--kb", "handbok", "--set", "embedder.name=fake"])
    assert result.exit_code == 2, result.output
    assert "handbok" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["handbook"]
    if "--rebuild-from" not in words:
        assert "Did you mean handbook?" in result.stderr


def test_the_library_makes_a_base_unless_told_not_to(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no base"):
        Rove.open(tmp_path / "kb", create=False, **FAKE)
    assert not (tmp_path / "kb").exists()
    Rove.open(tmp_path / "kb", **FAKE).close()
    Rove.open(tmp_path / "kb", create=False, **FAKE).close()


def test_a_server_names_the_space_that_is_not_there(tmp_path: Path) -> None:
    serving = pytest.importorskip("rove.serve.spaces")
    settings = Settings(
        path=tmp_path, embedder={"name": "fake"}, serve={"spaces": {"hr": {"path": "hr"}, "it": {"path": "itt"}}}
    )
    (tmp_path / "hr").mkdir()
    with pytest.raises(ConfigError, match="itt"):
        serving.Spaces.open(settings, tmp_path, create=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hr"]
    assert list((tmp_path / "hr").iterdir()) == []


def test_pages_that_lead_back_to_where_they_came_from_end_as_a_torn_catalog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "BATCH", 2)
    with Rove.open(tmp_path, **FAKE) as kb:
        kb.add(Text("One.", id="a"), Text("Two.", id="b"))
        catalog = kb._kb.store.catalog
        going_round = select(literal(1).label("seq")).select_from(tables.chunks)
        with pytest.raises(ConfigError, match="its chunks have no order"):
            list(catalog.pages(going_round))


def test_the_one_base_that_may_be_meant_is_named(tmp_path: Path) -> None:
    (tmp_path / "outer").mkdir()
    Rove.open(tmp_path / "outer" / "inner", **FAKE).close()
    with pytest.raises(ConfigError) as raised:
        Rove.open(tmp_path / "outer", create=False, **FAKE)
    assert f"Did you mean {tmp_path / 'outer' / 'inner'}?" in raised.value.cure


def test_summaries_are_carried(base: Path) -> None:
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("Marie Curie won the Nobel Prize. Marie Curie was born in Warsaw.", id="curie"))
        kb.add(Text("Oslo lies in Norway. It rains there.", id="oslo"))
        kb.enrich("summaries")
        before = kb.summary("curie")
    with closing(sqlite3.connect(base / "catalog.sqlite")) as held, held:
        held.execute("UPDATE summaries SET sentences = 'torn' WHERE sentences LIKE '%Oslo%'")
        root = held.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'chunks'").fetchone()[0]
    with (base / "catalog.sqlite").open("r+b") as file:
        file.seek((root - 1) * PAGE)
        file.write(bytes(PAGE))
    rebuild_base("here", base, **FAKE)
    with Rove.open(base, **FAKE) as kb:
        assert kb.summary("curie") == before
        assert kb.summary("oslo") == []
        assert kb.estimate_enrich("summaries").documents == 1
        assert kb.enrich("summaries").changed == 1
        assert kb.doctor().ok
