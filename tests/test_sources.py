"""What can be added, and what becomes of it: formats, pages, sites, databases, duplicates, watched folders."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from load import samples, samples_data, samples_office, samples_posts, samples_web
from load.samples import PARAGRAPHS
from load.web_server import Answer, html, serve
from rove import AsyncRove, Rove, Text, field
from rove.cli import rove
from rove.load.web.plan import CrawlPlan
from rove.sandbox.office import library

FAKE = {"embedder": {"name": "fake"}}
AT = ("--set", "embedder.name=fake", "--kb")
ARTICLE = (
    "The harbour office issues permits for visiting yachts. Each permit names the berth, the length of a stay and the "
    "fee. Skippers collect it in person before noon, and hand it back when they leave the harbour for good."
)


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Rove]:
    with Rove.open(tmp_path / "kb", **FAKE) as base:
        yield base


def test_a_folder_of_many_formats_is_reported_by_type(kb: Rove, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    files = {
        "a.docx": samples.docx_file(),
        "b.pdf": samples.pdf_report(),
        "c.pptx": samples_office.deck_sample(),
        "d.xlsx": samples_data.workbook("xlsx"),
        "e.zip": samples.zip_file(samples_web.folder()),
        "f.md": b"# Hafen\n\nDer Lotse kommt.",
        "g.doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le") * 50,
        "h.pdf": b"%PDF-1.7 and no more",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    report = kb.add(folder)
    kinds = {count.kind: count for count in report.kinds}
    assert {"docx", "pdf", "pptx", "xlsx", "zip", "markdown"} <= set(kinds)
    assert kinds["pdf"].added == kinds["pdf"].failed == 1
    assert kinds["zip"].documents > 1
    old_word = "damaged" if library() else "unsupported"
    assert {Path(e.source).name: e.outcome for e in report.failed} == {"g.doc": old_word, "h.pdf": "damaged"}
    assert sum(count.documents for count in report.kinds) == report.documents == len(kb.documents())
    again = kb.add(folder)
    assert (again.added, again.unchanged, len(again.failed)) == (0, 6, 2)


def test_a_file_that_is_not_what_its_suffix_says_is_still_read_in_the_sandbox(
    kb: Rove, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> object:
        raise AssertionError

    monkeypatch.setattr("rove.load.pdf.loader.PdfLoader.load", never)
    (tmp_path / "a.txt").write_bytes(samples.pdf_report())
    report = kb.add(tmp_path / "a.txt")
    assert report.ok
    assert kb.documents()[0].kind == "pdf"


def test_boxes_blocks_and_pages_are_kept(kb: Rove, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(samples.pdf_report())
    kb.add(tmp_path / "a.pdf")
    document, chunks = kb.document(kb.documents()[0].document_id)
    assert document.pages
    assert document.boxes
    for chunk in chunks:
        boxes = document.boxes_at(chunk.span)
        assert boxes
        assert all(0 <= box.left < box.right <= 1 and 0 <= box.top < box.bottom <= 1 for box in boxes)
        assert chunk.page in {box.page for box in boxes}
    span = f"{chunks[0].span[0]}:{chunks[0].span[1]}"
    shown = CliRunner().invoke(rove, ["inspect", document.document_id, "--span", span, *AT, str(tmp_path / "kb")])
    assert re.search(r"\npage 1, \d+% to \d+% down\n", shown.output), shown.output


async def test_a_page_is_fetched_and_its_password_kept_nowhere(tmp_path: Path) -> None:
    page = f"<html><head><title>Permits</title></head><body><main><h1>Permits</h1><p>{ARTICLE}</p></main></body></html>"
    async with serve({"/permits": html(page)}) as site:
        async with AsyncRove.open(tmp_path / "kb", **FAKE) as kb:
            refused = await kb.add(f"{site.url}/permits")
            assert [entry.outcome for entry in refused.failed] == ["unreadable"]
            assert "private" in refused.failed[0].cure
            assert site.paths == []
        async with AsyncRove.open(tmp_path / "kb2", **FAKE, load={"allow_private_hosts": True}) as kb:
            given = f"{site.url}/permits".replace("//", "//ann:hunter2@")
            report = await kb.add(given, f"{site.url}/missing")
            assert report.added == 1
            assert [entry.source for entry in report.failed] == [f"{site.url}/missing"]
            (info,) = await kb.documents()
            assert (info.source, info.kind) == (f"{site.url}/permits", "html")
            assert "hunter2" not in repr(await kb.ledger()) + repr(report)
            assert await kb.search("visiting yachts", mode="keyword")
            assert (await kb.add(f"{site.url}/permits")).unchanged == 1


async def test_a_site_is_crawled_so_far_and_no_further(tmp_path: Path) -> None:
    def page(title: str, *links: str) -> Answer:
        anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        return html(f"<html><body><main><h1>{title}</h1><p>{title}. {ARTICLE}</p><p>{anchors}</p></main></body></html>")

    pages = {
        "/": page("Start", "/one", "/two", "/gone"),
        "/one": page("One", "/deep"),
        "/two": page("Two", "https://example.org/out"),
        "/deep": page("Deep"),
    }
    settings = {"allow_private_hosts": True, "duplicates": "off"}
    async with serve(pages) as site, AsyncRove.open(tmp_path / "kb", **FAKE, load=settings) as kb:
        report = await kb.add(f"{site.url}/", crawl=CrawlPlan(depth=1, pages=10, delay_s=0))
        assert {info.title for info in await kb.documents()} == {"Start", "One", "Two"}
        assert [entry.source for entry in report.failed] == [f"{site.url}/gone"]


def test_a_database_is_read_by_its_address(kb: Rove, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "port.sqlite") as connection:
        connection.execute("CREATE TABLE berths (name TEXT, length_m REAL)")
        connection.execute("INSERT INTO berths VALUES ('Északi móló', 12.5), ('引航站', 8)")
    connection.close()
    report = kb.add(f"sqlite:///{tmp_path}/port.sqlite")
    assert report.ok, report.failed
    (info,) = kb.documents()
    text = kb.text(info.document_id)
    assert "CREATE TABLE" in text
    assert "引航站" in text
    assert kb.search("Északi móló", mode="keyword")
    assert kb.add(f"sqlite:///{tmp_path}/port.sqlite").documents == 0
    failed = kb.add("postgresql://ann:hunter2@127.0.0.1:1/none").failed[0]
    assert "hunter2" not in repr(failed)
    assert failed.cure


def test_duplicates_are_reported_or_left_out(tmp_path: Path) -> None:
    notice = f"{ARTICLE} A berth that is not left by noon of the last day is paid for once more. {PARAGRAPHS['de']}"
    texts = [
        Text(notice, id="first"),
        Text(f"{notice}\n", id="same"),
        Text(notice.replace("length of a stay", "number of nights"), id="near"),
        Text(notice[::-1], id="other"),
    ]
    with Rove.open(tmp_path / "report", **FAKE) as kb:
        report = kb.add(texts)
        assert {(twin.document_id, twin.of, twin.exact) for twin in report.duplicates} == {
            ("same", "first", True),
            ("near", "first", False),
        }
        assert all(twin.kept and twin.of_source == "first" for twin in report.duplicates)
        assert len(kb.documents()) == 4
    with Rove.open(tmp_path / "skip", **FAKE, load={"duplicates": "skip"}) as kb:
        kb.add(texts[0])
        report = kb.add(texts[1:])
        assert report.ok
        assert "same" not in {info.document_id for info in kb.documents()}
        assert {entry.source: entry.outcome for entry in kb.ledger("failed")} == {"same": "duplicate"}
        kb.delete("first")
        assert kb.add(texts[1]).added == 1
    with Rove.open(tmp_path / "off", **FAKE, load={"duplicates": "off"}) as kb:
        assert kb.add(texts).duplicates == ()


def test_what_posts_lose_by_rule_is_said(kb: Rove, tmp_path: Path) -> None:
    rows = [*samples_posts.thread(), {**samples_posts.thread()[0], "name": "t3_gone", "text": "[deleted]"}]
    (tmp_path / "posts.jsonl").write_bytes(samples_posts.lines(rows))
    report = kb.add(tmp_path / "posts.jsonl")
    assert report.ok
    assert {info.kind for info in kb.documents()} == {"posts"}
    assert len(kb.documents()) == len(rows) - 1
    assert "dropped" in report.noted[0].reason
    assert kb.search("a", mode="semantic", where=field("depth") == 1)


def test_ignore_rules(tmp_path: Path) -> None:
    names = ["a.md", "draft.md", "out/b.md", "in/c.md", "in/secret.md", "in/keep/secret.md"]
    for name in names:
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "docs/.roveignore").write_text("# a remark\nout/\nsecret.md\n")
    (tmp_path / "docs/in/keep/.roveignore").write_text("!secret.md\n")
    with Rove.open(tmp_path / "kb", **FAKE, load={"ignore": ["draft*"], "duplicates": "off"}) as kb:
        kb.add(tmp_path / "docs")
        found = {Path(info.source).relative_to(tmp_path / "docs").as_posix() for info in kb.documents()}
    assert found == {"a.md", "in/c.md", "in/keep/secret.md"}


def test_a_strategy_that_needs_the_embedder_works(tmp_path: Path) -> None:
    settings = {"strategy": {"text": "semantic", "html": "semantic"}}
    text = "The quay is wet. The quay is long. " * 12 + "Bread needs flour. Bread needs water. " * 12
    (tmp_path / "a.html").write_text(f"<html><body><main><p>{text}</p></main></body></html>")
    with Rove.open(tmp_path / "kb", **FAKE, chunk=settings) as kb:
        report = kb.add(Text(text, id="t"), tmp_path / "a.html")
        assert report.ok, report.failed
        assert report.chunks >= 4
        assert {entry.source.rpartition("/")[2]: entry.chunks > 1 for entry in kb.ledger()} == {
            "t": True,
            "a.html": True,
        }


def test_an_outline_by_a_chat_model_is_accounted(tmp_path: Path) -> None:
    text = "Berths\n\nEach berth has a number.\n\nFees\n\nFees are paid in advance.\n" * 3
    with Rove.open(tmp_path / "kb", **FAKE, chunk={"strategy": {"text": "outline"}}, chat={"model": "fake"}) as kb:
        report = kb.add(Text(text, id="t"))
        assert report.ok
        assert report.input_tokens > 0
        assert kb.search("fees", mode="keyword")


def test_a_label_stands_before_every_chunk(tmp_path: Path) -> None:
    settings = {"prefix": "topic", "size_chars": 120, "overlap_chars": 20}
    with Rove.open(tmp_path / "kb", **FAKE, chunk=settings) as kb:
        kb.add(Text(ARTICLE * 3, id="t", title="Title", metadata={"topic": "harbour"}))
        _, chunks = kb.document("t")
    assert len(chunks) > 3
    assert all(chunk.indexed_text.startswith("harbour\n\n") for chunk in chunks)
    assert all(len(chunk.indexed_text) <= 120 for chunk in chunks)


def test_what_a_folder_holds_beside_documents_is_no_failure(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("The pilot boards at the buoy.")
    (folder / "~$report.docx").write_bytes(b"\5Anna")
    (folder / "Thumbs.db").write_bytes(b"\xd0\xcf\x11\xe0")
    os.mkfifo(folder / "pipe.md")
    said = CliRunner().invoke(rove, ["add", str(folder), *AT, str(tmp_path / "kb")])
    assert said.exit_code == 0, said.output
    assert "2 hidden or system files skipped." in said.stdout
    assert f"Skipped: {folder / 'pipe.md'}: It is a pipe" in said.stdout
    told = json.loads(CliRunner().invoke(rove, ["add", str(folder), *AT, str(tmp_path / "kb"), "--json"]).stdout)
    assert (told["system_files"], len(told["skipped"]), told["failed"]) == (2, 1, [])
    named = CliRunner().invoke(rove, ["add", str(folder / "Thumbs.db"), *AT, str(tmp_path / "kb")])
    assert named.exit_code == 1


def test_the_base_itself_is_no_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rove add .` where the base is ./kb: neither its catalog is read, nor that of another base."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("The pilot boards at the buoy.")
    with Rove.open(tmp_path / "others" / "kb", **FAKE) as other:
        other.add(Text("A secret of others."))
    with Rove.open("kb", **FAKE) as kb:
        for found in (1, 0):
            told = kb.add(".")
            assert (told.added, told.failed, told.system_files) == (found, (), 2)
        assert [info.source for info in kb.documents()] == [str(tmp_path / "a.md")]


def test_of_a_folder_that_is_both_base_and_documents_the_documents_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The pilot boards at the buoy.")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "b.md").write_text("The tug waits at the mole.")
    with Rove.open(tmp_path, **FAKE) as kb:
        for found in (2, 0):
            told = kb.add(tmp_path)
            assert (told.added, told.failed, told.system_files) == (found, (), 1)
        assert {Path(info.source).name for info in kb.documents()} == {"a.md", "b.md"}


def test_an_export_is_no_document_either(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(Text("The tug waits at the mole."))
        with (tmp_path / "out.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(kb.export())
        [failed] = kb.add(tmp_path / "out.jsonl").failed
        assert failed.outcome == "unsupported" and "rove import" in failed.cure
        assert len(kb.documents()) == 1


def test_what_was_read_of_a_base_before_is_told_and_pruned(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The pilot boards at the buoy.")
    with Rove.open(tmp_path / "other", **FAKE) as other:
        other.add(Text("The tug waits at the mole."))
    with Rove.open(tmp_path / "kb", **FAKE) as kb:
        kb.add(catalog := tmp_path / "other" / "catalog.sqlite")  # by its name
        assert [info.source for info in kb.documents() if "catalog.sqlite" in info.source]
        assert kb.add(tmp_path).vanished == (str(catalog),)
        kb.add(tmp_path, prune=True)
        assert not [info.source for info in kb.documents() if "catalog.sqlite" in info.source]


async def test_a_watched_folder_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("The pilot boards at the buoy.")
    (folder / "b.md").write_text("The tug waits at the mole.")
    stop = asyncio.Event()
    async with AsyncRove.open(tmp_path / "kb", **FAKE) as kb:
        reports = kb.watch(folder, stop=stop)
        assert (await anext(reports)).added == 2
        following = asyncio.ensure_future(anext(reports))
        await asyncio.sleep(1.0)  # the watch is set up within the first anext after the first report
        (folder / "c.md").write_text("A révkalauz a bójánál száll be.")
        (folder / "b.md").unlink()
        (folder / "a.md").write_text("The pilot boards at the lighthouse.")
        report = await asyncio.wait_for(following, 20)
        assert (report.added, report.removed) == (2, 1)
        sources = {Path(info.source).name for info in await kb.documents()}
        assert sources == {"a.md", "c.md"}
        assert not await kb.search("tug", mode="keyword")
        stop.set()
        await reports.aclose()


@pytest.mark.parametrize("base", ["kb", "."])
async def test_what_the_base_writes_in_a_watched_folder_is_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("The pilot boards at the buoy.")
    async with AsyncRove.open(base, **FAKE) as kb:
        reports = kb.watch(".")
        assert (await anext(reports)).added == 1
        following = asyncio.ensure_future(anext(reports))
        await asyncio.sleep(1.0)  # the watch is set up
        await kb.add(Text("The tug waits at the mole."))
        done, _ = await asyncio.wait({following}, timeout=3)
        assert not done
        (tmp_path / "b.md").write_text("A révkalauz a bójánál száll be.")
        assert (await asyncio.wait_for(following, 20)).added == 1
        await reports.aclose()


def test_the_report_is_whole_in_json(kb: Rove, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "a", "text": "words"}) + "\n")
    report = kb.add(tmp_path / "x.jsonl")
    assert [(count.kind, count.added, count.documents) for count in report.kinds] == [("json", 1, 1)]
