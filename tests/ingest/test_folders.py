"""Folders that are added again: what is gone is told or removed, what has moved stays the document that it is."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.cpu_time import at_most

import postgres_server
from load.samples import zip_file
from rove import AsyncRove, Rove, Text, field
from rove.cli import rove
from rove.models.fake import FakeEmbedder
from rove.records.ledger import GONE
from rove.store.failpoints import MOVED
from rove.store.kept_questions import KeptQuestion, KeptQuestions
from rove.store.set_fields import SetFields

FAKE = {"embedder": {"name": "fake"}}
PILOT, TUG, BUOY = "The pilot boards at the buoy.", "The tug waits at the mole.", "The buoy is painted red."


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with Rove.open(tmp_path / "kb", **FAKE) as base:
        yield base


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    return made


def put(folder: Path, **texts: str) -> None:
    """Write files `name.md`, each with its name as its heading."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(f"# About it\n\n{text}\n")


def ids(kb: Rove) -> dict[str, str]:
    """The id of each document by its file's name."""
    return {Path(info.source).name: info.document_id for info in kb.documents()}


def found(kb: Rove, words: str) -> set[str]:
    return {Path(hit.uri).name for hit in kb.search(words, mode="keyword") if words in hit.chunk.text}


# -- what is gone ------------------------------------------------------------------------------------------------------


def test_what_is_gone_is_told_and_stays_until_it_is_pruned(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG, c=BUOY)
    assert kb.add(folder).vanished == ()
    (folder / "b.md").unlink()
    for _ in range(2):
        report = kb.add(folder)
        assert (report.vanished, report.removed, report.ok) == ((str(folder / "b.md"),), 0, True)
        assert found(kb, TUG) == set()
        assert set(ids(kb)) == {"a.md", "b.md", "c.md"}
    [entry] = [entry for entry in kb.ledger() if entry.outcome]
    assert (entry.state, entry.outcome, entry.documents) == ("live", GONE, 1)
    assert "as it was on 20" in entry.reason
    report = kb.add(folder, prune=True)
    assert (report.vanished, report.removed) == ((), 1)
    assert set(ids(kb)) == {"a.md", "c.md"}
    assert len(kb.ledger()) == 2
    assert kb.add(folder, prune=True).removed == 0


def test_the_setting_prunes(tmp_path: Path, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    with Rove.open(tmp_path / "kb", load={"prune": True}, **FAKE) as kb:
        kb.add(folder)
        (folder / "b.md").unlink()
        assert kb.add(folder, prune=False).removed == 0
        assert kb.add(folder).removed == 1


def test_what_comes_back_is_no_longer_told(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder)
    (folder / "b.md").rename(folder.parent / "b.md")
    kb.add(folder)
    (folder.parent / "b.md").rename(folder / "b.md")
    report = kb.add(folder)
    assert (report.vanished, report.unchanged) == ((), 2)
    assert not [entry for entry in kb.ledger() if entry.outcome or entry.reason]
    assert "text_as_of" not in kb.documents()[1].metadata


def test_a_folder_that_is_not_there_just_now_loses_nothing(kb: Rove, folder: Path, tmp_path: Path) -> None:
    share = tmp_path / "share"
    put(share, c=BUOY)
    put(folder, a=PILOT, b=TUG)
    (folder / "linked").symlink_to(share)
    assert kb.add(folder).added == 3
    share.rename(tmp_path / "unmounted")
    assert kb.add(folder, prune=True).removed == 0
    share.mkdir()
    assert kb.add(folder, prune=True).removed == 0
    folder.rename(tmp_path / "elsewhere")
    report = kb.add(folder, prune=True)
    assert (report.removed, report.vanished) == (0, ())
    folder.mkdir()
    report = kb.add(folder, prune=True)
    assert (report.removed, [one.path for one in report.skipped]) == (0, [str(folder)])
    assert "3 documents of it stay" in report.skipped[0].reason
    put(folder, b=TUG)
    assert kb.add(folder, prune=True).removed == 2


def test_neither_what_is_named_nor_what_lies_elsewhere_is_gone(kb: Rove, folder: Path, tmp_path: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    put(tmp_path / "docs2", c=BUOY)
    (folder / ".hidden.md").write_text("The lamp is green.")
    kb.add(folder, tmp_path / "docs2", folder / ".hidden.md", Text("A note.", id="note"))
    (tmp_path / "docs2/c.md").unlink()
    report = kb.add(folder, prune=True)
    assert (report.removed, report.vanished, len(kb.documents())) == (0, (), 5)


def test_what_patterns_leave_out_by_now_is_told_and_pruned(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT)
    put(folder / "drafts", b=TUG)
    kb.add(folder)
    (folder / ".roveignore").write_text("drafts/\n")
    assert kb.add(folder).vanished == (str(folder / "drafts/b.md"),)
    assert kb.add(folder, prune=True).removed == 1


def test_a_file_becomes_a_folder_and_a_folder_a_file(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT)
    put(folder / "b.md", c=TUG)
    kb.add(folder)
    text = (folder / "b.md/c.md").read_text()
    (folder / "a.md").unlink()
    put(folder / "a.md", x=BUOY)
    (folder / "b.md/c.md").unlink()
    (folder / "b.md").rmdir()
    (folder / "b.md").write_text(text)
    before = ids(kb)
    report = kb.add(folder, prune=True)
    assert (report.removed, report.moved) == (1, 1)
    assert (found(kb, PILOT), found(kb, TUG), found(kb, BUOY)) == (set(), {"b.md"}, {"x.md"})
    assert ids(kb)["b.md"] == before["c.md"]


def test_copies_are_left_out_only_while_the_first_is_there(tmp_path: Path, folder: Path) -> None:
    put(folder, a=PILOT, z=TUG)
    with Rove.open(tmp_path / "kb", load={"duplicates": "skip"}, **FAKE) as kb:
        kb.add(folder)
        put(folder, b=PILOT)
        kb.add(folder)
        first = ids(kb)["a.md"]
        assert found(kb, PILOT) == {"a.md"}
        (folder / "a.md").unlink()
        kb.add(folder)
        assert found(kb, PILOT) == {"b.md"}
        assert ids(kb)["b.md"] == first


# -- what has moved ----------------------------------------------------------------------------------------------------


def test_a_renamed_file_keeps_its_id_and_all_that_hangs_on_it(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder)
    document_id = ids(kb)["a.md"]
    [hit] = [hit for hit in kb.search("pilot", mode="keyword") if hit.chunk.document_id == document_id]
    store = kb._kb.store
    SetFields(store.catalog.database).put({document_id: {"access": ("hr",)}})
    text = kb.text(document_id)
    start = text.index(PILOT)
    kb.correct(document_id, (start, start + 9), "The pilot", "A pilot", by="anna")
    span = (start, len(text) - 2)
    KeptQuestions(store.catalog.database).keep(
        [KeptQuestion("Who boards?", document_id, span, kb.text(document_id)[slice(*span)])]
    )
    (folder / "a.md").rename(folder / "pilots.md")
    report = kb.add(folder)
    assert (report.moved, report.vanished, report.removed) == (1, (), 0)
    assert ids(kb)["pilots.md"] == document_id
    assert "a.md" not in ids(kb)
    assert found(kb, "A pilot boards") == {"pilots.md"}
    assert SetFields(store.catalog.database).of([document_id])[document_id]["access"] == ("hr",)
    assert len(kb.corrections(document_id)) == 1
    assert [one.document_id for one in KeptQuestions(store.catalog.database).all()] == [document_id]
    assert hit.chunk.document_id == document_id
    # and later edits are edits of the same document
    put(folder, pilots="The pilot stays ashore.")
    assert kb.add(folder).replaced == 1
    assert ids(kb)["pilots.md"] == document_id
    assert [entry.source for entry in kb.ledger()] == [str(folder / "b.md"), str(folder / "pilots.md")]


def test_a_new_file_of_an_old_name_is_another_document(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder)
    first = ids(kb)["a.md"]
    (folder / "a.md").rename(folder / "c.md")
    kb.add(folder)
    put(folder, a=BUOY)
    kb.add(folder)
    now = ids(kb)
    assert now["c.md"] == first != now["a.md"]
    assert (found(kb, PILOT), found(kb, BUOY)) == ({"c.md"}, {"a.md"})
    put(folder, a="The lamp is green.")
    kb.add(folder)
    assert ids(kb) == now
    assert found(kb, BUOY) == set()


def test_names_are_swapped_and_passed_on(kb: Rove, folder: Path) -> None:
    put(folder, log1=PILOT, log2=TUG, x=BUOY)
    kb.add(folder)
    one, two = ids(kb)["log1.md"], ids(kb)["log2.md"]
    for old, new in (("log1", "t"), ("log2", "log1"), ("t", "log2")):
        (folder / f"{old}.md").rename(folder / f"{new}.md")
    report = kb.add(folder)
    assert (report.moved, ids(kb)["log2.md"], ids(kb)["log1.md"]) == (2, one, two)
    assert (found(kb, PILOT), found(kb, TUG)) == ({"log2.md"}, {"log1.md"})
    (folder / "log2.md").rename(folder / "log3.md")
    (folder / "log1.md").rename(folder / "log2.md")
    put(folder, log1="A new day begins.")
    report = kb.add(folder)
    assert (report.moved, report.vanished) == (2, ())
    now = ids(kb)
    assert (now["log3.md"], now["log2.md"]) == (one, two)
    assert now["log1.md"] not in {one, two}
    assert found(kb, "A new day begins.") == {"log1.md"}


def test_a_file_that_is_moved_over_another_takes_its_place(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder)
    first = ids(kb)["a.md"]
    (folder / "a.md").replace(folder / "b.md")
    report = kb.add(folder)
    assert (report.moved, ids(kb)) == (1, {"b.md": first})
    assert (found(kb, PILOT), found(kb, TUG)) == ({"b.md"}, set())


def test_of_two_copies_one_goes_and_nothing_moves(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=PILOT, c=TUG)
    kb.add(folder)
    before = ids(kb)
    (folder / "a.md").unlink()
    report = kb.add(folder, prune=True)
    assert (report.moved, report.removed, ids(kb)["b.md"]) == (0, 1, before["b.md"])


def test_the_same_bytes_under_two_kinds_take_one_place(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, x=TUG)
    shutil.copyfile(folder / "a.md", folder / "a.txt")
    kb.add(folder)
    before = ids(kb)
    (folder / "a.md").unlink()
    (folder / "a.txt").rename(folder / "b.md")
    report = kb.add(folder)
    assert (report.moved, len(report.vanished)) == (1, 1)
    assert ids(kb)["b.md"] in {before["a.md"], before["a.txt"]}


def test_renamed_and_edited_at_once_is_gone_and_new(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder)
    (folder / "a.md").unlink()
    put(folder, c=f"{PILOT} And more.")
    report = kb.add(folder)
    assert (report.moved, len(report.vanished), report.added) == (0, 1, 1)


@pytest.mark.parametrize(
    ("old", "new"), [("Plan.md", "plan.md"), ("Gr\u00f6\u00dfe.md", "Gro\u0308\u00dfe.md"), ("a.md", "b/a.md")]
)
def test_names_of_another_case_form_or_folder(kb: Rove, folder: Path, old: str, new: str) -> None:
    put(folder, x=TUG)
    (folder / old).write_text(f"# It\n\n{PILOT}")
    kb.add(folder)
    before = ids(kb)[old]
    (folder / new).parent.mkdir(exist_ok=True)
    (folder / old).rename(folder / new)
    assert kb.add(folder).moved == 1
    assert [info.document_id for info in kb.documents() if info.source == str(folder / new)] == [before]


def test_what_is_called_after_its_file_is_called_anew(kb: Rove, folder: Path) -> None:
    (folder / "harbour.txt").write_text(PILOT)
    put(folder, x=TUG)
    kb.add(folder)
    before = ids(kb)["harbour.txt"]
    (folder / "harbour.txt").rename(folder / "airport.md")
    assert kb.add(folder).moved == 1
    [info] = [info for info in kb.documents() if info.document_id == before]
    assert (info.title, info.kind) == ("airport", "markdown")
    assert not kb.search("harbour", mode="keyword")
    assert kb.search("airport", mode="keyword")


def test_between_two_folders_and_with_members(kb: Rove, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    put(one, a=PILOT)
    put(two, b=TUG)
    (one / "pack.zip").write_bytes(zip_file({"in/x.md": BUOY.encode(), "y.txt": b"The lamp is green."}))
    (one / "rows.jsonl").write_text(json.dumps({"id": "r1", "text": "The fee is ten."}) + "\n")
    kb.add(one, two)
    before = {info.source: info.document_id for info in kb.documents()}
    (one / "pack.zip").rename(two / "pack.zip")
    (one / "rows.jsonl").rename(two / "rows.jsonl")
    report = kb.add(one, two)
    assert (report.moved, report.documents) == (2, 0)
    after = {info.source: info for info in kb.documents()}
    assert {s.replace(str(two), str(one)): i.document_id for s, i in after.items() if "#" in s} == {
        s: i for s, i in before.items() if "#" in s
    }
    assert {info.metadata["parent"] for info in after.values() if "parent" in info.metadata} == {str(two / "pack.zip")}
    (two / "rows.jsonl").write_text(json.dumps({"id": "r1", "text": "The fee is twelve."}) + "\n")
    kb.add(two)
    assert {info.source: info.document_id for info in kb.documents()} == {s: i.document_id for s, i in after.items()}


def test_files_that_are_named_one_by_one_are_found_where_they_lie_now(kb: Rove, folder: Path, tmp_path: Path) -> None:
    put(folder, a=PILOT, b=TUG, c=BUOY)
    kb.add(*sorted(folder.iterdir()))
    before = ids(kb)
    (folder / "a.md").rename(folder / "pilots.md")
    (folder / "b.md").rename(tmp_path / "tugs.md")
    (folder / "c.md").unlink()
    report = kb.add(folder / "pilots.md", tmp_path / "tugs.md")
    assert (report.moved, report.removed, report.vanished) == (2, 0, ())
    assert ids(kb) == {"pilots.md": before["a.md"], "tugs.md": before["b.md"], "c.md": before["c.md"]}
    put(folder, pilots="The pilot stays ashore.")
    assert kb.add(folder / "pilots.md").replaced == 1
    assert ids(kb)["pilots.md"] == before["a.md"]


def test_a_folder_that_is_renamed_itself_keeps_its_documents(kb: Rove, folder: Path, tmp_path: Path) -> None:
    put(folder, **{f"n{number}": f"Note {number} of the pilot." for number in range(60)})
    kb.add(folder)
    before = ids(kb)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    assert kb.add(copy).moved == 0, "the first is still there"
    kb.add(folder, prune=True)
    shutil.rmtree(copy)
    kb.add(tmp_path, prune=True)
    assert ids(kb) == before
    folder = folder.rename(tmp_path / "papers")
    put(folder, fresh="A new one.", n7="Edited meanwhile.")
    report = kb.add(folder)
    assert (report.moved, report.added) == (59, 2)
    after = ids(kb)
    assert {name: after[name] for name in before if name != "n7.md"} == {
        name: one for name, one in before.items() if name != "n7.md"
    }


def test_a_named_file_takes_nothing_from_what_is_there_or_may_be(kb: Rove, folder: Path, tmp_path: Path) -> None:
    disk = tmp_path / "media/disk"
    put(disk, a=PILOT)
    put(folder, b=TUG)
    kb.add(disk / "a.md", folder / "b.md", Text(f"# About it\n\n{BUOY}\n", id="note"))
    before = {info.source: info.document_id for info in kb.documents()}
    shutil.copyfile(disk / "a.md", folder / "a.md")
    shutil.copyfile(folder / "b.md", folder / "copy.md")
    shutil.rmtree(disk)  # a disk that is not mounted leaves an empty folder, or none
    put(folder, c=BUOY)
    report = kb.add(folder / "a.md", folder / "copy.md", folder / "c.md")
    assert (report.moved, report.added) == (0, 3)
    assert before.items() <= {info.source: info.document_id for info in kb.documents()}.items()


def test_names_of_named_files_are_swapped(kb: Rove, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    kb.add(folder / "a.md", folder / "b.md")
    one, two = ids(kb)["a.md"], ids(kb)["b.md"]
    for old, new in (("a", "t"), ("b", "a"), ("t", "b")):
        (folder / f"{old}.md").rename(folder / f"{new}.md")
    assert kb.add(folder / "a.md", folder / "b.md").moved == 2
    assert ids(kb) == {"b.md": one, "a.md": two}


def test_a_folder_of_a_thousand_files_is_renamed_without_a_vector(
    kb: Rove, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "old").mkdir()
    for number in range(1_000):
        (folder / f"old/{number}.txt").write_text(f"Berth {number} is free.")
    put(folder, x=TUG)
    start = time.process_time()
    kb.add(folder)
    first_s = time.process_time() - start
    before = {Path(info.source).name: info.document_id for info in kb.documents()}
    (folder / "old").rename(folder / "new")
    passages, embedded = FakeEmbedder.passages, list[str]()

    async def noted(self: FakeEmbedder, texts: Sequence[str]) -> object:
        embedded.extend(texts)
        return await passages(self, texts)

    monkeypatch.setattr(FakeEmbedder, "passages", noted)
    with at_most(max(first_s, 2)):
        report = kb.add(folder)
    assert (report.moved, report.unchanged, report.vanished, embedded) == (1_000, 1_001, (), [])
    assert {Path(info.source).name: info.document_id for info in kb.documents()} == before
    assert not [info for info in kb.documents() if "/old/" in info.source]
    [hit] = kb.search("Berth 7", mode="keyword", top_k=1)
    assert hit.uri == str(folder / "new/7.txt")
    assert kb.doctor().ok


@pytest.mark.parametrize("store", [{}, {"index": "lancedb", "resident_chunks": 0}])
def test_a_move_that_is_cut_off_is_finished(tmp_path: Path, folder: Path, store: dict[str, Any]) -> None:
    put(folder, a=PILOT, b=TUG)
    with Rove.open(tmp_path / "kb", store=store, **FAKE) as kb:
        kb.add(folder)
        before = ids(kb)["a.md"]
    (folder / "a.md").rename(folder / "c.md")
    script = (
        "import sys, json; from rove import Rove\n"
        "with Rove.open(sys.argv[1], embedder={'name': 'fake'}, store=json.loads(sys.argv[3])) as kb:\n"
        "    kb.add(sys.argv[2])"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "kb"), str(folder), json.dumps(store)]
    done = subprocess.run(words, env={**os.environ, "ROVE_FAILPOINT": MOVED}, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    with Rove.open(tmp_path / "kb", store=store, **FAKE) as kb:
        report = kb.add(folder)
        assert (report.documents, report.vanished, ids(kb)["c.md"]) == (0, (), before)
        here = field("source") == str(folder / "c.md")
        for mode in ("keyword", "semantic"):
            assert [hit.uri for hit in kb.search("pilot", where=here, mode=mode)] == [str(folder / "c.md")]
            assert not kb.search("pilot", where=field("source") == str(folder / "a.md"), mode=mode)
        assert kb.doctor().ok


def test_a_base_in_postgres_finds_what_has_moved(folder: Path) -> None:
    put(folder, a=PILOT, b=TUG, c=BUOY)
    with Rove.open(postgres_server.base(f"folders_{token_hex(4)}"), **FAKE) as kb:
        kb.add(folder)
        before = ids(kb)
        (folder / "a.md").rename(folder / "x.md")
        (folder / "b.md").unlink()
        report = kb.add(folder)
        assert (report.moved, report.vanished) == (1, (str(folder / "b.md"),))
        assert ids(kb) == {"x.md": before["a.md"], "b.md": before["b.md"], "c.md": before["c.md"]}
        assert found(kb, PILOT) == {"x.md"}
        assert kb.add(folder, prune=True).removed == 1


async def test_in_a_watched_folder_a_file_is_moved(tmp_path: Path, folder: Path) -> None:
    put(folder, a=PILOT, b=TUG)
    stop = asyncio.Event()
    async with AsyncRove.open(tmp_path / "kb", **FAKE) as kb:
        reports = kb.watch(folder, stop=stop)
        await anext(reports)
        before = {Path(info.source).name: info.document_id for info in await kb.documents()}["a.md"]
        following = asyncio.ensure_future(anext(reports))
        await asyncio.sleep(1.0)  # the watch is set up within the first anext after the first report
        (folder / "a.md").rename(folder / "c.md")
        report = await asyncio.wait_for(following, 20)
        assert (report.moved, report.removed) == (1, 0)
        assert {Path(info.source).name: info.document_id for info in await kb.documents()}["c.md"] == before
        stop.set()
        await reports.aclose()


# -- as a person has it ------------------------------------------------------------------------------------------------


def call(*arguments: object, base: Path) -> Result:
    words = [str(argument) for argument in arguments]
    result = CliRunner().invoke(rove, [*words, "--kb", str(base), "--set", "embedder.name=fake"])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def test_the_command_line_says_what_is_gone_and_takes_it_out(tmp_path: Path, folder: Path) -> None:
    base = tmp_path / "kb"
    put(folder, a=PILOT, b=TUG, c=BUOY, d="The lamp is green.", e="The fee is ten.", f="The gate is shut.")
    call("add", folder, base=base)
    for name in "bcde":
        (folder / f"{name}.md").unlink()
    (folder / "f.md").rename(folder / "g.md")
    said = call("add", folder, base=base)
    assert said.exit_code == 0
    assert "1 file moved or renamed" in said.stdout
    assert f"4 files are gone: {folder / 'b.md'}, {folder / 'c.md'}, {folder / 'd.md'} and 1 more" in said.stdout
    assert f"rove add {folder} --prune --kb {base}" in said.stdout
    assert len(json.loads(call("add", folder, "--json", base=base).stdout)["vanished"]) == 4
    assert "4 documents removed" in call("add", folder, "--prune", base=base).stdout
    assert "gone" not in call("add", folder, base=base).stdout


def test_names_that_are_no_text(kb: Rove, folder: Path) -> None:
    put(folder, x=TUG)
    name = os.fsencode(folder) + b"/Gr\xfc\xdfe.md"
    Path(os.fsdecode(name)).write_text(f"# It\n\n{PILOT}")
    kb.add(folder)
    assert kb.add(folder).vanished == ()
    Path(os.fsdecode(name)).unlink()
    assert len(kb.add(folder).vanished) == 1


def test_an_export_carries_what_ids_were_made_from(tmp_path: Path, folder: Path) -> None:
    """What had moved stays the document that it is in the base that takes the export in, too."""
    put(folder, a=PILOT, b=TUG)
    with Rove.open(tmp_path / "one", **FAKE) as first, Rove.open(tmp_path / "two", **FAKE) as second:
        first.add(folder)
        (folder / "a.md").rename(folder / "c.md")
        first.add(folder)
        put(folder, a=BUOY)
        first.add(folder)
        before = ids(first)
        for _ in range(2):  # what came with the export once comes again unharmed
            assert second.import_(first.export()).ok
        assert second.add(folder).ok
        assert ids(second) == before
        put(folder, c=f"{PILOT} {BUOY}", a=f"{TUG} {BUOY}")
        assert second.add(folder).ok
        assert ids(second) == before
        (folder / "c.md").rename(folder / "d.md")
        assert second.add(folder).moved == 1
        assert ids(second) == {"a.md": before["a.md"], "b.md": before["b.md"], "d.md": before["c.md"]}
        named = [json.loads(line).get("id_of", "") for line in second.export()]
        assert sorted(Path(one).name for one in named if one) == ["a.md", "a.md#again-2"]
