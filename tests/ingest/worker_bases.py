"""Bases that were made with workers and without, compared row by row; and the processes of an `add`, to be killed."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rove import Rove, Text
from rove.sandbox.watchdog import tree

FAKE = {"embedder": {"name": "fake"}, "chunk": {"size_chars": 240}}
ASKED = ("How many letters about the harbour were never opened?", "LaTeX page", "Brief Hafen", "港")
MODES = ("hybrid", "keyword", "semantic")
WORKER = "rove.ingest.workers.child"
ROWS = {
    "documents": "select document_id, version, fingerprint, ledger_source, source, kind, title, language, metadata, "
    "sections, chunks, blocks, signature, text, boxes from documents join texts on document = seq order by document_id",
    "chunks": "select c.chunk_id, d.document_id, c.position, c.start, c.end, c.kind, c.prefix, c.headings, c.page, "
    "c.language, c.text, c.metadata, c.terms, c.parent, c.names, v.key, v.vector from chunks c "
    "join documents d on c.document = d.seq join vectors v on c.vector = v.seq order by c.chunk_id",
    "tokens": "select v.key, t.tokens from tokens t join vectors v on t.vector = v.seq order by v.key",
    "ledger": "select source, state, outcome, reason, cure, fingerprint, documents, chunks, kind from ledger "
    "order by source",
}


def texts(count: int) -> list[Text]:
    """Short documents, some of several chunks; every tenth repeats what the one before says."""
    lines = [
        f"Note {n - (n % 10 == 9)}. The archive keeps {n * 3} letters about the harbour. "
        + " ".join(
            f"Letter {n}/{part} was never opened by anybody; der Brief blieb zu, 信{part}号没有打开。"
            for part in range(n % 7)
        )
        for n in range(count)
    ]
    return [Text(line, id=f"t{n}", title=f"Note {n}", metadata={"n": n}) for n, line in enumerate(lines)]


def files(folder: Path, shared: Path | None, count: int = 80) -> Path:
    """A folder of many kinds of files: small ones of our own, one that is broken, and PDFs if the data is there."""
    folder.mkdir()
    for n in range(count):
        suffix = ("md", "txt", "html", "csv")[n % 4]
        text = texts(n + 1)[n].text
        written = {"md": f"# Note {n}\n\n{text}\n\n## More\n\n{text[::-1]}", "csv": f"a,b\n{n},{text[:20]!r}\n"}
        (folder / f"f{n:03}.{suffix}").write_text(written.get(suffix, f"<p>{text}</p>"), "utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)))
    (folder / "empty.txt").write_bytes(b"")
    for pdf in sorted(shared.glob("files/py-pdf-sample-files/*/*.pdf"))[:12] if shared else ():
        shutil.copy(pdf, folder / pdf.name)
    return folder


def rows(base: Path) -> dict[str, list[tuple[object, ...]]]:
    """All that a base holds, in an order of its own."""
    with sqlite3.connect(base / "catalog.sqlite") as connection:
        found = {name: connection.execute(query).fetchall() for name, query in ROWS.items()}
    connection.close()
    return found


def ranked(kb: Rove) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """What searches find, with the scores to the last digit."""
    return {
        (mode, asked): [(hit.chunk.chunk_id, hit.score) for hit in kb.search(asked, mode=mode, top_k=20)]
        for mode in MODES
        for asked in ASKED
    }


def check_once(base: Path, wanted: dict[str, list[tuple[object, ...]]]) -> None:
    """See that everything is there, once, and as it would be without workers; and that nothing lies about."""
    found = rows(base)
    for name, those in wanted.items():
        assert len(found[name]) == len(those), name
        assert found[name] == those, name
    assert not (base / "shards").exists()


def below(pid: int, what: str = WORKER) -> list[int]:
    """The processes below this one whose command line has `what`, workers if nothing else is said."""
    return [one for one in tree(pid) if one != pid and what in command_of(one)]


def command_of(pid: int) -> str:
    """The command line of a process; "" where it has gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def kill(pids: Iterator[int] | list[int]) -> None:
    """Kill -9; who has gone meanwhile is left."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
