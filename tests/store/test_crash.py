"""Kill -9 at any moment of an ingest, then the same `add` again: what is there is what an uninterrupted run makes.

The killed processes come from a nursery: this file run as a script. It imports everything once, and forks: LanceDB sets
up its threads anew in a child. The next child gets ready while the present one works. Each failpoint is met twice;
`ROVE_KILLS` says how many kills at random moments there are beside (100, say).
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import lancedb
import pytest
from docx import Document as WordFile

import rove.ingest.batch
import rove.ingest.pipeline
import rove.store.store
from rove.language.detect import detect
from rove.language.words import terms
from rove.load import LOADERS
from rove.records import Text
from rove.store.catalog_rows import check_vectors
from rove.store.failpoints import NAMES
from rove.sync import Rove

FAKE = {"embedder": {"name": "fake"}, "store": {"index": "lancedb", "resident_chunks": 0}}
KILLS = int(os.environ.get("ROVE_KILLS", "8"))
SEED = 20_240_601
SENTENCES = {
    "en": "The archive keeps {0} letters about the harbour, and number {1} was never opened.",
    "de": "Das Archiv bewahrt {0} Briefe über den Hafen, und Nummer {1} wurde nie geöffnet.",
    "hu": "A levéltár {0} levelet őriz a kikötőről, és a(z) {1}. számút sosem bontották fel.",
    "zh": "档案馆保存着关于港口的{0}封信，第{1}封从未打开过。",
    "ja": "文書館には港についての手紙が{0}通あり、{1}番は一度も開かれなかった。",
}


# -- the nursery: a process of its own, whose children are killed ----------------------------------------------------


def nursery() -> None:
    """Answer jobs, one JSON line each: run it in a forked child, and kill that after `kill_after` seconds."""
    for name in ("text", "markdown", "html.html", "data.json", "office.docx.loader"):
        import_module(f"rove.load.{name}")
    for name in ("sqlalchemy.dialects.sqlite", "rove.models.fake", "rove.models.rerank", "rove.store.lance"):
        import_module(name)
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)  # nothing of it runs before the fork
    for language, sentence in SENTENCES.items():
        terms(sentence, detect(sentence) or language)
    rove.ingest.batch.BATCH_CHUNKS = 10
    # What is killed here is the process that keeps; one that only reads keeps nothing, and to start one takes longer
    # than all else. tests/sandbox kills those.
    rove.ingest.pipeline.INLINE = rove.ingest.pipeline.QUICK = {*LOADERS.names(), ""}
    rove.store.store.OPTIMIZE_EVERY = 4
    spare = Child()
    for line in sys.stdin:
        child, spare = spare, Child()
        sys.stdout.write(json.dumps(child.run(json.loads(line))) + "\n")
        sys.stdout.flush()
    spare.end()


class Child:
    """A process that waits for one job."""

    def __init__(self) -> None:
        job, self.job = os.pipe()
        self.word, word = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.job)
            os.close(self.word)
            status = 1
            try:
                live(job, word)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        os.close(job)
        os.close(word)

    def run(self, job: dict) -> dict:
        """Give it the job; returns how that ended and after how many seconds."""
        began = time.monotonic()
        os.write(self.job, json.dumps(job).encode() + b"\n")
        os.close(self.job)
        kill_after = job.get("kill_after")
        ended, _, _ = select.select([self.word], [], [], kill_after)
        if not ended:
            os.kill(self.pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.word)
        state = {0: "done", -signal.SIGKILL: "killed"}.get(status, "failed")
        return {"state": state, "seconds": time.monotonic() - began}

    def end(self) -> None:
        """Let it go: its job never comes."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def live(job_pipe: int, word: int) -> None:
    """Wait for a job, do it."""
    with os.fdopen(job_pipe) as lines:
        line = lines.readline()
    if not line:
        return
    job = json.loads(line)
    os.environ["ROVE_FAILPOINT"] = job.get("failpoint", "")
    with Rove.open(job["base"], **FAKE) as kb:
        if job["do"] == "add":
            report = kb.add(job["docs"])
            if not report.ok:
                raise SystemExit(f"{report.failed}")
        else:
            for name in job["names"]:
                kb.delete(name)


class Nursery:
    """The pytest process's end of the line."""

    def __init__(self, log: Path) -> None:
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )

    def run(self, base: Path, do: str = "add", **job: object) -> tuple[str, float]:
        """Run a job on a base; returns ("done" or "killed", seconds)."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"base": str(base), "do": do, **job}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"state": "gone", "seconds": 0}')
        assert answer["state"] in {"done", "killed"}, f"{answer}\n{self.log.read_text()[-4000:]}"
        return answer["state"], answer["seconds"]

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def nurse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    made = Nursery(tmp_path_factory.mktemp("nursery") / "stderr.txt")
    yield made
    made.close()


# -- what is taken in ------------------------------------------------------------------------------------------------


def prose(seed: str, count: int) -> str:
    """`count` sentences, each different, the language by the seed."""
    sentence = SENTENCES[list(SENTENCES)[sum(seed.encode()) % len(SENTENCES)]]
    return " ".join(sentence.format(f"{seed}{n}", n * 7) for n in range(count))


def write_documents(folder: Path, version: int) -> None:
    """A folder of 5 formats and languages; version 2 changes some, takes some records out, and brings more."""
    folder.mkdir(exist_ok=True)
    for n in range(12 if version == 1 else 44):
        changed = f"v{version}" if n % 4 == 0 else ""
        name, text = f"{n:02}", prose(f"k{n}{changed}", 6 + n % 9)
        match n % 3:
            case 0:
                (folder / f"{name}.md").write_text(f"# Titel {n}\n\n{text}\n\n## Teil\n\n{text[:300]}\n")
            case 1:
                (folder / f"{name}.txt").write_text(text)
            case _:
                (folder / f"{name}.html").write_text(f"<html><body><main><p>{text}</p></main></body></html>")
    for file in ("a", "z"):
        gone = range(30, 40) if version == 2 else ()
        records = {
            f"{file}{n}": {"query": f"Q {n}", "document": prose(f"{file}{n}{version if n % 5 == 0 else ''}", 3)}
            for n in range(60)
            if n not in gone
        }
        (folder / f"{file}-records.json").write_text(json.dumps(records, ensure_ascii=False))
    word = WordFile()
    for n in range(8):
        word.add_heading(f"Kapitel {n}", 1)
        word.add_paragraph(prose(f"w{version}{n}", 5))
    word.save(folder / "m-word.docx")


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("in") / "docs"


@pytest.fixture(scope="module")
def template(nurse: Nursery, docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base that holds version 1; the folder then holds version 2."""
    base = tmp_path_factory.mktemp("template") / "kb"
    write_documents(docs, 1)
    assert nurse.run(base, docs=str(docs))[0] == "done"
    write_documents(docs, 2)
    return base


@pytest.fixture(scope="module")
def uninterrupted(nurse: Nursery, template: Path, docs: Path) -> tuple[list[str], float]:
    """The chunk ids after the whole of version 2 came over version 1 undisturbed, and how long that took."""
    base = template.with_name("undisturbed")
    shutil.copytree(template, base)
    state, seconds = nurse.run(base, docs=str(docs))
    assert state == "done"
    with Rove.open(base, **FAKE) as kb:
        assert kb.doctor().ok
    ids = chunk_ids(base)
    assert len(ids) > 150
    assert max(Counter(ids).values()) == 1
    assert set(ids) != set(chunk_ids(template))
    return ids, seconds


# -- what must hold --------------------------------------------------------------------------------------------------


def chunk_ids(base: Path) -> list[str]:
    """The ids of all live chunks, as the catalog has them, sorted."""
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        query = "SELECT chunk_id FROM chunks JOIN documents d ON d.seq = document WHERE d.revision > 0 ORDER BY 1"
        return [row[0] for row in database.execute(query)]


def held_ids(base: Path) -> list[str]:
    """The ids that the index has, sorted."""
    table = lancedb.connect(base / "index").open_table("chunks")
    return sorted(table.search().select(["chunk_id"]).limit(100_000).to_arrow()["chunk_id"].to_pylist())


def check_between(base: Path, template: Path) -> None:
    """Right after a kill, before anything is mended: the catalog is whole, shows no document twice, keeps its word.

    A source that was live before may hold more or less than the ledger says while its new version comes in.
    """
    with closing(sqlite3.connect(template / "catalog.sqlite")) as database:
        old = {row[0] for row in database.execute("SELECT fingerprint FROM ledger")}
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        live = [row[0] for row in database.execute("SELECT document_id FROM documents WHERE revision > 0")]
        assert max(Counter(live).values()) == 1
        query = """SELECT l.fingerprint, l.source, l.documents, (SELECT count(*) FROM documents d
                   WHERE d.ledger_source = l.source AND d.revision > 0) FROM ledger l WHERE l.state = 'live'"""
        for fingerprint, source, promised, held in database.execute(query):
            assert fingerprint in old or promised == held, f"{source} is live with {promised} documents; it has {held}"


def check_after(base: Path, wanted: list[str]) -> None:
    """The catalog holds the wanted chunks, each once; so does the index; nothing is left to mend, or half done."""
    found = chunk_ids(base)
    assert found == wanted, f"lost {len(set(wanted) - set(found))}, too many {len(set(found) - set(wanted))}"
    with closing(sqlite3.connect(base / "catalog.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM documents WHERE revision = 0").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM ledger WHERE state <> 'live'").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM removals WHERE pending").fetchone() == (0,)
        orphans = "SELECT count(*) FROM vectors WHERE seq NOT IN (SELECT vector FROM chunks)"
        assert database.execute(orphans).fetchone() == (0,)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        check_vectors([row[0] for row in database.execute("SELECT vector FROM vectors")])
    assert held_ids(base) == wanted
    with Rove.open(base, **FAKE) as kb:
        health = kb.doctor()
        assert health.ok, health
        assert health.chunks == len(wanted)
        assert kb.search("harbour letters", mode="keyword")


@pytest.mark.long
def test_killed_at_random_moments(
    nurse: Nursery, template: Path, docs: Path, uninterrupted: tuple[list[str], float], tmp_path: Path
) -> None:
    """Kill, take up, kill again …, until one run comes through; then the same with a new base, till all are used.

    A kill that comes after the end of its run does not count. Moments are drawn from a whole run's time, two in three
    from its first 30 %: every run starts where the one before was killed, so the kills spread over all of the work.
    """
    wanted, seconds = uninterrupted
    chance = random.Random(SEED)
    killed, bases, moments, before = 0, 0, Counter[str](), chunk_ids(template)
    while killed < KILLS:
        base = tmp_path / f"kb{bases}"
        shutil.copytree(template, base)
        state = "killed"
        while state == "killed":
            after = chance.uniform(0.005, seconds * chance.choice((0.3, 0.3, 1.0))) if killed < KILLS else None
            state, _ = nurse.run(base, docs=str(docs), kill_after=after)
            killed += state == "killed"
            moments[how_far(chunk_ids(base), before, wanted)] += state == "killed"
            check_between(base, template)
        check_after(base, wanted)
        shutil.rmtree(base)
        bases += 1
    assert killed >= KILLS
    assert moments["on its way"] >= killed // 3, f"the kills did not fall into the work: {moments}"


def how_far(found: list[str], before: list[str], wanted: list[str]) -> str:
    """Where a kill fell: before anything was kept, within, or after the last chunk was live."""
    return "begun" if found == before else "done" if found == wanted else "on its way"


@pytest.mark.parametrize("hit", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_killed_at_a_failpoint(
    name: str,
    hit: int,
    nurse: Nursery,
    template: Path,
    docs: Path,
    uninterrupted: tuple[list[str], float],
    tmp_path: Path,
) -> None:
    base = tmp_path / "kb"
    shutil.copytree(template, base)
    assert nurse.run(base, docs=str(docs), failpoint=f"{name}:{hit}")[0] == "killed"
    check_between(base, template)
    assert nurse.run(base, docs=str(docs))[0] == "done"
    check_after(base, uninterrupted[0])


@pytest.mark.parametrize("name", ["staged", "published", "deleted"])
def test_resume_takes_up_a_changed_source_too(
    name: str,
    nurse: Nursery,
    template: Path,
    docs: Path,
    uninterrupted: tuple[list[str], float],
    tmp_path: Path,
) -> None:
    """`add --resume` asks the ledger what is unfinished: a source whose new version came in half is."""
    base = tmp_path / "kb"
    shutil.copytree(template, base)
    assert nurse.run(base, docs=str(docs), failpoint=f"{name}:2")[0] == "killed"
    with Rove.open(base, **FAKE) as kb:
        assert kb.resume().ok
    check_after(base, uninterrupted[0])


@pytest.mark.parametrize("hit", [1, 2])
@pytest.mark.parametrize("name", ["deleted", "forgotten"])
def test_killed_while_it_deletes(
    name: str, hit: int, nurse: Nursery, template: Path, docs: Path, tmp_path: Path
) -> None:
    """What was to go is gone or is there whole; the index agrees after the next run, and the rest is untouched."""
    base = tmp_path / "kb"
    shutil.copytree(template, base)
    before = set(chunk_ids(base))
    names = [str(docs / "00.md"), str(docs / "01.txt")]
    assert nurse.run(base, "delete", names=names, failpoint=f"{name}:{hit}")[0] == "killed"
    left = chunk_ids(base)
    assert set(left) < before
    with Rove.open(base, **FAKE) as kb:
        sources = {info.source for info in kb.documents()}
        assert (names[0] in sources, names[1] in sources) == (False, hit == 1)
        assert "when a writer stopped" in str(kb.doctor().problems)
    check_after(base, left)


@pytest.mark.parametrize("name", ["staged", "indexed", "published", "deleted"])
def test_another_process_that_was_open_already_takes_up_too(
    name: str, nurse: Nursery, template: Path, docs: Path, tmp_path: Path
) -> None:
    """The next writer finishes what a killed one began, even if it has been writing since before that."""
    base = tmp_path / "kb"
    shutil.copytree(template, base)
    with Rove.open(base, **FAKE) as kb:
        kb.add(Text("A writer that lives long.", id="first"))
        assert nurse.run(base, docs=str(docs), failpoint=f"{name}:2")[0] == "killed"
        kb.add(Text("It writes again.", id="second"))
        assert held_ids(base) == chunk_ids(base)
        assert kb.doctor().ok


if __name__ == "__main__":
    nursery()
