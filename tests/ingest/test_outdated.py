"""A file that is emptied, damaged, closed or gone goes on answering, and says from when its text is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from click.testing import CliRunner

from load.samples import zip_file
from rove import Rove
from rove.cli import rove
from rove.records.outdated import FILE_GONE, day_of
from rove.store.outdated import GoneFiles

FAKE = {"embedder": {"name": "fake"}}
PILOT, TUG = "The pilot boards at the green buoy.", "The tug waits at the mole."
QUESTION = "Where does the pilot board?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "a.md").write_text(f"# Pilots\n\n{PILOT}\n")
    (made / "b.md").write_text(f"# Tugs\n\n{TUG}\n")
    return made


@pytest.fixture
def kb(tmp_path: Path, folder: Path) -> Iterator[Rove]:
    with Rove.open(tmp_path / "kb", **FAKE) as base:
        base.add(folder)
        yield base


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def days(kb: Rove) -> dict[str, str]:
    """The day of each document that is there, by its file's name; "" of what is up to date."""
    return {Path(info.source).name: day_of(info.metadata) for info in kb.documents()}


def found(kb: Rove, mode: str = "hybrid") -> dict[str, str]:
    """Likewise of each that is found."""
    return {Path(hit.uri).name: hit.as_of for hit in kb.search("the pilot and the tug", mode=mode, top_k=50)}


def spoil(path: Path, how: str) -> None:
    match how:
        case "empty" | "too-small":
            path.write_bytes(b"")
        case "blank":
            path.write_text(" \n")
        case "damaged":
            path.write_bytes(b"PK\x03\x04" + bytes(200))
        case "binary":
            path.write_bytes(bytes(range(256)) * 20)
        case "folder-link":
            path.unlink()
            path.symlink_to(path.parent / "nowhere.md")
        case _:
            path.unlink()


@pytest.mark.parametrize("how", ["empty", "blank", "damaged", "binary", "gone"])
def test_what_can_no_longer_be_read_says_from_when_it_is(kb: Rove, folder: Path, how: str) -> None:
    spoil(folder / "a.md", how)
    for _ in range(2):
        report = kb.add(folder)
        assert report.ok == (how == "gone")
        assert days(kb) == {"a.md": today(), "b.md": ""}
        assert set(found(kb)) == ({"b.md"} if how == "gone" else {"a.md", "b.md"})
    [entry] = [entry for entry in kb.ledger() if entry.outcome]
    assert (entry.state, entry.documents) == ("live", 1)
    assert entry.reason.endswith(f"What is found of it is as it was on {today()}.")
    answer = kb.ask(QUESTION)
    assert PILOT not in answer.text if how == "gone" else f"Source 1 is as it was on {today()}" in answer.note
    assert {citation.as_of for citation in answer.citations if PILOT in citation.quote} == (
        set() if how == "gone" else {today()}
    )
    assert "as it was" not in kb.ask("Where does the tug wait?").note
    (folder / "a.md").write_text(f"# Pilots\n\n{PILOT}\n")
    assert kb.add(folder).ok
    assert found(kb) == days(kb) == {"a.md": "", "b.md": ""}
    assert not [entry for entry in kb.ledger() if entry.outcome or entry.reason]


def test_the_day_stays_that_of_the_text(kb: Rove, folder: Path) -> None:
    store = kb._kb.store
    [known] = store.ledger.get([str(folder / "a.md")]).values()
    with store.catalog.database.write() as connection:
        connection.exec_driver_sql("UPDATE ledger SET updated_at = '2026-11-01T08:00:00+00:00'")
    (folder / "a.md").write_bytes(b"")
    kb.add(folder)
    (folder / "a.md").unlink()
    kb.add(folder)
    assert days(kb)["a.md"] == "2026-11-01"
    assert known.updated_at[:10] == today()


def test_it_is_not_found_at_all_where_the_settings_say_so(tmp_path: Path, folder: Path) -> None:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(folder)
        (folder / "c.md").write_text("# Pilots and tugs\n\nThe pilot and the tug are ashore.\n")
        kb.add(folder)
        (folder / "a.md").write_bytes(b"")
        (folder / "c.md").unlink()
        kb.add(folder)
    for settings, hidden in (("note", set()), ("hide_gone", {"c.md"}), ("hide", {"a.md", "c.md"})):
        with Rove.open(tmp_path / "kb", search={"outdated": settings}, **FAKE) as kb:
            for mode in ("hybrid", "keyword", "semantic", "gather", "walk"):
                assert set(found(kb, mode)) == {"a.md", "b.md", "c.md"} - hidden, (settings, mode)
            assert (PILOT in kb.ask(QUESTION).text) is (settings != "hide")


def test_a_file_that_is_gone_and_back_but_empty_is_found_as_it_was(kb: Rove, folder: Path) -> None:
    (folder / "a.md").unlink()
    kb.add(folder)
    assert set(found(kb)) == {"b.md"}
    (folder / "a.md").write_bytes(b"")
    kb.add(folder)
    assert found(kb) == {"a.md": today(), "b.md": ""}
    (folder / "a.md").unlink()
    kb.add(folder)
    assert set(found(kb)) == {"b.md"}


@pytest.mark.parametrize("outdated", ["hide_gone", "note"])
def test_a_list_of_documents_leaves_out_what_is_gone(
    tmp_path: Path, folder: Path, outdated: Literal["hide_gone", "note"]
) -> None:
    (folder / "c.md").write_text("# Pilots ashore\n\nThe pilot sleeps in the lighthouse.\n")
    with Rove.open(tmp_path / "kb", search={"outdated": outdated}) as kb:
        kb.add(folder)
        (folder / "c.md").unlink()
        kb.add(folder)
        listed = kb.ask("How many documents are there?").text
    assert listed.startswith("2 " if outdated == "hide_gone" else "3 ")
    assert ("ashore" in listed) is (outdated == "note")


def test_what_was_gone_before_there_was_a_field_for_it_is_hidden_by_the_next_add(kb: Rove, folder: Path) -> None:
    (folder / "a.md").unlink()
    kb.add(folder)
    store = kb._kb.store
    with store.catalog.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM facts WHERE name = 'files_gone'")
    [gone] = [info.document_id for info in kb.documents() if day_of(info.metadata)]
    store.catalog.enrich({gone: {FILE_GONE: None}})
    store.gone_files = GoneFiles(store.documents)
    assert set(found(kb)) == {"a.md", "b.md"}
    kb.add(folder)
    assert set(found(kb)) == {"b.md"}


@pytest.mark.skipif(os.geteuid() == 0 and not hasattr(os, "seteuid"), reason="rights are others there")
def test_a_file_that_is_named_and_is_not_there_any_more(kb: Rove, folder: Path) -> None:
    (folder / "a.md").unlink()
    report = kb.add(folder / "a.md")
    assert [entry.outcome for entry in report.failed] == ["unreadable"]
    assert days(kb) == {"a.md": today(), "b.md": ""}


def test_of_an_archive_that_is_cut_off_what_is_missing_is_of_that_day(tmp_path: Path) -> None:
    pack = tmp_path / "pack.zip"
    whole = zip_file({"a.md": f"# A\n\n{PILOT}".encode(), "b.md": f"# B\n\n{TUG}".encode()})
    pack.write_bytes(whole)
    with Rove.open(tmp_path / "kb2", **FAKE) as kb:
        kb.add(pack)
        pack.write_bytes(zip_file({"a.md": f"# A\n\n{PILOT} Yes.".encode(), "b.md": b""}))
        report = kb.add(pack)
        assert [entry.outcome for entry in report.failed] == ["partial"]
        assert days(kb) == {"pack.zip#a.md": "", "pack.zip#b.md": today()}
        pack.write_bytes(whole)
        kb.add(pack)
        assert set(days(kb).values()) == {""}


def test_what_says_the_same_as_another_by_now_leaves_nothing_behind(tmp_path: Path, folder: Path) -> None:
    with Rove.open(tmp_path / "kb3", load={"duplicates": "skip"}, **FAKE) as kb:
        kb.add(folder)
        (folder / "b.md").write_text((folder / "a.md").read_text())
        kb.add(folder)
        assert not [hit for hit in kb.search("tug") if TUG in hit.chunk.text]
        assert set(days(kb)) == {"a.md"}


def test_the_command_line_says_from_when_it_is(tmp_path: Path, folder: Path) -> None:
    at = ["--kb", str(tmp_path / "kb"), "--set", "embedder.name=fake"]

    def call(*words: str) -> str:
        return CliRunner().invoke(rove, [*words, *at]).output

    call("add", str(folder))
    (folder / "a.md").write_bytes(b"")
    call("add", str(folder))
    assert f"as it was on {today()}" in call("search", "pilot")
    assert f"as it was on {today()}" in call("ask", QUESTION)
    told = json.loads(CliRunner().invoke(rove, ["search", "pilot tug", "--json", *at]).stdout)
    assert {hit["as_of"] for hit in told} == {today(), ""}
    cited = json.loads(CliRunner().invoke(rove, ["ask", QUESTION, "--json", *at]).stdout)
    assert cited["sentences"][0]["citations"][0]["as_of"] == today()
    (folder / "a.md").unlink()
    call("add", str(folder))
    assert "gone" in call("inspect", "--ledger")
    assert PILOT not in call("search", "pilot")
