"""Backups: of a folder while it is written to, of a database by pg_dump; and what comes back of them."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from secrets import token_hex

import psycopg
import pytest

import postgres_server
from load.samples_pages import pdf_pages, printed
from rove import Rove, Text
from rove.serve.spaces import Spaces
from rove.settings import Address, read_settings
from serve.conftest import DOCUMENTS, ENVIRONMENT
from serve.test_shared_conversations import ASK, asked, talks_of

FAKE = {"name": "fake"}
QUESTIONS = ("Who approves remote work?", "パスワードは誰が承認しますか", "Wer genehmigt den Urlaub?")
NOTES, TOGETHER = 300, 15
pytestmark = pytest.mark.long


def found(place: str | Path) -> dict[tuple[str, str], list[tuple[str, tuple[int, int], float]]]:
    """All that searches find, to the last digit."""
    with Rove.open(place, embedder=FAKE, create=False, question={"log": False}) as kb:
        return {
            (mode, question): [
                (h.chunk.chunk_id, h.chunk.span, h.score) for h in kb.search(question, top_k=9, mode=mode)
            ]
            for mode in ("hybrid", "keyword", "semantic", "walk")
            for question in QUESTIONS
        }


def pg(name: str, *arguments: str) -> None:
    done = subprocess.run([postgres_server.program(name), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def rows(base: str) -> dict[str, str]:
    """What each table of a base holds, as a digest."""
    address = Address(base)
    with psycopg.connect(address.url) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (address.schema,)
        ).fetchall()
        told = "SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), ''))"
        return {
            name: str(connection.execute(f'{told} FROM "{address.schema}"."{name}" t').fetchone()) for (name,) in tables
        }


async def filled(base: str, folder: Path) -> None:
    """A base with documents, a page that is kept, a conversation and a walk, as a server makes them."""
    spaces = Spaces.open(read_settings(base, embedder=FAKE), folder)
    await spaces.start()
    kb = spaces._spaces["default"].kb
    await kb.add(*DOCUMENTS["hr"], *DOCUMENTS["it"])
    talks = talks_of(spaces)
    await asked(talks, (await talks.begin("")).conversation_id, ASK)
    async for _ in kb.walk(QUESTIONS[0]):
        pass
    await spaces.close()


def test_pg_dump_carries_all_to_another_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "here"))
    schema, database = f"b{token_hex(8)}", f"d{token_hex(8)}"
    base = postgres_server.base(schema)
    asyncio.run(filled(base, tmp_path))
    (tmp_path / "plan.pdf").write_bytes(pdf_pages([[printed(70, 700, "The move is in May, says the plan.")]]))
    with Rove.open(base, embedder=FAKE) as kb:
        kb.add(tmp_path / "plan.pdf")
    before, kept = found(base), rows(base)
    assert sum(map(len, before.values())) > 20
    dump = str(tmp_path / "base.dump")
    pg("pg_dump", "--format=custom", f"--schema={schema}", f"--file={dump}", Address(base).url)

    with Rove.open(base, embedder=FAKE) as kb:  # what came after the backup
        kb.add(Text("Remote work is forbidden by the new policy.", id="later", title="Later"))
        kb.delete("merger")
    assert found(base) != before

    with psycopg.connect(Address(base).url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{database}"')
    other = base.replace(f"/{Address(base).base[3]}?", f"/{database}?")
    assert Address(other).base[3:] == (database, schema)
    pg("pg_restore", "--no-owner", f"--dbname={Address(other).url}", dump)
    assert rows(other) == kept
    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "there"))
    assert found(other) == before
    with Rove.open(other, embedder=FAKE) as kb:
        assert kb.doctor().problems == ()
        assert [info.question for info in kb.walks()] == [QUESTIONS[0]]

    monkeypatch.setenv("ROVE_DATA", str(tmp_path / "here"))  # in its old place, beside a snapshot of what came after
    with psycopg.connect(Address(base).url, autocommit=True) as connection:
        connection.execute(f'DROP SCHEMA "{schema}" CASCADE')
    pg("pg_restore", "--no-owner", f"--dbname={Address(base).url}", dump)
    assert found(base) == before
    with Rove.open(base, embedder=FAKE) as kb:
        assert kb.doctor().problems == ()


def adding(kb: Path, notes: Path) -> subprocess.Popen[bytes]:
    """Add many notes, a folder at a time, in a process with a group of its own."""
    folders = sorted(map(str, notes.iterdir()))
    program = "import sys, rove\nwith rove.Rove.open(sys.argv[1]) as kb:\n    [kb.add(one) for one in sys.argv[2:]]"
    return subprocess.Popen(
        [sys.executable, "-c", program, str(kb), *folders],
        env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def count(kb: Path) -> int:
    """How many sources are found in it by now."""
    try:
        connection = sqlite3.connect(f"file:{kb / 'catalog.sqlite'}?mode=ro", uri=True)
        (number,) = connection.execute("SELECT count(*) FROM ledger WHERE state = 'live'").fetchone()
        connection.close()
    except sqlite3.Error:
        return 0
    return number


def snapshot(kb: Path, process: subprocess.Popen[bytes], backup: Path) -> None:
    """As a file system or a volume takes one: all files as they are at one moment."""
    os.killpg(process.pid, signal.SIGSTOP)
    try:
        shutil.copytree(kb, backup)
    finally:
        os.killpg(process.pid, signal.SIGCONT)


def by_sqlite(kb: Path, process: subprocess.Popen[bytes], backup: Path) -> None:
    """As `sqlite3 catalog.sqlite ".backup …"` does, and then what is kept beside it."""
    backup.mkdir()
    source, copy = sqlite3.connect(kb / "catalog.sqlite"), sqlite3.connect(backup / "catalog.sqlite")
    source.backup(copy)
    source.close()
    copy.close()


@pytest.mark.parametrize("take", [snapshot, by_sqlite])
def test_a_folder_is_copied_while_it_is_written_to(take, tmp_path: Path) -> None:
    notes, kb = tmp_path / "notes", tmp_path / "kb"
    for number in range(NOTES):
        text = f"# Note {number}\n\nThe code of note {number} is x{number}x.\n"
        folder = notes / f"part-{number // TOGETHER:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"note-{number}.md").write_text(text * 4, "utf-8")
    process, sizes = adding(kb, notes), list[int]()
    try:
        deadline = time.monotonic() + 240
        while process.poll() is None and time.monotonic() < deadline and len(sizes) < 3:
            if (now := count(kb)) > (sizes[-1] if sizes else 0):
                take(kb, process, tmp_path / f"backup-{len(sizes)}")
                sizes.append(now)
            time.sleep(0.02)
        assert process.wait(timeout=240) == 0
    finally:
        process.kill()
    assert sizes and sizes[0] < NOTES, "nothing was copied amid the writing"
    for number, least in enumerate(sizes):
        with Rove.open(tmp_path / f"backup-{number}", embedder=FAKE, create=False) as restored:
            held = restored.documents()
            assert len(held) >= least
            assert all("on their way in" in problem for problem in restored.doctor().problems)  # `add` takes them up
            some = held[len(held) // 2]
            (word,) = {word for word in restored.document(some.document_id)[0].text.split() if word.endswith("x.")}
            hits = restored.search(word.strip("."), mode="keyword", top_k=1)
            assert [hit.chunk.document_id for hit in hits] == [some.document_id]
            if number == 0:  # what came later comes again, and nothing twice
                report = restored.add(notes)
                assert (report.failed, len(restored.documents())) == ((), NOTES)
